// Text 64 bytes at a time, as bit masks: bit i of a mask answers a question about byte i. With
// AVX-512, AVX2 or SSE2 where the compilation has them, else eight bytes at a time in plain
// integers; all give the same masks. A text's last bytes are padded with NULs: where a NUL
// would count, ask peri_block_valid() too.
#ifndef PERI_BASE_BLOCK_H
#define PERI_BASE_BLOCK_H

#include "base/str.h"

#if defined(__SSE2__) && !defined(PERI_BLOCK_PORTABLE)
#include <immintrin.h>
#endif

enum { PERI_BLOCK_BYTES = 64 };

#if defined(__AVX512BW__) && !defined(PERI_BLOCK_PORTABLE)

typedef struct peri_block {
    __m512i all;
} peri_block;

static inline peri_block peri_block_load(const char *from) {
    return (peri_block){_mm512_loadu_si512((const void *)from)};
}

/// Bytes equal to `byte`.
static inline uint64_t peri_block_is(const peri_block *b, char byte) {
    return _mm512_cmpeq_epi8_mask(b->all, _mm512_set1_epi8(byte));
}

/// Bytes of at least `low`, unsigned.
static inline uint64_t peri_block_from(const peri_block *b, unsigned char low) {
    return _mm512_cmpge_epu8_mask(b->all, _mm512_set1_epi8((char)low));
}

/// Bytes over 0x7F.
static inline uint64_t peri_block_high(const peri_block *b) {
    return _mm512_movepi8_mask(b->all);
}

/// Bytes under 0x20 or over 0x7F.
static inline uint64_t peri_block_unplain(const peri_block *b) {
    return _mm512_cmplt_epi8_mask(b->all, _mm512_set1_epi8(0x20));
}

#ifdef __AVX512VBMI2__
#define PERI_BLOCK_PACKS // there is a fast peri_block_pack()

/// Makes the bytes of `where` `byte`.
static inline void peri_block_put(peri_block *b, uint64_t where, char byte) {
    b->all = _mm512_mask_set1_epi8(b->all, where, byte);
}

/// Writes the bytes of `keep` one behind the other to `to`, which has room for a block; returns
/// how many they are.
static inline size_t peri_block_pack(const peri_block *b, uint64_t keep, char *to) {
    _mm512_storeu_si512((void *)to, _mm512_maskz_compress_epi8(keep, b->all));
    return (size_t)__builtin_popcountll(keep);
}
#endif

#elif defined(__SSE2__) && !defined(PERI_BLOCK_PORTABLE)

// One vector register and what is asked of it, by the widest instructions of this compilation.
#ifdef __AVX2__
typedef __m256i peri_vector;
enum { PERI_VECTOR_BYTES = 32 };
#define PERI_VECTOR(operation) _mm256_##operation
#define PERI_VECTOR_LOAD(from) _mm256_loadu_si256((const __m256i *)(const void *)(from))
#else
typedef __m128i peri_vector;
enum { PERI_VECTOR_BYTES = 16 };
#define PERI_VECTOR(operation) _mm_##operation
#define PERI_VECTOR_LOAD(from) _mm_loadu_si128((const __m128i *)(const void *)(from))
#endif

enum { PERI_VECTORS = 64 / PERI_VECTOR_BYTES };

typedef struct peri_block {
    peri_vector part[PERI_VECTORS];
} peri_block;

static inline peri_block peri_block_load(const char *from) {
    peri_block block;
    for (int i = 0; i < PERI_VECTORS; i++) {
        block.part[i] = PERI_VECTOR_LOAD(from + i * PERI_VECTOR_BYTES);
    }
    return block;
}

// The high bits of one vector, at their place in the mask.
static inline uint64_t peri_block_bits(peri_vector v, int i) {
    return (uint64_t)(uint32_t)PERI_VECTOR(movemask_epi8)(v) << i * PERI_VECTOR_BYTES;
}

/// Bytes equal to `byte`.
static inline uint64_t peri_block_is(const peri_block *b, char byte) {
    const peri_vector want = PERI_VECTOR(set1_epi8)(byte);
    uint64_t mask = 0;
    for (int i = 0; i < PERI_VECTORS; i++) {
        mask |= peri_block_bits(PERI_VECTOR(cmpeq_epi8)(b->part[i], want), i);
    }
    return mask;
}

/// Bytes of at least `low`, unsigned.
static inline uint64_t peri_block_from(const peri_block *b, unsigned char low) {
    const peri_vector want = PERI_VECTOR(set1_epi8)((char)low);
    uint64_t mask = 0;
    for (int i = 0; i < PERI_VECTORS; i++) {
        peri_vector larger = PERI_VECTOR(max_epu8)(b->part[i], want);
        mask |= peri_block_bits(PERI_VECTOR(cmpeq_epi8)(larger, b->part[i]), i);
    }
    return mask;
}

/// Bytes over 0x7F.
static inline uint64_t peri_block_high(const peri_block *b) {
    uint64_t mask = 0;
    for (int i = 0; i < PERI_VECTORS; i++) mask |= peri_block_bits(b->part[i], i);
    return mask;
}

