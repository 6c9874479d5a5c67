// UTF-8 per RFC 3629. Runs of ASCII, nearly all of what agents write, go eight bytes at a time;
// counting goes 64 at a time whatever they are.
#include "base/utf8.h"

#include "base/block.h"

#define HIGH_BITS UINT64_C(0x8080808080808080)

static uint64_t load8(const char *ptr) {
    uint64_t word;
    memcpy(&word, ptr, sizeof word);
    return word;
}

// Length of the run of ASCII at `from`.
static size_t ascii_run(peri_str s, size_t from) {
    size_t at = from;
    while (s.len - at >= 8 && (load8(s.ptr + at) & HIGH_BITS) == 0) at += 8;
    while (at < s.len && !((unsigned char)s.ptr[at] & 0x80)) at++;
    return at - from;
}

static bool is_tail(unsigned char byte) {
    return (byte & 0xC0) == 0x80;
}

// Bytes of the valid sequence at `at`, or 0. `*bad` is how many bytes a repair replaces: the
// longest start of a valid sequence, at least one (the practice of the Unicode standard,
// section 3.9).
static size_t sequence(peri_str s, size_t at, size_t *bad) {
    const unsigned char *p = (const unsigned char *)s.ptr + at;
    size_t left = s.len - at;
    *bad = 1;
    if (p[0] < 0x80) return 1;
    if (p[0] < 0xC2 || p[0] > 0xF4) return 0;
    size_t need = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    unsigned char low = 0x80, high = 0xBF;
    if (p[0] == 0xE0) low = 0xA0;
    if (p[0] == 0xED) high = 0x9F;
    if (p[0] == 0xF0) low = 0x90;
    if (p[0] == 0xF4) high = 0x8F;
    if (left < 2 || p[1] < low || p[1] > high) return 0;
    for (size_t i = 2; i < need; i++) {
        *bad = i;
        if (i >= left || !is_tail(p[i])) return 0;
    }
    return need;
}

size_t peri_utf8_valid_prefix(peri_str s) {
    size_t at = 0, bad;
    while (at < s.len) {
        at += ascii_run(s, at);
        if (at >= s.len) break;
        size_t len = sequence(s, at, &bad);
        if (len == 0) return at;
        at += len;
    }
    return at;
}

size_t peri_utf8_repair(peri_buf *out, peri_str s) {
    size_t repaired = 0;
    while (s.len) {
        size_t good = peri_utf8_valid_prefix(s);
        peri_buf_add(out, peri_str_of(s.ptr, good));
        s = peri_str_sub(s, good, s.len);
        if (!s.len) break;
        size_t bad;
        (void)sequence(s, 0, &bad);
        peri_buf_add(out, PERI_STR("\xEF\xBF\xBD"));
        s = peri_str_sub(s, bad, s.len);
        repaired++;
    }
    return repaired;
}

size_t peri_utf8_encode(char to[4], uint32_t cp) {
    if ((cp >= 0xD800 && cp <= 0xDFFF) || cp > 0x10FFFF) cp = 0xFFFD;
    if (cp < 0x80) {
        to[0] = (char)cp;
        return 1;
    }
    if (cp < 0x800) {
        to[0] = (char)(0xC0 | cp >> 6);
        to[1] = (char)(0x80 | (cp & 0x3F));
        return 2;
    }
    if (cp < 0x10000) {
        to[0] = (char)(0xE0 | cp >> 12);
        to[1] = (char)(0x80 | (cp >> 6 & 0x3F));
        to[2] = (char)(0x80 | (cp & 0x3F));
        return 3;
    }
    to[0] = (char)(0xF0 | cp >> 18);
    to[1] = (char)(0x80 | (cp >> 12 & 0x3F));
    to[2] = (char)(0x80 | (cp >> 6 & 0x3F));
    to[3] = (char)(0x80 | (cp & 0x3F));
    return 4;
}

uint32_t peri_utf8_decode(peri_str s, size_t *len) {
    const unsigned char *p = (const unsigned char *)s.ptr;
    size_t need = p[0] < 0x80 ? 1 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    if (need > s.len) need = 1;
    *len = need;
    switch (need) {
    case 1:
        return p[0] < 0x80 ? p[0] : 0xFFFD;
    case 2:
        return (uint32_t)(p[0] & 0x1F) << 6 | (p[1] & 0x3F);
    case 3:
        return (uint32_t)(p[0] & 0x0F) << 12 | (uint32_t)(p[1] & 0x3F) << 6 | (p[2] & 0x3F);
    default:
        return (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3F) << 12 |
               (uint32_t)(p[2] & 0x3F) << 6 | (p[3] & 0x3F);
    }
}

