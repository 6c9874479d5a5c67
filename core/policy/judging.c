// Asking the chain of policies, and holding their answers to the ceilings. What a script
// returned is foreign: whatever it says, counts end where C says they end.
#include "policy/desk_internal.h"

static uint32_t fact_age(void *user, const peri_proposal *p) {
    const peri_judging *j = user;
    return j->env->step > p->step ? j->env->step - p->step : 0;
}

static double fact_similar(void *user, const peri_proposal *p) {
    const peri_desk *desk = ((const peri_judging *)user)->desk;
    if (desk->delivered_count == 0) return 0;
    peri_shingles mine;
    peri_shingles_of(p->text, &mine);
    size_t kept = desk->delivered_count < PERI_DELIVERED_KEPT ? desk->delivered_count
                                                              : PERI_DELIVERED_KEPT;
    double best = 0;
    for (size_t i = 0; i < kept; i++) {
        double alike = peri_shingles_alike(&mine, &desk->delivered[i]);
        if (alike > best) best = alike;
    }
    return best;
}

static bool fact_new_input(void *user, const peri_proposal *p) {
    (void)p;
    const peri_judging *j = user;
    return j->desk->delivered_count == 0 || j->env->work > j->desk->delivered_work;
}

static bool fact_overtaken(void *user, const peri_proposal *p) {
    const peri_judging *j = user;
    return j->env->overtaken && j->env->overtaken(j->env->user, p);
}

static bool fact_taken(void *user, peri_str fingerprint) {
    return peri_map_get(&((const peri_judging *)user)->desk->taken, fingerprint) != NULL;
}

static peri_veto_counts fact_vetoes(void *user, peri_str observer, peri_str fingerprint) {
    return peri_veto_book_get(((const peri_judging *)user)->desk->book, observer, fingerprint);
}

static uint32_t less(uint32_t of, uint32_t used) {
    return of > used ? of - used : 0;
}

// A policy that fails is passed over in this judging; three times in a row and it is out.
static void note(peri_judging *j, size_t policy, int status, peri_str error) {
    if (status >= 0) {
        j->health->of[policy].failures = 0;
        return;
    }
    bool out = ++j->health->of[policy].failures >= PERI_POLICY_STRIKES;
    j->health->of[policy].disabled = out;
    j->env->on_policy_error(j->env->user, j->engine->name(j->engine->user, policy), error, out);
}

static bool usable(const peri_judging *j, size_t policy) {
    return !j->health->of[policy].disabled;
}

static void ask_budget(peri_judging *j, peri_budget *budget) {
    for (size_t i = 0; i < j->policy_count; i++) {
        if (!usable(j, i)) continue;
        peri_budget asked = *budget;
        peri_str error = {0};
        int status = j->engine->budget(j->engine->user, i, j->env->session, &j->facts, &asked,
                                       j->arena, &error);
        if (status != 0) note(j, i, status, error);
        if (status > 0) *budget = asked;
    }
}

void peri__judging_begin(peri_judging *j) {
    const peri_desk *desk = j->desk;
    peri_budget whole = {.advisories = desk->limits.advisories_per_turn, .vetoes = 1};
    j->facts = (peri_policy_facts){
        .user = j,
        .left = {less(whole.advisories, desk->used.advisories), less(1, desk->used.vetoes)},
        .limits = desk->limits,
        .phase = j->env->phase,
        .wall_ms = j->env->wall_ms,
        .zone_min = j->env->zone_min,
        .turn = j->env->turn,
        .step = j->env->step,
        .age = fact_age,
        .similar = fact_similar,
        .new_input = fact_new_input,
        .overtaken = fact_overtaken,
        .taken = fact_taken,
        .vetoes = fact_vetoes,
    };
    j->policy_count = j->engine ? j->engine->count(j->engine->user) : 0;
    if (j->policy_count > PERI_POLICY_MAX) j->policy_count = PERI_POLICY_MAX;
    peri_budget asked = whole;
    ask_budget(j, &asked);
    if (asked.advisories < whole.advisories) whole.advisories = asked.advisories;
    if (asked.vetoes < whole.vetoes) whole.vetoes = asked.vetoes;
    j->facts.left.advisories = less(whole.advisories, desk->used.advisories);
    j->facts.left.vetoes = less(whole.vetoes, desk->used.vetoes);
}

