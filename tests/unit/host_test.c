// The host from outside: its life, its streams, its records, and what observers get to see of
// the sessions that cases of faulty tools are made of.
#include "hosting.h"

#include <time.h>

static hosting h;

#define LINE(session, kind, more)                                                              \
    "{\"session\":\"" session "\",\"kind\":\"" kind "\"" more "}\n"
#define USER(session, text) LINE(session, "user_message", ",\"text\":\"" text "\"")
#define SAY(session, text) LINE(session, "assistant_text", ",\"text\":\"" text "\"")
#define END(session) LINE(session, "turn_ended", ",\"reason\":\"end_turn\"")
#define INTERRUPT(session) LINE(session, "turn_ended", ",\"reason\":\"interrupted\"")

// One step of work: a call with its result, then words.
static void work(hosting *of, peri_source *source, const char *words) {
    static int id;
    char lines[512];
    id++;
    snprintf(lines, sizeof lines,
             LINE("s", "tool_call", ",\"name\":\"Bash\",\"call_id\":\"c%d\"")
                 LINE("s", "tool_result", ",\"call_id\":\"c%d\",\"text\":\"x\"")
                     LINE("s", "assistant_text", ",\"text\":\"%s\""),
             id, id, words);
    hosting_feed(of, source, peri_str_c(lines));
}

static const char adviser[] =
    "-- perilune-api: 1\n"
    "return { name = 'probe', description = 'a probe', on = 'turn_end', sees = { 'activity' }, can = { 'advise' },\n"
    "  deliver = 'steer', observe = function(turn, ctx)\n"
    "    ctx.state.n = (ctx.state.n or 0) + 1\n"
    "    local words = { 'alpha fox', 'bravo owl', 'charlie cat', 'delta dog', 'echo emu' }\n"
    "    return { advise = 'look at ' .. words[(ctx.state.n - 1) % 5 + 1] .. ' again please',\n"
    "      fingerprint = 'f' .. ctx.state.n }\n"
    "  end }\n";

IT("makes a host of options of an older header, and refuses a newer one's") {
    peri_host *host = NULL;
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.no_observers = true;
    options.struct_size = offsetof(peri_host_options, config_path);
    CHECK_OK(peri_host_new(&options, &host));
    peri_host_free(host);
    host = NULL;
    options.struct_size = sizeof options + 8;
    CHECK_EQ(peri_host_new(&options, &host), PERI_EINVAL);
    options.struct_size = 4;
    CHECK_EQ(peri_host_new(&options, &host), PERI_EINVAL);
    CHECK_EQ(peri_host_new(NULL, &host), PERI_EINVAL);
    CHECK(host == NULL);
    peri_host_free(NULL);
}

IT("refuses a policy or layout asked for by a name that is none, with a line of log") {
    peri_host *host = NULL;
    hosting_open(&h, PERI_MODE_LIVE, NULL);
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.on_log = hosting_log;
    options.log_user = &h;
    options.layout = "poem";
    CHECK_EQ(peri_host_new(&options, &host), PERI_EINVAL);
    CHECK_HAS(peri_buf_str(&h.log), "unknown layout 'poem'");
    options.layout = NULL;
    options.policies = "default,nonesuch";
    CHECK_EQ(peri_host_new(&options, &host), PERI_EINVAL);
    CHECK_HAS(peri_buf_str(&h.log), "nonesuch");
    options.policies = NULL;
    options.config_path = "/nonexistent/config.yaml";
    CHECK_EQ(peri_host_new(&options, &host), PERI_EINVAL);
    CHECK(host == NULL);
    hosting_close(&h);
}

IT("says when it wants a step: never while idle, now while something is due") {
    hosting_open(&h, PERI_MODE_LIVE, NULL);
    CHECK_EQ(peri_host_step(h.host, 0), 0);
    CHECK_EQ(peri_host_timeout_ms(h.host), -1);
    CHECK(peri_host_fd(h.host) >= 0);
    peri_source *source = hosting_stream(&h, "activity");
    size_t used;
    CHECK_OK(peri_source_feed(source, "{", 1, &used));
    CHECK_EQ(peri_host_timeout_ms(h.host), 0);
    hosting_settle(&h);
    CHECK_EQ(peri_host_timeout_ms(h.host), -1);
    CHECK_EQ(peri_host_timeout_ms(NULL), -1);
    CHECK_EQ(peri_host_fd(NULL), -1);
    hosting_close(&h);
}

