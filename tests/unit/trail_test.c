// core/tap/trail.c
#include "tap/trail.h"

#include "test.h"

static peri_trail trail;
static peri_tap tap;

// An item that came from the entry `id`, which follows `before`.
static size_t go(const char *id, const char *before) {
    peri_obs obs;
    peri_obs_init(&obs, PERI_OBS_TEXT);
    obs.x.entry = obs.x.record = peri_str_c(id);
    obs.x.follows = peri_str_c(before);
    size_t left = peri_trail_take(&trail, &obs, &tap);
    peri_item item = {.kind = PERI_ITEM_ASSISTANT_TEXT,
                      .turn = 1,
                      .record = peri_str_hash_wide(obs.x.record)};
    CHECK_OK(peri_tap_push_take(&tap, peri_item_copy(&item)));
    return left;
}

static void begin(void) {
    peri_tap_init(&tap);
    CHECK_EQ(go("a", NULL) + go("b", "a") + go("b", "a") + go("c", "b"), 0);
}

static void end(void) {
    peri_trail_deinit(&trail);
    peri_tap_deinit(&tap);
}

IT("withdraws what came behind the entry that is gone back to") {
    begin();
    CHECK_EQ(go("d", "a"), 3); // both items of b, and c
    CHECK_EQ(tap.count, 2);
    CHECK_EQ(go("e", "d"), 0);
    CHECK_EQ(go("f", "a"), 2);
    CHECK_EQ(tap.count, 2);
    end();
}

IT("leaves nothing for an entry whose parent said nothing or is not named") {
    begin();
    CHECK_EQ(go("d", "never seen"), 0);
    CHECK_EQ(go("e", NULL), 0);
    CHECK_EQ(tap.count, 6);
    end();
}

IT("does not find an entry that was left") {
    begin();
    CHECK_EQ(go("d", "a"), 3);
    CHECK_EQ(go("e", "c"), 0);
    end();
}

IT("goes on in constant memory when a session is longer than the trail") {
    peri_tap_init(&tap);
    char id[16], before[16] = "";
    for (int i = 0; i < 3 * PERI_TRAIL_ENTRIES; i++) {
        snprintf(id, sizeof id, "e%d", i);
        CHECK_EQ(go(id, before), 0);
        memcpy(before, id, sizeof id);
    }
    CHECK_EQ(go("x", "e0"), 0);
    CHECK_EQ(go("y", before), 1); // x alone
    end();
}

TEST_MAIN
