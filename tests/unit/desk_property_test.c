// Ten thousand random batches through a chain that answers anything at all: no ceiling is
// passed, and every proposal has one last word (spec PE-3). Sessions are stopped, restored and
// limited anew on the way.
#include "base/clock.h"
#include "policy/desk.h"
#include "test.h"

enum { SESSIONS = 400, BATCHES = 25, MOST = 20, OBSERVERS = 3 };

typedef struct trial {
    peri_random random;
    peri_desk desk;
    peri_veto_book book;
    peri_arena arena;
    peri_policy_health health;
    peri_desk_env env;
    peri_policy_limits limits;
    uint32_t told_agent, held; // in this window
    uint32_t session_told, session_held, session_user;
    uint32_t held_by[OBSERVERS];
    size_t given, last_words;
    bool stopped;
} trial;

static uint64_t draw(trial *t, uint64_t below) {
    return peri_random_next(&t->random) % below;
}

static void on_ruling(void *user, const peri_proposal *p, const peri_decision *d,
                      bool released) {
    trial *t = user;
    (void)released;
    CHECK(d->reason.len > 0 && d->policy.len > 0);
    CHECK(d->verdict < PERI_VERDICT_COUNT && d->lane < PERI_LANE_COUNT);
    t->last_words += d->verdict != PERI_VERDICT_DEFER;
    if (d->verdict != PERI_VERDICT_DELIVER) return;
    bool to_agent = d->lane != PERI_LANE_USER && d->lane != PERI_LANE_LOG;
    CHECK(!(to_agent && t->stopped));
    CHECK(d->lane != PERI_LANE_HOLD || p->kind == PERI_PROPOSAL_VETO);
    t->session_user += d->lane == PERI_LANE_USER;
    if (d->lane == PERI_LANE_HOLD) {
        t->held++;
        t->session_held++;
        t->held_by[p->observer.ptr[0] - 'a']++;
    } else if (to_agent) {
        t->told_agent++;
        t->session_told++;
    }
}

static void on_policy_error(void *user, peri_str policy, peri_str error, bool disabled) {
    (void)user, (void)policy, (void)error, (void)disabled;
}

// ---- a chain that means no good

static size_t count_of(void *user) {
    (void)user;
    return 3;
}

static peri_str name_of(void *user, size_t policy) {
    (void)user, (void)policy;
    return PERI_STR("hostile");
}

static int reconcile(void *user, size_t policy, peri_str session,
                     const peri_policy_facts *facts, peri_policy_batch *batch,
                     peri_arena *arena, peri_str *error) {
    trial *t = user;
    (void)policy, (void)session, (void)facts, (void)arena;
    *error = PERI_STR("broken");
    if (draw(t, 8) == 0) return PERI_ESCRIPT;
    if (draw(t, 3)) return 0;
    for (size_t i = 0; i < batch->count; i++) {
        batch->order[i] = (uint32_t)draw(t, batch->count + 2);
        if (draw(t, 2)) batch->drop_reason[i] = PERI_STR("because");
        batch->into[i] = (uint32_t)draw(t, batch->count + 3);
    }
    batch->kept = draw(t, batch->count + 3);
    return 1;
}

static int budget(void *user, size_t policy, peri_str session, const peri_policy_facts *facts,
                  peri_budget *out, peri_arena *arena, peri_str *error) {
    trial *t = user;
    (void)policy, (void)session, (void)facts, (void)arena, (void)error;
    *out = (peri_budget){(uint32_t)peri_random_next(&t->random),
                         (uint32_t)peri_random_next(&t->random)};
    return 1;
}

static int deliver(void *user, size_t policy, peri_str session, const peri_policy_facts *facts,
                   const peri_proposal *p, peri_decision *d, peri_arena *arena,
                   peri_str *error) {
    trial *t = user;
    (void)policy, (void)session, (void)facts, (void)p, (void)arena;
    *error = PERI_STR("broken");
    if (draw(t, 60) == 0) return PERI_ETIMEOUT;
    d->verdict = (peri_verdict)draw(t, 4) == 3 ? PERI_VERDICT_COUNT : PERI_VERDICT_DELIVER;
    if (draw(t, 4) == 0) d->verdict = PERI_VERDICT_DEFER;
    d->lane = (peri_lane)draw(t, PERI_LANE_COUNT + 1);
    d->ttl_turns = (uint32_t)draw(t, 3);
    d->reason = draw(t, 20) ? PERI_STR("as I like") : (peri_str){0};
    return 1;
}

static const peri_policy_engine *engine_of(trial *t, peri_policy_engine *out) {
    *out = (peri_policy_engine){.user = t,
                                .count = count_of,
                                .name = name_of,
                                .reconcile = reconcile,
                                .budget = budget,
                                .deliver = deliver};
    return out;
}

// ---- one session

static void begin(trial *t) {
    t->limits = (peri_policy_limits){(uint32_t)draw(t, 14), (uint32_t)draw(t, 14)};
    peri_veto_book_init(&t->book, 1);
    peri_desk_init(&t->desk, t->limits, &t->book, 1);
    peri_arena_init(&t->arena, 1 << 20);
    t->env = (peri_desk_env){.session = PERI_STR("s"),
                             .phase = PERI_PHASE_RUNNING,
                             .turn = 1,
                             .on_ruling = on_ruling,
                             .on_policy_error = on_policy_error,
                             .user = t};
    t->limits = t->desk.limits;
    CHECK(t->limits.advisories_per_turn <= PERI_ADVISORIES_CAP);
    CHECK(t->limits.veto_budget <= PERI_VETO_BUDGET_CAP);
}

