// A bump allocator for what lives and dies together: one batch of observations, one digest.
// Bounded; freed or reset as a whole.
#ifndef PERI_BASE_ARENA_H
#define PERI_BASE_ARENA_H

#include "base/str.h"

typedef struct peri_arena_chunk peri_arena_chunk;

typedef struct peri_arena {
    peri_arena_chunk *chunk; // newest first
    size_t used_bytes;       // in all chunks since the last reset
    size_t max_bytes;        // ceiling for used_bytes
} peri_arena;

/// An empty arena for at most `max_bytes`. Allocates nothing yet.
void peri_arena_init(peri_arena *arena, size_t max_bytes);

/// Frees every chunk. All pointers taken from the arena die. NULL is fine.
void peri_arena_deinit(peri_arena *arena);

/// Like deinit, but keeps one chunk for the next batch, so that a steady stream allocates
/// nothing.
void peri_arena_reset(peri_arena *arena);

/// `size` bytes aligned for any type, not cleared; NULL when memory or the ceiling ran out.
void *peri_arena_alloc(peri_arena *arena, size_t size);

/// The same, cleared to zero.
void *peri_arena_zero(peri_arena *arena, size_t size);

/// A copy of `text` in the arena, without NUL; the absent text when memory ran out or `text` is
/// absent.
peri_str peri_arena_copy(peri_arena *arena, peri_str text);

/// The formatted text in the arena, ended by NUL; NULL when memory or the ceiling ran out.
char *peri_arena_printf(peri_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Gives back the end of the most recent allocation: it was `had` bytes, now it is `keep`.
void peri_arena_shrink(peri_arena *arena, const void *last, size_t had, size_t keep);

#endif
