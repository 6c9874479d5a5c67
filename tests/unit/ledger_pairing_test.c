// What the ledger keeps of pairings (spec CC-5, CC-6): rows, the user's stops and enables, and
// files of an older schema.
#include <sqlite3.h>

#include "ledger/pairing_state.h"
#include "scratch.h"
#include "test.h"

static scratch place;

static const char *path;

static void open_place(void) {
    scratch_open(&place);
    path = scratch_path(&place, "ledger.db");
}

static peri_ledger *opened(void) {
    peri_ledger *ledger = NULL;
    const char *error = NULL;
    int status = peri_ledger_open(path, &(peri_ledger_options){0}, &ledger, &error);
    if (status < 0) TEST_FAIL("open: %s", error);
    return ledger;
}

static peri_pairing_row key(void) {
    return (peri_pairing_row){
        .session = PERI_STR("s"), .agent = PERI_STR("main"), .observer = PERI_STR("guard")};
}

static peri_pairing_row full_row(void) {
    peri_pairing_row row = key();
    row.task_id = PERI_STR("a1");
    row.saved_state = PERI_STR("{\"n\":1}");
    row.transcript = PERI_STR("/w/agent-a1.jsonl");
    row.state = PERI_STR("denied");
    row.since_wall_ms = 77;
    row.armed_wall_ms = 5;
    row.mode = 2;
    row.first = UINT64_MAX;
    row.cursor = 9;
    row.seen = 12;
    row.digests = 3;
    row.proposed = 1;
    return row;
}

IT("CC-6 keeps all of a pairing") {
    open_place();
    peri_ledger *ledger = opened();
    peri_pairing_row row = full_row(), got = key();
    CHECK_OK(peri_ledger_put_pairing(ledger, &row, 100));
    CHECK_OK(peri_ledger_commit(ledger, 100));
    peri_ledger_close(ledger);
    peri_arena arena;
    peri_arena_init(&arena, 65536);
    ledger = opened();
    CHECK_OK(peri_ledger_get_pairing(ledger, &got, &arena));
    CHECK_STR(got.task_id, "a1");
    CHECK_STR(got.saved_state, "{\"n\":1}");
    CHECK_STR(got.transcript, "/w/agent-a1.jsonl");
    CHECK_STR(got.state, "denied");
    CHECK_EQ(got.since_wall_ms, 77);
    CHECK_EQ(got.armed_wall_ms, 5);
    CHECK_EQ(got.mode, 2);
    CHECK(got.first == UINT64_MAX);
    CHECK_EQ(got.cursor, 9);
    CHECK_EQ(got.seen, 12);
    CHECK_EQ(got.digests, 3);
    CHECK_EQ(got.proposed, 1);
    peri_ledger_close(ledger);
    peri_arena_deinit(&arena);
    scratch_close(&place);
}

IT("CC-5 tells the user's latest stop and enable of an observer, 0 where there is none") {
    open_place();
    peri_ledger *ledger = opened();
    CHECK_EQ(peri_ledger_enabled_at(ledger, PERI_STR("guard")), 0);
    CHECK_OK(peri_ledger_enable(ledger, PERI_STR("guard"), 10));
    CHECK_OK(peri_ledger_enable(ledger, PERI_STR("guard"), 20));
    CHECK_EQ(peri_ledger_enabled_at(ledger, PERI_STR("guard")), 20);
    CHECK_EQ(peri_ledger_enabled_at(ledger, PERI_STR("other")), 0);
    CHECK_OK(peri_ledger_stop(ledger, PERI_STR("guard"), 5));
    CHECK_OK(peri_ledger_stop(ledger, PERI_STR(""), 30));
    CHECK_EQ(peri_ledger_stopped_at(ledger, PERI_STR("guard")), 30);
    peri_ledger_close(ledger);
    scratch_close(&place);
}

IT("CC-5 CC-6 a stop and an enable come behind what is there, though the clock was put back") {
    open_place();
    peri_ledger *ledger = opened();
    const peri_pairing_row row = {.session = PERI_STR("s"),
                                  .agent = PERI_STR("main"),
                                  .observer = PERI_STR("guard"),
                                  .armed_wall_ms = 1000,
                                  .since_wall_ms = 2000};
    CHECK_OK(peri_ledger_put_pairing(ledger, &row, 2000));
    CHECK_OK(peri_ledger_commit(ledger, 2000));
    CHECK_OK(peri_ledger_stop(ledger, PERI_STR("other"), 500));
    CHECK_EQ(peri_ledger_stopped_at(ledger, PERI_STR("other")), 500);
    CHECK_OK(peri_ledger_stop(ledger, PERI_STR("guard"), 500));
    CHECK_EQ(peri_ledger_stopped_at(ledger, PERI_STR("guard")), 1000);
    CHECK_OK(peri_ledger_stop(ledger, PERI_STR(""), 700));
    CHECK_EQ(peri_ledger_stopped_at(ledger, PERI_STR("other")), 1000);
    CHECK_OK(peri_ledger_enable(ledger, PERI_STR("guard"), 500));
    CHECK_EQ(peri_ledger_enabled_at(ledger, PERI_STR("guard")), 2001);
    peri_ledger_close(ledger);
    scratch_close(&place);
}

// As the third version of the schema would have left it.
static void make_old(void) {
    sqlite3 *db = NULL;
    CHECK_EQ(sqlite3_open(path, &db), SQLITE_OK);
    CHECK_EQ(sqlite3_exec(db,
                          "ALTER TABLE pairing DROP COLUMN transcript;"
                          "ALTER TABLE pairing DROP COLUMN since_wall_ms;"
                          "ALTER TABLE pairing DROP COLUMN state;"
                          "DROP TABLE enable; PRAGMA user_version = 3",
                          NULL, NULL, NULL),
             SQLITE_OK);
    sqlite3_close(db);
}

IT("CC-6 takes over the pairings of an older file") {
    open_place();
    peri_ledger *ledger = opened();
    peri_pairing_row row = full_row(), got = key();
    CHECK_OK(peri_ledger_put_pairing(ledger, &row, 100));
    CHECK_OK(peri_ledger_commit(ledger, 100));
    peri_ledger_close(ledger);
    make_old();
    peri_arena arena;
    peri_arena_init(&arena, 65536);
    ledger = opened();
    CHECK_OK(peri_ledger_get_pairing(ledger, &got, &arena));
    CHECK_STR(got.task_id, "a1");
    CHECK_STR(got.saved_state, "{\"n\":1}");
    CHECK_EQ(got.state.len, 0);
    CHECK_OK(peri_ledger_enable(ledger, PERI_STR("guard"), 10));
    peri_ledger_close(ledger);
    peri_arena_deinit(&arena);
    scratch_close(&place);
}

TEST_MAIN
