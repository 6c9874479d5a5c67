// From observation to what is due: finds the agent, keeps what an observer may see, and notes
// runs and windows as work. Nothing here runs a script.
#include <stdlib.h>

#include "host/admit/admit.h"
#include "host/read/read.h"
#include "host/run/run.h"
#include "host/told/told.h"
#include "host/written/written.h"

void host_agent_free(void *attached) {
    host_agent *of = attached;
    peri_tap_deinit(&of->tap);
    peri_join_deinit(&of->join);
    peri_names_deinit(&of->names);
    peri_trail_deinit(&of->trail);
    peri_desk_deinit(&of->desk);
    peri_desk_deinit(&of->shadow_desk);
    host_notes_free(of);
    for (size_t i = 0; i < of->fresh_count; i++) free(of->fresh[i]);
    free(of->fresh);
    free((char *)of->last_user.ptr);
    free((char *)of->user_before.ptr);
    free(of);
}

void host_session_free(void *attached) {
    host_session *session = attached;
    peri_veto_book_deinit(&session->book);
    peri_veto_book_deinit(&session->shadow_book);
    free(session);
}

void host_trigger(peri_host *host, host_agent *of, peri_trigger trigger, bool ending) {
    bool any = false;
    host_work work = host_work_now(of, WORK_RUN);
    work.trigger = trigger;
    work.ending = ending;
    for (size_t i = 0; i < of->agent->pairing_count; i++) {
        peri_pairing *pairing = of->agent->pairings[i];
        if (!(pairing->observer->triggers >> trigger & 1)) continue;
        if (!peri_pairing_active(pairing) && !host_enabled(host, pairing)) {
            if (pairing->state == PERI_PAIRING_DENIED) pairing->cursor = work.upto; // not kept
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
    peri_str head = item->text.head, before = of->user_before;
    of->user_before = of->last_user;
    of->last_user = before;
    of->last_user_at = of->tap.last_number + 1;
    head.len = peri_utf8_cut_cp(head, HOST_LAST_USER_CP).bytes;
    peri_try_own(&of->last_user, head); // out of memory: an older message stays
}

// A result may stand before its call: parallel calls, several sources.
static void pair_result(peri_host *host, host_agent *of, const peri_item *call) {
    const peri_item *result =
        peri_tap_find_call(&of->tap, PERI_ITEM_TOOL_RESULT, call->call_id);
    if (!result || !result->unpaired) return;
    peri_item paired = *result;
    paired.unpaired = false;
    paired.name = call->name;
    if (peri_tap_replace(&of->tap, result, &paired) < 0) host->counts.lost++;
}

static void on_item(void *user, const peri_item *item) {
    const telling *t = user;
    host_agent *of = t->of;
    if (item->kind == PERI_ITEM_USER_MESSAGE) remember_user(of, item);
    if (item->kind == PERI_ITEM_TOOL_CALL) of->work++;
    if (!of->first) {
        of->first = peri_str_hash(item->call_id, item->hash ^ (uint64_t)item->kind) | 1;
    }
    if (of->agent->pairing_count == 0) { // nobody listens
        peri_tap_skip(&of->tap);
        return;
    }
    peri_item named = *item;
    if (item->kind == PERI_ITEM_TOOL_RESULT || item->kind == PERI_ITEM_TOOL_DENIED) {
        const peri_item *call =
            peri_tap_find_call(&of->tap, PERI_ITEM_TOOL_CALL, item->call_id);
        named.unpaired = !call && item->kind == PERI_ITEM_TOOL_RESULT;
        if (call) named.name = call->name;
        of->unpaired |= named.unpaired;
    }
    if (item->kind == PERI_ITEM_TOOL_CALL && of->unpaired) pair_result(t->host, of, item);
    peri_item *copy = peri_item_copy(&named);
    if (!copy || peri_tap_push_take(&of->tap, copy) < 0) t->host->counts.lost++;
    host_standing_heard(t->host, of);
}

static void open_window(peri_host *host, host_agent *of) {
    if (of->agent->pairing_count) host_push_work(host, host_work_now(of, WORK_WINDOW));
}

// What was handed over and never stood in the agent's stream may
// go a way that leads nowhere (case C57).
static void age_deliveries(peri_host *host, const host_agent *of, uint32_t turn) {
    size_t before = host->outbox.overdue_count;
    peri_outbox_age(&host->outbox, of->agent->session->id, of->agent->key, turn);
    if (host->outbox.overdue_count > before) {
        host_warn(
            host, "not-seen", (peri_str){0},
            PERI_STR("a note was handed over and has not been seen in the agent's stream"),
            PERI_STR("the way it goes may not reach the model: see perilune status"));
    }
}

static void on_turn_start(void *user, uint32_t turn, bool human) {
    const telling *t = user;
    t->of->phase = PERI_PHASE_RUNNING;
    age_deliveries(t->host, t->of, turn);
    t->of->turn_first = t->of->tap.last_number; // the prompt's item was the last
    if (t->of->turn_first == 0) t->of->turn_first = 1;
    host_notes_open(t->of);
    open_window(t->host, t->of);
    if (human) host_trigger(t->host, t->of, PERI_TRIGGER_BEFORE_AGENT_START, false);
}

static void on_result(void *user, bool denied) {
    const telling *t = user;
    host_trigger(t->host, t->of, PERI_TRIGGER_TOOL_EXECUTION_END, false);
    if (denied) host_trigger(t->host, t->of, PERI_TRIGGER_TOOL_DENIED, false);
}

static void on_step_end(void *user, uint32_t step, bool ending) {
    const telling *t = user;
    (void)step;
    host_notes_due(t->host, t->of, PERI_TRIGGER_TURN_END);
    host_trigger(t->host, t->of, PERI_TRIGGER_TURN_END, ending);
}

// After the user's stop nothing is delivered until the next turn (spec PI-8): what is being
// judged is dropped, what waits for the sink expires.
static void on_settled(void *user, peri_str reason) {
    const telling *t = user;
    const peri_agent *agent = t->of->agent;
    bool stopped = peri_reason_is_stop(reason);
    t->of->phase = stopped ? PERI_PHASE_STOPPED : PERI_PHASE_SETTLED;
    t->of->settled_wall_ms = host_wall_ms(t->host);
    if (stopped) {
        peri_outbox_expire(&t->host->outbox, agent->session->id, agent->key,
                           "the user stopped the agent");
    }
    host_trigger(t->host, t->of, PERI_TRIGGER_AGENT_SETTLED, true);
    open_window(t->host, t->of);
}

static const peri_step_events step_events = {on_item, on_turn_start, on_result, on_step_end,
                                             on_settled};

static void show(peri_host *host, host_agent *of, peri_obs *obs);

static void leave(peri_host *host, host_agent *of) {
    if (of->left) return;
    of->left = true;
    host_notes_due(host, of, PERI_TRIGGER_SESSION_END);
    host_trigger(host, of, PERI_TRIGGER_SESSION_END, true);
}

static bool is_main(const host_agent *of) {
    return peri_str_eq(of->agent->key, PERI_STR("main"));
}

// What it still has open, half a text or a turn, ends as it is.
static void end_turn(peri_host *host, host_agent *of) {
    peri_obs *text = peri_join_assembled(&of->join, NULL);
    if (text) show(host, of, text);
    telling t = {host, of};
    peri_stepper_finish(&of->stepper, &step_events, &t);
}

// A subagent need not have stopped: its session's end is its own, and comes before the main
// agent's. All stay paired: the same session may be resumed under a host that lives on.
static void leave_session(peri_host *host, const peri_session *session) {
    for (int mains = 0; mains < 2; mains++) {
        for (peri_agent *agent = session->agents; agent; agent = agent->next) {
            host_agent *of = agent->attached;
            if (!of || of->finished || of->left || is_main(of) != mains) continue;
            end_turn(host, of);
            leave(host, of);
        }
    }
}

static void finish_agent(peri_host *host, host_agent *of) {
    if (of->finished) return;
    end_turn(host, of);
    of->finished = true;
    if (of->agent->pairing_count == 0) return;
    leave(host, of);
    host_push_work(host, host_work_now(of, WORK_END));
}

// A subagent's stop may be held, by another hook than ours too; it was not if the main agent
// goes on before it does. One that goes on all the same is resumed.
static void note_stop(host_agent *of, const peri_obs *obs) {
    bool stops = obs->kind == PERI_OBS_FINISHED && obs->x.maybe && obs->x.ends_step;
    if (!stops || !of->stepper.live || is_main(of)) return;
    host_session *kept = of->agent->session->attached;
    of->stopping = kept->stopping = true;
}

static void end_stopped(peri_host *host, const host_agent *by) {
    host_session *kept = by->agent->session->attached;
    if (!kept->stopping || !is_main(by)) return;
    kept->stopping = false;
    for (peri_agent *agent = by->agent->session->agents; agent; agent = agent->next) {
        host_agent *of = agent->attached;
        if (of && of->stopping) finish_agent(host, of);
    }
}

static void go_on(peri_host *host, host_agent *of) {
    bool ended = of->finished && of->stopping && !host->finishing;
    of->stopping = false;
    if (!ended) return;
    of->finished = of->end_due = of->agent->ended = false;
    for (size_t i = 0; i < of->agent->pairing_count; i++) {
        peri_pairing *pairing = of->agent->pairings[i];
        if (pairing->state != PERI_PAIRING_RETIRED) continue;
        if (host_pairing_move(host, pairing, PERI_CAUSE_RESUME) <= 0) continue;
        host_pairing_tell(host, pairing, peri_pairing_state_word(pairing->state),
                          peri_cause_word(PERI_CAUSE_RESUME), NULL);
    }
}

// In portions: what thousands of agents have due at their end must not pass the maximum of
// work. The caller asks again until nothing is due.
enum { FINISH_WORK = 4096 };

void host_finish_agents(peri_host *host) {
    bool some = host->unfinished && !host->finishing; // at the end, whatever came late
    peri_session *session = some ? host->unfinished : host->registry.first;
    for (; session; session = session->next) {
        for (int mains = 0; mains < 2; mains++) {
            for (peri_agent *agent = session->agents; agent; agent = agent->next) {
                if (!agent->attached || is_main(agent->attached) != mains) continue;
                finish_agent(host, agent->attached);
                if (host->work_count >= FINISH_WORK) return;
            }
        }
        host->unfinished = session; // looked at again: its file may have told only the start
    }
}

static host_session *kept_of(peri_host *host, peri_session *session) {
    host_session *kept = session->attached;
    if (!kept) {
        kept = calloc(1, sizeof *kept);
        if (!kept) return NULL;
        peri_veto_book_init(&kept->book, host->seed);
        kept->session = session;
        peri_veto_book_init(&kept->shadow_book, host->seed);
        session->attached = kept;
        host_spend_resume_session(host, kept, session->id);
        host_accepted_resume_session(host, kept, session->id);
    }
    return kept;
}

static host_agent *attach(peri_host *host, peri_agent *agent) {
    host_session *kept = kept_of(host, agent->session);
    host_agent *of = kept ? calloc(1, sizeof *of) : NULL;
    if (!of) return NULL;
    of->agent = agent;
    peri_tap_init(&of->tap);
    peri_join_init(&of->join);
    peri_stepper_init(&of->stepper);
    of->mode = -1;
    of->stepper.live = host->mode == PERI_MODE_LIVE;
    peri_desk_init(&of->desk, host->config.limits, &kept->book, host->seed);
    peri_desk_init(&of->shadow_desk, host->config.limits, &kept->shadow_book, host->seed);
    agent->attached = of;
    host_accepted_resume(host, of, kept);
    return of;
}

// What the observation and the source's sidecar say of the agent itself.
static void learn(peri_host *host, peri_source *source, peri_agent *agent,
                  const peri_obs *obs) {
    peri_str name = obs->x.agent_name;
    bool beside = source->has_sidecar && !peri_str_eq(agent->key, PERI_STR("main"));
    if (!name.len && beside) name = source->sidecar.agent_name;
    if (name.len && !peri_str_eq(name, agent->name)) {
        peri_try_own(&agent->name, name);
        agent->armed = false; // observers of this type apply now
    }
    host_agent *of = agent->attached;
    host_session *kept = agent->session->attached;
    kept->client_observes |= obs->x.client_observes;
    peri_permission_mode mode = peri_permission_mode_find(obs->x.permission_mode);
    if (mode < PERI_PERMISSION_MODE_COUNT) of->mode = (int)mode;
    host_switches_hear(host, agent->session, obs);
    if (obs->x.cwd.len && !agent->cwd.ptr) peri_try_own(&agent->cwd, obs->x.cwd);
    if (obs->x.parent.len && !agent->parent.ptr) peri_try_own(&agent->parent, obs->x.parent);
    peri_str own =
        source->reader.dialect ? source->reader.dialect->observer_origin : (peri_str){0};
    bool is_observer = (own.len && peri_str_eq(obs->x.origin, own)) ||
                       (beside && source->sidecar.observer) || obs->x.observer;
    if (!is_observer || agent->is_observer) return;
    agent->is_observer = true;
    if (peri_str_eq(agent->key, PERI_STR("main"))) agent->session->is_observer = true;
    host_retire(host, agent); // armed before it was known
}

// What only a file beside the stream tells of the agent is told by the observation as well, so
// that it holds all of it.
static void add_learnt(const peri_source *source, const peri_agent *agent, peri_obs *obs) {
    obs->x.observer = agent->is_observer || agent->session->is_observer;
    if (source->has_sidecar && !obs->x.agent_name.len) obs->x.agent_name = agent->name;
}

// A stream that names no session is one of its own: a file's is called like the file.
static peri_str session_of(const peri_source *source) {
    peri_str name = peri_str_c(source->name);
    if (!source->from_file) return PERI_STR("unnamed");
    for (size_t at = name.len; at > 0; at--) {
        if (name.ptr[at - 1] == '/') return peri_str_sub(name, at, name.len);
    }
    return name;
}

// The agent key of an observation; what a record leaves out is taken from the one before.
static void complete_key(peri_host *host, const peri_source *source, peri_obs *obs,
                         char alias[HOST_ALIAS_CHARS + 1]) {
    if (!obs->session.len) obs->session = source->last_session;
    if (!obs->session.len) obs->session = session_of(source);
    if (!source->last || !peri_str_eq(obs->session, source->last_session))
        obs->session = host_session_alias(host, obs->session, alias);
    if (!obs->agent.len) obs->agent = PERI_STR("main");
    bool child = !peri_str_eq(obs->agent, PERI_STR("main"));
    if (child && source->has_sidecar && !obs->x.parent.len) {
        obs->x.parent = source->sidecar.parent;
    }
    peri_joiner_place(&host->joiner, obs);
}

static host_agent *agent_of(peri_host *host, peri_source *source, peri_obs *obs) {
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
    obs->session = agent->session->id; // may have been the source's copy, which goes now
    obs->agent = agent->key;
    if (of) {
        if (peri_own(&source->last_session, obs->session) == PERI_OK &&
            peri_own(&source->last_agent, obs->agent) == PERI_OK) {
            source->last = of;
        }
    }
    return of;
}

// A record of one agent may tell that another is an observer.
static void learn_observer(peri_host *host, const peri_source *source,
                           const peri_agent *watched, const peri_obs *obs) {
    if (!obs->x.observer_task.len) return;
    peri_agent *agent;
    bool made;
    if (peri_registry_agent(&host->registry, obs->session, obs->x.observer_task, &agent,
                            &made) < 0) {
        host->counts.lost++;
        return;
    }
    if (!agent->is_observer && agent->attached) host_retire(host, agent);
    agent->is_observer = true;
    host_resume_reference(host, source, watched, obs->x.observer_type, obs->x.observer_task);
}

static void set_time(peri_host *host, peri_obs *obs) {
    if (!obs->has_at) {
        obs->at_wall_ms = host_wall_ms(host);
        obs->has_at = true;
    }
    if (host->mode == PERI_MODE_REPLAY && obs->at_wall_ms > host->replay_clock.at_wall_ms) {
        host->replay_clock.at_wall_ms = obs->at_wall_ms;
    }
}

static void number_step(peri_obs *obs, uint32_t step, char *room, size_t size) {
    peri_buf digits = {.ptr = room, .cap = size, .max = size - 1};
    peri_buf_add_uint(&digits, step);
    peri_obs_value *index = peri_obs_add(obs, PERI_OBS_F_INDEX);
    if (!index) return;
    index->number = step;
    index->text = peri_text_of(peri_buf_str(&digits), (peri_text_caps){16, 0});
}

// What was sent to a model and what came back may hold private instructions (spec OB-4).
static void drop_payload(peri_obs *obs, peri_obs_field field) {
    if (peri_obs_get(obs, field)) (void)peri_obs_add(obs, field); // there, and empty
}

// A frame that stands in what the agent was shown has been seen (spec PE-7).
static void look_for_frames(peri_host *host, const peri_obs *obs) {
    if (!host->outbox.unseen_count) return;
    for (size_t i = 0; i < obs->value_count; i++) {
        const peri_text *text = &obs->values[i].text;
        (void)peri_outbox_look(&host->outbox, obs->session, obs->agent, text->head);
        (void)peri_outbox_look(&host->outbox, obs->session, obs->agent, text->tail);
    }
    (void)peri_outbox_look(&host->outbox, obs->session, obs->agent, obs->x.output.head);
    (void)peri_outbox_look(&host->outbox, obs->session, obs->agent, obs->x.output.tail);
}

// Numbers an observation that tells something new and hands it to the subscribers.
static void record(peri_host *host, host_agent *of, peri_obs *obs) {
    host->counts.observations += !host->warming;
    if (!host->warming) obs->seq = ++host->seq;
    char digits[16];
    if (obs->kind == PERI_OBS_STEP && !peri_obs_get(obs, PERI_OBS_F_INDEX)) {
        number_step(obs, of->stepper.step, digits, sizeof digits);
    }
    peri_names_take(&of->names, obs);
    if (!host->config.verbose && obs->kind == PERI_OBS_MODEL_REQUEST) {
        drop_payload(obs, PERI_OBS_F_REQUEST);
    }
    if (!host->config.verbose && obs->kind == PERI_OBS_MODEL_RESPONSE) {
        drop_payload(obs, PERI_OBS_F_RESPONSE);
    }
    peri_meter_take(&of->meter, obs);
    if (host->warming) return;
    of->stirred = true;
    host_record_observation(host, obs);
    look_for_frames(host, obs);
}

static bool is_watched(const host_agent *of) {
    return !of->agent->is_observer && !of->agent->session->is_observer;
}

// What goes before the agent's first deed is no reason to arm: the stream has not told yet
// under which permission mode it works.
static bool is_activity(peri_obs_kind kind) {
    switch (kind) {
    case PERI_OBS_PROMPT:
    case PERI_OBS_STEER:
    case PERI_OBS_TEXT:
    case PERI_OBS_RESULT:
    case PERI_OBS_REASONING:
    case PERI_OBS_TOOL:
    case PERI_OBS_TOOL_RESULT:
    case PERI_OBS_TOOL_DENIED:
        return true;
    default:
        return false;
    }
}

// Records an observation that needs no joining and shows it to who listens.
static void show(peri_host *host, host_agent *of, peri_obs *obs) {
    obs->session = of->agent->session->id;
    obs->agent = of->agent->key;
    record(host, of, obs);
    if (host->no_observers || !is_watched(of)) return;
    if (is_activity(obs->kind)) {
        go_on(host, of);
        host_arm(host, of->agent);
        of->left = false;
    }
    note_stop(of, obs);
    telling t = {host, of};
    peri_stepper_feed(&of->stepper, obs, &step_events, &t);
}

// One observation of a known agent: what of it is new?
static void join(peri_host *host, peri_source *source, host_agent *of, peri_obs *obs) {
    const peri_dialect *dialect = source->reader.dialect;
    peri_join_source from = {source->number, dialect && dialect->local_ids};
    peri_join_verdict verdict = peri_join_check(&host->joiner, &of->join, from, obs);
    learn(host, source, of->agent, obs);
    host_lanes_hear(host, dialect, of, obs);
    learn_observer(host, source, of->agent, obs);
    if (verdict == PERI_JOIN_MORE || verdict == PERI_JOIN_REPEAT) {
        if (peri_join_mend(obs, verdict, &of->tap) < 0) host->counts.lost++;
    }
    if (verdict == PERI_JOIN_REPEAT) return;
    add_learnt(source, of->agent, obs);
    (void)peri_join_withdraw(&host->joiner, obs, of->stepper.turn, &of->tap);
    host->joiner.withdrawn_count += peri_trail_take(&of->trail, obs, &of->tap);
    if (verdict == PERI_JOIN_NEW) {
        show(host, of, obs);
    } else {
        record(host, of, obs);
    }
}

void host_observe(peri_host *host, peri_source *source, peri_obs *obs) {
    char alias[HOST_ALIAS_CHARS + 1];
    set_time(host, obs);
    complete_key(host, source, obs, alias);
    host_agent *of = agent_of(host, source, obs);
    if (!of) {
        host->counts.lost++;
        return;
    }
    end_stopped(host, of);
    for (peri_obs *text; (text = peri_join_assembled(&of->join, obs));) {
        join(host, source, of, text);
    }
    join(host, source, of, obs);
    // A recording's session ends with its last record, whoever left it in between.
    if (obs->x.ends_session && host->mode == PERI_MODE_LIVE) {
        leave_session(host, of->agent->session);
    }
}
