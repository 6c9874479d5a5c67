// Pairings: who is armed, and whether the gate still lets each be fed (spec CC-4, CC-5). The
// gate is asked when an observer is armed and again before every batch; while its hooks run the
// batch waits and takes in what comes meanwhile, and the agent's events are read on. Called by
// host/read/observe.c and host/run/runs.c.
#include <stdlib.h>

#include "host/admit/admit.h"
#include "host/told/told.h"

bool host_is_busy(const peri_agent *agent) {
    for (size_t i = 0; i < agent->pairing_count; i++) {
        if (agent->pairings[i]->run || agent->pairings[i]->asking) return true;
    }
    return false;
}

void host_end_if_idle(peri_host *host, host_agent *of) {
    if (!of->end_due || host_is_busy(of->agent)) return;
    of->end_due = false;
    host_push_work(host, (host_work){.kind = WORK_END,
                                     .of = of,
                                     .step = of->stepper.step,
                                     .turn = of->stepper.turn});
}

// ---- What the gate says

// The step that decided, and its reason: one clause for the record.
static void add_reason(peri_buf *out, const peri_gate_trace *trace) {
    peri_str step = peri_gate_step_word(trace->decided_by);
    peri_buf_addf(out, "%.*s: %s", PERI_FMT(step), trace->steps[trace->decided_by].reason);
}

// Everything its observer has not seen is gone: it is not shown later either.
static void clear_buffer(peri_pairing *pairing) {
    const host_agent *of = pairing->agent->attached;
    pairing->cursor = of->tap.last_number + 1;
}

static void apply(peri_host *host, peri_pairing *pairing, const peri_gate_trace *trace) {
    bool changed = pairing->gate_version != trace->version;
    pairing->gate_version = trace->version;
    if (pairing->mode < 0) { // for its life, in this host and the next
        pairing->mode = (int)trace->mode;
        host_resume_save(host, pairing);
    }
    if (trace->verdict == PERI_GATE_VERDICT_ALLOW) {
        if (changed) {
            host_pairing_tell(host, pairing, peri_pairing_state_word(pairing->state),
                              (peri_str){0}, trace);
        }
        return;
    }
    peri_buf reason;
    peri_buf_init(&reason, 1024);
    clear_buffer(pairing);
    if (trace->verdict == PERI_GATE_VERDICT_DENY) {
        pairing->counts.denied++;
        if (host_pairing_move(host, pairing, PERI_CAUSE_GATE) < 0) return;
    } else {
        peri_buf_add_c(&reason, "gate error, batch dropped: ");
        pairing->counts.gate_errors++;
    }
    add_reason(&reason, trace);
    host_pairing_tell(host, pairing, peri_pairing_state_word(pairing->state),
                      peri_buf_str(&reason), trace);
    host_resume_save(host, pairing);
    // A file that is broken drops batch after batch: said once, counted each time.
    if (changed || trace->verdict == PERI_GATE_VERDICT_DENY) {
        host_logf(host, "warning", "observer %.*s of %.*s: %s",
                  PERI_FMT(pairing->observer->name), PERI_FMT(pairing->agent->key),
                  peri_buf_c(&reason));
    }
    peri_buf_deinit(&reason);
}

/// A question about a pairing, on its way.
typedef struct asking {
    peri_host *host;
    peri_pairing *pairing;
    bool answered, allowed;
    bool returned; // the asker has gone on: what the answer lets through is due as work
} asking;

static void on_judged(void *user, const peri_gate_trace *trace) {
    asking *a = user;
    peri_pairing *pairing = a->pairing;
    host_agent *of = pairing->agent->attached;
    pairing->asking = false;
    if (!trace) { // the host ends
        free(pairing->waiting);
        pairing->waiting = NULL;
        host_end_if_idle(a->host, of);
        free(a);
        return;
    }
    a->answered = true;
    if (peri_pairing_active(pairing)) apply(a->host, pairing, trace);
    a->allowed = trace->verdict == PERI_GATE_VERDICT_ALLOW && peri_pairing_active(pairing);
    if (!a->returned) return;
    if (a->allowed && pairing->waiting) {
        host_work work = *(host_work *)pairing->waiting;
        pairing->admitted = true;
        host_push_work(a->host, work);
        work.kind = WORK_BATCH;
        host_push_work(a->host, work);
    }
    free(pairing->waiting);
    pairing->waiting = NULL;
    host_end_if_idle(a->host, of);
    free(a);
}

// By the agent's type; one that has none of its own, by its key: `main`.
static const host_agent_def *def_of(const peri_host *host, const peri_agent *agent) {
    const host_agent_def *def =
        agent->name.len ? host_agents_find(&host->agents, agent->name) : NULL;
    return def ? def : host_agents_find(&host->agents, agent->key);
}

// The agent whose observers a subagent inherits: the one that started
// it where that is known, else main.
static const peri_agent *coordinator_of(const peri_agent *agent) {
    const peri_agent *found = NULL;
    if (peri_str_eq(agent->key, PERI_STR("main"))) return NULL;
    for (const peri_agent *one = agent->session->agents; one; one = one->next) {
        if (peri_str_eq(one->key, agent->parent) && one != agent) return one;
        if (peri_str_eq(one->key, PERI_STR("main"))) found = one;
    }
    return found;
}

// The mode that an armed pairing keeps is the one the agent works in then: as its own stream
// tells it, or that of the agent that started it, or of main; else that of the settings.
static int mode_of(const peri_pairing *pairing) {
    const peri_agent *agent = pairing->agent, *above = coordinator_of(agent);
    const host_agent *of = agent->attached, *from = above ? above->attached : NULL;
    if (pairing->mode >= 0) return pairing->mode;
    return of->mode < 0 && from ? from->mode : of->mode;
}