static size_t lead_len(unsigned char lead) {
    return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

// Whole blocks while neither ceiling can be reached within one, from the start of `s`.
static peri_utf8_size walk_blocks(peri_str s, size_t max_cp, size_t max_u16) {
    peri_utf8_size size = {0};
    while (size.bytes < s.len && max_cp - size.cp >= PERI_BLOCK_BYTES &&
           max_u16 - size.u16 >= PERI_BLOCK_BYTES) {
        peri_str rest = peri_str_sub(s, size.bytes, s.len);
        peri_block block = peri_block_of(rest);
        uint64_t starts = peri_block_valid(rest.len) & ~peri_block_tails(&block);
        size_t cp = peri_bit_count(starts);
        size.bytes += rest.len < PERI_BLOCK_BYTES ? rest.len : PERI_BLOCK_BYTES;
        size.cp += cp;
        size.u16 += cp + peri_bit_count(starts & peri_block_from(&block, 0xF0));
    }
    while (size.bytes < s.len && is_tail((unsigned char)s.ptr[size.bytes])) size.bytes++;
    return size;
}

// Walks until one of the two ceilings would be passed.
static peri_utf8_size walk(peri_str s, size_t max_cp, size_t max_u16) {
    peri_utf8_size size = walk_blocks(s, max_cp, max_u16);
    while (size.bytes < s.len) {
        size_t run = ascii_run(s, size.bytes);
        size_t room =
            max_cp - size.cp < max_u16 - size.u16 ? max_cp - size.cp : max_u16 - size.u16;
        if (run > room) run = room;
        size.bytes += run;
        size.cp += run;
        size.u16 += run;
        if (run == room || size.bytes == s.len) break;
        size_t len = lead_len((unsigned char)s.ptr[size.bytes]);
        size_t units = len == 4 ? 2 : 1;
        if (size.u16 + units > max_u16) break;
        size.bytes += len;
        size.cp += 1;
        size.u16 += units;
    }
    if (size.bytes > s.len) size.bytes = s.len;
    return size;
}

peri_utf8_size peri_utf8_count(peri_str s) {
    return walk(s, SIZE_MAX, SIZE_MAX);
}

peri_utf8_size peri_utf8_cut_cp(peri_str s, size_t max_cp) {
    return walk(s, max_cp, SIZE_MAX);
}

peri_utf8_size peri_utf8_cut_u16(peri_str s, size_t max_u16) {
    return walk(s, SIZE_MAX, max_u16);
}

size_t peri_utf8_cut_bytes(peri_str s, size_t max_bytes) {
    if (s.len <= max_bytes) return s.len;
    size_t at = max_bytes;
    while (at > 0 && is_tail((unsigned char)s.ptr[at])) at--;
    return at;
}

size_t peri_utf8_skip_to_tail(peri_str s, size_t max_bytes) {
    if (s.len <= max_bytes) return 0;
    size_t at = s.len - max_bytes;
    while (at < s.len && is_tail((unsigned char)s.ptr[at])) at++;
    return at;
}

bool peri_utf8_invisible(uint32_t cp) {
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x00, 0x20},       {0x7F, 0xA0},       {0xAD, 0xAD},     {0x034F, 0x034F},
        {0x061C, 0x061C},   {0x115F, 0x1160},   {0x1680, 0x1680}, {0x17B4, 0x17B5},
        {0x180B, 0x180F},   {0x2000, 0x200F},   {0x2028, 0x202F}, {0x205F, 0x206F},
        {0x2800, 0x2800},   {0x3000, 0x3000},   {0x3164, 0x3164}, {0xFE00, 0xFE0F},
        {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3},
        {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (cp >= ranges[i].first && cp <= ranges[i].last) return true;
    }
    return false;
}

bool peri_utf8_blank(peri_str s) {
    while (s.len) {
        size_t len;
        if (!peri_utf8_invisible(peri_utf8_decode(s, &len))) return false;
        s = peri_str_sub(s, len, s.len);
    }
    return true;
}
