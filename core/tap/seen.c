// The memory of seen.h: two open-addressed tables; a full one becomes the older half and the
// oldest is freed, so that forgetting costs nothing for each key.
#include "tap/seen.h"

#include <stdlib.h>

enum { FIRST_CAP = 256 };

void peri_seen_init(peri_seen *seen, size_t max) {
    *seen = (peri_seen){.max = max};
}

void peri_seen_deinit(peri_seen *seen) {
    free(seen->now.slots);
    free(seen->before.slots);
    peri_seen_init(seen, seen->max);
}

// The slot of `key`, or the free one where it belongs. There is always a free one.
static peri_seen_slot *slot_of(const peri_seen_half *half, uint64_t key) {
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (half->cap - 1);
    while (half->slots[at].key && half->slots[at].key != key) at = (at + 1) & (half->cap - 1);
    return &half->slots[at];
}

static bool grow(peri_seen_half *half) {
    peri_seen_half larger = {.cap = half->cap ? half->cap * 2 : FIRST_CAP,
                             .count = half->count};
    larger.slots = calloc(larger.cap, sizeof *larger.slots);
    if (!larger.slots) return false;
    for (size_t i = 0; i < half->cap; i++) {
        if (half->slots[i].key) *slot_of(&larger, half->slots[i].key) = half->slots[i];
    }
    free(half->slots);
    *half = larger;
    return true;
}

bool peri_seen_get(const peri_seen *seen, uint64_t key, uint64_t *value) {
    const peri_seen_half *halves[] = {&seen->now, &seen->before};
    key += key == 0;
    for (size_t i = 0; i < 2; i++) {
        if (!halves[i]->cap) continue;
        const peri_seen_slot *slot = slot_of(halves[i], key);
        if (!slot->key) continue;
        *value = slot->value;
        return true;
    }
    return false;
}

bool peri_seen_try_set(peri_seen *seen, uint64_t key, uint64_t value) {
    key += key == 0;
    if (seen->now.count >= seen->max) {
        free(seen->before.slots);
        seen->before = seen->now;
        seen->now = (peri_seen_half){0};
    }
    bool full = seen->now.count * 4 >= seen->now.cap * 3;
    if (full && !grow(&seen->now)) return false;
    peri_seen_slot *slot = slot_of(&seen->now, key);
    seen->now.count += slot->key == 0;
    *slot = (peri_seen_slot){key, value};
    return true;
}
