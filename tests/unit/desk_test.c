// The desk and its ceilings. The engine here is the tests' own: it answers whatever a test
// wants, sane or not.
#include "policy/desk.h"

#include "base/clock.h"
#include "test.h"

enum { MAX_RULINGS = 4096 };

typedef struct ruling {
    char id[16];
    peri_verdict verdict;
    peri_lane lane;
    bool released;
    char reason[96], policy[32];
} ruling;

static struct {
    ruling all[MAX_RULINGS];
    size_t count;
} rulings;

static peri_desk desk;
static peri_veto_book book;
static peri_arena arena;
static peri_policy_health health;
static peri_desk_env env;
static const peri_policy_engine *engine;
static int policy_errors;

static void on_ruling(void *user, const peri_proposal *p, const peri_decision *d,
                      bool released) {
    (void)user;
    CHECK(rulings.count < MAX_RULINGS);
    CHECK(d->reason.len > 0);
    CHECK(d->verdict < PERI_VERDICT_COUNT && d->lane < PERI_LANE_COUNT);
    ruling *r = &rulings.all[rulings.count++];
    *r = (ruling){.verdict = d->verdict, .lane = d->lane, .released = released};
    snprintf(r->id, sizeof r->id, "%.*s", PERI_FMT(p->id));
    snprintf(r->reason, sizeof r->reason, "%.*s", PERI_FMT(d->reason));
    snprintf(r->policy, sizeof r->policy, "%.*s", PERI_FMT(d->policy));
}

static void on_policy_error(void *user, peri_str policy, peri_str error, bool disabled) {
    (void)user;
    (void)policy;
    (void)error;
    policy_errors += disabled ? 100 : 1;
}

static void start(uint32_t advisories, uint32_t vetoes) {
    rulings.count = 0;
    policy_errors = 0;
    engine = NULL;
    health = (peri_policy_health){0};
    peri_arena_init(&arena, 1 << 20);
    peri_veto_book_init(&book, 1);
    peri_desk_init(&desk, (peri_policy_limits){advisories, vetoes}, &book, 1);
    env = (peri_desk_env){.session = PERI_STR("s"),
                          .phase = PERI_PHASE_RUNNING,
                          .turn = 1,
                          .step = 1,
                          .on_ruling = on_ruling,
                          .on_policy_error = on_policy_error};
}

static void stop(void) {
    peri_desk_deinit(&desk);
    peri_veto_book_deinit(&book);
    peri_arena_deinit(&arena);
}

static peri_proposal make(const char *id, peri_proposal_kind kind, peri_lane lane) {
    return (peri_proposal){.id = peri_str_c(id),
                           .observer = PERI_STR("o"),
                           .kind = kind,
                           .lane = kind == PERI_PROPOSAL_VETO ? PERI_LANE_HOLD : lane,
                           .text = peri_str_c(id),
                           .fingerprint = peri_str_c(id),
                           .step = 1,
                           .turn = 1};
}

static void decide(const peri_proposal *all, size_t count) {
    const peri_proposal *list[128];
    for (size_t i = 0; i < count; i++) list[i] = &all[i];
    peri_desk_decide(&desk, engine, &health, &env, list, count, &arena);
}

static void advise(const char *id) {
    peri_proposal p = make(id, PERI_PROPOSAL_ADVISORY, PERI_LANE_STEER);
    decide(&p, 1);
}
static void veto(const char *id) {
    peri_proposal p = make(id, PERI_PROPOSAL_VETO, PERI_LANE_HOLD);
    decide(&p, 1);
}
static void window(void) {
    env.turn++;
    env.work++; // the agent did something in between
    peri_desk_open_window(&desk, engine, &health, &env, &arena);
}

static const ruling *last(void) {
    CHECK(rulings.count > 0);
    return &rulings.all[rulings.count - 1];
}

// Vetoes that held the agent.
static size_t held(void) {
    size_t count = 0;
    for (size_t i = 0; i < rulings.count; i++) {
        const ruling *r = &rulings.all[i];
        count += r->verdict == PERI_VERDICT_DELIVER && r->lane == PERI_LANE_HOLD;
    }
    return count;
}

