// Which observations an observer is shown, and as what.
#include "tap/step.h"

#include "test.h"

static peri_obs obs;
static peri_item item;

static void of(peri_obs_kind kind) {
    peri_obs_init(&obs, kind);
}

static void put(peri_obs_field field, const char *text) {
    peri_obs_add(&obs, field)->text = peri_text_of(peri_str_c(text), (peri_text_caps){1000, 0});
}

IT("shows a person's words, and a machine's under its name") {
    of(PERI_OBS_PROMPT);
    put(PERI_OBS_F_TEXT, "do it");
    CHECK(peri_item_of(&obs, &item));
    CHECK_EQ(item.kind, PERI_ITEM_USER_MESSAGE);
    CHECK_STR(item.text.head, "do it");
    obs.x.origin = PERI_STR("human");
    CHECK(peri_item_of(&obs, &item) && item.kind == PERI_ITEM_USER_MESSAGE);
    obs.x.origin = PERI_STR("task-notification");
    CHECK(peri_item_of(&obs, &item));
    CHECK_EQ(item.kind, PERI_ITEM_NON_USER_MESSAGE);
    CHECK_STR(item.name, "task-notification");
}

IT("shows a call with its input, and null where none was told") {
    of(PERI_OBS_TOOL);
    put(PERI_OBS_F_NAME, "Bash");
    CHECK(peri_item_of(&obs, &item));
    CHECK_STR(item.text.head, "null");
    put(PERI_OBS_F_INPUT, "{\"a\":1}");
    peri_obs_add(&obs, PERI_OBS_F_CALL_ID)->text =
        peri_text_of(PERI_STR("c1"), (peri_text_caps){9, 0});
    CHECK(peri_item_of(&obs, &item));
    CHECK_STR(item.text.head, "{\"a\":1}");
    CHECK_STR(item.call_id, "c1");
    CHECK_STR(item.name, "Bash");
}

IT("gives equal calls equal hashes and others another") {
    of(PERI_OBS_TOOL);
    put(PERI_OBS_F_NAME, "Bash");
    put(PERI_OBS_F_INPUT, "{}");
    obs.values[1].hash = 7;
    CHECK(peri_item_of(&obs, &item));
    uint64_t hash = item.hash;
    CHECK(peri_item_of(&obs, &item) && item.hash == hash);
    obs.values[1].hash = 8;
    CHECK(peri_item_of(&obs, &item) && item.hash != hash);
    obs.values[1].hash = 7;
    put(PERI_OBS_F_NAME, "Read");
    CHECK(peri_item_of(&obs, &item) && item.hash != hash);
}

IT("shows a result's whole text where it is known, else its preview with the true length") {
    of(PERI_OBS_TOOL_RESULT);
    put(PERI_OBS_F_PREVIEW, "short");
    peri_obs_add(&obs, PERI_OBS_F_IS_ERROR)->flag = true;
    peri_obs_add(&obs, PERI_OBS_F_CHARACTERS)->number = 5000;
    CHECK(peri_item_of(&obs, &item));
    CHECK_STR(item.text.head, "short");
    CHECK_EQ(item.text.u16, 5000);
    CHECK(item.text.cut);
    CHECK(item.is_error);
    obs.x.output = peri_text_of(PERI_STR("the whole of it"), (peri_text_caps){100, 0});
    obs.x.exit_code = 2;
    CHECK(peri_item_of(&obs, &item));
    CHECK_STR(item.text.head, "the whole of it");
    CHECK_EQ(item.exit_code, 2);
}

IT("takes no length from a stream that is none") {
    const double odd[] = {-1, 0, 4, 1e300, 0.0 / 0.0};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        of(PERI_OBS_TOOL_RESULT);
        put(PERI_OBS_F_PREVIEW, "short");
        peri_obs_add(&obs, PERI_OBS_F_CHARACTERS)->number = odd[i];
        CHECK(peri_item_of(&obs, &item));
        CHECK_EQ(item.text.u16, 5);
    }
}

IT("shows a refused call with its reason") {
    of(PERI_OBS_TOOL_DENIED);
    put(PERI_OBS_F_NAME, "Bash");
    put(PERI_OBS_F_REASON, "blocked by guard");
    CHECK(peri_item_of(&obs, &item));
    CHECK_EQ(item.kind, PERI_ITEM_TOOL_DENIED);
    CHECK_STR(item.text.head, "blocked by guard");
    CHECK(item.is_error);
}

IT("CC-7 shows no thinking, no blank text, and none of the other kinds") {
    for (peri_obs_kind kind = 0; kind < PERI_OBS_KIND_COUNT; kind++) {
        of(kind);
        bool shown = peri_item_of(&obs, &item);
        bool always = kind == PERI_OBS_TOOL || kind == PERI_OBS_TOOL_RESULT ||
                      kind == PERI_OBS_TOOL_DENIED || kind == PERI_OBS_RAW;
        CHECK_EQ(shown, always);
    }
    of(PERI_OBS_REASONING);
    put(PERI_OBS_F_TEXT, "hm");
    CHECK(!peri_item_of(&obs, &item));
    of(PERI_OBS_TEXT);
    put(PERI_OBS_F_TEXT, " \xE2\x80\x8B ");
    CHECK(!peri_item_of(&obs, &item));
}

IT("C09 keeps at most 2,000 code points of a record of an unknown kind") {
    static char record[8 * 1024];
    memset(record, 'x', sizeof record - 1);
    of(PERI_OBS_RAW);
    put(PERI_OBS_F_VALUE, "{\"type\":\"galaxy\"}");
    CHECK(peri_item_of(&obs, &item));
    CHECK_EQ(item.kind, PERI_ITEM_RAW);
    CHECK_STR(item.text.head, "{\"type\":\"galaxy\"}");
    CHECK(!item.text.cut);
    peri_obs_add(&obs, PERI_OBS_F_VALUE)->text =
        peri_text_of(peri_str_c(record), (peri_text_caps){5000, 100});
    CHECK(peri_item_of(&obs, &item));
    CHECK_EQ(item.text.head.len, 2000);
    CHECK_EQ(item.text.tail.len, 0);
    CHECK(item.text.cut && item.text.cp == sizeof record - 1);
}

IT("keeps seq, time and the absence of an exit code") {
    of(PERI_OBS_TEXT);
    put(PERI_OBS_F_TEXT, "x");
    obs.seq = 42;
    obs.has_at = true;
    obs.at_wall_ms = 7;
    CHECK(peri_item_of(&obs, &item));
    CHECK_EQ(item.seq, 42);
    CHECK_EQ(item.at_wall_ms, 7);
    CHECK_EQ(item.exit_code, PERI_OBS_NO_EXIT);
}

IT("CC-8 knows an echo by its origin") {
    CHECK(peri_origin_is_echo(PERI_STR("observer:loop-guard")));
    CHECK(!peri_origin_is_echo(PERI_STR("observer-activity")));
    CHECK(!peri_origin_is_echo((peri_str){0}));
}

TEST_MAIN
