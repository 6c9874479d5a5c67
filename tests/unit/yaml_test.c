// The promises of yaml.h: reading, refusing with a place and a hint, and the typed readers.
// Cases C62, C63 and C64 of the fault definitions are read here as files.
#include <time.h>

#include "base/yaml.h"
#include "test.h"

typedef struct fixture {
    peri_yaml_doc doc;
    peri_diag_list diags;
    int status;
} fixture;

static fixture *read_at(peri_str text, uint32_t first_line) {
    fixture *f = calloc(1, sizeof *f);
    if (!f) abort();
    peri_diag_list_init(&f->diags);
    f->status = peri_yaml_parse(&f->doc, text, PERI_STR("o.md"), first_line, &f->diags);
    return f;
}

static fixture *read_text(const char *text) {
    return read_at(peri_str_c(text), 1);
}

static void drop(fixture *f) {
    peri_yaml_doc_deinit(&f->doc);
    peri_diag_list_deinit(&f->diags);
    free(f);
}

static const peri_yaml *member(fixture *f, const char *key) {
    return peri_yaml_get(f->doc.root, peri_str_c(key));
}

// The newest diagnostic of `f` has `want` in its text form.
static void check_report(fixture *f, const char *want) {
    CHECK(f->diags.count > 0);
    peri_buf out;
    peri_buf_init(&out, 8192);
    peri_diag_format(&out, &f->diags.items[f->diags.count - 1]);
    CHECK_HAS(peri_buf_str(&out), want);
    peri_buf_deinit(&out);
}

// `text` is refused with `status` and one diagnostic that holds `where` and `hint`.
static void check_refused(peri_str text, int status, const char *where, const char *hint) {
    fixture *f = read_at(text, 1);
    if (f->status != status) {
        TEST_FAIL("%.*s: %s", PERI_FMT(peri_str_sub(text, 0, 60)), peri_status_name(f->status));
    }
    CHECK_EQ(f->diags.count, 1);
    CHECK(!f->doc.root);
    check_report(f, where);
    check_report(f, hint);
    drop(f);
}

static void refused(const char *text, int status, const char *where, const char *hint) {
    check_refused(peri_str_c(text), status, where, hint);
}

IT("gives every node its type, text and place") {
    fixture *f = read_text(
        "name: x\nlist:\n  - 'a b'\n  - {k: \"v\\0\"}\nempty:\nblock: |\n  l1\n  l2\n");
    CHECK_OK(f->status);
    CHECK_EQ(f->doc.root->type, PERI_YAML_MAP);
    const peri_yaml *list = member(f, "list"), *entry = list->first;
    CHECK_EQ(list->type, PERI_YAML_LIST);
    CHECK_EQ(list->key_line, 2);
    CHECK_EQ(list->key_column, 1);
    CHECK_EQ(list->line, 3);
    CHECK_EQ(list->column, 3);
    CHECK_STR(entry->text, "a b");
    CHECK(entry->quoted && !entry->key.ptr);
    CHECK_EQ(entry->column, 5);
    CHECK_EQ(entry->next->type, PERI_YAML_MAP);
    CHECK(peri_str_eq(peri_yaml_get(entry->next, PERI_STR("k"))->text, peri_str_of("v\0", 2)));
    CHECK(!entry->next->next);
    CHECK_EQ(member(f, "empty")->type, PERI_YAML_SCALAR);
    CHECK_STR(member(f, "empty")->text, "");
    CHECK(!member(f, "empty")->quoted && !member(f, "name")->quoted);
    CHECK_STR(member(f, "block")->text, "l1\nl2\n");
    CHECK(member(f, "block")->quoted);
    CHECK(!member(f, "none") && !peri_yaml_get(NULL, PERI_STR("x")) &&
          !peri_yaml_get(list, PERI_STR("x")));
    drop(f);
}