static peri_str joined(peri_judging *j, const char *before, peri_str name, const char *after) {
    peri_buf text;
    peri_buf_init(&text, 512);
    peri_buf_addf(&text, "%s%.*s%s", before, PERI_FMT(name), after);
    peri_str copy = peri_arena_copy(j->arena, peri_buf_str(&text));
    peri_buf_deinit(&text);
    return copy.ptr ? copy : PERI_STR("out of memory");
}

// The answer to a reconcile, held to what was asked: a policy may reorder and leave out, not
// invent, repeat or bring back.
static void check_order(peri_policy_batch *asked, const bool *was_kept) {
    bool seen[PERI_BATCH_MAX] = {false};
    size_t kept = 0, given = asked->kept < asked->count ? asked->kept : asked->count;
    for (size_t i = 0; i < given; i++) {
        uint32_t at = asked->order[i];
        if (at >= asked->count || !was_kept[at] || seen[at]) continue;
        seen[at] = true;
        asked->order[kept++] = at;
    }
    asked->kept = kept;
}

// After a policy's reconcile: what it lost is dropped in its name,
// and its own drops are kept as said.
static void settle_batch(peri_judging *j, size_t policy, peri_policy_batch *batch,
                         const bool *was_kept, peri_decision *dropped) {
    peri_str name = j->engine->name(j->engine->user, policy);
    bool kept[PERI_BATCH_MAX] = {false};
    for (size_t i = 0; i < batch->kept; i++) kept[batch->order[i]] = true;
    for (uint32_t i = 0; i < batch->count; i++) {
        if (kept[i] || !was_kept[i]) continue;
        bool said = batch->drop_reason[i].len > 0;
        if (said && batch->into[i] &&
            (batch->into[i] > batch->count || !kept[batch->into[i] - 1]))
            batch->into[i] = 0; // what is not kept has no note to join
        dropped[i] = (peri_decision){
            .verdict = PERI_VERDICT_DROP,
            .reason = said ? batch->drop_reason[i]
                           : joined(j, "policy ", name, ": neither kept nor dropped it"),
            .policy = said ? name : PERI_STR("core"),
        };
    }
}

void peri__judging_reconcile(peri_judging *j, peri_policy_batch *batch,
                             peri_decision *dropped) {
    for (size_t policy = 0; policy < j->policy_count; policy++) {
        if (!usable(j, policy)) continue;
        uint32_t order[PERI_BATCH_MAX];
        peri_str reasons[PERI_BATCH_MAX] = {{0}};
        uint32_t into[PERI_BATCH_MAX] = {0};
        bool was_kept[PERI_BATCH_MAX] = {false};
        memcpy(order, batch->order, batch->kept * sizeof order[0]);
        for (size_t i = 0; i < batch->kept; i++) was_kept[order[i]] = true;
        peri_policy_batch asked = *batch;
        asked.order = order;
        asked.drop_reason = reasons;
        asked.into = into;
        peri_str error = {0};
        int status = j->engine->reconcile(j->engine->user, policy, j->env->session, &j->facts,
                                          &asked, j->arena, &error);
        if (status != 0) note(j, policy, status, error);
        if (status <= 0) continue;
        check_order(&asked, was_kept);
        settle_batch(j, policy, &asked, was_kept, dropped);
        for (size_t i = 0; i < batch->count; i++) {
            if (was_kept[i]) batch->into[i] = into[i];
        }
        batch->kept = asked.kept;
        memcpy(batch->order, order, asked.kept * sizeof order[0]);
    }
}

