// One stream, read to its end: damage is told with its place and costs only what is lost.
#include "ingest/source.h"

#include <time.h>

#include "reading.h"

static heard h;
static peri_reader reader;
static peri_dialect_file *files[2];
static const peri_dialect *dialects[2];

static void start(const peri_dialect *known, size_t max_line_bytes) {
    static const char *const names[] = {"activity", "claude_transcript"};
    for (size_t i = 0; i < 2; i++) {
        files[i] = shipped_dialect(names[i]);
        dialects[i] = peri_dialect_file_get(files[i]);
    }
    heard_init(&h);
    peri_reader_init(&reader, dialects, 2, known, max_line_bytes, hearing(&h));
}

static void stop(void) {
    peri_reader_deinit(&reader);
    heard_deinit(&h);
    for (size_t i = 0; i < 2; i++) peri_dialect_file_free(files[i]);
}

static peri_str stream(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s%s.jsonl", STREAMS, name);
    return peri_test_read(path);
}

// Reads a whole file of tests/fault/streams/.
static void read_stream(const char *name) {
    start(NULL, 0);
    peri_str bytes = stream(name);
    feed(&reader, bytes, 7);
    CHECK_OK(peri_reader_finish(&reader));
    free((char *)bytes.ptr);
}

static peri_str said(void) {
    return peri_buf_str(&h.observations);
}

IT("C01 mends half a surrogate pair and keeps its event") {
    read_stream("C01");
    CHECK_EQ(h.observation_count, 4);
    CHECK_EQ(reader.counts.records, 4);
    CHECK_EQ(reader.counts.repaired, 1);
    CHECK_HAS(said(), "progress \xEF\xBF\xBD\xE2\x80\xA6 failed: undefined symbol foo");
    CHECK(peri_utf8_valid(said()));
    stop();
}

IT("C03 keeps the record glued to a torn one and says where it was torn") {
    read_stream("C03");
    CHECK_EQ(h.observation_count, 3);
    CHECK_EQ(reader.counts.torn, 1);
    CHECK_EQ(reader.counts.malformed, 0);
    CHECK_HAS(said(), "second answer");
    peri_str bytes = stream("C03");
    char place[64];
    snprintf(place, sizeof place, "torn-line 2 %zu ", peri_str_find_byte(bytes, '\n', 0) + 1);
    CHECK_HAS(peri_buf_str(&h.problems), place);
    free((char *)bytes.ptr);
    stop();
}

IT("C05 delivers a half-written record once, in one process and after a restart") {
    peri_str whole = stream("C05.part2"), part = stream("C05.part1");
    start(NULL, 0);
    feed(&reader, part, part.len);
    uint64_t checkpoint = peri_framer_checkpoint(&reader.framer);
    CHECK_EQ(h.observation_count, 1);
    feed(&reader, peri_str_sub(whole, part.len, whole.len), 5);
    CHECK_OK(peri_reader_finish(&reader));
    CHECK_EQ(h.observation_count, 2);
    CHECK_EQ(h.problem_count, 0);
    stop();
    start(NULL, 0); // restarted on the grown file
    feed(&reader, peri_str_sub(whole, checkpoint, whole.len), 5);
    CHECK_OK(peri_reader_finish(&reader));
    CHECK_EQ(h.observation_count, 1);
    CHECK_HAS(said(), "na\xC3\xAFve caf\xC3\xA9 \xE2\x98\x95 working");
    stop();
    free((char *)whole.ptr);
    free((char *)part.ptr);
}

IT("C05 raises nothing for a tail that is merely unfinished") {
    read_stream("C05.part1");
    CHECK_EQ(h.problem_count, 0);
    CHECK_EQ(reader.counts.unfinished, 1);
    CHECK_EQ(h.observation_count, 1);
    stop();
}

// A line of `megabytes` between two others. Seconds it took; the buffers' size in `*held`.
static double read_huge(size_t megabytes, size_t *held) {
    char *piece = malloc(1 << 20);
    memset(piece, 'A', 1 << 20);
    start(NULL, 1 << 20);
    feed(&reader,
         PERI_STR("{\"session\":\"s\",\"kind\":\"user_message\",\"text\":\"look\"}\n"
                  "{\"session\":\"s\",\"kind\":\"tool_result\",\"text\":\""),
         1 << 20);
    clock_t began = clock();
    for (size_t i = 0; i < megabytes; i++) feed(&reader, peri_str_of(piece, 1 << 20), 1 << 20);
    double took = (double)(clock() - began) / CLOCKS_PER_SEC;
    feed(&reader,
         PERI_STR("\"}\n{\"session\":\"s\",\"kind\":\"assistant_text\",\"text\":\"after\"}\n"),
         1 << 20);
    CHECK_OK(peri_reader_finish(&reader));
    *held = reader.framer.held.cap + reader.mended.cap + reader.undecided.cap +
            reader.arena.used_bytes;
    free(piece);
    return took;
}

