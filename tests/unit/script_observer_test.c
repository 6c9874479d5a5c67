// Loading Lua observers: what a definition may hold, what is reported of it, and where.
#include "script_scene.h"

#define API "-- perilune-api: 1\n"
#define FULL "name = 'o', description = 'd', on = 'turn_end', observe = function() end"

enum { ANY_LINE = 9999 };

// The diagnostic with `id`, or NULL.
static const peri_diag *diag_of(const scene *s, const char *id) {
    for (size_t i = 0; i < s->diags.count; i++) {
        if (peri_str_eq(s->diags.items[i].id, peri_str_c(id))) return &s->diags.items[i];
    }
    return NULL;
}

// Expects `text` to be refused with a diagnostic `id` that says `message` on `line`.
static void refuses(const char *text, const char *id, const char *message, uint32_t line) {
    scene *s = scene_new();
    CHECK(!scene_load(s, "p", text));
    const peri_diag *diag = diag_of(s, id);
    if (!diag) {
        TEST_FAIL("no %s but %.*s for %s", id,
                  PERI_FMT(s->diags.count ? s->diags.items[0].id : (peri_str){0}), text);
    }
    CHECK_HAS(diag->message, message);
    CHECK_STR(diag->file, "o.lua");
    if (line != ANY_LINE && diag->line != line) {
        TEST_FAIL("line %u, not %u: %.*s", diag->line, line, PERI_FMT(diag->message));
    }
    CHECK_EQ(diag->severity, PERI_ERROR);
    scene_free(s);
}

IT("loads a definition with every key") {
    scene *s = scene_new();
    const peri_observer *o = scene_load(
        s, "p",
        API "return { name = 'loop-guard', description = 'Finds loops.',\n"
            "on = { 'turn_end', 'session_end' }, sees = { 'activity', 'skills', 'activity' },\n"
            "can = { 'advise', 'veto' }, deliver = 'settle', priority = 70, severity = 'nit',\n"
            "agents = { 'main', 'reviewer' }, enabled = false, max_advisory_chars = 500,\n"
            "wake = function() return true end, observe = function() end }");
    CHECK(o);
    CHECK_EQ(s->diags.count, 0);
    CHECK_STR(o->name, "loop-guard");
    CHECK_STR(o->description, "Finds loops.");
    CHECK_STR(o->layer, "user");
    CHECK_EQ(o->triggers, 1u << PERI_TRIGGER_TURN_END | 1u << PERI_TRIGGER_SESSION_END);
    CHECK_EQ(o->sees_count, 2);
    CHECK_EQ(o->sees[1], PERI_SLICE_SKILLS);
    CHECK_EQ(o->can, PERI_CAN_ADVISE | PERI_CAN_VETO);
    CHECK_EQ(o->lane, PERI_LANE_FOLLOW_UP);
    CHECK_EQ(o->priority, 70);
    CHECK_EQ(o->severity, PERI_WEIGHT_NIT);
    CHECK_EQ(o->agent_count, 2);
    CHECK_STR(o->agents[1], "reviewer");
    CHECK(!o->enabled);
    CHECK_EQ(o->max_advisory_cp, 500);
    CHECK(o->has_wake);
    scene_free(s);
}

IT("fills in the defaults of the contract") {
    scene *s = scene_new();
    const peri_observer *o = scene_load(s, "p", API "return { " FULL " }");
    CHECK(o);
    CHECK_EQ(o->runtime, PERI_RUN_LUA);
    CHECK(o->enabled && !o->shadow && !o->has_wake && !o->agents);
    CHECK_EQ(o->sees_count, 1);
    CHECK_EQ(o->sees[0], PERI_SLICE_ACTIVITY);
    CHECK_EQ(o->can, PERI_CAN_ADVISE);
    CHECK_EQ(o->lane, PERI_LANE_STEER);
    CHECK_EQ(o->priority, 50);
    CHECK_EQ(o->severity, PERI_WEIGHT_CONCERN);
    CHECK_EQ(o->max_advisory_cp, 300);
    scene_free(s);
}

IT("loads without an api line and without a description, each with a warning") {
    scene *s = scene_new();
    CHECK(scene_load(s, "p", "return { name = 'o', on = 'turn_end', observe = print }"));
    CHECK_EQ(s->diags.error_count, 0);
    CHECK_EQ(s->diags.warning_count, 2);
    CHECK(diag_of(s, "missing-api"));
    CHECK_HAS(diag_of(s, "missing-key")->message, "description");
    scene_free(s);
}

IT("refuses an api it does not know") {
    refuses("-- perilune-api: 2\nreturn { " FULL " }", "unknown-api", "\"2\"", 1);
    refuses("\xEF\xBB\xBF-- perilune-api: 2\r\nreturn { " FULL " }", "unknown-api", "\"2\"", 1);
}

IT("names the nearest key, and the line of an unknown one") {
    refuses(API "return {\n  name = 'o', on = 'turn_end',\n  observ = function() end }",
            "unknown-key", "unknown key \"observ\"", 4);
    scene *s = scene_new();
    CHECK(!scene_load(s, "p", API "return { " FULL ", observ = 1 }"));
    CHECK_STR(diag_of(s, "unknown-key")->hint, "did you mean \"observe\"?");
    scene_free(s);
}

IT("reports everything that is wrong at once") {
    scene *s = scene_new();
    CHECK(!scene_load(s, "p", API "return { on = 5, priority = 'high', can = 'fly', x = 1 }"));
    CHECK_EQ(s->diags.error_count, 6); // and name and observe are missing
    scene_free(s);
}

