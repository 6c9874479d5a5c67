// Strings of a scanned document (json_string.h): which code reads them on this machine, and
// what one escape means.
#include "base/json_string.h"

#include "base/processor.h"

// clang-format off
const signed char peri__hex_digits[256] = {
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
     0,  1,  2,  3,  4,  5,  6,  7,  8,  9, -1, -1, -1, -1, -1, -1,
    -1, 10, 11, 12, 13, 14, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, 10, 11, 12, 13, 14, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
};
// clang-format on

const char peri__json_meanings[256] = {
    ['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t'};

const peri__json_string_ops *peri__json_string_for(size_t rank) {
#ifdef PERI_X86
    if (peri_processor_avx512() && rank-- == 0) return &peri__json_string_avx512;
    if (peri_processor_avx2() && rank-- == 0) return &peri__json_string_avx2;
#endif
    return rank == 0 ? &peri__json_string_plain : NULL;
}

uint32_t peri_json_unescape(peri_str raw, size_t *used) {
    *used = 2;
    if (raw.ptr[1] != 'u') return (unsigned char)peri__json_meaning(raw.ptr[1]);
    int32_t cp = peri__json_unicode(raw, used);
    return cp >= 0xD800 && cp <= 0xDFFF ? 0xFFFD : (uint32_t)cp;
}
