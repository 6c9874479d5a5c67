// The built-in kinds of secrets: hand-written matchers of bounded work.
#ifndef PERI_DIGEST_SCRUB_KINDS_H
#define PERI_DIGEST_SCRUB_KINDS_H

#include "base/str.h"

typedef struct peri_secret {
    const char *kind;
    size_t from, to; // its bytes in the text
} peri_secret;

/// What may stand at and beside a pivot for a kind to be there at all: a bit for each sort of
/// kind. A mark needs one neighbour, a letter both. Of 128 bytes; what is no ASCII is no pivot
/// and, beside one, as good as NUL.
typedef struct peri_pivots {
    uint8_t mark[128], mark_before[128], mark_behind[128];
    uint8_t letter[128], letter_before[128], letter_behind[128];
} peri_pivots;

/// The pivots, and prefixes of tokens, found by the byte before their
/// pivot. Made once for each scrubber.
typedef struct peri_prefix_index {
    peri_pivots pivots;
    uint8_t first[128]; // 1-based row; 0: none
    uint8_t next[64];
} peri_prefix_index;

void peri__prefix_index_init(peri_prefix_index *index);

static inline unsigned char peri__ascii_at(peri_str text, size_t at) {
    unsigned char c = at < text.len ? (unsigned char)text.ptr[at] : 0;
    return c < 0x80 ? c : 0;
}

/// False if the byte at `at` and the two beside it show already that no secret has its pivot
/// there. Settles nearly every pivot without a jump that depends on which one it is.
static inline bool peri__secret_possible(const peri_pivots *pivots, peri_str text, size_t at) {
    unsigned char c = peri__ascii_at(text, at), before = at ? peri__ascii_at(text, at - 1) : 0,
                  behind = peri__ascii_at(text, at + 1);
    return (pivots->mark[c] & (pivots->mark_before[before] | pivots->mark_behind[behind])) ||
           (pivots->letter[c] & pivots->letter_before[before] & pivots->letter_behind[behind]);
}

/// scrub_kinds.c: the secret whose pivot is at `at`, if there
/// is one. `from` is at or behind `floor`.
bool peri__secret_find(const peri_prefix_index *index, peri_str text, size_t at, size_t floor,
                       peri_secret *out);

/// scrub_assign.c: a secret given a name: NAME=value, "name": "value", Authorization: value.
/// `at` is the ":" or "=".
bool peri__secret_assigned(peri_str text, size_t at, peri_secret *out);

/// A value is judged by its first bytes, so that many long ones side by side cost no more.
enum { PERI_JUDGED_BYTES = 64 };

enum {
    PERI_CHAR_ALNUM = 1, // [A-Za-z0-9]
    PERI_CHAR_HEX = 2,   // [0-9a-f]
    PERI_CHAR_WORD = 4,  // [A-Za-z0-9_]
    PERI_CHAR_DASH = 8,  // [A-Za-z0-9_-]
    PERI_CHAR_DOT = 16,  // [A-Za-z0-9_.-]
    PERI_CHAR_B64 = 32,  // [A-Za-z0-9+/=_-]
};

static inline bool peri__char_is(unsigned char c, int set) {
    bool digit = c >= '0' && c <= '9';
    bool alnum = digit || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (set == PERI_CHAR_HEX) return digit || (c >= 'a' && c <= 'f');
    if (alnum) return true;
    if (c == '_') return set >= PERI_CHAR_WORD;
    if (c == '-') return set >= PERI_CHAR_DASH;
    if (c == '.') return set == PERI_CHAR_DOT;
    return set == PERI_CHAR_B64 && (c == '+' || c == '/' || c == '=');
}

/// Bytes of the run of `set` that begins at `at`, at most `max`.
static inline size_t peri__run(peri_str text, size_t at, int set, size_t max) {
    size_t end = at;
    while (end < text.len && end - at < max &&
           peri__char_is((unsigned char)text.ptr[end], set)) {
        end++;
    }
    return end - at;
}

/// True if `at` does not stand in the middle of a word.
static inline bool peri__at_word(peri_str text, size_t at) {
    return at == 0 || !peri__char_is((unsigned char)text.ptr[at - 1], PERI_CHAR_WORD);
}

/// True if `word` (lower case) stands at `at` in any case.
static inline bool peri__word_at(peri_str text, size_t at, peri_str word) {
    return at <= text.len && text.len - at >= word.len &&
           peri_str_eq_nocase(peri_str_sub(text, at, word.len), word);
}

/// True if the bytes hold both a digit and a letter.
static inline bool peri__mixed(peri_str s) {
    bool digit = false, letter = false;
    for (size_t i = 0; i < s.len; i++) {
        bool is_digit = s.ptr[i] >= '0' && s.ptr[i] <= '9';
        digit = digit || is_digit;
        letter =
            letter || (!is_digit && peri__char_is((unsigned char)s.ptr[i], PERI_CHAR_ALNUM));
    }
    return digit && letter;
}

#endif