IT("waits for as long as it is told while nothing happens") {
    hosting_open(&h, PERI_MODE_LIVE, NULL);
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    CHECK_EQ(peri_host_step(h.host, 30), 0);
    clock_gettime(CLOCK_MONOTONIC, &after);
    CHECK((after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000 >=
          28);
    hosting_close(&h);
}

IT("takes bytes until it must be stepped, and none after the end") {
    hosting_open(&h, PERI_MODE_LIVE, NULL);
    peri_source *source = hosting_stream(&h, "activity");
    static char blanks[3 << 20];
    memset(blanks, '\n', sizeof blanks);
    size_t used = 0, total = 0;
    CHECK_OK(peri_source_feed(source, blanks, sizeof blanks, &used));
    CHECK(used > 0 && used < sizeof blanks);
    total = used;
    CHECK_EQ(peri_source_feed(source, blanks, 1, &used), PERI_EAGAIN);
    CHECK_EQ(used, 0);
    CHECK_OK(peri_source_feed(source, blanks, 0, &used));
    hosting_settle(&h);
    CHECK_OK(peri_source_feed(source, blanks, 1, &used));
    CHECK_EQ(used, 1);
    CHECK_OK(peri_source_end(source));
    CHECK_EQ(peri_source_feed(source, blanks, 1, &used), PERI_ECLOSED);
    hosting_settle(&h);
    CHECK_EQ(peri_source_feed(source, blanks, 1, &used), PERI_ECLOSED);
    CHECK_EQ(hosting_count(&h, "bytes"), (long long)total + 1);
    CHECK_EQ(peri_source_end(NULL), PERI_EINVAL);
    hosting_close(&h);
}

IT("reads a last line without LF at the end of a stream") {
    hosting_open(&h, PERI_MODE_LIVE, NULL);
    peri_source *source = hosting_stream(&h, NULL);
    hosting_feed(&h, source,
                 PERI_STR("{\"session\":\"s\",\"kind\":\"user_message\",\"text\":\"hi\"}"));
    CHECK_EQ(hosting_count(&h, "observations"), 0);
    CHECK_OK(peri_source_end(source));
    hosting_settle(&h);
    CHECK_EQ(hosting_count(&h, "observations"), 1);
    hosting_close(&h);
}

IT("cuts a long line of log between two characters") {
    char path[3 * 900 + 2] = "/";
    for (size_t i = 0; i < 900; i++) memcpy(path + 1 + 3 * i, "\xE2\x82\xAC", 3);
    hosting_open(&h, PERI_MODE_REPLAY, NULL);
    CHECK(peri_host_open_path(h.host, path, NULL) < 0);
    CHECK(h.log.len > 900);
    CHECK(peri_utf8_valid(peri_buf_str(&h.log)));
    hosting_close(&h);
}

IT("names what it cannot open: nothing there, empty, binary, unknown, an unknown dialect") {
    char path[400];
    hosting_open(&h, PERI_MODE_REPLAY, NULL);
    peri_source *source = NULL;
    CHECK_EQ(peri_host_open_stream(h.host, NULL, "morse", &source), PERI_ENOENT);
    CHECK(source == NULL);
    CHECK_EQ(peri_host_open_path(h.host, "/nonexistent", NULL), PERI_ENOENT);
    CHECK_EQ(peri_host_open_path(h.host, h.folder, "morse"), PERI_ENOENT);
    CHECK_EQ(peri_host_open_path(h.host, NULL, NULL), PERI_EINVAL);
    static const char *const texts[] = {"",
                                        "\x7f"
                                        "ELF\x02\x01",
                                        "remember the milk\n", "{\"a\":1}\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        snprintf(path, sizeof path, "%s/f%zu", h.folder, i);
        FILE *out = fopen(path, "wb");
        fputs(texts[i], out);
        fclose(out);
        CHECK_EQ(peri_host_open_path(h.host, path, NULL), PERI_EFORMAT);
        CHECK_HAS(peri_buf_str(&h.log), path);
    }
    CHECK_OK(
        peri_host_open_path(h.host, h.folder, NULL)); // in a tree they are counted and listed
    CHECK_EQ(hosting_count(&h, "otherFiles"), 4);
    peri_str status;
    CHECK_OK(peri_host_status_json(h.host, &status));
    CHECK_HAS(status, "/f2\"");
    hosting_close(&h);
}

IT("OB-2 numbers its records from 1 without a gap, whatever was damaged") {
    static const char *const names[] = {"C01", "C03", "C08", "C12", "C18"};
    hosting_open(&h, PERI_MODE_REPLAY, adviser);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s%s.jsonl", STREAMS, names[i]);
        CHECK_OK(peri_host_open_path(h.host, path, NULL));
    }
    hosting_settle(&h);
    hosting_finish(&h);
    CHECK(!h.gap);
    CHECK(h.record_count[PERI_RECORD_OBSERVATION] >= 8);
    CHECK_EQ(h.record_count[PERI_RECORD_SUMMARY], 1);
    CHECK_EQ(h.record_count[PERI_RECORD_WARNING], 2);
    hosting_close(&h);
}

