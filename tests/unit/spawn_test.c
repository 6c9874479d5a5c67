// Which call started which agent (core/tap/spawn.c, declared in tap/join.h).
#include "tap/join.h"
#include "test.h"

static peri_joiner joiner;

static void set(peri_obs *obs, peri_obs_field field, const char *text) {
    peri_obs_add(obs, field)->text = peri_text_of(peri_str_c(text), (peri_text_caps){1000, 0});
}

static peri_obs make(peri_obs_kind kind, const char *agent) {
    peri_obs obs;
    peri_obs_init(&obs, kind);
    obs.session = PERI_STR("s");
    obs.agent = peri_str_c(agent);
    return obs;
}

static void call(const char *id, const char *child, const char *record) {
    peri_obs obs = make(PERI_OBS_TOOL, "main");
    set(&obs, PERI_OBS_F_CALL_ID, id);
    obs.x.child = peri_str_c(child);
    obs.x.record = peri_str_c(record);
    peri_joiner_place(&joiner, &obs);
}

static peri_obs started(const char *id, const char *call_id, const char *type, bool unspawned) {
    peri_obs obs = make(PERI_OBS_SUBAGENT, "main");
    set(&obs, PERI_OBS_F_ID, id);
    if (call_id) set(&obs, PERI_OBS_F_CALL_ID, call_id);
    obs.x.child = peri_str_c(type);
    obs.x.unspawned = unspawned;
    peri_joiner_place(&joiner, &obs);
    return obs;
}

IT("C12 links a child to its call by the record that its first one follows") {
    peri_joiner_init(&joiner);
    call("t1", "explorer", "u-2");
    peri_obs text = make(PERI_OBS_TEXT, "ag-1");
    text.x.parent_record = PERI_STR("u-2");
    peri_joiner_place(&joiner, &text);
    CHECK_STR(peri_obs_str(&text, PERI_OBS_F_PARENT_CALL_ID), "t1");
    CHECK_STR(text.x.agent_name, "explorer");
    CHECK_STR(text.subagent_id, "ag-1");
    peri_obs later = make(PERI_OBS_TEXT, "ag-1"); // follows a record of its own
    later.x.parent_record = PERI_STR("u-7");
    peri_joiner_place(&joiner, &later);
    CHECK_STR(later.x.parent, "t1");
    peri_joiner_deinit(&joiner);
}

IT("gives an agent known by its call the id that a start record tells") {
    peri_joiner_init(&joiner);
    call("toolu_1", "worker", "u-1");
    peri_obs early = make(PERI_OBS_TEXT, "toolu_1");
    peri_joiner_place(&joiner, &early);
    CHECK_STR(early.agent, "toolu_1");
    (void)started("a7", "toolu_1", "worker", false);
    peri_obs late = make(PERI_OBS_TEXT, "toolu_1");
    peri_joiner_place(&joiner, &late);
    CHECK_STR(late.agent, "a7");
    CHECK_STR(late.x.agent_name, "worker");
    peri_joiner_deinit(&joiner);
}

IT("C26 takes an agent that no call started for an observer, where the client runs observers") {
    peri_joiner_init(&joiner);
    call("t1", "worker", "u-1");
    peri_obs worker = started("a1", NULL, "worker", true);
    CHECK(!worker.x.observer);
    CHECK_STR(peri_obs_str(&worker, PERI_OBS_F_CALL_ID), "t1");
    CHECK(!started("a1", NULL, "worker", true).x.observer); // resumed
    CHECK(started("a2", NULL, "watcher", true).x.observer);
    CHECK(started("a3", NULL, "worker", true).x.observer); // the one call is taken
    CHECK(!started("a4", NULL, "watcher", false).x.observer);
    peri_joiner_deinit(&joiner);
}

IT("keeps sessions apart and leaves out ids that are too long to keep") {
    static char id[200];
    memset(id, 'x', sizeof id - 1);
    peri_joiner_init(&joiner);
    call("t1", "worker", "u-1");
    call(id, "worker", "u-1");
    peri_obs other = make(PERI_OBS_TEXT, "ag-1");
    other.session = PERI_STR("s2");
    other.x.parent = PERI_STR("t1");
    peri_joiner_place(&joiner, &other);
    CHECK_EQ(other.x.agent_name.len, 0);
    CHECK_EQ(joiner.spawn_count, 1);
    peri_joiner_deinit(&joiner);
}

IT("forgets the oldest calls, in bounded memory") {
    char id[16];
    peri_joiner_init(&joiner);
    for (int i = 0; i < 3 * PERI_JOIN_SPAWNS; i++) {
        snprintf(id, sizeof id, "t%d", i);
        call(id, "worker", id);
    }
    peri_obs first = make(PERI_OBS_TEXT, "a"), last = first;
    first.x.parent_record = PERI_STR("t0");
    last.x.parent_record = peri_str_c(id);
    peri_joiner_place(&joiner, &first);
    peri_joiner_place(&joiner, &last);
    CHECK_EQ(first.x.parent.len, 0);
    CHECK_STR(last.x.parent, id);
    peri_joiner_deinit(&joiner);
}

TEST_MAIN
