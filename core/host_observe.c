// From observation to what is due: finds the agent, keeps what an observer may see, and notes runs and
// windows as work. Nothing here runs a script.
#include <stdlib.h>

#include "host_internal.h"

void host_agent_free(void *attached) {
    host_agent *of = attached;
    peri_tap_deinit(&of->tap);
    peri_desk_deinit(&of->desk);
    for (size_t i = 0; i < of->fresh_count; i++) free(of->fresh[i]);
    free(of->fresh);
    free((char *)of->last_user.ptr);
    free(of);
}

void host_session_free(void *attached) {
    peri_veto_book_deinit(attached);
    free(attached);
}

void host_push_work(peri_host *host, host_work work) {
    if (host->work_count == host->work_cap) {
        size_t cap = host->work_cap ? host->work_cap * 2 : 64;
        host_work *grown = cap > HOST_MAX_WORK ? NULL : malloc(cap * sizeof *grown);
        if (!grown) { // dropped, and said so
            host->counts.lost++;
            return;
        }
        for (size_t i = 0; i < host->work_count; i++) {
            grown[i] = host->work[(host->work_first + i) % host->work_cap];
        }
        free(host->work);
        host->work = grown;
        host->work_cap = cap;
        host->work_first = 0;
    }
    host->work[(host->work_first + host->work_count++) % host->work_cap] = work;
}

static host_work work_now(const host_agent *of, host_work_kind kind) {
    return (host_work){.kind = kind,
                       .of = (host_agent *)of,
                       .upto = of->tap.last_number + 1,
                       .turn_first = of->turn_first,
                       .step = of->stepper.step,
                       .turn = of->stepper.turn};
}

// Notes the runs of every pairing that listens to `trigger`, and the judging of what they propose.
static void trigger(peri_host *host, host_agent *of, peri_trigger trigger, bool ending) {
    bool any = false;
    host_work work = work_now(of, WORK_RUN);
    work.trigger = trigger;
    work.ending = ending;
    for (size_t i = 0; i < of->agent->pairing_count; i++) {
        peri_pairing *pairing = of->agent->pairings[i];
        if (!(pairing->observer->triggers >> trigger & 1) || !peri_pairing_active(pairing)) {
            continue;
        }
        work.pairing = pairing;
        host_push_work(host, work);
        any = true;
    }
    work.kind = WORK_BATCH;
    work.pairing = NULL;
    if (any) host_push_work(host, work);
}

// What the stepper tells, with the host beside the agent.
typedef struct telling {
    peri_host *host;
    host_agent *of;
} telling;

static void remember_user(host_agent *of, const peri_item *item) {
    peri_str head = item->text.head;
    head.len = peri_utf8_cut_cp(head, HOST_LAST_USER_CP).bytes;
    peri_try_own(&of->last_user, head); // out of memory: the message before stays
}

static void on_item(void *user, const peri_item *item) {
    const telling *t = user;
    host_agent *of = t->of;
    if (item->kind == PERI_ITEM_USER_MESSAGE) remember_user(of, item);
    if (item->kind == PERI_ITEM_TOOL_CALL) of->work++;
    if (of->agent->pairing_count == 0) return; // nobody listens
    peri_item named = *item;
    if (item->kind == PERI_ITEM_TOOL_RESULT || item->kind == PERI_ITEM_TOOL_DENIED) {
        const peri_item *call =
            peri_tap_find_call(&of->tap, PERI_ITEM_TOOL_CALL, item->call_id);
        named.unpaired = !call && item->kind == PERI_ITEM_TOOL_RESULT;
        if (call) named.name = call->name;
    }
    peri_item *copy = peri_item_copy(&named);
    if (!copy || peri_tap_push_take(&of->tap, copy) < 0) t->host->counts.lost++;
}

static void open_window(peri_host *host, host_agent *of) {
    if (of->agent->pairing_count) host_push_work(host, work_now(of, WORK_WINDOW));
}