IT("counts what comes before a file's first named session to that session") {
    hosting_open(&h, PERI_MODE_REPLAY, NULL);
    char path[512];
    snprintf(path, sizeof path, "%sC18.jsonl", STREAMS); // its first line is too deep
    CHECK_OK(peri_host_open_path(h.host, path, NULL));
    hosting_settle(&h);
    hosting_finish(&h);
    CHECK_EQ(hosting_count(&h, "sessions"), 1);
    CHECK_EQ(times(peri_buf_str(&h.records), "\"session\":\"s-1\",\"agent\":\"main\",\"kind\""),
             2);
    hosting_close(&h);
}

IT("C08 writes no line separator of a text as it is, and shows it as it is") {
    hosting_digest_stream(&h, "C08", "claude-transcript");
    peri_str records = peri_buf_str(&h.records);
    CHECK_HAS(records, "before\\u2028inside\\u2029para\\u0085nel");
    CHECK_EQ(times(records, "\xE2\x80\xA8") + times(records, "\xE2\x80\xA9"), 0);
    CHECK_EQ(times(records, "\xC2\x85"), 0);
    CHECK_HAS(hosting_digests(&h), "before\xE2\x80\xA8inside\xE2\x80\xA9para\xC2\x85nel");
    hosting_close(&h);
}

IT("takes sixteen subscribers and no more") {
    hosting_open(&h, PERI_MODE_LIVE, NULL);
    CHECK_EQ(peri_host_subscribe(h.host, NULL, NULL), PERI_EINVAL);
    for (int i = 1; i < 16; i++) CHECK_OK(peri_host_subscribe(h.host, hosting_record, &h));
    CHECK_EQ(peri_host_subscribe(h.host, hosting_record, &h), PERI_ELIMIT);
    hosting_close(&h);
}

static int answers[3];

static void meddle(void *user, const peri_record *record) {
    (void)record;
    peri_str json = record->json;
    char first = json.ptr[0];
    answers[0] = peri_host_step(user, 0);
    peri_host_free(user);
    peri_source *source;
    answers[1] = peri_host_open_stream(user, NULL, "activity", &source);
    answers[2] = json.ptr[0] == first && json.ptr[json.len - 1] == '}';
}

IT("refuses to be stepped or ended from its own callbacks") {
    hosting_open(&h, PERI_MODE_LIVE, NULL);
    CHECK_OK(peri_host_subscribe(h.host, meddle, h.host));
    hosting_feed(&h, hosting_stream(&h, "activity"), PERI_STR(USER("s", "hi")));
    CHECK_EQ(answers[0], PERI_ESTATE);
    CHECK_EQ(answers[2], 1);
    CHECK_EQ(hosting_count(&h, "observations"), 1);
    hosting_close(&h);
}

