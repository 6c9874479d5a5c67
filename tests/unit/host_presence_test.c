// Two live hosts on one ledger: each session is observed by one of them, neither touches what
// is the other's, and the day's spending is theirs together and outlives both.
#include <sqlite3.h>
#include <sys/wait.h>

#include "hosting.h"
#include "scratch.h"

static hosting a, b;
static char ledger[300], config[300];

static const char probe[] =
    "-- perilune-api: 1\n"
    "return { name = 'probe', description = 'a probe', on = 'turn_end', can = { 'advise' },\n"
    "  observe = function(turn, ctx)\n"
    "    ctx.state.n = (ctx.state.n or 0) + 1\n"
    "    return { advise = 'finding number ' .. ctx.state.n .. ' of ' .. turn.last_user, "
    "fingerprint = 'f' .. ctx.state.n }\n"
    "  end }\n";

static peri_host_options on_ledger(const char *limits) {
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.ledger_path = ledger;
    options.no_policies = true;
    if (!limits) return options;
    FILE *out = fopen(config, "wb");
    CHECK(out != NULL);
    fputs(limits, out);
    fclose(out);
    options.config_path = config;
    return options;
}

static scratch folder;

static void fresh(void) {
    scratch_renew(&folder);
    snprintf(ledger, sizeof ledger, "%s/ledger.db", folder.root);
    snprintf(config, sizeof config, "%s/config.yaml", folder.root);
}

