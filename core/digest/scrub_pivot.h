// Where to look for secrets. Every kind has a pivot: a byte that its text must hold at a known
// place and that prose seldom holds. Sixteen bytes are tested at once; what is no pivot is
// never looked at again. Both forms below give the same mask.
#ifndef PERI_DIGEST_SCRUB_PIVOT_H
#define PERI_DIGEST_SCRUB_PIVOT_H

#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { PERI_PIVOT_BLOCK = 16 };

static inline bool peri__is_pivot(char c) {
    switch (c) {
    case '_': // ghp_ npm_ ...
    case '-': // sk- glpat- ... and -----BEGIN
    case '.': // SG. hvs. and the dot before a token's claims
    case ':': // name: value, scheme://user:password@
    case '=': // NAME=value
    case 'I': // AKIA ASIA AIza
    case 'K': // SK + hex digits, and "token"
    case 'k':
    case 'W': // "password"
    case 'w':
    case 'B': // "Bearer"
    case 'b':
        return true;
    default:
        return false;
    }
}

/// Bit i is set if byte i of the block is a pivot.
static inline uint32_t peri__pivots_plain(const char *block) {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < PERI_PIVOT_BLOCK; i++) {
        mask |= (uint32_t)peri__is_pivot(block[i]) << i;
    }
    return mask;
}

#if defined(__SSE2__)
static inline __m128i peri__equal(__m128i bytes, char c) {
    return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c));
}

static inline uint32_t peri__pivots_sse2(const char *block) {
    __m128i raw = _mm_loadu_si128((const __m128i *)(const void *)block);
    __m128i lower = _mm_or_si128(raw, _mm_set1_epi8(0x20));
    __m128i words = _mm_or_si128(_mm_or_si128(peri__equal(lower, 'k'), peri__equal(lower, 'w')),
                                 _mm_or_si128(peri__equal(lower, 'b'), peri__equal(raw, 'I')));
    __m128i marks = _mm_or_si128(_mm_or_si128(peri__equal(raw, '-'), peri__equal(raw, '.')),
                                 _mm_or_si128(peri__equal(raw, ':'), peri__equal(raw, '=')));
    __m128i all = _mm_or_si128(_mm_or_si128(words, marks), peri__equal(raw, '_'));
    return (uint32_t)_mm_movemask_epi8(all);
}
#endif

static inline uint32_t peri__pivots(const char *block) {
#if defined(__SSE2__)
    return peri__pivots_sse2(block);
#else
    return peri__pivots_plain(block);
#endif
}

#endif
