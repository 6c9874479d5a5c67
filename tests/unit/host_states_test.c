// Why is it silent? Each state of status, reached as it is reached in life, asked of the host
// itself and of another one beside it, as `perilune status` does (case C67, spec PI-11).
#include "host/told/told.h"
#include "hosting.h"
#include "ledger/pairing_state.h"
#include "scratch.h"

static scratch folder;
static char ledger[300];
static hosting h;

static void fresh(void) {
    scratch_renew(&folder);
    snprintf(ledger, sizeof ledger, "%s/ledger.db", folder.root);
}

static peri_host_options on_ledger(void) {
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.ledger_path = ledger;
    options.no_policies = true;
    return options;
}

#define PROBE(on, body)                                                                        \
    "-- perilune-api: 1\n"                                                                     \
    "return { name = 'probe', description = 'd', on = '" on "', can = { 'advise' },\n"         \
    "  observe = function(turn, ctx) " body " end }\n"

static const char silent[] = PROBE("turn_end", "return nil");
static const char talker[] =
    PROBE("turn_end", "ctx.state.n = (ctx.state.n or 0) + 1 "
                      "return { advise = 'finding ' .. ctx.state.n, fingerprint = 'f' .. "
                      "ctx.state.n }");
static const char broken[] = PROBE("turn_end", "error('boom')");
static const char late[] = PROBE("session_end", "return nil");
static const char command[] =
    "-- perilune-api: 1\n"
    "return { name = 'probe', description = 'd', on = 'turn_end', can = { 'advise' },\n"
    "  command = { '/bin/true' } }\n";

static peri_source *source;

static void begin(peri_host_options options, const char *observer) {
    hosting_open_with(&h, options, observer);
    source = hosting_stream(&h, "activity");
}

static void turn(const char *session) {
    char text[1024];
    snprintf(text, sizeof text,
             "{\"session\":\"%s\",\"kind\":\"user_message\",\"text\":\"go\"}\n"
             "{\"session\":\"%s\",\"kind\":\"assistant_text\",\"text\":\"gone\"}\n"
             "{\"session\":\"%s\",\"kind\":\"turn_ended\",\"reason\":\"completed\"}\n",
             session, session, session);
    hosting_feed(&h, source, peri_str_c(text));
}

// ---- What is told of the probe

typedef struct told {
    char state[64], cause[1024], next[1024], last_error[1024], last_drop[256], waits[64];
    char model[64];
    int64_t since, until;
    uint64_t runs, failures, proposed, dropped, lag, heard, digest_step, sessions, alike;
    uint64_t drop_counts[8];
    size_t drop_count, found;
} told;

static void copy(char *to, size_t size, peri_str text) {
    snprintf(to, size, "%.*s", PERI_FMT(text));
}

static void take(void *user, const peri_observer_state *s) {
    told *t = user;
    if (!peri_str_eq(s->name, PERI_STR("probe"))) return;
    t->found++;
    CHECK_EQ(s->struct_size, sizeof *s);
    copy(t->state, sizeof t->state, s->state);
    copy(t->cause, sizeof t->cause, s->cause);
    copy(t->next, sizeof t->next, s->next);
    copy(t->last_error, sizeof t->last_error, s->last_error);
    copy(t->last_drop, sizeof t->last_drop, s->last_drop);
    copy(t->waits, sizeof t->waits, s->waits_for);
    copy(t->model, sizeof t->model, s->model);
    t->since = s->since_wall_ms;
    t->until = s->until_wall_ms;
    t->runs = s->runs;
    t->failures = s->failures;
    t->proposed = s->proposed;
    t->dropped = s->dropped;
    t->lag = s->lag;
    t->heard = s->heard;
    t->digest_step = s->digest_step;
    t->sessions = s->sessions;
    t->alike = s->alike;
    t->drop_count = s->drop_count;
    for (size_t i = 0; i < s->drop_count && i < 8; i++) t->drop_counts[i] = s->drops[i].count;
}

