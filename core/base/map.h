// A hash map from borrowed text to a pointer, seeded against chosen collisions, with a maximum.
#ifndef PERI_BASE_MAP_H
#define PERI_BASE_MAP_H

#include "base/str.h"

typedef struct peri_map_slot {
    peri_str key; // borrowed: must live as long as its entry
    void *value;  // never NULL in a used slot
    uint64_t hash;
} peri_map_slot;

typedef struct peri_map {
    peri_map_slot *slots; // owned
    size_t cap, len, max; // slots, entries, most entries allowed
    uint64_t seed;
} peri_map;

/// An empty map of at most `max_count` entries. Allocates nothing yet.
void peri_map_init(peri_map *map, size_t max_count, uint64_t seed);
void peri_map_deinit(peri_map *map);

/// The value of `key`, or NULL.
void *peri_map_get(const peri_map *map, peri_str key);

/// Adds or replaces. PERI_ELIMIT at the maximum, PERI_ENOMEM.
PERI_MUST_USE int peri_map_set(peri_map *map, peri_str key, void *value);

/// Removes `key`; returns its value or NULL.
void *peri_map_del(peri_map *map, peri_str key);

/// Visits all entries in no stated order: start with `*at` 0; NULL when done. No change in
/// between.
peri_map_slot *peri_map_next(const peri_map *map, size_t *at);

#endif
