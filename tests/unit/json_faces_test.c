// The contract that both faces of JSON keep: the scanner of event streams (json.h) and the tree
// of small documents (json_tree.h). Each test runs against either, as a test of its own. What
// only one of them has is in json_test.c and json_tree_test.c.
#include <math.h>

#include "base/json_tree.h"
#include "test.h"

typedef enum json_face { SCANNER, TREE } json_face;

// A text as one face read it, and a value of it.
typedef struct reading {
    json_face face;
    int status;
    size_t repaired;
    peri_json_doc doc;
    peri_arena arena;
    peri_tree *tree;
} reading;

typedef struct value {
    const reading *of;
    peri_json scanned;
    const peri_tree *tree;
} value;

static void scan(reading *r, peri_str text, peri_tree_limits limits) {
    peri_json_doc_init(&r->doc);
    peri_arena_init(&r->arena, 1 << 24);
    r->doc.max_depth = limits.max_depth ? limits.max_depth : 64;
    r->doc.refuse_duplicates = limits.refuse_duplicates;
    r->status = peri_json_parse(&r->doc, text);
    if (r->status == PERI_OK && r->doc.end < text.len) r->status = PERI_EPARSE;
    if (r->status < 0) r->doc.count = 0;
    r->repaired = r->doc.repaired;
}

static void build(reading *r, peri_str text, peri_tree_limits limits) {
    if (!limits.max_bytes) limits.max_bytes = 1 << 24;
    r->status = peri_tree_parse(text, limits, PERI_STR("t"), NULL, &r->repaired, &r->tree);
}

static void open_within(reading *r, json_face face, peri_str text, peri_tree_limits limits) {
    *r = (reading){.face = face};
    if (face == SCANNER) {
        scan(r, text, limits);
    } else {
        build(r, text, limits);
    }
}

static void open(reading *r, json_face face, peri_str text) {
    open_within(r, face, text, (peri_tree_limits){0});
}

static void drop(reading *r) {
    if (r->face == SCANNER) {
        peri_json_doc_deinit(&r->doc);
        peri_arena_deinit(&r->arena);
    }
    peri_tree_free(r->tree);
}

static value root(const reading *r) {
    return (value){r, r->face == SCANNER ? peri_json_root(&r->doc) : (peri_json){0}, r->tree};
}

static value get(value v, const char *key) {
    peri_str name = peri_str_c(key);
    return (value){v.of, peri_json_get(v.scanned, name), peri_tree_get(v.tree, name)};
}

// The child at `index`, and its key as it is written without escapes.
static value child(value v, size_t index, peri_str *key) {
    value found = {.of = v.of};
    *key = (peri_str){0};
    if (v.of->face == TREE) {
        found.tree = peri_tree_first(v.tree);
        while (index-- && found.tree) found.tree = peri_tree_next(found.tree);
        *key = peri_tree_key(found.tree);
        return found;
    }
    for (peri_json_iter it = peri_json_begin(v.scanned); peri_json_more(&it);) {
        if (index--) continue;
        *key = it.key;
        found.scanned = it.value;
        break;
    }
    return found;
}

static value item(value v, size_t index) {
    peri_str key;
    return child(v, index, &key);
}

static peri_json_type type_of(value v) {
    return v.of->face == SCANNER ? peri_json_type_of(v.scanned) : peri_tree_type(v.tree);
}

static size_t count(value v) {
    return v.of->face == SCANNER ? peri_json_count(v.scanned) : peri_tree_count(v.tree);
}

static bool is_true(value v) {
    return v.of->face == SCANNER ? peri_json_is_true(v.scanned) : peri_tree_is_true(v.tree);
}

// A string's content or a number's digits; else absent.
static peri_str text_of(value v) {
    if (v.of->face == TREE) return peri_tree_str(v.tree);
    if (type_of(v) == PERI_JSON_NUMBER) return peri_json_raw(v.scanned);
    return peri_json_str(v.scanned, (peri_arena *)&v.of->arena);
}

static int whole_of(value v, int64_t *out) {
    return v.of->face == SCANNER ? peri_json_int(v.scanned, out) : peri_tree_int(v.tree, out);
}

static int real_of(value v, double *out) {
    return v.of->face == SCANNER ? peri_json_double(v.scanned, out)
                                 : peri_tree_double(v.tree, out);
}