static size_t delivered(void) {
    size_t count = 0;
    for (size_t i = 0; i < rulings.count; i++) {
        count += rulings.all[i].verdict == PERI_VERDICT_DELIVER;
    }
    return count;
}

IT("delivers within the window's budget, defers beyond it, and delivers that in the next") {
    start(2, 3);
    advise("a");
    advise("b");
    advise("c");
    CHECK_EQ(delivered(), 2);
    CHECK_EQ(last()->verdict, PERI_VERDICT_DEFER);
    window();
    CHECK_EQ(delivered(), 3);
    CHECK_EQ(strcmp(last()->id, "c"), 0);
    CHECK(last()->released);
    stop();
}

IT("releases deferred ones oldest first, before a batch and only as many as fit") {
    start(1, 3);
    advise("a");
    advise("b");
    advise("c");
    window();
    CHECK_EQ(strcmp(last()->id, "b"), 0);
    window();
    CHECK_EQ(strcmp(last()->id, "c"), 0);
    CHECK_EQ(delivered(), 3);
    CHECK_EQ(desk.deferred_count, 0);
    stop();
}

IT("C58 grants one veto a window, three for a fingerprint, and says why it stops") {
    start(2, 3);
    for (int i = 0; i < 5; i++) {
        veto("same");
        window();
    }
    CHECK_EQ(held(), 3);
    CHECK_EQ(strcmp(last()->reason, "the veto budget is spent"), 0);
    veto("x");
    veto("y");
    CHECK_EQ(strcmp(last()->reason, "this window has had its veto"), 0);
    stop();
}

IT("C58 ends vetoes with new words each time by the observer's ceiling, then the session's") {
    start(2, 3);
    char id[16];
    for (int i = 0; i < 30; i++) {
        snprintf(id, sizeof id, "v%d", i);
        veto(id);
        window();
    }
    CHECK_EQ(held(), 6);
    for (int i = 0; i < 30; i++) {
        char observer[16];
        snprintf(id, sizeof id, "w%d", i);
        snprintf(observer, sizeof observer, "o%d", i);
        peri_proposal p = make(id, PERI_PROPOSAL_VETO, PERI_LANE_HOLD);
        p.observer = peri_str_c(observer);
        decide(&p, 1);
        window();
    }
    CHECK_EQ(held(), 12);
    stop();
}

IT("C59 holds its ceilings whatever fingerprints an observer invents") {
    start(2, 1);
    peri_str all = peri_test_read(PERI_TESTS_DIR "/fault/streams/C59.fingerprints.jsonl");
    for (int round = 0; round < 2; round++) {
        for (peri_str rest = all; rest.len;) {
            size_t lf = peri_str_find_byte(rest, '\n', 0);
            static const char *const observers[] = {"a", "a|"};
            for (size_t i = 0; i < 2; i++) {
                peri_proposal p = make("v", PERI_PROPOSAL_VETO, PERI_LANE_HOLD);
                p.observer = peri_str_c(observers[i]);
                p.fingerprint = peri_str_sub(rest, 0, lf); // the line itself is as good a key
                decide(&p, 1);
                window();
            }
            rest = lf == PERI_NPOS ? (peri_str){0} : peri_str_sub(rest, lf + 1, rest.len);
        }
    }
    CHECK_EQ(held(), 4); // two for each observer, four for the session
    free((char *)all.ptr);
    stop();
}

IT("clamps limits to their caps, and takes 0 as none") {
    start(99, 99);
    CHECK_EQ(desk.limits.advisories_per_turn, PERI_ADVISORIES_CAP);
    CHECK_EQ(desk.limits.veto_budget, PERI_VETO_BUDGET_CAP);
    stop();
    start(0, 0);
    advise("a");
    veto("v");
    window();
    CHECK_EQ(delivered(), 0);
    stop();
}