static void on_turn_start(void *user, uint32_t turn, bool human) {
    const telling *t = user;
    (void)turn;
    t->of->phase = PERI_PHASE_RUNNING;
    t->of->turn_first = t->of->tap.last_number; // the prompt's item was the last
    if (t->of->turn_first == 0) t->of->turn_first = 1;
    open_window(t->host, t->of);
    if (human) trigger(t->host, t->of, PERI_TRIGGER_BEFORE_AGENT_START, false);
}

static void on_result(void *user, bool denied) {
    const telling *t = user;
    trigger(t->host, t->of, PERI_TRIGGER_TOOL_EXECUTION_END, false);
    if (denied) trigger(t->host, t->of, PERI_TRIGGER_TOOL_DENIED, false);
}

static void on_step_end(void *user, uint32_t step, bool ending) {
    const telling *t = user;
    (void)step;
    trigger(t->host, t->of, PERI_TRIGGER_TURN_END, ending);
}

static void on_settled(void *user, peri_str reason) {
    const telling *t = user;
    (void)reason;
    t->of->phase = PERI_PHASE_SETTLED;
    trigger(t->host, t->of, PERI_TRIGGER_AGENT_SETTLED, true);
    open_window(t->host, t->of);
}

static const peri_step_events step_events = {on_item, on_turn_start, on_result, on_step_end,
                                             on_settled};

static void finish_agent(peri_host *host, host_agent *of) {
    if (of->finished) return;
    of->finished = true;
    telling t = {host, of};
    peri_stepper_finish(&of->stepper, &step_events, &t);
    if (of->agent->pairing_count == 0) return;
    trigger(host, of, PERI_TRIGGER_SESSION_END, true);
    host_push_work(host, work_now(of, WORK_END));
}

void host_finish_agents(peri_host *host) {
    peri_session *session = host->unfinished ? host->unfinished : host->registry.first;
    for (; session; session = session->next) {
        for (peri_agent *agent = session->agents; agent; agent = agent->next) {
            if (agent->attached) finish_agent(host, agent->attached);
        }
        host->unfinished = session; // looked at again: its file may have told only the start
    }
}

static void on_armed(void *user, peri_pairing *pairing) {
    peri_host *host = user;
    const peri_agent *agent = pairing->agent;
    host_agent *of = agent->attached;
    pairing->cursor = of->tap.last_number + 1;
    peri_record record = {
        .kind = PERI_RECORD_PAIRING,
        .session = agent->session->id,
        .agent = agent->key,
        .observer = pairing->observer->name,
        .id = peri_str_c(pairing->task_id),
        .state = peri_pairing_state_word(pairing->state),
        .name = agent->name.len ? agent->name : agent->key,
    };
    host_record(host, &record);
}

static peri_veto_book *book_of(peri_host *host, peri_session *session) {
    if (!session->attached) {
        peri_veto_book *book = malloc(sizeof *book);
        if (!book) return NULL;
        peri_veto_book_init(book, host->seed);
        session->attached = book;
    }
    return session->attached;
}

static host_agent *attach(peri_host *host, peri_agent *agent) {
    peri_veto_book *book = book_of(host, agent->session);
    host_agent *of = book ? calloc(1, sizeof *of) : NULL;
    if (!of) return NULL;
    of->agent = agent;
    peri_tap_init(&of->tap);
    peri_stepper_init(&of->stepper);
    peri_desk_init(&of->desk, host->config.limits, book, host->seed);
    agent->attached = of;
    return of;
}

