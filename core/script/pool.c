// The region and the free lists of pool.h. A free cell's first word points to the next one.
#include "script/pool.h"

#include <stdlib.h>

bool peri__pool_init(peri__pool *pool) {
    *pool = (peri__pool){.region = malloc(PERI_POOL_BYTES)};
    return pool->region != NULL;
}

void peri__pool_deinit(peri__pool *pool) {
    free(pool->region);
    *pool = (peri__pool){0};
}

void *peri__pool_cut(peri__pool *pool, size_t bytes) {
    size_t size = (bytes + PERI_POOL_CELL_STEP - 1) / PERI_POOL_CELL_STEP * PERI_POOL_CELL_STEP;
    if (size > PERI_POOL_BYTES - pool->cut_bytes) return NULL;
    pool->cut_bytes += size;
    return pool->region + pool->cut_bytes - size;
}

void *peri__pool_take(peri__pool *pool, size_t bytes) {
    if (bytes > PERI_POOL_MAX_CELL_BYTES) return NULL;
    size_t class = (bytes - 1) / PERI_POOL_CELL_STEP;
    void **cell = pool->given[class];
    if (!cell) return peri__pool_cut(pool, bytes);
    pool->given[class] = *cell;
    return cell;
}

void peri__pool_give(peri__pool *pool, void *cell, size_t bytes) {
    if (bytes > PERI_POOL_MAX_CELL_BYTES) return;
    size_t class = (bytes - 1) / PERI_POOL_CELL_STEP;
    *(void **)cell = pool->given[class];
    pool->given[class] = cell;
}
