// Markdown observers: what a header may hold, what is reported of it and where, and what the
// Lua file beside one adds.
#include "script_scene.h"

#define HEAD "---\nname: m\ndescription: d\non: turn_end\n"
#define FULL HEAD "---\nLook closely.\n"

static const peri_observer *add(scene *s, peri_markdown from) {
    const peri_observer *out = NULL;
    int status = peri_script_add_markdown(s->script, PERI_STR("user"), PERI_STR("user"), &from,
                                          NULL, &s->diags, &out);
    if (status < 0 && status != PERI_EINVAL) TEST_FAIL("%s", peri_status_name(status));
    if (status < 0) CHECK(s->diags.error_count > 0);
    return status < 0 ? NULL : out;
}

static const peri_observer *load(scene *s, const char *text) {
    return add(s, (peri_markdown){.file = PERI_STR("m.md"), .text = peri_str_c(text)});
}

static const peri_observer *load_pair(scene *s, const char *text, const char *lua) {
    return add(s, (peri_markdown){.file = PERI_STR("m.md"),
                                  .text = peri_str_c(text),
                                  .lua_file = PERI_STR("m.lua"),
                                  .lua_text = peri_str_c(lua)});
}

static const peri_diag *find(const scene *s, const char *id, const char *message) {
    for (size_t i = 0; i < s->diags.count; i++) {
        const peri_diag *d = &s->diags.items[i];
        bool hit = peri_str_eq(d->id, peri_str_c(id)) &&
                   peri_str_find(d->message, peri_str_c(message)) != PERI_NPOS;
        if (hit) return d;
    }
    for (size_t i = 0; i < s->diags.count; i++) {
        const peri_diag *d = &s->diags.items[i];
        printf("  has %.*s:%u: %.*s\n", PERI_FMT(d->id), d->line, PERI_FMT(d->message));
    }
    TEST_FAIL("no %s with \"%s\"", id, message);
}

// Expects `text` to be refused with a diagnostic that holds `message`, on `line`.
static void refuses(const char *text, const char *id, const char *message, uint32_t line) {
    scene *s = scene_new();
    CHECK(!load(s, text));
    const peri_diag *d = find(s, id, message);
    CHECK_EQ(d->line, line);
    CHECK(d->column > 0);
    scene_free(s);
}

// The content of a handed case, NUL-terminated; the test owns it.
static char *case_text(const char *name, size_t *len) {
    char path[512];
    snprintf(path, sizeof path, "%s/fault/definitions/%s", PERI_TESTS_DIR, name);
    FILE *file = fopen(path, "rb");
    char *text = malloc(128 * 1024);
    if (!file || !text) TEST_FAIL("%s cannot be read", path);
    *len = fread(text, 1, 128 * 1024 - 1, file);
    text[*len] = '\0';
    fclose(file);
    return text;
}

IT("PI-1 loads a definition with every key") {
    scene *s = scene_new();
    const peri_observer *o = load(
        s, "---\nname: reviewer\ndescription: Reviews.\non: agent_settled\nenabled: false\n"
           "sees: [last_user_message, transcript, transcript]\ntools: read, grep\n"
           "can: advise, veto\ndeliver: settle\nmodel: a/b-1.10\nfallback: [c/d, no]\n"
           "thinking: high\npriority: 70\nmax_advisory_chars: 1,500\ntimeout_ms: 60_000\n"
           "layout: claude-2.1.332\nseverity: blocker\nwake: false\n---\n\nLook closely.\n\n");
    CHECK(o);
    CHECK_EQ(s->diags.count, 0);
    CHECK_STR(o->name, "reviewer");
    CHECK_STR(o->file, "m.md");
    CHECK_EQ(o->runtime, PERI_RUN_MODEL);
    CHECK_EQ(o->triggers, 1u << PERI_TRIGGER_AGENT_SETTLED);
    CHECK(!o->enabled && !o->has_wake && !o->has_lua_form);
    CHECK_EQ(o->sees_count, 2);
    CHECK_EQ(o->sees[1], PERI_SLICE_TRANSCRIPT);
    CHECK_EQ(o->tools, 1u << PERI_TOOL_READ | 1u << PERI_TOOL_GREP);
    CHECK_EQ(o->can, PERI_CAN_ADVISE | PERI_CAN_VETO);
    CHECK_EQ(o->lane, PERI_LANE_FOLLOW_UP);
    CHECK_STR(o->model, "a/b-1.10");
    CHECK_EQ(o->fallback_count, 2);
    CHECK_STR(o->fallback[1], "no");
    CHECK_EQ(o->thinking, PERI_THINKING_HIGH);
    CHECK_EQ(o->priority, 70);
    CHECK_EQ(o->max_advisory_cp, 1500);
    CHECK_EQ(o->timeout_ms, 60000);
    CHECK_EQ(o->layout, PERI_LAYOUT_CLAUDE_332);
    CHECK_EQ(o->severity, PERI_WEIGHT_BLOCKER);
    CHECK_STR(o->prompt, "Look closely.");
    scene_free(s);
}

