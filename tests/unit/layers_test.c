// The promises of layers.h and of what a project may add (host/written/layers.c,
// host/written/project_layer.c, host/written/narrow.c, host/written/switches.c), through a
// host.
#include "host/written/layers.h"

#include "host/types.h"
#include "scratch.h"

typedef struct rig {
    scratch s;
    peri_trust trust;
    peri_host *host;
    char log[16 * 1024];
    char config_home[128], project[128], store[128];
} rig;

static void keep_log(void *user, const char *severity, peri_str message) {
    rig *r = user;
    size_t len = strlen(r->log);
    snprintf(r->log + len, sizeof r->log - len, "%s: %.*s\n", severity, PERI_FMT(message));
}

static void open_rig(rig *r) {
    memset(r, 0, sizeof *r);
    scratch_open(&r->s);
    peri_trust_init(&r->trust);
    snprintf(r->config_home, sizeof r->config_home, "%s/config", r->s.root);
    snprintf(r->project, sizeof r->project, "%s/project", r->s.root);
    snprintf(r->store, sizeof r->store, "%s/trust.jsonl", r->s.root);
    mkdir(r->project, 0755);
    setenv("XDG_CONFIG_HOME", r->config_home, 1);
    unsetenv("PERILUNE_OBSERVERS");
    unsetenv("PERILUNE_RESTRICTED");
}

static void close_rig(rig *r) {
    peri_host_free(r->host);
    peri_trust_deinit(&r->trust);
    scratch_close(&r->s);
}

static void agree_to_all(rig *r) {
    peri_project project;
    CHECK_OK(peri_project_read(&project, r->project, NULL, NULL));
    for (size_t i = 0; i < project.count; i++) {
        if (!project.files[i].text.ptr) continue;
        CHECK_OK(peri_trust_add(&r->trust, project.files[i].path, project.files[i].hash, 0));
    }
    peri_project_deinit(&project);
    CHECK_OK(peri_trust_write(&r->trust, r->store));
}

static int try_load(rig *r, const char *config) {
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.use_user_config = true;
    options.project_dir = r->project;
    options.trust_path = r->store;
    options.config_path = config;
    options.on_log = keep_log;
    options.log_user = r;
    peri_host_free(r->host);
    r->host = NULL;
    r->log[0] = '\0';
    return peri_host_new(&options, &r->host);
}

static void load(rig *r) {
    CHECK_OK(try_load(r, NULL));
    CHECK_OK(peri_host_step(r->host, 0)); // says what was found
}

// The state of the entry `name` of `layer`; "none" if there is none.
static const char *state_of(rig *r, const char *layer, const char *name) {
    size_t count;
    const peri_entry *entries = peri_host_entries(r->host, &count);
    for (size_t i = 0; i < count; i++) {
        if (peri_str_eq(entries[i].layer, peri_str_c(layer)) &&
            peri_str_eq(entries[i].name, peri_str_c(name))) {
            return peri_entry_state_word(entries[i].state).ptr;
        }
    }
    return "none";
}

#define CHECK_STATE(r, layer, name, want) CHECK_STR(peri_str_c(state_of(r, layer, name)), want)
#define CHECK_LOG(r, part) CHECK_HAS(peri_str_c((r)->log), part)

#define LUA(name)                                                                              \
    "-- perilune-api: 1\nreturn { name = '" name "', description = 'd', on = 'turn_end', "     \
    "observe = function() end }\n"
#define MARKDOWN(name) "---\nname: " name "\ndescription: d\non: turn_end\n---\nbody\n"

IT("PI-2 takes project over user over builtin, by name and not by file") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, "config/perilune/observers/one.lua", LUA("loop-guard"));
    scratch_write(&r.s, "project/.perilune/observers/two.lua", LUA("loop-guard"));
    load(&r);
    CHECK_STATE(&r, "builtin", "loop-guard", "replaced");
    CHECK_STATE(&r, "user", "loop-guard", "active");
    CHECK_STATE(&r, "project", "loop-guard", "untrusted");
    agree_to_all(&r);
    load(&r);
    CHECK_STATE(&r, "user", "loop-guard", "replaced");
    CHECK_STATE(&r, "project", "loop-guard", "active");
    CHECK_STATE(&r, "builtin", "claim-check", "active");
    close_rig(&r);
}

