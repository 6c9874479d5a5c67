// Masks of 64 bytes against a byte-wise reading of the same text. block_portable_test.c runs
// all of it on the version without SSE2.
#include "base/block.h"

#include "test.h"

// A text of `len` bytes from a small set that makes runs and edges likely.
static peri_str random_text(char *to, size_t len, uint64_t *random) {
    static const char set[] = "\\\\\\\"ab\x01\x1F\x20\x7F\x80\xBF\xC0\xE2\xF0\xFF";
    for (size_t i = 0; i < len; i++) {
        *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        to[i] = set[(*random >> 40) % (sizeof set - 1)];
    }
    return peri_str_of(to, len);
}

#define EACH_TEXT(name)                                                                        \
    char room[PERI_BLOCK_BYTES + 8];                                                           \
    uint64_t random = 7;                                                                       \
    for (int round = 0; round < 2000; round++)                                                 \
        for (peri_str name = random_text(room, (size_t)round % 70, &random); name.ptr;         \
             name.ptr = NULL)

IT("finds a byte wherever it stands") {
    EACH_TEXT(s) {
        peri_block block = peri_block_of(s);
        uint64_t got = peri_block_is(&block, '"') & peri_block_valid(s.len), want = 0;
        for (size_t i = 0; i < s.len && i < 64; i++) want |= (uint64_t)(s.ptr[i] == '"') << i;
        CHECK(got == want);
    }
}

IT("compares unsigned for every floor") {
    for (unsigned low = 0; low < 256; low++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            char bytes[64] = {0};
            bytes[byte % 64] = (char)byte;
            peri_block block = peri_block_load(bytes);
            uint64_t want = byte >= low ? UINT64_C(1) << byte % 64 : 0;
            CHECK((peri_block_from(&block, (unsigned char)low) & UINT64_C(1) << byte % 64) ==
                  want);
        }
    }
}

IT("tells high bytes and continuation bytes") {
    EACH_TEXT(s) {
        peri_block block = peri_block_of(s);
        uint64_t high = 0, tails = 0;
        for (size_t i = 0; i < s.len && i < 64; i++) {
            high |= (uint64_t)((s.ptr[i] & 0x80) != 0) << i;
            tails |= (uint64_t)((s.ptr[i] & 0xC0) == 0x80) << i;
        }
        CHECK(peri_block_high(&block) == high);
        CHECK(peri_block_tails(&block) == tails);
    }
}

IT("knows which bytes are escaped, across blocks too") {
    char room[256];
    uint64_t random = 3;
    for (int round = 0; round < 2000; round++) {
        peri_str s = random_text(room, sizeof room, &random);
        uint64_t carry = 0;
        bool escaped = false;
        for (size_t at = 0; at < s.len; at += 64) {
            peri_block block = peri_block_of(peri_str_sub(s, at, s.len));
            uint64_t got = peri_block_escaped(peri_block_is(&block, '\\'), &carry), want = 0;
            for (size_t i = 0; i < 64; i++) {
                want |= (uint64_t)escaped << i;
                escaped = !escaped && s.ptr[at + i] == '\\';
            }
            CHECK(got == want);
            CHECK_EQ(carry, escaped);
        }
    }
}

IT("masks the bits before a hit and within a length") {
    CHECK(peri_bits_before(0) == ~UINT64_C(0));
    CHECK(peri_bits_before(1) == 0);
    CHECK(peri_bits_before(UINT64_C(1) << 63) == ~UINT64_C(0) >> 1);
    CHECK(peri_block_valid(0) == 0);
    CHECK(peri_block_valid(63) == ~UINT64_C(0) >> 1);
    CHECK(peri_block_valid(64) == ~UINT64_C(0));
}

TEST_MAIN
