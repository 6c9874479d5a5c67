// Open addressing with linear probing and backward-shift deletion; at most 3/4 full.
#include "base/map.h"

#include <stdlib.h>

void peri_map_init(peri_map *map, size_t max_count, uint64_t seed) {
    *map = (peri_map){.max = max_count, .seed = seed};
}

void peri_map_deinit(peri_map *map) {
    free(map->slots);
    peri_map_init(map, map->max, map->seed);
}

// FNV-1a over a secret seed, finished by a murmur mixer so that the low bits are usable.
static uint64_t hash_of(const peri_map *map, peri_str key) {
    uint64_t h = peri_str_hash(key, PERI_HASH_SEED ^ map->seed);
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

// The slot of `key`, or the free slot where it would go. The map has at least one free slot.
static size_t probe(const peri_map *map, peri_str key, uint64_t hash) {
    size_t at = hash & (map->cap - 1);
    while (map->slots[at].value) {
        if (map->slots[at].hash == hash && peri_str_eq(map->slots[at].key, key)) return at;
        at = (at + 1) & (map->cap - 1);
    }
    return at;
}

void *peri_map_get(const peri_map *map, peri_str key) {
    if (map->len == 0) return NULL;
    return map->slots[probe(map, key, hash_of(map, key))].value;
}

static int grow(peri_map *map) {
    size_t old_cap = map->cap;
    peri_map_slot *old = map->slots;
    size_t cap = old_cap ? old_cap * 2 : 16;
    peri_map_slot *slots = calloc(cap, sizeof *slots);
    if (!slots) return PERI_ENOMEM;
    map->slots = slots;
    map->cap = cap;
    for (size_t i = 0; i < old_cap; i++) {
        if (old[i].value) map->slots[probe(map, old[i].key, old[i].hash)] = old[i];
    }
    free(old);
    return PERI_OK;
}

int peri_map_set(peri_map *map, peri_str key, void *value) {
    if (!value) return PERI_EINVAL;
    uint64_t hash = hash_of(map, key);
    if (map->cap) {
        peri_map_slot *slot = &map->slots[probe(map, key, hash)];
        if (slot->value) {
            *slot = (peri_map_slot){key, value, hash};
            return PERI_OK;
        }
    }
    if (map->len >= map->max) return PERI_ELIMIT;
    if ((map->len + 1) * 4 > map->cap * 3) {
        int status = grow(map);
        if (status < 0) return status;
    }
    map->slots[probe(map, key, hash)] = (peri_map_slot){key, value, hash};
    map->len++;
    return PERI_OK;
}

void *peri_map_del(peri_map *map, peri_str key) {
    if (map->len == 0) return NULL;
    size_t mask = map->cap - 1;
    size_t hole = probe(map, key, hash_of(map, key));
    void *value = map->slots[hole].value;
    if (!value) return NULL;
    for (size_t at = (hole + 1) & mask; map->slots[at].value; at = (at + 1) & mask) {
        size_t home = map->slots[at].hash & mask;
        if (((at - home) & mask) < ((at - hole) & mask))
            continue; // already as near as it can be
        map->slots[hole] = map->slots[at];
        hole = at;
    }
    map->slots[hole] = (peri_map_slot){0};
    map->len--;
    return value;
}

peri_map_slot *peri_map_next(const peri_map *map, size_t *at) {
    while (*at < map->cap) {
        peri_map_slot *slot = &map->slots[(*at)++];
        if (slot->value) return slot;
    }
    return NULL;
}