static void feed(trial *t) {
    char ids[MOST][16];
    peri_proposal all[MOST];
    const peri_proposal *list[MOST];
    static const char *const observers[] = {"a", "b", "c"};
    size_t count = draw(t, MOST + 1);
    for (size_t i = 0; i < count; i++) {
        snprintf(ids[i], sizeof ids[i], "%zu", t->given++);
        bool veto = draw(t, 3) == 0;
        all[i] = (peri_proposal){.id = peri_str_c(ids[i]),
                                 .observer = peri_str_c(observers[draw(t, OBSERVERS)]),
                                 .kind = veto ? PERI_PROPOSAL_VETO : PERI_PROPOSAL_ADVISORY,
                                 .severity = (peri_weight)draw(t, PERI_WEIGHT_COUNT),
                                 .lane = veto ? PERI_LANE_HOLD : PERI_LANE_STEER,
                                 .text = peri_str_c(ids[i]),
                                 .fingerprint = peri_str_c(ids[i]),
                                 .turn = t->env.turn};
        if (draw(t, 2)) all[i].fingerprint = PERI_STR("again");
        list[i] = &all[i];
    }
    peri_policy_engine engine;
    peri_desk_decide(&t->desk, engine_of(t, &engine), &t->health, &t->env, list, count,
                     &t->arena);
}

static void move(trial *t) {
    static const peri_run_phase phases[] = {PERI_PHASE_RUNNING, PERI_PHASE_SETTLED,
                                            PERI_PHASE_IDLE,    PERI_PHASE_PLAN,
                                            PERI_PHASE_STOPPED, PERI_PHASE_ENDED};
    t->env.phase = draw(t, 2) ? PERI_PHASE_RUNNING : phases[draw(t, 6)];
    t->stopped = t->env.phase == PERI_PHASE_STOPPED || t->env.phase == PERI_PHASE_ENDED;
    t->env.work += draw(t, 2);
    t->health = (peri_policy_health){0};
    if (draw(t, 3)) return;
    t->told_agent = t->held = 0;
    t->env.turn++;
    peri_policy_engine engine;
    peri_desk_open_window(&t->desk, engine_of(t, &engine), &t->health, &t->env, &t->arena);
}

static void check(const trial *t) {
    uint32_t budget = t->limits.veto_budget;
    CHECK(t->told_agent <= t->limits.advisories_per_turn);
    CHECK(t->held <= 1);
    CHECK(t->session_held <= 4 * budget);
    for (size_t i = 0; i < OBSERVERS; i++) CHECK(t->held_by[i] <= 2 * budget);
    CHECK(t->session_told <= PERI_SESSION_ADVISORIES);
    CHECK(t->session_user <= PERI_SESSION_ADVISORIES);
    CHECK(t->desk.deferred_count <= PERI_DEFER_MAX);
    CHECK_EQ(t->last_words + t->desk.deferred_count, t->given);
}

IT("PE-3 passes no ceiling in 10,000 batches, whatever a hostile policy returns") {
    size_t told = 0, held = 0, user = 0, batches = 0;
    for (uint64_t seed = 1; seed <= SESSIONS; seed++) {
        trial t = {0};
        peri_random_seed(&t.random, seed);
        begin(&t);
        for (int batch = 0; batch < BATCHES; batch++, batches++) {
            move(&t);
            feed(&t);
            check(&t);
            peri_arena_reset(&t.arena);
        }
        peri_desk_clear(&t.desk, &t.env, "the session ended first");
        CHECK_EQ(t.last_words, t.given);
        told += t.session_told;
        held += t.session_held;
        user += t.session_user;
        peri_desk_deinit(&t.desk);
        peri_veto_book_deinit(&t.book);
        peri_arena_deinit(&t.arena);
    }
    CHECK_EQ(batches, 10000);
    CHECK(told > 1000 && held > 300 && user > 1000); // the trials do come near the ceilings
}

IT("C58 C59 refunds nothing by a restart: restored counts are clamped, told twice counts once") {
    peri_veto_book book;
    peri_veto_book_init(&book, 1);
    peri_veto_book_restore(&book, PERI_STR("a"), PERI_STR("|b"), UINT64_MAX, 3);
    peri_veto_book_restore(&book, PERI_STR("a"), PERI_STR("|b"), 1, 3);
    CHECK_EQ(peri_veto_book_get(&book, PERI_STR("a"), PERI_STR("|b")).key, 3);
    CHECK_EQ(peri_veto_book_get(&book, PERI_STR("a|"), PERI_STR("b")).key, 0);
    for (char key[2] = "c"; key[0] <= 'z'; key[0]++) {
        peri_veto_book_restore(&book, PERI_STR("a"), peri_str_c(key), 9, 3);
    }
    peri_veto_counts spent = peri_veto_book_get(&book, PERI_STR("a"), PERI_STR("c"));
    CHECK_EQ(spent.observer, 6);
    CHECK_EQ(spent.session, 12);
    peri_veto_book_deinit(&book);
}

TEST_MAIN
