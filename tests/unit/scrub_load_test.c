// Kinds of secrets written in Lua: what a file may say, that its examples are tried, and that a
// mistake is told with its line and takes nothing else with it.
#include "script/script.h"

#include "test.h"

static peri_script *script;
static peri_scrub *scrub;
static peri_diag_list diags;
static peri_buf out, said;

static int load(const char *text) {
    peri_diag_list_init(&diags);
    peri_buf_init(&out, 1 << 16);
    peri_buf_init(&said, 1 << 16);
    CHECK_OK(peri_script_new(NULL, &script));
    CHECK_OK(peri_scrub_new(&scrub));
    int status =
        peri_script_add_scrub(script, PERI_STR("scrub.lua"), peri_str_c(text), scrub, &diags);
    for (size_t i = 0; i < diags.count; i++) peri_diag_format(&said, &diags.items[i]);
    return status;
}

static peri_str scrubbed(const char *text) {
    peri_buf_clear(&out);
    (void)peri_scrub_text(scrub, peri_str_c(text), &out);
    return peri_buf_str(&out);
}

static void close_all(void) {
    peri_scrub_free(scrub);
    peri_script_free(script);
    peri_diag_list_deinit(&diags);
    peri_buf_deinit(&out);
    peri_buf_deinit(&said);
}

IT("C24 kinds of secrets are extendable from Lua, by name") {
    CHECK_OK(
        load("-- perilune-api: 1\n"
             "local digits = string.rep('[0-9]', 6)\n"
             "return { scrub = {\n"
             "  { name = 'acme-key', pattern = [[\\bACME-]] .. digits .. [[\\b]],\n"
             "    hides = { 'the key is ACME-123456.' }, keeps = { 'ACME-12', 'ACME' } },\n"
             "  { name = 'badge', pattern = '(?i)badge#\\\\w+' },\n"
             "} }\n"));
    CHECK_EQ(diags.count, 0);
    CHECK_STR(scrubbed("a ACME-123456 b BADGE#x7, AKIAFAKEFAKEFAKE1234"),
              "a [acme-key redacted] b [badge redacted], [aws-access-key redacted]");
    CHECK_STR(scrubbed("ACME-1234567 is longer"), "ACME-1234567 is longer");
    close_all();
}

IT("tries the examples a kind comes with, and names the line of one that fails") {
    CHECK_EQ(
        load("-- perilune-api: 1\nreturn { scrub = {\n"
             "  { name = 'good', pattern = 'GOOD' },\n"
             "  { name = 'off', pattern = 'x{3}', hides = { 'xx' }, keeps = { 'a xxx' } },\n"
             "} }\n"),
        PERI_EINVAL);
    CHECK_HAS(peri_buf_str(&said), "scrub.lua:4: error: off: its pattern does not find xx");
    CHECK_HAS(peri_buf_str(&said), "scrub.lua:4: error: off: it also hides a xxx");
    CHECK_STR(scrubbed("GOOD"), "[good redacted]"); // the others still count
    close_all();
}

IT("tells what is wrong with a file of secrets, and where") {
    static const struct {
        const char *text, *want;
    } wrong[] = {
        {"return 1", "the file returns no table with a list `scrub`"},
        {"return { scrap = {} }", "the file returns no table with a list `scrub`"},
        {"return { scrub = {}, scrab = 1 }", "unknown key \"scrab\""},
        {"return { scrub = { 'x' } }", "scrub: an entry is no table but a string"},
        {"return { scrub = { { pattern = 'x' } } }", "a kind is 1-64 of [A-Za-z0-9_-]"},
        {"return { scrub = { { name = 'a b', pattern = 'x' } } }", "a kind is 1-64"},
        {"return { scrub = { { name = 'a' } } }", "a: a pattern has 1-1024 bytes"},
        {"return { scrub = { { name = 'a', pattern = 'a(b' } } }", "a: its pattern, at 3: "},
        {"return { scrub = { { name = 'a', pattern = {} } } }", "pattern is a table, not text"},
        {"return { scrub = { { name = 'a', patern = 'x' } } }", "did you mean \"pattern\"?"},
        {"return { scrub = { { name = 'a', pattern = 'x', hides = 'x' } } }",
         "examples are lists of texts, not: hides"},
        {"return { scrub = { { name = 'a', pattern = 'x', keeps = { {} } } } }",
         "an example that is no text, in keeps"},
        {"return {", "error"},
        {"error('no')", "no"},
        {"while true do end", "load-timeout"},
        {"return { scrub = setmetatable({}, { __index = function() error('x') end }) }", NULL},
        {"return setmetatable({}, { __index = function() while true do end end })",
         "the file returns no table"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        int status = load(wrong[i].text);
        CHECK_EQ(status, wrong[i].want ? PERI_EINVAL : PERI_OK);
        if (wrong[i].want) CHECK_HAS(peri_buf_str(&said), wrong[i].want);
        CHECK_STR(scrubbed("AKIAFAKEFAKEFAKE1234"), "[aws-access-key redacted]");
        close_all();
    }
}

IT("keeps to its 64 kinds") {
    CHECK_EQ(
        load("local t = {}\nfor i = 1, 70 do t[i] = { name = 'k' .. i, pattern = 'q' .. i } "
             "end\nreturn { scrub = t }\n"),
        PERI_EINVAL);
    CHECK_HAS(peri_buf_str(&said), "k65: at most 64 patterns");
    CHECK_STR(scrubbed("q64"), "[k6 redacted]4");
    close_all();
}

TEST_MAIN