// What the observation and the source's sidecar say of the agent itself.
static void learn(peri_host *host, peri_source *source, peri_agent *agent,
                  const peri_obs *obs) {
    peri_str name = obs->x.agent_name;
    bool beside = source->has_sidecar && !peri_str_eq(agent->key, PERI_STR("main"));
    if (!name.len && beside) name = source->sidecar.agent_name;
    if (name.len && !peri_str_eq(name, agent->name)) peri_try_own(&agent->name, name);
    if (obs->x.cwd.len && !agent->cwd.ptr) peri_try_own(&agent->cwd, obs->x.cwd);
    if (obs->x.parent.len && !agent->parent.ptr) peri_try_own(&agent->parent, obs->x.parent);
    peri_str own =
        source->reader.dialect ? source->reader.dialect->observer_origin : (peri_str){0};
    bool is_observer =
        (own.len && peri_str_eq(obs->x.origin, own)) || (beside && source->sidecar.observer);
    if (!is_observer || agent->is_observer) return;
    agent->is_observer = true;
    if (peri_str_eq(agent->key, PERI_STR("main"))) agent->session->is_observer = true;
    for (size_t i = 0; i < agent->pairing_count; i++) { // armed before it was known
        peri_pairing_move(agent->pairings[i], PERI_CAUSE_AGENT_END);
    }
    (void)host;
}

// The agent key of an observation; what a record leaves out is taken from the one before.
static host_agent *agent_of(peri_host *host, peri_source *source, peri_obs *obs) {
    if (!obs->session.len) obs->session = source->last_session;
    if (!obs->session.len) obs->session = PERI_STR("unnamed");
    if (!obs->agent.len) obs->agent = PERI_STR("main");
    if (source->last && peri_str_eq(obs->session, source->last_session) &&
        peri_str_eq(obs->agent, source->last_agent)) {
        return source->last;
    }
    peri_agent *agent;
    bool made;
    if (peri_registry_agent(&host->registry, obs->session, obs->agent, &agent, &made) < 0) {
        return NULL;
    }
    host_agent *of = agent->attached ? agent->attached : attach(host, agent);
    if (of) {
        // The registry's copies live as long as the agent; the source keeps its own.
        if (peri_own(&source->last_session, obs->session) == PERI_OK &&
            peri_own(&source->last_agent, obs->agent) == PERI_OK) {
            source->last = of;
        }
    }
    return of;
}

// The usage of one message counts once: a later record of the same message replaces the earlier.
static void add_usage(host_agent *of, const peri_obs *obs) {
    if (obs->kind != PERI_OBS_MESSAGE_USAGE && obs->kind != PERI_OBS_USAGE) return;
    peri_str id = peri_obs_str(obs, PERI_OBS_F_MESSAGE_ID);
    uint64_t answer = id.len ? peri_str_hash(id, PERI_HASH_SEED) : 0;
    peri_usage before = {0};
    if (answer && answer == of->usage_answer) before = of->usage_last;
    of->usage.input += obs->tokens.input - before.input;
    of->usage.cached += obs->tokens.cached - before.cached;
    of->usage.cache_created += obs->tokens.cache_created - before.cache_created;
    of->usage.output += obs->tokens.output - before.output;
    of->usage_answer = answer;
    of->usage_last = obs->tokens;
}

void host_observe(peri_host *host, peri_source *source, peri_obs *obs) {
    host->counts.observations++;
    obs->seq = ++host->seq;
    if (host->mode == PERI_MODE_REPLAY && obs->has_at &&
        obs->at_wall_ms > host->replay_clock.at_wall_ms) {
        host->replay_clock.at_wall_ms = obs->at_wall_ms;
    }
    if (!obs->has_at) {
        obs->at_wall_ms = host_wall_ms(host);
        obs->has_at = true;
    }
    host_agent *of = agent_of(host, source, obs);
    if (!of) {
        host->counts.lost++;
        return;
    }
    learn(host, source, of->agent, obs);
    host_record_observation(host, obs);
    add_usage(of, obs);
    if (host->no_observers || of->agent->is_observer || of->agent->session->is_observer) return;
    if (peri_registry_arm(&host->registry, of->agent, host->observers, host->observer_count,
                          on_armed, host) < 0) {
        host->counts.lost++;
    }
    telling t = {host, of};
    peri_stepper_feed(&of->stepper, obs, &step_events, &t);
}
