// Runs that outlast their wake (spec PI-6) and observers in processes of their own, seen from
// the host: it reads on, misses wakes and says so, and judges late answers as they come.
#include "host/types.h"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

typedef struct stage {
    char folder[64];
    peri_host *host;
    peri_source *source;
    char delivered[512];
    size_t deliveries;
    size_t digests, runs, abandoned, summaries; // records
    char reason[128];                           // of the last run
} stage;

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

enum { PATIENCE_MS = 120 * 1000 }; // with what comes unless it hangs

static int hear(void *user, const peri_delivery *delivery) {
    stage *s = user;
    snprintf(s->delivered, sizeof s->delivered, "%.*s", PERI_FMT(delivery->text));
    s->deliveries++;
    return PERI_OK;
}

static void count_record(void *user, const peri_record *record) {
    stage *s = user;
    s->digests += record->kind == PERI_RECORD_DIGEST;
    s->summaries += record->kind == PERI_RECORD_SUMMARY;
    if (record->kind != PERI_RECORD_RUN) return;
    s->runs++;
    s->abandoned += peri_str_eq(record->state, PERI_STR("abandoned"));
    snprintf(s->reason, sizeof s->reason, "%.*s", PERI_FMT(record->text));
}

static void write_observer(const stage *s, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/o.lua", s->folder);
    FILE *out = fopen(path, "w");
    if (!out || fputs(text, out) < 0 || fclose(out) != 0) TEST_FAIL("cannot write %s", path);
}

// `also` (may be NULL) writes more into the folder of observers.
static stage *stage_new_with(const char *observer, peri_mode mode,
                             void (*also)(const char *folder)) {
    stage *s = calloc(1, sizeof *s);
    if (!s) TEST_FAIL("out of memory");
    strcpy(s->folder, "/tmp/host_commands.XXXXXX");
    if (!mkdtemp(s->folder)) TEST_FAIL("cannot make a folder");
    write_observer(s, observer);
    if (also) also(s->folder);
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.mode = mode;
    options.observer_dir = s->folder;
    options.observer_only = "o";
    options.no_policies = true;
    options.exec_path = PERI_EXEC_PATH;
    CHECK_OK(peri_host_new(&options, &s->host));
    peri_host_set_sink(s->host, hear, s);
    CHECK_OK(peri_host_subscribe(s->host, count_record, s));
    CHECK_OK(peri_host_open_stream(s->host, NULL, "activity", &s->source));
    return s;
}

static stage *stage_new(const char *observer, peri_mode mode) {
    return stage_new_with(observer, mode, NULL);
}

static void stage_free(stage *s) {
    char path[128];
    peri_host_free(s->host);
    CHECK_EQ(s->runs, s->digests); // each run that was started has ended in one record
    snprintf(path, sizeof path, "%s/o.lua", s->folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/o.md", s->folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/go", s->folder);
    unlink(path);
    rmdir(s->folder);
    free(s);
}

// From now on commands answer that wait for it.
static void let_answer(const stage *s) {
    char path[128];
    snprintf(path, sizeof path, "%s/go", s->folder);
    FILE *out = fopen(path, "w");
    if (!out || fclose(out) != 0) TEST_FAIL("cannot write %s", path);
}

static void run_ready(stage *s) {
    while (peri_host_step(s->host, 0) > 0) {}
}

// A replay ends a session that has nothing more to read, so its tests step at their end.
static void feed(stage *s, const char *kind, const char *text) {
    char line[256];
    size_t used;
    int len = snprintf(line, sizeof line,
                       "{\"session\":\"s\",\"kind\":\"%s\",\"text\":\"%s\"}\n", kind, text);
    CHECK_OK(peri_source_feed(s->source, line, (size_t)len, &used));
    CHECK_EQ(used, len);
    if (s->host->mode == PERI_MODE_LIVE) run_ready(s);
}

// A turn with one answer in it: `turn_end` fires once.
static void turn(stage *s, const char *text) {
    feed(s, "user_message", "go on");
    feed(s, "assistant_text", text);
    feed(s, "turn_ended", "completed");
}

static const peri_pairing *pairing(const stage *s) {
    return s->host->registry.first->agents->pairings[0];
}

// Steps until nothing is in flight.
static void settle(stage *s) {
    int64_t end_ms = now_ms() + PATIENCE_MS;
    let_answer(s);
    do {
        CHECK(peri_host_step(s->host, 20) >= 0);
    } while ((s->host->runs || s->host->work_count) && now_ms() < end_ms);
    CHECK(!s->host->runs);
}