IT("PI-1 fills in the defaults of the contract") {
    scene *s = scene_new();
    const peri_observer *o = load(s, FULL);
    CHECK(o && o->enabled);
    CHECK_EQ(o->sees_count, 0);
    CHECK_EQ(o->tools, 0);
    CHECK_EQ(o->can, PERI_CAN_ADVISE);
    CHECK_EQ(o->lane, PERI_LANE_STEER);
    CHECK(!o->model.ptr && !o->fallback);
    CHECK_EQ(o->thinking, PERI_THINKING_LOW);
    CHECK_EQ(o->priority, 50);
    CHECK_EQ(o->max_advisory_cp, 300);
    CHECK_EQ(o->timeout_ms, 20000);
    scene_free(s);
}

IT("PI-1 names the key, its line and its column") {
    refuses("---\nname: m\non: turn_end\n---\nx", "missing-key", "\"description\"", 1);
    refuses("---\nname: Big Name\ndescription: d\non: turn_end\n---\nx", "bad-value",
            "name is not", 2);
    refuses(HEAD "priority: 0\n---\nx", "wrong-value", "1 to 100", 5);
    refuses(HEAD "timeout_ms: 120001\n---\nx", "wrong-value", "1 to 120000", 5);
    refuses(HEAD "max_advisory_chars: 2001\n---\nx", "wrong-value", "1 to 2000", 5);
    refuses(HEAD "can: []\n---\nx", "bad-value", "nothing to say", 5);
    refuses(HEAD "can: advise\ndeliver: hold\n---\nx", "bad-value", "only vetoes hold", 6);
    refuses(HEAD "wake: true\n---\nx", "no-wake", "asks for a wake", 1);
    refuses(HEAD "---\n \n", "no-prompt", "body is empty", 1);
    refuses(HEAD "---\n\xff\n", "not-utf8", "not valid UTF-8", 1);
}

IT("PI-3 a Markdown observer has one trigger, and any of ours") {
    static const char *const triggers[] = {
        "before_agent_start", "turn_end", "tool_execution_end", "tool_denied", "agent_settled",
        "session_end",        "idle"};
    for (size_t i = 0; i < sizeof triggers / sizeof triggers[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "---\nname: m\ndescription: d\non: %s\n---\nx",
                 triggers[i]);
        scene *s = scene_new();
        const peri_observer *o = load(s, text);
        CHECK(o != NULL);
        CHECK_EQ(o->triggers, 1u << peri_trigger_find(peri_str_c(triggers[i])));
        scene_free(s);
    }
    refuses("---\nname: m\ndescription: d\non: [turn_end, idle]\n---\nx", "bad-value",
            "one trigger", 4);
}

