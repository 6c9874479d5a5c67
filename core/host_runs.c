// One piece of work at a time: an observer's run on its digest, the judging of a batch, a window that
// opens. What is refused on the way is ruled on like everything else: with a reason.
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#include "host_internal.h"

enum { EXCERPT_BYTES = 4096, HASH_BYTES = 16 };

static peri_record record_of(peri_record_kind kind, const host_work *work) {
    return (peri_record){
        .kind = kind,
        .session = work->of->agent->session->id,
        .agent = work->of->agent->key,
        .step = work->step,
        .turn = work->turn,
    };
}

// ---- digest ---------------------------------------------------------------------------------------

static peri_str agent_name(const peri_agent *agent) {
    return agent->name.len ? agent->name : agent->key;
}

static peri_turn turn_of(const host_work *work) {
    const host_agent *of = work->of;
    peri_turn turn = {
        .session = of->agent->session->id,
        .agent = of->agent->key,
        .agent_name = agent_name(of->agent),
        .cwd = of->agent->cwd,
        .trigger = work->trigger,
        .step = work->step,
        .turn = work->turn,
        .last_user = of->last_user,
        .usage = of->usage,
        .ending = work->ending,
    };
    turn.items = peri_tap_range(&of->tap, work->pairing->cursor, work->upto, &turn.item_count,
                                &turn.dropped_count);
    turn.log = peri_tap_range(&of->tap, work->turn_first, work->upto, &turn.log_count,
                              &turn.log_dropped_count);
    while (turn.log_count && turn.log[0]->turn < work->turn) { // of the turn before
        turn.log++;
        turn.log_count--;
    }
    return turn;
}

static void hex(char *to, const unsigned char *from, size_t count) {
    for (size_t i = 0; i < count; i++) snprintf(to + 2 * i, 3, "%02x", from[i]);
}

static void record_digest(peri_host *host, const host_work *work, peri_str id) {
    peri_str text = peri_buf_str(&host->digest);
    unsigned char hash[crypto_hash_sha256_BYTES];
    char name[2 * HASH_BYTES + 1];
    crypto_hash_sha256(hash, (const unsigned char *)(text.ptr ? text.ptr : ""), text.len);
    hex(name, hash, HASH_BYTES);
    peri_record record = record_of(PERI_RECORD_DIGEST, work);
    record.id = id;
    record.observer = work->pairing->observer->name;
    record.trigger = peri_trigger_word(work->trigger);
    record.state = peri_layout_word(work->pairing->observer->layout);
    record.text = peri_str_sub(text, 0, peri_utf8_cut_bytes(text, EXCERPT_BYTES));
    record.hash = peri_str_of(name, 2 * HASH_BYTES);
    record.count = text.len;
    host_record(host, &record);
}

// Frames what the pairing has not seen yet into host->digest.
static int make_digest(peri_host *host, const host_work *work, const peri_turn *turn) {
    const peri_observer *observer = work->pairing->observer;
    char nonce[PERI_NONCE_LEN];
    peri_random_token(&host->random, nonce, sizeof nonce);
    peri_digest_options options = {
        .layout = observer->layout,
        .name = turn->agent_name,
        .nonce = peri_str_of(nonce, sizeof nonce),
        .message = observer->message,
        .scrub = host->config.scrub ? host->scrub : NULL,
    };
    peri_buf_clear(&host->digest);
    return peri_digest_write(&options, turn, observer, &host->digest, NULL);
}

// ---- run ------------------------------------------------------------------------------------------

// A short hash of (session, agent, observer, step, ordinal): the same in every replay.
static void make_id(char out[11], const host_work *work, const char *kind, uint64_t ordinal) {
    uint64_t numbers[2] = {work->step, ordinal};
    const peri_agent *agent = work->of->agent;
    uint64_t hash = peri_str_hash(peri_str_c(kind), PERI_HASH_SEED);
    const peri_str parts[] = {agent->session->id, agent->key, work->pairing->observer->name,
                              peri_str_of((const char *)numbers, sizeof numbers)};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        hash = peri_str_hash(parts[i], peri_str_hash(PERI_STR("\x1f"), hash));
    }
    hash ^= hash >> 29;
    snprintf(out, 11, "%010llx", (unsigned long long)(hash & UINT64_C(0xffffffffff)));
}

static void strike(peri_host *host, const host_work *work, peri_str error) {
    peri_pairing *pairing = work->pairing;
    host->counts.failed_runs++;
    pairing->counts.failed++;
    peri_try_own(&pairing->last_error, error);
    if (++pairing->failures < PERI_RUN_MAX_FAILURES || pairing->disabled) return;
    pairing->disabled = true;
    peri_record record = record_of(PERI_RECORD_PAIRING, work);
    record.observer = pairing->observer->name;
    record.id = peri_str_c(pairing->task_id);
    record.state = PERI_STR("disabled");
    record.reason = pairing->last_error;
    host_record(host, &record);
    host_logf(host, "warning", "observer %.*s is disabled after %u failures in a row: %.*s",
              PERI_FMT(pairing->observer->name), pairing->failures,
              PERI_FMT(pairing->last_error));
}

