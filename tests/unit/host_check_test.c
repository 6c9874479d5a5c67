// The promises of the checker in host/author.h (host/check.c).
#include "host/author.h"
#include "scratch.h"

typedef struct rig {
    scratch s;
    peri_checker *checker;
    peri_diag_list diags;
} rig;

static void open_rig(rig *r) {
    scratch_open(&r->s);
    CHECK_OK(peri_checker_new(&r->checker));
    peri_diag_list_init(&r->diags);
}

static void close_rig(rig *r) {
    peri_checker_free(r->checker);
    peri_diag_list_deinit(&r->diags);
    scratch_close(&r->s);
}

static peri_checked check(rig *r, const char *name) {
    peri_diag_list_deinit(&r->diags);
    return peri_checker_file(r->checker, scratch_path(&r->s, name), &r->diags);
}

#define OBSERVER(name)                                                                         \
    "-- perilune-api: 1\nreturn { name = '" name                                               \
    "', description = 'd', on = 'turn_end', observe = function() end }\n"

IT("tells what a file is, and gives a valid observer with what it resolved to") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, "a.lua", OBSERVER("a"));
    scratch_write(&r.s, "b.md", "---\nname: b\ndescription: d\non: agent_settled\n---\nbody\n");
    scratch_write(&r.s, "c.yaml", "policies: [default]\n");
    scratch_write(&r.s, "d.lua",
                  "-- perilune-api: 1\n-- what observers may observe\nreturn { "
                  "name = 'd', deliver = function(v) return v end }\n");
    peri_checked got = check(&r, "a.lua");
    CHECK(got.kind == PERI_KIND_OBSERVER && got.observer);
    CHECK_STR(got.observer->name, "a");
    got = check(&r, "b.md");
    CHECK(got.kind == PERI_KIND_OBSERVER && got.observer);
    CHECK_EQ(got.observer->triggers, 1 << PERI_TRIGGER_AGENT_SETTLED);
    got = check(&r, "c.yaml");
    CHECK(got.kind == PERI_KIND_CONFIG && !got.observer);
    got = check(&r, "d.lua");
    CHECK(got.kind == PERI_KIND_POLICY && !got.observer);
    CHECK_EQ(r.diags.count, 0);
    close_rig(&r);
}

static bool tells(const rig *r, uint32_t line, uint32_t column, const char *message,
                  const char *hint) {
    for (size_t i = 0; i < r->diags.count; i++) {
        const peri_diag *diag = &r->diags.items[i];
        if (diag->line == line && diag->column == column &&
            peri_str_eq(diag->message, peri_str_c(message)) &&
            peri_str_eq(diag->hint, peri_str_c(hint))) {
            return true;
        }
    }
    return false;
}

IT("PI-12 PI-14 tells each name in a config that nothing has, with its place and the nearest") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, "observers/mine.lua", OBSERVER("mine"));
    scratch_write(&r.s, "policies/house.lua", "return { name = 'house' }\n");
    scratch_write(
        &r.s, "c.yaml",
        "observers:\n  disable: [verificaton, loop-guard, mine, coder]\n"
        "  loop-gaurd: { enabled: false }\n  zzzz: { scrub: false }\n"
        "policies: [defualt, house, quiet, ./no.lua]\n"
        "agents:\n  coder: { observer: [claim-chek, mine, coder] }\n"
        "permissions:\n  deny: [Agent(loop-gaurd), Agent(plugin:x), Bash(loop-gaurd)]\n"
        "  allowed_agent_types: [danger-cmb, coder]\n");
    check(&r, "c.yaml");
    CHECK_EQ(r.diags.error_count, 0);
    CHECK_EQ(r.diags.count, 8);
    CHECK(tells(&r, 2, 13, "observers.disable: there is no observer 'verificaton'",
                "did you mean verification?"));
    CHECK(tells(&r, 3, 3, "observers: there is no observer 'loop-gaurd'",
                "did you mean loop-guard?"));
    CHECK(tells(&r, 4, 3, "observers: there is no observer 'zzzz'",
                "`perilune observers` lists those there are"));
    CHECK(tells(&r, 5, 12, "policies: there is no policy 'defualt'", "did you mean default?"));
    CHECK(tells(&r, 5, 35, "policies: there is no file './no.lua'",
                "a path is taken from the folder where perilune starts"));
    CHECK(tells(&r, 7, 23, "agents.coder.observer: there is no observer 'claim-chek'",
                "did you mean claim-check?"));
    CHECK(tells(&r, 9, 10, "permissions.deny: there is no observer 'loop-gaurd'",
                "did you mean loop-guard?"));
    CHECK(tells(&r, 10, 25,
                "permissions.allowed_agent_types: there is no observer 'danger-cmb'",
                "did you mean danger-cmd?"));
    close_rig(&r);
}

