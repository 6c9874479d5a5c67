// What reading costs in allocations: a reader that is warm needs at most two a record, whatever
// the record holds.
#include "fault.h"
#include "reading.h"

// Allocations so far.
static size_t made;

static bool may_allocate(void) {
    made++;
    return true;
}

static void ignore(void *user, peri_obs *obs) {
    (void)obs;
    (*(size_t *)user)++;
}

// Reads `text` until the reader is warm, then once more, counted.
static size_t allocations_of(const char *dialect, peri_str text, size_t *records) {
    peri_dialect_file *file = shipped_dialect(dialect);
    const peri_dialect *list[] = {peri_dialect_file_get(file)};
    peri_reader reader;
    size_t observations = 0;
    peri_reader_init(&reader, list, 1, list[0], 0,
                     (peri_ingest_events){&observations, ignore, NULL});
    for (int round = 0; round < 3; round++) {
        if (round == 2) {
            made = 0;
            *records = (size_t)reader.counts.records;
        }
        peri_str rest = text;
        while (peri_reader_step(&reader, &rest) > 0) {}
    }
    size_t count = made;
    *records = (size_t)reader.counts.records - *records;
    CHECK(observations > 0);
    peri_reader_deinit(&reader);
    peri_dialect_file_free(file);
    return count;
}

static void check_file(const char *dialect, const char *path) {
    peri_str text = peri_test_read(path);
    size_t records, count = allocations_of(dialect, text, &records);
    CHECK(records > 0);
    if (count > 2 * records) TEST_FAIL("%zu allocations for %zu records", count, records);
    free((char *)text.ptr);
}

IT("takes at most two allocations a record of the demo") {
    check_file("claude_transcript",
               PERI_TESTS_DIR "/golden/demo/3f0c7a52-9d1e-4b6a-8c35-5e2f1d0a9b47.jsonl");
}

IT("takes at most two allocations a record of a capture") {
    check_file("claude_transcript",
               PERI_TESTS_DIR "/golden/captures/claude-code-2.1.332/agent_332/"
                              "transcript/56e19fbd-7e0f-4d2b-84a2-"
                              "35cc50714418.jsonl");
}

IT("takes at most two allocations for a call with a large input, and for a result of many blocks") {
    peri_buf text;
    size_t records;
    peri_buf_init(&text, 4 << 20);
    peri_buf_add_c(&text,
                   "{\"session\":\"s\",\"kind\":\"tool_call\",\"name\":\"W\",\"call_id\":\"a\","
                   "\"input\":{\"a\":[\"\\u00e9");
    peri_buf_add_repeat(&text, 'x', 300000);
    peri_buf_add_c(
        &text,
        "\"]}}\n{\"session\":\"s\",\"kind\":\"tool_result\",\"call_id\":\"a\",\"text\":[");
    for (int i = 0; i < 200; i++) {
        peri_buf_add_c(&text, i ? ",{\"type\":\"text\",\"text\":\""
                                : "{\"type\":\"text\",\"text\":\"");
        peri_buf_add_repeat(&text, 'y', 1000);
        peri_buf_add_c(&text, "\\n\"}");
    }
    peri_buf_add_c(&text, "]}\n");
    size_t count = allocations_of("activity", peri_buf_str(&text), &records);
    CHECK_EQ(records, 2);
    CHECK(count <= 4);
    peri_buf_deinit(&text);
}

TEST_MAIN
