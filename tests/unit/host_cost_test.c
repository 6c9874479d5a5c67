// What observing costs is bounded by the host (case C44): the size of what an observer is
// shown, how often it is woken, what is read at all. A session of 300 turns with 200 KB of tool
// output in each.
#include "digest/digest.h"
#include "hosting.h"

static hosting h;
static peri_source *source;

enum { TURNS = 300, OUTPUT_BYTES = 200 * 1024, CEILING = 100 };

#define LINE(session, kind, more)                                                              \
    "{\"session\":\"" session "\",\"kind\":\"" kind "\"" more "}\n"

static const char watcher[] =
    "-- perilune-api: 1\n"
    "return { name = 'probe', description = 'a probe', on = 'turn_end', can = { 'advise' },\n"
    "  observe = function() return nil end }\n";

static void feed(const char *lines) {
    hosting_feed(&h, source, peri_str_c(lines));
}

static void turn(int n, const char *output) {
    peri_buf lines;
    peri_buf_init(&lines, 1 << 20);
    peri_buf_addf(&lines, LINE("s", "user_message", ",\"text\":\"part %d\""), n);
    peri_buf_addf(&lines, LINE("s", "tool_call", ",\"name\":\"Bash\",\"call_id\":\"c%d\""), n);
    peri_buf_addf(&lines, LINE("s", "tool_result", ",\"call_id\":\"c%d\",\"text\":\"%s\""), n,
                  output);
    peri_buf_add_c(&lines, LINE("s", "turn_ended", ",\"reason\":\"end_turn\""));
    hosting_feed(&h, source, peri_buf_str(&lines));
    peri_buf_deinit(&lines);
}

// The largest "bytes" of a digest record.
static long long largest_digest(void) {
    long long most = 0;
    for (peri_str rest = peri_buf_str(&h.records); rest.len;) {
        size_t lf = peri_str_find_byte(rest, '\n', 0);
        peri_str line = peri_str_sub(rest, 0, lf);
        rest = peri_str_sub(rest, lf + 1, rest.len);
        size_t at = peri_str_find(line, PERI_STR("\"bytes\":"));
        if (!times(line, "\"record\":\"digest\"") || at == PERI_NPOS) continue;
        long long bytes = atoll(line.ptr + at + 8);
        if (bytes > most) most = bytes;
    }
    return most;
}

static size_t told(const char *part) {
    return times(peri_buf_str(&h.records), part);
}

IT("C44 keeps each digest within its bound, ends at the ceiling of wakes, and says so once") {
    char *output = malloc(OUTPUT_BYTES + 1);
    for (size_t i = 0; i < OUTPUT_BYTES; i++) output[i] = (char)('a' + i % 23);
    output[OUTPUT_BYTES] = '\0';
    hosting_open_files(&h, PERI_MODE_REPLAY,
                       &(hosting_files){.observer = watcher,
                                        .config = "limits: { session: { wakes: 100 } }\n"});
    source = hosting_stream(&h, "activity");
    for (int n = 1; n <= TURNS; n++) turn(n, output);
    CHECK_EQ(hosting_count(&h, "runs"), CEILING);
    CHECK_EQ(h.record_count[PERI_RECORD_DIGEST], CEILING);
    CHECK(largest_digest() > 1000 && largest_digest() <= PERI_DIGEST_MAX_BYTES);
    CHECK_EQ(told("\"state\":\"out-of-budget\""), 1);
    CHECK_EQ(told("\"state\":\"ceiling\""), 1); // for the user, without advice
    CHECK_EQ(h.record_count[PERI_RECORD_DELIVERY], 0);
    CHECK_EQ(hosting_count(&h, "modelCalls"), 0);
    hosting_close(&h);
    free(output);
}