IT("CC-12 gives an observer read, grep, find and ls, and no other tool") {
    scene *s = scene_new();
    const peri_observer *o = load(s, HEAD "tools: [read, grep, find, ls]\n---\nx");
    CHECK_EQ(o->tools, (1u << PERI_TOOL_COUNT) - 1);
    CHECK_EQ(PERI_TOOL_COUNT, 4);
    scene_free(s);
    refuses(HEAD "tools: [read, bash]\n---\nx", "wrong-value", "read, grep, find, ls", 5);
    refuses(HEAD "tools: write\n---\nx", "wrong-value", "read, grep, find, ls", 5);
    refuses(HEAD "tools: SendMessage\n---\nx", "wrong-value", "read, grep, find, ls", 5);
    refuses(HEAD "tools: [Agent(x)]\n---\nx", "wrong-value", "read, grep, find, ls", 5);
}

IT("PI-1 forgives a missing description where the file is one of pi's") {
    scene *s = scene_new();
    const peri_observer *o =
        add(s, (peri_markdown){.file = PERI_STR(".pi/observers/m.md"),
                               .text = PERI_STR("---\nname: m\non: turn_end\n---\nLook."),
                               .lenient = true});
    CHECK(o);
    CHECK_EQ(s->diags.error_count, 0);
    CHECK_HAS(find(s, "missing-key", "description")->message, "description");
    scene_free(s);
}

IT("C36 reports every misspelling with the nearest name, and loads nothing of the file") {
    static const struct {
        const char *id, *message, *hint;
        uint32_t line;
    } wanted[] = {
        {"wrong-value", "on", "turn_end", 4},
        {"wrong-value", "sees", "last_user_message", 5},
        {"wrong-value", "can", "advise", 6},
        {"wrong-value", "deliver", "next_prompt", 8},
        {"wrong-value", "timeout_ms", "digits alone", 10},
        {"unknown-key", "modle", "model", 11},
    };
    scene *s = scene_new();
    size_t len;
    char *text = case_text("C36.observer.md", &len);
    CHECK(!load(s, text));
    CHECK_EQ(s->diags.error_count, 6);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const peri_diag *d = find(s, wanted[i].id, wanted[i].message);
        CHECK_HAS(d->hint, wanted[i].hint);
        CHECK_EQ(d->line, wanted[i].line);
    }
    free(text);
    scene_free(s);
}

IT("C62 takes keys and names as text, and booleans by the documented words only") {
    scene *s = scene_new();
    size_t len;
    char *norway = case_text("C62.observer.md", &len);
    char *quoted = case_text("C62.b.md", &len), *named = case_text("C62.c.md", &len);
    CHECK(!load(s, norway));
    CHECK_EQ(find(s, "wrong-value", "enabled")->line, 5);
    CHECK_EQ(find(s, "wrong-value", "priority")->line, 8);
    const peri_observer *off =
        add(s, (peri_markdown){.text = peri_str_c(quoted), .lenient = true});
    CHECK(off && !off->enabled);
    const peri_observer *yes =
        add(s, (peri_markdown){.text = peri_str_c(named), .lenient = true});
    CHECK(yes && yes->enabled);
    CHECK_STR(yes->name, "yes");
    free(norway);
    free(quoted);
    free(named);
    scene_free(s);
}

IT("C63 refuses a bad header alone, with its place and what to do") {
    static const struct {
        const char *file;
        uint32_t line;
    } bad[] = {{"C63.bad.md", 3},
               {"C63.nofm.md", 1},
               {"C63.unclosed.md", 1},
               {"C63.dup.md", 4},
               {"C63.tab.md", 4}};
    scene *s = scene_new();
    size_t len;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t before = s->diags.error_count, at = s->diags.count;
        char *text = case_text(bad[i].file, &len);
        CHECK(!load(s, text));
        CHECK_EQ(s->diags.error_count, before + 1);
        CHECK_EQ(s->diags.items[at].line, bad[i].line);
        CHECK(s->diags.items[at].column > 0 && s->diags.items[at].hint.len > 0);
        free(text);
    }
    char *good = case_text("C63.good.md", &len);
    CHECK(load(s, good));
    free(good);
    scene_free(s);
}