static told ask(peri_host *host) {
    told t = {.found = 0};
    CHECK_OK(peri_host_observer_states(host, take, &t));
    CHECK_EQ(t.found, 1);
    return t;
}

// Asked of the running host, and of one that only asks: both have to say the same.
static told both(void) {
    told own = ask(h.host);
    peri_host_options options = on_ledger();
    options.observer_dir = h.folder;
    options.observer_only = "probe";
    peri_host *asker;
    CHECK_OK(peri_host_new(&options, &asker));
    told seen = ask(asker);
    peri_host_free(asker);
    CHECK_STR(peri_str_c(seen.state), own.state);
    CHECK_STR(peri_str_c(seen.cause), own.cause);
    CHECK_EQ(seen.since, own.since);
    CHECK_EQ(seen.runs, own.runs);
    CHECK_EQ(seen.lag, own.lag);
    return own;
}

static void is(const told *t, const char *state, const char *cause, const char *next) {
    CHECK_STR(peri_str_c(t->state), state);
    CHECK_HAS(peri_str_c(t->cause), cause);
    if (next) CHECK_HAS(peri_str_c(t->next), next);
    CHECK(t->since > 0);
}

// ---- The ten states

IT("C67 PI-11 healthy and silent: ran N times, proposed nothing, waits for its trigger") {
    fresh();
    begin(on_ledger(), silent);
    turn("s");
    turn("s");
    told t = both();
    is(&t, "healthy and silent", "ran 2 times, proposed nothing", NULL);
    CHECK_STR(peri_str_c(t.waits), "turn_end");
    CHECK_STR(peri_str_c(t.model), "lua");
    CHECK_EQ(t.lag, 0);
    CHECK_EQ(t.digest_step, 2);
    CHECK(t.heard >= 6);
    hosting_close(&h);
}

IT("PI-11 healthy: what it proposed, and of the dropped the latest reason and all of them counted") {
    fresh();
    scratch_write(&folder, "config.yaml", "limits: { advisories_per_turn: 1 }\n");
    peri_host_options options = on_ledger();
    char config[300];
    snprintf(config, sizeof config, "%s/config.yaml", folder.root);
    options.config_path = config;
    options.no_policies = false;
    begin(
        options,
        PROBE(
            "turn_end",
            "return { advise = 'the very same finding about the last step', fingerprint = 'f' }"));
    for (int i = 0; i < 4; i++) turn("s");
    told t = both();
    is(&t, "healthy", "ran 4 times, proposed 4", NULL);
    CHECK_EQ(t.dropped, 3);
    CHECK(t.last_drop[0] != '\0');
    uint64_t dropped = 0;
    for (size_t i = 0; i < t.drop_count; i++) dropped += t.drop_counts[i];
    CHECK_EQ(dropped, 3);
    hosting_close(&h);
}

// A runtime of the test's own: it answers at once, or keeps what it was asked.
typedef struct scripted {
    int64_t wait_until_wall_ms;
    bool keeps;
    peri_run_done done;
    void *done_user;
} scripted;

static void start(void *user, const peri_run_request *request, peri_arena *arena,
                  peri_run_done done, void *done_user) {
    scripted *s = user;
    (void)request, (void)arena;
    if (s->keeps) {
        s->done = done;
        s->done_user = done_user;
        return;
    }
    const peri_run_result result = {.state = PERI_RUN_SILENT,
                                    .error = PERI_STR("429: too many requests"),
                                    .wait_until_wall_ms = s->wait_until_wall_ms};
    done(done_user, &result);
}

// A turn whose run is told by its runtime to wait for a minute from `now`.
static void cool_down(peri_clock_manual *now, scripted *runtime) {
    fresh();
    begin(on_ledger(), command);
    h.host->clock = peri_clock_of(now);
    runtime->wait_until_wall_ms = now->at_wall_ms + 60000;
    h.host->runtimes[PERI_RUN_COMMAND] = (peri_runtime){.user = runtime, .start = start};
    turn("s");
}