IT("PI-2 overrides whole: what the later definition leaves out is its default") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, "config/perilune/observers/g.lua",
                  "-- perilune-api: 1\nreturn { name = 'goal-hold', description = 'd', "
                  "on = 'agent_settled', observe = function() end }\n");
    load(&r);
    size_t count;
    const peri_entry *entries = peri_host_entries(r.host, &count);
    for (size_t i = 0; i < count; i++) {
        if (entries[i].state != PERI_ENTRY_ACTIVE ||
            !peri_str_eq(entries[i].name, PERI_STR("goal-hold"))) {
            continue;
        }
        CHECK_EQ(entries[i].observer->can, PERI_CAN_ADVISE); // the builtin one vetoes
        CHECK_EQ(entries[i].observer->triggers, 1 << PERI_TRIGGER_AGENT_SETTLED);
    }
    close_rig(&r);
}

IT("PI-2 reports a duplicate inside a layer, also between Lua and Markdown") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, "config/perilune/observers/a.lua", LUA("same"));
    scratch_write(&r.s, "config/perilune/observers/b.lua", LUA("same"));
    scratch_write(&r.s, "config/perilune/observers/c.md", MARKDOWN("same"));
    load(&r);
    CHECK_STATE(&r, "user", "same", "active");
    CHECK_LOG(&r, "b.lua: error: \"same\" is loaded already");
    CHECK_LOG(&r, "c.md: error: \"same\" is loaded already");
    close_rig(&r);
}

IT("C63 loads the good one of a folder and reports each other alone, in status too") {
    rig r;
    open_rig(&r);
    static const char *const names[] = {"bad", "dup", "good", "nofm", "tab", "unclosed"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char from[512], to[128];
        snprintf(from, sizeof from, PERI_TESTS_DIR "/fault/definitions/C63.%s.md", names[i]);
        snprintf(to, sizeof to, "config/perilune/observers/C63.%s.md", names[i]);
        peri_str text = peri_test_read(from);
        scratch_write(&r.s, to, text.ptr);
        free((void *)(uintptr_t)text.ptr);
    }
    load(&r);
    CHECK_STATE(&r, "user", "other", "active");
    CHECK_STATE(&r, "user", "reviewer", "invalid");
    CHECK_STATE(&r, "user", "twice", "invalid");
    CHECK_STATE(&r, "user", "tab", "invalid");
    CHECK_STATE(&r, "user", "open", "invalid");
    peri_str status;
    CHECK_OK(peri_host_status_json(r.host, &status));
    CHECK_HAS(status, "\"name\":\"reviewer\"");
    CHECK_HAS(status, "\"reason\":\"line 3: ");
    CHECK_HAS(
        status,
        "C63.nofm.md\",\"state\":\"invalid\",\"reason\":\"line 1: the file has no header\"");
    CHECK_EQ(peri_host_find_observer(r.host, PERI_STR("reviewer")) != NULL, 0);
    close_rig(&r);
}

IT("C63 says what stays in use where a bad file would have replaced it") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, "project/.perilune/observers/x.md",
                  "---\nname: claim-check\ndescription: d\non: nonsense\n---\nbody\n");
    agree_to_all(&r);
    load(&r);
    CHECK_STATE(&r, "builtin", "claim-check", "active");
    CHECK_STATE(&r, "project", "claim-check", "invalid");
    CHECK_LOG(&r, "the observer 'claim-check' of layer builtin stays in use");
    close_rig(&r);
}

IT("PI-2 names an untrusted project once, and an empty one not at all") {
    rig r;
    open_rig(&r);
    load(&r);
    CHECK_STR(peri_str_c(r.log), "");
    scratch_write(&r.s, "project/.perilune/observers/a.lua", LUA("a"));
    scratch_write(&r.s, "project/.pi/observers/b.md", MARKDOWN("b"));
    load(&r);
    CHECK_LOG(&r, "/project: warning: not used, since nobody has agreed to their content: "
                  ".perilune/observers/a.lua, .pi/observers/b.md");
    CHECK(!strstr(strstr(r.log, "untrusted") + 1, "[untrusted]"));
    close_rig(&r);
}