IT("C07 turns a huge line into a placeholder that states its size, in bounded memory") {
    size_t held;
    double small = read_huge(40, &held);
    CHECK_EQ(h.observation_count, 3);
    CHECK_EQ(reader.counts.oversized, 1);
    CHECK_HAS(said(), "\"bytes\":41943086");
    CHECK_HAS(said(), "\"truncated\":true");
    CHECK_HAS(said(), "after");
    CHECK_HAS(peri_buf_str(&h.problems), "oversized-line 2 ");
    CHECK_EQ(peri_framer_checkpoint(&reader.framer), reader.counts.bytes);
    CHECK(held <= 4u << 20);
    stop();
    double large = read_huge(200, &held);
    CHECK(held <= 4u << 20);
    CHECK(large < 1 || large < 10 * small);
    stop();
}

IT("cuts the preview of an oversized line between characters") {
    start(NULL, 60);
    feed(&reader, PERI_STR("{\"session\":\"s\",\"kind\":\"user_message\",\"text\":\"a\"}\n"),
         100);
    char line[400];
    memset(line, '\xC3', sizeof line);
    for (size_t i = 1; i < sizeof line; i += 2) line[i] = '\xA9';
    line[398] = 'x';
    line[399] = '\n';
    feed(&reader, peri_str_of(line, sizeof line), 33);
    CHECK_EQ(reader.counts.oversized, 1);
    CHECK_EQ(reader.counts.repaired, 0);
    stop();
}

IT("C08 reads records whose texts hold Unicode line separators, and no blank lines") {
    read_stream("C08");
    CHECK_EQ(h.observation_count, 3);
    CHECK_EQ(h.problem_count, 0);
    CHECK_EQ(reader.counts.blank, 2);
    CHECK_HAS(said(), "before\xE2\x80\xA8inside\xE2\x80\xA9para\xC2\x85nel");
    stop();
}

IT("C18 keeps a line that nests too deep as a bounded raw and reads the next") {
    read_stream("C18");
    CHECK_HAS(peri_buf_str(&h.problems), "deep-line 1 ");
    CHECK_EQ(h.observation_count, 2);
    CHECK(h.last_kind != PERI_OBS_RAW);
    CHECK(said().len < 8000);
    stop();
}

IT("reads records welded into one line one by one") {
    start(NULL, 0);
    feed(&reader,
         PERI_STR("{\"session\":\"s\",\"kind\":\"assistant_text\",\"text\":\"a\"}"
                  "{\"session\":\"s\",\"kind\":\"assistant_text\",\"text\":\"b\"}\n"),
         9);
    CHECK_EQ(h.observation_count, 2);
    CHECK_EQ(reader.counts.welded, 1);
    stop();
}

IT("reads records between NULs and BOMs, wherever they stand, and complains of none") {
    start(NULL, 0);
    feed(&reader,
         PERI_STR(
             "\0\0{\"session\":\"s\",\"kind\":\"assistant_text\",\"text\":\"a\"}\0\0\n"
             "\xEF\xBB\xBF{\"session\":\"s\",\"kind\":\"assistant_text\",\"text\":\"b\"}\0\0"
             "\xEF\xBB\xBF{\"session\":\"s\",\"kind\":\"assistant_text\",\"text\":\"c\"}\0\n"
             "\0\0\0\n"),
         7);
    CHECK_EQ(h.observation_count, 3);
    CHECK_EQ(h.problem_count, 0);
    CHECK_EQ(reader.counts.welded, 1);
    CHECK_EQ(reader.counts.torn + reader.counts.malformed, 0);
    stop();
}

IT("takes JSON that is no object for no record, and says so") {
    start(NULL, 0);
    reader.dialect = dialects[0];
    feed(&reader,
         PERI_STR("[1]\n\"x\"\n5\nnull\n{\"session\":\"s\",\"kind\":\"assistant_text\","
                  "\"text\":\"a\"}\n"),
         64);
    CHECK_EQ(reader.counts.malformed, 4);
    CHECK_EQ(reader.counts.records, 1);
    CHECK_HAS(peri_buf_str(&h.problems), "not a JSON object");
    stop();
}

IT("says where in its line the damage begins, behind BOM and NULs") {
    start(NULL, 0);
    feed(
        &reader,
        PERI_STR(
            "\xEF\xBB\xBF\0{\"session\":\"s\",\"kind\":\"assistant_text\",\"text\":\"a\"} oops\n"),
        200);
    CHECK_EQ(h.observation_count, 2);
    CHECK_HAS(peri_buf_str(&h.problems), "malformed-line 1 55 ");
    CHECK_HAS(said(), "\"value\":\"oops\"");
    stop();
}

