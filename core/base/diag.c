// Bounded diagnostics and the nearest known word.
#include "base/diag.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"

void peri_diag_list_init(peri_diag_list *list) {
    *list = (peri_diag_list){0};
    peri_arena_init(&list->arena, (size_t)PERI_DIAG_MAX * PERI_DIAG_TEXT_MAX_BYTES * 12);
}

void peri_diag_list_deinit(peri_diag_list *list) {
    if (!list) return;
    peri_arena_deinit(&list->arena);
    free(list->items);
    peri_diag_list_init(list);
}

// Every text of the list is valid UTF-8, whatever file it was quoted from.
static peri_str keep(peri_diag_list *list, peri_str text) {
    text.len = peri_utf8_cut_bytes(text, PERI_DIAG_TEXT_MAX_BYTES);
    if (peri_utf8_valid(text)) return peri_arena_copy(&list->arena, text);
    peri_buf mended;
    peri_buf_init(&mended, (size_t)PERI_DIAG_TEXT_MAX_BYTES * 3);
    peri_utf8_repair(&mended, text);
    peri_str kept = peri_arena_copy(&list->arena, peri_buf_str(&mended));
    peri_buf_deinit(&mended);
    return kept;
}

void peri_diag_add(peri_diag_list *list, peri_diag diag) {
    if (!list) return;
    list->error_count += diag.severity == PERI_ERROR;
    list->warning_count += diag.severity == PERI_WARNING;
    if (list->count == list->cap && list->cap < PERI_DIAG_MAX) {
        size_t cap = list->cap ? list->cap * 2 : 8;
        peri_diag *items = realloc(list->items, cap * sizeof *items);
        if (items) {
            list->items = items;
            list->cap = cap;
        }
    }
    if (list->count == list->cap) {
        list->dropped_count++;
        return;
    }
    diag.id = keep(list, diag.id);
    diag.file = keep(list, diag.file);
    diag.message = keep(list, diag.message);
    diag.hint = keep(list, diag.hint);
    list->items[list->count++] = diag;
}

void peri_diag_addf(peri_diag_list *list, peri_severity severity, const char *id, peri_str file,
                    uint32_t line, uint32_t column, const char *hint, const char *format, ...) {
    char message[PERI_DIAG_TEXT_MAX_BYTES + 8]; // what is too much is cut by peri_diag_add()
    va_list args;
    va_start(args, format);
    int len = vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (len < 0) len = 0;
    if ((size_t)len >= sizeof message) len = (int)sizeof message - 1;
    peri_diag_add(list, (peri_diag){severity, peri_str_c(id), file, line, column,
                                    peri_str_of(message, (size_t)len), peri_str_c(hint)});
}

// Names and values of a hostile file go to a terminal here: no control character may pass.
static void add_printable(peri_buf *out, peri_str text) {
    while (text.len) {
        size_t len;
        uint32_t cp = peri_utf8_decode(text, &len);
        bool control = cp < 0x20 || (cp >= 0x7F && cp < 0xA0);
        peri_buf_add(out, control ? PERI_STR("?") : peri_str_sub(text, 0, len));
        text = peri_str_sub(text, len, text.len);
    }
}

void peri_diag_format(peri_buf *out, const peri_diag *diag) {
    static const char *const names[] = {"note", "warning", "error"};
    if (diag->file.len) {
        add_printable(out, diag->file);
        if (diag->line) peri_buf_addf(out, ":%u", diag->line);
        if (diag->line && diag->column) peri_buf_addf(out, ":%u", diag->column);
        peri_buf_add_c(out, ": ");
    }
    peri_buf_addf(out, "%s: ", names[diag->severity]);
    add_printable(out, diag->message);
    peri_buf_addf(out, " [%.*s]\n", PERI_FMT(diag->id));
    if (!diag->hint.len) return;
    peri_buf_add_c(out, "    hint: ");
    add_printable(out, diag->hint);
    peri_buf_add_byte(out, '\n');
}

void peri_diag_place(peri_str text, size_t at, uint32_t *line, uint32_t *column) {
    peri_str before = peri_str_sub(text, 0, at);
    *line = 1;
    for (size_t end; (end = peri_str_find_byte(before, '\n', 0)) != PERI_NPOS; ++*line) {
        before = peri_str_sub(before, end + 1, before.len);
    }
    *column = (uint32_t)peri_utf8_count(before).cp + 1;
}

peri_str peri_diag_nearest(peri_str wrong, const peri_str *words) {
    peri_str best = {0};
    size_t best_distance = wrong.len < 4 ? 2 : 3;
    for (; words->len; words++) {
        size_t distance = peri_str_distance(wrong, *words, best_distance);
        if (distance < best_distance) {
            best_distance = distance;
            best = *words;
        }
    }
    return best;
}