IT("C12 gives each agent of a shared log its own digests") {
    hosting_digest_stream(&h, "C12", NULL);
    peri_str all = hosting_digests(&h);
    CHECK_EQ(times(all, "SUBAGENT DONE"), 1);
    CHECK_EQ(times(all, "MAIN DONE"), 1);
    hosting_close(&h);
    h.only_agent = "main";
    hosting_open(&h, PERI_MODE_REPLAY, NULL);
    h.only_agent = "main";
    hosting_watch(&h, 1u << PERI_TRIGGER_TURN_END);
    CHECK_OK(peri_host_open_path(h.host, STREAMS "C12.jsonl", NULL));
    hosting_settle(&h);
    hosting_finish(&h);
    CHECK_HAS(hosting_digests(&h), "find secrets");
    CHECK_HAS(hosting_digests(&h), "no secrets found");
    CHECK_HAS(hosting_digests(&h), "MAIN DONE");
    CHECK_EQ(times(hosting_digests(&h), "SUBAGENT"), 0);
    CHECK_EQ(times(hosting_digests(&h), "grep"), 0);
    hosting_close(&h);
}

IT("C14 joins results by call id only, and says which have no call") {
    hosting_digest_stream(&h, "C14", "activity");
    peri_str all = hosting_digests(&h);
    CHECK_EQ(h.digest_count, 1);
    CHECK_HAS(all, "id=\"A\"");
    size_t b = peri_str_find(all, PERI_STR("\nBBB\n")),
           c = peri_str_find(all, PERI_STR("exit 1"));
    size_t a = peri_str_find(all, PERI_STR("\nAAA\n"));
    CHECK(a != PERI_NPOS && b != PERI_NPOS && c != PERI_NPOS);
    CHECK_HAS(all, "orphan, no id");
    CHECK_HAS(all, "unknown id");
    CHECK_HAS(all, "error=\"true\"");
    CHECK_EQ(times(all, "unpaired"), 2);
    hosting_close(&h);
}

IT("C17 shows numbers digit for digit and pairs by them") {
    hosting_digest_stream(&h, "C17", "activity");
    CHECK_HAS(hosting_digests(&h), "1849017011531812866");
    CHECK_EQ(times(hosting_digests(&h), "inf"), 0);
    CHECK_EQ(times(hosting_digests(&h), "unpaired"), 0);
    CHECK_HAS(peri_buf_str(&h.records), "\"sourceSeq\":9007199254740993");
    CHECK_HAS(peri_buf_str(&h.records), "\"sourceSeq\":9007199254740994");
    hosting_close(&h);
}

IT("C20 lets no observed text leave its box") {
    hosting_digest_stream(&h, "C20", "activity");
    peri_str all = hosting_digests(&h);
    CHECK_EQ(times(all, "</main-activity"), h.digest_count);
    CHECK_EQ(times(all, "<user-message"), 1);
    CHECK_EQ(times(all, "</tool-result"), 1);
    CHECK_EQ(times(all, "<\\/tool-result"), 1);
    CHECK_EQ(times(all, "<\\user-message"), 1);
    CHECK_HAS(all, "reason=\"endturn\"");
    hosting_close(&h);
}

IT("PI-4 shows a step the message it was asked with, also where the next one ended it") {
    hosting_open(&h, PERI_MODE_REPLAY,
                 "return { name = 'probe', description = 'd', on = 'turn_end', observe = "
                 "function(turn) return { advise = 'asked: ' .. turn.last_user, "
                 "fingerprint = turn.last_user } end }");
    hosting_feed(&h, hosting_stream(&h, "activity"),
                 PERI_STR(USER("s", "one") SAY("s", "a") USER("s", "two") SAY("s", "b")));
    hosting_finish(&h);
    CHECK_EQ(times(peri_buf_str(&h.records), "\"text\":\"asked: one\""), 1);
    CHECK_EQ(times(peri_buf_str(&h.records), "\"text\":\"asked: two\""), 1);
    hosting_close(&h);
}

IT("C22 shows a call's name and arguments with its result") {
    hosting_digest_stream(&h, "C22", "activity");
    CHECK_HAS(hosting_digests(&h), "name=\"load_skill\"");
    CHECK_HAS(hosting_digests(&h), "{\"skill\":\"release\",\"version\":3}");
    CHECK_HAS(hosting_digests(&h), "loaded");
    hosting_close(&h);
}

