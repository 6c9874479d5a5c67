// The promises of map.h.
#include "base/map.h"
#include "test.h"

enum { MANY = 2000 };

static char names[MANY][8];

static peri_str name(size_t i) {
    snprintf(names[i], sizeof names[i], "k%zu", i);
    return peri_str_c(names[i]);
}

static void fill(peri_map *map) {
    for (size_t i = 0; i < MANY; i++) CHECK_OK(peri_map_set(map, name(i), names[i]));
}

IT("finds what was set and nothing else") {
    peri_map map;
    peri_map_init(&map, MANY, 42);
    CHECK(!peri_map_get(&map, PERI_STR("k1")));
    fill(&map);
    CHECK_EQ(map.len, MANY);
    for (size_t i = 0; i < MANY; i++) CHECK(peri_map_get(&map, name(i)) == names[i]);
    CHECK(!peri_map_get(&map, PERI_STR("K1")) && !peri_map_get(&map, PERI_STR("")));
    peri_map_deinit(&map);
    CHECK(!peri_map_get(&map, PERI_STR("k1")));
}

IT("takes any key: empty ones, with NULs, equal but for a NUL") {
    peri_map map;
    peri_map_init(&map, 9, 1);
    CHECK_OK(peri_map_set(&map, PERI_STR(""), "empty"));
    CHECK_OK(peri_map_set(&map, peri_str_of("a\0b", 3), "ab"));
    CHECK_OK(peri_map_set(&map, peri_str_of("a\0c", 3), "ac"));
    CHECK_STR(peri_str_c(peri_map_get(&map, (peri_str){0})), "empty");
    CHECK_STR(peri_str_c(peri_map_get(&map, peri_str_of("a\0b", 3))), "ab");
    CHECK_STR(peri_str_c(peri_map_get(&map, peri_str_of("a\0c", 3))), "ac");
    peri_map_deinit(&map);
}

IT("replaces values, and refuses none and one too many") {
    peri_map map;
    peri_map_init(&map, 2, 7);
    CHECK_OK(peri_map_set(&map, PERI_STR("a"), "1"));
    CHECK_OK(peri_map_set(&map, PERI_STR("b"), "2"));
    CHECK_EQ(peri_map_set(&map, PERI_STR("c"), "3"), PERI_ELIMIT);
    CHECK_OK(peri_map_set(&map, PERI_STR("a"), "4"));
    CHECK_EQ(peri_map_set(&map, PERI_STR("b"), NULL), PERI_EINVAL);
    CHECK_STR(peri_str_c(peri_map_get(&map, PERI_STR("a"))), "4");
    CHECK_STR(peri_str_c(peri_map_get(&map, PERI_STR("b"))), "2");
    CHECK_EQ(map.len, 2);
    peri_map_deinit(&map);
}

IT("keeps every other entry reachable while entries are removed") {
    for (uint64_t seed = 0; seed < 5; seed++) {
        peri_map map;
        peri_map_init(&map, MANY, seed);
        fill(&map);
        for (size_t i = 0; i < MANY; i += 2) CHECK(peri_map_del(&map, name(i)) == names[i]);
        CHECK(!peri_map_del(&map, name(0)));
        for (size_t i = 0; i < MANY; i++) {
            CHECK(peri_map_get(&map, name(i)) == (i % 2 ? names[i] : NULL));
        }
        for (size_t i = 1; i < MANY; i += 2) CHECK(peri_map_del(&map, name(i)) == names[i]);
        CHECK_EQ(map.len, 0);
        CHECK(!peri_map_del(&map, name(1)));
        peri_map_deinit(&map);
    }
}

IT("visits each entry once") {
    peri_map map;
    peri_map_init(&map, MANY, 3);
    fill(&map);
    static bool seen[MANY];
    size_t at = 0, count = 0;
    for (peri_map_slot *slot; (slot = peri_map_next(&map, &at));) {
        size_t i = (size_t)((char *)slot->value - names[0]) / sizeof names[0];
        CHECK(!seen[i]);
        seen[i] = true;
        count++;
    }
    CHECK_EQ(count, MANY);
    CHECK(!peri_map_next(&map, &at));
    peri_map_deinit(&map);
    at = 0;
    CHECK(!peri_map_next(&map, &at));
}

TEST_MAIN