IT("names the key and what is wrong with its value") {
    static const struct {
        const char *code, *message;
    } cases[] = {
        {"name = 'Big Name'", "name \"Big Name\" is not"},
        {"name = 7", "name is a number, not text"},
        {"on = 'turn_edn'", "on: unknown word \"turn_edn\", did you mean \"turn_end\"?"},
        {"on = {}", "on holds no list of 1 to 64 texts"},
        {"on = { 'turn_end', 4 }", "on: entry 2 is a number, not text"},
        {"on = true", "on is a boolean, not text or a list"},
        {"sees = 'everything'", "sees: unknown word \"everything\""},
        {"can = { 'advice' }", "can: unknown word \"advice\", did you mean \"advise\"?"},
        {"deliver = 'later'", "deliver: unknown word \"later\""},
        {"severity = 'conern'", "did you mean \"concern\"?"},
        {"severity = 0/0", "severity is a number, not text"},
        {"priority = 0", "priority is not from 1 to 100"},
        {"priority = 101", "priority is not a whole number from 0 to 100"},
        {"priority = 1.5", "priority is not a whole number"},
        {"priority = 0/0", "priority is not a whole number"},
        {"priority = '50'", "priority is a string, not a whole number"},
        {"max_advisory_chars = 2001",
         "max_advisory_chars is not a whole number from 0 to 2000"},
        {"agents = { '' }", "agents: entry 1 is empty"},
        {"enabled = 'no'", "enabled is a string, not true or false"},
        {"wake = true", "wake is a boolean, not a function"},
        {"observe = {}", "observe is a table, not a function"},
        {"deliver = 'hold'", "only vetoes hold"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text, API "local t = { " FULL " }\nt.%s\nreturn t",
                 cases[i].code);
        refuses(text, "bad-value", cases[i].message, ANY_LINE);
    }
}

IT("finds the line on which a bad value stands") {
    refuses(API "return { " FULL ",\n  -- priority == 7\n  priority = 'high',\n}", "bad-value",
            "priority", 4);
}

IT("lets an observer that can only veto name the lane of vetoes") {
    scene *s = scene_new();
    CHECK(scene_load(s, "p", API "return { " FULL ", can = 'veto', deliver = 'hold' }"));
    scene_free(s);
}

IT("says where a file does not compile or fails as it is loaded") {
    refuses(API "return {\n  name = = 3 }", "syntax", "unexpected symbol", 3);
    refuses(API "\nerror('no luck')", "load-error", "no luck", 3);
    refuses(API "local t = nil\nreturn t.x", "load-error", "attempt to index", 3);
    refuses(API "return 7", "no-definition", "returns a number, not a table", 0);
    refuses("\033LJ\002", "syntax", "compiled code", 1);
    refuses(API "\n\nwhile true do end", "load-timeout", "out of time", 4);
}

IT("C46 C49 refuses a file that loops or fills memory as it is loaded, and loads the next") {
    scene *s = scene_new();
    CHECK(!scene_load(s, "p", API "while true do end"));
    CHECK(diag_of(s, "load-timeout"));
    CHECK(!scene_load(s, "p",
                      API "local t = {} while true do t[#t + 1] = ('x'):rep(1e6) .. #t end"));
    CHECK(diag_of(s, "load-memory"));
    const peri_observer *o = scene_load(s, "p", API "return { " FULL " }");
    CHECK_EQ(scene_run(s, o).state, PERI_RUN_SILENT);
    scene_free(s);
}

IT("C51 looks into a definition without running its metamethods") {
    scene *s = scene_new();
    const peri_observer *o = scene_load(s, "p",
                                        API "return setmetatable({ " FULL
                                            " }, { __index = function() error('trap') end })");
    CHECK(o);
    CHECK_EQ(s->diags.count, 0);
    scene_free(s);
}

IT("reports a definition of a hundred thousand unknown keys within bounds") {
    scene *s = scene_new();
    CHECK(!scene_load(
        s, "p", API "local t = { " FULL " } for i = 1, 1e5 do t['k' .. i] = i end return t"));
    CHECK_EQ(s->diags.error_count, 16);
    CHECK_STR(diag_of(s, "unknown-key")->message, "unknown key \"k1\""); // in every process
    scene_free(s);
}

IT("refuses a name that is loaded already in the same layer, and takes it in another") {
    scene *s = scene_new();
    const peri_observer *o;
    CHECK(scene_load(s, "p", API "return { " FULL " }"));
    CHECK(!scene_load(s, "q", API "return { " FULL " }"));
    CHECK_HAS(diag_of(s, "duplicate-name")->message, "\"o\" is loaded already, from o.lua");
    CHECK_OK(peri_script_add_observer(s->script, PERI_STR("q"), PERI_STR("project"),
                                      PERI_STR("o.lua"), PERI_STR(API "return { " FULL " }"),
                                      NULL, &s->diags, &o));
    scene_free(s);
}

IT("refuses a file over 256 KiB unread") {
    scene *s = scene_new();
    size_t len = 256 * 1024 + 1;
    char *text = malloc(len + 1);
    CHECK(text);
    memset(text, ' ', len);
    text[len] = '\0';
    bool loaded = scene_load(s, "p", text) != NULL;
    free(text);
    CHECK(!loaded);
    CHECK(diag_of(s, "file-too-large"));
    scene_free(s);
}

IT("keeps what a definition says after its text is gone") {
    scene *s = scene_new();
    char text[] = API "return { name = 'kept', description = 'd', on = 'turn_end', "
                      "observe = function() return { advise = 'still here' } end }";
    const peri_observer *o = scene_load(s, "p", text);
    memset(text, 'x', sizeof text - 1);
    CHECK_STR(o->name, "kept");
    CHECK_STR(scene_run(s, o).draft.advise, "still here");
    scene_free(s);
}

TEST_MAIN
