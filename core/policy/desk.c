// The desk of desk.h: runs a judging over a batch and keeps the books of what it ruled.
#include "policy/desk.h"

#include <stdlib.h>

#include "base/utf8.h"

#include "policy/desk_internal.h"

enum { TAKEN_MAX = 4096 };

void peri_desk_limit(peri_desk *desk, peri_policy_limits limits) {
    desk->limits = limits;
    if (limits.advisories_per_turn > PERI_ADVISORIES_CAP) {
        desk->limits.advisories_per_turn = PERI_ADVISORIES_CAP;
    }
    if (limits.veto_budget > PERI_VETO_BUDGET_CAP)
        desk->limits.veto_budget = PERI_VETO_BUDGET_CAP;
}

void peri_desk_init(peri_desk *desk, peri_policy_limits limits, peri_veto_book *book,
                    uint64_t seed) {
    *desk = (peri_desk){.book = book};
    peri_desk_limit(desk, limits);
    peri_map_init(&desk->taken, TAKEN_MAX, seed);
}

void peri_desk_deinit(peri_desk *desk) {
    size_t at = 0;
    for (peri_map_slot *slot; (slot = peri_map_next(&desk->taken, &at));) free(slot->value);
    peri_map_deinit(&desk->taken);
    for (size_t i = 0; i < desk->deferred_count; i++) free(desk->deferred[i].proposal);
    free(desk->deferred);
    free(desk->delivered);
    *desk = (peri_desk){0};
}

static void rule(const peri_judging *j, const peri_proposal *p, peri_decision decision,
                 bool released) {
    j->env->on_ruling(j->env->user, p, &decision, released);
}

static void take_fingerprint(peri_desk *desk, peri_str fingerprint) {
    if (peri_map_get(&desk->taken, fingerprint)) return;
    char *copy = malloc(fingerprint.len ? fingerprint.len : 1);
    if (!copy) return;
    memcpy(copy, fingerprint.ptr, fingerprint.len);
    if (peri_map_set(&desk->taken, peri_str_of(copy, fingerprint.len), copy) < 0) free(copy);
}

void peri_desk_restore(peri_desk *desk, peri_str fingerprint) {
    take_fingerprint(desk, fingerprint);
}

static void forget_fingerprint(peri_desk *desk, peri_str fingerprint) {
    free(peri_map_del(&desk->taken, fingerprint));
}

static void remember_text(peri_desk *desk, peri_str text) {
    if (!desk->delivered) {
        desk->delivered = calloc(PERI_DELIVERED_KEPT, sizeof *desk->delivered);
        if (!desk->delivered) return;
    }
    peri_shingles_of(text, &desk->delivered[desk->delivered_count++ % PERI_DELIVERED_KEPT]);
}

// A veto takes no fingerprint: its own budget bounds how often it may come (spec PI-7).
static void count_delivery(peri_judging *j, const peri_proposal *p, const peri_decision *d) {
    peri_desk *desk = j->desk;
    if (p->kind != PERI_PROPOSAL_VETO) take_fingerprint(desk, p->fingerprint);
    desk->book->told += d->lane == PERI_LANE_USER;
    if (d->lane == PERI_LANE_USER || d->lane == PERI_LANE_LOG) {
        if (p->kind == PERI_PROPOSAL_VETO && peri__judging_is_held(j, p))
            desk->held_told = true;
        return;
    }
    remember_text(desk, p->text);
    desk->delivered_work = j->env->work;
    if (d->lane == PERI_LANE_HOLD) {
        desk->used.vetoes++;
        j->facts.left.vetoes--;
        peri__judging_hold(j, p);
        peri__veto_book_spend(desk->book, p->observer, p->fingerprint);
        return;
    }
    desk->used.advisories++;
    j->facts.left.advisories--;
    desk->book->advisories++;
    desk->book->blockers += p->severity == PERI_WEIGHT_BLOCKER;
}

static void remove_deferred(peri_desk *desk, size_t at) {
    free(desk->deferred[at].proposal);
    desk->deferred_count--;
    memmove(desk->deferred + at, desk->deferred + at + 1,
            (desk->deferred_count - at) * sizeof *desk->deferred);
}

static void evict_oldest(const peri_judging *j) {
    peri_desk *desk = j->desk;
    const peri_proposal *oldest = desk->deferred[0].proposal;
    forget_fingerprint(desk, oldest->fingerprint);
    rule(j, oldest,
         (peri_decision){.verdict = PERI_VERDICT_DROP,
                         .reason = PERI_STR("the deferral queue is full"),
                         .policy = PERI_STR("core")},
         true);
    remove_deferred(desk, 0);
}

// False if memory ran out: the proposal cannot wait.
static bool keep_deferred(const peri_judging *j, const peri_proposal *p, uint32_t ttl_turns) {
    peri_desk *desk = j->desk;
    if (desk->deferred_count == PERI_DEFER_MAX) evict_oldest(j);
    if (desk->deferred_count == desk->deferred_cap) {
        size_t cap = desk->deferred_cap ? desk->deferred_cap * 2 : 4;
        peri_deferred *grown = realloc(desk->deferred, cap * sizeof *grown);
        if (!grown) return false;
        desk->deferred = grown;
        desk->deferred_cap = cap;
    }
    peri_proposal *copy = peri_proposal_copy(p);
    if (!copy) return false;
    desk->deferred[desk->deferred_count++] = (peri_deferred){
        .proposal = copy, .expires_turn = ttl_turns ? j->env->turn + ttl_turns : 0};
    take_fingerprint(desk, p->fingerprint);
    return true;
}