IT("C67 cooling down: until when, why, and over by itself") {
    peri_clock_manual now = {.at_wall_ms = 1800000000000};
    scripted runtime = {0};
    cool_down(&now, &runtime);
    told t = ask(h.host);
    is(&t, "cooling down", "429: too many requests",
       "it goes on by itself at 2027-01-15T08:01:00");
    CHECK_EQ(t.until, 1800000060000);
    CHECK_EQ(t.since, 1800000000000);
    now.at_wall_ms += 60001;
    t = ask(h.host);
    CHECK_STR(peri_str_c(t.state), "healthy and silent");
    hosting_close(&h);
}

IT("C67 cooling down ends with its time, and with a clock that goes back behind its beginning") {
    peri_clock_manual now = {.at_wall_ms = 1800000000000};
    scripted runtime = {0};
    cool_down(&now, &runtime);
    now.at_wall_ms += 59999;
    turn("s");
    CHECK_EQ(h.record_count[PERI_RECORD_RUN], 1);
    runtime.wait_until_wall_ms = 0;
    now.at_wall_ms = 1700000000000; // three years
    turn("s");
    CHECK_EQ(h.record_count[PERI_RECORD_RUN], 2);
    told t = ask(h.host);
    CHECK_STR(peri_str_c(t.state), "healthy and silent");
    hosting_close(&h);
}

IT("C67 out of budget: which ceiling, and what raises it") {
    fresh();
    scratch_write(&folder, "config.yaml", "limits: { session: { wakes: 1 } }\n");
    peri_host_options options = on_ledger();
    char config[300];
    snprintf(config, sizeof config, "%s/config.yaml", folder.root);
    options.config_path = config;
    begin(options, silent);
    turn("s");
    turn("s");
    told t = both();
    is(&t, "out of budget", "the session's ceiling of wakes is reached", "limits.session");
    CHECK_EQ(t.until, 0);
    hosting_close(&h);
}

IT("C67 out of budget for the day is over at midnight, by itself") {
    fresh();
    scratch_write(&folder, "config.yaml", "limits: { day: { wakes: 1 } }\n");
    peri_host_options options = on_ledger();
    char config[300];
    snprintf(config, sizeof config, "%s/config.yaml", folder.root);
    options.config_path = config;
    begin(options, silent);
    peri_clock_manual now = {.at_wall_ms = 1800000000000};
    h.host->clock = peri_clock_of(&now);
    turn("s");
    turn("s");
    told t = ask(h.host);
    is(&t, "out of budget", "the day's ceiling of wakes is reached", "2027-01-16T00:00:00");
    now.at_wall_ms = t.until;
    turn("s");
    t = ask(h.host);
    is(&t, "healthy and silent", "ran 2 times", NULL);
    hosting_close(&h);
}

IT("C67 denied: by which rule, and what takes it back") {
    fresh();
    scratch_write(&folder, "settings.json", "{\"permissions\":{\"deny\":[\"Agent(probe)\"]}}");
    char settings[300];
    snprintf(settings, sizeof settings, "%s/settings.json", folder.root);
    const char *const paths[] = {settings, NULL};
    peri_host_options options = on_ledger();
    options.settings_paths = paths;
    begin(options, silent);
    turn("s");
    told t = both();
    is(&t, "denied", "deny rule Agent(probe)", "perilune enable probe");
    CHECK_EQ(t.lag, 0); // it will not be shown what came
    hosting_close(&h);
    peri_host_options asking = on_ledger(); // and after the host has ended
    begin(asking, silent);
    t = ask(h.host);
    is(&t, "denied", "deny rule Agent(probe)", NULL);
    hosting_close(&h);
}

IT("C67 stopped by user: terminal for its session") {
    fresh();
    begin(on_ledger(), silent);
    turn("s");
    CHECK_OK(peri_ledger_stop(h.host->ledger, PERI_STR("probe"), host_wall_ms(h.host) + 1));
    turn("s");
    told t = both();
    is(&t, "stopped by user", "perilune stop", "sessions that begin later are watched");
    CHECK_EQ(t.lag, 0);
    hosting_close(&h);
}

