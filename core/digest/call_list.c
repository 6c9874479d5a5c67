// The calls of a turn, each with its result below it, for the slice tool_calls_this_turn. Where
// they are too many the first and the last ones stay and a line in between counts the rest, so
// that a flood of calls hides neither where the turn began nor where it stands.
#include <stdlib.h>

#include "digest/layout.h"

// An entry in the scratch buffer.
typedef struct entry {
    size_t from, len;
} entry;

typedef struct call_list {
    const peri_item **calls;
    entry *entries; // the last calls, newest first; then the first ones in order
    size_t count, tail_count, head_count;
    peri_buf scratch;
    size_t room, cap;
} call_list;

enum {
    SEPARATOR_BYTES = 2,
    GAP_BYTES = 64, // the line that counts what is left out
};

static void write_entry(peri_writer *w, const peri_item *call, size_t cap, peri_buf *out) {
    peri_join join = peri_joins_find(w->joins, call);
    const peri_item *result = join.result ? join.result : join.denial;
    peri__element_write(w, call, cap, out);
    if (!result || !peri__element_shown(w, result)) return;
    peri_buf_add_c(out, "\n\n");
    peri__element_write(w, result, cap / 2, out);
}

// Adds `call` if the scratch buffer then holds at most `room` bytes.
static bool try_add(peri_writer *w, call_list *list, const peri_item *call, size_t room) {
    peri_clean_counts before = w->cleaner.counts;
    entry next = {list->scratch.len, 0};
    write_entry(w, call, list->cap, &list->scratch);
    next.len = list->scratch.len - next.from;
    size_t shown = list->tail_count + list->head_count;
    if (list->scratch.len + (shown + 1) * SEPARATOR_BYTES > room) {
        peri_buf_truncate(&list->scratch, next.from);
        w->cleaner.counts = before;
        return false;
    }
    list->entries[shown] = next;
    return true;
}

static void pick(peri_writer *w, call_list *list) {
    size_t n = list->count;
    while (list->tail_count < n &&
           try_add(w, list, list->calls[n - 1 - list->tail_count], list->room / 3 * 2)) {
        list->tail_count++;
    }
    while (list->tail_count + list->head_count < n &&
           try_add(w, list, list->calls[list->head_count], list->room)) {
        list->head_count++;
    }
}

static void write_picked(const call_list *list, peri_buf *out) {
    peri_str all = peri_buf_str(&list->scratch);
    size_t left_out = list->count - list->head_count - list->tail_count;
    for (size_t i = 0; i < list->head_count; i++) {
        entry e = list->entries[list->tail_count + i];
        if (i > 0) peri_buf_add_c(out, "\n\n");
        peri_buf_add(out, peri_str_sub(all, e.from, e.len));
    }
    if (list->head_count && (left_out || list->tail_count)) peri_buf_add_c(out, "\n\n");
    if (left_out) {
        peri_buf_addf(out, "(%zu calls between are left out)", left_out);
        if (list->tail_count) peri_buf_add_c(out, "\n\n");
    }
    for (size_t i = list->tail_count; i-- > 0;) {
        entry e = list->entries[i];
        peri_buf_add(out, peri_str_sub(all, e.from, e.len));
        if (i > 0) peri_buf_add_c(out, "\n\n");
    }
}

static size_t collect(const peri_turn *turn, const peri_item **calls) {
    size_t count = 0;
    for (size_t i = 0; i < turn->log_count; i++) {
        if (turn->log[i]->kind == PERI_ITEM_TOOL_CALL) calls[count++] = turn->log[i];
    }
    return count;
}

int peri__calls_write(peri_writer *writer, const peri_turn *turn, size_t max_bytes,
                      peri_buf *out, size_t *calls, size_t *left_out) {
    *calls = *left_out = 0;
    if (turn->log_count == 0 || max_bytes < GAP_BYTES) return PERI_OK;
    call_list list = {.room = max_bytes - GAP_BYTES};
    list.calls = malloc(turn->log_count * sizeof *list.calls);
    list.entries = malloc(turn->log_count * sizeof *list.entries);
    int status = list.calls && list.entries ? PERI_OK : PERI_ENOMEM;
    if (status == PERI_OK) {
        size_t cap = writer->rules.cap[PERI_ITEM_TOOL_CALL];
        list.cap = cap < max_bytes / 16 ? cap : max_bytes / 16;
        list.count = collect(turn, list.calls);
        peri_buf_init(&list.scratch, 2 * max_bytes);
        pick(writer, &list);
        write_picked(&list, out);
        *calls = list.count;
        *left_out = list.count - list.head_count - list.tail_count;
        status = list.scratch.status < 0 ? list.scratch.status : writer->cleaner.status;
        peri_buf_deinit(&list.scratch);
    }
    free(list.calls);
    free(list.entries);
    return status;
}
