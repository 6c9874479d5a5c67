// Small blocks of one state: most of what a script makes lives for one call, so its blocks are
// used again and again. One region of a fixed size, cut into cells as they are needed; a cell
// that was given back goes to the next taker of its size. When the region is used up, nothing
// is taken and the caller has malloc. Used by limits.c.
#ifndef PERI_SCRIPT_POOL_H
#define PERI_SCRIPT_POOL_H

#include <stdbool.h>
#include <stddef.h>

enum {
    PERI_POOL_BYTES = 256 * 1024, // what is never touched is never resident
    PERI_POOL_CELL_STEP = 16,
    PERI_POOL_MAX_CELL_BYTES = 1024,
};

typedef struct peri__pool {
    char *region; // owned
    size_t cut_bytes;
    void *given[PERI_POOL_MAX_CELL_BYTES / PERI_POOL_CELL_STEP]; // by size: linked free cells
} peri__pool;

/// False if memory ran out.
bool peri__pool_init(peri__pool *pool);
void peri__pool_deinit(peri__pool *pool);

/// A cell of at least `bytes` (over 0), or NULL if it is too large or the region is used up.
void *peri__pool_take(peri__pool *pool, size_t bytes);
/// The same of any size, from what is not cut yet.
void *peri__pool_cut(peri__pool *pool, size_t bytes);
/// Gives back what was taken or cut for `bytes`; what is too large for a cell stays unused.
void peri__pool_give(peri__pool *pool, void *cell, size_t bytes);

static inline bool peri__pool_has(const peri__pool *pool, const void *ptr) {
    return (const char *)ptr >= pool->region &&
           (const char *)ptr < pool->region + PERI_POOL_BYTES;
}

/// True if a cell taken for one of them can serve for the other.
static inline bool peri__pool_same(size_t a_bytes, size_t b_bytes) {
    return (a_bytes - 1) / PERI_POOL_CELL_STEP == (b_bytes - 1) / PERI_POOL_CELL_STEP;
}

#endif