static void print(value v, peri_buf *out) {
    peri_buf_init(out, 1 << 24);
    if (v.of->face == SCANNER) {
        peri_json_compact(v.scanned, out, SIZE_MAX, 0);
    } else {
        CHECK_OK(peri_tree_print(v.tree, SIZE_MAX, out));
    }
}

#define BOTH(name) BOTH_(name, TEST_JOIN(both_, __LINE__))
#define BOTH_(name, fn)                                                                        \
    static void fn(json_face face);                                                            \
    IT_("scanner: " name, TEST_JOIN(fn, _scanner)) {                                           \
        fn(SCANNER);                                                                           \
    }                                                                                          \
    IT_("tree: " name, TEST_JOIN(fn, _tree)) {                                                 \
        fn(TREE);                                                                              \
    }                                                                                          \
    static void fn(json_face face)

// `text` is read, with `repaired` values mended, and printed as `want`.
static void prints(json_face face, peri_str text, peri_str want, size_t repaired) {
    reading r;
    peri_buf out;
    open(&r, face, text);
    CHECK_OK(r.status);
    print(root(&r), &out);
    if (!peri_str_eq(peri_buf_str(&out), want) || r.repaired != repaired) {
        TEST_FAIL("%.*s gives %.*s (%zu mended), not %.*s", PERI_FMT(text),
                  PERI_FMT(peri_buf_str(&out)), r.repaired, PERI_FMT(want));
    }
    peri_buf_deinit(&out);
    drop(&r);
}

static void ends_with(json_face face, peri_str text, int status, peri_tree_limits limits) {
    reading r;
    open_within(&r, face, text, limits);
    if (r.status != status) {
        TEST_FAIL("%.*s gives %s, not %s", PERI_FMT(text), peri_status_name(r.status),
                  peri_status_name(status));
    }
    if (status < 0) CHECK_EQ(type_of(root(&r)), PERI_JSON_ABSENT); // and nothing to read
    drop(&r);
}

static const peri_tree_limits none, strict = {.refuse_duplicates = true};

BOTH("reads every type") {
    reading r;
    open(&r, face, PERI_STR(" {\"a\":[null,true,false,-1.5e+3,\"x\"],\"b\":{}} "));
    CHECK_OK(r.status);
    CHECK_EQ(r.repaired, 0);
    CHECK_EQ(type_of(root(&r)), PERI_JSON_OBJECT);
    CHECK_EQ(count(root(&r)), 2);
    static const peri_json_type types[] = {PERI_JSON_NULL,   PERI_JSON_BOOL,
                                           PERI_JSON_BOOL,   PERI_JSON_NUMBER,
                                           PERI_JSON_STRING, PERI_JSON_ABSENT};
    value list = get(root(&r), "a");
    for (size_t i = 0; i < 6; i++) {
        peri_str key;
        CHECK_EQ(type_of(child(list, i, &key)), types[i]);
        CHECK(!key.ptr); // elements have none
    }
    CHECK(is_true(item(list, 1)) && !is_true(item(list, 2)) && !is_true(item(list, 0)));
    CHECK_EQ(count(list), 5);
    CHECK_EQ(count(get(root(&r), "b")), 0);
    CHECK_EQ(count(item(list, 4)), 0);
    drop(&r);
}

BOTH("prints a text without blanks, members in order") {
    prints(face, PERI_STR(" [ ] "), PERI_STR("[]"), 0);
    prints(face, PERI_STR("\t{\r\n}"), PERI_STR("{}"), 0);
    prints(face, PERI_STR("\"\""), PERI_STR("\"\""), 0);
    prints(face, PERI_STR("{\"b\":[1,{\"c\":[[],{}]}],\"a\":null,\"\":true}"),
           PERI_STR("{\"b\":[1,{\"c\":[[],{}]}],\"a\":null,\"\":true}"), 0);
    prints(face, PERI_STR("[\"\\u00e9\\u4e2d\\ud83d\\ude00\\/\\u002f\"]"),
           PERI_STR("[\"é中😀//\"]"), 0);
    prints(face, PERI_STR(" { \"é\" : [ 1 , { } , [ ] , \"😀\\n\" ] , \"b\" : 0 } "),
           PERI_STR("{\"é\":[1,{},[],\"😀\\n\"],\"b\":0}"), 0);
}

