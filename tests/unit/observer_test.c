// Words of an observer's definition, and its name.
#include "model/observer.h"

#include "test.h"

IT("finds every word of a definition again, and no other") {
    for (int i = 0; i < PERI_TRIGGER_COUNT; i++) {
        CHECK_EQ(peri_trigger_find(peri_trigger_word((peri_trigger)i)), i);
    }
    for (int i = 0; i < PERI_LAYOUT_COUNT; i++) {
        CHECK_EQ(peri_layout_find(peri_layout_word((peri_layout)i)), i);
    }
    CHECK_STR(peri_trigger_word(PERI_TRIGGER_TURN_END), "turn_end");
    CHECK_STR(peri_layout_word(PERI_LAYOUT_CLAUDE_215), "claude-2.1.215");
    CHECK_EQ(peri_trigger_find(PERI_STR("turn_en")), PERI_TRIGGER_COUNT);
    CHECK_EQ(peri_layout_find((peri_str){0}), PERI_LAYOUT_COUNT);
    CHECK(peri_slice_word(PERI_SLICE_COUNT).ptr == NULL);
}

IT("PI-1 takes a name of small letters, digits, _ and -, not beginning with a mark") {
    CHECK(peri_observer_name_ok(PERI_STR("loop-guard")));
    CHECK(peri_observer_name_ok(PERI_STR("a")));
    CHECK(peri_observer_name_ok(PERI_STR("2nd_look")));
    CHECK(!peri_observer_name_ok(PERI_STR("")));
    CHECK(!peri_observer_name_ok((peri_str){0}));
    CHECK(!peri_observer_name_ok(PERI_STR("-guard")));
    CHECK(!peri_observer_name_ok(PERI_STR("_guard")));
    CHECK(!peri_observer_name_ok(PERI_STR("Loop")));
    CHECK(!peri_observer_name_ok(PERI_STR("loop guard")));
    CHECK(!peri_observer_name_ok(PERI_STR("loop.guard")));
    CHECK(!peri_observer_name_ok(PERI_STR("loop\0guard")));
    CHECK(!peri_observer_name_ok(PERI_STR("löop")));
}

IT("PI-1 takes a name of 64 bytes, not of 65") {
    char name[65];
    memset(name, 'n', sizeof name);
    CHECK(peri_observer_name_ok(peri_str_of(name, 64)));
    CHECK(!peri_observer_name_ok(peri_str_of(name, 65)));
}

TEST_MAIN
