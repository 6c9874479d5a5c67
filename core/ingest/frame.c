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

// Adds a piece of the current line to `held`, up to the cap; past it only the preview stays.
static int hold(peri_framer *framer, peri_str piece) {
    framer->held_bytes += piece.len;
    if (framer->skipping) return PERI_OK;
    if (framer->held_bytes > framer->max_line_bytes) {
        framer->skipping = true;
        peri_buf_add(&framer->held, peri_str_sub(piece, 0, PERI_LINE_PREVIEW_BYTES));
        peri_buf_truncate(&framer->held, PERI_LINE_PREVIEW_BYTES);
        if (framer->held.status == PERI_ELIMIT)
            framer->held.status = PERI_OK; // preview is there
        return framer->held.status;
    }
    peri_buf_add(&framer->held, piece);
    return framer->held.status;
}

static void trim(peri_framer *framer, peri_line *line) {
    peri_str *text = &line->text;
    if (text->len && text->ptr[text->len - 1] == '\r') text->len--;
    if (line->number == 1 && peri_str_starts(*text, PERI_STR("\xEF\xBB\xBF"))) {
        *text = peri_str_sub(*text, 3, text->len);
    }
    while (text->len && text->ptr[0] == '\0') {
        *text = peri_str_sub(*text, 1, text->len);
        line->padding++;
    }
    framer->oversized_count += line->oversized;
}

static void give(peri_framer *framer, peri_str text, uint64_t bytes, peri_line *out) {
    *out = (peri_line){
        .text = text,
        .number = ++framer->line_count,
        .offset = framer->line_start,
        .bytes = bytes,
        .oversized = framer->skipping,
    };
    trim(framer, out);
    framer->held_bytes = 0;
    framer->skipping = false;
}

int peri_framer_take(peri_framer *framer, peri_str *chunk, peri_line *out) {
    if (chunk->len == 0) return 0;
    if (framer->held_bytes == 0) peri_buf_clear(&framer->held); // given out by the call before
    size_t lf = peri_str_find_byte(*chunk, '\n', 0);
    peri_str piece = peri_str_sub(*chunk, 0, lf == PERI_NPOS ? chunk->len : lf);
    bool whole = lf != PERI_NPOS && framer->held_bytes == 0;
    if (!whole || piece.len > framer->max_line_bytes) {
        int status = hold(framer, piece);
        if (status < 0) return status;
    }
    *chunk = peri_str_sub(*chunk, lf == PERI_NPOS ? chunk->len : lf + 1, chunk->len);
    if (lf == PERI_NPOS) return 0;
    bool lent = whole && !framer->skipping;
    uint64_t bytes = lent ? piece.len : framer->held_bytes;
    give(framer, lent ? piece : peri_buf_str(&framer->held), bytes, out);
    framer->line_start += bytes + 1;
    return 1;
}

int peri_framer_finish(peri_framer *framer, peri_line *out) {
    if (framer->held_bytes == 0) return 0;
    uint64_t bytes = framer->held_bytes;
    give(framer, peri_buf_str(&framer->held), bytes, out);
    out->unfinished = true;
    return 1;
}
