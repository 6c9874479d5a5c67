#include "tap/seen.h"

#include "test.h"

static peri_seen seen;
static uint64_t value;

IT("remembers a key with its last value, 0 included") {
    peri_seen_init(&seen, 8);
    CHECK(!peri_seen_get(&seen, 5, &value));
    CHECK(peri_seen_try_set(&seen, 5, 1));
    CHECK(peri_seen_try_set(&seen, 5, 2));
    CHECK(peri_seen_try_set(&seen, 0, 7));
    CHECK(peri_seen_get(&seen, 5, &value));
    CHECK_EQ(value, 2);
    CHECK(peri_seen_get(&seen, 0, &value));
    CHECK_EQ(value, 7);
    peri_seen_deinit(&seen);
}

IT("forgets the older half when it is full, never the newer") {
    enum { MAX = 1000 };
    peri_seen_init(&seen, MAX);
    for (uint64_t key = 1; key <= 10 * MAX; key++) CHECK(peri_seen_try_set(&seen, key, key));
    for (uint64_t key = 9 * MAX + 1; key <= 10 * MAX; key++) {
        CHECK(peri_seen_get(&seen, key, &value));
        CHECK_EQ(value, key);
    }
    CHECK(!peri_seen_get(&seen, 1, &value));
    CHECK(seen.now.cap <= 4 * MAX);
    peri_seen_deinit(&seen);
}

IT("prefers what it was told last of a key that both halves hold") {
    peri_seen_init(&seen, 4);
    for (uint64_t key = 1; key <= 5; key++) CHECK(peri_seen_try_set(&seen, key, 1));
    CHECK(peri_seen_try_set(&seen, 2, 9));
    CHECK(peri_seen_get(&seen, 2, &value));
    CHECK_EQ(value, 9);
    peri_seen_deinit(&seen);
}

TEST_MAIN