// How many rows there are of `what`: a table and a condition.
static int rows_of(const char *path, const char *what) {
    sqlite3 *db;
    sqlite3_stmt *query;
    char sql[256];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", what);
    CHECK_EQ(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    CHECK_EQ(sqlite3_prepare_v2(db, sql, -1, &query, NULL), SQLITE_OK);
    CHECK_EQ(sqlite3_step(query), SQLITE_ROW);
    int rows = sqlite3_column_int(query, 0);
    sqlite3_finalize(query);
    sqlite3_close(db);
    return rows;
}

static void turn(hosting *h, peri_source *source, const char *session, const char *word) {
    char text[1024];
    snprintf(text, sizeof text,
             "{\"session\":\"%s\",\"kind\":\"user_message\",\"text\":\"%s\"}\n"
             "{\"session\":\"%s\",\"kind\":\"assistant_text\",\"text\":\"did %s\"}\n"
             "{\"session\":\"%s\",\"kind\":\"turn_ended\",\"reason\":\"completed\"}\n",
             session, word, session, word, session);
    hosting_feed(h, source, peri_str_c(text));
    while (peri_host_timeout_ms(h->host) == 20) hosting_settle(h); // the other one wrote
}

IT("two live hosts on one ledger observe a session each, and lose nothing") {
    fresh();
    hosting_open_with(&a, on_ledger(NULL), probe);
    hosting_open_with(&b, on_ledger(NULL), probe);
    peri_source *of_a = hosting_stream(&a, "activity"), *of_b = hosting_stream(&b, "activity");
    for (int i = 0; i < 5; i++) {
        char word[32];
        snprintf(word, sizeof word, "task %d", i);
        turn(&a, of_a, "one", word);
        turn(&b, of_b, "two", word);
    }
    CHECK_EQ(times(peri_buf_str(&a.deliveries), "one\n"), 5);
    CHECK_EQ(times(peri_buf_str(&b.deliveries), "two\n"), 5);
    CHECK_EQ(times(peri_buf_str(&b.records), "\"state\":\"expired\""), 0);
    hosting_close(&a);
    hosting_close(&b);
    CHECK_EQ(rows_of(ledger, "record WHERE kind = 'delivery' AND state = 'handed'"), 10);
    CHECK_EQ(rows_of(ledger, "record WHERE kind = 'decision'"), 10);
}

IT("a session that another live host observes is read, not observed, and said so once") {
    fresh();
    hosting_open_with(&a, on_ledger(NULL), probe);
    peri_source *of_a = hosting_stream(&a, "activity");
    turn(&a, of_a, "one", "first");
    hosting_open_with(&b, on_ledger(NULL), probe);
    peri_source *of_b = hosting_stream(&b, "activity");
    turn(&b, of_b, "one", "first");
    turn(&b, of_b, "one", "second");
    CHECK_EQ(b.deliveries.len, 0);
    CHECK_EQ(times(peri_buf_str(&b.records), "\"state\":\"observed-elsewhere\""), 1);
    char process[64];
    snprintf(process, sizeof process, "observed by another perilune already (process %d)",
             (int)getpid());
    CHECK_HAS(peri_buf_str(&b.log), process);
    turn(&a, of_a, "one", "second");
    CHECK_EQ(times(peri_buf_str(&a.deliveries), "one\n"), 2);
    hosting_close(&a);
    turn(&b, of_b, "one", "third"); // the other one has ended
    CHECK_EQ(times(peri_buf_str(&b.deliveries), "one\n"), 1);
    CHECK_HAS(peri_buf_str(&b.records), "finding number 3 of third");
    hosting_close(&b);
}

IT("a second host leaves what waits in the first one's outbox alone") {
    fresh();
    hosting_open_with(&a, on_ledger(NULL), probe);
    a.sink_answer = PERI_EAGAIN;
    peri_source *of_a = hosting_stream(&a, "activity");
    turn(&a, of_a, "one", "first");
    hosting_open_with(&b, on_ledger(NULL), probe);
    hosting_settle(&b);
    CHECK_EQ(times(peri_buf_str(&b.records), "\"record\":\"delivery\""), 0);
    a.sink_answer = PERI_OK;
    turn(&a, of_a, "one", "second");
    CHECK_EQ(times(peri_buf_str(&a.deliveries), "one\n"), 2);
    hosting_close(&b);
    hosting_close(&a);
}

static int die(void *user, const peri_delivery *d) {
    (void)user, (void)d;
    _exit(7);
}

IT("a delivery that was being handed over when its host died is lost, and never sent again") {
    fresh();
    pid_t child = fork();
    if (child == 0) {
        hosting_open_with(&a, on_ledger(NULL), probe);
        peri_host_set_sink(a.host, die, NULL);
        turn(&a, hosting_stream(&a, "activity"), "one", "first");
        _exit(1);
    }
    int status = 0;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(WEXITSTATUS(status), 7);
    for (int start = 0; start < 2; start++) {
        hosting_open_with(&a, on_ledger(NULL), probe);
        turn(&a, hosting_stream(&a, "activity"), "one", "first");
        CHECK_EQ(times(peri_buf_str(&a.records), "\"reason\":\"lost in hand-over\""),
                 start == 0);
        CHECK_EQ(a.deliveries.len, 0);
        hosting_close(&a);
    }
}

static const char two_a_day[] = "limits: { day: { proposals: 3 }, session: { wakes: 4 } }\n";

IT("PE-3 a day's ceiling is not refilled by a restart") {
    fresh();
    for (int start = 0; start < 3; start++) {
        hosting_open_with(&a, on_ledger(two_a_day), probe);
        char session[32];
        snprintf(session, sizeof session, "s%d", start);
        peri_source *source = hosting_stream(&a, "activity");
        turn(&a, source, session, "first");
        turn(&a, source, session, "second");
        size_t said = times(peri_buf_str(&a.deliveries), session);
        CHECK_EQ(said, start == 0 ? 2 : start == 1 ? 1 : 0);
        if (start > 0) {
            CHECK_HAS(peri_buf_str(&a.records), "the day's ceiling of proposals is reached");
        }
        hosting_close(&a);
    }
}

IT("PE-3 a session's ceiling is not refilled by a restart") {
    fresh();
    for (int start = 0; start < 3; start++) {
        hosting_open_with(&a, on_ledger("limits: { session: { wakes: 4 } }\n"), probe);
        peri_source *source = hosting_stream(&a, "activity");
        char word[32];
        for (int i = 0; i < 3; i++) { // another input each time: all of it is new
            snprintf(word, sizeof word, "%d-%d", start, i);
            turn(&a, source, "one", word);
        }
        CHECK_EQ(times(peri_buf_str(&a.records), "\"record\":\"run\""), start == 0   ? 3
                                                                        : start == 1 ? 1
                                                                                     : 0);
        hosting_close(&a);
    }
}

IT("PE-3 two hosts of a ledger spend of one day") {
    fresh();
    hosting_open_with(&a, on_ledger(two_a_day), probe);
    hosting_open_with(&b, on_ledger(two_a_day), probe);
    peri_source *of_a = hosting_stream(&a, "activity"), *of_b = hosting_stream(&b, "activity");
    for (int i = 0; i < 4; i++) {
        turn(&a, of_a, "one", "task");
        turn(&b, of_b, "two", "task");
    }
    size_t said = times(peri_buf_str(&a.records), "\"record\":\"proposal\"") +
                  times(peri_buf_str(&b.records), "\"record\":\"proposal\"");
    CHECK(said >= 3 && said <= 4); // each hears of the other's when it stores its own
    hosting_close(&a);
    hosting_close(&b);
}

IT("a replay neither claims nor spends") {
    fresh();
    hosting_open_with(&a, on_ledger(NULL), probe);
    turn(&a, hosting_stream(&a, "activity"), "one", "first");
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    char replay[320];
    snprintf(replay, sizeof replay, "%s-replay", ledger);
    options.mode = PERI_MODE_REPLAY;
    options.ledger_path = replay;
    options.ledger_replace = true;
    hosting_open_with(&b, options, probe);
    turn(&b, hosting_stream(&b, "activity"), "one", "first");
    CHECK_EQ(times(peri_buf_str(&b.records), "\"state\":\"would-deliver\""), 1);
    hosting_close(&b);
    CHECK_EQ(rows_of(replay, "spent"), 0);
    CHECK_EQ(rows_of(replay, "host"), 0);
    hosting_close(&a);
}

TEST_MAIN