IT("counts lines from where the header stands in its file") {
    fixture *f = read_at(PERI_STR("a: 1\nb: : 2\n"), 2);
    CHECK_EQ(f->status, PERI_EPARSE);
    check_report(f, "o.md:3:4: error: ");
    drop(f);
}

IT("reads an empty document as none") {
    static const char *const texts[] = {"", "\n", "# only a comment\n", "---\n",
                                        "\xEF\xBB\xBF"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        fixture *f = read_text(texts[i]);
        CHECK_OK(f->status);
        CHECK(!f->doc.root);
        CHECK_EQ(f->diags.count, 0);
        drop(f);
    }
}

IT("reads a BOM and CRLF") {
    fixture *f = read_text(
        "\xEF\xBB\xBFname: x\r\nlist:\r\n- a\r\n- b\r\ntext: |\r\n  one\r\n  two\r\n");
    CHECK_OK(f->status);
    CHECK_STR(member(f, "name")->text, "x");
    CHECK_EQ(member(f, "name")->key_column, 1);
    CHECK_STR(member(f, "list")->first->next->text, "b");
    CHECK_STR(member(f, "text")->text, "one\ntwo\n");
    drop(f);
}

IT("keeps scalars as they are written: on, no, 1.10 and ~ are texts") {
    fixture *f = read_text("on: turn_end\nno: yes\nv: 1.10\nt: ~\ntrue: null\n0x10: 0o7\n");
    CHECK_OK(f->status);
    CHECK_STR(member(f, "on")->text, "turn_end");
    CHECK_STR(member(f, "no")->text, "yes");
    CHECK_STR(member(f, "v")->text, "1.10");
    CHECK_STR(member(f, "t")->text, "~");
    CHECK_STR(member(f, "true")->text, "null");
    CHECK_STR(member(f, "0x10")->text, "0o7");
    drop(f);
}

IT("counts columns in code points") {
    refused("é: {ü: 1, ü: 2}\n", PERI_EDUP,
            "o.md:1:11: ", "\"ü\" stands twice, first in line 1");
}

IT("D6 refuses a duplicate key and names both places") {
    refused("a: 1\nb:\n  c: 1\n  c: 2\n", PERI_EDUP,
            "o.md:4:3: error: \"c\" stands twice, first in line 3", "keep one of them");
    refused("a: 1\n\"a\": 2\n", PERI_EDUP, "o.md:2:1: ", "[duplicate-key]");
    fixture *f = read_text("a: {x: 1}\nb: {x: 1}\nA: 1\nl: [{x: 1}, {x: 2}]\n");
    CHECK_OK(f->status);
    drop(f);
}

IT("D6 refuses anchors, aliases, tags, merge keys and further documents") {
    refused("a: &x 1\n", PERI_EPARSE, "o.md:1:4: ", "[yaml-alias]");
    refused("a: *x\n", PERI_EPARSE, "o.md:1:4: ", "quotes if * is part of it");
    refused("a: &x [1]\n", PERI_EPARSE, "o.md:1:4: ", "[yaml-alias]");
    refused("&k a: 1\n", PERI_EPARSE, "o.md:1:1: ", "[yaml-alias]");
    refused("a: !!python/object x\n", PERI_EPARSE, "o.md:1:4: ", "[yaml-tag]");
    refused("a: !x {b: 1}\n", PERI_EPARSE, "o.md:1:4: ", "[yaml-tag]");
    refused("a: ! x\n", PERI_EPARSE, "o.md:1:4: ", "[yaml-tag]");
    refused("%TAG ! tag:x,2000:\n---\na: 1\n", PERI_EPARSE, "o.md:1:1: ", "[yaml-tag]");
    refused("<<: {a: 1}\n", PERI_EPARSE, "o.md:1:1: ", "[yaml-merge-key]");
    refused("a: 1\n---\nb: 2\n", PERI_EPARSE, "o.md:2:1: ", "[yaml-documents]");
    fixture *f = read_text("\"<<\": text\nb: \"&x *y !z\"\nc: a & b\n");
    CHECK_OK(f->status);
    CHECK_STR(member(f, "<<")->text, "text");
    drop(f);
}