IT("C64 refuses aliases, merge keys and deep nesting") {
    static const char *const files[] = {"C64.bomb.md", "C64.deep.md", "C64.self.md",
                                        "C64.merge.md"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        scene *s = scene_new();
        size_t len;
        char *text = case_text(files[i], &len);
        CHECK(!load(s, text));
        free(text);
        scene_free(s);
    }
}

IT("lists an observer that no model runs, and lets it rest without a strike") {
    scene *s = scene_new();
    peri_run_result result = scene_run(s, load(s, FULL));
    CHECK_EQ(result.state, PERI_RUN_NO_RUNTIME);
    CHECK(!result.error.ptr);
    scene_free(s);
}

IT("PE-1 asks the wake beside a Markdown observer before a model is needed") {
    scene *s = scene_new();
    const peri_observer *o = load_pair(
        s, FULL, "-- perilune-api: 1\nreturn { wake = function(turn) return turn.ending end }");
    CHECK(o && o->has_wake && !o->has_lua_form);
    CHECK_EQ(scene_run(s, o).state, PERI_RUN_SKIPPED);
    s->turn.ending = true;
    CHECK_EQ(scene_run(s, o).state, PERI_RUN_NO_RUNTIME);
    scene_free(s);
}

IT("PI-13 lets an observe in Lua stand in for the model, under the header's name and rights") {
    scene *s = scene_new();
    const peri_observer *o = load_pair(s, FULL,
                                       "-- perilune-api: 1\nreturn { observe = function(turn)\n"
                                       "return { advise = 'a', fingerprint = 'f' } end }");
    CHECK(o && o->has_lua_form && o->runtime == PERI_RUN_MODEL);
    peri_run_result result = scene_run(s, o);
    CHECK_EQ(result.state, PERI_RUN_PROPOSED);
    CHECK_STR(result.draft.advise, "a");
    scene_free(s);
}

IT("leaves the wake aside where the header does not want it") {
    scene *s = scene_new();
    const peri_observer *o =
        load_pair(s, HEAD "wake: false\n---\nLook.",
                  "-- perilune-api: 1\nreturn { wake = function() return false end,\n"
                  "observe = function() end }");
    CHECK(o && !o->has_wake);
    CHECK_EQ(scene_run(s, o).state, PERI_RUN_SILENT);
    scene_free(s);
}

IT("refuses a Lua file that says what the header says, with its line") {
    static const struct {
        const char *lua, *id, *message;
        uint32_t line;
    } bad[] = {
        {"-- perilune-api: 1\nreturn {\n can = 'veto', wake = print }", "unknown-key", "can",
         3},
        {"-- perilune-api: 1\nreturn { wake = 5 }", "bad-value", "functions", 2},
        {"-- perilune-api: 1\nreturn 5", "no-definition", "number", 0},
        {"-- perilune-api: 1\nreturn {", "syntax", "", 2},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        scene *s = scene_new();
        CHECK(!load_pair(s, FULL, bad[i].lua));
        const peri_diag *d = find(s, bad[i].id, bad[i].message);
        CHECK_STR(d->file, "m.lua");
        CHECK_EQ(d->line, bad[i].line);
        scene_free(s);
    }
}

IT("refuses a name that is loaded already, and a prompt that is too long") {
    scene *s = scene_new();
    CHECK(load(s, FULL));
    CHECK(!load(s, FULL));
    CHECK_HAS(find(s, "duplicate-name", "m")->message, "m.md");
    size_t size = 70 * 1024;
    char *long_text = malloc(size + 256);
    CHECK(long_text);
    int head = sprintf(long_text, "---\nname: l\ndescription: d\non: idle\n---\n");
    memset(long_text + head, 'x', size);
    long_text[(size_t)head + size] = '\0';
    CHECK(!load(s, long_text));
    find(s, "prompt-too-long", "64 KiB");
    free(long_text);
    scene_free(s);
}

TEST_MAIN