IT("C23 shows refusals, failures and interrupts, and wakes who listens for a refusal once") {
    hosting_digest_stream(&h, "C23", "activity");
    CHECK_HAS(hosting_digests(&h), "blocked by guard: ssh");
    CHECK_HAS(hosting_digests(&h), "exit 2: no such subcommand");
    CHECK_HAS(hosting_digests(&h), "error=\"true\"");
    CHECK_HAS(hosting_digests(&h), "reason=\"interrupted\"");
    hosting_close(&h);
    hosting_open(&h, PERI_MODE_REPLAY, NULL);
    hosting_watch(&h, 1u << PERI_TRIGGER_TOOL_DENIED);
    CHECK_OK(peri_host_open_path(h.host, STREAMS "C23.jsonl", NULL));
    hosting_settle(&h);
    hosting_finish(&h);
    CHECK_EQ(h.digest_count, 1);
    hosting_close(&h);
}

IT("C26 CC-8 never observes an observer, nor a report that comes back, nor the turn it opened") {
    hosting_digest_stream(&h, "C26", "activity");
    CHECK_EQ(h.digest_count, 1);
    CHECK_HAS(hosting_digests(&h), "hi");
    CHECK_EQ(times(hosting_digests(&h), "tests were not run"), 0);
    CHECK_EQ(times(hosting_digests(&h), "I will run the tests"), 0);
    CHECK_EQ(times(hosting_digests(&h), "background observer"), 0);
    CHECK_EQ(hosting_count(&h, "sessions"), 1);
    CHECK_EQ(h.record_count[PERI_RECORD_PAIRING], 2); // armed and retired, of s-1 alone
    hosting_close(&h);
}

IT("C26 retires what was armed before a session was known for an observer's own") {
    hosting_open(&h, PERI_MODE_REPLAY, adviser);
    peri_source *source = hosting_stream(&h, "activity");
    hosting_feed(&h, source, PERI_STR(SAY("obs", "starting")));
    CHECK_EQ(h.record_count[PERI_RECORD_PAIRING], 1);
    hosting_feed(
        &h, source,
        PERI_STR(LINE("obs", "user_message", ",\"text\":\"observe\",\"origin\":\"perilune\"")
                     SAY("obs", "quiet") END("obs")));
    CHECK_EQ(h.record_count[PERI_RECORD_PAIRING], 2);
    CHECK_HAS(peri_buf_str(&h.records), "\"state\":\"retired\"");
    CHECK_EQ(h.record_count[PERI_RECORD_RUN], 0);
    hosting_close(&h);
}

IT("C27 keeps sessions apart that share a folder") {
    hosting_open(&h, PERI_MODE_REPLAY, adviser);
    static const char *const names[] = {"C27.a", "C27.b"};
    peri_source *sources[2];
    peri_str texts[2];
    for (size_t i = 0; i < 2; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s%s.jsonl", STREAMS, names[i]);
        texts[i] = peri_test_read(path);
        sources[i] = hosting_stream(&h, "activity");
    }
    peri_str rest[2] = {texts[0], texts[1]};
    while (rest[0].len || rest[1].len) { // line by line, in turns
        for (size_t i = 0; i < 2; i++) {
            size_t end = peri_str_find_byte(rest[i], '\n', 0);
            if (!rest[i].len) continue;
            end = end == PERI_NPOS ? rest[i].len : end + 1;
            hosting_feed(&h, sources[i], peri_str_sub(rest[i], 0, end));
            rest[i] = peri_str_sub(rest[i], end, rest[i].len);
        }
    }
    hosting_finish(&h);
    CHECK_EQ(hosting_count(&h, "sessions"), 4);
    peri_str records = peri_buf_str(&h.records);
    for (size_t at = 0; at < records.len;) { // no digest of A holds a word of B
        size_t end = peri_str_find_byte(records, '\n', at);
        peri_str line = peri_str_sub(records, at, end - at);
        bool digest = peri_str_starts(line, PERI_STR("{\"record\":\"digest\""));
        if (digest && times(line, "\"session\":\"A\"")) CHECK_EQ(times(line, "TAB-B"), 0);
        if (digest && times(line, "\"session\":\"B\"")) CHECK_EQ(times(line, "TAB-A"), 0);
        at = end + 1;
    }
    CHECK_EQ(times(records, "\"fingerprint\":\"f1\""), hosting_count(&h, "proposals"));
    for (size_t i = 0; i < 2; i++) free((char *)texts[i].ptr);
    hosting_close(&h);
}

