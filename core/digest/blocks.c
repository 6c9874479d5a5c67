// Chooses which items a document has room for, and writes them step by step. The newest are
// written first, into a scratch buffer, until the room is used up: so the cost follows what is
// shown, not what was collected, and what does not fit is the oldest.
#include <stdlib.h>

#include "digest/layout.h"

enum {
    ELEMENT_MAX_BYTES = 1024 * 1024, // the largest body is 64,000 units
    TAGS_BYTES = 160,                // what an element usually has around its body
};

static bool is_message(const peri_item *item) {
    return item->kind == PERI_ITEM_USER_MESSAGE || item->kind == PERI_ITEM_NON_USER_MESSAGE;
}

static bool has_body(const peri_item *item) {
    return item->kind != PERI_ITEM_TURN_ENDED && item->kind != PERI_ITEM_SKILLS_DISCOVERED;
}

// Bytes of a block around one element: its two tags and the blank line before the next.
static size_t block_bytes(const peri_writer *w) {
    return 2 * w->agent.text.len + w->nonce.len + sizeof "<-activity>\n\n</-activity>\n\n" - 1;
}

static size_t units_of(const peri_writer *w, peri_str element) {
    return w->rules.max_units == SIZE_MAX ? 0 : peri_utf8_count(element).u16;
}

// Writes one more element into the scratch buffer; false if there is no room for it.
static bool try_add(peri_writer *w, peri_picked *to, const peri_item *item, size_t cap) {
    peri_clean_counts before = w->cleaner.counts;
    peri_piece next = {item, to->scratch.len, 0};
    peri__element_write(w, item, cap, &to->scratch);
    peri_str element = peri_str_sub(peri_buf_str(&to->scratch), next.from, to->scratch.len);
    const peri_item *newer = to->count ? to->pieces[to->count - 1].item : NULL;
    bool own_block = !newer || newer->step != item->step ||
                     (w->rules.messages_apart && (is_message(item) || is_message(newer)));
    size_t bytes = element.len + (own_block ? block_bytes(w) : 2);
    size_t units = units_of(w, element);
    if (bytes > to->bytes_left || units > to->units_left) {
        peri_buf_truncate(&to->scratch, next.from);
        w->cleaner.counts = before;
        return false;
    }
    next.len = element.len;
    to->pieces[to->count++] = next;
    to->bytes_left -= bytes;
    to->units_left -= units;
    to->has_body = to->has_body || has_body(item);
    return true;
}

// The newest text is shown even where it alone would be too large: cut to what is left, at
// worst four bytes a unit, with room for tags and marker.
static bool try_add_shortened(peri_writer *w, peri_picked *to, const peri_item *item) {
    if (to->has_body || !has_body(item)) return false;
    size_t tags = block_bytes(w) + 1024;
    size_t cap = to->bytes_left > tags ? (to->bytes_left - tags) / 4 : 0;
    size_t units = to->units_left > tags ? to->units_left - tags : 0;
    if (cap > units) cap = units;
    if (cap > peri__element_cap(w, item)) cap = peri__element_cap(w, item);
    return cap > 0 && try_add(w, to, item, cap);
}

static size_t count_shown(const peri_writer *w, const peri_item *const *items, size_t count) {
    size_t shown = 0;
    for (size_t i = 0; i < count; i++) shown += peri__element_shown(w, items[i]);
    return shown;
}

// Picks from the newest back; returns how many older items found no room.
static size_t pick(peri_writer *w, peri_picked *to, const peri_item *const *items,
                   size_t count) {
    for (size_t i = count; i-- > 0;) {
        if (!peri__element_shown(w, items[i])) continue;
        if (try_add(w, to, items[i], peri__element_cap(w, items[i]))) continue;
        if (try_add_shortened(w, to, items[i])) continue;
        return count_shown(w, items, i + 1);
    }
    return 0;
}

// The order of elements inside a block.
static int rank(peri_item_kind kind) {
    switch (kind) {
    case PERI_ITEM_COORDINATOR_TASK:
        return 0;
    case PERI_ITEM_USER_MESSAGE:
        return 1;
    case PERI_ITEM_ASSISTANT_TEXT:
        return 2;
    case PERI_ITEM_TOOL_CALL:
        return 3;
    case PERI_ITEM_TOOL_RESULT:
    case PERI_ITEM_TOOL_DENIED:
        return 4;
    case PERI_ITEM_GUIDANCE_LOADED:
        return 5;
    case PERI_ITEM_SKILLS_DISCOVERED:
        return 6;
    case PERI_ITEM_NON_USER_MESSAGE:
        return 7;
    default:
        return 8;
    }
}

// Writes pieces [newest, oldest] of the picked list as one block, oldest first within a rank.
static void write_block(const peri_writer *w, const peri_picked *from, size_t newest,
                        size_t oldest, peri_buf *out) {
    peri_frame frame = peri__writer_frame(w, out);
    bool first = true;
    peri_frame_open_block(&frame, w->agent);
    for (int r = 0; r <= 8; r++) {
        for (size_t i = oldest + 1; i-- > newest;) {
            const peri_piece *p = &from->pieces[i];
            if (rank(p->item->kind) != r) continue;
            if (!first) peri_buf_add_c(out, "\n\n");
            peri_buf_add(out, peri_str_sub(peri_buf_str(&from->scratch), p->from, p->len));
            first = false;
        }
    }
    peri_frame_close_block(&frame, w->agent);
}

// The newest piece of the block whose oldest is `oldest`.
static size_t block_end(const peri_writer *w, const peri_picked *from, size_t oldest) {
    const peri_piece *p = from->pieces;
    bool apart = w->rules.messages_apart;
    size_t at = oldest;
    if (apart && is_message(p[at].item)) return at;
    while (at > 0 && p[at - 1].item->step == p[oldest].item->step) {
        if (apart && is_message(p[at - 1].item)) break;
        at--;
    }
    return at;
}

void peri__picked_write(const peri_picked *picked, const peri_writer *writer, peri_buf *out) {
    for (size_t left = picked->count; left > 0;) {
        size_t newest = block_end(writer, picked, left - 1);
        if (left < picked->count) peri_buf_add_c(out, "\n\n");
        write_block(writer, picked, newest, left - 1, out);
        left = newest;
    }
}

// Room for all the texts at once, where they are not too many: a buffer that grows is copied.
static void reserve(peri_picked *to, const peri_item *const *items, size_t count) {
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) bytes += items[i]->text.head.len + TAGS_BYTES;
    (void)peri_buf_reserve(&to->scratch, bytes < to->bytes_left ? bytes : to->bytes_left);
}

int peri__picked_init(peri_picked *picked, peri_writer *writer, const peri_item *const *items,
                      size_t count, size_t max_bytes) {
    *picked = (peri_picked){.bytes_left = max_bytes, .units_left = writer->rules.max_units};
    peri_buf_init(&picked->scratch, max_bytes + ELEMENT_MAX_BYTES);
    if (count == 0) return PERI_OK;
    picked->pieces = malloc(count * sizeof *picked->pieces);
    if (!picked->pieces) return PERI_ENOMEM;
    reserve(picked, items, count);
    picked->left_out = pick(writer, picked, items, count);
    return picked->scratch.status < 0 ? picked->scratch.status : writer->cleaner.status;
}

void peri__picked_deinit(peri_picked *picked) {
    peri_buf_deinit(&picked->scratch);
    free(picked->pieces);
    picked->pieces = NULL;
}
