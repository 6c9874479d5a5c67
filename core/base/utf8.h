// UTF-8: validation, repair, counting and cutting. Lengths are said in bytes, code points
// ("cp") or UTF-16 units ("u16", the unit in which JavaScript clients count "characters").
#ifndef PERI_BASE_UTF8_H
#define PERI_BASE_UTF8_H

#include "base/buf.h"

/// Bytes of the longest valid prefix of `s` (RFC 3629: no surrogates, no overlong forms, at
/// most U+10FFFF). Equal to s.len if all of it is valid.
size_t peri_utf8_valid_prefix(peri_str s);

static inline bool peri_utf8_valid(peri_str s) {
    return peri_utf8_valid_prefix(s) == s.len;
}

/// Appends `s` with each maximal invalid sequence replaced by U+FFFD; returns how many there
/// were.
size_t peri_utf8_repair(peri_buf *out, peri_str s);

/// Encodes `cp` into `to`; returns 1-4. A surrogate or a value past U+10FFFF becomes U+FFFD.
size_t peri_utf8_encode(char to[4], uint32_t cp);

/// Decodes the code point at the start of valid UTF-8 `s` (not empty); `*len` gets its bytes.
uint32_t peri_utf8_decode(peri_str s, size_t *len);

typedef struct peri_utf8_size {
    size_t bytes, cp, u16;
} peri_utf8_size;

/// Counts all of valid UTF-8 `s`.
peri_utf8_size peri_utf8_count(peri_str s);

/// The longest prefix of valid UTF-8 `s` of at most `max_cp` code points.
peri_utf8_size peri_utf8_cut_cp(peri_str s, size_t max_cp);

/// The longest prefix of valid UTF-8 `s` of at most `max_u16` UTF-16 units; a pair is kept
/// whole.
peri_utf8_size peri_utf8_cut_u16(peri_str s, size_t max_u16);

/// Bytes of the longest prefix of at most `max_bytes` that ends between two code points.
size_t peri_utf8_cut_bytes(peri_str s, size_t max_bytes);

/// Bytes to skip so that what is left has at most `max_bytes` and begins with a code point.
size_t peri_utf8_skip_to_tail(peri_str s, size_t max_bytes);

/// True for code points that print nothing: white space, controls, format characters, variation
/// selectors, zero-width and bidi marks. A text of only these is blank.
bool peri_utf8_invisible(uint32_t cp);

/// True if valid UTF-8 `s` holds no visible code point.
bool peri_utf8_blank(peri_str s);

#endif
