#include "tap/join.h"

#include "tap/step.h"
#include "test.h"

static peri_joiner joiner;
static peri_join join;
static peri_tap tap;
static const peri_join_source hook = {1, false}, file = {2, false};

static void start(void) {
    peri_joiner_init(&joiner);
    peri_join_init(&join);
    peri_tap_init(&tap);
}

static void end(void) {
    peri_joiner_deinit(&joiner);
    peri_join_deinit(&join);
    peri_tap_deinit(&tap);
}

static void set(peri_obs *obs, peri_obs_field field, const char *text) {
    peri_obs_value *value = peri_obs_add(obs, field);
    value->text = peri_text_of(peri_str_c(text), (peri_text_caps){1000, 0});
    value->hash = peri_str_hash_wide(value->text.head);
}

static peri_obs make(peri_obs_kind kind, const char *call_id, const char *text) {
    peri_obs obs;
    peri_obs_init(&obs, kind);
    obs.session = PERI_STR("s");
    obs.agent = PERI_STR("main");
    if (call_id) set(&obs, PERI_OBS_F_CALL_ID, call_id);
    if (text) set(&obs, PERI_OBS_F_TEXT, text);
    return obs;
}

static peri_obs result(const char *call_id, const char *output, bool partial) {
    peri_obs obs = make(PERI_OBS_TOOL_RESULT, call_id, NULL);
    obs.x.output = peri_text_of(peri_str_c(output), (peri_text_caps){1000, 0});
    obs.x.partial = partial;
    return obs;
}

static peri_join_verdict check(peri_join_source source, peri_obs obs) {
    return peri_join_check(&joiner, &join, source, &obs);
}

static void keep(const peri_obs *obs) {
    peri_item item;
    CHECK(peri_item_of(obs, &item));
    item.turn = 1;
    CHECK_OK(peri_tap_push_take(&tap, peri_item_copy(&item)));
}

IT("C69 tells a call and its result once, whichever source comes first") {
    for (int order = 0; order < 2; order++) {
        peri_join_source first = order ? file : hook, second = order ? hook : file;
        start();
        CHECK_EQ(check(first, make(PERI_OBS_TOOL, "t1", NULL)), PERI_JOIN_NEW);
        CHECK_EQ(check(first, result("t1", "ok", false)), PERI_JOIN_NEW);
        CHECK_EQ(check(second, make(PERI_OBS_TOOL, "t1", NULL)), PERI_JOIN_REPEAT);
        CHECK_EQ(check(second, result("t1", "ok", false)), PERI_JOIN_REPEAT);
        CHECK_EQ(check(first, make(PERI_OBS_TOOL, "t2", NULL)), PERI_JOIN_NEW);
        CHECK_EQ(joiner.repeat_count, 2);
        end();
    }
}

IT("keeps equal call ids of two sessions apart, and those of a stream that counts its own") {
    peri_join_source one = {1, true}, two = {2, true};
    start();
    peri_obs other = make(PERI_OBS_TOOL, "t1", NULL);
    other.session = PERI_STR("s2");
    CHECK_EQ(check(hook, make(PERI_OBS_TOOL, "t1", NULL)), PERI_JOIN_NEW);
    CHECK_EQ(check(hook, other), PERI_JOIN_NEW);
    CHECK_EQ(check(one, make(PERI_OBS_TOOL, "item_0", NULL)), PERI_JOIN_NEW);
    CHECK_EQ(check(two, make(PERI_OBS_TOOL, "item_0", NULL)), PERI_JOIN_NEW);
    end();
}

IT("takes an id that a source uses again behind its result for another call") {
    start();
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(check(hook, make(PERI_OBS_TOOL, "c", NULL)), PERI_JOIN_NEW);
        CHECK_EQ(check(hook, make(PERI_OBS_TOOL, "c", NULL)), PERI_JOIN_REPEAT);
        CHECK_EQ(check(hook, result("c", "x", false)), PERI_JOIN_NEW);
        CHECK_EQ(check(hook, result("c", "x", false)), PERI_JOIN_REPEAT);
    }
    end();
}

IT("lets a result stand before its call") {
    start();
    CHECK_EQ(check(hook, result("c", "x", false)), PERI_JOIN_NEW);
    CHECK_EQ(check(hook, make(PERI_OBS_TOOL, "c", NULL)), PERI_JOIN_NEW);
    CHECK_EQ(check(file, result("c", "x", false)), PERI_JOIN_REPEAT);
    end();
}

