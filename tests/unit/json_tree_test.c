// The promises of json_tree.h that are the tree's alone: where it differs from the scanner, its
// diagnostics, building and printing. What both have in common is in json_faces_test.c.
#include <math.h>

#include "base/json_tree.h"
#include "test.h"

static peri_tree *parse(peri_str text) {
    peri_tree *tree = NULL;
    CHECK_OK(peri_tree_parse(text, (peri_tree_limits){0}, (peri_str){0}, NULL, NULL, &tree));
    return tree;
}

static void check_print(const peri_tree *tree, const char *want) {
    peri_buf out;
    peri_buf_init(&out, 1 << 16);
    CHECK_OK(peri_tree_print(tree, SIZE_MAX, &out));
    CHECK_STR(peri_buf_str(&out), want);
    peri_buf_deinit(&out);
}

IT("D5 the tree refuses NaN and Infinity, which the scanner reads as null") {
    static const char *const words[] = {"NaN", "[Infinity]", "{\"a\":-Infinity}"};
    for (size_t i = 0; i < 3; i++) {
        peri_tree *tree = NULL;
        CHECK_EQ(peri_tree_parse(peri_str_c(words[i]), (peri_tree_limits){0}, (peri_str){0},
                                 NULL, NULL, &tree),
                 PERI_EPARSE);
        CHECK(!tree);
    }
}

IT("D5 the tree mends invalid UTF-8 and skips a BOM") {
    peri_tree *tree = NULL;
    size_t repaired = 0;
    CHECK_OK(peri_tree_parse(PERI_STR("\xEF\xBB\xBF{\"\xFF\":\"a\xC3\"}"),
                             (peri_tree_limits){0}, (peri_str){0}, NULL, &repaired, &tree));
    CHECK_EQ(repaired, 2);
    check_print(tree, "{\"\uFFFD\":\"a\uFFFD\"}");
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
