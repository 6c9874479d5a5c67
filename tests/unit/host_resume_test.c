// A host on the ledger of one before it (spec CC-6): for a Lua observer the saved ctx.state row
// is the transcript. What becomes of a client's own recordings is shown in e2e/resume_test.sh.
#include "host/admit/admit.h"
#include "hosting.h"
#include "ledger/pairing_state.h"
#include "scratch.h"

static const char counter[] = "-- perilune-api: 1\n"
                              "return { name = 'probe', description = 'd', on = 'turn_end',\n"
                              "  observe = function(turn, ctx)\n"
                              "    ctx.state.n = (ctx.state.n or 0) + 1\n"
                              "    return { advise = 'this is step number ' .. ctx.state.n,\n"
                              "      fingerprint = 'f' .. ctx.state.n }\n"
                              "  end }\n";

static hosting h;
static scratch place;

static peri_str records(void) {
    return peri_buf_str(&h.records);
}

static void open_host(void) {
    hosting_open_on(&h, PERI_MODE_LIVE, counter, scratch_path(&place, "ledger.db"));
}

// A host that is told the session from its beginning to turn `count`.
static void live_through(int count) {
    open_host();
    peri_source *source = hosting_stream(&h, "activity");
    for (int i = 1; i <= count; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "{\"session\":\"s\",\"kind\":\"user_message\",\"text\":\"do %d\"}\n"
                 "{\"session\":\"s\",\"kind\":\"turn_ended\",\"reason\":\"completed\"}\n",
                 i);
        hosting_feed(&h, source, peri_str_c(text));
    }
}

static peri_ledger *open_ledger(void) {
    peri_ledger *ledger = NULL;
    const char *error = NULL;
    CHECK_OK(peri_ledger_open(scratch_path(&place, "ledger.db"), &(peri_ledger_options){0},
                              &ledger, &error));
    return ledger;
}

static peri_pairing_row row_of(peri_ledger *ledger, peri_arena *arena) {
    peri_pairing_row row = {
        .session = PERI_STR("s"), .agent = PERI_STR("main"), .observer = PERI_STR("probe")};
    CHECK_OK(peri_ledger_get_pairing(ledger, &row, arena));
    return row;
}

IT("CC-6 goes on as the same task, with its state, and digests nothing twice") {
    scratch_open(&place);
    live_through(2);
    CHECK_EQ(times(records(), "\"record\":\"run\""), 2);
    hosting_close(&h);
    live_through(3);
    CHECK_EQ(times(records(), "\"record\":\"run\""), 1);
    CHECK(times(records(), "this is step number 3") > 0);
    CHECK_EQ(times(records(), "Recovery note"), 0);
    hosting_close(&h);
    scratch_close(&place);
}

IT("CC-6 begins anew, and says so once, where the state row is lost") {
    scratch_open(&place);
    live_through(1);
    hosting_close(&h);
    peri_arena arena;
    peri_arena_init(&arena, 65536);
    peri_ledger *ledger = open_ledger();
    peri_pairing_row row = row_of(ledger, &arena);
    row.saved_state = (peri_str){0};
    CHECK_OK(peri_ledger_put_pairing(ledger, &row, 1));
    CHECK_OK(peri_ledger_commit(ledger, 1));
    peri_ledger_close(ledger);
    live_through(3);
    CHECK_EQ(times(records(), "\"record\":\"run\""), 2);
    CHECK_EQ(times(records(), "\"text\":\"Recovery note: "), 1);
    CHECK(times(records(), "this is step number 1") > 0);
    hosting_close(&h);
    ledger = open_ledger();
    peri_pairing_row after = row_of(ledger, &arena);
    CHECK(!peri_str_eq(after.task_id, row.task_id));
    peri_ledger_close(ledger);
    peri_arena_deinit(&arena);
    scratch_close(&place);
}

// One turn of a session, at a time of the host's clock.
static void turn_at(peri_source *source, const char *session, peri_clock_manual *now,
                    int64_t wall_ms) {
    char text[256];
    now->at_wall_ms = wall_ms;
    snprintf(text, sizeof text,
             "{\"session\":\"%s\",\"kind\":\"user_message\",\"text\":\"go\"}\n"
             "{\"session\":\"%s\",\"kind\":\"turn_ended\",\"reason\":\"completed\"}\n",
             session, session);
    hosting_feed(&h, source, peri_str_c(text));
}