IT("D6 refuses names that are lists or maps") {
    refused("[a]: 1\n", PERI_EPARSE, "o.md:1:1: ", "a name must be a text");
    refused("? {a: 1}\n: 2\n", PERI_EPARSE, "o.md:1:3: ", "a name must be a text");
}

IT("D6 nests 16 levels and no more") {
    fixture *f = read_text("[[[[[[[[[[[[[[[[x]]]]]]]]]]]]]]]]");
    CHECK_OK(f->status);
    drop(f);
    refused("[[[[[[[[[[[[[[[[[x]]]]]]]]]]]]]]]]]", PERI_EDEPTH,
            "o.md:1:17: ", "limit of 16 levels");
    refused("- - - - - - - - - - - - - - - - - x\n", PERI_EDEPTH,
            "o.md:1:33: ", "[yaml-depth]");
}

IT("D6 reads a text of 64 KiB and refuses a longer one") {
    peri_buf text;
    peri_buf_init(&text, 1 << 20);
    peri_buf_add_c(&text, "a: ");
    peri_buf_add_repeat(&text, 'x', PERI_YAML_MAX_BYTES - 3);
    fixture *f = read_at(peri_buf_str(&text), 1);
    CHECK_OK(f->status);
    CHECK_EQ(member(f, "a")->text.len, PERI_YAML_MAX_BYTES - 3);
    drop(f);
    peri_buf_add_byte(&text, 'x');
    check_refused(peri_buf_str(&text), PERI_ELIMIT, "o.md:1:1: ", "limit of 64 KiB");
    peri_buf_deinit(&text);
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

IT("D6 refuses a flood of brackets at once, where libyaml needs seconds") {
    static const char *const floods[] = {"[", "{", "- ", "? ", "[{", "a: [", "!", "{a: "};
    for (size_t i = 0; i < sizeof floods / sizeof floods[0]; i++) {
        peri_buf text;
        peri_buf_init(&text, PERI_YAML_MAX_BYTES);
        while (text.len + 8 < PERI_YAML_MAX_BYTES) peri_buf_add_c(&text, floods[i]);
        double start = seconds();
        fixture *f = read_at(peri_buf_str(&text), 1);
        CHECK(f->status < 0);
        CHECK(seconds() - start < 1);
        drop(f);
        peri_buf_deinit(&text);
    }
}

IT("D6 reads as many names as fit without comparing all pairs") {
    peri_buf text;
    peri_buf_init(&text, PERI_YAML_MAX_BYTES);
    peri_buf_add_c(&text, "{");
    // Each name counts with the empty value behind it, and the map itself.
    for (int i = 0; 2 * i + 3 <= PERI_YAML_MAX_VALUES; i++) peri_buf_addf(&text, "%x,", i);
    peri_buf_add_c(&text, "}");
    double start = seconds();
    fixture *f = read_at(peri_buf_str(&text), 1);
    CHECK_OK(f->status);
    CHECK(seconds() - start < 1);
    drop(f);
    peri_buf_deinit(&text);
}

IT("C64 refuses more names and values than 4096, naming the limit") {
    peri_buf text;
    peri_buf_init(&text, PERI_YAML_MAX_BYTES);
    for (int i = 0; i < PERI_YAML_MAX_VALUES; i++) peri_buf_add_c(&text, "- a\n");
    refused(peri_buf_c(&text), PERI_ELIMIT, "o.md:4096:", "limit of 4096 names and values");
    peri_buf_truncate(&text, text.len - 4);
    fixture *f = read_at(peri_buf_str(&text), 1);
    CHECK_OK(f->status);
    drop(f);
    peri_buf_deinit(&text);
}

IT("tells what to do about the commonest slips") {
    refused("a: b: c\n", PERI_EPARSE,
            "o.md:1:5: ", "put the value in quotes: it holds a colon");
    refused("a: b\n  c: d\n", PERI_EPARSE, "o.md:2:4: ", "indent it like its neighbours");
    refused("a:\n\t- b\n", PERI_EPARSE, "o.md:2:1: ", "indent with spaces");
    refused("a: b\n\tc: d\n", PERI_EPARSE, "o.md:2:1: ", "indent with spaces");
    refused("a: @b\n", PERI_EPARSE, "o.md:1:4: ", "a character that YAML keeps for itself");
    refused("a: `b`\n", PERI_EPARSE, "o.md:1:4: ", "put the value in quotes");
    refused("a: *\n", PERI_EPARSE, "o.md:1:", "put the value in quotes");
    refused("a: \"b\nc: d\n", PERI_EPARSE, "begins in line 1", "close the quotes");
    refused("a: [b\nc: d\n", PERI_EPARSE, "begins in line 1", "close the list with ]");
    refused("a: {b\nc: d\n", PERI_EPARSE, "begins in line 1", "close the map with }");
    refused("a: [b]c\n", PERI_EPARSE,
            "o.md:1:7: ", "check the quotes, brackets and indentation");
}

IT("refuses bytes that are no text, with their place") {
    check_refused(PERI_STR("ab: 1\nc: \xFF\n"), PERI_EPARSE,
                  "o.md:2:4: ", "save the file as UTF-8");
    check_refused(peri_str_of("a: \0b\n", 6), PERI_EPARSE, "o.md:1:4: ", "[yaml-encoding]");
    check_refused(peri_str_of("\xFF\xFE"
                              "a\0",
                              4),
                  PERI_EPARSE, "o.md:1:1: ", "[yaml-encoding]");
}

IT("keeps no diagnostics where nobody asked for them") {
    peri_yaml_doc doc;
    CHECK_EQ(peri_yaml_parse(&doc, PERI_STR("a: b: c"), (peri_str){0}, 1, NULL), PERI_EPARSE);
    peri_yaml_doc_deinit(&doc);
    peri_yaml_doc_deinit(NULL);
}

IT("D6 reports unknown keys with their place and the nearest known name") {
    static const peri_str words[] = {PERI_STR("name"), PERI_STR("model"), PERI_STR("on"), {0}};
    fixture *f = read_text("name: x\nmodle: y\nnothing_like_it: z\n");
    CHECK_EQ(peri_yaml_check_keys(&f->doc, f->doc.root, words), 2);
    CHECK_EQ(f->diags.error_count, 2);
    CHECK_EQ(f->diags.items[0].line, 2);
    CHECK_EQ(f->diags.items[0].column, 1);
    CHECK_STR(f->diags.items[0].message, "unknown key \"modle\"");
    CHECK_STR(f->diags.items[0].hint, "did you mean model?");
    CHECK_EQ(f->diags.items[1].hint.len, 0);
    CHECK_EQ(peri_yaml_check_keys(&f->doc, NULL, words), 0);
    CHECK_EQ(peri_yaml_check_keys(&f->doc, f->doc.root->first, words), 1);
    drop(f);
}

IT("reads booleans: true and false in any case, also quoted, and nothing else") {
    fixture *f = read_text(
        "a: true\nb: \"false\"\nc: FALSE\nd: yes\ne: 1\nf: [true]\ng:\nh: True # comment\n");
    bool value = false;
    CHECK_OK(peri_yaml_bool(&f->doc, member(f, "a"), &value));
    CHECK(value);
    CHECK_OK(peri_yaml_bool(&f->doc, member(f, "b"), &value));
    CHECK(!value);
    CHECK_OK(peri_yaml_bool(&f->doc, member(f, "h"), &value));
    CHECK(value);
    CHECK_OK(peri_yaml_bool(&f->doc, member(f, "c"), &value));
    CHECK(!value);
    CHECK_EQ(peri_yaml_bool(&f->doc, member(f, "none"), &value), PERI_ENOENT);
    CHECK_EQ(f->diags.count, 0);
    CHECK_EQ(peri_yaml_bool(&f->doc, member(f, "d"), &value), PERI_EINVAL);
    check_report(f, "o.md:4:4: error: d must be true or false, not \"yes\"");
    check_report(f, "hint: write true or false");
    CHECK_EQ(peri_yaml_bool(&f->doc, member(f, "e"), &value), PERI_EINVAL);
    CHECK_EQ(peri_yaml_bool(&f->doc, member(f, "f"), &value), PERI_EINVAL);
    check_report(f, "o.md:6:4: error: f must be true or false, not a list");
    CHECK_EQ(peri_yaml_bool(&f->doc, member(f, "g"), &value), PERI_EINVAL);
    drop(f);
}

static int read_int(const char *text, int64_t *out) {
    char line[128];
    snprintf(line, sizeof line, "n: %s\n", text);
    fixture *f = read_text(line);
    CHECK_OK(f->status);
    int status = peri_yaml_int(&f->doc, member(f, "n"), -1000000, 1000000, out);
    CHECK_EQ(f->diags.count, status < 0);
    drop(f);
    return status;
}

IT("reads whole numbers, grouped or quoted, and never a part of one") {
    static const struct {
        const char *text;
        int64_t want;
    } good[] = {{"0", 0},          {"-7", -7},       {"1_000", 1000},
                {"20,000", 20000}, {"\"300\"", 300}, {"1,000,000", 1000000},
                {"1_0", 10}};
    static const char *const bad[] = {"20s",  "0x10",     "1.0",      "1e3",
                                      "1,5",  "1,0000",   "_1",       "1_",
                                      "1__0", "\",100\"", "\"\"",     "\" 1\"",
                                      "+1",   "1000001",  "-1000001", "99999999999999999999",
                                      "[1]",  "true",     "1 2"};
    int64_t value = 77;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (read_int(bad[i], &value) != PERI_EINVAL) TEST_FAIL("%s was read", bad[i]);
        CHECK_EQ(value, 77);
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        CHECK_OK(read_int(good[i].text, &value));
        CHECK_EQ(value, good[i].want);
    }
}

