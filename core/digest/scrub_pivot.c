// Pivots at which a secret is possible (scrub_pivot.h), on any processor: those that the block shows,
// without the ones that their neighbours rule out.
#include "digest/scrub_pivot.h"

uint64_t peri__pivots_any(const peri_pivots *pivots, peri_str text, size_t block) {
    char last[PERI_PIVOT_READS] = {0};
    const char *from = text.ptr + block;
    if (text.len - block < PERI_PIVOT_READS) {
        memcpy(last, from, text.len - block);
        from = last;
    }
    uint64_t mask = 0;
    for (uint64_t all = peri__pivots(from); all; all &= all - 1) {
        size_t at = block + (size_t)__builtin_ctzll(all);
        if (peri__secret_possible(pivots, text, at)) mask |= all & (0 - all);
    }
    return mask;
}