IT("tells no length of a damaged rest that its mended text does not have") {
    start(NULL, 0);
    peri_buf line;
    peri_buf_init(&line, 4096);
    peri_buf_add_c(&line, "{\"session\":\"s\",\"kind\":\"assistant_text\",\"text\":\"");
    peri_buf_add_repeat(&line, '\xFF', 600); // each byte becomes three
    peri_buf_add_c(&line, "\"}rest\n");
    feed(&reader, peri_buf_str(&line), 4096);
    CHECK_HAS(said(), "\"value\":\"rest\",\"pass\"");
    CHECK_EQ(reader.counts.repaired, 600);
    peri_buf_deinit(&line);
    stop();
}

IT("mends what is no UTF-8 also where the line is no record") {
    start(NULL, 0);
    reader.dialect = dialects[0];
    feed(&reader, PERI_STR("true, \"\xF0ssistant\"\n"), 64);
    feed(&reader, PERI_STR("oops \xFF\n"), 64);
    CHECK_EQ(reader.counts.malformed, 2);
    CHECK_EQ(reader.counts.repaired, 2);
    CHECK(peri_utf8_valid(said()));
    stop();
}

IT("finds the dialect out from the first records, the most specific one") {
    start(NULL, 0);
    feed(&reader, PERI_STR("not json\n[1]\n\n{\"a\":1}\n"), 3);
    CHECK(reader.dialect == NULL);
    CHECK_EQ(h.observation_count, 0);
    feed(&reader, PERI_STR("{\"session\":\"s\",\"kind\":\"user_message\",\"text\":\"go\"}\n"),
         3);
    CHECK(reader.dialect == dialects[0]);
    CHECK_EQ(h.observation_count, 4); // what came before is not lost
    CHECK_HAS(peri_buf_str(&h.problems), "malformed-line 1 0 ");
    CHECK_HAS(peri_buf_str(&h.problems), "malformed-line 2 9 ");
    CHECK_EQ(reader.counts.raw, 1);
    stop();
}

IT("refuses a stream that no dialect knows") {
    start(NULL, 0);
    for (int i = 0; i < PERI_DETECT_RECORDS; i++) {
        CHECK(!reader.refused);
        feed(&reader, PERI_STR("{\"a\":1}\n"), 64);
    }
    CHECK(reader.refused);
    CHECK_EQ(peri_reader_finish(&reader), PERI_EFORMAT);
    stop();
    start(NULL, 0);
    feed(&reader, PERI_STR("\n \n"), 64);
    CHECK_OK(peri_reader_finish(&reader)); // nothing was said, so nothing is unknown
    stop();
}

IT("peeks at a record's time without reading it, and then need not parse it again") {
    start(NULL, 0);
    reader.dialect = dialects[0];
    peri_str line =
        PERI_STR("{\"session\":\"s\",\"at\":\"1970-01-01T00:00:01Z\","
                 "\"kind\":\"assistant_text\",\"text\":\"a\"}\n"
                 "{\"session\":\"s\",\"kind\":\"assistant_text\",\"text\":\"b\"}\n");
    size_t lf = peri_str_find_byte(line, '\n', 0);
    CHECK_EQ(peri_reader_peek_at(&reader, peri_str_sub(line, 0, lf)), 1000);
    CHECK_EQ(h.observation_count, 0);
    feed(&reader, line, line.len);
    CHECK_EQ(h.observation_count, 2);
    CHECK_HAS(said(), "\"text\":\"b\"");
    CHECK_EQ(peri_reader_peek_at(&reader, PERI_STR("{\"session\":\"s\"}")), INT64_MIN + 1);
    CHECK_EQ(peri_reader_peek_at(&reader, PERI_STR("junk")), INT64_MIN + 1);
    stop();
}

IT("reads what a file beside a recording says of its agent") {
    peri_sidecar sidecar = {.suffix = PERI_STR(".meta.json"),
                            .agent_name = {.keys = {PERI_STR("agentType")}, .count = 1},
                            .observer = {.keys = {PERI_STR("isObserver")}, .count = 1},
                            .parent = {.keys = {PERI_STR("p"), PERI_STR("id")}, .count = 2}};
    peri_arena arena;
    peri_sidecar_facts facts = {0};
    peri_arena_init(&arena, 4096);
    CHECK_OK(peri_sidecar_read(&sidecar,
                               PERI_STR("{\"agentType\":\"ex\\u0070lorer\",\"isObserver\":true,"
                                        "\"p\":{\"id\":\"t1\"}}"),
                               &arena, &facts));
    CHECK_STR(facts.agent_name, "explorer");
    CHECK_STR(facts.parent, "t1");
    CHECK(facts.observer);
    CHECK_EQ(peri_sidecar_read(&sidecar, PERI_STR("{"), &arena, &facts), PERI_EPARSE);
    CHECK_EQ(peri_sidecar_read(&sidecar, PERI_STR("\"\xFF\""), &arena, &facts), PERI_EPARSE);
    CHECK_STR(facts.agent_name, "explorer");
    peri_arena_deinit(&arena);
}

TEST_MAIN
