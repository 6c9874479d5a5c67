// The promises of json_tree.h, and what both faces of JSON have in common: `faces` runs each
// such test against the scanner and against the tree. One test a defect of cJSON that the tree
// has to make good (D5).
#include <math.h>

#include "base/json_tree.h"
#include "test.h"

// What a face makes of a text.
typedef struct outcome {
    int status;
    size_t repaired;
    peri_buf compact;
} outcome;

static outcome read_scanned(peri_str text, bool refuse_duplicates) {
    outcome o = {0};
    peri_json_doc doc;
    peri_json_doc_init(&doc);
    peri_buf_init(&o.compact, 1 << 20);
    doc.refuse_duplicates = refuse_duplicates;
    doc.max_depth = 64;
    o.status = peri_json_parse(&doc, text);
    if (o.status == PERI_OK && doc.end < text.len) o.status = PERI_EPARSE;
    o.repaired = doc.repaired;
    if (o.status == PERI_OK) {
        peri_json_compact(peri_json_root(&doc), &o.compact, SIZE_MAX, 0);
    }
    peri_json_doc_deinit(&doc);
    return o;
}

static outcome read_tree(peri_str text, bool refuse_duplicates) {
    outcome o = {0};
    peri_tree *tree = NULL;
    peri_buf_init(&o.compact, 1 << 20);
    o.status = peri_tree_parse(text, (peri_tree_limits){.refuse_duplicates = refuse_duplicates},
                               PERI_STR("t.json"), NULL, &o.repaired, &tree);
    if (o.status == PERI_OK) CHECK_OK(peri_tree_print(tree, SIZE_MAX, &o.compact));
    peri_tree_free(tree);
    return o;
}

static const struct {
    const char *name;
    outcome (*read)(peri_str text, bool refuse_duplicates);
} faces[] = {{"scanner", read_scanned}, {"tree", read_tree}};

#define EACH_FACE(face) (size_t face = 0; face < sizeof faces / sizeof faces[0]; face++)

// `text` is read and printed as `want`, with `repaired` values mended, by both faces.
static void both_print(peri_str text, peri_str want, size_t repaired) {
    for
        EACH_FACE(i) {
            outcome o = faces[i].read(text, false);
            if (o.status != PERI_OK || !peri_str_eq(peri_buf_str(&o.compact), want) ||
                o.repaired != repaired) {
                TEST_FAIL("%s: %.*s gives %s %.*s (%zu mended), not %.*s", faces[i].name,
                          PERI_FMT(text), peri_status_name(o.status),
                          PERI_FMT(peri_buf_str(&o.compact)), o.repaired, PERI_FMT(want));
            }
            peri_buf_deinit(&o.compact);
        }
}

static void both_refuse(peri_str text, int status, bool refuse_duplicates) {
    for
        EACH_FACE(i) {
            outcome o = faces[i].read(text, refuse_duplicates);
            if (o.status != status) {
                TEST_FAIL("%s: %.*s gives %s, not %s", faces[i].name, PERI_FMT(text),
                          peri_status_name(o.status), peri_status_name(status));
            }
            peri_buf_deinit(&o.compact);
        }
}

IT("both faces print a text without blanks, members in order") {
    both_print(PERI_STR(" [ ] "), PERI_STR("[]"), 0);
    both_print(PERI_STR("\t{\r\n}"), PERI_STR("{}"), 0);
    both_print(PERI_STR("\"\""), PERI_STR("\"\""), 0);
    both_print(PERI_STR("{\"b\":[1,{\"c\":[[],{}]}],\"a\":null,\"\":true}"),
               PERI_STR("{\"b\":[1,{\"c\":[[],{}]}],\"a\":null,\"\":true}"), 0);
    both_print(PERI_STR("[\"\\u00e9\\u4e2d\\ud83d\\ude00\\/\\u002f\"]"),
               PERI_STR("[\"é中😀//\"]"), 0);
}

IT("D5 both faces mend lone surrogates where cJSON refuses the line") {
    both_print(
        PERI_STR("[\"\\ud800\",\"x\\uDFFFy\",\"\\ud83d\\u0041\",\"\\ud83d\\ud83d\\ude00\"]"),
        PERI_STR("[\"\uFFFD\",\"x\uFFFDy\",\"\uFFFDA\",\"\uFFFD😀\"]"), 4);
    both_print(PERI_STR("\"\\ud83d\\n\""), PERI_STR("\"\uFFFD\\n\""), 1);
    both_print(PERI_STR("\"\\ufffd\""), PERI_STR("\"\uFFFD\""), 0);
    both_refuse(PERI_STR("\"\\ud83d\\uZZZZ\""), PERI_EPARSE, false);
}