IT("names the range and the unit of a wrong number") {
    fixture *f = read_text("priority: 0x10\ntimeout_ms: 20s\n");
    int64_t value;
    CHECK_EQ(peri_yaml_int(&f->doc, member(f, "priority"), 1, 100, &value), PERI_EINVAL);
    check_report(
        f, "o.md:1:11: error: priority must be a whole number from 1 to 100, not \"0x10\"");
    CHECK_EQ(peri_yaml_int(&f->doc, member(f, "timeout_ms"), 1, 9, &value), PERI_EINVAL);
    check_report(f, "hint: write the digits alone");
    CHECK_EQ(peri_yaml_int(&f->doc, NULL, 1, 9, &value), PERI_ENOENT);
    drop(f);
}

IT("reads decimal numbers within a range") {
    fixture *f = read_text("a: 2.00\nb: 1e2\nc: 1,5\nd: .inf\ne: 3\nf: nan\n");
    double value = 0;
    CHECK_OK(peri_yaml_double(&f->doc, member(f, "a"), 0, 100, &value));
    CHECK(value == 2);
    CHECK_OK(peri_yaml_double(&f->doc, member(f, "b"), 0, 100, &value));
    CHECK(value == 100);
    CHECK_EQ(peri_yaml_double(&f->doc, member(f, "c"), 0, 100, &value), PERI_EINVAL);
    CHECK_EQ(peri_yaml_double(&f->doc, member(f, "d"), 0, 100, &value), PERI_EINVAL);
    CHECK_EQ(peri_yaml_double(&f->doc, member(f, "f"), 0, 100, &value), PERI_EINVAL);
    CHECK_EQ(peri_yaml_double(&f->doc, member(f, "e"), 0, 2.5, &value), PERI_EINVAL);
    check_report(f, "e must be a number from 0 to 2.5, not \"3\"");
    CHECK(value == 100);
    CHECK_EQ(peri_yaml_double(&f->doc, NULL, 0, 1, &value), PERI_ENOENT);
    drop(f);
}