IT("mends a makeshift result with the one the agent reads, and only then") {
    start();
    peri_obs first = result("c", "makeshift", true);
    first.x.duration_ms = 12;
    CHECK_EQ(check(hook, first), PERI_JOIN_NEW);
    keep(&first);
    CHECK_EQ(check(hook, result("c", "makeshift", true)), PERI_JOIN_REPEAT);
    peri_obs better = result("c", "as the agent reads it", false);
    better.x.exit_code = 3;
    CHECK_EQ(peri_join_check(&joiner, &join, hook, &better), PERI_JOIN_MORE);
    CHECK_EQ(better.kind, PERI_OBS_TOOL_OUTPUT);
    CHECK_OK(peri_join_mend(&better, PERI_JOIN_MORE, &tap));
    CHECK_STR(tap.items[0]->text.head, "as the agent reads it");
    CHECK_EQ(tap.items[0]->exit_code, 3);
    CHECK_EQ(tap.items[0]->duration_ms, 12);
    CHECK_EQ(check(hook, result("c", "once more", false)), PERI_JOIN_REPEAT);
    end();
}

IT("C69 adds what only a repeat knows, and leaves the text alone") {
    start();
    peri_obs first = result("c", "text", false), again = result("c", "other", false);
    keep(&first);
    again.x.duration_ms = 40;
    CHECK_OK(peri_join_mend(&again, PERI_JOIN_REPEAT, &tap));
    CHECK_STR(tap.items[0]->text.head, "text");
    CHECK_EQ(tap.items[0]->duration_ms, 40);
    end();
}

IT("C15 tells a copied record once, but not another record that bears its id") {
    start();
    peri_obs first = make(PERI_OBS_PROMPT, NULL, "do X"), other = first;
    first.x.record = other.x.record = PERI_STR("u-1");
    peri_obs copy = first;
    copy.session = PERI_STR("s-new");
    set(&other, PERI_OBS_F_TEXT, "do something else");
    CHECK_EQ(check(hook, first), PERI_JOIN_NEW);
    CHECK_EQ(check(file, copy), PERI_JOIN_REPEAT);
    CHECK_EQ(check(file, other), PERI_JOIN_NEW);
    end();
}

IT("tells each of the observations of one record") {
    start();
    peri_obs first = make(PERI_OBS_TEXT, NULL, "a"), second = first;
    first.x.record = second.x.record = PERI_STR("u-1");
    second.ordinal = 1;
    CHECK_EQ(check(file, first), PERI_JOIN_NEW);
    CHECK_EQ(check(file, second), PERI_JOIN_NEW);
    CHECK_EQ(check(file, second), PERI_JOIN_REPEAT);
    end();
}

IT("C16 tells a last answer once: from the hook first, or from the file") {
    for (int order = 0; order < 2; order++) {
        start();
        peri_obs told = make(PERI_OBS_TEXT, NULL, "FINAL ANSWER"), line = told;
        told.x.repeats = true;
        line.x.record = PERI_STR("u-6");
        CHECK_EQ(order ? check(file, line) : check(hook, told), PERI_JOIN_NEW);
        CHECK_EQ(order ? check(hook, told) : check(file, line), PERI_JOIN_REPEAT);
        end();
    }
}

IT("takes the same words twice from one source, and from two that give ids, as said twice") {
    start();
    peri_obs a = make(PERI_OBS_PROMPT, NULL, "go"), b = a;
    CHECK_EQ(check(hook, a), PERI_JOIN_NEW);
    CHECK_EQ(check(hook, a), PERI_JOIN_NEW);
    CHECK_EQ(check(file, a), PERI_JOIN_REPEAT);
    CHECK_EQ(check(file, a), PERI_JOIN_REPEAT);
    CHECK_EQ(check(file, a), PERI_JOIN_NEW);
    a = make(PERI_OBS_PROMPT, NULL, "continue"), b = a;
    a.x.record = PERI_STR("u-1");
    b.x.record = PERI_STR("u-2");
    CHECK_EQ(check(hook, a), PERI_JOIN_NEW);
    CHECK_EQ(check(file, b), PERI_JOIN_NEW);
    end();
}

IT("OB-5 takes a message's usage from one source, and its growth from that one alone") {
    peri_obs usage = make(PERI_OBS_MESSAGE_USAGE, NULL, NULL), grown;
    set(&usage, PERI_OBS_F_MESSAGE_ID, "m1");
    usage.tokens.output = 1;
    grown = usage;
    grown.tokens.output = 20;
    start();
    CHECK_EQ(check(hook, usage), PERI_JOIN_NEW);
    CHECK_EQ(check(hook, usage), PERI_JOIN_REPEAT);
    CHECK_EQ(check(file, grown), PERI_JOIN_REPEAT);
    CHECK_EQ(check(hook, grown), PERI_JOIN_NEW);
    set(&grown, PERI_OBS_F_MESSAGE_ID, "m2");
    CHECK_EQ(check(file, grown), PERI_JOIN_NEW);
    end();
}

