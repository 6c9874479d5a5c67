// The promises of arena.h.
#include <stdalign.h>

#include "base/arena.h"
#include "test.h"

IT("gives aligned memory that does not overlap") {
    peri_arena arena;
    peri_arena_init(&arena, 1 << 20);
    char *pieces[200];
    for (size_t i = 0; i < 200; i++) {
        pieces[i] = peri_arena_alloc(&arena, i + 1);
        CHECK(pieces[i] != NULL);
        CHECK_EQ((uintptr_t)pieces[i] % alignof(max_align_t), 0);
        memset(pieces[i], (int)i, i + 1);
    }
    for (size_t i = 0; i < 200; i++) {
        CHECK_EQ((unsigned char)pieces[i][0], i);
        CHECK_EQ((unsigned char)pieces[i][i], i);
    }
    peri_arena_deinit(&arena);
}

IT("stops at its ceiling and serves smaller requests after that") {
    peri_arena arena;
    peri_arena_init(&arena, 1024);
    CHECK(peri_arena_alloc(&arena, 1000) != NULL);
    CHECK(!peri_arena_alloc(&arena, 100));
    CHECK(!peri_arena_alloc(&arena, SIZE_MAX));
    CHECK(!peri_arena_alloc(&arena, SIZE_MAX / 2));
    CHECK(peri_arena_alloc(&arena, 16) != NULL);
    CHECK_EQ(arena.used_bytes, 1024);
    peri_arena_deinit(&arena);
}

IT("clears what is asked for cleared, also in memory used before") {
    peri_arena arena;
    peri_arena_init(&arena, 4096);
    memset(peri_arena_alloc(&arena, 64), 0xFF, 64);
    peri_arena_reset(&arena);
    const char *zero = peri_arena_zero(&arena, 64);
    for (size_t i = 0; i < 64; i++) CHECK_EQ(zero[i], 0);
    peri_arena_deinit(&arena);
}

IT("copies texts: an empty one stays empty, an absent one absent") {
    peri_arena arena;
    peri_arena_init(&arena, 64);
    char source[] = "abc";
    peri_str copy = peri_arena_copy(&arena, peri_str_c(source));
    source[0] = 'x';
    CHECK_STR(copy, "abc");
    peri_str empty = peri_arena_copy(&arena, PERI_STR(""));
    CHECK(empty.ptr && empty.len == 0);
    CHECK(!peri_arena_copy(&arena, (peri_str){0}).ptr);
    CHECK(
        !peri_arena_copy(&arena, PERI_STR("much more than what is left of those 64 bytes....."))
             .ptr);
    peri_arena_deinit(&arena);
}

IT("keeps one chunk over a reset, so that a steady stream allocates nothing") {
    peri_arena arena;
    peri_arena_init(&arena, 1 << 22);
    const void *first = peri_arena_alloc(&arena, 100);
    peri_arena_reset(&arena);
    CHECK_EQ(arena.used_bytes, 0);
    CHECK(arena.chunk != NULL);
    CHECK(peri_arena_alloc(&arena, 100) == first);
    CHECK(peri_arena_alloc(&arena, 1 << 20) != NULL); // one huge request ends the batch
    peri_arena_reset(&arena);
    CHECK(arena.chunk != NULL);
    CHECK(peri_arena_alloc(&arena, 100) == first);
    peri_arena_deinit(&arena);
}

IT("takes back the end of the newest allocation and of no other") {
    peri_arena arena;
    peri_arena_init(&arena, 4096);
    char *first = peri_arena_alloc(&arena, 100);
    char *second = peri_arena_alloc(&arena, 1000);
    peri_arena_shrink(&arena, first, 100, 10);
    CHECK_EQ(arena.used_bytes, 112 + 1008);
    peri_arena_shrink(&arena, second, 1000, 10);
    CHECK_EQ(arena.used_bytes, 112 + 16);
    CHECK(peri_arena_alloc(&arena, 1) == (void *)(second + 16));
    peri_arena_shrink(&arena, second, 10, 1000);
    CHECK_EQ(arena.used_bytes, 112 + 16 + 16);
    peri_arena_deinit(&arena);
}

IT("keeps a formatted text with its NUL, or none at all") {
    peri_arena arena;
    peri_arena_init(&arena, 64);
    const char *text = peri_arena_printf(&arena, "%s:%d", "config.yaml", 7);
    CHECK(text && strcmp(text, "config.yaml:7") == 0);
    CHECK(!peri_arena_printf(&arena, "%64s", "x"));
    peri_arena_deinit(&arena);
}

IT("is empty and usable after deinit") {
    peri_arena arena;
    peri_arena_init(&arena, 64);
    CHECK(peri_arena_alloc(&arena, 64) != NULL);
    peri_arena_deinit(&arena);
    CHECK(peri_arena_alloc(&arena, 64) != NULL);
    peri_arena_deinit(&arena);
    peri_arena_reset(&arena);
    peri_arena_deinit(NULL);
}

TEST_MAIN