BOTH("prints one value out of a text and nothing behind it") {
    reading r;
    peri_buf out;
    open(&r, face, PERI_STR("{\"a\":{\"x\":[1,2]},\"b\":3}"));
    print(get(root(&r), "a"), &out);
    CHECK_STR(peri_buf_str(&out), "{\"x\":[1,2]}");
    peri_buf_deinit(&out);
    drop(&r);
}

BOTH("D5 mends lone surrogates where cJSON refuses the line") {
    prints(face,
           PERI_STR("[\"\\ud800\",\"x\\uDFFFy\",\"\\ud83d\\u0041\",\"\\ud83d\\ud83d\\ude00\"]"),
           PERI_STR("[\"\uFFFD\",\"x\uFFFDy\",\"\uFFFDA\",\"\uFFFD😀\"]"), 4);
    prints(face, PERI_STR("\"\\ud83d\\n\""), PERI_STR("\"\uFFFD\\n\""), 1);
    prints(face, PERI_STR("\"\\ufffd\""), PERI_STR("\"\uFFFD\""), 0);
    ends_with(face, PERI_STR("\"\\ud83d\\uZZZZ\""), PERI_EPARSE, none);
}

BOTH("D5 keeps \\u0000 where cJSON cuts the text") {
    prints(face, PERI_STR("{\"a\\u0000b\":\"c\\u0000d\"}"),
           PERI_STR("{\"a\\u0000b\":\"c\\u0000d\"}"), 0);
    prints(face, peri_str_of("\"a\0b\"", 5), PERI_STR("\"a\\u0000b\""), 1);
}

BOTH("D5 keeps raw control characters, escaped when printed") {
    prints(face, PERI_STR("\"a\tb\nc\x1f\""), PERI_STR("\"a\\tb\\nc\\u001f\""), 3);
}

BOTH("keeps raw control characters in strings, whatever their place, and counts them") {
    for (size_t before = 0; before < 40; before++) {
        char text[64];
        memset(text, 'x', sizeof text);
        text[0] = '"';
        text[1 + before] = '\x1F';
        text[60] = '"';
        reading r;
        open(&r, face, peri_str_of(text, 61));
        CHECK_OK(r.status);
        CHECK_EQ(r.repaired, 1);
        CHECK_EQ(text_of(root(&r)).ptr[before], 0x1F);
        drop(&r);
    }
}

BOTH("prints a megabyte of raw control characters in linear time") {
    peri_buf text, out;
    reading r;
    peri_buf_init(&text, 1 << 21);
    peri_buf_add_byte(&text, '"');
    peri_buf_add_repeat(&text, '\x01', 1 << 20);
    peri_buf_add_byte(&text, '"');
    open(&r, face, peri_buf_str(&text));
    CHECK_OK(r.status);
    print(root(&r), &out);
    CHECK_EQ(out.len, 6 * (1 << 20) + 2);
    peri_buf_deinit(&out);
    peri_buf_deinit(&text);
    drop(&r);
}

BOTH("D5 does not take welded or trailing text for part of a value") {
    static const char *const bad[] = {"{\"a\":1}{\"b\":2}", "{\"a\":1}\n{\"b\":2}", "[1]x",
                                      "1 2", "true]"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ends_with(face, peri_str_c(bad[i]), PERI_EPARSE, none);
    }
    ends_with(face, peri_str_of("1\0", 2), PERI_EPARSE, none);
}

BOTH("D5 does not take control characters for blanks") {
    ends_with(face, PERI_STR("\x01[1]"), PERI_EPARSE, none);
    ends_with(face, PERI_STR("[1,\v2]"), PERI_EPARSE, none);
    ends_with(face, PERI_STR("[1]\f"), PERI_EPARSE, none);
}

BOTH("D5 does not read numbers that JSON does not have") {
    static const char *const bad[] = {"01",   "-",     "+1",  ".5",  "1.",
                                      "1.e2", "1e",    "1e+", "--1", "0x10",
                                      "1_0",  "1.2.3", "-01", "1-2", "1e5.5"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ends_with(face, peri_str_c(bad[i]), PERI_EPARSE, none);
    }
}

