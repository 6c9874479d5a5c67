// Who is paired with whom, and the one table of what may become of a pairing.
#include "pairing/registry.h"

#include "test.h"

static peri_registry registry;
static int freed_agents, freed_sessions, armed;

static void free_agent(void *attached) {
    (void)attached;
    freed_agents++;
}
static void free_session(void *attached) {
    (void)attached;
    freed_sessions++;
}
static void on_armed(void *user, peri_pairing *pairing) {
    (void)user;
    (void)pairing;
    armed++;
}

static void start(void) {
    freed_agents = freed_sessions = armed = 0;
    peri_registry_init(&registry, 1, free_agent, free_session);
}

static peri_agent *agent_of(const char *session, const char *key) {
    peri_agent *agent;
    bool made;
    CHECK_OK(
        peri_registry_agent(&registry, peri_str_c(session), peri_str_c(key), &agent, &made));
    return agent;
}

static peri_observer observer_of(const char *name) {
    return (peri_observer){.name = peri_str_c(name), .enabled = true};
}

static int arm(peri_agent *agent, const peri_observer *observer, size_t count) {
    const peri_observer *list[32];
    for (size_t i = 0; i < count; i++) list[i] = &observer[i];
    agent->armed = false;
    return peri_registry_arm(&registry, agent, list, count, on_armed, NULL);
}

// Rows: armed denied retired stopped; columns: gate, agent end, user stop, user enable, resume.
IT("CC-5 allows the transitions of this table and no other") {
    enum { A = PERI_PAIRING_ARMED, D = PERI_PAIRING_DENIED, R = PERI_PAIRING_RETIRED };
    enum { S = PERI_PAIRING_STOPPED, NO = -1 };
    static const int table[PERI_PAIRING_STATE_COUNT][PERI_CAUSE_COUNT] = {
        {D, R, S, NO, A}, {D, D, S, A, NO}, {NO, R, S, NO, A}, {NO, S, S, NO, NO}};
    for (int from = 0; from < PERI_PAIRING_STATE_COUNT; from++) {
        for (int cause = 0; cause < PERI_CAUSE_COUNT; cause++) {
            peri_pairing pairing = {.state = (peri_pairing_state)from};
            int next = table[from][cause], got = peri_pairing_move(&pairing, (peri_cause)cause);
            CHECK_EQ(got, next == NO ? PERI_ESTATE : next != from);
            CHECK_EQ((int)pairing.state, next == NO ? from : next);
        }
    }
}

IT("CC-5 leaves denied only by the user's enable or stop, and stopped never") {
    for (int cause = 0; cause < PERI_CAUSE_COUNT; cause++) {
        int left = peri_pairing_next(PERI_PAIRING_DENIED, (peri_cause)cause);
        bool user = cause == PERI_CAUSE_USER_ENABLE || cause == PERI_CAUSE_USER_STOP;
        CHECK(user || left < 0 || left == PERI_PAIRING_DENIED);
        left = peri_pairing_next(PERI_PAIRING_STOPPED, (peri_cause)cause);
        CHECK(left < 0 || left == PERI_PAIRING_STOPPED);
    }
    CHECK_STR(peri_cause_word(PERI_CAUSE_AGENT_END), "agent_observer_stop");
    CHECK_STR(peri_cause_word(PERI_CAUSE_USER_STOP), "observerStopped");
}

IT("finds an agent by session and key, made once") {
    start();
    peri_agent *agent, *main = agent_of("s", "main");
    bool made = true;
    CHECK_OK(peri_registry_agent(&registry, PERI_STR("s"), PERI_STR("main"), &agent, &made));
    CHECK(agent == main && !made);
    CHECK(agent_of("s", "child") != main);
    CHECK(agent_of("t", "main") != main);
    CHECK_EQ(registry.session_count, 2);
    CHECK_EQ(registry.agent_count, 3);
    peri_registry_deinit(&registry);
}

IT("arms each observer that applies once") {
    start();
    peri_observer all[3] = {observer_of("a"), observer_of("b"), observer_of("c")};
    all[1].enabled = false;
    peri_agent *agent = agent_of("s", "main");
    CHECK_OK(arm(agent, all, 3));
    CHECK_OK(arm(agent, all, 3));
    CHECK_EQ(armed, 2);
    CHECK_EQ(agent->pairing_count, 2);
    CHECK(peri_pairing_active(agent->pairings[0]));
    CHECK_EQ(agent->pairings[0]->cursor, 1);
    CHECK(strcmp(agent->pairings[0]->task_id, agent->pairings[1]->task_id) != 0);
    agent->pairings[0]->disabled = true;
    CHECK(!peri_pairing_active(agent->pairings[0]));
    peri_registry_deinit(&registry);
}

IT("looks at nothing again until the agent's name changed") {
    start();
    static const peri_str explorer[] = {{"explorer", 8}};
    peri_observer only = observer_of("a");
    only.agents = explorer;
    only.agent_count = 1;
    const peri_observer *list[] = {&only};
    peri_agent *agent = agent_of("s", "t1");
    CHECK_OK(peri_registry_arm(&registry, agent, list, 1, on_armed, NULL));
    CHECK_OK(peri_own(&agent->name, PERI_STR("explorer")));
    CHECK_OK(peri_registry_arm(&registry, agent, list, 1, on_armed, NULL));
    CHECK_EQ(armed, 0);
    agent->armed = false;
    CHECK_OK(peri_registry_arm(&registry, agent, list, 1, on_armed, NULL));
    CHECK_EQ(armed, 1);
    peri_registry_deinit(&registry);
}

