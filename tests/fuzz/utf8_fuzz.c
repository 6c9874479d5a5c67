// Any bytes through the UTF-8 functions: what is repaired is valid, cuts end between code
// points, and counts agree with a plain walk.
#include <stdlib.h>

#include "base/utf8.h"

// Counts by decoding one code point after the other.
static peri_utf8_size walk(peri_str s) {
    peri_utf8_size size = {.bytes = s.len};
    while (s.len) {
        size_t len;
        char bytes[4];
        uint32_t cp = peri_utf8_decode(s, &len);
        if (peri_utf8_encode(bytes, cp) != len || memcmp(bytes, s.ptr, len) != 0) abort();
        size.cp++;
        size.u16 += cp > 0xFFFF ? 2 : 1;
        s = peri_str_sub(s, len, s.len);
    }
    return size;
}

static void check_cuts(peri_str s, peri_utf8_size all, size_t max) {
    peri_utf8_size cp = peri_utf8_cut_cp(s, max), u16 = peri_utf8_cut_u16(s, max);
    size_t head = peri_utf8_cut_bytes(s, max), skip = peri_utf8_skip_to_tail(s, max);
    if (cp.cp != (max < all.cp ? max : all.cp) || cp.bytes > s.len) abort();
    if (u16.u16 > max || (max < all.u16 && u16.u16 + 1 < max)) abort();
    if (head > max || s.len - skip > max) abort();
    size_t ends[] = {cp.bytes, u16.bytes, head, skip};
    for (size_t i = 0; i < 4; i++) {
        if (!peri_utf8_valid(peri_str_sub(s, 0, ends[i]))) abort();
        if (!peri_utf8_valid(peri_str_sub(s, ends[i], s.len))) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    peri_str text = peri_str_of((const char *)data, size);
    peri_buf out;
    peri_buf_init(&out, size * 3);
    size_t repaired = peri_utf8_repair(&out, text);
    peri_str valid = peri_buf_str(&out);
    if (out.status < 0 || !peri_utf8_valid(valid)) abort();
    if ((repaired == 0) != peri_utf8_valid(text)) abort();
    if (repaired == 0 && !peri_str_eq(text, valid)) abort();
    peri_utf8_size all = walk(valid), count = peri_utf8_count(valid);
    if (all.bytes != count.bytes || all.cp != count.cp || all.u16 != count.u16) abort();
    for (size_t max = 0; max <= all.bytes + 1 && max < 70; max++) check_cuts(valid, all, max);
    (void)peri_utf8_blank(valid);
    peri_buf_deinit(&out);
    return 0;
}