static void record_run(peri_host *host, const host_work *work, peri_str id,
                       const peri_run_result *result) {
    peri_record record = record_of(PERI_RECORD_RUN, work);
    record.id = id;
    record.observer = work->pairing->observer->name;
    record.trigger = peri_trigger_word(work->trigger);
    record.state = peri_run_state_word(result->state);
    record.text = result->error;
    record.count = work->pairing->failures;
    host_record(host, &record);
}

static void keep_fresh(peri_host *host, host_agent *of, peri_proposal *proposal) {
    peri_proposal **fresh = realloc(of->fresh, (of->fresh_count + 1) * sizeof *fresh);
    if (!fresh) {
        free(proposal);
        host->counts.lost++;
        return;
    }
    of->fresh = fresh;
    of->fresh[of->fresh_count++] = proposal;
}

static void record_proposal(peri_host *host, const host_work *work, const peri_proposal *p) {
    peri_record record = record_of(PERI_RECORD_PROPOSAL, work);
    record.id = p->id;
    record.observer = p->observer;
    record.state = peri_proposal_kind_word(p->kind);
    record.severity = peri_weight_word(p->severity);
    record.lane = peri_lane_word(p->lane);
    record.text = p->text;
    record.fingerprint = p->fingerprint;
    host_record(host, &record);
    host->counts.proposals++;
}

static void propose(peri_host *host, const host_work *work, const peri_draft *draft,
                    peri_run_result *result) {
    peri_pairing *pairing = work->pairing;
    char id[11];
    make_id(id, work, "proposal", pairing->counts.proposed);
    peri_proposal *proposal;
    const char *reason = "";
    int status = peri_draft_check(pairing->observer, draft, peri_str_c(id), &proposal, &reason);
    if (status < 0) {
        pairing->counts.refused++;
        result->state = PERI_RUN_FAILED;
        result->error = peri_str_c(status == PERI_ENOMEM ? "out of memory" : reason);
        return;
    }
    proposal->step = work->step;
    proposal->turn = work->turn;
    proposal->at_wall_ms = host_wall_ms(host);
    pairing->counts.proposed++;
    keep_fresh(host, work->of, proposal);
}

static void settle_run(peri_host *host, const host_work *work, peri_str id,
                       peri_run_result *result) {
    peri_pairing *pairing = work->pairing;
    host_agent *of = work->of;
    size_t before = of->fresh_count;
    if (result->state == PERI_RUN_PROPOSED) propose(host, work, &result->draft, result);
    if (result->saved_state.ptr) peri_try_own(&pairing->saved_state, result->saved_state);
    pairing->counts.runs++;
    pairing->counts.silent += result->state == PERI_RUN_SILENT;
    pairing->counts.skipped += result->state == PERI_RUN_SKIPPED;
    bool failed = result->state == PERI_RUN_FAILED || result->state == PERI_RUN_TIMEOUT;
    if (failed) {
        strike(host, work, result->error);
    } else if (result->state != PERI_RUN_SKIPPED) {
        pairing->failures = 0;
    }
    record_run(host, work, id, result);
    if (of->fresh_count > before) record_proposal(host, work, of->fresh[before]);
    if (result->state != PERI_RUN_SKIPPED) pairing->cursor = work->upto;
}

static void do_run(peri_host *host, const host_work *work) {
    peri_pairing *pairing = work->pairing;
    if (!peri_pairing_active(pairing)) return;
    peri_turn turn = turn_of(work);
    if (host->config.goal.text.ptr || host->config.goal.item_count)
        turn.goal = &host->config.goal;
    char id[11];
    make_id(id, work, "digest", pairing->counts.digests);
    pairing->counts.digests++;
    int status = make_digest(host, work, &turn);
    if (status < 0) { // this batch is lost, the pairing stays armed (spec CC-10)
        pairing->cursor = work->upto;
        host->counts.lost++;
        host_logf(host, "error", "a digest for %.*s was dropped: %s",
                  PERI_FMT(pairing->observer->name), peri_status_message(status));
        return;
    }
    host->counts.digests++;
    host->counts.runs++;
    record_digest(host, work, peri_str_c(id));
    peri_run_request request = {
        .observer = pairing->observer,
        .turn = &turn,
        .digest = peri_buf_str(&host->digest),
        .saved_state = pairing->saved_state,
        .last = {pairing->last[0], pairing->last[1], pairing->last[2], pairing->last[3],
                 pairing->last[4], pairing->last[5]},
    };
    peri_run_result result = {0};
    host->runtime.run(host->runtime.user, &request, &host->run_arena, &result);
    settle_run(host, work, peri_str_c(id), &result);
    peri_arena_reset(&host->run_arena);
}

