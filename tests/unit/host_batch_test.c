// Batches (spec CC-10), with a runtime that a test drives: it keeps
// each digest and answers when told to.
#include "host/types.h"
#include "hosting.h"
#include "ledger/pairing_state.h"
#include "scratch.h"

static const char probe[] = "-- perilune-api: 1\n"
                            "return { name = 'probe', description = 'd', on = 'turn_end',\n"
                            "  observe = function() end }\n";

static hosting h;
static scratch place;
static peri_source *source;

// What the runtime holds of the run in flight, and how often it was started.
static struct {
    peri_run_done done;
    void *user;
    size_t starts;
    char digest[8192];
    char saved[256];
} run;

static void on_start(void *user, const peri_run_request *request, peri_arena *arena,
                     peri_run_done done, void *done_user) {
    (void)user, (void)arena;
    CHECK(run.done == NULL); // one at a time
    run.done = done;
    run.user = done_user;
    run.starts++;
    snprintf(run.digest, sizeof run.digest, "%.*s", PERI_FMT(request->digest));
    snprintf(run.saved, sizeof run.saved, "%.*s", PERI_FMT(request->saved_state));
}

static void on_abandon(void *user) {
    peri_run_done done = run.done;
    (void)user;
    run.done = NULL;
    if (done) done(run.user, &(peri_run_result){.state = PERI_RUN_ABANDONED});
}

static void answer(peri_run_state state) {
    peri_run_done done = run.done;
    CHECK(done != NULL);
    run.done = NULL;
    done(run.user, &(peri_run_result){.state = state,
                                      .error = PERI_STR("as told"),
                                      .saved_state = PERI_STR("{\"n\":1}")});
    hosting_settle(&h);
}

static void open_host(void) {
    memset(&run, 0, sizeof run);
    scratch_open(&place);
    hosting_open_on(&h, PERI_MODE_LIVE, probe, scratch_path(&place, "ledger.db"));
    h.host->runtimes[PERI_RUN_LUA] = (peri_runtime){.start = on_start, .abandon = on_abandon};
    source = hosting_stream(&h, "activity");
}

static void close_host(void) {
    hosting_close(&h);
    scratch_close(&place);
}

static void step(int number) {
    char text[512];
    snprintf(
        text, sizeof text,
        "{\"session\":\"s\",\"cwd\":\"%s\",\"kind\":\"user_message\",\"text\":\"TEXT-%d\"}\n"
        "{\"session\":\"s\",\"kind\":\"turn_ended\",\"reason\":\"completed\"}\n",
        place.root, number);
    hosting_feed(&h, source, peri_str_c(text));
}

static peri_pairing *pairing(void) {
    return h.host->registry.first->agents->pairings[0];
}

static bool shown(int number) {
    char word[32];
    snprintf(word, sizeof word, "TEXT-%d", number);
    return strstr(run.digest, word) != NULL;
}

static size_t told(const char *words) {
    return times(peri_buf_str(&h.records), words);
}

IT("CC-10 shows the whole buffer as one batch, with one run in flight") {
    open_host();
    step(1);
    CHECK_EQ(run.starts, 1);
    step(2);
    step(3);
    CHECK_EQ(run.starts, 1); // and the agent was read on meanwhile
    CHECK_EQ(pairing()->counts.missed, 2);
    CHECK_EQ(told("\"text\":\"TEXT-3\""), 1);
    answer(PERI_RUN_SILENT);
    CHECK_EQ(run.starts, 1); // an observer of the layers waits for its trigger
    step(4);
    CHECK_EQ(run.starts, 2);
    CHECK(!shown(1) && shown(2) && shown(3) && shown(4));
    close_host();
}

IT("CC-10 PI-6 wakes an observer that its agent's definition names again when its run ends") {
    open_host();
    step(1);
    pairing()->named = true;
    step(2);
    step(3);
    answer(PERI_RUN_SILENT);
    CHECK_EQ(run.starts, 2);
    CHECK(!shown(1) && shown(2) && shown(3));
    answer(PERI_RUN_SILENT);
    CHECK_EQ(run.starts, 2);
    close_host();
}

IT("CC-10 a denial at delivery: denied, and the buffer is cleared") {
    open_host();
    step(1);
    step(2); // waits in the buffer
    answer(PERI_RUN_SILENT);
    scratch_write(&place, ".claude/settings.json",
                  "{\"permissions\":{\"deny\":[\"Agent(probe)\"]}}");
    step(3);
    CHECK_EQ(run.starts, 1);
    CHECK_EQ(pairing()->state, PERI_PAIRING_DENIED);
    CHECK_EQ(pairing()->counts.denied, 1);
    const host_agent *of = pairing()->agent->attached;
    CHECK_EQ(pairing()->cursor, of->tap.last_number + 1);
    CHECK_EQ(told("\"state\":\"denied\",\"reason\":\"deny-rules: "), 1);
    close_host();
}