IT("hands deliveries to the sink, and asks again for those it cannot take yet") {
    hosting_open(&h, PERI_MODE_LIVE, adviser);
    peri_source *source = hosting_stream(&h, "activity");
    h.sink_answer = PERI_EAGAIN;
    hosting_feed(&h, source, PERI_STR(USER("s", "go") SAY("s", "done") END("s")));
    CHECK_EQ(h.deliveries.len, 0);
    CHECK_EQ(times(peri_buf_str(&h.records), "\"state\":\"queued\""), 1);
    h.sink_answer = PERI_OK;
    hosting_settle(&h);
    CHECK_EQ(times(peri_buf_str(&h.deliveries), " s\n"), 1);
    CHECK_EQ(times(peri_buf_str(&h.records), "\"state\":\"handed\""), 1);
    hosting_close(&h);
}

IT("PI-8 hands over nothing after the user's stop, neither queued nor new nor deferred") {
    hosting_open(&h, PERI_MODE_LIVE, adviser);
    peri_source *source = hosting_stream(&h, "activity");
    h.sink_answer = PERI_EAGAIN;
    hosting_feed(&h, source,
                 PERI_STR(USER("s", "go") SAY("s", "working") END("s") USER("s", "on")));
    hosting_feed(&h, source, PERI_STR(SAY("s", "more") INTERRUPT("s")));
    h.sink_answer = PERI_OK;
    hosting_settle(&h);
    CHECK_EQ(h.deliveries.len, 0);
    CHECK_HAS(peri_buf_str(&h.records), "the user stopped the agent");
    CHECK_EQ(times(peri_buf_str(&h.records), "\"state\":\"handed\""), 0);
    hosting_feed(&h, source, PERI_STR(USER("s", "go on") SAY("s", "yes") END("s")));
    CHECK_EQ(times(peri_buf_str(&h.deliveries), "\n"), 1); // the next turn is a new one
    hosting_close(&h);
}

IT("delivers nothing of a replay, whatever the sink") {
    hosting_open(&h, PERI_MODE_REPLAY, adviser);
    hosting_feed(&h, hosting_stream(&h, "activity"),
                 PERI_STR(USER("s", "go") SAY("s", "done") END("s")));
    hosting_finish(&h);
    CHECK_EQ(h.deliveries.len, 0);
    CHECK_EQ(times(peri_buf_str(&h.records), "\"state\":\"would-deliver\""), 1);
    hosting_close(&h);
}

IT("C58 takes an observer's error for no veto, and disables it after three in a row") {
    hosting_open(&h, PERI_MODE_LIVE,
                 "return { name = 'probe', on = 'turn_end', can = { 'veto' },\n"
                 "  observe = function() error('broken') end }\n");
    peri_source *source = hosting_stream(&h, "activity");
    for (int i = 0; i < 5; i++) {
        hosting_feed(&h, source, PERI_STR(USER("s", "go") SAY("s", "done") END("s")));
    }
    CHECK_EQ(h.deliveries.len, 0);
    CHECK_EQ(hosting_count(&h, "failedRuns"), 3);
    CHECK_HAS(peri_buf_str(&h.records), "\"state\":\"disabled\"");
    hosting_close(&h);
}

IT("C58 holds a stop three times for one fingerprint, then lets the agent go") {
    hosting_open(&h, PERI_MODE_LIVE,
                 "return { name = 'probe', on = 'turn_end', can = { 'veto' },\n"
                 "  observe = function() return { veto = 'the goal is not met', "
                 "fingerprint = 'g' } end }\n");
    peri_source *source = hosting_stream(&h, "activity");
    for (int i = 0; i < 8; i++) {
        hosting_feed(&h, source, PERI_STR(USER("s", "go")));
        work(&h, source, "done");
        hosting_feed(&h, source, PERI_STR(END("s")));
    }
    CHECK_EQ(times(peri_buf_str(&h.deliveries), "hold s\n"), 3);
    hosting_close(&h);
}