IT("C65 refuses project Lua that cannot be shown without running it, or runs a program") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, "project/.perilune/observers/a.lua", "local t = {} return t");
    scratch_write(&r.s, "project/.perilune/observers/b.lua",
                  "return { name = 'b', on = 'turn_end', command = { 'sh', '-c', 'true' } }");
    scratch_write(&r.s, "project/.perilune/observers/c.lua",
                  "return { name = 'c', on = 'turn_end', can = { ('veto') }, "
                  "observe = function() end }");
    // Shown as advising, it would have vetoed: equal keys in another spelling.
    scratch_write(&r.s, "project/.perilune/observers/d.lua",
                  "if 1 then return { name = 'd', on = 'turn_end', can = { 'veto' }, "
                  "observe = function() end } end "
                  "return { name = 'd', on = 'turn_end', observe = function() end }");
    agree_to_all(&r);
    load(&r);
    CHECK_STATE(&r, "project", "b", "invalid");
    CHECK_STATE(&r, "project", "c", "invalid");
    CHECK_STATE(&r, "project", "d", "invalid");
    CHECK_LOG(&r, "a.lua: error: a project's Lua ends in `return");
    CHECK_LOG(&r, "b.lua: error: a project's observer may not run a program");
    CHECK_LOG(&r, "c.lua: error: a project's observer writes out its name and what it can");
    CHECK_LOG(&r, "d.lua: error: it turned out to be another observer than its text shows");
    close_rig(&r);
}

IT("contracts 6: a project's config narrows and does nothing else") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, "config/perilune/config.yaml",
                  "observers: { disable: [idle-spin] }\nlimits: { advisories_per_turn: 3 }\n"
                  "privacy: { patterns: ['MINE-[0-9]+'] }\n");
    scratch_write(&r.s, "project/.perilune/config.yaml",
                  "observers: { disable: [loop-guard], idle-spin: { enabled: true }, "
                  "danger-cmd: { mode: shadow, scrub: false } }\n"
                  "limits: { advisories_per_turn: 1, veto_budget: 9, "
                  "session: { wakes: 7, model_calls: 100000 } }\n"
                  "policies: [pi]\nledger: { days: 1 }\n"
                  "privacy: { scrub: false, patterns: ['YOURS-[0-9]+'], kinds: [own.lua] }\n"
                  "goal: { text: ship it }\n");
    agree_to_all(&r);
    load(&r);
    const host_config *config = &r.host->config;
    CHECK_STATE(&r, "builtin", "loop-guard", "off");
    CHECK_STATE(&r, "builtin", "idle-spin", "off");
    CHECK_EQ(config->limits.advisories_per_turn, 1);
    CHECK_EQ(config->limits.veto_budget, 3);
    CHECK_EQ(config->ceilings.session[PERI_SPEND_WAKES], 7);
    CHECK(config->ceilings.session[PERI_SPEND_MODEL_CALLS] < 100000);
    CHECK_LOG(&r, "limits.session: a project may only narrow");
    CHECK_EQ(config->ledger_days, 30);
    CHECK_EQ(config->scrub, true);
    CHECK_EQ(config->pattern_count, 2);
    CHECK_STR(config->policies[0], "default");
    CHECK_STR(config->shadowed[0], "danger-cmd");
    CHECK_STR(config->goal.text, "ship it");
    CHECK_LOG(&r, "limits.veto_budget: a project may only narrow");
    CHECK_LOG(&r, "policies: a project may only narrow");
    CHECK_LOG(&r, "ledger: a project may only narrow");
    CHECK_LOG(&r, "privacy.scrub: a project may only narrow");
    CHECK_LOG(&r, "privacy.kinds: a project may only narrow");
    CHECK_LOG(&r, "observers: scrub: a project may only narrow");
    CHECK_EQ(config->unscrubbed_count, 0);
    CHECK_EQ(config->kind_file_count, 0);
    CHECK_LOG(&r, "an observer enabled: a project may only narrow");
    close_rig(&r);
}

IT("takes nothing of an untrusted config") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, "project/.perilune/config.yaml",
                  "observers: { disable: [loop-guard] }\n");
    scratch_write(&r.s, "project/.perilune/goal.md", "ship it\n");
    load(&r);
    CHECK_STATE(&r, "builtin", "loop-guard", "active");
    CHECK(!r.host->config.goal.text.ptr);
    close_rig(&r);
}

