// The bounded log: numbers never change, both ends of a flood
// stay, and what is gone is counted.
#include "tap/tap.h"

#include "test.h"

static peri_tap tap;

static void push(peri_item_kind kind, const char *call_id, const char *text, uint32_t turn) {
    peri_item item = {.kind = kind,
                      .turn = turn,
                      .call_id = peri_str_c(call_id),
                      .text = peri_text_of(peri_str_c(text), (peri_text_caps){1u << 30, 0})};
    peri_item *copy = peri_item_copy(&item);
    CHECK(copy != NULL);
    CHECK_OK(peri_tap_push_take(&tap, copy));
}

static void fill(size_t count) {
    peri_tap_init(&tap);
    for (size_t i = 0; i < count; i++) push(PERI_ITEM_ASSISTANT_TEXT, NULL, "x", 1);
}

IT("numbers items from 1 and hands out any range of them") {
    fill(5);
    size_t count, dropped;
    const peri_item *const *range = peri_tap_range(&tap, 2, 4, &count, &dropped);
    CHECK_EQ(count, 2);
    CHECK_EQ(dropped, 0);
    CHECK(range[0] == tap.items[1]);
    peri_tap_range(&tap, 0, 99, &count, &dropped);
    CHECK_EQ(count, 5);
    peri_tap_range(&tap, 6, 6, &count, &dropped);
    CHECK_EQ(count, 0);
    peri_tap_range(&tap, 4, 2, &count, NULL); // the wrong way round: nothing
    CHECK_EQ(count, 0);
    peri_tap_deinit(&tap);
}

IT("keeps head and tail of a flood, drops the middle and counts it") {
    fill(2000);
    size_t count, dropped;
    CHECK_EQ(tap.count, PERI_TAP_MAX_ITEMS);
    CHECK_EQ(tap.dropped_count, 2000 - PERI_TAP_MAX_ITEMS);
    CHECK_EQ(tap.numbers[PERI_TAP_HEAD_ITEMS - 1], PERI_TAP_HEAD_ITEMS);
    CHECK_EQ(tap.numbers[tap.count - 1], 2000);
    peri_tap_range(&tap, 1, 2001, &count, &dropped);
    CHECK_EQ(count, PERI_TAP_MAX_ITEMS);
    CHECK_EQ(dropped, 2000 - PERI_TAP_MAX_ITEMS);
    peri_tap_deinit(&tap);
}

IT("keeps its bytes within the maximum, whatever the items' sizes") {
    char *text = malloc(300001);
    memset(text, 'x', 300000);
    text[300000] = '\0';
    peri_tap_init(&tap);
    for (int i = 0; i < 40; i++) {
        push(PERI_ITEM_ASSISTANT_TEXT, NULL, i % 3 ? text : "small", 1);
        size_t bytes = 0;
        for (size_t at = 0; at < tap.count; at++) bytes += tap.items[at]->size_bytes;
        CHECK_EQ(tap.bytes, bytes);
        CHECK(tap.bytes <= PERI_TAP_MAX_BYTES);
        CHECK_EQ(tap.numbers[tap.count - 1], i + 1); // the newest is always there
    }
    free(text);
    peri_tap_deinit(&tap);
}

IT("trims what was digested, but nothing of the turn that still runs") {
    peri_tap_init(&tap);
    for (uint32_t i = 0; i < 6; i++) push(PERI_ITEM_ASSISTANT_TEXT, NULL, "x", 1 + i / 3);
    peri_tap_trim(&tap, 3, 2);
    CHECK_EQ(tap.count, 4);
    peri_tap_trim(&tap, 99, 2);
    CHECK_EQ(tap.count, 3);
    CHECK_EQ(tap.numbers[0], 4);
    push(PERI_ITEM_ASSISTANT_TEXT, NULL, "x", 3);
    CHECK_EQ(tap.numbers[3], 7); // numbers go on
    size_t count, dropped;
    peri_tap_range(&tap, 1, 8, &count, &dropped);
    CHECK_EQ(count, 4);
    CHECK_EQ(dropped, 3);
    peri_tap_deinit(&tap);
}

IT("finds the latest item of a kind with a call id, and none without an id") {
    peri_tap_init(&tap);
    push(PERI_ITEM_TOOL_CALL, "a", "first", 1);
    push(PERI_ITEM_TOOL_RESULT, "a", "result", 1);
    push(PERI_ITEM_TOOL_CALL, "a", "second", 1);
    push(PERI_ITEM_TOOL_CALL, NULL, "none", 1);
    CHECK_STR(peri_tap_find_call(&tap, PERI_ITEM_TOOL_CALL, PERI_STR("a"))->text.head,
              "second");
    CHECK_STR(peri_tap_find_call(&tap, PERI_ITEM_TOOL_RESULT, PERI_STR("a"))->text.head,
              "result");
    CHECK(peri_tap_find_call(&tap, PERI_ITEM_TOOL_CALL, PERI_STR("b")) == NULL);
    CHECK(peri_tap_find_call(&tap, PERI_ITEM_TOOL_CALL, (peri_str){0}) == NULL);
    peri_tap_deinit(&tap);
}

TEST_MAIN
