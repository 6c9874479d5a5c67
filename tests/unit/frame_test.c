// Lines: what ends one, what is left out at its ends, where it stood, and what is kept of one
// that is too long, for every way a stream can be cut into chunks.
#include "ingest/frame.h"

#include "test.h"

static peri_framer framer;

// Frames `bytes` in pieces; writes "number:offset:bytes:text" a line, "!" for oversized, "?"
// for unfinished.
static peri_str frame(peri_str bytes, size_t piece, size_t max_line_bytes, peri_buf *out) {
    peri_line line;
    peri_framer_init(&framer, max_line_bytes);
    peri_buf_init(out, 1 << 20);
    for (size_t at = 0; at <= bytes.len; at += piece) {
        peri_str chunk = peri_str_sub(bytes, at, piece);
        bool last = at + piece > bytes.len;
        while (peri_framer_take(&framer, &chunk, &line) ||
               (last && peri_framer_finish(&framer, &line))) {
            peri_buf_addf(out, "%d:%d:%d:%.*s%s%s\n", (int)line.number, (int)line.offset,
                          (int)line.bytes, PERI_FMT(line.text), line.oversized ? "!" : "",
                          line.unfinished ? "?" : "");
        }
    }
    return peri_buf_str(out);
}

static void done(peri_buf *out) {
    peri_buf_deinit(out);
    peri_framer_deinit(&framer);
}

IT("C08 ends a line at LF and nowhere else, whatever the chunks") {
    peri_str bytes = PERI_STR("a\xE2\x80\xA8z\nb\xC2\x85\r\n\n \nc\rd");
    for (size_t piece = 1; piece <= bytes.len; piece++) {
        peri_buf out;
        CHECK_STR(frame(bytes, piece, 0, &out),
                  "1:0:5:a\xE2\x80\xA8z\n2:6:4:b\xC2\x85\n3:11:0:\n4:12:1: \n5:14:3:c\rd?\n");
        done(&out);
    }
}

IT("C05 keeps its checkpoint just behind the last LF, in bytes") {
    peri_str whole = peri_test_read(PERI_TESTS_DIR "/fault/streams/C05.part2.jsonl");
    peri_str part = peri_test_read(PERI_TESTS_DIR "/fault/streams/C05.part1.jsonl");
    size_t first = peri_str_find_byte(whole, '\n', 0) + 1;
    peri_line line;
    peri_framer_init(&framer, 0);
    peri_str chunk = part;
    CHECK(peri_framer_take(&framer, &chunk, &line));
    CHECK(!peri_framer_take(&framer, &chunk, &line));
    CHECK_EQ(peri_framer_checkpoint(&framer), first);
    chunk = peri_str_sub(whole, part.len, whole.len); // the same process sees the rest
    CHECK(peri_framer_take(&framer, &chunk, &line));
    CHECK_EQ(line.offset, first);
    CHECK_EQ(line.number, 2);
    CHECK(peri_str_eq(line.text, peri_str_sub(whole, first, line.text.len)));
    CHECK_EQ(peri_framer_checkpoint(&framer), whole.len);
    peri_framer_deinit(&framer);
    free((char *)whole.ptr);
    free((char *)part.ptr);
}

IT("lends a line that lies in its chunk instead of copying it") {
    peri_str bytes = PERI_STR("one\ntwo"), chunk = bytes;
    peri_line line;
    peri_framer_init(&framer, 0);
    CHECK(peri_framer_take(&framer, &chunk, &line));
    CHECK(line.text.ptr == bytes.ptr);
    CHECK(framer.held.ptr == NULL);
    CHECK(!peri_framer_take(&framer, &chunk, &line));
    CHECK(peri_framer_finish(&framer, &line));
    CHECK(!peri_framer_finish(&framer, &line));
    peri_framer_deinit(&framer);
}

IT("leaves out BOMs before a line and NULs around it, and counts those before it") {
    peri_str bytes = PERI_STR("\xEF\xBB\xBF\0\0{}\0\0\r\n\0\xEF\xBB\xBFx\n\0\0\n\xEF\xBB\n"),
             chunk = bytes;
    static const struct {
        const char *text;
        size_t left_out, offset, bytes;
    } wants[] = {{"{}", 5, 0, 10}, {"x", 4, 11, 5}, {"", 0, 17, 2}, {"\xEF\xBB", 0, 20, 2}};
    peri_line line;
    peri_framer_init(&framer, 0);
    for (size_t i = 0; i < sizeof wants / sizeof wants[0]; i++) {
        CHECK(peri_framer_take(&framer, &chunk, &line));
        CHECK_STR(line.text, wants[i].text);
        CHECK_EQ(line.left_out, wants[i].left_out);
        CHECK_EQ(line.offset, wants[i].offset);
        CHECK_EQ(line.bytes, wants[i].bytes);
    }
    peri_framer_deinit(&framer);
}

IT("C07 keeps a preview of a line over its cap, whatever the chunks, and goes on behind it") {
    peri_str bytes = PERI_STR("ok\n0123456789abc\nnext\n");
    for (size_t piece = 1; piece <= bytes.len; piece++) {
        peri_buf out;
        CHECK_STR(frame(bytes, piece, 8, &out), "1:0:2:ok\n2:3:13:01234567!\n3:17:4:next\n");
        CHECK_EQ(peri_framer_checkpoint(&framer), bytes.len);
        done(&out);
    }
}

IT("C07 holds a huge line in the memory of its cap") {
    enum { CAP = 64 * 1024, PIECE = 1 << 20, PIECES = 64 };
    char *piece = malloc(PIECE);
    memset(piece, 'A', PIECE);
    peri_line line;
    peri_framer_init(&framer, CAP);
    for (int i = 0; i < PIECES; i++) {
        peri_str chunk = peri_str_of(piece, PIECE);
        CHECK(!peri_framer_take(&framer, &chunk, &line));
        CHECK(framer.held.cap <= CAP + 1);
    }
    peri_str end = PERI_STR("\n");
    CHECK(peri_framer_take(&framer, &end, &line));
    CHECK(line.oversized);
    CHECK_EQ(line.bytes, (long long)PIECE * PIECES);
    CHECK_EQ(line.text.len, PERI_LINE_PREVIEW_BYTES);
    peri_framer_deinit(&framer);
    free(piece);
}

IT("takes a line of exactly the cap whole") {
    peri_buf out;
    CHECK_STR(frame(PERI_STR("12345678\n123456789\n"), 3, 8, &out),
              "1:0:8:12345678\n2:9:9:12345678!\n");
    done(&out);
}

IT("clamps a cap to the largest one, and takes 0 as the default") {
    peri_framer_init(&framer, SIZE_MAX);
    CHECK_EQ(framer.max_line_bytes, PERI_LINE_CAP_BYTES);
    peri_framer_init(&framer, 0);
    CHECK_EQ(framer.max_line_bytes, PERI_LINE_MAX_BYTES);
    peri_framer_deinit(&framer);
}

TEST_MAIN