static void judge_new(peri_judging *j, const peri_proposal *p) {
    peri_decision decision = peri__judging_verdict(j, p);
    if (decision.verdict == PERI_VERDICT_DEFER && !keep_deferred(j, p, decision.ttl_turns)) {
        decision.verdict = PERI_VERDICT_DROP;
        decision.reason = PERI_STR("out of memory");
    }
    if (decision.verdict == PERI_VERDICT_DELIVER) count_delivery(j, p, &decision);
    rule(j, p, decision, false);
}

// A kept proposal with what joins its note: one text, one ruling, one of the window's budget.
// What does not fit the longest text there may be is left out.
static peri_proposal with_joined(peri_judging *j, const peri_policy_batch *batch, size_t at) {
    peri_proposal p = *batch->all[at];
    peri_buf text;
    peri_buf_init(&text, PERI_PROPOSAL_TEXT_MAX_CP * 4);
    peri_buf_add(&text, p.text);
    size_t used_cp = peri_utf8_count(p.text).cp;
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->into[i] != at + 1) continue;
        const peri_proposal *more = batch->all[i];
        used_cp += peri_utf8_count(more->text).cp + 3;
        if (used_cp > PERI_PROPOSAL_TEXT_MAX_CP) break;
        peri_buf_addf(&text, " / %.*s", PERI_FMT(more->text));
    }
    peri_str joined = peri_arena_copy(j->arena, peri_buf_str(&text));
    if (text.status == PERI_OK && joined.ptr) p.text = joined;
    peri_buf_deinit(&text);
    return p;
}

static void judge_kept(peri_judging *j, const peri_policy_batch *batch, size_t at) {
    bool joined = false;
    for (size_t i = 0; i < batch->count; i++) joined |= batch->into[i] == at + 1;
    if (!joined) {
        judge_new(j, batch->all[at]);
        return;
    }
    peri_proposal note = with_joined(j, batch, at);
    judge_new(j, &note);
    if (!peri_map_get(&j->desk->taken, note.fingerprint)) return;
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->into[i] == at + 1) take_fingerprint(j->desk, batch->all[i]->fingerprint);
    }
}

// Deferred ones pass budget and deliver again, not reconcile; those still deferred stay where
// they are.
static void judge_deferred(peri_judging *j) {
    peri_desk *desk = j->desk;
    for (size_t i = 0; i < desk->deferred_count;) {
        const peri_deferred *waiting = &desk->deferred[i];
        const peri_proposal *p = waiting->proposal;
        peri_decision decision;
        if (waiting->expires_turn && j->env->turn > waiting->expires_turn) {
            decision = (peri_decision){.verdict = PERI_VERDICT_DROP,
                                       .reason = PERI_STR("waited too long"),
                                       .policy = PERI_STR("core")};
        } else {
            decision = peri__judging_verdict(j, p);
        }
        if (decision.verdict == PERI_VERDICT_DEFER) {
            i++;
            continue;
        }
        forget_fingerprint(desk, p->fingerprint); // taken again if it is delivered
        if (decision.verdict == PERI_VERDICT_DELIVER) count_delivery(j, p, &decision);
        rule(j, p, decision, true);
        remove_deferred(desk, i);
    }
}

void peri_desk_open_window(peri_desk *desk, const peri_policy_engine *engine,
                           peri_policy_health *health, const peri_desk_env *env,
                           peri_arena *arena) {
    desk->used = (peri_budget){0};
    if (desk->deferred_count == 0) return;
    peri_judging j = {
        .desk = desk, .engine = engine, .health = health, .env = env, .arena = arena};
    peri__judging_begin(&j);
    judge_deferred(&j);
}

static void decide(peri_judging *j, const peri_proposal *const *proposals, size_t count) {
    uint32_t order[PERI_BATCH_MAX];
    peri_decision dropped[PERI_BATCH_MAX];
    memset(dropped, 0, sizeof dropped);
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    uint32_t into[PERI_BATCH_MAX] = {0};
    peri_policy_batch batch = {
        .all = proposals, .count = count, .order = order, .kept = count, .into = into};
    peri__judging_reconcile(j, &batch, dropped);
    for (size_t i = 0; i < count; i++) {
        if (dropped[i].reason.len) rule(j, proposals[i], dropped[i], false);
    }
    for (size_t i = 0; i < batch.kept; i++) judge_kept(j, &batch, order[i]);
}

void peri_desk_decide(peri_desk *desk, const peri_policy_engine *engine,
                      peri_policy_health *health, const peri_desk_env *env,
                      const peri_proposal *const *proposals, size_t count, peri_arena *arena) {
    if (count == 0) return;
    peri_judging j = {
        .desk = desk, .engine = engine, .health = health, .env = env, .arena = arena};
    peri__judging_begin(&j);
    judge_deferred(&j);
    for (size_t from = 0; from < count; from += PERI_BATCH_MAX) {
        size_t some = count - from < PERI_BATCH_MAX ? count - from : PERI_BATCH_MAX;
        decide(&j, proposals + from, some);
    }
}

void peri_desk_clear(peri_desk *desk, const peri_desk_env *env, const char *reason) {
    peri_judging j = {.desk = desk, .env = env};
    while (desk->deferred_count) {
        rule(&j, desk->deferred[0].proposal,
             (peri_decision){.verdict = PERI_VERDICT_DROP,
                             .reason = peri_str_c(reason),
                             .policy = PERI_STR("core")},
             true);
        remove_deferred(desk, 0);
    }
}
