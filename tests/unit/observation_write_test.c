// core/model/observation_write.c and core/ingest/whole.c: what is written reads back as the
// same observation, through two hosts and the dialect `observations`.
#include "base/buf.h"
#include "base/json_tree.h"
#include "model/observation.h"
#include "perilune/perilune.h"
#include "test.h"

enum { MAX_EVENTS = 16 };

static char *events[MAX_EVENTS];
static size_t event_count;

static void forget(void) {
    while (event_count) free(events[--event_count]);
}

static void hear(void *user, const peri_record *record) {
    (void)user;
    if (record->kind != PERI_RECORD_OBSERVATION || event_count == MAX_EVENTS) return;
    events[event_count++] = strndup(record->event.ptr, record->event.len);
}

// Leaves the events that `lines` become in `events`.
static void read_lines(const char *dialect, peri_str lines) {
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.mode = PERI_MODE_REPLAY;
    options.no_observers = true;
    peri_host *host;
    peri_source *source;
    CHECK_OK(peri_host_new(&options, &host));
    CHECK_OK(peri_host_subscribe(host, hear, NULL));
    CHECK_OK(peri_host_open_stream(host, NULL, dialect, &source));
    while (lines.len) {
        size_t used = 0;
        int status = peri_source_feed(source, lines.ptr, lines.len, &used);
        if (status != PERI_EAGAIN) CHECK_OK(status);
        lines = peri_str_sub(lines, used, lines.len);
        while (peri_host_step(host, 0) > 0) {}
    }
    CHECK_OK(peri_source_end(source));
    while (peri_host_step(host, 0) > 0) {}
    peri_host_free(host);
}

// `event` without the number that reading it back adds.
static peri_str without_source_seq(const char *event, peri_buf *out) {
    peri_str text = peri_str_c(event);
    size_t at = peri_str_find(text, PERI_STR(",\"sourceSeq\":"));
    peri_buf_clear(out);
    if (at == PERI_NPOS) at = text.len;
    peri_buf_add(out, peri_str_sub(text, 0, at));
    peri_str rest = peri_str_sub(text, at + 1, text.len);
    size_t comma = peri_str_find_byte(rest, ',', 0);
    if (comma != PERI_NPOS) peri_buf_add(out, peri_str_sub(rest, comma, rest.len));
    return peri_buf_str(out);
}

static void check_no_key_twice(const char *event) {
    peri_tree *root;
    peri_tree_limits limits = {.max_bytes = 1 << 20, .refuse_duplicates = true};
    CHECK_OK(peri_tree_parse(peri_str_c(event), limits, PERI_STR("event"), NULL, NULL, &root));
    peri_tree_free(root);
}

// Reads one line of the dialect `activity`, writes it, reads that, and writes it again.
static const char *there_and_back(peri_str line) {
    static char first[1024 * 1024];
    forget();
    read_lines("activity", line);
    CHECK_EQ(event_count, 1);
    snprintf(first, sizeof first, "%s\n", events[0]);
    forget();
    read_lines("observations", peri_str_c(first));
    CHECK_EQ(event_count, 1);
    peri_buf again;
    peri_buf_init(&again, 1 << 20);
    peri_str got = without_source_seq(events[0], &again);
    bool same = peri_str_eq(got, peri_str_sub(peri_str_c(first), 0, strlen(first) - 1));
    if (!same)
        printf("  %.300s\n  %.*s\n", first, (int)(got.len < 300 ? got.len : 300), got.ptr);
    peri_buf_deinit(&again);
    CHECK(same);
    first[strlen(first) - 1] = '\0';
    check_no_key_twice(first);
    return first;
}

static const char *long_line(const char *before, const char *unit, size_t count,
                             const char *after) {
    static peri_buf line;
    if (!line.max) peri_buf_init(&line, 4 << 20);
    peri_buf_clear(&line);
    peri_buf_add_c(&line, before);
    for (size_t i = 0; i < count; i++) peri_buf_add_c(&line, unit);
    peri_buf_add_c(&line, after);
    peri_buf_add_byte(&line, '\n');
    return there_and_back(peri_buf_str(&line));
}

#define HAS(text, part) CHECK_HAS(peri_str_c(text), part)

IT("OB-2 what is short reads back as it was") {
    const char *event = there_and_back(PERI_STR(
        "{\"session\":\"s\",\"agent\":\"t1\",\"kind\":\"tool_result\",\"call_id\":\"c\","
        "\"name\":\"bash\",\"text\":\"\\u0000 \xF0\x9F\x98\x80 \\\"\",\"is_error\":true,"
        "\"exit_code\":2,\"cwd\":\"/w\",\"at\":\"2026-11-30T10:00:00.000Z\"}\n"));
    HAS(event, "\"isError\":true");
    HAS(event, "\"exitCode\":2");
    HAS(event, "\"agent\":\"t1\"");
    HAS(event, "\"cwd\":\"/w\"");
    CHECK(!strstr(event, "\"output\"")); // the preview says it all
}