IT("PI-14 tells the keys of agents, and a slip in a switch, as the mistakes they are") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, "c.yaml", "agents:\n  coder: { observr: mine }\n");
    check(&r, "c.yaml");
    CHECK(tells(&r, 2, 12, "unknown key \"observr\"", "did you mean observer?"));
    scratch_write(&r.s, "d.yaml", "observers: { enable: false }\n");
    check(&r, "d.yaml");
    CHECK_EQ(r.diags.error_count, 1);
    CHECK(tells(&r, 1, 14, "observers: unknown key \"enable\"", "did you mean enabled?"));
    close_rig(&r);
}

IT("PI-14 PE-7 tells of a config what a host would only find at its start") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, "c.yaml",
                  "channels:\n  claude-hoks: { Stop: { decision: ok } }\n"
                  "  claude-hooks: { Stop: { stdout: ok, decision: ok } }\n"
                  "privacy: { kinds: [./no.lua] }\n"
                  "policies: [default, quiet, default]\n");
    check(&r, "c.yaml");
    CHECK_EQ(r.diags.error_count, 0);
    CHECK_EQ(r.diags.count, 4);
    CHECK(tells(&r, 2, 36, "channels: there is no dialect 'claude-hoks'",
                "did you mean 'claude-hooks'?"));
    CHECK(tells(&r, 3, 35, "channels: no lane of claude-hooks goes by Stop.stdout",
                "perilune policy lanes lists the ways of each lane"));
    CHECK(tells(&r, 4, 20, "privacy.kinds: there is no file './no.lua'",
                "a path is taken from the folder where perilune starts"));
    CHECK(tells(&r, 5, 28, "policies: 'default' stands twice", "each policy is asked once"));
    scratch_write(&r.s, "d.yaml", "privacy: { patterns: ['ok', 'a(b'] }\n");
    check(&r, "d.yaml");
    CHECK_EQ(r.diags.error_count, 1);
    CHECK_STR(r.diags.items[0].message,
              "privacy.patterns: 'a(b' at 3: missing closing parenthesis");
    close_rig(&r);
}

IT("knows the names of definitions that are checked along with a config") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, "elsewhere/mine.lua", OBSERVER("mine"));
    scratch_write(&r.s, "sub/c.yaml", "observers: { disable: [mine] }\n");
    CHECK_OK(peri_checker_know(r.checker, scratch_path(&r.s, "elsewhere/mine.lua")));
    check(&r, "sub/c.yaml");
    CHECK_EQ(r.diags.count, 0);
    close_rig(&r);
}

IT("C63 tells two observers of one name in a folder, and not in two") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, "one/a.lua", OBSERVER("same"));
    scratch_write(&r.s, "one/b.md",
                  "---\nname: same\ndescription: d\non: turn_end\n---\nbody\n");
    scratch_write(&r.s, "two/a.lua", OBSERVER("same"));
    CHECK(check(&r, "one/a.lua").observer);
    CHECK(!check(&r, "one/b.md").observer);
    CHECK_STR(r.diags.items[0].id, "duplicate-name");
    CHECK(check(&r, "two/a.lua").observer);
    close_rig(&r);
}

IT("C63 tells them whatever is checked in between") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, "one/a.lua", OBSERVER("same"));
    scratch_write(&r.s, "one/b.lua", OBSERVER("same"));
    scratch_write(&r.s, "config.yaml", "limits: { idle_ms: 4000 }\n");
    CHECK(check(&r, "one/a.lua").observer);
    check(&r, "config.yaml");
    CHECK_EQ(r.diags.count, 0);
    scratch_write(&r.s, "one/ax/c.lua", OBSERVER("same"));
    CHECK(check(&r, "one/ax/c.lua").observer);
    CHECK(!check(&r, "one/b.lua").observer);
    CHECK_STR(r.diags.items[0].id, "duplicate-name");
    close_rig(&r);
}

IT("says what is no file of ours, and what cannot be read") {
    rig r;
    open_rig(&r);
    scratch_write(&r.s, "a.txt", "x");
    CHECK_EQ(check(&r, "a.txt").kind, PERI_KIND_UNKNOWN);
    CHECK_STR(r.diags.items[0].id, "unknown-file");
    CHECK(!check(&r, "none.lua").observer);
    CHECK_STR(r.diags.items[0].id, "unreadable");
    close_rig(&r);
}

// ---- What a hostile file costs (case C64)

// Just under the caps: a header's 64 KiB, a script's 256 KiB.
enum { HEADER_BYTES = 64000, SCRIPT_BYTES = 250000 };

static void write_filled(rig *r, const char *name, const char *before, const char *unit,
                         const char *behind) {
    peri_buf text;
    peri_buf_init(&text, 1024 * 1024);
    peri_buf_add_c(&text, before);
    bool lua = peri_str_ends(peri_str_c(name), PERI_STR(".lua"));
    while (text.len < (lua ? SCRIPT_BYTES : HEADER_BYTES)) peri_buf_add_c(&text, unit);
    peri_buf_add_c(&text, behind);
    scratch_write(&r->s, name, peri_buf_c(&text));
    peri_buf_deinit(&text);
}