IT("D5 both faces keep \\u0000 where cJSON cuts the text") {
    both_print(PERI_STR("{\"a\\u0000b\":\"c\\u0000d\"}"),
               PERI_STR("{\"a\\u0000b\":\"c\\u0000d\"}"), 0);
    both_print(peri_str_of("\"a\0b\"", 5), PERI_STR("\"a\\u0000b\""), 1);
}

IT("D5 both faces keep raw control characters, escaped when printed") {
    both_print(PERI_STR("\"a\tb\nc\x1f\""), PERI_STR("\"a\\tb\\nc\\u001f\""), 3);
}

IT("D5 neither face takes welded or trailing text for part of a value") {
    both_refuse(PERI_STR("{\"a\":1}{\"b\":2}"), PERI_EPARSE, false);
    both_refuse(PERI_STR("[1]x"), PERI_EPARSE, false);
    both_refuse(PERI_STR("1 2"), PERI_EPARSE, false);
    both_refuse(PERI_STR("true]"), PERI_EPARSE, false);
    both_refuse(peri_str_of("1\0", 2), PERI_EPARSE, false);
}

IT("D5 neither face takes control characters for blanks") {
    both_refuse(PERI_STR("\x01[1]"), PERI_EPARSE, false);
    both_refuse(PERI_STR("[1,\v2]"), PERI_EPARSE, false);
    both_refuse(PERI_STR("[1]\f"), PERI_EPARSE, false);
}

IT("D5 neither face reads numbers that JSON does not have") {
    static const char *const bad[] = {"01",   "-",     "+1",  ".5",  "1.",
                                      "1.e2", "1e",    "1e+", "--1", "0x10",
                                      "1_0",  "1.2.3", "-01", "1-2", "1e5.5"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        both_refuse(peri_str_c(bad[i]), PERI_EPARSE, false);
    }
}

IT("D5 both faces keep numbers digit for digit, also beyond 2^53") {
    static const char *const numbers[] = {"9007199254740993",
                                          "12345678901234567890123",
                                          "-0",
                                          "1.10",
                                          "1E+2",
                                          "1e400",
                                          "0.1000000000000000055511151231257827",
                                          "-9223372036854775808"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        both_print(peri_str_c(numbers[i]), peri_str_c(numbers[i]), 0);
    }
}

IT("D5 both faces refuse equal keys on demand, also behind escapes, and no others") {
    both_refuse(PERI_STR("{\"a\":1,\"a\":2}"), PERI_EDUP, true);
    both_refuse(PERI_STR("{\"a\":1,\"\\u0061\":2}"), PERI_EDUP, true);
    both_refuse(PERI_STR("[{\"o\":{\"k\":1,\"l\":2,\"k\":3}}]"), PERI_EDUP, true);
    both_refuse(PERI_STR("{\"a\\u0000b\":1,\"a\\u0000b\":2}"), PERI_EDUP, true);
    both_refuse(PERI_STR("{\"a\\u0000b\":1,\"a\\u0000c\":2}"), PERI_OK, true);
    both_refuse(PERI_STR("{\"a\":{\"a\":{\"a\":1}},\"A\":[{\"a\":1},{\"a\":2}]}"), PERI_OK,
                true);
    both_print(PERI_STR("{\"a\":1,\"a\":2}"), PERI_STR("{\"a\":1,\"a\":2}"), 0);
}

IT("D5 both faces stop at 64 levels") {
    char text[131];
    for (size_t depth = 64; depth <= 65; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        both_refuse(peri_str_of(text, 2 * depth), depth == 64 ? PERI_OK : PERI_EDEPTH, false);
    }
}

IT("both faces refuse what is not well-formed") {
    static const char *const bad[] = {
        "",      " ",     "[",         "]",        "{",          "}",
        "[1,]",  "[,1]",  "{\"a\"}",   "{\"a\":}", "{\"a\":1,}", "{,}",
        "{1:2}", "[1:2]", "{\"a\",1}", "[1 2]",    "'a'",        "tru",
        "True",  "nul",   "truefalse", "\"\\x\"",  "\"\\u12\"",  "\"a",
        "\"\\",  "[}",    "{]",        "[1}",      "// x\n1",    "undefined"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        both_refuse(peri_str_c(bad[i]), PERI_EPARSE, false);
    }
}

