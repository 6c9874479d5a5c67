// Settings files that change, break or cannot be reached while a host judges by them. What
// rules mean is shown by tests/gate/table.jsonl.
#include "hosting.h"
#include "scratch.h"

static const char probe[] = "-- perilune-api: 1\n"
                            "return { name = 'probe', description = 'd', on = 'turn_end',\n"
                            "  observe = function() return nil end }\n";

enum { RULES = 12000 }; // two files of so many are more than all may hold together

static hosting h;
static scratch place;
static peri_source *source;

static void open_host(void) {
    static char given[300];
    static const char *const paths[] = {given, NULL};
    snprintf(given, sizeof given, "%s/given.json", place.root);
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.mode = PERI_MODE_LIVE;
    options.settings_paths = paths;
    hosting_open_with(&h, options, probe);
    source = hosting_stream(&h, "activity");
}

static void turn(const char *session) {
    char text[600];
    snprintf(text, sizeof text,
             "{\"session\":\"%s\",\"cwd\":\"%s\",\"kind\":\"user_message\",\"text\":\"go\"}\n"
             "{\"session\":\"%s\",\"kind\":\"turn_ended\",\"reason\":\"completed\"}\n",
             session, place.root, session);
    hosting_feed(&h, source, peri_str_c(text));
}

static size_t runs(void) {
    return times(peri_buf_str(&h.records), "\"record\":\"run\"");
}

static void write_rules(const char *name, size_t count, const char *last) {
    peri_buf text;
    peri_buf_init(&text, 1 << 20);
    peri_buf_add_c(&text, "{\"permissions\":{\"deny\":[");
    for (size_t i = 0; i < count; i++) peri_buf_addf(&text, "\"Agent(no-%zu)\",", i);
    peri_buf_addf(&text, "\"%s\"]}}", last);
    CHECK_OK(text.status);
    scratch_write(&place, name, peri_buf_c(&text));
    peri_buf_deinit(&text);
}

static void begin(void) {
    scratch_open(&place);
    scratch_write(&place, "given.json", "{}");
    open_host();
}

static void end(void) {
    hosting_close(&h);
    scratch_close(&place);
}

IT("CC-4 a settings file that cannot be reached is an error, not one that says nothing") {
    begin();
    CHECK(mkdir(scratch_path(&place, ".claude"), 0700) == 0);
    const char *path = scratch_path(&place, ".claude/settings.json");
    CHECK(symlink("settings.json", path) == 0); // itself
    turn("s");
    CHECK_EQ(runs(), 0);
    CHECK(times(peri_buf_str(&h.records), "settings.json cannot be used") > 0);
    CHECK(unlink(path) == 0);
    turn("s");
    CHECK_EQ(runs(), 1);
    CHECK(symlink("nowhere.json", path) == 0); // no file is no error
    turn("s");
    CHECK_EQ(runs(), 2);
    end();
}

IT("CC-4 files that hold too many rules together are an error at every batch, not their old rules") {
    begin();
    turn("s");
    CHECK_EQ(runs(), 1);
    write_rules("given.json", RULES, "Agent(other)");
    turn("s");
    CHECK_EQ(runs(), 2);
    write_rules(".claude/settings.json", RULES, "Agent(probe)");
    turn("s");
    turn("s");
    turn("s");
    CHECK_EQ(runs(), 2);
    CHECK(times(peri_buf_str(&h.records), "together the settings files hold too much") > 0);
    CHECK_EQ(times(peri_buf_str(&h.records), "\"state\":\"denied\""), 0);
    scratch_write(&place, "given.json", "{}");
    turn("s");
    CHECK_EQ(times(peri_buf_str(&h.records), "\"reason\":\"deny-rules: deny rule Agent(probe)"),
             1);
    end();
}

IT("CC-4 C33 a file that is replaced by something else keeps its last good content") {
    begin();
    scratch_write(&place, "given.json", "{\"permissions\":{\"deny\":[\"Agent(other)\"]}}");
    turn("s");
    CHECK_EQ(runs(), 1);
    CHECK(unlink(scratch_path(&place, "given.json")) == 0);
    CHECK(mkfifo(scratch_path(&place, "given.json"), 0600) == 0);
    turn("s");
    CHECK_EQ(runs(), 2);
    CHECK(times(peri_buf_str(&h.log), "given.json") > 0);
    end();
}

IT("CC-4 every record of a judgement tells by which permissions it was made") {
    static const char *const texts[] = {"{}", "{\"permissions\":{\"defaultMode\":\"plan\"}}",
                                        "{\"permissions\":{\"allow\":[\"Agent\"]}}",
                                        "{\"permissions\":{\"ask\":[\"Bash\"]}}"};
    peri_buf seen;
    peri_buf_init(&seen, 4096);
    begin();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        scratch_write(&place, "given.json", texts[i]);
        peri_buf_clear(&h.records);
        turn("s");
        peri_str rest = peri_buf_str(&h.records);
        size_t at = peri_str_find(rest, PERI_STR("\"version\":\""));
        CHECK(at != PERI_NPOS);
        peri_str version = peri_str_sub(rest, at, 28);
        CHECK(peri_str_find(peri_buf_str(&seen), version) == PERI_NPOS);
        peri_buf_add(&seen, version);
    }
    peri_buf_deinit(&seen);
    end();
}

TEST_MAIN
