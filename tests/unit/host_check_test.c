// The promises of the checker in host_author.h (host_check.c).
#include "host_author.h"
#include "scratch.h"

#include <time.h>

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
enum { HEADER_BYTES = 64000, SCRIPT_BYTES = 250000, TRIES = 5 };

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

static int64_t cost_us(rig *r, const char *name) {
    int64_t best = INT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        struct timespec from, to;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
        (void)check(r, name);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
        int64_t took = (to.tv_sec - from.tv_sec) * 1000000 + (to.tv_nsec - from.tv_nsec) / 1000;
        if (took < best) best = took;
    }
    return best;
}

IT("C64 a hostile file costs at most 10 times a good one of its size cap") {
    rig r;
    open_rig(&r);
    const char *end = "\n---\nbody\n";
    scratch_write(&r.s, "first.lua", OBSERVER("first")); // the folder's host is not counted
    (void)check(&r, "first.lua");
    write_filled(&r, "valid.md", "---\nname: big\ndescription: d\non: turn_end\n",
                 "# a remark of its author\n", end);
    write_filled(&r, "deep.md", "---\nname: big\nsees: ", "[", end);
    write_filled(&r, "maps.md", "---\nname: big\nsees: ", "{a: ", end);
    write_filled(&r, "alias.md", "---\n", "k: &a [*a, *a]\n", end);
    write_filled(&r, "dashes.md", "---\n", "- - - - - - - - - - - -\n", end);
    write_filled(&r, "escapes.md", "---\nname: \"", "\\u0041", "\"\n---\nbody\n");
    write_filled(&r, "same.md", "---\n", "key: 1\n", end);
    write_filled(&r, "unclosed.md", "---\n", "a: \"\n", "");
    write_filled(
        &r, "good.lua", "-- perilune-api: 1\n", "do local function f(a) return a + 1 end end\n",
        "return { name = 'g', description = 'd', on = 'turn_end', observe = function() end }\n");
    write_filled(&r, "nest.lua", "return { observe = ", "(", "");
    write_filled(&r, "loop.lua", "--", " ", "\nwhile true do end");
    write_filled(&r, "bomb.lua", "--", " ",
                 "\nlocal t = {} while true do t[#t + 1] = ('x'):rep(1e5) end");
    CHECK(check(&r, "valid.md").observer);
    CHECK(check(&r, "good.lua").observer);
    int64_t good_md = cost_us(&r, "valid.md"), good_lua = cost_us(&r, "good.lua");
    static const char *const hostile[] = {"deep.md",    "maps.md", "alias.md",    "dashes.md",
                                          "escapes.md", "same.md", "unclosed.md", "nest.lua",
                                          "loop.lua",   "bomb.lua"};
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        bool lua = strstr(hostile[i], ".lua") != NULL;
        int64_t good = lua ? good_lua : good_md, took = cost_us(&r, hostile[i]);
        printf("  %-12s %6lld us, good %lld us\n", hostile[i], (long long)took,
               (long long)good);
        CHECK(took <= 10 * good);
    }
    close_rig(&r);
}

IT("C64 refuses each of the case's files within 50 ms") {
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
        CHECK(cost_us(&r, "case.md") < 50000);
    }
    close_rig(&r);
}

TEST_MAIN