static peri_decision drop(const char *reason) {
    return (peri_decision){
        .verdict = PERI_VERDICT_DROP, .reason = peri_str_c(reason), .policy = PERI_STR("core")};
}

// What stands in for a lane that does not lead to the agent.
static peri_lane lane_for(const peri_judging *j, peri_lane lane) {
    return j->env->lane_for ? j->env->lane_for(j->env->user, lane) : lane;
}

static void tell_missing(const peri_judging *j, peri_decision *d, peri_lane missing) {
    peri_buf text;
    peri_buf_init(&text, 512);
    peri_buf_addf(&text, "%.*s; no way leads to it by lane %.*s", PERI_FMT(d->reason),
                  PERI_FMT(peri_lane_word(missing)));
    peri_str reason = peri_arena_copy(j->arena, peri_buf_str(&text));
    peri_buf_deinit(&text);
    if (reason.ptr) d->reason = reason;
}

// The chain has spoken: a lane that leads nowhere is none, and what stood in for the
// definition's from the start is told as well.
static void lead(const peri_judging *j, const peri_proposal *p, peri_decision *d) {
    if (d->verdict == PERI_VERDICT_DROP) return;
    peri_lane asked = d->lane, to = lane_for(j, asked);
    if (to != asked) {
        d->lane = to;
        d->policy = PERI_STR("core");
    } else if (p->lane != to && lane_for(j, p->lane) == to) {
        asked = p->lane;
    } else {
        return;
    }
    tell_missing(j, d, asked);
}

// Where the chain starts from: the configured budget, the definition's lane.
static peri_decision starting_point(const peri_judging *j, const peri_proposal *p) {
    peri_decision decision = {.lane = lane_for(j, p->lane), .policy = PERI_STR("core")};
    bool veto = p->kind == PERI_PROPOSAL_VETO;
    if (veto ? j->facts.left.vetoes > 0 : j->facts.left.advisories > 0) {
        decision.verdict = PERI_VERDICT_DELIVER;
        decision.reason = PERI_STR("within the window's budget");
    } else if (veto) {
        decision.verdict = PERI_VERDICT_DROP;
        decision.reason = PERI_STR("this window has had its veto");
    } else {
        decision.verdict = PERI_VERDICT_DEFER;
        decision.reason = PERI_STR("the window's budget is spent");
    }
    return decision;
}

static bool veto_spent(const peri_judging *j, const peri_proposal *p) {
    peri_veto_counts spent = peri_veto_book_get(j->desk->book, p->observer, p->fingerprint);
    uint32_t budget = j->desk->limits.veto_budget;
    return spent.key >= budget || spent.observer >= 2 * budget || spent.session >= 4 * budget;
}

static bool counts(peri_lane lane) {
    return lane != PERI_LANE_USER && lane != PERI_LANE_LOG;
}

static bool is_sound(const peri_decision *d) {
    return d->verdict < PERI_VERDICT_COUNT && d->lane < PERI_LANE_COUNT && d->reason.len > 0;
}

static uint64_t hash_of(const peri_proposal *p) {
    const peri_str parts[] = {p->observer, p->fingerprint, p->text};
    uint64_t hash = PERI_HASH_SEED;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        hash = peri_str_hash(parts[i], peri_str_hash(PERI_STR("\x1f"), hash));
    }
    return hash;
}

void peri__judging_hold(peri_judging *j, const peri_proposal *p) {
    j->desk->held = true;
    j->desk->held_told = false;
    j->desk->held_hash = hash_of(p);
    j->desk->held_work = j->env->work;
}

bool peri__judging_is_held(const peri_judging *j, const peri_proposal *p) {
    const peri_desk *desk = j->desk;
    return desk->held && desk->held_work == j->env->work && desk->held_hash == hash_of(p);
}