IT("C67 disabled after failures: the last error stays") {
    fresh();
    begin(on_ledger(), broken);
    for (int i = 0; i < 4; i++) turn("s");
    told t = both();
    is(&t, "disabled after failures", "boom", "perilune check");
    CHECK_EQ(t.failures, 3);
    CHECK_EQ(t.lag, 0);
    CHECK_HAS(peri_str_c(t.last_error), "boom");
    hosting_close(&h);
    begin(on_ledger(), broken);
    t = ask(h.host);
    is(&t, "disabled after failures", "boom", NULL); // its end did not change that
    turn("another");
    t = ask(h.host);
    CHECK_STR(peri_str_c(t.state), "healthy and silent"); // a new session armed it again
    hosting_close(&h);
}

IT("C67 waiting for trust: which file") {
    fresh();
    scratch_write(&folder, "project/.perilune/observers/probe.lua", silent);
    char project[300];
    snprintf(project, sizeof project, "%s/project", folder.root);
    peri_host_options options = on_ledger();
    options.project_dir = project;
    options.observer_only = "probe";
    peri_host *host;
    CHECK_OK(peri_host_new(&options, &host));
    told t = ask(host);
    is(&t, "waiting for trust", "project/.perilune/observers/probe.lua", "perilune trust");
    peri_host_free(host);
}

IT("C67 failed to load: line and message, and how to check it") {
    fresh();
    begin(on_ledger(), "-- perilune-api: 1\nreturn { name = 'probe', on = 'turn_edn',\n"
                       "  description = 'd', observe = function() end }\n");
    told t = both();
    is(&t, "failed to load", "turn_edn", "perilune check ");
    CHECK_HAS(peri_str_c(t.last_error), "turn_edn");
    hosting_close(&h);
}

IT("C67 never triggered: none of N events was its trigger") {
    fresh();
    begin(on_ledger(), late);
    for (int i = 0; i < 13; i++) turn("s");
    told t = both();
    is(&t, "never triggered", "none of 39 events was what it waits for", "perilune replay");
    CHECK_STR(peri_str_c(t.waits), "session_end");
    CHECK_EQ(t.runs, 0);
    hosting_close(&h);
}

IT("C67 format not recognised: which source, until something is recognised again") {
    fresh();
    begin(on_ledger(), silent);
    peri_source *foreign;
    CHECK_OK(peri_host_open_stream(h.host, "pipe of tomorrow", "activity", &foreign));
    for (int i = 0; i < 40; i++) {
        hosting_feed(&h, foreign, PERI_STR("{\"session\":\"x\",\"kind\":\"thought_cloud\"}\n"));
    }
    CHECK_OK(peri_source_end(foreign));
    hosting_settle(&h);
    told t = both();
    is(&t, "format not recognised", "pipe of tomorrow", "--dialect");
    int64_t then = host_wall_ms(h.host);
    while (host_wall_ms(h.host) == then) {} // a later millisecond
    turn("s");
    t = both();
    CHECK_STR(peri_str_c(t.state), "healthy and silent");
    hosting_close(&h);
}

IT("CC-5 after the user's stop nothing of it is delivered: what waits expires, what is deferred drops") {
    fresh();
    scratch_write(&folder, "config.yaml", "limits: { advisories_per_turn: 1 }\n");
    peri_host_options options = on_ledger();
    char config[300];
    snprintf(config, sizeof config, "%s/config.yaml", folder.root);
    options.config_path = config;
    begin(options, talker);
    h.sink_answer = PERI_EAGAIN;
    turn("s");
    CHECK_EQ(h.host->outbox.count, 1);
    CHECK_OK(peri_ledger_stop(h.host->ledger, PERI_STR("probe"), host_wall_ms(h.host) + 1));
    h.sink_answer = PERI_OK;
    turn("s");
    CHECK_EQ(h.deliveries.len, 0);
    CHECK_EQ(h.host->outbox.count, 0);
    CHECK_HAS(peri_buf_str(&h.records), "\"reason\":\"the user stopped its observer\"");
    hosting_close(&h);
}

