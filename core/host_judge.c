// Judging: what a trigger's runs propose is put to the policies, and every ruling is told to the record
// stream, to the observer whose word it was, and where it is a delivery to the outbox. What the policies
// may ask about the agent is answered here.
#include <stdlib.h>

#include "host_internal.h"

typedef struct judge {
    peri_host *host;
    const host_work *work;
} judge;

static peri_pairing *pairing_of(const host_agent *of, peri_str observer) {
    for (size_t i = 0; i < of->agent->pairing_count; i++) {
        if (peri_str_eq(of->agent->pairings[i]->observer->name, observer)) {
            return of->agent->pairings[i];
        }
    }
    return NULL;
}

// The observer is told the truth about its last proposal (ctx.last).
static void remember_outcome(peri_pairing *pairing, const peri_proposal *p,
                             const peri_decision *d, bool would_deliver) {
    peri_str state = PERI_STR("decided");
    if (d->verdict == PERI_VERDICT_DELIVER) {
        state = would_deliver ? PERI_STR("would-deliver") : PERI_STR("queued");
    }
    const peri_str facts[] = {p->text,
                              p->fingerprint,
                              peri_verdict_word(d->verdict),
                              d->verdict == PERI_VERDICT_DROP ? (peri_str){0}
                                                              : peri_lane_word(d->lane),
                              d->reason,
                              state};
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        peri_try_own(&pairing->last[i], facts[i]);
    }
    pairing->last_due = true;
}

static void count_ruling(peri_host *host, peri_pairing *pairing, const peri_proposal *p,
                         const peri_decision *d) {
    switch (d->verdict) {
    case PERI_VERDICT_DELIVER:
        host->counts.delivered++;
        host->counts.vetoes += p->kind == PERI_PROPOSAL_VETO;
        if (pairing) pairing->counts.delivered++;
        return;
    case PERI_VERDICT_DEFER:
        host->counts.deferred++;
        if (pairing) pairing->counts.deferred++;
        return;
    default:
        host->counts.dropped++;
        if (pairing) pairing->counts.dropped++;
        return;
    }
}

static void on_ruling(void *user, const peri_proposal *p, const peri_decision *d,
                      bool released) {
    const judge *j = user;
    peri_host *host = j->host;
    const peri_agent *agent = j->work->of->agent;
    peri_pairing *pairing = pairing_of(j->work->of, p->observer);
    peri_record record = host_record_of(PERI_RECORD_DECISION, j->work);
    record.id = p->id;
    record.observer = p->observer;
    record.state = peri_verdict_word(d->verdict);
    if (d->verdict != PERI_VERDICT_DROP) record.lane = peri_lane_word(d->lane);
    record.reason = d->reason;
    record.policy = d->policy;
    record.trigger = released ? PERI_STR("released") : (peri_str){0};
    host_record(host, &record);
    count_ruling(host, pairing, p, d);
    if (pairing && d->verdict == PERI_VERDICT_DROP)
        host_standing_drop(host, pairing, d->reason);
    if (pairing) host_standing_touch(host, pairing);
    if (pairing) remember_outcome(pairing, p, d, host->outbox.sink == NULL);
    bool shadow = pairing && pairing->observer->shadow;
    if (d->verdict != PERI_VERDICT_DELIVER || d->lane == PERI_LANE_LOG || shadow) return;
    if (peri_outbox_add(&host->outbox, agent->session->id, agent->key, d->lane, p,
                        &host->random) < 0) {
        host->counts.sink_expired++;
    }
}

static void on_policy_error(void *user, peri_str policy, peri_str error, bool disabled) {
    peri_host *host = ((const judge *)user)->host;
    host_logf(host, "warning", "policy %.*s %s: %.*s", PERI_FMT(policy),
              disabled ? "is disabled after three failures in a row"
                       : "failed and was passed over",
              PERI_FMT(error));
    host_warn(host, disabled ? "policy-disabled" : "policy-failed", policy, error,
              (peri_str){0});
}

static bool overtaken(void *user, const peri_proposal *p) {
    return host_overtaken(((const judge *)user)->work->of, p);
}

static const char *spend_veto(void *user) {
    const judge *j = user;
    return host_spend_try(j->host, j->work->of, PERI_SPEND_VETOES, 1);
}

static peri_desk_env env_of(judge *j) {
    const host_agent *of = j->work->of;
    return (peri_desk_env){
        .session = of->agent->session->id,
        .phase = j->work->trigger == PERI_TRIGGER_SESSION_END ? PERI_PHASE_ENDED : of->phase,
        .spend_veto = spend_veto,
        .wall_ms = host_wall_ms(j->host),
        .turn = j->work->turn,
        .step = j->work->step,
        .work = of->work,
        .overtaken = overtaken,
        .on_ruling = on_ruling,
        .on_policy_error = on_policy_error,
        .user = j,
    };
}

static const peri_policy_engine *engine_of(const peri_host *host) {
    return host->has_policies ? &host->engine : NULL;
}

// A veto can hold the stop only before it: from agent_settled on it is too late (contracts.md 1).
static bool too_late(const host_work *work, const peri_proposal *p) {
    return p->kind == PERI_PROPOSAL_VETO &&
           (work->late || work->trigger == PERI_TRIGGER_AGENT_SETTLED ||
            work->trigger == PERI_TRIGGER_SESSION_END);
}

void host_do_batch(peri_host *host, const host_work *work) {
    host_agent *of = work->of;
    judge j = {host, work};
    peri_desk_env env = env_of(&j);
    size_t count = 0;
    for (size_t i = 0; i < of->fresh_count; i++) {
        if (too_late(work, of->fresh[i])) {
            peri_decision late = {.verdict = PERI_VERDICT_DROP,
                                  .reason = PERI_STR("too late"),
                                  .policy = PERI_STR("core")};
            on_ruling(&j, of->fresh[i], &late, false);
            free(of->fresh[i]);
        } else {
            of->fresh[count++] = of->fresh[i];
        }
    }
    peri_desk_decide(&of->desk, engine_of(host), &host->health, &env,
                     (const peri_proposal *const *)of->fresh, count, &host->run_arena);
    for (size_t i = 0; i < count; i++) free(of->fresh[i]);
    of->fresh_count = 0;
    peri_arena_reset(&host->run_arena);
}

// Frees what nobody will look at again: earlier turns that every pairing has digested.
static void trim(const host_work *work) {
    host_agent *of = work->of;
    uint64_t before = work->upto;
    for (size_t i = 0; i < of->agent->pairing_count; i++) {
        const peri_pairing *pairing = of->agent->pairings[i];
        if (peri_pairing_active(pairing) && pairing->cursor < before) before = pairing->cursor;
    }
    peri_tap_trim(&of->tap, before, work->turn);
}

void host_do_window(peri_host *host, const host_work *work) {
    judge j = {host, work};
    peri_desk_env env = env_of(&j);
    peri_desk_open_window(&work->of->desk, engine_of(host), &host->health, &env,
                          &host->run_arena);
    peri_arena_reset(&host->run_arena);
    trim(work);
}

void host_drop_deferred(peri_host *host, const host_work *work, const char *reason) {
    judge j = {host, work};
    peri_desk_env env = env_of(&j);
    peri_desk_clear(&work->of->desk, &env, reason);
}