IT("gives a pairing the same task id in every run, and no other agent's") {
    char first[17];
    for (int i = 0; i < 2; i++) {
        start();
        peri_observer one = observer_of("a");
        peri_agent *main = agent_of("s", "main"), *child = agent_of("s", "child");
        CHECK_OK(arm(main, &one, 1));
        CHECK_OK(arm(child, &one, 1));
        CHECK(strcmp(main->pairings[0]->task_id, child->pairings[0]->task_id) != 0);
        if (i) CHECK_EQ(strcmp(first, main->pairings[0]->task_id), 0);
        memcpy(first, main->pairings[0]->task_id, sizeof first);
        peri_registry_deinit(&registry);
    }
}

IT("stops at the maximum of pairings and says so once") {
    start();
    peri_observer all[PERI_MAX_PAIRINGS + 1];
    char names[PERI_MAX_PAIRINGS + 1][8];
    const peri_observer *list[PERI_MAX_PAIRINGS + 1];
    for (int i = 0; i <= PERI_MAX_PAIRINGS; i++) {
        snprintf(names[i], sizeof names[i], "o%d", i);
        all[i] = observer_of(names[i]);
        list[i] = &all[i];
    }
    peri_agent *agent = agent_of("s", "main");
    CHECK_EQ(peri_registry_arm(&registry, agent, list, PERI_MAX_PAIRINGS + 1, NULL, NULL),
             PERI_ELIMIT);
    CHECK_OK(peri_registry_arm(&registry, agent, list, PERI_MAX_PAIRINGS + 1, NULL, NULL));
    const peri_observer named = observer_of("named");
    CHECK_EQ(peri_registry_pair(&registry, agent, &named, NULL, NULL), PERI_ELIMIT);
    CHECK_EQ(agent->pairing_count, PERI_MAX_PAIRINGS);
    peri_registry_deinit(&registry);
}

IT("C26 never pairs an observer's agent or session, nor an agent with itself") {
    start();
    peri_observer one = observer_of("reviewer");
    peri_agent *observing = agent_of("obs-9", "main");
    observing->is_observer = true;
    CHECK(!peri_pairing_applies(&one, observing));
    peri_agent *child = agent_of("obs-9", "child");
    CHECK(peri_pairing_applies(&one, child));
    child->session->is_observer = true;
    CHECK(!peri_pairing_applies(&one, child));
    peri_agent *self = agent_of("s", "t1");
    CHECK_OK(peri_own(&self->name, PERI_STR("reviewer")));
    CHECK(!peri_pairing_applies(&one, self));
    peri_registry_deinit(&registry);
}

IT("applies an observer with a list to those agents only, by key or type") {
    start();
    static const peri_str names[] = {{"main", 4}, {"explorer", 8}};
    peri_observer one = observer_of("a");
    one.agents = names;
    one.agent_count = 2;
    peri_agent *main = agent_of("s", "main"), *typed = agent_of("s", "t1"),
               *other = agent_of("s", "t2");
    CHECK_OK(peri_own(&typed->name, PERI_STR("explorer")));
    CHECK(peri_pairing_applies(&one, main));
    CHECK(peri_pairing_applies(&one, typed));
    CHECK(!peri_pairing_applies(&one, other));
    one.agent_count = 0; // an empty list is nobody
    CHECK(!peri_pairing_applies(&one, main));
    peri_registry_deinit(&registry);
}

IT("refuses agents beyond the maximum of a session and counts them") {
    start();
    char key[16];
    for (int i = 0; i < PERI_MAX_AGENTS; i++) {
        snprintf(key, sizeof key, "t%d", i);
        agent_of("s", key);
    }
    peri_agent *agent = NULL;
    bool made;
    CHECK_EQ(peri_registry_agent(&registry, PERI_STR("s"), PERI_STR("more"), &agent, &made),
             PERI_ELIMIT);
    CHECK(agent == NULL && !made);
    CHECK_EQ(registry.refused_count, 1);
    peri_registry_deinit(&registry);
}

IT("frees each attachment once") {
    start();
    int here;
    agent_of("s", "main")->attached = &here;
    agent_of("s", "child")->attached = &here;
    agent_of("t", "main")->session->attached = &here;
    peri_registry_deinit(&registry);
    CHECK_EQ(freed_agents, 2);
    CHECK_EQ(freed_sessions, 1);
}

IT("replaces an owned text, also by none") {
    peri_str slot = {0};
    CHECK_OK(peri_own(&slot, PERI_STR("one")));
    CHECK_OK(peri_own(&slot, slot)); // by itself
    CHECK_STR(slot, "one");
    CHECK_OK(peri_own(&slot, PERI_STR("")));
    CHECK(slot.ptr != NULL && slot.len == 0);
    CHECK_OK(peri_own(&slot, (peri_str){0}));
    CHECK(slot.ptr == NULL);
}

TEST_MAIN