IT("CC-6 the user's stop holds though the clock was put back, and for no session after it") {
    enum { HOUR_MS = 3600 * 1000 };
    const int64_t noon = 1800000000000;
    scratch_open(&place);
    open_host();
    peri_clock_manual now = {.at_wall_ms = noon};
    h.host->clock = peri_clock_of(&now);
    peri_source *source = hosting_stream(&h, "activity");
    turn_at(source, "s", &now, noon);
    CHECK_EQ(times(records(), "\"record\":\"run\""), 1);
    peri_ledger *ledger = open_ledger();
    CHECK_OK(peri_ledger_stop(ledger, PERI_STR("probe"), noon - HOUR_MS));
    turn_at(source, "s", &now, noon - HOUR_MS + 1);
    CHECK_EQ(times(records(), "\"state\":\"stopped\",\"reason\":\"observerStopped\""), 1);
    CHECK_EQ(times(records(), "\"record\":\"run\""), 1);
    turn_at(source, "later", &now, noon - HOUR_MS + 2);
    CHECK_EQ(times(records(), "\"record\":\"run\""), 2);
    CHECK_OK(peri_ledger_stop(ledger, PERI_STR("probe"), noon - HOUR_MS + 3));
    turn_at(source, "later", &now, noon - HOUR_MS + 4);
    CHECK_EQ(times(records(), "\"record\":\"run\""), 2);
    peri_ledger_close(ledger);
    hosting_close(&h);
    scratch_close(&place);
}

static void go(peri_source *source) {
    hosting_feed(&h, source,
                 PERI_STR("{\"session\":\"s\",\"kind\":\"user_message\",\"text\":\"go\"}\n"
                          "{\"session\":\"s\",\"kind\":\"turn_ended\"}\n"));
}

IT("CC-5 a ledger that is taken away is begun anew, and a stop in the new one is heard") {
    char moved[4096];
    scratch_open(&place);
    open_host();
    peri_source *source = hosting_stream(&h, "activity");
    go(source);
    snprintf(moved, sizeof moved, "%s/old.db", place.root);
    CHECK(rename(scratch_path(&place, "ledger.db"), moved) == 0);
    CHECK(unlink(scratch_path(&place, "ledger.db.lock")) == 0);
    go(source);
    CHECK_EQ(times(peri_buf_str(&h.log), "taken away or replaced"), 1);
    CHECK_EQ(times(records(), "\"record\":\"run\""), 2);
    peri_arena arena;
    peri_arena_init(&arena, 65536);
    peri_ledger *ledger = open_ledger();
    CHECK_EQ(row_of(ledger, &arena).digests, 2);
    CHECK_OK(peri_ledger_stop(ledger, PERI_STR("probe"), 0));
    peri_ledger_close(ledger);
    peri_claims others;
    CHECK_OK(peri_claims_open(&others, scratch_path(&place, "ledger.db.lock"), true));
    CHECK(host_presence_observes(&others, PERI_STR("s")));
    peri_claims_close(&others);
    go(source);
    CHECK_EQ(times(records(), "\"state\":\"stopped\",\"reason\":\"observerStopped\""), 1);
    CHECK_EQ(times(records(), "\"record\":\"run\""), 2);
    peri_arena_deinit(&arena);
    hosting_close(&h);
    scratch_close(&place);
}

IT("CC-5 a ledger that is put in the place of another keeps what it holds") {
    scratch_open(&place);
    peri_ledger *ledger = open_ledger();
    CHECK_OK(peri_ledger_stop(ledger, PERI_STR("probe"), INT64_MAX));
    peri_ledger_close(ledger);
    char other[4096];
    snprintf(other, sizeof other, "%s/other.db", place.root);
    CHECK(rename(scratch_path(&place, "ledger.db"), other) == 0);
    open_host();
    peri_source *source = hosting_stream(&h, "activity");
    go(source);
    CHECK(rename(other, scratch_path(&place, "ledger.db")) == 0);
    go(source);
    CHECK_EQ(times(peri_buf_str(&h.log), "taken away or replaced"), 1);
    go(source);
    CHECK_EQ(times(records(), "\"state\":\"stopped\",\"reason\":\"observerStopped\""), 1);
    hosting_close(&h);
    scratch_close(&place);
}