IT("C44 counts over a restart: what was spent stays spent") {
    char ledger[320];
    const char *above = getenv("TMPDIR");
    snprintf(ledger, sizeof ledger, "%s/peri-cost-XXXXXX", above ? above : P_tmpdir);
    CHECK(mkdtemp(ledger) != NULL);
    strcat(ledger, "/ledger.db");
    for (int host = 0; host < 3; host++) {
        hosting_open_files(&h, PERI_MODE_LIVE,
                           &(hosting_files){.observer = watcher,
                                            .config = "limits: { session: { wakes: 5 } }\n",
                                            .ledger = ledger});
        source = hosting_stream(&h, "activity");
        for (int n = 1; n <= 3; n++) turn(100 * host + n, "x");
        CHECK_EQ(hosting_count(&h, "runs"), host == 0 ? 3 : host == 1 ? 2 : 0);
        hosting_close(&h);
    }
    *strrchr(ledger, '/') = '\0';
    nftw(ledger, hosting_remove, 8, FTW_DEPTH | FTW_PHYS);
}

IT("C44 reads no folder that nobody named") {
    hosting_open_files(&h, PERI_MODE_REPLAY, &(hosting_files){.observer = watcher});
    char path[300], folder[600];
    for (int i = 0; i < 2; i++) {
        snprintf(folder, sizeof folder, "%s/%s", h.folder, i ? "foreign" : "named");
        CHECK(mkdir(folder, 0700) == 0);
    }
    hosting_write(&h, path, "named/a.jsonl", LINE("ours", "user_message", ",\"text\":\"go\""));
    hosting_write(&h, path, "foreign/a.jsonl",
                  LINE("theirs", "user_message", ",\"text\":\"secret\""));
    snprintf(folder, sizeof folder, "%s/named", h.folder);
    CHECK_OK(peri_host_open_path(h.host, folder, NULL));
    hosting_finish(&h);
    CHECK_EQ(hosting_count(&h, "sessions"), 1);
    CHECK(told("ours") > 0);
    CHECK_EQ(told("theirs"), 0);
    hosting_close(&h);
}

// One with a model, and what its wake() says beside it.
static void open_filtered(const char *on, const char *wake) {
    char path[300], text[512];
    hosting_begin(&h);
    snprintf(text, sizeof text,
             "---\nname: probe\ndescription: a probe\non: %s\nwake: true\n---\nLook.\n", on);
    hosting_write(&h, path, "probe.md", text);
    snprintf(text, sizeof text,
             "-- perilune-api: 1\nreturn { wake = function(turn) return %s end }\n", wake);
    hosting_write(&h, path, "probe.lua", text);
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.mode = PERI_MODE_REPLAY;
    options.observer_only = "probe";
    hosting_make(&h, options);
    source = hosting_stream(&h, "activity");
}

static void edit_in(int n) {
    char lines[512];
    snprintf(lines, sizeof lines,
             LINE("s", "user_message", ",\"text\":\"edit %d\"")
                 LINE("s", "tool_call",
                      ",\"name\":\"Edit\",\"call_id\":\"e%d\",\"input\":{\"file_path\":\"a.c\","
                      "\"old_string\":\"a\",\"new_string\":\"b\"}")
                     LINE("s", "tool_result", ",\"call_id\":\"e%d\",\"text\":\"ok\"")
                         LINE("s", "turn_ended", ",\"reason\":\"end_turn\""),
             n, n, n);
    feed(lines);
}

IT("C44 asks no model where a filter in Lua says no: every third turn, changed files, the end") {
    open_filtered("turn_end", "turn.turn % 3 == 0");
    for (int n = 1; n <= 9; n++) turn(n, "x");
    CHECK_EQ(told("\"state\":\"skipped\""), 6);
    CHECK_EQ(told("\"state\":\"no-runtime\""), 3); // where a model would be asked
    hosting_close(&h);
    open_filtered("turn_end", "#turn.files > 0 and turn.files[1].edited");
    for (int n = 1; n <= 4; n++) turn(n, "x");
    edit_in(1);
    CHECK_EQ(told("\"state\":\"skipped\""), 4);
    CHECK_EQ(told("\"state\":\"no-runtime\""), 1);
    hosting_close(&h);
    open_filtered("session_end", "true");
    for (int n = 1; n <= 4; n++) turn(n, "x");
    CHECK_EQ(h.record_count[PERI_RECORD_RUN], 0);
    hosting_finish(&h);
    CHECK_EQ(told("\"state\":\"no-runtime\""), 1);
    CHECK_EQ(hosting_count(&h, "modelCalls"), 0);
    hosting_close(&h);
}

TEST_MAIN