// An observer that says one report of the case's file after another, one a step.
static char *reporter(void) {
    peri_str all = peri_test_read(STREAMS "C54.reports.jsonl");
    peri_buf text;
    peri_buf_init(&text, 1 << 20);
    peri_buf_add_c(&text, "local notes = {\n");
    for (peri_str rest = all; rest.len;) {
        size_t lf = peri_str_find_byte(rest, '\n', 0);
        peri_str line = peri_str_sub(rest, 0, lf);
        size_t at = peri_str_find(line, PERI_STR("\"report\": \"")) + 11;
        peri_buf_addf(&text, "  { \"%.*s\", %s },\n", (int)(line.len - at - 2), line.ptr + at,
                      times(line, "blocker") ? "'blocker'" : "'nit'");
        rest = lf == PERI_NPOS ? (peri_str){0} : peri_str_sub(rest, lf + 1, rest.len);
    }
    peri_buf_add_c(&text, "}\nreturn { name = 'probe', on = 'turn_end', can = { 'advise' },\n"
                          "  deliver = 'steer', observe = function(turn, ctx)\n"
                          "    ctx.state.n = (ctx.state.n or 0) + 1\n"
                          "    local note = notes[ctx.state.n]\n"
                          "    return note and { advise = note[1], severity = note[2],\n"
                          "      fingerprint = 'n' .. ctx.state.n }\n  end }\n");
    char *copy = strdup(peri_buf_c(&text));
    peri_buf_deinit(&text);
    free((char *)all.ptr);
    return copy;
}

// Deliveries so far that reached the agent; what only the user sees is not its turn's.
static size_t to_agent(void) {
    peri_str all = peri_buf_str(&h.deliveries);
    return times(all, "\n") - times(all, " user s\n");
}

IT("C54 holds 128 reports to two a turn, drops empty and repeated ones, and none after a stop") {
    char *observer = reporter();
    hosting_open(&h, PERI_MODE_LIVE, observer);
    peri_source *source = hosting_stream(&h, "activity");
    for (int turn = 0; turn < 3; turn++) {
        size_t before = to_agent();
        hosting_feed(&h, source, PERI_STR(USER("s", "go")));
        for (int step = 0; step < 43; step++) work(&h, source, "next");
        CHECK(to_agent() - before <= 2);
        hosting_feed(&h, source, PERI_STR(INTERRUPT("s")));
        CHECK(to_agent() - before <= 2);
    }
    CHECK(hosting_count(&h, "proposals") > 100);
    CHECK_EQ(hosting_count(&h, "delivered") + hosting_count(&h, "dropped"),
             hosting_count(&h, "proposals"));
    hosting_close(&h);
    free(observer);
}

IT("PI-9 retires its pairings when it ends, and says so") {
    hosting_open(&h, PERI_MODE_LIVE, adviser);
    hosting_feed(&h, hosting_stream(&h, "activity"), PERI_STR(USER("s", "go")));
    peri_host_free(h.host);
    h.host = NULL;
    CHECK_EQ(times(peri_buf_str(&h.records), "\"state\":\"retired\""), 1);
    CHECK(!h.gap);
    hosting_close(&h);
}

IT("ends what is unfinished, fires session_end once, and sums up once") {
    hosting_open(&h, PERI_MODE_LIVE, NULL);
    hosting_watch(&h, 1u << PERI_TRIGGER_SESSION_END | 1u << PERI_TRIGGER_TURN_END);
    hosting_feed(&h, hosting_stream(&h, "activity"),
                 PERI_STR(USER("s", "go") SAY("s", "half")));
    CHECK_EQ(h.digest_count, 0);
    hosting_finish(&h);
    hosting_finish(&h);
    CHECK_EQ(h.digest_count, 2);
    CHECK_EQ(h.record_count[PERI_RECORD_SUMMARY], 1);
    hosting_close(&h);
}

IT("tells the known dialects") {
    hosting_open(&h, PERI_MODE_LIVE, NULL);
    CHECK_HAS(peri_host_dialects(h.host), "activity");
    CHECK_HAS(peri_host_dialects(h.host), "claude-transcript");
    CHECK_EQ(peri_host_dialects(NULL).len, 0);
    hosting_close(&h);
}

TEST_MAIN