IT("CC-10 a ledger that is replaced by something else is done without, which is said") {
    scratch_open(&place);
    open_host();
    peri_source *source = hosting_stream(&h, "activity");
    go(source);
    static const char *const files[] = {"ledger.db", "ledger.db-wal", "ledger.db-shm"};
    for (size_t i = 0; i < 3; i++) CHECK(unlink(scratch_path(&place, files[i])) == 0);
    char *junk = calloc(1, 5001);
    CHECK(junk != NULL);
    memset(junk, 'x', 5000);
    scratch_write(&place, "ledger.db", junk);
    free(junk);
    go(source);
    go(source);
    CHECK_EQ(times(records(), "\"record\":\"run\""), 3);
    CHECK_EQ(times(peri_buf_str(&h.log), "nothing is remembered of this run"), 1);
    hosting_finish(&h);
    hosting_close(&h);
    scratch_close(&place);
}

IT("CC-6 leaves a stopped pairing stopped, whatever becomes of the note of the stop") {
    scratch_open(&place);
    live_through(1);
    hosting_close(&h);
    peri_ledger *ledger = open_ledger();
    CHECK_OK(peri_ledger_stop(ledger, PERI_STR("probe"), INT64_MAX));
    peri_ledger_close(ledger);
    live_through(2);
    CHECK_EQ(times(records(), "\"state\":\"stopped\",\"reason\":\"observerStopped\""), 1);
    hosting_close(&h);
    ledger = open_ledger();
    CHECK_OK(peri_ledger_stop(ledger, PERI_STR("probe"), 0));
    CHECK_OK(
        peri_ledger_enable(ledger, PERI_STR("probe"), INT64_MAX)); // revives denied ones only
    peri_ledger_close(ledger);
    live_through(3);
    CHECK_EQ(times(records(), "\"record\":\"run\""), 0);
    CHECK_EQ(times(records(), "\"state\":\"stopped\",\"reason\":\"observerStopped\""), 1);
    hosting_close(&h);
    scratch_close(&place);
}

IT("CC-6 a host that found nothing new leaves the next one where it was itself") {
    scratch_open(&place);
    live_through(3);
    hosting_close(&h);
    for (int start = 0; start < 3; start++) {
        live_through(3);
        CHECK_EQ(times(records(), "\"record\":\"run\""), 0);
        hosting_close(&h);
    }
    live_through(4);
    CHECK_EQ(times(records(), "\"record\":\"run\""), 1);
    peri_str digest = records();
    digest = peri_str_sub(digest, peri_str_find(digest, PERI_STR("\"record\":\"digest\"")),
                          digest.len);
    CHECK_EQ(times(digest, "do 3"), 0); // it was shown
    CHECK_HAS(digest, "do 4");
    hosting_close(&h);
    scratch_close(&place);
}

// Numbers of another beginning say nothing about this one.
IT("CC-6 a session that is read from elsewhere is new, and so is what follows there") {
    scratch_open(&place);
    live_through(5);
    hosting_close(&h);
    for (int start = 0; start < 2; start++) {
        open_host();
        peri_source *source = hosting_stream(&h, "activity");
        for (int i = 0; i <= start; i++) {
            hosting_feed(
                &h, source,
                i ? PERI_STR("{\"session\":\"s\",\"kind\":\"user_message\",\"text\":\"and "
                             "that\"}\n{\"session\":\"s\",\"kind\":\"turn_ended\"}\n")
                  : PERI_STR("{\"session\":\"s\",\"kind\":\"user_message\",\"text\":\"now "
                             "this\"}\n{\"session\":\"s\",\"kind\":\"turn_ended\"}\n"));
        }
        CHECK_EQ(times(records(), "\"record\":\"run\""), 1); // the first time this, then that
        hosting_close(&h);
    }
    scratch_close(&place);
}

TEST_MAIN