IT("does not show a result text again that the agent said, be it late") {
    start();
    CHECK_EQ(check(hook, make(PERI_OBS_TEXT, NULL, "one")), PERI_JOIN_NEW);
    CHECK_EQ(check(hook, make(PERI_OBS_TEXT, NULL, "two")), PERI_JOIN_NEW);
    CHECK_EQ(check(hook, make(PERI_OBS_RESULT, NULL, "one\n")), PERI_JOIN_QUIET);
    CHECK_EQ(check(hook, make(PERI_OBS_RESULT, NULL, "three")), PERI_JOIN_NEW);
    end();
}

IT("makes one text of pieces, and ends it where another answer or another kind begins") {
    start();
    peri_obs piece = make(PERI_OBS_TEXT_DELTA, NULL, "Hel"), other = piece;
    piece.x.assemble = other.x.assemble = true;
    piece.x.answer = PERI_STR("m1");
    other.x.answer = PERI_STR("m2");
    CHECK(!peri_join_assembled(&join, &piece));
    set(&piece, PERI_OBS_F_TEXT, "lo");
    CHECK(!peri_join_assembled(&join, &piece));
    const peri_obs *text = peri_join_assembled(&join, &other);
    CHECK(text != NULL);
    CHECK_STR(peri_obs_str(text, PERI_OBS_F_TEXT), "Hello");
    CHECK_STR(text->x.answer, "m1");
    CHECK(!peri_join_assembled(&join, &other));
    text = peri_join_assembled(&join, NULL);
    CHECK(text != NULL);
    CHECK_STR(peri_obs_str(text, PERI_OBS_F_TEXT), "Hel");
    CHECK(!peri_join_assembled(&join, NULL));
    end();
}

IT("keeps what fits of a text in pieces, and says that more is missing") {
    static char much[70000];
    start();
    memset(much, 'x', sizeof much - 1);
    peri_obs piece = make(PERI_OBS_TEXT_DELTA, NULL, NULL);
    piece.x.assemble = true;
    peri_obs_value *value = peri_obs_add(&piece, PERI_OBS_F_TEXT);
    value->text = peri_text_of(peri_str_c(much), (peri_text_caps){sizeof much, 0});
    for (int i = 0; i < 8; i++) CHECK(!peri_join_assembled(&join, &piece));
    const peri_obs *text = peri_join_assembled(&join, NULL);
    CHECK(text != NULL);
    const peri_text *whole = &peri_obs_get(text, PERI_OBS_F_TEXT)->text;
    CHECK(whole->cut);
    CHECK_EQ(whole->cp, 8 * (sizeof much - 1));
    CHECK(whole->head.len <= 64000);
    end();
}

IT("withdraws the items of records that are void, and knows them when they come again") {
    start();
    peri_obs text = make(PERI_OBS_TEXT, NULL, "void"),
             stays = make(PERI_OBS_TEXT, NULL, "stays");
    text.x.record = PERI_STR("u-1");
    stays.x.record = PERI_STR("u-2");
    keep(&text);
    keep(&stays);
    peri_obs word = make(PERI_OBS_WARNING, NULL, NULL);
    word.x.retracts = PERI_STR("[\"u-1\",\"u-9\"]");
    CHECK_EQ(peri_join_withdraw(&joiner, &word, 1, &tap), 1);
    size_t count, dropped;
    const peri_item *const *items = peri_tap_range(&tap, 1, 3, &count, &dropped);
    CHECK_EQ(count, 1);
    CHECK_EQ(dropped, 0);
    CHECK_STR(items[0]->text.head, "stays");
    CHECK_EQ(check(file, text), PERI_JOIN_REPEAT);
    end();
}

IT("withdraws the last turns when a thread is rolled back") {
    start();
    for (uint32_t turn = 1; turn <= 3; turn++) {
        peri_item item = {.kind = PERI_ITEM_ASSISTANT_TEXT, .turn = turn};
        CHECK_OK(peri_tap_push_take(&tap, peri_item_copy(&item)));
    }
    peri_obs word = make(PERI_OBS_WARNING, NULL, NULL);
    word.x.rollback = 2;
    CHECK_EQ(peri_join_withdraw(&joiner, &word, 3, &tap), 2);
    CHECK_EQ(tap.items[0]->turn, 1);
    word.x.rollback = 1000000;
    CHECK_EQ(peri_join_withdraw(&joiner, &word, 3, &tap), 1);
    end();
}

TEST_MAIN
