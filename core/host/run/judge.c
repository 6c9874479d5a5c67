// Judging: what a trigger's runs propose is put to the policies, and every ruling is told to
// the record stream, to the observer whose word it was, and where it is a delivery to the
// outbox. What the policies may ask about the agent is answered here. Observers in shadow are
// judged at a desk of their own, among themselves: what they would have said takes nothing from
// the budgets and memory of the others.
#include <stdlib.h>

#include "host/admit/admit.h"
#include "host/run/run.h"
#include "host/told/told.h"

typedef struct judge {
    peri_host *host;
    const host_work *work;
    bool shadow; // at whose desk it sits
} judge;

static const char in_shadow[] = "its observer is in shadow";

static peri_pairing *pairing_of(const host_agent *of, peri_str observer) {
    for (size_t i = 0; i < of->agent->pairing_count; i++) {
        if (peri_str_eq(of->agent->pairings[i]->observer->name, observer)) {
            return of->agent->pairings[i];
        }
    }
    return NULL;
}

static peri_str state_after(const peri_decision *d) {
    if (d->verdict == PERI_VERDICT_DROP) return PERI_STR("dropped");
    if (d->verdict == PERI_VERDICT_DEFER) return PERI_STR("deferred");
    return d->lane == PERI_LANE_LOG ? PERI_STR("logged")
                                    : peri_delivery_state_word(PERI_DELIVERY_QUEUED);
}

// The observer is told the truth about its last proposal (ctx.last); what an earlier one comes
// to is no news of it. What the delivery comes to is told by host_on_delivery().
static void remember_outcome(peri_pairing *pairing, const peri_proposal *p,
                             const peri_decision *d, bool released) {
    if (released && !peri_str_eq(pairing->last[PERI_LAST_ID], p->id)) return;
    const peri_str facts[PERI_LAST_COUNT] = {
        [PERI_LAST_ID] = p->id,
        [PERI_LAST_TEXT] = p->text,
        [PERI_LAST_FINGERPRINT] = p->fingerprint,
        [PERI_LAST_VERDICT] = peri_verdict_word(d->verdict),
        [PERI_LAST_LANE] =
            d->verdict == PERI_VERDICT_DROP ? (peri_str){0} : peri_lane_word(d->lane),
        [PERI_LAST_REASON] = d->reason,
        [PERI_LAST_STATE] = state_after(d),
    };
    for (size_t i = 0; i < PERI_LAST_COUNT; i++) peri_try_own(&pairing->last[i], facts[i]);
    pairing->last_due = true;
}

