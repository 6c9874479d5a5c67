// core/ingest/elements.c, through the framer that uses it.
#include "ingest/elements.h"

#include "ingest/frame.h"
#include "test.h"

enum { MAX_LINES = 16 };

static struct {
    char text[256];
    uint64_t offset, bytes;
    bool oversized, unfinished;
} got[MAX_LINES];
static size_t count;

static void keep(const peri_line *line) {
    if (count == MAX_LINES) TEST_FAIL("more than %d records", MAX_LINES);
    size_t len = line->text.len < 255 ? line->text.len : 255;
    memcpy(got[count].text, line->text.ptr, len);
    got[count].text[len] = '\0';
    got[count].offset = line->offset;
    got[count].bytes = line->bytes;
    got[count].oversized = line->oversized;
    got[count].unfinished = line->unfinished;
    count++;
}

// All records of `text`, fed in pieces of `size` bytes.
static void frame(const char *text, size_t size, size_t max_line_bytes) {
    peri_framer framer;
    peri_framer_init(&framer, max_line_bytes);
    peri_line line;
    count = 0;
    for (size_t at = 0, len = strlen(text); at < len; at += size) {
        peri_str chunk = peri_str_of(text + at, size < len - at ? size : len - at);
        while (chunk.len) {
            if (peri_framer_take(&framer, &chunk, &line)) keep(&line);
        }
    }
    if (peri_framer_finish(&framer, &line)) keep(&line);
    peri_framer_deinit(&framer);
}

static const char array[] =
    " [\n  {\"a\": [1, {\"b\": \"]}, \\\"\"}]},\n\n  {} , 7, \"x,]\",{\"c\":2}\n]\n";

IT("gives the elements of one array, as they stand, wherever the chunks end") {
    for (size_t size = 1; size <= sizeof array; size++) {
        frame(array, size, 0);
        CHECK_EQ(count, 6);
        CHECK_STR(peri_str_c(got[0].text), "{\"a\": [1, {\"b\": \"]}, \\\"\"}]}");
        CHECK_STR(peri_str_c(got[1].text), "{}");
        CHECK_STR(peri_str_c(got[2].text), "7");
        CHECK_STR(peri_str_c(got[3].text), "\"x,]\"");
        CHECK_STR(peri_str_c(got[4].text), "{\"c\":2}");
        CHECK_STR(peri_str_c(got[5].text), ""); // the line that the bracket ends
    }
}

IT("goes on behind a brace that closes nothing") {
    static const char stray[] = "[ }, {\"a\":1}}, 7 ]\n";
    for (size_t size = 1; size <= sizeof stray; size++) {
        frame(stray, size, 0);
        CHECK_EQ(count, 5);
        CHECK_STR(peri_str_c(got[0].text), "}");
        CHECK_STR(peri_str_c(got[1].text), "{\"a\":1}");
        CHECK_STR(peri_str_c(got[2].text), "}");
        CHECK_STR(peri_str_c(got[3].text), "7 ");
    }
}

IT("says where in the stream each element stands") {
    frame(array, 3, 0);
    for (size_t i = 0; i < count; i++) {
        CHECK(memcmp(array + got[i].offset, got[i].text, got[i].bytes) == 0);
    }
}

IT("takes a stream that only looks like an array by its first byte for lines") {
    static const char *const logs[] = {"[info] begin\n{\"a\":1}\n", "[1,2]\n{\"a\":1}\n",
                                       "[[\n{\"a\":1}\n"};
    for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
        for (size_t size = 1; size < 8; size++) {
            frame(logs[i], size, 0);
            CHECK_EQ(count, 2);
            CHECK_STR(peri_str_c(got[1].text), "{\"a\":1}");
        }
    }
}

IT("reads what follows the array as lines") {
    frame("[{\"a\":1}]\n{\"b\":2}\n", 5, 0);
    CHECK_EQ(count, 3);
    CHECK_STR(peri_str_c(got[1].text), "");
    CHECK_STR(peri_str_c(got[2].text), "{\"b\":2}");
}

IT("C07 keeps a preview of an element over the cap and goes on behind it") {
    frame("[{\"a\":\"0123456789012345678901234567890123456789\"},{\"b\":2}]", 7, 24);
    CHECK_EQ(count, 2);
    CHECK(got[0].oversized);
    CHECK_EQ(got[0].bytes, 48);
    CHECK_STR(peri_str_c(got[1].text), "{\"b\":2}");
}

IT("says of an array cut off inside an element that this one is unfinished") {
    frame("[{\"a\":1},{\"b\":", 64, 0);
    CHECK_EQ(count, 2);
    CHECK(!got[0].unfinished);
    CHECK(got[1].unfinished);
}

IT("finds nothing in an empty array or a lone bracket but the bracket") {
    frame("[ ]", 1, 0);
    CHECK_EQ(count, 0);
    frame("[", 1, 0);
    CHECK_EQ(count, 1);
}

TEST_MAIN
