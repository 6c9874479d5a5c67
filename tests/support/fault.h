// Allocations that fail on demand: the linker routes malloc, calloc and realloc here in the
// programs of tests/fault/ (tests/CMakeLists.txt). Each says by its own may_allocate() which of
// them it refuses.
#ifndef PERI_FAULT_H
#define PERI_FAULT_H

#include <stdbool.h>
#include <stddef.h>

/// Asked before every allocation; defined by the test that includes this.
static bool may_allocate(void);

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

struct peri__pool;
void *__wrap_peri__pool_take(struct peri__pool *pool, size_t bytes);

// A script's pool is used up, so that each of its blocks is asked of malloc.
void *__wrap_peri__pool_take(struct peri__pool *pool, size_t bytes) {
    (void)pool;
    (void)bytes;
    return NULL;
}

void *__wrap_malloc(size_t size) {
    return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size) {
    return may_allocate() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *old, size_t size) {
    return may_allocate() ? __real_realloc(old, size) : NULL;
}

#endif