#define WHEN_LET "until [ -e go ]; do sleep 0.01; done; "

#define SLOW                                                                                   \
    "-- perilune-api: 1\nreturn { name = 'o', description = 'd', on = 'turn_end', command = "  \
    "{ 'sh', '-c', 'while read -r l; do " WHEN_LET                                             \
    "echo \"{\\\\\"advise\\\\\":\\\\\"slow\\\\\"}\"; done' } }"

IT("PI-6 reads on while a run is in flight, and counts the wakes it missed") {
    stage *s = stage_new(SLOW, PERI_MODE_LIVE);
    turn(s, "one");
    turn(s, "two");
    turn(s, "three");
    CHECK(pairing(s)->run != NULL);
    CHECK_EQ(pairing(s)->counts.missed, 2);
    CHECK_EQ(s->deliveries, 0);
    settle(s);
    CHECK_EQ(pairing(s)->counts.runs, 1);
    CHECK_STR(pairing(s)->last_error, "");
    CHECK_EQ(s->deliveries, 1);
    CHECK_HAS(peri_str_c(s->delivered), "slow");
    stage_free(s);
}

IT("PI-6 keeps in the tap what a missed wake did not show") {
    stage *s = stage_new(SLOW, PERI_MODE_LIVE);
    turn(s, "one");
    turn(s, "two");
    uint64_t seen = pairing(s)->cursor;
    settle(s);
    const host_agent *of = pairing(s)->agent->attached;
    CHECK(pairing(s)->cursor > seen); // the first run's; the second turn's items are behind it
    CHECK(pairing(s)->cursor <= of->tap.last_number);
    turn(s, "three");
    settle(s);
    CHECK_EQ(pairing(s)->counts.runs, 2);
    CHECK_EQ(pairing(s)->cursor, of->tap.last_number + 1);
    stage_free(s);
}

IT("PI-6 kicks an observer named by its agent again when its run ends") {
    stage *s = stage_new(SLOW, PERI_MODE_LIVE);
    feed(s, "user_message", "go on");
    s->host->registry.first->agents->pairings[0]->named = true;
    feed(s, "turn_ended", "completed");
    turn(s, "two");
    CHECK_EQ(pairing(s)->counts.missed, 1);
    settle(s);
    CHECK_EQ(pairing(s)->counts.runs, 2);
    stage_free(s);
}

IT("ends an agent behind its last run, then nothing of it is alive") {
    stage *s = stage_new(SLOW, PERI_MODE_LIVE);
    turn(s, "one");
    CHECK_OK(peri_source_end(s->source));
    CHECK_OK(peri_host_finish(s->host));
    int64_t end_ms = now_ms() + PATIENCE_MS;
    let_answer(s);
    while (!s->host->summed && now_ms() < end_ms) CHECK(peri_host_step(s->host, 20) >= 0);
    CHECK(s->host->summed);
    CHECK_EQ(pairing(s)->state, PERI_PAIRING_RETIRED);
    CHECK_EQ(s->deliveries, 1);
    while (peri_commands_children(s->host->commands) && now_ms() < end_ms) {
        CHECK(peri_host_step(s->host, 10) >= 0);
    }
    CHECK_EQ(peri_commands_children(s->host->commands), 0);
    stage_free(s);
}

#define HANGING                                                                                  \
    "-- perilune-api: 1\nreturn { name = 'o', description = 'd', on = 'turn_end', timeout_ms = " \
    "120000, command = { 'sh', '-c', 'read -r l; exec sleep 300' } }"

IT("abandons what is at work, with a record, and reads and waits for nothing more") {
    stage *s = stage_new(HANGING, PERI_MODE_LIVE);
    turn(s, "one");
    CHECK(s->host->runs != NULL);
    static const char unread[] =
        "{\"session\":\"s\",\"kind\":\"user_message\",\"text\":\"x\"}\n";
    size_t used;
    CHECK_OK(peri_source_feed(s->source, unread, sizeof unread - 1, &used));
    CHECK_OK(peri_host_abandon(s->host));
    CHECK(!s->host->runs);
    CHECK_EQ(s->abandoned, 1);
    CHECK_STR(peri_str_c(s->reason), "the host ended before it answered");
    CHECK_EQ(pairing(s)->failures, 0);
    run_ready(s);
    CHECK_EQ(s->summaries, 1);
    CHECK_EQ(s->host->counts.observations, 3); // the fourth stays unread
    stage_free(s);
}