IT("reads lists and comma strings alike, without blank entries") {
    fixture *f = read_text(
        "a: [read, 'x, y', '']\nb: read, grep ,, find,\nc: ''\nd: []\ne: [[a]]\nf: {a: 1}\n");
    const peri_str *list;
    size_t count;
    CHECK_OK(peri_yaml_list(&f->doc, member(f, "a"), &list, &count));
    CHECK_EQ(count, 2);
    CHECK_STR(list[1], "x, y");
    CHECK_OK(peri_yaml_list(&f->doc, member(f, "b"), &list, &count));
    CHECK_EQ(count, 3);
    CHECK_STR(list[0], "read");
    CHECK_STR(list[1], "grep");
    CHECK_STR(list[2], "find");
    CHECK_OK(peri_yaml_list(&f->doc, member(f, "c"), &list, &count));
    CHECK_EQ(count, 0);
    CHECK_OK(peri_yaml_list(&f->doc, member(f, "d"), &list, &count));
    CHECK_EQ(count, 0);
    CHECK_EQ(peri_yaml_list(&f->doc, member(f, "e"), &list, &count), PERI_EINVAL);
    check_report(f, "o.md:5:5: ");
    CHECK_EQ(peri_yaml_list(&f->doc, member(f, "f"), &list, &count), PERI_EINVAL);
    CHECK_EQ(peri_yaml_list(&f->doc, NULL, &list, &count), PERI_ENOENT);
    drop(f);
}

