// The framer of frame.h. Three situations: the line lies in the chunk (lent as it is), it began
// in an earlier one (collected in `held`), or it is over the cap (only its preview is in
// `held`).
#include "ingest/frame.h"

void peri_framer_init(peri_framer *framer, size_t max_line_bytes) {
    *framer = (peri_framer){0};
    framer->max_line_bytes = max_line_bytes ? max_line_bytes : PERI_LINE_MAX_BYTES;
    if (framer->max_line_bytes > PERI_LINE_CAP_BYTES) {
        framer->max_line_bytes = PERI_LINE_CAP_BYTES;
    }
    peri_buf_init(&framer->held, framer->max_line_bytes);
}

void peri_framer_deinit(peri_framer *framer) {
    peri_buf_deinit(&framer->held);
}

// From here on only the line's preview is kept.
static void skip(peri_framer *framer, peri_str piece) {
    peri_buf *held = &framer->held;
    size_t cap = PERI_LINE_PREVIEW_BYTES;
    if (cap > framer->max_line_bytes) cap = framer->max_line_bytes;
    framer->skipping = true;
    peri_buf_truncate(held, cap);
    peri_buf_add(held, peri_str_sub(piece, 0, cap - held->len));
    held->status = PERI_OK; // a preview that memory cannot hold is a shorter one
}

// Adds a piece of the current line to `held`, up to the cap.
static void hold(peri_framer *framer, peri_str piece) {
    framer->held_bytes += piece.len;
    if (framer->skipping) return;
    if (framer->held_bytes <= framer->max_line_bytes) peri_buf_add(&framer->held, piece);
    if (framer->held_bytes > framer->max_line_bytes || framer->held.status < 0) {
        framer->held.status = PERI_OK;
        skip(framer, piece);
    }
}

size_t peri_padding(peri_str text) {
    peri_str bom = PERI_STR("\xEF\xBB\xBF");
    size_t at = 0;
    while (at < text.len) {
        if (text.ptr[at] == '\0') {
            at++;
        } else if (peri_str_starts(peri_str_sub(text, at, text.len), bom)) {
            at += bom.len;
        } else {
            break;
        }
    }
    return at;
}

static void trim(peri_line *line) {
    peri_str *text = &line->text;
    if (text->len && text->ptr[text->len - 1] == '\r') text->len--;
    while (text->len && text->ptr[text->len - 1] == '\0') text->len--;
    line->left_out = peri_padding(*text);
    *text = peri_str_sub(*text, line->left_out, text->len);
}

static void give(peri_framer *framer, peri_str text, uint64_t bytes, peri_line *out) {
    *out = (peri_line){
        .text = text,
        .number = ++framer->line_count,
        .offset = framer->line_start,
        .bytes = bytes,
        .oversized = framer->skipping,
    };
    trim(out);
    framer->held_bytes = 0;
    framer->skipping = false;
}

// What stands before the record is no part of any.
static void pass_over(peri_framer *framer, peri_str *chunk, size_t count) {
    *chunk = peri_str_sub(*chunk, count, chunk->len);
    framer->line_start += count;
}

// Where the stream begins it shows whether it is an array. A bracket that turned out to open
// one was held as the beginning of a line.
static void look(peri_framer *framer, peri_str *chunk) {
    size_t begin;
    peri_elements_look(&framer->elements, *chunk, &begin);
    if (framer->elements.shape != PERI_SHAPE_ARRAY) return;
    pass_over(framer, chunk, begin);
    framer->line_start += framer->held_bytes;
    framer->held_bytes = 0;
    framer->skipping = false;
    peri_buf_clear(&framer->held);
}

// Bytes of the record within the chunk; `*behind`: bytes that end it and are no part of it.
static size_t measure(peri_framer *framer, peri_str *chunk, bool *ended, size_t *behind) {
    peri_elements *elements = &framer->elements;
    if (elements->shape < PERI_SHAPE_ARRAY) look(framer, chunk);
    if (elements->shape == PERI_SHAPE_ARRAY && framer->held_bytes == 0) {
        pass_over(framer, chunk, peri_elements_skip(elements, *chunk));
    }
    *behind = 0;
    if (elements->shape == PERI_SHAPE_ARRAY) return peri_elements_end(elements, *chunk, ended);
    size_t lf = peri_str_find_byte(*chunk, '\n', 0);
    *ended = lf != PERI_NPOS;
    *behind = *ended;
    return *ended ? lf : chunk->len;
}

bool peri_framer_take(peri_framer *framer, peri_str *chunk, peri_line *out) {
    if (chunk->len == 0) return false;
    if (framer->held_bytes == 0) peri_buf_clear(&framer->held); // given out by the call before
    bool ended;
    size_t behind, len = measure(framer, chunk, &ended, &behind);
    peri_str piece = peri_str_sub(*chunk, 0, len);
    *chunk = peri_str_sub(*chunk, len + behind, chunk->len);
    if (ended && framer->held_bytes == 0 && piece.len <= framer->max_line_bytes) {
        give(framer, piece, piece.len, out); // lent as it lies
    } else {
        hold(framer, piece);
        if (!ended) return false;
        give(framer, peri_buf_str(&framer->held), framer->held_bytes, out);
    }
    framer->line_start += out->bytes + behind;
    return true;
}

bool peri_framer_finish(peri_framer *framer, peri_line *out) {
    if (framer->held_bytes == 0) return false;
    give(framer, peri_buf_str(&framer->held), framer->held_bytes, out);
    out->unfinished = true;
    return true;
}
