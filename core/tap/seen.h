// A bounded memory of 64-bit keys, each with a small value: what was told already. When it is
// full the older half is forgotten, never the newer.
#ifndef PERI_TAP_SEEN_H
#define PERI_TAP_SEEN_H

#include "base/str.h"

typedef struct peri_seen_slot {
    uint64_t key, value; // key 0: free
} peri_seen_slot;

typedef struct peri_seen_half {
    peri_seen_slot *slots; // owned
    size_t cap, count;     // cap is a power of two, or 0
} peri_seen_half;

typedef struct peri_seen {
    peri_seen_half now, before;
    size_t max; // keys in one half
} peri_seen;

/// Remembers at least the last `max` keys, at most twice as many. Allocates nothing yet.
void peri_seen_init(peri_seen *seen, size_t max);
void peri_seen_deinit(peri_seen *seen);

/// True, and `*value` set, if `key` is remembered.
bool peri_seen_get(const peri_seen *seen, uint64_t key, uint64_t *value);

/// Remembers `key`, in place of what it was. False if memory ran out: it is not remembered.
bool peri_seen_try_set(peri_seen *seen, uint64_t key, uint64_t value);

#endif