IT("reads one word of a set, else names the nearest and all") {
    static const peri_str words[] = {PERI_STR("next_prompt"), PERI_STR("settle"), {0}};
    fixture *f = read_text("deliver: settle\nb: nextprompt\nc: [settle]\n");
    size_t index = 9;
    CHECK_OK(peri_yaml_word(&f->doc, member(f, "deliver"), words, &index));
    CHECK_EQ(index, 1);
    CHECK_EQ(peri_yaml_word(&f->doc, member(f, "b"), words, &index), PERI_EINVAL);
    check_report(f, "b must be one of next_prompt, settle, not \"nextprompt\"");
    check_report(f, "did you mean next_prompt?");
    CHECK_EQ(peri_yaml_word(&f->doc, member(f, "c"), words, &index), PERI_EINVAL);
    CHECK_EQ(peri_yaml_word(&f->doc, NULL, words, &index), PERI_ENOENT);
    CHECK_EQ(index, 1);
    drop(f);
}

IT("reads texts, empty ones too, and no lists") {
    fixture *f = read_text("a: x\nb:\nc: [x]\n");
    peri_str text = {0};
    CHECK_OK(peri_yaml_str(&f->doc, member(f, "a"), &text));
    CHECK_STR(text, "x");
    CHECK_OK(peri_yaml_str(&f->doc, member(f, "b"), &text));
    CHECK_STR(text, "");
    CHECK_EQ(peri_yaml_str(&f->doc, member(f, "c"), &text), PERI_EINVAL);
    check_report(f, "c must be a text, not a list");
    CHECK_EQ(peri_yaml_str(&f->doc, NULL, &text), PERI_ENOENT);
    drop(f);
}

// A definition file: its header read as YAML, its body copied; both freed with drop_file().
typedef struct definition {
    fixture *f;
    peri_str file, body;
} definition;

static definition open_definition(const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/fault/definitions/%s", PERI_TESTS_DIR, name);
    definition d = {.file = peri_test_read(path)};
    peri_str header;
    uint32_t line;
    CHECK_OK(peri_front_matter(d.file, PERI_STR("o.md"), NULL, &header, &line, &d.body));
    d.f = read_at(header, line);
    return d;
}