IT("PI-8 delivers nothing after stop, neither new nor deferred") {
    start(1, 3);
    advise("a");
    advise("waits");
    env.phase = PERI_PHASE_STOPPED;
    advise("b");
    veto("v");
    window();
    CHECK_EQ(delivered(), 1);
    CHECK_EQ(desk.deferred_count, 0);
    for (size_t i = 2; i < rulings.count; i++) {
        CHECK_EQ(strcmp(rulings.all[i].reason, "the session was stopped"), 0);
    }
    stop();
}

IT("keeps at most a hundred deferred, evicts the oldest and forgets its fingerprint") {
    start(0, 3);
    char id[16];
    for (int i = 0; i < PERI_DEFER_MAX + 3; i++) {
        snprintf(id, sizeof id, "d%d", i);
        advise(id);
    }
    CHECK_EQ(desk.deferred_count, PERI_DEFER_MAX);
    CHECK_EQ(strcmp(rulings.all[PERI_DEFER_MAX].id, "d0"), 0);
    CHECK_EQ(strcmp(rulings.all[PERI_DEFER_MAX].reason, "the deferral queue is full"), 0);
    CHECK(peri_map_get(&desk.taken, PERI_STR("d0")) == NULL);
    CHECK(peri_map_get(&desk.taken, PERI_STR("d3")) != NULL);
    stop();
}

IT("drops all that waits when the session ends, with the reason given") {
    start(0, 3);
    advise("a");
    advise("b");
    peri_desk_clear(&desk, &env, "the session ended first");
    CHECK_EQ(desk.deferred_count, 0);
    CHECK_EQ(rulings.count, 4);
    CHECK_EQ(strcmp(last()->reason, "the session ended first"), 0);
    stop();
}

IT("never holds the agent for an advisory") {
    start(2, 3);
    peri_proposal p = make("a", PERI_PROPOSAL_ADVISORY, PERI_LANE_HOLD);
    decide(&p, 1);
    CHECK_EQ(last()->verdict, PERI_VERDICT_DROP);
    stop();
}

static peri_lane only_prompt(void *user, peri_lane lane) {
    (void)user;
    if (lane == PERI_LANE_STEER || lane == PERI_LANE_FOLLOW_UP) return PERI_LANE_PROMPT;
    return lane == PERI_LANE_HOLD ? PERI_LANE_USER : lane;
}

IT("PE-7 rules for no lane that does not lead to the agent, and says which that was") {
    start(10, 3);
    env.lane_for = only_prompt;
    const peri_proposal all[] = {
        make("a", PERI_PROPOSAL_ADVISORY, PERI_LANE_STEER),
        make("b", PERI_PROPOSAL_VETO, PERI_LANE_HOLD),
        make("c", PERI_PROPOSAL_ADVISORY, PERI_LANE_PROMPT),
        make("d", PERI_PROPOSAL_ADVISORY, PERI_LANE_LOG),
    };
    decide(all, 4);
    static const peri_lane lanes[] = {PERI_LANE_PROMPT, PERI_LANE_USER, PERI_LANE_PROMPT,
                                      PERI_LANE_LOG};
    for (size_t i = 0; i < 4; i++) CHECK_EQ(rulings.all[i].lane, lanes[i]);
    CHECK_HAS(peri_str_c(rulings.all[0].reason), "; no way leads to it by lane steer");
    CHECK_HAS(peri_str_c(rulings.all[1].reason), "; no way leads to it by lane hold");
    CHECK_EQ(strlen(rulings.all[2].reason), strlen("within the window's budget"));
    CHECK_EQ(book.session, 0); // nobody was held
    stop();
}

IT("takes nothing off the window for what only the user sees, but ends it in a session") {
    start(1, 3);
    for (int i = 0; i < PERI_SESSION_ADVISORIES + 5; i++) {
        peri_proposal p = make("u", PERI_PROPOSAL_ADVISORY, PERI_LANE_USER);
        decide(&p, 1);
    }
    CHECK_EQ(delivered(), PERI_SESSION_ADVISORIES);
    advise("a");
    CHECK_EQ(last()->verdict, PERI_VERDICT_DELIVER);
    stop();
}

IT("ends advice at the session's ceiling, whatever windows open") {
    start(10, 3);
    for (int i = 0; i < 300; i++) {
        advise("a");
        if (i % 5 == 4) window();
    }
    CHECK_EQ(delivered(), PERI_SESSION_ADVISORIES);
    stop();
}

