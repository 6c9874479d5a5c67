// The content of a scanned JSON string, still escaped, as the reader and the writer of json.h
// need it: checked and measured in one pass, cut without unescaping, unescaped only where it is
// kept. `raw` is what the scanner passed, from the start of an escape or a character.
#ifndef PERI_BASE_JSON_STRING_H
#define PERI_BASE_JSON_STRING_H

#include "base/json.h"

/// What runs over nearly every byte of every stream, compiled for one kind of processor.
typedef struct peri__json_string_ops {
    /// Reads the string whose first byte behind the quote is text[start], up to its closing
    /// quote, into `node` (all but `next`). `*repaired` counts lone surrogates and raw control
    /// characters. PERI_EPARSE with `*error_at`.
    int (*scan)(peri_str text, size_t start, peri_json_node *node, uint32_t *repaired,
                size_t *error_at);
    /// Bytes of the longest prefix of `raw` whose content has at most `max_cp` code points.
    size_t (*cut)(peri_str raw, size_t max_cp);
    /// Unescapes `raw` to `to`, which has room for raw.len + PERI__JSON_SLACK bytes; returns
    /// the bytes written, at most raw.len.
    size_t (*unescape)(peri_str raw, char *to);
    /// Bytes at the start of `raw` that JSON.stringify would write just so; a run longer than
    /// `enough` may be told shorter, but not below it.
    size_t (*plain_run)(peri_str raw, size_t enough);
} peri__json_string_ops;

enum { PERI__JSON_SLACK = 64 };

extern const peri__json_string_ops peri__json_string_plain, peri__json_string_avx2,
    peri__json_string_avx512;

/// The fastest for this machine; with `rank` 1, 2... those that it can run besides, then NULL.
const peri__json_string_ops *peri__json_string_for(size_t rank);

enum { PERI__JSON_UNICODE_BYTES = 6, PERI__JSON_PAIR_BYTES = 12 };

/// Value of a hexadecimal digit; -1 for any other byte.
extern const signed char peri__hex_digits[256];

// The four digits at `p`, or a negative number if one is none.
static inline int32_t peri__json_hex4(const char *p) {
    const unsigned char *u = (const unsigned char *)p;
    return peri__hex_digits[u[0]] * 4096 | peri__hex_digits[u[1]] * 256 |
           peri__hex_digits[u[2]] * 16 | peri__hex_digits[u[3]];
}

/// The code point that the `\u` at the start of `raw`, with a second one that completes a pair,
/// stands for: a surrogate if it is alone, negative if the digits are none.
static inline int32_t peri__json_unicode(peri_str raw, size_t *used) {
    *used = PERI__JSON_UNICODE_BYTES;
    int32_t unit = raw.len < PERI__JSON_UNICODE_BYTES ? -1 : peri__json_hex4(raw.ptr + 2);
    if (unit < 0xD800 || unit > 0xDBFF) return unit;
    if (raw.len < PERI__JSON_PAIR_BYTES || raw.ptr[6] != '\\' || raw.ptr[7] != 'u') return unit;
    int32_t low = peri__json_hex4(raw.ptr + 8);
    if (low < 0xDC00 || low > 0xDFFF) return unit;
    *used = PERI__JSON_PAIR_BYTES;
    return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
}

/// True for the escape of nearly all terminal output, `\u001b` and its kin, whose `u` is at `u`
/// with four bytes behind it: a control character that has no shorter escape.
static inline bool peri__json_is_control(const char *u) {
    return u[1] == '0' && u[2] == '0' && u[3] == '1' &&
           peri__hex_digits[(unsigned char)u[4]] >= 0;
}

/// What the letter behind a backslash stands for.
extern const char peri__json_meanings[256];
static inline char peri__json_meaning(char letter) {
    char other = peri__json_meanings[(unsigned char)letter];
    return other ? other : letter;
}

#endif