IT("D5 the tree refuses NaN and Infinity, which the scanner reads as null") {
    static const char *const words[] = {"NaN", "[Infinity]", "{\"a\":-Infinity}"};
    for (size_t i = 0; i < 3; i++) {
        outcome tree = read_tree(peri_str_c(words[i]), false);
        outcome scanned = read_scanned(peri_str_c(words[i]), false);
        CHECK_EQ(tree.status, PERI_EPARSE);
        CHECK_OK(scanned.status);
        peri_buf_deinit(&tree.compact);
        peri_buf_deinit(&scanned.compact);
    }
}

IT("D5 the tree mends invalid UTF-8 and skips a BOM") {
    outcome o = read_tree(PERI_STR("\xEF\xBB\xBF{\"\xFF\":\"a\xC3\"}"), false);
    CHECK_OK(o.status);
    CHECK_EQ(o.repaired, 2);
    CHECK_STR(peri_buf_str(&o.compact), "{\"\uFFFD\":\"a\uFFFD\"}");
    peri_buf_deinit(&o.compact);
}

static peri_tree *parse(peri_str text) {
    peri_tree *tree = NULL;
    CHECK_OK(peri_tree_parse(text, (peri_tree_limits){0}, (peri_str){0}, NULL, NULL, &tree));
    return tree;
}

IT("D5 keys are case-sensitive and the last of equal ones counts") {
    peri_tree *tree = parse(PERI_STR("{\"Deny\":1,\"deny\":2,\"deny\":3}"));
    CHECK_STR(peri_tree_str(peri_tree_get(tree, PERI_STR("deny"))), "3");
    CHECK_STR(peri_tree_str(peri_tree_get(tree, PERI_STR("Deny"))), "1");
    CHECK(!peri_tree_get(tree, PERI_STR("DENY")));
    CHECK(!peri_tree_get(peri_tree_first(tree), PERI_STR("x")) &&
          !peri_tree_get(NULL, PERI_STR("x")));
    peri_tree_free(tree);
}

IT("gives texts with their NULs and keys in order") {
    peri_tree *tree =
        parse(PERI_STR("{\"k\\u0000\":\"v\\u0000w\",\"n\":12.50,\"l\":[true,null]}"));
    const peri_tree *at = peri_tree_first(tree);
    CHECK_EQ(peri_tree_type(tree), PERI_JSON_OBJECT);
    CHECK_EQ(peri_tree_count(tree), 3);
    CHECK(peri_str_eq(peri_tree_key(at), peri_str_of("k\0", 2)));
    CHECK(peri_str_eq(peri_tree_str(at), peri_str_of("v\0w", 3)));
    at = peri_tree_next(at);
    CHECK_EQ(peri_tree_type(at), PERI_JSON_NUMBER);
    CHECK_STR(peri_tree_str(at), "12.50");
    at = peri_tree_next(at);
    CHECK_STR(peri_tree_key(at), "l");
    CHECK(peri_tree_is_true(peri_tree_first(at)));
    CHECK(!peri_tree_is_true(at) && !peri_tree_is_true(NULL));
    CHECK_EQ(peri_tree_type(peri_tree_next(peri_tree_first(at))), PERI_JSON_NULL);
    CHECK(!peri_tree_key(peri_tree_first(at)).ptr && !peri_tree_str(at).ptr);
    CHECK(!peri_tree_next(at));
    CHECK_EQ(peri_tree_type(NULL), PERI_JSON_ABSENT);
    peri_tree_free(tree);
    peri_tree_free(NULL);
}

IT("reads numbers as whole ones or doubles") {
    peri_tree *tree =
        parse(PERI_STR("[9223372036854775807,9223372036854775808,1.5,1e3,\"7\"]"));
    const peri_tree *at = peri_tree_first(tree);
    int64_t whole = 0;
    double real = 0;
    CHECK_OK(peri_tree_int(at, &whole));
    CHECK(whole == INT64_MAX);
    at = peri_tree_next(at);
    CHECK_EQ(peri_tree_int(at, &whole), PERI_ELIMIT);
    at = peri_tree_next(at);
    CHECK_EQ(peri_tree_int(at, &whole), PERI_EPARSE);
    CHECK_OK(peri_tree_double(at, &real));
    CHECK(real == 1.5);
    at = peri_tree_next(at);
    CHECK_EQ(peri_tree_int(at, &whole), PERI_EPARSE);
    at = peri_tree_next(at);
    CHECK_EQ(peri_tree_int(at, &whole), PERI_EINVAL);
    CHECK_EQ(peri_tree_double(at, &real), PERI_EINVAL);
    CHECK_EQ(peri_tree_int(NULL, &whole), PERI_EINVAL);
    CHECK(whole == INT64_MAX);
    peri_tree_free(tree);
}

