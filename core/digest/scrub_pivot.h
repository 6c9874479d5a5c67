// Where to look for secrets. Every kind has a pivot: a byte that its text must hold at a known
// place and that prose seldom holds, or a letter together with the one behind it. Sixteen bytes
// are tested at once, four times a block; what is no pivot is never looked at again. Both forms
// below give the same mask.
#ifndef PERI_DIGEST_SCRUB_PIVOT_H
#define PERI_DIGEST_SCRUB_PIVOT_H

#include "digest/scrub_kinds.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    PERI_PIVOT_BLOCK = 64,
    PERI_PIVOT_READS = PERI_PIVOT_BLOCK + 1, // bytes of the text that one block looks at
};

static inline bool peri__is_pivot(char c, char next) {
    switch (c) {
    case '_': // ghp_ npm_ ...
    case '-': // sk- glpat- ... and -----BEGIN
    case '.': // SG. hvs. and the dot before a token's claims
    case ':': // name: value, scheme://user:password@
    case '=': // NAME=value
    case 'K': // SK and hex digits, TOKEN
        return true;
    case 'I': // AKIA ASIA AIza
        return next == 'A' || next == 'z';
    case 'k': // token
        return (next | 0x20) == 'e';
    case 'W': // password passwd
    case 'w':
        return (next | 0x20) == 'o' || (next | 0x20) == 'd';
    case 'B': // Bearer
    case 'b':
        return (next | 0x20) == 'e';
    default:
        return false;
    }
}

/// Bit i is set if byte i of the block is a pivot. Reads PERI_PIVOT_READS bytes.
static inline uint64_t peri__pivots_plain(const char *block) {
    uint64_t mask = 0;
    for (uint32_t i = 0; i < PERI_PIVOT_BLOCK; i++) {
        mask |= (uint64_t)peri__is_pivot(block[i], block[i + 1]) << i;
    }
    return mask;
}

#if defined(__SSE2__)
static inline __m128i peri__equal(__m128i bytes, char c) {
    return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c));
}

static inline __m128i peri__either(__m128i bytes, char a, char b) {
    return _mm_or_si128(peri__equal(bytes, a), peri__equal(bytes, b));
}

// Of sixteen bytes and the one behind them.
static inline uint64_t peri__pivots_sse2(const char *block) {
    const __m128i bit = _mm_set1_epi8(0x20);
    __m128i c = _mm_loadu_si128((const __m128i *)(const void *)block);
    __m128i next = _mm_loadu_si128((const __m128i *)(const void *)(block + 1));
    __m128i lower = _mm_or_si128(c, bit), next_lower = _mm_or_si128(next, bit);
    __m128i ke = _mm_and_si128(peri__either(lower, 'k', 'b'), peri__equal(next_lower, 'e'));
    __m128i wo = _mm_and_si128(peri__equal(lower, 'w'), peri__either(next_lower, 'o', 'd'));
    __m128i ia = _mm_and_si128(peri__equal(c, 'I'), peri__either(next, 'A', 'z'));
    __m128i letters = _mm_or_si128(_mm_or_si128(ke, wo), _mm_or_si128(ia, peri__equal(c, 'K')));
    __m128i marks = _mm_or_si128(peri__either(c, '-', '.'), peri__either(c, ':', '='));
    marks = _mm_or_si128(marks, peri__equal(c, '_'));
    return (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_or_si128(letters, marks));
}
#endif

static inline uint64_t peri__pivots(const char *block) {
#if defined(__SSE2__)
    return peri__pivots_sse2(block) | peri__pivots_sse2(block + 16) << 16 |
           peri__pivots_sse2(block + 32) << 32 | peri__pivots_sse2(block + 48) << 48;
#else
    return peri__pivots_plain(block);
#endif
}

/// The pivots at which a secret is possible, a bit for each byte, of the blocks from
/// text.ptr[block] on, at most PERI_PIVOT_BATCH of them; how many there are.
enum { PERI_PIVOT_BATCH = 16 };
typedef size_t peri_pivots_fn(const peri_pivots *pivots, peri_str text, size_t block,
                              uint64_t masks[PERI_PIVOT_BATCH]);
peri_pivots_fn peri__pivots_any, peri__pivots_avx512;

#endif
