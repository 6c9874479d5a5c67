// The bounded log of one agent's activity. All pairings of an agent read the same log, each
// from its own cursor: a second observer costs no second copy. Past the bound the middle is
// dropped and counted, so that neither the beginning nor the end of a flood can be hidden.
#ifndef PERI_TAP_TAP_H
#define PERI_TAP_TAP_H

#include "model/activity.h"

enum {
    PERI_TAP_MAX_ITEMS = 512,
    PERI_TAP_MAX_BYTES = 1024 * 1024,
    PERI_TAP_HEAD_ITEMS = 128, // of the full log, never dropped for room
};

typedef struct peri_tap {
    peri_item **items; // owned, in order of their numbers
    uint64_t *numbers; // of each item: 1, 2, 3 ... as pushed
    size_t count, cap, bytes;
    uint64_t last_number;
    uint64_t dropped_count; // for want of room, ever
} peri_tap;

void peri_tap_init(peri_tap *tap);
void peri_tap_deinit(peri_tap *tap);

/// Takes ownership of `item`. PERI_OK, also when something else was dropped for it; PERI_ENOMEM
/// frees it.
PERI_MUST_USE int peri_tap_push_take(peri_tap *tap, peri_item *item);

/// Items numbered [from, upto): borrowed, valid until the next push or trim. `*dropped` (may be
/// NULL) gets how many of that range are gone.
const peri_item *const *peri_tap_range(const peri_tap *tap, uint64_t from, uint64_t upto,
                                       size_t *count, size_t *dropped);

/// Frees the items numbered below `before` that belong to a turn before `turn`.
void peri_tap_trim(peri_tap *tap, uint64_t before, uint32_t turn);

/// The last item of `kind` with `call_id`, or NULL.
const peri_item *peri_tap_find_call(const peri_tap *tap, peri_item_kind kind, peri_str call_id);

#endif
