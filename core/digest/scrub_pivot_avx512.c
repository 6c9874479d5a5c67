// Pivots at which a secret is possible (scrub_pivot.h), for processors with AVX-512, which
// CMakeLists.txt lets it use: 64 bytes are looked up at once in each table.
#include "digest/scrub_pivot.h"

#ifdef PERI_X86
#include <immintrin.h>

typedef struct table {
    __m512i low, high; // of 128 bytes
} table;

static inline table table_of(const uint8_t bytes[128]) {
    return (table){_mm512_loadu_si512((const void *)bytes),
                   _mm512_loadu_si512((const void *)(bytes + 64))};
}

static inline __m512i look_up(table in, __m512i bytes) {
    return _mm512_permutex2var_epi8(in.low, bytes, in.high);
}

// The first `len` of 64 bits.
static inline uint64_t first(size_t len) {
    return len >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << len) - 1;
}

static inline __m512i without_high(__m512i bytes) {
    return _mm512_maskz_mov_epi8(~_mm512_movepi8_mask(bytes), bytes);
}

size_t peri__pivots_avx512(const peri_pivots *pivots, peri_str text, size_t block,
                           uint64_t masks[PERI_PIVOT_BATCH]) {
    const table mark = table_of(pivots->mark), mark_before = table_of(pivots->mark_before),
                mark_behind = table_of(pivots->mark_behind), letter = table_of(pivots->letter),
                letter_before = table_of(pivots->letter_before),
                letter_behind = table_of(pivots->letter_behind);
    size_t count = 0;
    for (; count < PERI_PIVOT_BATCH && block < text.len; block += PERI_PIVOT_BLOCK) {
        const char *from = text.ptr + block;
        size_t rest = text.len - block;
        __m512i at = _mm512_maskz_loadu_epi8(first(rest), from);
        __m512i behind = _mm512_maskz_loadu_epi8(first(rest - 1), from + 1);
        __m512i before = block ? _mm512_maskz_loadu_epi8(first(rest + 1), from - 1)
                               : _mm512_maskz_expand_epi8(~UINT64_C(1), at);
        before = without_high(before);
        behind = without_high(behind);
        __m512i either =
            _mm512_or_si512(look_up(mark_before, before), look_up(mark_behind, behind));
        __m512i both =
            _mm512_and_si512(look_up(letter_before, before), look_up(letter_behind, behind));
        __m512i marks = _mm512_and_si512(look_up(mark, at), either);
        __m512i any = _mm512_or_si512(marks, _mm512_and_si512(look_up(letter, at), both));
        masks[count++] = _mm512_test_epi8_mask(any, any) & ~_mm512_movepi8_mask(at);
    }
    return count;
}
#else
typedef int peri__no_avx512; // a file must declare something
#endif