IT("CC-10 an error of the gate drops the batch and leaves the pairing armed") {
    open_host();
    step(1);
    answer(PERI_RUN_SILENT);
    scratch_write(&place, ".claude/settings.json", "{\"permissions\":");
    step(2);
    CHECK_EQ(run.starts, 1);
    CHECK_EQ(pairing()->state, PERI_PAIRING_ARMED);
    CHECK_EQ(pairing()->counts.gate_errors, 1);
    CHECK_EQ(hosting_count(&h, "gateErrors"), 1);
    scratch_write(&place, ".claude/settings.json", "{}");
    step(3);
    CHECK(shown(3) && !shown(2));
    close_host();
}

IT("CC-10 a delivery that fails drops the batch and leaves the pairing armed, as the same task") {
    open_host();
    step(1);
    char task[PERI_TASK_ID_ROOM];
    strcpy(task, pairing()->task_id);
    answer(PERI_RUN_FAILED);
    CHECK_EQ(pairing()->state, PERI_PAIRING_ARMED);
    CHECK_EQ(pairing()->counts.failed, 1);
    step(2);
    CHECK(shown(2) && !shown(1));
    CHECK(!strstr(run.digest, "Recovery note"));
    answer(PERI_RUN_TIMEOUT);
    CHECK_EQ(strcmp(task, pairing()->task_id), 0);
    CHECK_EQ(pairing()->counts.lost_states, 0);
    close_host();
}

IT("CC-10 lost state: a fresh id, and the same digest once more behind the recovery note") {
    open_host();
    step(1);
    answer(PERI_RUN_SILENT);
    step(2);
    CHECK_STR(peri_str_c(run.saved), "{\"n\":1}");
    char task[PERI_TASK_ID_ROOM];
    strcpy(task, pairing()->task_id);
    step(3); // comes behind the batch that is in flight, and is not in its retry
    answer(PERI_RUN_LOST);
    CHECK_EQ(run.starts, 3);
    CHECK_EQ(strncmp(run.digest, "Recovery note: ", 15), 0);
    CHECK(!shown(1) && shown(2) && !shown(3));
    CHECK_EQ(strlen(run.saved), 0);
    CHECK(strcmp(task, pairing()->task_id) != 0);
    CHECK_EQ(pairing()->failures, 0);
    answer(PERI_RUN_SILENT);
    CHECK_EQ(hosting_count(&h, "statesLost"), 1);
    step(4);
    CHECK(shown(3) && shown(4));
    CHECK(!strstr(run.digest, "Recovery note"));
    close_host();
}

IT("CC-9 a report of a task that has ended for a fresh one is refused") {
    open_host();
    step(1);
    char task[PERI_TASK_ID_ROOM];
    strcpy(task, pairing()->task_id);
    answer(PERI_RUN_LOST);
    peri_report_answer got;
    CHECK_OK(
        peri_host_report(h.host, PERI_STR("s"), peri_str_c(task), PERI_STR("a finding"), &got));
    CHECK(got.is_error && strstr(got.text, "not armed"));
    CHECK_EQ(told("\"record\":\"proposal\""), 0);
    close_host();
}

IT("CC-10 the retry comes before what is due of the same observer") {
    open_host();
    step(1);
    pairing()->named = true;
    step(2); // to be made up for
    answer(PERI_RUN_LOST);
    CHECK(shown(1) && !shown(2));
    answer(PERI_RUN_SILENT);
    CHECK_EQ(run.starts, 3);
    CHECK(!shown(1) && shown(2));
    close_host();
}

IT("CC-10 state that is lost twice in a row is a failure: the batch is dropped, still armed") {
    open_host();
    step(1);
    answer(PERI_RUN_LOST);
    answer(PERI_RUN_LOST);
    CHECK_EQ(run.starts, 2);
    CHECK_EQ(pairing()->failures, 1);
    CHECK_EQ(pairing()->state, PERI_PAIRING_ARMED);
    CHECK_EQ(told("its state was lost twice in a row"), 1);
    step(2);
    CHECK(shown(2) && !shown(1));
    close_host();
}

static void stop_by_user(void) {
    peri_ledger *ledger = NULL;
    const char *error = NULL;
    CHECK_OK(peri_ledger_open(scratch_path(&place, "ledger.db"), &(peri_ledger_options){0},
                              &ledger, &error));
    CHECK_OK(peri_ledger_stop(ledger, PERI_STR("probe"), INT64_MAX));
    peri_ledger_close(ledger);
}

IT("CC-10 the user's stop between loss and retry is terminal") {
    open_host();
    step(1);
    stop_by_user();
    answer(PERI_RUN_LOST);
    CHECK_EQ(run.starts, 1);
    CHECK_EQ(pairing()->state, PERI_PAIRING_STOPPED);
    step(2);
    CHECK_EQ(run.starts, 1);
    CHECK_EQ(told("\"state\":\"stopped\",\"reason\":\"observerStopped\""), 1);
    close_host();
}

IT("CC-10 the gate is asked about the retry as well") {
    open_host();
    step(1);
    scratch_write(&place, ".claude/settings.json", "{\"permissions\":{\"deny\":[\"Agent\"]}}");
    answer(PERI_RUN_LOST);
    CHECK_EQ(run.starts, 1);
    CHECK_EQ(pairing()->state, PERI_PAIRING_DENIED);
    close_host();
}

TEST_MAIN
