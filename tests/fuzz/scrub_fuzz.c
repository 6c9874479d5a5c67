// Any bytes through the scrubber: what is called clean stays as it is, what was scrubbed holds
// nothing more to find by form, a valid text stays valid, all pivot masks agree, and no pivot
// that the bytes beside it rule out is a secret's.
#include <stdlib.h>

#include "base/processor.h"
#include "base/utf8.h"
#include "digest/scrub.h"
#include "digest/scrub_kinds.h"
#include "digest/scrub_pivot.h"

static peri_scrub *built_in, *added;

static void check(const peri_scrub *scrub, peri_str text) {
    peri_buf out;
    peri_buf_init(&out, text.len * 16 + 1024);
    size_t count = peri_scrub_text(scrub, text, &out);
    peri_str got = peri_buf_str(&out);
    if (out.status < 0 || (count == 0) != peri_str_eq(got, text)) abort();
    if (peri_scrub_clean(scrub, text) && count > 0) abort();
    if (peri_utf8_valid(text) && !peri_utf8_valid(got)) abort();
    peri_buf_deinit(&out);
}

static void check_ruled_out(peri_str text) {
    static peri_prefix_index index;
    if (!index.pivots.mark['_']) peri__prefix_index_init(&index);
#ifdef PERI_X86
    size_t step = PERI_PIVOT_BATCH * PERI_PIVOT_BLOCK;
    for (size_t block = 0; block < text.len && peri_processor_avx512(); block += step) {
        uint64_t any[PERI_PIVOT_BATCH], fast[PERI_PIVOT_BATCH];
        size_t count = peri__pivots_any(&index.pivots, text, block, any);
        if (peri__pivots_avx512(&index.pivots, text, block, fast) != count) abort();
        if (memcmp(any, fast, count * sizeof *any) != 0) abort();
    }
#endif
    for (size_t at = 0; at < text.len; at++) {
        peri_secret secret;
        bool pivot = peri__is_pivot(text.ptr[at], at + 1 < text.len ? text.ptr[at + 1] : '\0');
        if (!pivot || peri__secret_possible(&index.pivots, text, at)) continue;
        if (peri__secret_find(&index, text, at, 0, &secret)) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *error;
    size_t at;
    if (!built_in) {
        if (peri_scrub_new(&built_in) < 0 || peri_scrub_new(&added) < 0) abort();
        if (peri_scrub_add(added, PERI_STR("mine"), PERI_STR("(x+)+y|k[^ ]{3}"), &error, &at) <
            0)
            abort();
    }
    peri_str text = peri_str_of((const char *)data, size);
    for (size_t i = 0; i + PERI_PIVOT_READS <= size; i++) {
        if (peri__pivots(text.ptr + i) != peri__pivots_plain(text.ptr + i)) abort();
    }
    check_ruled_out(text);
    check(built_in, text);
    check(added, text);
    return 0;
}