// How each is found out: by which rule, and in which line at the latest, so that what stands
// behind it is never read. In instructions of the machine (callgrind, the program's start not
// counted) a good header of the cap's size cost 3.4 million and the dearest hostile one,
// deep.md, 4.4 times that; a good script 80 million and the dearest hostile one,
// pattern.lua, 8.0 times that.
static void ends_early(rig *r, const char *name, const char *id, uint32_t last_line) {
    CHECK(!check(r, name).observer);
    const peri_diag *first = &r->diags.items[0];
    if (!peri_str_eq(first->id, peri_str_c(id)) || first->line > last_line) {
        TEST_FAIL("%s:%u: %.*s [%.*s]", name, first->line, PERI_FMT(first->message),
                  PERI_FMT(first->id));
    }
    CHECK(r->diags.count <= 4);
}

IT("C64 a hostile header as large as may be is left where the first rule is broken") {
    rig r;
    open_rig(&r);
    const char *end = "\n---\nbody\n";
    write_filled(&r, "valid.md", "---\nname: big\ndescription: d\non: turn_end\n",
                 "# a remark of its author\n", end);
    CHECK(check(&r, "valid.md").observer);
    write_filled(&r, "deep.md", "---\nname: big\nsees: ", "[", end);
    write_filled(&r, "maps.md", "---\nname: big\nsees: ", "{a: ", end);
    write_filled(&r, "alias.md", "---\n", "k: &a [*a, *a]\n", end);
    write_filled(&r, "tags.md", "---\nname: ", "!!a ", end);
    write_filled(&r, "keys.md", "---\n? ", "? ", end);
    write_filled(&r, "same.md", "---\n", "key: 1\n", end);
    write_filled(&r, "dashes.md", "---\n", "- - - - - - - - - - - -\n", end);
    write_filled(&r, "escapes.md", "---\nname: \"", "\\u0041", "\"\n---\nbody\n");
    write_filled(&r, "unclosed.md", "---\n", "a: \"\n", "");
    ends_early(&r, "deep.md", "yaml-depth", 3);
    ends_early(&r, "maps.md", "yaml-depth", 3);
    ends_early(&r, "alias.md", "yaml-alias", 2);
    ends_early(&r, "tags.md", "yaml-tag", 2);
    ends_early(&r, "keys.md", "yaml-syntax", 2);
    ends_early(&r, "same.md", "duplicate-key", 3);
    ends_early(&r, "dashes.md", "yaml-too-many", 400); // of 2,600
    ends_early(&r, "escapes.md", "bad-value", 2);
    ends_early(&r, "unclosed.md", "header-not-closed", 1);
    close_rig(&r);
}

IT("C64 a hostile script as large as may be ends at the wall of one load") {
    rig r;
    open_rig(&r);
    write_filled(
        &r, "good.lua", "-- perilune-api: 1\n", "do local function f(a) return a + 1 end end\n",
        "return { name = 'g', description = 'd', on = 'turn_end', observe = function() end }\n");
    CHECK(check(&r, "good.lua").observer);
    static const struct {
        const char *name, *behind, *id;
    } hostile[] = {
        {"loop.lua", "\nwhile true do end", "load-timeout"},
        {"bomb.lua", "\nlocal t = {} while true do t[#t + 1] = ('x'):rep(1e5) end",
         "load-timeout"},
        {"pattern.lua",
         "\nlocal s = ('a'):rep(1e5) while true do s:find(('a*'):rep(20) .. 'b') end",
         "load-timeout"},
        {"sort.lua",
         "\nlocal t = {} for i = 1, 1e5 do t[i] = i % 7 end while true do "
         "table.sort(t, function() return true end) end",
         "load-timeout"},
    };
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        write_filled(&r, hostile[i].name, "-- perilune-api: 1\n--", " ", hostile[i].behind);
        ends_early(&r, hostile[i].name, hostile[i].id, 3);
    }
    write_filled(&r, "nest.lua", "-- perilune-api: 1\nreturn { observe = ", "(", "");
    ends_early(&r, "nest.lua", "syntax", 2);
    close_rig(&r);
}

IT("C64 refuses each of the case's files, with one error") {
    rig r;
    open_rig(&r);
    static const char *const names[] = {"bomb", "deep", "self", "merge"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char from[512];
        snprintf(from, sizeof from, PERI_TESTS_DIR "/fault/definitions/C64.%s.md", names[i]);
        peri_str text = peri_test_read(from);
        scratch_write(&r.s, "case.md", text.ptr);
        free((void *)(uintptr_t)text.ptr);
        CHECK(!check(&r, "case.md").observer);
        CHECK_EQ(r.diags.error_count, 1);
    }
    close_rig(&r);
}

TEST_MAIN