// The one diagnostic of a bad text, as text.
static void check_report(peri_str text, peri_tree_limits limits, int status, const char *want) {
    peri_diag_list diags;
    peri_diag_list_init(&diags);
    peri_tree *tree = NULL;
    size_t repaired = 77;
    CHECK_EQ(peri_tree_parse(text, limits, PERI_STR("s.json"), &diags, &repaired, &tree),
             status);
    CHECK(!tree && repaired == 77);
    CHECK_EQ(diags.count, 1);
    peri_buf out;
    peri_buf_init(&out, 4096);
    peri_diag_format(&out, &diags.items[0]);
    CHECK_HAS(peri_buf_str(&out), want);
    peri_buf_deinit(&out);
    peri_diag_list_deinit(&diags);
}

IT("says where and why a text is refused, and what to do") {
    peri_tree_limits none = {0};
    check_report(PERI_STR("{\n  \"é\": 1,\n}"), none, PERI_EPARSE,
                 "s.json:3:1: error: a name in double quotes is expected here [json-syntax]\n"
                 "    hint: remove the comma before it\n");
    check_report(PERI_STR("{\"é\":\"ü\" \"b\":2}"), none, PERI_EPARSE,
                 "s.json:1:10: error: a comma");
    check_report(PERI_STR("[NaN]"), none, PERI_EPARSE, "write null");
    check_report(PERI_STR("[True]"), none, PERI_EPARSE, "lower case");
    check_report(PERI_STR("{} // x"), none, PERI_EPARSE, "1:4: error: something follows");
    check_report(PERI_STR("['a']"), none, PERI_EPARSE, "double quotes");
    check_report(PERI_STR("[1,\n \"a"), none, PERI_EPARSE,
                 "s.json:2:2: error: this text has no");
    check_report(PERI_STR("[1,\n2"), none, PERI_EPARSE, "s.json:2:2: ");
    check_report(PERI_STR("[007]"), none, PERI_EPARSE, "1:2: error: this is no JSON number");
    check_report(PERI_STR("{\"a\":1,\n\"b\":0,\"a\":2}"),
                 (peri_tree_limits){.refuse_duplicates = true}, PERI_EDUP,
                 "s.json:2:7: error: this name stands twice");
    check_report(PERI_STR("[[[0]]]"), (peri_tree_limits){.max_depth = 2}, PERI_EDEPTH, "1:3: ");
    check_report(PERI_STR("[0,0]"), (peri_tree_limits){.max_bytes = 4}, PERI_ELIMIT,
                 "5 bytes are more than the limit of 4");
}

IT("reads a text of exactly its limit and defaults to 1 MiB") {
    peri_buf text;
    peri_buf_init(&text, 1 << 21);
    peri_buf_add_byte(&text, '"');
    peri_buf_add_repeat(&text, 'x', (1 << 20) - 2);
    peri_buf_add_byte(&text, '"');
    peri_tree *tree = parse(peri_buf_str(&text));
    CHECK_EQ(peri_tree_str(tree).len, (1 << 20) - 2);
    peri_tree_free(tree);
    peri_buf_add_byte(&text, ' ');
    check_report(peri_buf_str(&text), (peri_tree_limits){0}, PERI_ELIMIT, "json-too-long");
    peri_buf_deinit(&text);
}

IT("caps the number of values") {
    peri_buf text;
    peri_buf_init(&text, 1 << 20);
    peri_buf_add_byte(&text, '[');
    for (int i = 0; i < PERI_JSON_MAX_NODES; i++) peri_buf_add_c(&text, i ? ",0" : "0");
    peri_buf_add_byte(&text, ']');
    check_report(peri_buf_str(&text), (peri_tree_limits){0}, PERI_ELIMIT, "too many values");
    peri_buf_deinit(&text);
}

