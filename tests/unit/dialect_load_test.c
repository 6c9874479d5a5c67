// Dialect files: the short forms authors write, and every mistake told with what to do.
#include "reading.h"

// What is said of a dialect that is refused.
static peri_str refused(const char *members, char **said) {
    char text[2048];
    snprintf(text, sizeof text, "return dialect { name = 't', api = 1, %s }", members);
    CHECK(compile(peri_str_c(text), said) == NULL);
    return peri_str_c(*said);
}

static void refuses(const char *members, const char *word) {
    char *said;
    CHECK_HAS(refused(members, &said), word);
    free(said);
}

IT("loads every dialect that ships") {
    for (const peri_embedded *e = peri_embedded_files; e->path; e++) {
        peri_str path = peri_str_c(e->path);
        if (!peri_str_starts(path, PERI_STR("lua/perilune/dialects/"))) continue;
        if (peri_str_ends(path, PERI_STR("/init.lua"))) continue;
        peri_dialect_file *file = compile(e->text, NULL);
        const peri_dialect *dialect = peri_dialect_file_get(file);
        CHECK(dialect->name.len > 0);
        CHECK(dialect->detect_count > 0);
        CHECK(dialect->rule_count > 0);
        peri_dialect_file_free(file);
    }
}

IT("names the nearest kind") {
    refuses("rules = { { when = {}, emit = { kind = 'promt', text = 'a' } } }",
            "did you mean 'prompt'?");
}

IT("refuses a field that its kind has not, and one that is common to all") {
    refuses("rules = { { when = {}, emit = { kind = 'text', mode = 'a', text = 'b' } } }",
            "the kind text has no field 'mode'");
    refuses("common = { text = 'a' }, rules = {}", "not common to all kinds: 'text'");
    refuses("rules = { { when = {}, emit = { kind = 'text', nonsense = 'a' } } }",
            "nothing is called 'nonsense'");
}

IT("refuses unknown words in tests, picks and the file") {
    refuses("rules = { { when = { a = { starts = 'x' } } } }", "unknown test 'starts'");
    refuses(
        "rules = { { when = {}, emit = { kind = 'text', text = { 'a', otherwise = 'x' } } } }",
        "unknown word 'otherwise'");
    refuses("colour = 'red', rules = {}", "unknown key 'colour'");
}

IT("refuses paths that are too long or none") {
    refuses("rules = { { when = { ['a.b.c.d.e.f.g'] = 'x' } } }", "at most 6 names");
    refuses("rules = { { when = {}, emit = { kind = 'text', text = { true } } } }",
            "not a path");
}

IT("refuses another api, a missing name and a file that is no dialect") {
    char *said;
    CHECK(compile(PERI_STR("return dialect { name = 't', api = 7, rules = {} }"), &said) ==
          NULL);
    CHECK_HAS(peri_str_c(said), "unknown api '7'");
    free(said);
    CHECK(compile(PERI_STR("return dialect { api = 1, rules = {} }"), &said) == NULL);
    CHECK_HAS(peri_str_c(said), "a dialect needs 'name'");
    free(said);
    CHECK(compile(PERI_STR("return 7"), &said) == NULL);
    free(said);
    CHECK(compile(PERI_STR("return dialect {"), &said) == NULL);
    CHECK_HAS(peri_str_c(said), "d.lua:1:");
    free(said);
}

IT("refuses more rules than a dialect may have") {
    peri_buf text;
    char *said;
    peri_buf_init(&text, 1 << 16);
    peri_buf_add_c(&text, "return dialect { name = 't', api = 1, rules = {");
    for (int i = 0; i <= PERI_DIALECT_MAX_RULES; i++) peri_buf_add_c(&text, "{ when = {} },");
    peri_buf_add_c(&text, "} }");
    CHECK(compile(peri_buf_str(&text), &said) == NULL);
    CHECK_HAS(peri_str_c(said), "longer than the 128 allowed");
    free(said);
    peri_buf_deinit(&text);
}

IT("ends a file that loops or hoards, and says so") {
    char *said;
    CHECK(compile(PERI_STR("while true do end"), &said) == NULL);
    CHECK_HAS(peri_str_c(said), "out of time");
    free(said);
    CHECK(compile(PERI_STR("local t = {} for i = 1, 1e8 do t[i] = { i } end"), &said) == NULL);
    CHECK(strlen(said) > 0);
    free(said);
}

IT("takes the short forms: one emit without a list, constants, a prefix, an exit code's place") {
    peri_dialect_file *file = compile(
        PERI_STR(
            "return dialect { name = 't', api = 1, session = 's', rules = {"
            "{ when = { k = 'r' }, emit = { kind = 'tool-result', callId = { 'c', default = 'none' },"
            "  x = { output = 'o', origin = { 'who', prefix = 'observer:' },"
            "  exitCode = { 'o', after = 'Exit code ' } } } } } }"),
        NULL);
    const peri_dialect *dialect = peri_dialect_file_get(file);
    CHECK_STR(dialect->name, "t");
    CHECK_EQ(dialect->rule_count, 1);
    CHECK_EQ(dialect->rules[0].emit_count, 1);
    CHECK_EQ(dialect->rules[0].emits[0].set_count, 4);
    CHECK_EQ(dialect->common_count, 1);
    peri_dialect_file_free(file);
    peri_dialect_file_free(NULL);
}

TEST_MAIN