// ---- engines
// -------------------------------------------------------------------------------------

typedef struct script {
    peri_random random;
} script;

static size_t two_policies(void *user) {
    (void)user;
    return 2;
}
static size_t a_thousand_policies(void *user) {
    (void)user;
    return 1000;
}
static peri_str name_of(void *user, size_t policy) {
    (void)user;
    CHECK(policy < PERI_POLICY_MAX);
    return policy ? PERI_STR("second") : PERI_STR("first");
}

static int wild_reconcile(void *user, size_t policy, peri_str session,
                          const peri_policy_facts *facts, peri_policy_batch *batch,
                          peri_arena *a, peri_str *error) {
    script *s = user;
    (void)policy;
    (void)session;
    (void)facts;
    (void)a;
    *error = PERI_STR("broken");
    int way = (int)(peri_random_next(&s->random) % 5);
    if (way == 0) return PERI_ESCRIPT;
    if (way == 1) return 0;
    for (size_t i = 0; i < batch->count; i++) {
        batch->order[i] = (uint32_t)(peri_random_next(&s->random) % (batch->count + 3));
        if (way == 2) batch->drop_reason[i] = PERI_STR("because");
    }
    batch->kept = peri_random_next(&s->random) % (batch->count + 5);
    return 1;
}

static int wild_budget(void *user, size_t policy, peri_str session,
                       const peri_policy_facts *facts, peri_budget *budget, peri_arena *a,
                       peri_str *error) {
    script *s = user;
    (void)policy;
    (void)session;
    (void)facts;
    (void)a;
    (void)error;
    budget->advisories = (uint32_t)peri_random_next(&s->random);
    budget->vetoes = (uint32_t)peri_random_next(&s->random);
    return 1;
}

static int wild_deliver(void *user, size_t policy, peri_str session,
                        const peri_policy_facts *facts, const peri_proposal *p,
                        peri_decision *d, peri_arena *a, peri_str *error) {
    script *s = user;
    (void)policy;
    (void)session;
    (void)a;
    *error = PERI_STR("broken");
    CHECK(facts->similar(facts->user, p) <= 1);
    facts->taken(facts->user, p->fingerprint);
    facts->vetoes(facts->user, p->observer, p->fingerprint);
    if (peri_random_next(&s->random) % 50 == 0) return PERI_ETIMEOUT;
    d->verdict = (peri_verdict)(peri_random_next(&s->random) % (PERI_VERDICT_COUNT + 1));
    d->lane = (peri_lane)(peri_random_next(&s->random) % (PERI_LANE_COUNT + 1));
    d->ttl_turns = (uint32_t)peri_random_next(&s->random);
    d->reason = peri_random_next(&s->random) % 10 ? PERI_STR("as I like") : (peri_str){0};
    return 1;
}

// Counts what the rulings of one window delivered to the agent.
static void check_window(size_t from, uint32_t advisories) {
    size_t told = 0, held = 0;
    for (size_t i = from; i < rulings.count; i++) {
        const ruling *r = &rulings.all[i];
        if (r->verdict != PERI_VERDICT_DELIVER) continue;
        held += r->lane == PERI_LANE_HOLD;
        told +=
            r->lane != PERI_LANE_HOLD && r->lane != PERI_LANE_USER && r->lane != PERI_LANE_LOG;
    }
    CHECK(told <= advisories);
    CHECK(held <= 1);
}

