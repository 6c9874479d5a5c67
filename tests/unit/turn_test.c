// core/model/turn.c: joins and repeats.
#include "model/turn.h"

#include "test.h"

static peri_item pool[64];
static const peri_item *list[64];
static size_t used;

static peri_turn turn(void) {
    return (peri_turn){.log = list, .log_count = used};
}

static const peri_item *put(peri_item_kind kind, const char *id, const char *name,
                            const char *text) {
    peri_item *item = &pool[used];
    peri_str s = peri_str_c(text);
    *item = (peri_item){.kind = kind, .seq = used + 1, .exit_code = PERI_OBS_NO_EXIT};
    item->call_id = peri_str_c(id);
    item->name = peri_str_c(name);
    item->text = peri_text_of(s, (peri_text_caps){2000, 0});
    item->hash = peri_str_hash(s, PERI_HASH_SEED);
    list[used++] = item;
    return item;
}

IT("C14 joins by call id, whatever the order, and never guesses") {
    used = 0;
    put(PERI_ITEM_TOOL_CALL, "A", "Bash", "{\"command\":\"echo AAA\"}");
    put(PERI_ITEM_TOOL_CALL, "B", "Bash", "{\"command\":\"echo BBB\"}");
    put(PERI_ITEM_TOOL_CALL, "C", "Bash", "{\"command\":\"false\"}");
    put(PERI_ITEM_TOOL_CALL, NULL, "Bash", "{}");
    put(PERI_ITEM_TOOL_RESULT, "B", NULL, "BBB");
    put(PERI_ITEM_TOOL_RESULT, NULL, NULL, "orphan, no id");
    put(PERI_ITEM_TOOL_RESULT, "ZZ", NULL, "unknown id");
    put(PERI_ITEM_TOOL_RESULT, "A", NULL, "AAA");
    peri_turn t = turn();
    peri_call calls[8];
    CHECK_EQ(peri_turn_calls(&t, calls, 8), 4);
    CHECK_STR(calls[0].result->text.head, "AAA");
    CHECK_STR(calls[1].result->text.head, "BBB");
    CHECK(calls[2].result == NULL);
    CHECK(calls[3].result == NULL);
}

IT("C23 a refused call is answered by its refusal") {
    used = 0;
    put(PERI_ITEM_TOOL_CALL, "a", "Bash", "{}");
    put(PERI_ITEM_TOOL_DENIED, "a", "Bash", "blocked by guard");
    peri_turn t = turn();
    peri_call call;
    CHECK_EQ(peri_turn_calls(&t, &call, 1), 1);
    CHECK_EQ(call.result->kind, PERI_ITEM_TOOL_DENIED);
}

IT("finds a result that came before its call") {
    used = 0;
    put(PERI_ITEM_TOOL_RESULT, "x", NULL, "early");
    put(PERI_ITEM_TOOL_CALL, "x", "Bash", "{}");
    peri_turn t = turn();
    peri_call call;
    CHECK_EQ(peri_turn_calls(&t, &call, 1), 1);
    CHECK_STR(call.result->text.head, "early");
}

IT("keeps the last calls when there are more than asked for") {
    used = 0;
    put(PERI_ITEM_TOOL_CALL, "1", "first", "{}");
    put(PERI_ITEM_TOOL_CALL, "2", "second", "{}");
    put(PERI_ITEM_TOOL_CALL, "3", "third", "{}");
    peri_turn t = turn();
    peri_call calls[2];
    CHECK_EQ(peri_turn_calls(&t, calls, 2), 2);
    CHECK_STR(calls[0].call->name, "second");
    CHECK_STR(calls[1].call->name, "third");
    CHECK_EQ(peri_turn_calls(&t, calls, 0), 0);
}

IT("counts equal calls, and those with an equal result") {
    used = 0;
    put(PERI_ITEM_TOOL_CALL, "1", "Bash", "make");
    put(PERI_ITEM_TOOL_RESULT, "1", NULL, "error 2");
    put(PERI_ITEM_TOOL_CALL, "2", "Bash", "make");
    put(PERI_ITEM_TOOL_RESULT, "2", NULL, "error 3");
    put(PERI_ITEM_TOOL_CALL, "3", "Read", "make");
    put(PERI_ITEM_TOOL_CALL, "4", "Bash", "make check");
    const peri_item *last = put(PERI_ITEM_TOOL_CALL, "5", "Bash", "make");
    put(PERI_ITEM_TOOL_RESULT, "5", NULL, "error 2");
    peri_turn t = turn();
    size_t same = 99;
    CHECK_EQ(peri_turn_repeats(&t, last, &same), 3);
    CHECK_EQ(same, 2);
    CHECK_EQ(peri_turn_repeats(&t, last, NULL), 3);
}

IT("counts no equal result while the call has none") {
    used = 0;
    put(PERI_ITEM_TOOL_CALL, "1", "Bash", "make");
    put(PERI_ITEM_TOOL_RESULT, "1", NULL, "ok");
    const peri_item *open = put(PERI_ITEM_TOOL_CALL, "2", "Bash", "make");
    peri_turn t = turn();
    size_t same = 99;
    CHECK_EQ(peri_turn_repeats(&t, open, &same), 2);
    CHECK_EQ(same, 0);
}

IT("counts the call itself although the bounded log lost it") {
    used = 0;
    peri_item lost = *put(PERI_ITEM_TOOL_CALL, "1", "Bash", "make");
    used = 0;
    put(PERI_ITEM_TOOL_CALL, "2", "Bash", "make");
    lost.seq = 77;
    peri_turn t = turn();
    CHECK_EQ(peri_turn_repeats(&t, &lost, NULL), 2);
}

TEST_MAIN
