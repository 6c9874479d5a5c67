// Reports (spec CC-9): the whole table of conditions, and where an accepted one goes.
#include "hosting.h"
#include "ledger/pairing_state.h"
#include "scratch.h"

static const char probe[] = "-- perilune-api: 1\n"
                            "return { name = 'probe', description = 'd', on = 'turn_end',\n"
                            "  can = { 'report' }, observe = function() end }\n";

static hosting h;

static peri_source *source;

static void open_session(void) {
    hosting_open(&h, PERI_MODE_LIVE, probe);
    source = hosting_stream(&h, "activity");
}

// The task of the pairing that watches `agent`, as the records tell it.
static peri_str task_of(const char *agent) {
    static char id[64];
    char wanted[128];
    peri_str rest = peri_buf_str(&h.records);
    snprintf(wanted, sizeof wanted, "\"agent\":\"%s\",", agent);
    while (rest.len) {
        size_t end = peri_str_find_byte(rest, '\n', 0);
        peri_str line = peri_str_sub(rest, 0, end);
        rest = end == PERI_NPOS ? (peri_str){0} : peri_str_sub(rest, end + 1, rest.len);
        size_t at = peri_str_find(line, PERI_STR("\"id\":\""));
        bool pairing = peri_str_find(line, PERI_STR("\"record\":\"pairing\"")) != PERI_NPOS;
        if (!pairing || at == PERI_NPOS || peri_str_find(line, peri_str_c(wanted)) == PERI_NPOS)
            continue;
        peri_str text = peri_str_sub(line, at + 6, line.len);
        text = peri_str_sub(text, 0, peri_str_find_byte(text, '"', 0));
        snprintf(id, sizeof id, "%.*s", PERI_FMT(text));
        return peri_str_c(id);
    }
    TEST_FAIL("no pairing of %s", agent);
    return rest;
}

static peri_report_answer report(peri_str caller) {
    peri_report_answer answer;
    CHECK_OK(peri_host_report(h.host, PERI_STR("s"), caller,
                              PERI_STR("src/a.c no longer frees its buffer on the error path"),
                              &answer));
    hosting_settle(&h);
    return answer;
}

static bool says(const peri_report_answer *answer, const char *words) {
    return strstr(answer->text, words) != NULL;
}

static bool delivered(const char *words) {
    return peri_str_find(peri_buf_str(&h.deliveries), peri_str_c(words)) != PERI_NPOS;
}

static const char running[] =
    "{\"session\":\"s\",\"kind\":\"user_message\",\"text\":\"go\"}\n"
    "{\"session\":\"s\",\"kind\":\"assistant_text\",\"text\":\"on it\"}\n";
static const char settled[] =
    "{\"session\":\"s\",\"kind\":\"turn_ended\",\"reason\":\"completed\"}\n";
static const char task[] =
    "{\"session\":\"s\",\"agent\":\"t1\",\"kind\":\"user_message\",\"text\":\"do\"}\n"
    "{\"session\":\"s\",\"agent\":\"t1\",\"kind\":\"assistant_text\",\"text\":\"doing\"}\n";
static const char task_done[] =
    "{\"session\":\"s\",\"agent\":\"t1\",\"kind\":\"turn_ended\",\"reason\":\"completed\"}\n";

IT("CC-9 queues a report for the running main conversation in the lane steer") {
    open_session();
    hosting_feed(&h, source, peri_str_c(running));
    peri_report_answer answer = report(task_of("main"));
    CHECK(!answer.is_error && says(&answer, "main conversation"));
    CHECK(delivered(" steer s"));
    hosting_close(&h);
}

IT("CC-9 queues it with the next prompt where the main conversation is idle") {
    open_session();
    hosting_feed(&h, source, peri_str_c(running));
    hosting_feed(&h, source, peri_str_c(settled));
    peri_report_answer answer = report(task_of("main"));
    CHECK(!answer.is_error);
    CHECK(delivered(" prompt s"));
    hosting_close(&h);
}

IT("CC-9 queues a report for a running task, by name") {
    open_session();
    hosting_feed(&h, source, peri_str_c(running));
    hosting_feed(&h, source, peri_str_c(task));
    peri_report_answer answer = report(task_of("t1"));
    CHECK(!answer.is_error && says(&answer, "queued for t1"));
    CHECK(delivered(" steer s"));
    hosting_close(&h);
}

IT("CC-9 refuses a report about a finished task") {
    open_session();
    hosting_feed(&h, source, peri_str_c(running));
    hosting_feed(&h, source, peri_str_c(task));
    hosting_feed(&h, source, peri_str_c(task_done));
    peri_report_answer answer = report(task_of("t1"));
    CHECK(answer.is_error && says(&answer, "not running"));
    CHECK_EQ(h.deliveries.len, 0);
    hosting_close(&h);
}