IT("PE-3 passes no ceiling and loses no proposal, whatever a policy says") {
    for (uint64_t seed = 1; seed <= 60; seed++) {
        script s = {0};
        peri_random_seed(&s.random, seed);
        peri_policy_engine wild = {.user = &s,
                                   .count = seed % 2 ? two_policies : a_thousand_policies,
                                   .name = name_of,
                                   .reconcile = wild_reconcile,
                                   .budget = wild_budget,
                                   .deliver = wild_deliver};
        uint32_t advisories = (uint32_t)(seed % 4), vetoes = (uint32_t)(seed % 3);
        start(advisories, vetoes);
        engine = &wild;
        size_t from = 0, given = 0;
        static char ids[2000][8];
        for (int batch = 0; batch < 25; batch++) {
            peri_proposal all[20];
            size_t count = peri_random_next(&s.random) % 20;
            for (size_t i = 0; i < count; i++, given++) {
                snprintf(ids[given], sizeof ids[given], "%zu", given);
                all[i] = make(ids[given], i % 3 ? PERI_PROPOSAL_ADVISORY : PERI_PROPOSAL_VETO,
                              (peri_lane)(i % PERI_LANE_COUNT));
            }
            decide(all, count);
            check_window(from, advisories);
            if (batch % 3 == 2) {
                from = rulings.count;
                health = (peri_policy_health){0}; // its strikes are another test's
                window();
                check_window(from, advisories);
            }
        }
        size_t waiting = desk.deferred_count, final = 0;
        for (size_t i = 0; i < rulings.count; i++) {
            final += rulings.all[i].verdict != PERI_VERDICT_DEFER;
        }
        CHECK_EQ(final + waiting, given); // each has one last word, or waits for it
        CHECK(book.session <= 4 * vetoes);
        CHECK(desk.deferred_count <= PERI_DEFER_MAX);
        stop();
    }
}

static int fails(void *user, size_t policy, peri_str session, const peri_policy_facts *facts,
                 const peri_proposal *p, peri_decision *d, peri_arena *a, peri_str *error) {
    (void)user;
    (void)session;
    (void)facts;
    (void)p;
    (void)a;
    if (policy == 0) {
        *error = PERI_STR("broken");
        return PERI_ESCRIPT;
    }
    d->reason = PERI_STR("second's word");
    return 1;
}
static int no_reconcile(void *user, size_t policy, peri_str session,
                        const peri_policy_facts *facts, peri_policy_batch *batch, peri_arena *a,
                        peri_str *error) {
    (void)user, (void)policy, (void)session, (void)facts, (void)batch, (void)a, (void)error;
    return 0;
}
static int no_budget(void *user, size_t policy, peri_str session,
                     const peri_policy_facts *facts, peri_budget *budget, peri_arena *a,
                     peri_str *error) {
    (void)user, (void)policy, (void)session, (void)facts, (void)budget, (void)a, (void)error;
    return 0;
}

IT("passes over a policy that fails, and disables it after three failures in a row") {
    static const peri_policy_engine broken = {NULL,         two_policies, name_of,
                                              no_reconcile, no_budget,    fails};
    start(10, 3);
    engine = &broken;
    for (int i = 0; i < 5; i++) advise("a");
    CHECK_EQ(delivered(), 5);
    CHECK_EQ(strcmp(last()->policy, "second"), 0);
    CHECK_EQ(policy_errors, 102); // two told, the third disables
    CHECK(health.of[0].disabled && !health.of[1].disabled);
    stop();
}

static int fixed_budget(void *user, size_t policy, peri_str session,
                        const peri_policy_facts *facts, peri_budget *budget, peri_arena *a,
                        peri_str *error) {
    (void)policy, (void)session, (void)facts, (void)a, (void)error;
    budget->advisories = *(const uint32_t *)user;
    return 1;
}
static int no_deliver(void *user, size_t policy, peri_str session,
                      const peri_policy_facts *facts, const peri_proposal *p, peri_decision *d,
                      peri_arena *a, peri_str *error) {
    (void)user, (void)policy, (void)session, (void)facts, (void)p, (void)d, (void)a,
        (void)error;
    return 0;
}

IT("takes a policy's lower budget, never a higher one") {
    uint32_t budget = 1;
    peri_policy_engine asking = {&budget,      two_policies, name_of,
                                 no_reconcile, fixed_budget, no_deliver};
    start(2, 3);
    engine = &asking;
    advise("a");
    advise("b");
    CHECK_EQ(delivered(), 1);
    budget = 1000;
    window();
    for (int i = 0; i < 5; i++) advise("c");
    CHECK_EQ(delivered(), 3);
    stop();
}

TEST_MAIN