// For the user or the log: they are no window's, but a session's patience ends as well.
static peri_decision clamp_told(const peri_judging *j, peri_decision d) {
    bool full = d.lane == PERI_LANE_USER && j->desk->book->told >= PERI_SESSION_ADVISORIES;
    return full ? drop("the session's ceiling of notes to the user is reached") : d;
}

// The agent was held by this very veto and did nothing about it: a person has to look.
static peri_decision give_up(const peri_judging *j) {
    if (j->desk->held_told) return drop("vetoed again with no work between; the user was told");
    return clamp_told(j,
                      (peri_decision){.verdict = PERI_VERDICT_DELIVER,
                                      .lane = PERI_LANE_USER,
                                      .reason = PERI_STR("vetoed again with no work between"),
                                      .policy = PERI_STR("core")});
}

static peri_decision clamp_veto(const peri_judging *j, const peri_proposal *p,
                                peri_decision d) {
    if (d.verdict == PERI_VERDICT_DEFER) return drop("a veto cannot wait");
    if (peri__judging_is_held(j, p)) return give_up(j);
    if (j->facts.left.vetoes == 0) return drop("this window has had its veto");
    if (veto_spent(j, p)) return drop("the veto budget is spent");
    const char *reached = j->env->spend_veto ? j->env->spend_veto(j->env->user) : NULL;
    return reached ? drop(reached) : d;
}

// The ceilings. Only ever tightens. After a stop or the end only the user is still told.
static peri_decision clamp(const peri_judging *j, const peri_proposal *p, peri_decision d) {
    if (d.verdict == PERI_VERDICT_DROP) return d;
    const char *over = j->env->phase == PERI_PHASE_STOPPED ? "the session was stopped"
                       : j->env->phase == PERI_PHASE_ENDED ? "the session has ended"
                                                           : NULL;
    if (over && d.verdict == PERI_VERDICT_DEFER) return drop(over);
    if (!counts(d.lane)) return clamp_told(j, d); // holds nothing, takes none of the window
    if (over) return drop(over);
    bool veto = p->kind == PERI_PROPOSAL_VETO;
    if (veto && d.lane == PERI_LANE_HOLD) return clamp_veto(j, p, d);
    if (d.lane == PERI_LANE_HOLD) return drop("only a veto may hold the agent");
    if (d.verdict == PERI_VERDICT_DEFER) return d;
    if (j->desk->book->advisories >= PERI_SESSION_ADVISORIES) {
        return drop("the session's ceiling of advice is reached");
    }
    if (p->severity == PERI_WEIGHT_BLOCKER &&
        j->desk->book->blockers >= PERI_SESSION_BLOCKERS) {
        return drop("the session's ceiling of blockers is reached");
    }
    if (j->facts.left.advisories == 0) {
        d.verdict = PERI_VERDICT_DEFER;
        d.reason = PERI_STR("the window's budget is spent");
        d.policy = PERI_STR("core");
    }
    return d;
}

peri_decision peri__judging_verdict(peri_judging *j, const peri_proposal *p) {
    peri_decision decision = starting_point(j, p);
    for (size_t i = 0; i < j->policy_count; i++) {
        if (!usable(j, i)) continue;
        peri_decision asked = decision;
        peri_str error = {0}, name = j->engine->name(j->engine->user, i);
        int status = j->engine->deliver(j->engine->user, i, j->env->session, &j->facts, p,
                                        &asked, j->arena, &error);
        if (status != 0) note(j, i, status, error);
        if (status <= 0) continue;
        if (!is_sound(&asked)) {
            asked = drop("");
            asked.reason = joined(j, "policy ", name, ": its verdict makes no sense");
        }
        bool changed = asked.verdict != decision.verdict || asked.lane != decision.lane ||
                       !peri_str_eq(asked.reason, decision.reason);
        decision = asked;
        if (changed) decision.policy = name;
    }
    lead(j, p, &decision);
    return clamp(j, p, decision);
}