BOTH("D5 keeps numbers digit for digit, also beyond 2^53") {
    static const char *const numbers[] = {"9007199254740993",
                                          "12345678901234567890123",
                                          "-0",
                                          "1.10",
                                          "1E+2",
                                          "1e400",
                                          "0.1000000000000000055511151231257827",
                                          "-9223372036854775808"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        prints(face, peri_str_c(numbers[i]), peri_str_c(numbers[i]), 0);
    }
}

BOTH("reads numbers as whole ones of 64 bits or as doubles, and says when one is none") {
    static const struct {
        int status;
        int64_t whole;
        double real;
    } wants[] = {
        {PERI_OK, INT64_MAX, 9223372036854775807.0},
        {PERI_OK, INT64_MIN, -9223372036854775808.0},
        {PERI_ELIMIT, 0, 9223372036854775808.0},
        {PERI_EPARSE, 0, 1},
        {PERI_EPARSE, 0, 1000},
        {PERI_OK, 0, 0},
        {PERI_EPARSE, 0, HUGE_VAL},
    };
    reading r;
    open(&r, face,
         PERI_STR("[9223372036854775807,-9223372036854775808,9223372036854775808,1.0,1e3,-0,"
                  "1e400,\"1\",null]"));
    for (size_t i = 0; i < sizeof wants / sizeof wants[0]; i++) {
        int64_t whole = 77;
        double real = 77;
        CHECK_EQ(whole_of(item(root(&r), i), &whole), wants[i].status);
        CHECK(whole == (wants[i].status == PERI_OK ? wants[i].whole : 77)); // else untouched
        CHECK_OK(real_of(item(root(&r), i), &real));
        CHECK(real == wants[i].real);
    }
    for (size_t i = 7; i < 10; i++) { // a string, a null, and nothing
        int64_t whole;
        double real;
        CHECK_EQ(whole_of(item(root(&r), i), &whole), PERI_EINVAL);
        CHECK_EQ(real_of(item(root(&r), i), &real), PERI_EINVAL);
    }
    drop(&r);
}

BOTH("D5 refuses equal keys on demand, also behind escapes, and no others") {
    static const char *const twice[] = {
        "{\"a\":1,\"a\":2}",
        "{\"a\":1,\"b\":2,\"a\":3}",
        "{\"a\":1,\"\\u0061\":2}",
        "[{\"x\":{\"é\":1,\"\\u00e9\":2}}]",
        "[{\"o\":{\"k\":1,\"l\":2,\"k\":3}}]",
        "{\"a\\u0000b\":1,\"a\\u0000b\":2}",
    };
    static const char *const once[] = {
        "{\"a\\u0000b\":1,\"a\\u0000c\":2}",
        "{\"a\":{\"a\":{\"a\":1}},\"A\":[{\"a\":1},{\"a\":2}]}",
        "{\"a\":{\"a\":1},\"b\":{\"a\":2},\"A\":3}",
        "{\"a\":1,\"ab\":2,\"\":3}",
    };
    for (size_t i = 0; i < sizeof twice / sizeof twice[0]; i++) {
        ends_with(face, peri_str_c(twice[i]), PERI_EDUP, strict);
        ends_with(face, peri_str_c(twice[i]), PERI_OK, none);
    }
    for (size_t i = 0; i < sizeof once / sizeof once[0]; i++) {
        ends_with(face, peri_str_c(once[i]), PERI_OK, strict);
    }
    prints(face, PERI_STR("{\"a\":1,\"a\":2}"), PERI_STR("{\"a\":1,\"a\":2}"), 0);
}

BOTH("finds equal keys among very many without comparing all pairs") {
    peri_buf text;
    peri_buf_init(&text, 1 << 22);
    peri_buf_add_c(&text, "{");
    for (int i = 0; i < 100000; i++) peri_buf_addf(&text, "\"k%06d\":0,", i);
    peri_buf_add_c(&text, "\"k000000\":0}");
    ends_with(face, peri_buf_str(&text), PERI_EDUP, strict);
    peri_buf_deinit(&text);
}