IT("starts no program for what is due at an abandoned host's end") {
    stage *s = stage_new("-- perilune-api: 1\nreturn { name = 'o', description = 'd', on = "
                         "'session_end', command = { 'sh', '-c', 'exec sleep 300' } }",
                         PERI_MODE_LIVE);
    turn(s, "one");
    CHECK_OK(peri_host_abandon(s->host));
    run_ready(s);
    CHECK_EQ(s->summaries, 1);
    CHECK_EQ(s->runs, 1);
    CHECK_STR(peri_str_c(s->reason), "the host is ending");
    CHECK_EQ(peri_commands_children(s->host->commands), 0);
    stage_free(s);
}

static void ends_as_abandoned(stage *s, const char *reason) {
    CHECK_EQ(s->runs, 1);
    CHECK_EQ(s->abandoned, 1);
    CHECK_STR(peri_str_c(s->reason), reason);
}

IT("records a run whose observer was stopped meanwhile, and nothing of its answer") {
    stage *s = stage_new(SLOW, PERI_MODE_LIVE);
    turn(s, "one");
    peri_pairing *stopped = s->host->registry.first->agents->pairings[0];
    CHECK(peri_pairing_move(stopped, PERI_CAUSE_USER_STOP) > 0);
    settle(s);
    ends_as_abandoned(s, "its observer is not armed any more");
    CHECK_EQ(s->deliveries, 0);
    CHECK_EQ(stopped->counts.proposed, 0);
    stage_free(s);
}

IT("records the runs that end with their host") {
    stage *s = stage_new(HANGING, PERI_MODE_LIVE);
    turn(s, "one");
    peri_host_free(s->host);
    s->host = NULL;
    ends_as_abandoned(s, "the host ended before it answered");
    stage_free(s);
}

#define VETO                                                                                   \
    "-- perilune-api: 1\nreturn { name = 'o', description = 'd', on = 'turn_end', can = "      \
    "{ 'veto' }, command = { 'sh', '-c', 'read -r l; " WHEN_LET "echo "                        \
    "\"{\\\\\"veto\\\\\":\\\\\"wait\\\\\"}\"' } }"

IT("drops a veto that comes when the agent has stopped") {
    stage *s = stage_new(VETO, PERI_MODE_LIVE);
    turn(s, "one");
    settle(s);
    CHECK_EQ(pairing(s)->counts.proposed, 1);
    CHECK_EQ(pairing(s)->counts.dropped, 1);
    CHECK_STR(pairing(s)->last[PERI_LAST_REASON], "too late");
    CHECK_EQ(s->deliveries, 0);
    stage_free(s);
}

IT("PE-4 waits in a replay, and takes the veto of the turn that is ending") {
    stage *s = stage_new(VETO, PERI_MODE_REPLAY);
    let_answer(s);
    turn(s, "one");
    turn(s, "two");
    run_ready(s);
    CHECK(!s->host->runs);
    CHECK_EQ(pairing(s)->counts.missed, 0);
    CHECK_EQ(pairing(s)->counts.proposed, 2);
    CHECK_EQ(s->host->counts.vetoes, 2);
    stage_free(s);
}

#define WORKER                                                                                 \
    "-- perilune-api: 1\nreturn { name = 'o', description = 'd', on = 'turn_end',\n"           \
    "isolation = 'worker', observe = function(turn, ctx)\n"                                    \
    "  ctx.state.n = (ctx.state.n or 0) + 1\n"                                                 \
    "  return { advise = 'step ' .. ctx.state.n .. ' of ' .. turn.items[2].text }\n"           \
    "end }"

IT("runs a Lua observer in a worker, with its state kept by the host") {
    stage *s = stage_new(WORKER, PERI_MODE_REPLAY);
    turn(s, "alpha");
    turn(s, "beta");
    run_ready(s);
    CHECK_STR(pairing(s)->last_error, "");
    CHECK_STR(pairing(s)->saved_state, "{\"n\":2}");
    CHECK_STR(pairing(s)->last[PERI_LAST_TEXT], "step 2 of beta");
    stage_free(s);
}

IT("does not run a worker's file that changed since the host read it") {
    stage *s = stage_new(WORKER, PERI_MODE_REPLAY);
    write_observer(s, WORKER "\n-- another content");
    turn(s, "alpha");
    run_ready(s);
    CHECK_HAS(pairing(s)->last_error, "changed since the host read it");
    stage_free(s);
}

#define WAKE                                                                                   \
    "-- perilune-api: 1\nreturn { name = 'o', description = 'd', on = 'turn_end',\n"           \
    "wake = function(turn) return turn.turn > 1 end,\n"                                        \
    "command = { 'sh', '-c', 'read -r l; echo' } }"