static void close_definition(definition *d) {
    drop(d->f);
    free((char *)d->file.ptr);
}

IT("C62 a BOM, CRLF, on:, no and odd numbers: nothing is lost to a guess") {
    definition d = open_definition("C62.observer.md");
    CHECK_OK(d.f->status);
    CHECK_STR(member(d.f, "name")->text, "norway");
    CHECK_STR(member(d.f, "on")->text, "turn_end");
    CHECK_STR(member(d.f, "description")->text, "watches: colons");
    CHECK_STR(member(d.f, "model")->text, "1.10");
    const peri_str *fallback;
    size_t count;
    CHECK_OK(peri_yaml_list(&d.f->doc, member(d.f, "fallback"), &fallback, &count));
    CHECK_EQ(count, 2);
    CHECK_STR(fallback[0], "no");
    CHECK_STR(fallback[1], "on");
    int64_t number = -1;
    CHECK_OK(peri_yaml_int(&d.f->doc, member(d.f, "timeout_ms"), 1, 120000, &number));
    CHECK_EQ(number, 1000);
    CHECK_EQ(peri_yaml_int(&d.f->doc, member(d.f, "priority"), 1, 100, &number), PERI_EINVAL);
    check_report(d.f, "o.md:8:11: ");
    bool enabled = true;
    CHECK_EQ(peri_yaml_bool(&d.f->doc, member(d.f, "enabled"), &enabled), PERI_EINVAL);
    check_report(d.f, "o.md:5:10: ");
    CHECK_STR(d.body, "body --- with dashes\r\n---\r\nmore body\r\n");
    close_definition(&d);
}

IT("C62 a quoted \"false\" is false, an observer may be called yes, a comment is no value") {
    bool enabled = true;
    definition d = open_definition("C62.b.md");
    CHECK_OK(peri_yaml_bool(&d.f->doc, member(d.f, "enabled"), &enabled));
    CHECK(!enabled);
    close_definition(&d);
    d = open_definition("C62.c.md");
    CHECK_OK(peri_yaml_bool(&d.f->doc, member(d.f, "enabled"), &enabled));
    CHECK(enabled);
    CHECK_STR(member(d.f, "name")->text, "yes");
    close_definition(&d);
}

static void check_definition(const char *name, int status, const char *where,
                             const char *hint) {
    double start = seconds();
    definition d = open_definition(name);
    CHECK_EQ(d.f->status, status);
    CHECK(seconds() - start < 1);
    CHECK_EQ(d.f->diags.count, 1);
    CHECK(!d.f->doc.root);
    check_report(d.f, where);
    check_report(d.f, hint);
    close_definition(&d);
}

IT("C63 a bad header gives one error with its place and a hint, and nothing to load") {
    check_definition("C63.bad.md", PERI_EPARSE, "o.md:3:39: ", "put the value in quotes");
    check_definition("C63.dup.md", PERI_EDUP, "o.md:4:1: error: \"on\" stands twice",
                     "keep one");
    check_definition("C63.tab.md", PERI_EPARSE, "o.md:4:1: ", "indent with spaces");
    definition d = open_definition("C63.good.md");
    CHECK_OK(d.f->status);
    CHECK_STR(member(d.f, "name")->text, "other");
    close_definition(&d);
}

IT("C64 a bomb, a deep nest, a self reference and a merge are refused at once") {
    check_definition("C64.bomb.md", PERI_EPARSE,
                     "o.md:4:4: ", "anchors and aliases are not allowed");
    check_definition("C64.self.md", PERI_EPARSE,
                     "o.md:4:4: ", "anchors and aliases are not allowed");
    check_definition("C64.merge.md", PERI_EPARSE,
                     "o.md:2:7: ", "anchors and aliases are not allowed");
    check_definition("C64.deep.md", PERI_EDEPTH, "o.md:4:22: ", "limit of 16 levels");
}

TEST_MAIN
