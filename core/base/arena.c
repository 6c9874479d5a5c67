// The bump allocator of arena.h. Chunks double up to 256 KiB; larger requests get a chunk of
// their own.
#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct peri_arena_chunk {
    peri_arena_chunk *next;
    size_t size, used;
    alignas(max_align_t) char bytes[];
};

enum { CHUNK_MIN = 4096, CHUNK_MAX = 256 * 1024, ALIGN = alignof(max_align_t) };

void peri_arena_init(peri_arena *arena, size_t max_bytes) {
    *arena = (peri_arena){.max_bytes = max_bytes};
}

void peri_arena_deinit(peri_arena *arena) {
    if (!arena) return;
    for (peri_arena_chunk *chunk = arena->chunk, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    arena->chunk = NULL;
    arena->used_bytes = 0;
}

// Keeps the largest chunk of ordinary size, wherever it stands: a batch that ended with one
// huge request must not cost the next one its memory.
void peri_arena_reset(peri_arena *arena) {
    peri_arena_chunk **keep = NULL;
    for (peri_arena_chunk **at = &arena->chunk; *at; at = &(*at)->next) {
        if ((*at)->size <= CHUNK_MAX && (!keep || (*at)->size > (*keep)->size)) keep = at;
    }
    peri_arena_chunk *kept = keep ? *keep : NULL;
    if (kept) *keep = kept->next;
    peri_arena_deinit(arena);
    if (kept) {
        kept->next = NULL;
        kept->used = 0;
        arena->chunk = kept;
    }
}

static bool add_chunk(peri_arena *arena, size_t need) {
    size_t size = arena->chunk ? arena->chunk->size * 2 : CHUNK_MIN;
    if (size > CHUNK_MAX) size = CHUNK_MAX;
    if (size < need) size = need;
    peri_arena_chunk *chunk = malloc(sizeof *chunk + size);
    if (!chunk) return false;
    *chunk = (peri_arena_chunk){.next = arena->chunk, .size = size};
    arena->chunk = chunk;
    return true;
}

static size_t aligned(size_t size) {
    return (size + ALIGN - 1) / ALIGN * ALIGN;
}

void *peri_arena_alloc(peri_arena *arena, size_t size) {
    if (size > SIZE_MAX / 2) return NULL;
    size_t need = aligned(size ? size : 1);
    if (need > arena->max_bytes || arena->used_bytes > arena->max_bytes - need) return NULL;
    peri_arena_chunk *chunk = arena->chunk;
    if (!chunk || chunk->size - chunk->used < need) {
        if (!add_chunk(arena, need)) return NULL;
        chunk = arena->chunk;
    }
    void *ptr = chunk->bytes + chunk->used;
    chunk->used += need;
    arena->used_bytes += need;
    return ptr;
}

void *peri_arena_zero(peri_arena *arena, size_t size) {
    void *ptr = peri_arena_alloc(arena, size);
    if (ptr) memset(ptr, 0, size);
    return ptr;
}

peri_str peri_arena_copy(peri_arena *arena, peri_str text) {
    if (!text.ptr) return (peri_str){0};
    char *ptr = peri_arena_alloc(arena, text.len);
    if (!ptr) return (peri_str){0};
    if (text.len) memcpy(ptr, text.ptr, text.len);
    return (peri_str){ptr, text.len};
}

char *peri_arena_printf(peri_arena *arena, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    char *text = len < 0 ? NULL : peri_arena_alloc(arena, (size_t)len + 1);
    if (text) vsnprintf(text, (size_t)len + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

void peri_arena_shrink(peri_arena *arena, const void *last, size_t had, size_t keep) {
    peri_arena_chunk *chunk = arena->chunk;
    size_t had_size = aligned(had ? had : 1), keep_size = aligned(keep ? keep : 1);
    if (!chunk || keep_size >= had_size) return;
    if ((const char *)last + had_size != chunk->bytes + chunk->used) return;
    chunk->used -= had_size - keep_size;
    arena->used_bytes -= had_size - keep_size;
}
