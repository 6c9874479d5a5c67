// Pivots at which a secret is possible (scrub_pivot.h), for processors with AVX-512, which CMakeLists.txt
// lets it use: 64 bytes are looked up at once in each table.
#include "digest/scrub_pivot.h"

#ifdef PERI_X86
#include <immintrin.h>

static inline __m512i look_up(const uint8_t table[128], __m512i bytes) {
    __m512i low = _mm512_loadu_si512((const void *)table);
    __m512i high = _mm512_loadu_si512((const void *)(table + 64));
    return _mm512_permutex2var_epi8(low, bytes, high);
}

// The first `len` of 64 bits.
static inline uint64_t first(size_t len) {
    return len >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << len) - 1;
}

static inline __m512i without_high(__m512i bytes) {
    return _mm512_maskz_mov_epi8(~_mm512_movepi8_mask(bytes), bytes);
}

uint64_t peri__pivots_avx512(const peri_pivots *pivots, peri_str text, size_t block) {
    const char *from = text.ptr + block;
    size_t rest = text.len - block;
    __m512i at = _mm512_maskz_loadu_epi8(first(rest), from);
    __m512i behind = _mm512_maskz_loadu_epi8(first(rest - 1), from + 1);
    __m512i before = block ? _mm512_maskz_loadu_epi8(first(rest + 1), from - 1)
                           : _mm512_maskz_expand_epi8(~UINT64_C(1), at);
    before = without_high(before);
    behind = without_high(behind);
    __m512i beside = _mm512_or_si512(look_up(pivots->mark_before, before),
                                     look_up(pivots->mark_behind, behind));
    __m512i marks = _mm512_and_si512(look_up(pivots->mark, at), beside);
    beside = _mm512_and_si512(look_up(pivots->letter_before, before),
                              look_up(pivots->letter_behind, behind));
    __m512i letters = _mm512_and_si512(look_up(pivots->letter, at), beside);
    __m512i any = _mm512_or_si512(marks, letters);
    return _mm512_test_epi8_mask(any, any) & ~_mm512_movepi8_mask(at);
}
#else
typedef int peri__no_avx512; // a file must declare something
#endif
