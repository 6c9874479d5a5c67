// What json_prepare.c and json_tree.c agree on: how a value travels through cJSON, which keeps
// strings only up to their first NUL and numbers only as doubles. Internal to core/base.
//
// Every name, string and number goes as a cJSON string with a head: one byte of kind and the
// length of its text in 8 hexadecimal digits. So U+0000 survives, numbers keep their digits,
// and cJSON never reads a number in the locale's notation.
#ifndef PERI_BASE_JSON_PREPARE_H
#define PERI_BASE_JSON_PREPARE_H

#include "base/json.h"

enum { PERI__HEAD_BYTES = 9, PERI__HEAD_STRING = 's', PERI__HEAD_NUMBER = 'n' };

/// Writes the head of a text of `len` bytes (under 4 GiB).
void peri__head_write(char to[PERI__HEAD_BYTES], char kind, size_t len);

/// The text behind the head that `block` begins with.
peri_str peri__head_text(const char *block);

typedef struct peri__json_prepared {
    peri_buf text;   // what cJSON reads; owned
    size_t repaired; // values mended
    size_t error_at; // on failure: offset in the text given
    const char *id;  // of the diagnostic, its message and its hint (may be NULL)
    const char *problem, *hint;
} peri__json_prepared;

/// Checks all of `text` (valid UTF-8, no BOM) against RFC 8259 and rewrites it for cJSON, which
/// then has no reason left to fail but memory. Mended: lone surrogates and raw control
/// characters. Status as peri_tree_parse; `out->text` is to be freed in either case.
PERI_MUST_USE int peri__json_prepare(peri_str text, uint32_t max_depth, bool refuse_duplicates,
                                     peri__json_prepared *out);

#endif