static void count_ruling(const judge *j, peri_pairing *pairing, const peri_proposal *p,
                         const peri_decision *d) {
    peri_host *host = j->host;
    if (j->shadow) { // nobody was told
        host->counts.shadowed += d->verdict == PERI_VERDICT_DELIVER;
        return;
    }
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

// What leaves is what was told of it: without secrets.
static void put_out(const judge *j, const peri_proposal *p, peri_lane lane) {
    peri_host *host = j->host;
    const peri_agent *agent = j->work->of->agent;
    peri_buf room;
    peri_buf_init(&room, HOST_CLEAN_BYTES);
    peri_proposal clean = *p;
    clean.text = host_scrubbed(host, p->text, &room);
    if (j->shadow) {
        peri_outbox_show(&host->outbox, agent->session->id, agent->key, lane, &clean,
                         &host->random, in_shadow);
    } else if (peri_outbox_add(&host->outbox, agent->session->id, agent->key, lane, &clean,
                               &host->random) < 0) {
        host->counts.lost++;
    }
    peri_buf_deinit(&room);
}

static void on_ruling(void *user, const peri_proposal *p, const peri_decision *d,
                      bool released) {
    const judge *j = user;
    peri_host *host = j->host;
    peri_pairing *pairing = pairing_of(j->work->of, p->observer);
    const peri_decision stopped = {.verdict = PERI_VERDICT_DROP,
                                   .reason = PERI_STR("the user stopped its observer"),
                                   .policy = PERI_STR("core")};
    if (pairing && d->verdict != PERI_VERDICT_DROP && host_stopped(host, pairing)) d = &stopped;
    peri_record record = host_record_of(PERI_RECORD_DECISION, j->work);
    record.id = p->id;
    record.observer = p->observer;
    record.state = peri_verdict_word(d->verdict);
    if (d->verdict != PERI_VERDICT_DROP) record.lane = peri_lane_word(d->lane);
    record.reason = d->reason;
    record.policy = d->policy;
    record.trigger = released ? PERI_STR("released") : (peri_str){0};
    record.name = j->shadow ? PERI_STR("shadow") : (peri_str){0};
    host_record(host, &record);
    count_ruling(j, pairing, p, d);
    if (pairing && d->verdict == PERI_VERDICT_DROP)
        host_standing_drop(host, pairing, d->reason);
    if (pairing) host_standing_touch(host, pairing);
    if (pairing) remember_outcome(pairing, p, d, released);
    if (d->verdict != PERI_VERDICT_DELIVER || d->lane == PERI_LANE_LOG) return;
    host_note_take(host, j->work->of, p, d->lane);
    put_out(j, p, d->lane);
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

static peri_lane lane_for(void *user, peri_lane lane) {
    return host_lane_for(((const judge *)user)->work->of, lane);
}

static const char *spend_veto(void *user) {
    const judge *j = user;
    return host_spend_try(j->host, j->work->of, PERI_SPEND_VETOES, 1);
}

// What the agent is doing (ctx.run_state). A settled one is idle
// once nothing has happened for a while.
static peri_run_phase phase_of(const judge *j) {
    const host_agent *of = j->work->of;
    if (j->work->trigger == PERI_TRIGGER_SESSION_END) return PERI_PHASE_ENDED;
    bool rests = of->phase == PERI_PHASE_SETTLED &&
                 host_wall_ms(j->host) - of->settled_wall_ms >= j->host->config.idle_ms;
    if (rests) return PERI_PHASE_IDLE;
    return of->phase == PERI_PHASE_RUNNING && of->mode == PERI_PERMISSION_PLAN ? PERI_PHASE_PLAN
                                                                               : of->phase;
}

// A session's policies keep what they note of observers in shadow apart from the rest.
static peri_str state_owner(const judge *j) {
    peri_str session = j->work->of->agent->session->id;
    if (!j->shadow) return session;
    static const char mark[] = " (in shadow)";
    char *name = peri_arena_alloc(&j->host->run_arena, session.len + sizeof mark - 1);
    if (!name) return PERI_STR("shadow");
    memcpy(name, session.ptr, session.len);
    memcpy(name + session.len, mark, sizeof mark - 1);
    return peri_str_of(name, session.len + sizeof mark - 1);
}

static int32_t zone_of(const peri_host *host) {
    return host->clock.zone_min ? host->clock.zone_min(host_wall_ms(host)) : 0;
}

static peri_desk_env env_of(judge *j) {
    const host_agent *of = j->work->of;
    return (peri_desk_env){
        .session = state_owner(j),
        .phase = phase_of(j),
        .spend_veto = j->shadow ? NULL : spend_veto,
        .wall_ms = host_wall_ms(j->host),
        .zone_min = zone_of(j->host),
        .turn = j->work->turn,
        .step = j->work->step,
        .work = of->work,
        .overtaken = overtaken,
        .lane_for = lane_for,
        .on_ruling = on_ruling,
        .on_policy_error = on_policy_error,
        .user = j,
    };
}

static const peri_policy_engine *engine_of(const peri_host *host) {
    return host->has_policies ? &host->engine : NULL;
}

// A veto can hold the stop only before it: from agent_settled on it is too late.
static bool too_late(const host_work *work, const peri_proposal *p) {
    return p->kind == PERI_PROPOSAL_VETO &&
           (work->late || work->trigger == PERI_TRIGGER_AGENT_SETTLED ||
            work->trigger == PERI_TRIGGER_SESSION_END);
}

static bool is_shadow(const host_agent *of, const peri_proposal *p) {
    const peri_pairing *pairing = pairing_of(of, p->observer);
    return pairing && pairing->observer->shadow;
}

static peri_desk *desk_of(const judge *j) {
    host_agent *of = j->work->of;
    return j->shadow ? &of->shadow_desk : &of->desk;
}

// What was proposed by those who sit at `j`'s desk, judged and freed; the rest keeps its order.
static void decide(judge *j) {
    peri_host *host = j->host;
    host_agent *of = j->work->of;
    size_t count = 0, rest = 0;
    peri_proposal **batch =
        peri_arena_alloc(&host->run_arena, of->fresh_count * sizeof(peri_proposal *));
    if (!batch) return; // judged with the next batch
    for (size_t i = 0; i < of->fresh_count; i++) {
        peri_proposal *p = of->fresh[i];
        if (is_shadow(of, p) != j->shadow) {
            of->fresh[rest++] = p;
        } else if (too_late(j->work, p)) {
            peri_decision late = {.verdict = PERI_VERDICT_DROP,
                                  .reason = PERI_STR("too late"),
                                  .policy = PERI_STR("core")};
            on_ruling(j, p, &late, false);
            free(p);
        } else {
            batch[count++] = p;
        }
    }
    of->fresh_count = rest;
    peri_desk_env env = env_of(j);
    peri_desk_decide(desk_of(j), engine_of(host), &host->health, &env,
                     (const peri_proposal *const *)batch, count, &host->run_arena);
    for (size_t i = 0; i < count; i++) free(batch[i]);
    peri_arena_reset(&host->run_arena);
}

void host_do_batch(peri_host *host, const host_work *work) {
    judge desks[] = {{host, work, false}, {host, work, true}};
    for (size_t i = 0; i < 2 && work->of->fresh_count; i++) decide(&desks[i]);
}

// Frees what nobody will look at again: earlier turns that every pairing has digested.
static void trim(const host_work *work) {
    host_agent *of = work->of;
    uint64_t before = work->upto;
    for (size_t i = 0; i < of->agent->pairing_count; i++) {
        const peri_pairing *pairing = of->agent->pairings[i];
        if (peri_pairing_active(pairing) && pairing->cursor < before) before = pairing->cursor;
    }
    if (host_notes_need(of) < before) before = host_notes_need(of);
    peri_tap_trim(&of->tap, before, work->turn);
}

void host_do_window(peri_host *host, const host_work *work) {
    judge desks[] = {{host, work, false}, {host, work, true}};
    for (size_t i = 0; i < 2; i++) {
        peri_desk_env env = env_of(&desks[i]);
        peri_desk_open_window(desk_of(&desks[i]), engine_of(host), &host->health, &env,
                              &host->run_arena);
        peri_arena_reset(&host->run_arena);
    }
    trim(work);
}

void host_drop_deferred(peri_host *host, const host_work *work, const char *reason) {
    judge desks[] = {{host, work, false}, {host, work, true}};
    for (size_t i = 0; i < 2; i++) {
        peri_desk_env env = env_of(&desks[i]);
        peri_desk_clear(desk_of(&desks[i]), &env, reason);
        peri_arena_reset(&host->run_arena);
    }
}
