// Borrowed text: comparison and search over peri_str. Nothing here allocates or relies on NUL.
#ifndef PERI_BASE_STR_H
#define PERI_BASE_STR_H

#include <string.h>

#include "perilune/base.h"

/// A peri_str of a string literal.
#define PERI_STR(literal) ((peri_str){"" literal, sizeof(literal) - 1})

/// printf arguments for "%.*s".
#define PERI_FMT(s) (int)(s).len, (s).ptr ? (s).ptr : ""

static inline peri_str peri_str_of(const char *ptr, size_t len) {
    return (peri_str){ptr, len};
}

/// Wraps a NUL-ended string; NULL gives the absent text.
static inline peri_str peri_str_c(const char *text) {
    return (peri_str){text, text ? strlen(text) : 0};
}

static inline bool peri_str_eq(peri_str a, peri_str b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool peri_str_starts(peri_str s, peri_str prefix) {
    return s.len >= prefix.len &&
           (prefix.len == 0 || memcmp(s.ptr, prefix.ptr, prefix.len) == 0);
}

static inline bool peri_str_ends(peri_str s, peri_str suffix) {
    return s.len >= suffix.len &&
           (suffix.len == 0 || memcmp(s.ptr + s.len - suffix.len, suffix.ptr, suffix.len) == 0);
}

/// Bytes [from, from + len) of `s`, clamped to it.
static inline peri_str peri_str_sub(peri_str s, size_t from, size_t len) {
    if (from > s.len) from = s.len;
    if (len > s.len - from) len = s.len - from;
    return (peri_str){s.ptr ? s.ptr + from : NULL, len};
}

#define PERI_NPOS SIZE_MAX

/// Offset of the first `byte` at or after `from`, or PERI_NPOS.
size_t peri_str_find_byte(peri_str s, char byte, size_t from);

/// Offset of the first occurrence of `needle`, or PERI_NPOS. An empty needle is found at 0.
size_t peri_str_find(peri_str s, peri_str needle);

/// Index of the first of the `count` texts of `list` that equals `s`; `count` if none does.
size_t peri_str_index_in(peri_str s, const peri_str *list, size_t count);

/// True if `s` equals one of the `count` texts of `list`.
bool peri_str_is_one_of(peri_str s, const peri_str *list, size_t count);

/// Orders by bytes, a prefix first: negative, 0 or positive.
int peri_str_compare(peri_str a, peri_str b);

/// Equal but for ASCII case.
bool peri_str_eq_nocase(peri_str a, peri_str b);

/// `s` without ASCII white space at both ends.
peri_str peri_str_trim(peri_str s);

/// Reads all of `s` as a decimal int64. PERI_EPARSE if it is not one, PERI_ELIMIT on overflow.
PERI_MUST_USE int peri_str_int(peri_str s, int64_t *out);

/// 64-bit FNV-1a of `s`, continued from `seed`; start with PERI_HASH_SEED. Not for hostile
/// keys.
#define PERI_HASH_SEED UINT64_C(0xcbf29ce484222325)
uint64_t peri_str_hash(peri_str s, uint64_t seed);

/// The same job eight bytes at a time, with other values: for equality of long contents.
uint64_t peri_str_hash_wide(peri_str s);

/// Optimal string alignment distance, at most `limit` (returned when it is reached), for texts
/// up to 64 bytes; longer ones are `limit` apart. Used to name the nearest known word.
size_t peri_str_distance(peri_str a, peri_str b, size_t limit);

#endif