IT("CC-9 refuses a report from the main session") {
    open_session();
    hosting_feed(&h, source, peri_str_c(running));
    peri_report_answer answer = report(PERI_STR("main"));
    CHECK(answer.is_error && says(&answer, "no observed pairing"));
    answer = report((peri_str){0});
    CHECK(answer.is_error && says(&answer, "no observed pairing"));
    CHECK_EQ(h.deliveries.len, 0);
    hosting_close(&h);
}

IT("CC-9 refuses a report of a task that was never installed") {
    open_session();
    hosting_feed(&h, source, peri_str_c(running));
    peri_report_answer answer = report(PERI_STR("0000000000000000"));
    CHECK(answer.is_error && says(&answer, "not armed"));
    hosting_close(&h);
}

// ---- One session, six outcomes

static scratch place;
static peri_buf taken; // "agent lane priority origin meta\n" of what the sink took

static int take(void *user, const peri_delivery *d) {
    (void)user;
    CHECK(peri_str_find(d->text, PERI_STR("no longer frees its buffer")) != PERI_NPOS);
    peri_buf_addf(&taken, "%.*s %.*s %.*s %.*s%s\n", PERI_FMT(d->agent), PERI_FMT(d->lane),
                  PERI_FMT(d->priority), PERI_FMT(d->origin), d->is_meta ? " meta" : "");
    return PERI_OK;
}

static void stop_by_user(void) {
    peri_ledger *ledger = NULL;
    const char *error = NULL;
    CHECK_OK(peri_ledger_open(scratch_path(&place, "ledger.db"), &(peri_ledger_options){0},
                              &ledger, &error));
    CHECK_OK(peri_ledger_stop(ledger, PERI_STR("probe"), INT64_MAX));
    peri_ledger_close(ledger);
}

static void expect(peri_str caller, bool is_error, const char *words) {
    peri_report_answer answer = report(caller);
    if (answer.is_error != is_error || !says(&answer, words)) TEST_FAIL("%s", answer.text);
}

IT("CC-9 gives six reports of one session the six outcomes") {
    static const char other_done[] =
        "{\"session\":\"s\",\"agent\":\"t2\",\"kind\":\"user_message\",\"text\":\"do\"}\n"
        "{\"session\":\"s\",\"agent\":\"t2\",\"kind\":\"turn_ended\",\"reason\":\"completed\"}\n";
    scratch_open(&place);
    peri_buf_init(&taken, 4096);
    hosting_open_on(&h, PERI_MODE_LIVE, probe, scratch_path(&place, "ledger.db"));
    peri_host_set_sink(h.host, take, NULL);
    source = hosting_stream(&h, "activity");
    hosting_feed(&h, source, peri_str_c(running));
    hosting_feed(&h, source, peri_str_c(task));
    hosting_feed(&h, source, peri_str_c(other_done));
    char of_main[64], of_task[64];
    snprintf(of_main, sizeof of_main, "%.*s", PERI_FMT(task_of("main")));
    snprintf(of_task, sizeof of_task, "%.*s", PERI_FMT(task_of("t1")));

    expect(peri_str_c(of_main), false, "queued for the main conversation"); // 1: to main
    expect(peri_str_c(of_task), false, "queued for t1");                    // 2: a running task
    expect(task_of("t2"), true, "not running");            // 3: a finished task
    expect(PERI_STR("main"), true, "no observed pairing"); // 4: from the main session
    stop_by_user();
    expect(peri_str_c(of_task), true, "not armed: it was stopped"); // 5: stopped
    CHECK_EQ(times(peri_buf_str(&h.records), "\"reason\":\"observerStopped\""), 1);
    hosting_finish(&h);
    expect(peri_str_c(of_main), true, "retired"); // 6: its agent has ended
    CHECK_STR(peri_buf_str(&taken), "main steer next observer:probe meta\n"
                                    "t1 steer next observer:probe meta\n");
    hosting_close(&h);
    peri_buf_deinit(&taken);
    scratch_close(&place);
}

IT("CC-9 refuses a report of an observer that the user has stopped") {
    scratch_open(&place);
    hosting_open_on(&h, PERI_MODE_LIVE, probe, scratch_path(&place, "ledger.db"));
    source = hosting_stream(&h, "activity");
    hosting_feed(&h, source, peri_str_c(running));
    stop_by_user();
    expect(task_of("main"), true, "not armed: it was stopped");
    CHECK_EQ(h.deliveries.len, 0);
    hosting_close(&h);
    scratch_close(&place);
}

IT("C27 refuses a report for a session that has ended, and gives it to no sibling") {
    open_session();
    hosting_feed(&h, source, peri_str_c(running));
    peri_str observer = task_of("main");
    hosting_finish(&h);
    peri_report_answer answer = report(observer);
    CHECK(answer.is_error && says(&answer, "not armed"));
    CHECK_EQ(h.deliveries.len, 0);
    hosting_close(&h);
}

TEST_MAIN