BOTH("D5 gets members by exact name, the last of equal ones") {
    reading r;
    open(&r, face, PERI_STR("{\"a\":1,\"A\":2,\"\\u0061\":3,\"\":4,\"a.b\":{\"c\":5}}"));
    CHECK_OK(r.status);
    CHECK_STR(text_of(get(root(&r), "a")), "3");
    CHECK_STR(text_of(get(root(&r), "A")), "2");
    CHECK_STR(text_of(get(root(&r), "")), "4");
    CHECK_STR(text_of(get(get(root(&r), "a.b"), "c")), "5");
    CHECK_EQ(type_of(get(root(&r), "aa")), PERI_JSON_ABSENT);
    CHECK_EQ(type_of(get(get(root(&r), "a"), "x")), PERI_JSON_ABSENT); // of a number
    CHECK_EQ(type_of(get(get(root(&r), "none"), "x")), PERI_JSON_ABSENT);
    drop(&r);
}

BOTH("gives texts unescaped, with their NULs, and keys in order") {
    reading r;
    peri_str key;
    open(&r, face,
         PERI_STR("{\"k\":\"v\\u0000w\",\"n\":12.50,\"e\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00E9"
                  "\\ud83d\\ude00\",\"l\":[true]}"));
    CHECK(peri_str_eq(text_of(child(root(&r), 0, &key)), peri_str_of("v\0w", 3)));
    CHECK_STR(key, "k");
    CHECK_STR(text_of(child(root(&r), 1, &key)), "12.50");
    CHECK_STR(key, "n");
    CHECK_STR(text_of(child(root(&r), 2, &key)), "\"\\/\b\f\n\r\té😀");
    CHECK(!text_of(child(root(&r), 3, &key)).ptr);
    CHECK_STR(key, "l");
    drop(&r);
}

BOTH("D5 stops at 64 levels, or where it is told to") {
    char text[131];
    for (size_t depth = 64; depth <= 65; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        ends_with(face, peri_str_of(text, 2 * depth), depth == 64 ? PERI_OK : PERI_EDEPTH,
                  none);
    }
    peri_tree_limits flat = {.max_depth = 1};
    ends_with(face, PERI_STR("[1]"), PERI_OK, flat);
    ends_with(face, PERI_STR("[[1]]"), PERI_EDEPTH, flat);
    ends_with(face, PERI_STR("[{\"a\":1}]"), PERI_EDEPTH, flat);
}

BOTH("D5 stops at 100,000 levels without having gone down there") {
    peri_buf text;
    peri_buf_init(&text, 1 << 21);
    for (int i = 0; i < 100000; i++) peri_buf_add_c(&text, i % 2 ? "{\"a\":" : "[");
    ends_with(face, peri_buf_str(&text), PERI_EDEPTH, (peri_tree_limits){.max_depth = 256});
    peri_buf_deinit(&text);
}

BOTH("holds as many values as are allowed and no more") {
    peri_buf text;
    peri_buf_init(&text, 1 << 20);
    peri_buf_add_byte(&text, '[');
    for (int i = 0; i < PERI_JSON_MAX_NODES; i++) peri_buf_add_c(&text, i ? ",0" : "0");
    peri_buf_add_byte(&text, ']');
    ends_with(face, peri_buf_str(&text), PERI_ELIMIT, none);
    text.ptr[text.len - 3] = ']'; // one fewer, with the list itself as many as may be
    ends_with(face, peri_str_sub(peri_buf_str(&text), 0, text.len - 2), PERI_OK, none);
    peri_buf_deinit(&text);
}

BOTH("refuses what is not well-formed") {
    static const char *const bad[] = {
        "",          "  ",    "[",           "]",        "{",          "}",
        "[1,]",      "[,1]",  "{\"a\"}",     "{\"a\":}", "{\"a\":1,}", "{,}",
        "{1:2}",     "[1:2]", "{\"a\",1}",   "[1 2]",    "'a'",        "tru",
        "True",      "nul",   "truefalse",   "\"\\x\"",  "\"\\u12\"",  "\"a",
        "\"\\",      "[}",    "{]",          "[1}",      "// x\n1",    "undefined",
        "{\"a\" 1}", "{a:1}", "[01]",        "[1.]",     "[1e]",       "[-]",
        "[tru]",     "\x01",  "\"\\u12G4\"", "\"\\u12",  "{\"a\":1",   "{\"a\":1,\"b\":"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ends_with(face, peri_str_c(bad[i]), PERI_EPARSE, none);
    }
    ends_with(face, (peri_str){0}, PERI_EPARSE, none);
}

TEST_MAIN