IT("asks a command's wake before it starts anything") {
    stage *s = stage_new(WAKE, PERI_MODE_LIVE);
    turn(s, "one");
    CHECK_EQ(pairing(s)->counts.skipped, 1);
    CHECK_EQ(peri_commands_children(s->host->commands), 0);
    turn(s, "two");
    settle(s);
    CHECK_EQ(pairing(s)->counts.skipped, 1);
    CHECK_EQ(pairing(s)->counts.silent, 1);
    stage_free(s);
}

#define ASKS_FOR_TOOL                                                                          \
    "-- perilune-api: 1\nreturn { name = 'o', description = 'd', on = 'turn_end', command = "  \
    "{ 'sh', '-c', 'read -r l; echo \"{\\\\\"send_message\\\\\":\\\\\"to the agent\\\\\"}\"' } }"

IT("CC-12 a call of what is none of its tools is refused, counted and shown") {
    stage *s = stage_new(ASKS_FOR_TOOL, PERI_MODE_REPLAY);
    turn(s, "one");
    run_ready(s);
    CHECK_EQ(s->runs, 1);
    CHECK_EQ(pairing(s)->counts.failed, 1);
    CHECK_HAS(peri_str_c(s->reason), "unknown key \"send_message\"");
    CHECK_EQ(pairing(s)->counts.proposed, 0);
    stage_free(s);
}

// ---- The Lua beside a Markdown observer, in a worker

typedef struct asked {
    size_t count;
    char digest[4096];
    uint32_t turn;
} asked;

static void ask_model(void *user, const peri_run_request *request, peri_arena *arena,
                      peri_run_done done, void *done_user) {
    asked *a = user;
    (void)arena;
    a->count++;
    a->turn = request->turn->turn;
    snprintf(a->digest, sizeof a->digest, "%.*s", PERI_FMT(request->digest));
    done(done_user, &(peri_run_result){.state = PERI_RUN_PROPOSED,
                                       .draft = {.advise = PERI_STR("by the model"),
                                                 .fingerprint = PERI_STR("m")}});
}

static void write_markdown(const char *folder) {
    char path[128];
    snprintf(path, sizeof path, "%s/o.md", folder);
    FILE *out = fopen(path, "w");
    if (!out) TEST_FAIL("cannot write %s", path);
    fputs("---\nname: o\ndescription: d\non: turn_end\nisolation: worker\n---\nLook.\n", out);
    fclose(out);
}

#define WAKE_OF_TWO                                                                            \
    "-- perilune-api: 1\nreturn { wake = function(turn) return turn.turn == 2 end }"

IT("PE-1 asks a Markdown observer's wake in a worker, and a model only where it says yes") {
    stage *s = stage_new_with(WAKE_OF_TWO, PERI_MODE_LIVE, write_markdown);
    asked a = {0};
    s->host->runtimes[PERI_RUN_MODEL] = (peri_runtime){.user = &a, .start = ask_model};
    turn(s, "alpha");
    settle(s);
    CHECK_EQ(peri_commands_children(s->host->commands), 1); // the worker
    CHECK_EQ(pairing(s)->counts.skipped, 1);
    CHECK_EQ(a.count, 0);
    turn(s, "beta");
    settle(s);
    CHECK_EQ(a.count, 1);
    CHECK_EQ(a.turn, 2);
    CHECK_HAS(peri_str_c(a.digest), "beta");
    CHECK_EQ(s->deliveries, 1);
    CHECK_HAS(peri_str_c(s->delivered), "by the model");
    stage_free(s);
}

IT("PE-1 asks no model where the worker with its wake cannot be started") {
    stage *s = stage_new_with(WAKE_OF_TWO, PERI_MODE_LIVE, write_markdown);
    asked a = {0};
    s->host->runtimes[PERI_RUN_MODEL] = (peri_runtime){.user = &a, .start = ask_model};
    peri_commands *whole = s->host->commands, *lame;
    CHECK_OK(peri_commands_new(&(peri_commands_options){.loop = s->host->loop}, &lame));
    s->host->commands = lame;
    s->host->runtimes[PERI_RUN_COMMAND] = peri_commands_runtime(lame);
    turn(s, "alpha");
    turn(s, "beta");
    settle(s);
    CHECK_EQ(s->runs, 2);
    CHECK_EQ(pairing(s)->counts.no_runtime, 2);
    CHECK_EQ(a.count, 0);
    peri_commands_free(whole);
    stage_free(s);
}

TEST_MAIN
