// The bounded log of one agent's activity. All pairings of an agent read the same log, each
// from its own cursor: a second observer costs no second copy. Past the bound the middle is
// dropped and counted, so that neither the beginning nor the end of a flood can be hidden.
#ifndef PERI_TAP_TAP_H
#define PERI_TAP_TAP_H

#include "model/activity.h"

enum {
    PERI_TAP_MAX_ITEMS = 512,
    PERI_TAP_MAX_BYTES = 1024 * 1024,
    PERI_TAP_HEAD_ITEMS = 128,   // of the full log, never dropped for room
    PERI_TAP_MAX_WITHDRAWN = 64, // more are counted as dropped
};

typedef struct peri_tap {
    peri_item **items; // owned, in order of their numbers
    uint64_t *numbers; // of each item: 1, 2, 3 ... as pushed
    size_t count, cap, bytes;
    uint64_t last_number;
    uint64_t dropped_count; // for want of room, ever
    uint64_t
        withdrawn[PERI_TAP_MAX_WITHDRAWN]; // numbers of the last ones taken back, ascending
    size_t withdrawn_count;
} peri_tap;

void peri_tap_init(peri_tap *tap);
void peri_tap_deinit(peri_tap *tap);

/// Takes ownership of `item`. PERI_OK, also when something else was dropped for it; PERI_ENOMEM
/// frees it.
PERI_MUST_USE int peri_tap_push_take(peri_tap *tap, peri_item *item);
/// Numbers an item that nobody wants kept.
void peri_tap_skip(peri_tap *tap);

/// Items numbered [from, upto): borrowed, valid until the next push or trim. `*dropped` (may be
/// NULL) gets how many of that range are gone.
const peri_item *const *peri_tap_range(const peri_tap *tap, uint64_t from, uint64_t upto,
                                       size_t *count, size_t *dropped);

/// Frees the items numbered below `before` that belong to a turn before `turn`.
void peri_tap_trim(peri_tap *tap, uint64_t before, uint32_t turn);

/// Takes back the items of the record with this hash (0: any) and of turns from `turn` on (0:
/// any); they are not counted as dropped. Returns how many.
size_t peri_tap_withdraw(peri_tap *tap, uint64_t record, uint32_t turn);

/// Puts a copy of `with` in the place of `item`, which is one of the kept ones and is freed.
/// PERI_ENOMEM keeps it.
PERI_MUST_USE int peri_tap_replace(peri_tap *tap, const peri_item *item, const peri_item *with);

/// The last item of `kind` with `call_id`, or NULL.
const peri_item *peri_tap_find_call(const peri_tap *tap, peri_item_kind kind, peri_str call_id);

#endif
