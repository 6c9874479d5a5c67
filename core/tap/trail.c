// The trail of trail.h. An entry whose parent was never seen (it may have said nothing, or be
// older than the trail) goes on where the trail ends.
#include "tap/trail.h"

#include <stdlib.h>

void peri_trail_deinit(peri_trail *trail) {
    free(trail->entries);
    *trail = (peri_trail){0};
}

static uint64_t hash_of(peri_str id) {
    return id.len ? peri_str_hash(id, PERI_HASH_SEED) | 1 : 0;
}

static peri_trail_entry *at(const peri_trail *trail, size_t number) {
    return &trail->entries[number % PERI_TRAIL_ENTRIES];
}

// Entries behind `parent`; 0 too if it is not known.
static size_t behind(const peri_trail *trail, uint64_t parent) {
    size_t known = trail->count < PERI_TRAIL_ENTRIES ? trail->count : PERI_TRAIL_ENTRIES;
    for (size_t i = 0; parent && i < known; i++) {
        if (at(trail, trail->count - 1 - i)->entry == parent) return i;
    }
    return 0;
}

size_t peri_trail_take(peri_trail *trail, const peri_obs *obs, peri_tap *tap) {
    uint64_t entry = hash_of(obs->x.entry);
    if (!entry) return 0;
    if (!trail->entries) trail->entries = calloc(PERI_TRAIL_ENTRIES, sizeof *trail->entries);
    if (!trail->entries) return 0;
    if (trail->count && at(trail, trail->count - 1)->entry == entry) return 0; // more of it
    size_t left = 0;
    for (size_t i = behind(trail, hash_of(obs->x.follows)); i > 0; i--) {
        trail->count--;
        uint64_t record = at(trail, trail->count)->record;
        at(trail, trail->count)->entry = 0;
        if (record) left += peri_tap_withdraw(tap, record, 0);
    }
    *at(trail, trail->count++) = (peri_trail_entry){
        .entry = entry, .record = obs->x.record.len ? peri_str_hash_wide(obs->x.record) : 0};
    return left;
}