/// Bytes under 0x20 or over 0x7F.
static inline uint64_t peri_block_unplain(const peri_block *b) {
    const peri_vector space = PERI_VECTOR(set1_epi8)(0x20); // signed, what is over 0x7F is less
    uint64_t mask = 0;
    for (int i = 0; i < PERI_VECTORS; i++) {
        mask |= peri_block_bits(PERI_VECTOR(cmpgt_epi8)(space, b->part[i]), i);
    }
    return mask;
}

#else

typedef struct peri_block {
    uint64_t word[8]; // the first byte lowest
} peri_block;

static inline peri_block peri_block_load(const char *from) {
    peri_block block;
    for (int i = 0; i < 8; i++) {
        memcpy(&block.word[i], from + 8 * i, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        block.word[i] = __builtin_bswap64(block.word[i]);
#endif
    }
    return block;
}

#define PERI_BLOCK_ONES UINT64_C(0x0101010101010101)

// The high bit of each byte of `word`, as eight bits.
static inline uint64_t peri_block_bits(uint64_t word) {
    return ((word >> 7 & PERI_BLOCK_ONES) * UINT64_C(0x0102040810204080)) >> 56;
}

/// Bytes equal to `byte`.
static inline uint64_t peri_block_is(const peri_block *b, char byte) {
    const uint64_t low7 = PERI_BLOCK_ONES * 0x7F;
    uint64_t mask = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t x = b->word[i] ^ PERI_BLOCK_ONES * (unsigned char)byte;
        mask |= peri_block_bits(~(((x & low7) + low7) | x)) << 8 * i;
    }
    return mask;
}

/// Bytes of at least `low`, unsigned.
static inline uint64_t peri_block_from(const peri_block *b, unsigned char low) {
    const uint64_t low7 = PERI_BLOCK_ONES * 0x7F, high = PERI_BLOCK_ONES * 0x80;
    uint64_t mask = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t x = b->word[i];
        // Subtraction without borrow between bytes: the seven low bits, then the high ones.
        uint64_t seven = ((x & low7) | high) - PERI_BLOCK_ONES * (low & 0x7F);
        mask |= peri_block_bits(low & 0x80 ? x & seven : x | seven) << 8 * i;
    }
    return mask;
}

/// Bytes over 0x7F.
static inline uint64_t peri_block_high(const peri_block *b) {
    uint64_t mask = 0;
    for (int i = 0; i < 8; i++) mask |= peri_block_bits(b->word[i]) << 8 * i;
    return mask;
}

/// Bytes under 0x20 or over 0x7F.
static inline uint64_t peri_block_unplain(const peri_block *b) {
    return peri_block_high(b) | ~peri_block_from(b, 0x20);
}

#endif

/// The first `len` bits; all of them for 64 and more.
static inline uint64_t peri_block_valid(size_t len) {
    return len >= PERI_BLOCK_BYTES ? ~UINT64_C(0) : (UINT64_C(1) << len) - 1;
}

/// The block at the start of `s`, padded with NULs if `s` ends in it.
static inline peri_block peri_block_of(peri_str s) {
    if (s.len >= PERI_BLOCK_BYTES) return peri_block_load(s.ptr);
#if defined(__AVX512BW__) && !defined(PERI_BLOCK_PORTABLE)
    return (peri_block){_mm512_maskz_loadu_epi8(peri_block_valid(s.len), s.ptr)};
#else
    char padded[PERI_BLOCK_BYTES] = {0};
    if (s.len) memcpy(padded, s.ptr, s.len);
    return peri_block_load(padded);
#endif
}

/// UTF-8 continuation bytes: 0x80 to 0xBF.
static inline uint64_t peri_block_tails(const peri_block *b) {
    return peri_block_high(b) & ~peri_block_from(b, 0xC0);
}

// The builtin is a call where the instruction may be missing.
static inline unsigned peri_bit_count(uint64_t mask) {
#ifdef __POPCNT__
    return (unsigned)__builtin_popcountll(mask);
#else
    const uint64_t pairs = UINT64_C(0x3333333333333333);
    mask -= mask >> 1 & UINT64_C(0x5555555555555555);
    mask = (mask & pairs) + (mask >> 2 & pairs);
    mask = (mask + (mask >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (unsigned)(mask * UINT64_C(0x0101010101010101) >> 56);
#endif
}

/// The lowest bit's number; `mask` is not 0.
static inline unsigned peri_bit_first(uint64_t mask) {
    return (unsigned)__builtin_ctzll(mask);
}

/// The bits below the lowest one of `mask`; all of them if `mask` is 0.
static inline uint64_t peri_bits_before(uint64_t mask) {
    return (mask & (0 - mask)) - 1;
}

/// Bytes that a backslash before them escapes. `slashes` are the block's backslashes; `*carry`
/// (0 or 1) says that the block before ended in one that escapes the first byte of this.
///
/// Every second backslash of a run escapes its neighbour. Subtracting each run's start from the
/// odd bits lets the borrow run through it, which marks every second bit without a loop.
static inline uint64_t peri_block_escaped(uint64_t slashes, uint64_t *carry) {
    const uint64_t odd = UINT64_C(0xAAAAAAAAAAAAAAAA);
    uint64_t free_slashes = slashes & ~*carry;
    uint64_t codes = ((free_slashes << 1 | odd) - free_slashes) ^ odd;
    uint64_t escaped = codes ^ (slashes | *carry);
    *carry = (codes & slashes) >> 63;
    return escaped;
}

#endif
