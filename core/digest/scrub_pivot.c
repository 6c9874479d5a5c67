// Pivots at which a secret is possible (scrub_pivot.h), on any processor: those that the block
// shows, without the ones that their neighbours rule out.
#include "digest/scrub_pivot.h"

static uint64_t possible_in(const peri_pivots *pivots, peri_str text, size_t block) {
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

size_t peri__pivots_any(const peri_pivots *pivots, peri_str text, size_t block,
                        uint64_t masks[PERI_PIVOT_BATCH]) {
    size_t count = 0;
    for (; count < PERI_PIVOT_BATCH && block < text.len; block += PERI_PIVOT_BLOCK) {
        masks[count++] = possible_in(pivots, text, block);
    }
    return count;
}