static host_gate_question question_of(peri_host *host, const peri_pairing *pairing) {
    const peri_agent *agent = pairing->agent;
    int mode = mode_of(pairing);
    host_gate_question question = {
        .session = agent->session->id,
        .agent = agent->key,
        .name = agent->name.len ? agent->name : agent->key,
        .type = pairing->observer->name,
        .folder = agent->cwd,
        .mode = mode < 0 ? PERI_PERMISSION_DEFAULT : (peri_permission_mode)mode,
        .mode_known = mode >= 0,
        .named = pairing->named,
    };
    const peri_agent *declarer = pairing->reports_to ? pairing->reports_to : agent;
    host_gate_know_tools(&question, def_of(host, declarer));
    return question;
}

// 1: allowed; 0: not, or not now. Then `pairing->asking` tells whether an answer is to come.
static int ask(peri_host *host, peri_pairing *pairing) {
    asking *a = calloc(1, sizeof *a);
    if (!a) return PERI_ENOMEM;
    *a = (asking){.host = host, .pairing = pairing};
    pairing->asking = true;
    host_gate_question question = question_of(host, pairing);
    int status = host_gate_ask(host, &question, on_judged, a);
    if (status == PERI_OK && !a->answered) {
        a->returned = true;
        return 0;
    }
    pairing->asking = false;
    if (status == PERI_OK) status = a->allowed;
    free(a);
    return status;
}

// Nobody can judge for want of memory: an error like any other.
static void fail(peri_host *host, peri_pairing *pairing, int status) {
    peri_gate_trace trace = {.version = pairing->gate_version};
    peri_gate_fail(&trace, PERI_GATE_REQUEST, peri_status_message(status));
    apply(host, pairing, &trace);
}

// One batch: what came while the hooks ran is in it.
static bool wait(peri_host *host, const host_work *work) {
    peri_pairing *pairing = work->pairing;
    host_work *waiting = pairing->waiting ? pairing->waiting : malloc(sizeof *waiting);
    if (!waiting) {
        fail(host, pairing, PERI_ENOMEM);
        return false;
    }
    *waiting = *work;
    pairing->waiting = waiting;
    pairing->overdue++;
    host_standing_touch(host, pairing);
    return false;
}

bool host_admit(peri_host *host, const host_work *work) {
    peri_pairing *pairing = work->pairing;
    if (!host->permissions || host->watching) return true;
    if (pairing->asking) return wait(host, work);
    if (pairing->admitted) {
        pairing->admitted = false;
        return true;
    }
    int status = ask(host, pairing);
    if (status < 0) fail(host, pairing, status);
    return pairing->asking ? wait(host, work) : status > 0;
}

// ---- Arming

typedef struct arming {
    peri_host *host;
    const peri_agent
        *coordinator; // whose definition names the observer, if another than its agent
} arming;

static void on_armed(void *user, peri_pairing *pairing) {
    const arming *a = user;
    peri_host *host = a->host;
    pairing->reports_to = a->coordinator;
    const host_agent *of = pairing->agent->attached;
    pairing->cursor = of->tap.last_number + 1;
    pairing->since_wall_ms = host_wall_ms(host);
    host_resume(host, pairing);
    host_standing_resume(host, pairing);
    if (!peri_pairing_active(pairing) || host_stopped(host, pairing)) return;
    host_resume_save(host, pairing);
    int status = host->permissions ? ask(host, pairing) : 0;
    if (status < 0) fail(host, pairing, status);
    // Told by the judgement, where there is one already.
    if (host->permissions && !pairing->asking) return;
    host_pairing_tell(host, pairing, peri_pairing_state_word(pairing->state), (peri_str){0},
                      NULL);
}

static void count_refused(peri_host *host, int status) {
    if (status < 0) host->counts.lost++;
}

// One that the client runs itself is told, not armed a second time (spec CC-1).
static void leave_to_client(peri_host *host, const peri_agent *agent,
                            const peri_observer *observer) {
    peri_record record = {
        .kind = PERI_RECORD_PAIRING,
        .session = agent->session->id,
        .agent = agent->key,
        .observer = observer->name,
        .state = PERI_STR("by-client"),
        .reason = PERI_STR("the agent's own program runs it: its observer agents are on"),
        .name = agent->name.len ? agent->name : agent->key,
    };
    host_record(host, &record);
}

// The observers that the definition of `declarer` names; `inherited`: for one of its subagents.
static void arm_named(peri_host *host, peri_agent *agent, const peri_agent *declarer) {
    const host_agent_def *def = def_of(host, declarer);
    const host_session *session = agent->session->attached;
    bool inherited = declarer != agent;
    if (!def || (inherited && !def->observe_subagents)) return;
    bool by_client = def->of_client && (host->client_observes || session->client_observes);
    arming a = {host, inherited ? declarer : NULL};
    for (size_t i = 0; i < def->named_count; i++) {
        const peri_observer *observer = &def->named[i];
        if (!observer->enabled || peri_str_eq(observer->name, agent->name)) continue;
        if (by_client) {
            leave_to_client(host, agent, observer);
            continue;
        }
        count_refused(host, peri_registry_pair(&host->registry, agent, observer, on_armed, &a));
    }
}

void host_arm(peri_host *host, peri_agent *agent) {
    const host_session *kept = agent->session->attached;
    if (agent->armed || kept->off || !host_claim_session(host, agent->session)) return;
    if (!host->watching && !host->observer_only) {
        const peri_agent *coordinator = coordinator_of(agent);
        arm_named(host, agent, agent);
        if (coordinator) arm_named(host, agent, coordinator);
    }
    arming a = {host, NULL};
    count_refused(host, peri_registry_arm(&host->registry, agent, host->observers,
                                          host->observer_count, on_armed, &a));
}
