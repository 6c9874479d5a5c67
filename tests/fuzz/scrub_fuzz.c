// Any bytes through the scrubber: what is called clean stays as it is, what was scrubbed holds
// nothing more to find by form, a valid text stays valid, and both pivot masks agree.
#include <stdlib.h>

#include "base/utf8.h"
#include "digest/scrub.h"
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
    check(built_in, text);
    check(added, text);
    return 0;
}