IT("CC-5 refuses a move that the table has not, and records it") {
    fresh();
    begin(on_ledger(), silent);
    turn("s");
    peri_pairing *pairing = h.host->registry.first->agents->pairings[0];
    CHECK_EQ(host_pairing_move(h.host, pairing, PERI_CAUSE_USER_ENABLE), PERI_ESTATE);
    CHECK_EQ(pairing->state, PERI_PAIRING_ARMED);
    CHECK_HAS(peri_buf_str(&h.records), "\"state\":\"refused-transition\"");
    CHECK_HAS(peri_buf_str(&h.records),
              "observer probe of main is armed: 'enabled by the user' may not move it");
    hosting_close(&h);
}

// ---- And what is none of them

IT("C67 behind: nothing says healthy while a run hangs and events wait") {
    fresh();
    begin(on_ledger(), command);
    scripted runtime = {.keeps = true};
    h.host->runtimes[PERI_RUN_COMMAND] = (peri_runtime){.user = &runtime, .start = start};
    for (int i = 0; i < 3; i++) turn("s");
    told t = both();
    is(&t, "behind", "2 wakes could not be met", "timeout_ms");
    CHECK(t.lag >= 6);
    const peri_run_result result = {.state = PERI_RUN_SILENT};
    runtime.keeps = false;
    runtime.done(runtime.done_user, &result);
    turn("s");
    t = both();
    is(&t, "healthy and silent", "ran 2 times", NULL);
    CHECK_EQ(t.lag, 0);
    hosting_close(&h);
}

IT("C67 of several agents the one that is worst off is told, and of how many it is one") {
    fresh();
    begin(on_ledger(), PROBE("turn_end", "if turn.session == 'bad' then error('boom') end"));
    for (int i = 0; i < 3; i++) turn("bad");
    turn("good");
    turn("fine");
    told t = both();
    is(&t, "disabled after failures", "boom", NULL);
    CHECK_EQ(t.sessions, 3);
    CHECK_EQ(t.alike, 1);
    hosting_close(&h);
}

static void see_peer(void *user, const peri_peer *peer) {
    peri_buf *out = user;
    peri_buf_addf(out, "[alive %d ended %d]\n%.*s", peer->alive, peer->ended,
                  PERI_FMT(peer->text));
    peri_buf_add(out, peer->json);
}

IT("C67 status tells who watches, what was damaged, set aside, handed over, seen and lost") {
    fresh();
    begin(on_ledger(), talker);
    turn("s");
    hosting_feed(&h, source, PERI_STR("{\"session\":\"s\",\"kin\n{torn\n"));
    h.sink_answer = PERI_EIO;
    turn("s");
    while (peri_host_timeout_ms(h.host) >= 0) { // it tells of itself once a second
        CHECK(peri_host_step(h.host, peri_host_timeout_ms(h.host)) >= 0);
    }
    peri_host *asker;
    peri_host_options options = on_ledger();
    CHECK_OK(peri_host_new(&options, &asker));
    peri_buf text;
    peri_buf_init(&text, 1 << 20);
    CHECK_OK(peri_host_peers(asker, see_peer, &text));
    CHECK_HAS(peri_buf_str(&text), "[alive 1 ended 0]");
    CHECK_HAS(peri_buf_str(&text), "damage   2 ");
    CHECK_HAS(peri_buf_str(&text), "aside    2 records");
    CHECK_HAS(peri_buf_str(&text), "out      0 waiting, 1 handed over (0 seen), 1 expired");
    CHECK_HAS(peri_buf_str(&text), "\"outbox\":{\"queued\":0,\"handed\":1,\"seen\":0,"
                                   "\"unseen\":1,\"expired\":1,\"lostInHandOver\":0,");
    CHECK_HAS(peri_buf_str(&text), "\"subscribers\":[{\"taken\":");
    hosting_close(&h);
    peri_buf_clear(&text);
    CHECK_OK(peri_host_peers(asker, see_peer, &text));
    CHECK_HAS(peri_buf_str(&text), "[alive 0 ended 1]");
    peri_host_free(asker);
    peri_buf_deinit(&text);
}

TEST_MAIN
