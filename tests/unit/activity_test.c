// Words of the digest vocabulary, and the copy of an item.
#include "model/activity.h"

#include "test.h"

IT("names every kind of item") {
    CHECK_STR(peri_item_kind_word(PERI_ITEM_ASSISTANT_TEXT), "assistant_text");
    CHECK_STR(peri_item_kind_word(PERI_ITEM_TURN_ENDED), "turn_ended");
    CHECK(peri_item_kind_word(PERI_ITEM_KIND_COUNT).ptr == NULL);
}

IT("copies an item into one block that outlives its line") {
    char call_id[] = "c1", name[] = "Bash", text[] = "head..tail", bounded[] = "{}";
    peri_item item = {
        .kind = PERI_ITEM_TOOL_CALL,
        .step = 4,
        .call_id = peri_str_c(call_id),
        .name = peri_str_c(name),
        .text = {.head = peri_str_of(text, 4),
                 .tail = peri_str_of(text + 6, 4),
                 .cp = 10,
                 .cut = true},
        .bounded = peri_str_c(bounded),
    };
    peri_item *copy = peri_item_copy(&item);
    CHECK(copy != NULL);
    memset(call_id, 'x', 2);
    memset(name, 'x', 4);
    memset(text, 'x', 10);
    memset(bounded, 'x', 2);
    CHECK_STR(copy->call_id, "c1");
    CHECK_STR(copy->name, "Bash");
    CHECK_STR(copy->text.head, "head");
    CHECK_STR(copy->text.tail, "tail");
    CHECK_STR(copy->bounded, "{}");
    CHECK_EQ(copy->text.cp, 10);
    CHECK_EQ(copy->step, 4);
    CHECK_EQ(copy->size_bytes, sizeof item + 2 + 4 + 4 + 4 + 2);
    free(copy);
}

IT("keeps an absent text absent and an empty one empty") {
    peri_item item = {.kind = PERI_ITEM_USER_MESSAGE, .text = {.head = PERI_STR("")}};
    peri_item *copy = peri_item_copy(&item);
    CHECK(copy != NULL);
    CHECK(copy->call_id.ptr == NULL);
    CHECK(copy->text.head.ptr != NULL);
    CHECK_EQ(copy->text.head.len, 0);
    CHECK_EQ(copy->size_bytes, sizeof item);
    free(copy);
}

TEST_MAIN