static void check_print(const peri_tree *tree, const char *want) {
    peri_buf out;
    peri_buf_init(&out, 1 << 16);
    CHECK_OK(peri_tree_print(tree, SIZE_MAX, &out));
    CHECK_STR(peri_buf_str(&out), want);
    peri_buf_deinit(&out);
}

IT("builds trees that print as they would be read") {
    peri_tree *tree = peri_tree_new_object();
    peri_tree *list = peri_tree_new_array();
    CHECK_OK(peri_tree_add_take(list, peri_tree_new_null()));
    CHECK_OK(peri_tree_add_take(list, peri_tree_new_bool(true)));
    CHECK_OK(peri_tree_add_take(list, peri_tree_new_bool(false)));
    CHECK_OK(peri_tree_add_take(list, peri_tree_new_string(peri_str_of("a\0\"\xFF", 4))));
    CHECK_OK(peri_tree_add_take(list, peri_tree_new_string((peri_str){0})));
    CHECK_OK(peri_tree_set_take(tree, peri_str_of("k\0", 2), list));
    CHECK_OK(peri_tree_set_take(tree, PERI_STR(""), peri_tree_new_object()));
    check_print(tree, "{\"k\\u0000\":[null,true,false,\"a\\u0000\\\"\uFFFD\",\"\"],\"\":{}}");
    check_print(peri_tree_first(tree), "[null,true,false,\"a\\u0000\\\"\uFFFD\",\"\"]");
    peri_tree_free(tree);
}

IT("prints doubles as JavaScript does") {
    static const struct {
        double value;
        const char *want;
    } cases[] = {{0, "0"},           {-0.0, "0"},
                 {1, "1"},           {-42, "-42"},
                 {0.1, "0.1"},       {1e21, "1e+21"},
                 {1e-7, "1e-7"},     {9007199254740991.0, "9007199254740991"},
                 {INFINITY, "null"}, {NAN, "null"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        peri_tree *tree = peri_tree_new_number(cases[i].value);
        check_print(tree, cases[i].want);
        peri_tree_free(tree);
    }
}

IT("frees a child that cannot be added and says why") {
    peri_tree *list = peri_tree_new_array();
    CHECK_EQ(peri_tree_add_take(list, NULL), PERI_ENOMEM);
    CHECK_EQ(peri_tree_add_take(NULL, peri_tree_new_null()), PERI_ENOMEM);
    CHECK_EQ(peri_tree_set_take(list, PERI_STR("k"), peri_tree_new_null()), PERI_EINVAL);
    CHECK_EQ(peri_tree_count(list), 0);
    peri_tree *text = peri_tree_new_string(PERI_STR("x"));
    CHECK_EQ(peri_tree_add_take(text, list), PERI_EINVAL);
    peri_tree_free(text);
}

IT("frees and refuses to print what a script nested a million deep") {
    peri_tree *tree = peri_tree_new_null();
    for (int i = 0; i < 1000000; i++) {
        peri_tree *outer = i % 2 ? peri_tree_new_array() : peri_tree_new_object();
        CHECK_OK(i % 2 ? peri_tree_add_take(outer, tree)
                       : peri_tree_set_take(outer, PERI_STR("k"), tree));
        tree = outer;
    }
    peri_buf out;
    peri_buf_init(&out, 1 << 20);
    peri_buf_add_c(&out, "before");
    CHECK_EQ(peri_tree_print(tree, SIZE_MAX, &out), PERI_EDEPTH);
    CHECK_STR(peri_buf_str(&out), "before");
    peri_buf_deinit(&out);
    peri_tree_free(tree);
}

IT("takes back what it printed past the limit") {
    peri_tree *tree = parse(PERI_STR("{\"a\":[1,2,3]}"));
    peri_buf out;
    peri_buf_init(&out, 100);
    peri_buf_add_c(&out, "x");
    CHECK_EQ(peri_tree_print(tree, 12, &out), PERI_ELIMIT);
    CHECK_STR(peri_buf_str(&out), "x");
    CHECK_OK(peri_tree_print(tree, 13, &out));
    CHECK_STR(peri_buf_str(&out), "x{\"a\":[1,2,3]}");
    CHECK_EQ(peri_tree_print(NULL, 13, &out), PERI_EINVAL);
    peri_buf small;
    peri_buf_init(&small, 12);
    CHECK_EQ(peri_tree_print(tree, SIZE_MAX, &small), PERI_ELIMIT);
    peri_buf_deinit(&small);
    peri_buf_deinit(&out);
    peri_tree_free(tree);
}

TEST_MAIN