IT("OB-2 an answer over the cap keeps its true size") {
    const char *event = long_line("{\"session\":\"s\",\"kind\":\"assistant_text\",\"text\":\"",
                                  "\xF0\x9F\x98\x80", 70000, "\"}");
    HAS(event, "\"head\":64000,\"tail\":0,\"codePoints\":70000,\"characters\":140000");
}

IT("OB-3 a result over the cap keeps both ends, its preview and its true size") {
    const char *event = long_line(
        "{\"session\":\"s\",\"kind\":\"tool_result\",\"call_id\":\"c\",\"name\":\"n\",\"text\":\"BEGIN",
        "0123456789", 3000, "END\"}");
    HAS(event, "\"characters\":30008,");
    HAS(event, "\"head\":4000,\"tail\":4000,\"codePoints\":30008,\"characters\":30008");
    HAS(event, "6789END\"");
}

IT("OB-2 an input over the cap keeps its beginning and a form that parses") {
    const char *event = long_line("{\"session\":\"s\",\"kind\":\"tool_call\",\"call_id\":\"c\","
                                  "\"name\":\"write\",\"input\":{\"path\":\"/p\",\"text\":\"",
                                  "x\\n", 5000, "\",\"last\":true}}");
    HAS(event, "\"last\":true}");
    HAS(event, "chars truncated]");
    HAS(event, "\"text\":\"{\\\"path\\\":\\\"/p\\\"");
}

IT("OB-2 an input too large for that keeps its beginning") {
    const char *event = long_line("{\"session\":\"s\",\"kind\":\"tool_call\",\"call_id\":\"c\","
                                  "\"name\":\"n\",\"input\":[0",
                                  ",12345", 20000, "]}");
    HAS(event, "\"input\":\"[0,12345,12345");
    HAS(event, "\"head\":4000,\"tail\":0,\"codePoints\":120003");
}

IT("OB-2 an event's agent is not the agent that a phase names") {
    forget();
    read_lines("observations",
               PERI_STR("{\"kind\":\"phase\",\"name\":\"p\",\"agent\":\"claude\",\"pass\":1,"
                        "\"at\":\"2026-11-30T10:00:00.000Z\"}\n"));
    CHECK_EQ(event_count, 1);
    HAS(events[0], "\"agent\":\"claude\"");
    HAS(events[0], "\"x\":{\"session\":\"unnamed\",\"agent\":\"main\"");
    forget();
}

IT("OB-2 writes all that x holds, and nothing of it twice") {
    static const char x[] =
        "\"x\":{\"session\":\"s\",\"agent\":\"t1\",\"agentName\":\"n\",\"origin\":\"human\","
        "\"answer\":\"a\",\"record\":\"r\",\"entry\":\"e\",\"follows\":\"f\",\"parent\":\"p\","
        "\"cwd\":\"/w\",\"source\":\"hook\",\"version\":\"1\",\"permissionMode\":\"plan\","
        "\"output\":\"o\",\"exitCode\":1,\"maybe\":true,\"midTurn\":true,\"continues\":true,"
        "\"endsStep\":true,\"endsSession\":true,\"mends\":true,\"partial\":true,\"rollback\":2,\"durationMs\":3,"
        "\"retracts\":[\"r\"],\"ordinal\":4}";
    char line[1024];
    snprintf(line, sizeof line,
             "{\"kind\":\"tool-output\",\"callId\":\"c\",\"text\":\"o\",\"channel\":\"stdout\","
             "\"pass\":1,\"at\":\"2026-11-30T10:00:00.000Z\",%s}\n",
             x);
    forget();
    read_lines("observations", peri_str_c(line));
    CHECK_EQ(event_count, 1);
    HAS(events[0], x);
    check_no_key_twice(events[0]);
    forget();
}

IT("OB-1 what a kind must have is written, told or not") {
    peri_obs obs;
    peri_buf out;
    peri_buf_init(&out, 4096);
    peri_obs_init(&obs, PERI_OBS_TOOL_RESULT);
    peri_obs_write(&out, &obs);
    CHECK_STR(peri_buf_str(&out),
              "{\"kind\":\"tool-result\",\"callId\":\"\",\"name\":\"\",\"isError\":false,"
              "\"preview\":\"\",\"characters\":0,\"pass\":1}");
    peri_buf_deinit(&out);
}

IT("numbers of x.whole that are no sizes change nothing that is kept") {
    forget();
    read_lines("observations",
               PERI_STR("{\"kind\":\"text\",\"text\":\"kept\",\"pass\":1,"
                        "\"at\":\"2026-11-30T10:00:00.000Z\",\"x\":{\"whole\":{\"text\":{"
                        "\"head\":1e99,\"tail\":-4,\"codePoints\":\"many\",\"hash\":{}},"
                        "\"output\":7,\"nothing\":{}}}}\n"));
    CHECK_EQ(event_count, 1);
    HAS(events[0], "\"kind\":\"text\"");
    forget();
}

TEST_MAIN
