// The desk of desk.h: runs a judging over a batch and keeps the books of what it ruled.
#include "policy/desk.h"

#include <stdlib.h>

#include "policy/desk_internal.h"

enum { TAKEN_MAX = 4096 };

void peri_desk_init(peri_desk *desk, peri_policy_limits limits, peri_veto_book *book,
                    uint64_t seed) {
    *desk = (peri_desk){.book = book, .limits = limits};
    if (limits.advisories_per_turn > PERI_ADVISORIES_CAP) {
        desk->limits.advisories_per_turn = PERI_ADVISORIES_CAP;
    }
    if (limits.veto_budget > PERI_VETO_BUDGET_CAP)
        desk->limits.veto_budget = PERI_VETO_BUDGET_CAP;
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

static void count_delivery(peri_judging *j, const peri_proposal *p, const peri_decision *d) {
    peri_desk *desk = j->desk;
    take_fingerprint(desk, p->fingerprint);
    if (d->lane == PERI_LANE_USER || d->lane == PERI_LANE_LOG) return;
    remember_text(desk, p->text);
    desk->delivered_work = j->env->work;
    if (p->kind == PERI_PROPOSAL_VETO) {
        desk->used.vetoes++;
        j->facts.left.vetoes--;
        peri__veto_book_spend(desk->book, p->observer, p->fingerprint);
        return;
    }
    desk->used.advisories++;
    j->facts.left.advisories--;
    desk->book->advisories++;
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
        if (decision.verdict == PERI_VERDICT_DELIVER) count_delivery(j, p, &decision);
        rule(j, p, decision, true);
        remove_deferred(desk, i);
    }
}

void peri_desk_open_window(peri_desk *desk, const peri_policy_engine *engine,
                           peri_policy_health *health, const peri_desk_env *env,
                           peri_arena *arena) {
    desk->used = (peri_budget){0};
    desk->window++;
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
    peri_policy_batch batch = {.all = proposals, .count = count, .order = order, .kept = count};
    peri__judging_reconcile(j, &batch, dropped);
    for (size_t i = 0; i < count; i++) {
        if (dropped[i].reason.len) rule(j, proposals[i], dropped[i], false);
    }
    for (size_t i = 0; i < batch.kept; i++) judge_new(j, proposals[order[i]]);
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
