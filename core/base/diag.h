// Diagnostics: what is wrong in a file a person wrote, where, and what to do. A bounded list
// that a loader fills and its caller prints, as text or JSON.
#ifndef PERI_BASE_DIAG_H
#define PERI_BASE_DIAG_H

#include "base/arena.h"
#include "base/buf.h"

typedef enum peri_severity { PERI_NOTE, PERI_WARNING, PERI_ERROR } peri_severity;

typedef struct peri_diag {
    peri_severity severity;
    peri_str id;      // stable, kebab-case, such as "unknown-key"
    peri_str file;    // as the user named it; absent if there is none
    uint32_t line;    // 1-based; 0 unknown
    uint32_t column;  // 1-based, in code points; 0 unknown
    peri_str message; // one sentence without a full stop
    peri_str hint;    // what to do; may be absent
} peri_diag;

typedef struct peri_diag_list {
    peri_arena arena; // owns every text of the list
    peri_diag *items;
    size_t count, cap;
    size_t error_count, warning_count;
    size_t dropped_count; // beyond PERI_DIAG_MAX, counted only
} peri_diag_list;

enum { PERI_DIAG_MAX = 256, PERI_DIAG_TEXT_MAX_BYTES = 1024 };

void peri_diag_list_init(peri_diag_list *list);
void peri_diag_list_deinit(peri_diag_list *list);

/// Copies `diag` into the list. Never fails visibly: what does not fit is counted as dropped.
/// `list` may be NULL: then nothing is kept.
void peri_diag_add(peri_diag_list *list, peri_diag diag);

/// Adds with a printf-style message. `hint` may be NULL.
void peri_diag_addf(peri_diag_list *list, peri_severity severity, const char *id, peri_str file,
                    uint32_t line, uint32_t column, const char *hint, const char *format, ...)
    __attribute__((format(printf, 8, 9)));

/// Appends "FILE:LINE:COLUMN: error: MESSAGE [ID]\n    hint: HINT\n", leaving out what is
/// unknown. Control characters, which hostile files may have put there, become "?".
void peri_diag_format(peri_buf *out, const peri_diag *diag);

/// Line and column, as in peri_diag, of byte `at` of valid UTF-8 `text`.
void peri_diag_place(peri_str text, size_t at, uint32_t *line, uint32_t *column);

/// The word of `words` (ended by an empty one) nearest to `wrong`, or the absent text if none
/// is near: at most 2 edits apart, or 1 for words under 4 bytes.
peri_str peri_diag_nearest(peri_str wrong, const peri_str *words);

#endif
