// Any bytes as a stream, cut anywhere: the records are the same however it is cut, lie inside
// the stream in order and keep to the cap; where the stream is no array they are exactly what
// stands between its LFs.
#include <stdlib.h>

#include "ingest/frame.h"

typedef struct told {
    peri_str stream;
    bool lines_only; // it cannot be an array
    uint64_t end;    // just behind the record before
    peri_buf lines;  // all that was told of each record, to compare two ways of cutting
} told;

static bool may_be_array(peri_str stream) {
    size_t at = 0;
    while (at < stream.len && memchr(" \t\r\n\xEF\xBB\xBF", stream.ptr[at], 7)) at++;
    return at < stream.len && stream.ptr[at] == '[';
}

static void check_place(const told *t, const peri_line *line, size_t cap) {
    size_t last = line->offset + line->bytes, most = cap;
    if (line->oversized && cap > PERI_LINE_PREVIEW_BYTES) most = PERI_LINE_PREVIEW_BYTES;
    if (line->offset < t->end || last > t->stream.len || line->text.len > most) abort();
    if (line->oversized != (line->bytes > cap)) abort();
    peri_str there = peri_str_sub(t->stream, line->offset, line->bytes);
    there = peri_str_sub(there, line->left_out, there.len);
    if (!peri_str_starts(there, line->text)) abort();
    if (!t->lines_only) return;
    if (line->offset != t->end || peri_str_find_byte(there, '\n', 0) != PERI_NPOS) abort();
    if (line->unfinished ? last != t->stream.len : t->stream.ptr[last] != '\n') abort();
}

static void tell(told *t, const peri_framer *framer, const peri_line *line) {
    check_place(t, line, framer->max_line_bytes);
    t->end = peri_framer_checkpoint(framer);
    peri_buf_addf(&t->lines, "%llu %llu %llu %d%d %zu:", (unsigned long long)line->number,
                  (unsigned long long)line->offset, (unsigned long long)line->bytes,
                  line->oversized, line->unfinished, line->left_out);
    peri_buf_add(&t->lines, line->text);
    peri_buf_add_byte(&t->lines, '\n');
}

static void frame(told *t, size_t cap, size_t piece) {
    peri_framer framer;
    peri_line line;
    peri_framer_init(&framer, cap);
    for (size_t at = 0; at < t->stream.len; at += piece) {
        peri_str chunk = peri_str_sub(t->stream, at, piece);
        while (peri_framer_take(&framer, &chunk, &line)) tell(t, &framer, &line);
        if (chunk.len) abort();
    }
    bool unfinished = peri_framer_finish(&framer, &line);
    if (unfinished) tell(t, &framer, &line);
    if (t->lines_only && !unfinished && t->end != t->stream.len) abort();
    peri_framer_deinit(&framer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3) return 0;
    size_t cap = data[0] ? data[0] * 8u : 1u << 16, piece = data[1] % 64 + 1u;
    told whole = {.stream = peri_str_of((const char *)data + 2, size - 2)};
    whole.lines_only = !may_be_array(whole.stream);
    told pieces = whole;
    peri_buf_init(&whole.lines, SIZE_MAX / 4);
    peri_buf_init(&pieces.lines, SIZE_MAX / 4);
    frame(&whole, cap, whole.stream.len);
    frame(&pieces, cap, piece);
    if (!peri_str_eq(peri_buf_str(&whole.lines), peri_buf_str(&pieces.lines))) abort();
    peri_buf_deinit(&whole.lines);
    peri_buf_deinit(&pieces.lines);
    return 0;
}