// ---- judging --------------------------------------------------------------------------------------

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
    peri_record record = record_of(PERI_RECORD_DECISION, j->work);
    record.id = p->id;
    record.observer = p->observer;
    record.state = peri_verdict_word(d->verdict);
    if (d->verdict != PERI_VERDICT_DROP) record.lane = peri_lane_word(d->lane);
    record.reason = d->reason;
    record.policy = d->policy;
    record.trigger = released ? PERI_STR("released") : (peri_str){0};
    host_record(host, &record);
    count_ruling(host, pairing, p, d);
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

// The result of `call` as kept in the tap, or NULL.
static const peri_item *result_of(const peri_tap *tap, const peri_item *call) {
    return peri_tap_find_call(tap, PERI_ITEM_TOOL_RESULT, call->call_id);
}

static const peri_item *cited_call(const peri_tap *tap, uint64_t seq) {
    for (size_t i = 0; i < tap->count; i++) {
        const peri_item *item = tap->items[i];
        if (item->seq != seq) continue;
        return item->kind == PERI_ITEM_TOOL_CALL
                   ? item
                   : peri_tap_find_call(tap, PERI_ITEM_TOOL_CALL, item->call_id);
    }
    return NULL;
}

// True if the same call was made again since `p` was said, with another result.
static bool call_changed(const peri_tap *tap, const peri_item *cited, uint32_t since_step) {
    const peri_item *before = result_of(tap, cited);
    for (size_t i = 0; before && i < tap->count; i++) {
        const peri_item *item = tap->items[i];
        if (item->kind != PERI_ITEM_TOOL_CALL || item->step <= since_step) continue;
        if (item->hash != cited->hash || !peri_str_eq(item->name, cited->name)) continue;
        const peri_item *after = result_of(tap, item);
        if (after && (after->hash != before->hash || after->is_error != before->is_error)) {
            return true;
        }
    }
    return false;
}

static bool overtaken(void *user, const peri_proposal *p) {
    const peri_tap *tap = &((const judge *)user)->work->of->tap;
    for (uint32_t i = 0; i < p->evidence_count; i++) {
        const peri_item *cited = cited_call(tap, p->evidence[i]);
        if (cited && call_changed(tap, cited, p->step)) return true;
    }
    return false;
}

static peri_desk_env env_of(judge *j) {
    const host_agent *of = j->work->of;
    return (peri_desk_env){
        .session = of->agent->session->id,
        .phase = of->phase,
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
    return p->kind == PERI_PROPOSAL_VETO && (work->trigger == PERI_TRIGGER_AGENT_SETTLED ||
                                             work->trigger == PERI_TRIGGER_SESSION_END);
}

static void do_batch(peri_host *host, const host_work *work) {
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

static void do_window(peri_host *host, const host_work *work) {
    judge j = {host, work};
    peri_desk_env env = env_of(&j);
    peri_desk_open_window(&work->of->desk, engine_of(host), &host->health, &env,
                          &host->run_arena);
    peri_arena_reset(&host->run_arena);
    trim(work);
}

static void do_end(peri_host *host, const host_work *work) {
    host_agent *of = work->of;
    judge j = {host, work};
    peri_desk_env env = env_of(&j);
    peri_desk_clear(&of->desk, &env, "the session ended first");
    of->agent->ended = true;
    for (size_t i = 0; i < of->agent->pairing_count; i++) {
        peri_pairing *pairing = of->agent->pairings[i];
        if (peri_pairing_move(pairing, PERI_CAUSE_AGENT_END) <= 0) continue;
        peri_record record = record_of(PERI_RECORD_PAIRING, work);
        record.observer = pairing->observer->name;
        record.id = peri_str_c(pairing->task_id);
        record.state = peri_pairing_state_word(pairing->state);
        record.reason = peri_cause_word(PERI_CAUSE_AGENT_END);
        host_record(host, &record);
    }
    peri_tap_deinit(&of->tap); // nothing reads it any more
}

void host_do_work(peri_host *host) {
    host_work work = host->work[host->work_first];
    host->work_first = (host->work_first + 1) % host->work_cap;
    host->work_count--;
    switch (work.kind) {
    case WORK_RUN:
        do_run(host, &work);
        return;
    case WORK_BATCH:
        do_batch(host, &work);
        return;
    case WORK_WINDOW:
        do_window(host, &work);
        return;
    case WORK_END:
        do_end(host, &work);
        return;
    }
}

void host_on_delivery(void *user, const peri_delivery *delivery, peri_delivery_state state,
                      peri_str reason) {
    peri_host *host = user;
    peri_record record = {
        .kind = PERI_RECORD_DELIVERY,
        .session = delivery->session,
        .agent = delivery->agent,
        .id = delivery->id,
        .observer = delivery->observer,
        .lane = delivery->lane,
        .text = delivery->text,
        .nonce = delivery->nonce,
        .state = peri_delivery_state_word(state),
        .reason = reason,
    };
    host_record(host, &record);
}