IT("PI-12 reads a trusted goal file: text, check and items") {
    rig r;
    open_rig(&r);
    scratch_write(
        &r.s, "project/.perilune/goal.md",
        "Parse all configs.\nAlso the old ones.\r\n\ncheck: make test\n- [x] lexer\n- [ ] docs\n");
    agree_to_all(&r);
    load(&r);
    const peri_goal *goal = &r.host->config.goal;
    CHECK_STR(goal->text, "Parse all configs.\nAlso the old ones.");
    CHECK_STR(goal->check, "make test");
    CHECK_EQ(goal->item_count, 2);
    CHECK(goal->items[0].done && !goal->items[1].done);
    CHECK_STR(goal->items[1].text, "docs");
    close_rig(&r);
}

IT("PI-14 switches every observer off where a broken config may have switched some off") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, "config/perilune/config.yaml",
                  "observers: { disable: loop-guard, on }}\n");
    load(&r);
    CHECK_STATE(&r, "builtin", "loop-guard", "off");
    CHECK_STATE(&r, "builtin", "claim-check", "off");
    peri_str status;
    CHECK_OK(peri_host_status_json(r.host, &status));
    CHECK_HAS(status, "\"reason\":\"your config has a mistake: /");
    CHECK_LOG(&r, "config.yaml:1:");
    close_rig(&r);
}

IT("CC-1 asks the switches of the environment and tells which one is off") {
    rig r;
    open_rig(&r);
    static const struct {
        const char *variable, *value, *state;
    } cases[] = {
        {"PERILUNE_OBSERVERS", "No", "off"},     {"PERILUNE_OBSERVERS", "", "off"},
        {"PERILUNE_OBSERVERS", "YES", "active"}, {"PERILUNE_RESTRICTED", "on", "off"},
        {"PERILUNE_RESTRICTED", "0", "active"},  {"PERILUNE_RESTRICTED", "1", "off"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv(cases[i].variable, cases[i].value, 1);
        load(&r);
        CHECK_STATE(&r, "builtin", "loop-guard", cases[i].state);
        unsetenv(cases[i].variable);
    }
    setenv("PERILUNE_RESTRICTED", "perhaps", 1);
    CHECK_EQ(try_load(&r, NULL), PERI_EINVAL);
    CHECK_LOG(&r, "error: PERILUNE_RESTRICTED is 'perhaps'");
    unsetenv("PERILUNE_RESTRICTED");
    close_rig(&r);
}

IT("reads switches.yaml behind config.yaml, whose disable list stays a union") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, "config/perilune/config.yaml",
                  "observers: { disable: [loop-guard] }\n");
    scratch_write(
        &r.s, "config/perilune/switches.yaml",
        "observers:\n  loop-guard: { enabled: true }\n  claim-check: { enabled: false }\n"
        "  verification: { enabled: true }\n");
    load(&r);
    CHECK_STATE(&r, "builtin", "loop-guard", "off");
    CHECK_STATE(&r, "builtin", "claim-check", "off");
    CHECK_STATE(&r, "builtin", "verification", "active");
    close_rig(&r);
}

IT("C63 uses no Markdown observer without the Lua beside it, where that cannot be read") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, "config/perilune/observers/asks.md",
                  "---\nname: asks\ndescription: d\non: turn_end\n---\nLook.\n");
    scratch_write(&r.s, "config/perilune/observers/asks.lua/is.txt", "a folder\n");
    load(&r);
    CHECK_STATE(&r, "user", "asks", "none"); // its wake would have kept it from asking a model
    CHECK_LOG(&r, "asks.lua");
    close_rig(&r);
}

IT("PI-2 reports folders that cannot be used, and goes on") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, "config/perilune/observers/a.lua", LUA("a"));
    chmod(scratch_path(&r.s, "config/perilune/observers"), 0777);
    load(&r);
    CHECK_STATE(&r, "user", "a", "none");
    CHECK_STATE(&r, "builtin", "loop-guard", "active");
    CHECK_LOG(&r, "left out: it may be written by everyone");
    snprintf(r.project, sizeof r.project, "%s/nowhere", r.s.root);
    CHECK_EQ(try_load(&r, NULL), PERI_ENOENT);
    CHECK_LOG(&r, "no such project folder");
    close_rig(&r);
}

TEST_MAIN
