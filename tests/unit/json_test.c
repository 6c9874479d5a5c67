// The promises of json.h that are the scanner's alone: places in the text, bounded reading,
// the writer. What scanner and tree have in common is in json_faces_test.c.
#include "base/json.h"
#include "test.h"

// A scanned text with an arena, leaked to the end of the program on failure.
typedef struct fixture {
    peri_json_doc doc;
    peri_arena arena;
    int status;
} fixture;

static fixture scan(peri_str text) {
    fixture f;
    peri_json_doc_init(&f.doc);
    peri_arena_init(&f.arena, 1 << 20);
    f.status = peri_json_parse(&f.doc, text);
    return f;
}

static void drop(fixture *f) {
    peri_json_doc_deinit(&f->doc);
    peri_arena_deinit(&f->arena);
}

static peri_json root(const fixture *f) {
    return peri_json_root(&f->doc);
}

static void check_status(peri_str text, int status, size_t error_at) {
    fixture f = scan(text);
    CHECK_EQ(f.status, status);
    if (status < 0) CHECK_EQ(f.doc.error_at, error_at);
    drop(&f);
}

IT("says where a bad text stops fitting") {
    check_status(PERI_STR(""), PERI_EPARSE, 0);
    check_status((peri_str){0}, PERI_EPARSE, 0);
    check_status(PERI_STR("  "), PERI_EPARSE, 2);
    check_status(PERI_STR("{\"a\" 1}"), PERI_EPARSE, 5);
    check_status(PERI_STR("{\"a\":1,}"), PERI_EPARSE, 7);
    check_status(PERI_STR("{a:1}"), PERI_EPARSE, 1);
    check_status(PERI_STR("[1,]"), PERI_EPARSE, 3);
    check_status(PERI_STR("[1 2]"), PERI_EPARSE, 3);
    check_status(PERI_STR("[1}"), PERI_EPARSE, 2);
    check_status(PERI_STR("[01]"), PERI_EPARSE, 1);
    check_status(PERI_STR("[1.]"), PERI_EPARSE, 1);
    check_status(PERI_STR("[1e]"), PERI_EPARSE, 1);
    check_status(PERI_STR("[-]"), PERI_EPARSE, 1);
    check_status(PERI_STR("[tru]"), PERI_EPARSE, 1);
    check_status(PERI_STR("\x01"), PERI_EPARSE, 0);
    check_status(PERI_STR("\"open"), PERI_EPARSE, 0);
    check_status(PERI_STR("\"\\x\""), PERI_EPARSE, 1);
    check_status(PERI_STR("\"\\u12G4\""), PERI_EPARSE, 1);
    check_status(PERI_STR("\"\\u12"), PERI_EPARSE, 1);
    check_status(PERI_STR("\"\\"), PERI_EPARSE, 1);
    check_status(PERI_STR("{\"a\":1"), PERI_EPARSE, 6);
}

IT("leaves nothing to read after a failure") {
    fixture f = scan(PERI_STR("{\"a\":1,\"b\":"));
    CHECK_EQ(f.status, PERI_EPARSE);
    CHECK_EQ(peri_json_type_of(root(&f)), PERI_JSON_ABSENT);
    drop(&f);
}

IT("ends a value where its syntax ends, so that welded records are seen") {
    fixture f = scan(PERI_STR("{\"a\":1}\n{\"b\":2}"));
    CHECK_OK(f.status);
    CHECK_EQ(f.doc.end, 8);
    peri_str rest = peri_str_sub(f.doc.text, f.doc.end, f.doc.text.len);
    CHECK_OK(peri_json_parse(&f.doc, rest));
    CHECK_EQ(peri_json_type_of(peri_json_get(root(&f), PERI_STR("b"))), PERI_JSON_NUMBER);
    drop(&f);
}

IT("reads NaN and the infinities of Python writers as null and counts them") {
    fixture f = scan(PERI_STR("[NaN,Infinity,-Infinity]"));
    CHECK_OK(f.status);
    CHECK_EQ(f.doc.repaired, 3);
    for (peri_json_iter it = peri_json_begin(root(&f)); peri_json_more(&it);) {
        CHECK_EQ(peri_json_type_of(it.value), PERI_JSON_NULL);
    }
    drop(&f);
}

IT("nests as deep as the limit and no deeper") {
    char text[2 * PERI_JSON_MAX_DEPTH + 3];
    for (size_t depth = PERI_JSON_MAX_DEPTH; depth <= PERI_JSON_MAX_DEPTH + 1; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        bool fits = depth <= PERI_JSON_MAX_DEPTH;
        check_status(peri_str_of(text, 2 * depth), fits ? PERI_OK : PERI_EDEPTH, depth - 1);
    }
    peri_json_doc doc;
    peri_json_doc_init(&doc);
    doc.max_depth = 1;
    CHECK_OK(peri_json_parse(&doc, PERI_STR("[1]")));
    CHECK_EQ(peri_json_parse(&doc, PERI_STR("[[1]]")), PERI_EDEPTH);
    peri_json_doc_deinit(&doc);
}

IT("holds as many nodes as allowed, also below its first allocation") {
    peri_json_doc doc;
    peri_json_doc_init(&doc);
    doc.max_nodes = 3;
    CHECK_OK(peri_json_parse(&doc, PERI_STR("[1,2]")));
    CHECK_EQ(peri_json_parse(&doc, PERI_STR("[1,2,3]")), PERI_ELIMIT);
    CHECK_EQ(peri_json_parse(&doc, PERI_STR("{\"a\":{}")), PERI_EPARSE);
    peri_json_doc_deinit(&doc);
}

static int parse_strictly(peri_str text, size_t *error_at) {
    peri_json_doc doc;
    peri_json_doc_init(&doc);
    doc.refuse_duplicates = true;
    int status = peri_json_parse(&doc, text);
    *error_at = doc.error_at;
    peri_json_doc_deinit(&doc);
    return status;
}

IT("refuses equal keys on demand, also behind escapes, and names the second") {
    size_t at;
    CHECK_EQ(parse_strictly(PERI_STR("{\"a\":1,\"b\":2,\"a\":3}"), &at), PERI_EDUP);
    CHECK_EQ(at, 14);
    CHECK_EQ(parse_strictly(PERI_STR("{\"a\":1,\"\\u0061\":2}"), &at), PERI_EDUP);
    CHECK_EQ(at, 8);
    CHECK_EQ(parse_strictly(PERI_STR("[{\"x\":{\"é\":1,\"\\u00e9\":2}}]"), &at), PERI_EDUP);
    CHECK_OK(parse_strictly(PERI_STR("{\"a\":{\"a\":1},\"b\":{\"a\":2},\"A\":3}"), &at));
    CHECK_OK(parse_strictly(PERI_STR("{\"a\":1,\"ab\":2,\"\":3}"), &at));
}

IT("finds equal keys among very many without comparing all pairs") {
    peri_buf text;
    peri_buf_init(&text, 1 << 22);
    peri_buf_add_c(&text, "{");
    for (int i = 0; i < 100000; i++) peri_buf_addf(&text, "\"k%06d\":0,", i);
    peri_buf_add_c(&text, "\"k000000\":0}");
    size_t at;
    CHECK_EQ(parse_strictly(peri_buf_str(&text), &at), PERI_EDUP);
    CHECK_EQ(at, text.len - 11);
    peri_buf_deinit(&text);
}

IT("compares a string's content without unescaping it") {
    fixture f = scan(PERI_STR("[\"a\\nb\",\"\\ud83d\\ude00\",\"\",1]"));
    peri_json_iter it = peri_json_begin(root(&f));
    CHECK(peri_json_more(&it) && peri_json_is(it.value, PERI_STR("a\nb")));
    CHECK(!peri_json_is(it.value, PERI_STR("a\n")) &&
          !peri_json_is(it.value, PERI_STR("a\nbc")));
    CHECK(peri_json_more(&it) && peri_json_is(it.value, PERI_STR("😀")));
    CHECK(peri_json_more(&it) && peri_json_is(it.value, PERI_STR("")));
    CHECK(peri_json_more(&it) && !peri_json_is(it.value, PERI_STR("1")));
    CHECK(!peri_json_more(&it));
    drop(&f);
}

IT("borrows strings without escapes and unescapes the others") {
    fixture f =
        scan(PERI_STR("[\"plain é\",\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00E9\\ud83d\\ude00\"]"));
    peri_json_iter it = peri_json_begin(root(&f));
    CHECK(peri_json_more(&it));
    CHECK_STR(peri_json_str(it.value, &f.arena), "plain é");
    CHECK_EQ(f.arena.used_bytes, 0);
    CHECK(peri_json_more(&it));
    CHECK_STR(peri_json_str(it.value, &f.arena), "\"\\/\b\f\n\r\té😀");
    drop(&f);
}

IT("gives an absent string when the arena is full or the value is none") {
    fixture f = scan(PERI_STR("\"a\\nb\""));
    peri_arena tiny;
    peri_arena_init(&tiny, 1);
    CHECK(!peri_json_str(root(&f), &tiny).ptr);
    peri_text text = peri_json_text(root(&f), (peri_text_caps){9, 9}, &tiny);
    CHECK(peri_text_absent(&text));
    CHECK(!peri_json_str((peri_json){0}, &f.arena).ptr);
    drop(&f);
}

// Both ends of `raw`, once as a scanned string and once by peri_text_of() over its content.
static void check_ends(peri_str raw, peri_text_caps caps) {
    fixture f = scan(raw);
    CHECK_OK(f.status);
    peri_text got = peri_json_text(root(&f), caps, &f.arena);
    peri_text want = peri_text_of(peri_json_str(root(&f), &f.arena), caps);
    if (!peri_str_eq(got.head, want.head) || !peri_str_eq(got.tail, want.tail)) {
        TEST_FAIL("%.*s caps %u/%u: \"%.*s\" \"%.*s\", not \"%.*s\" \"%.*s\"", PERI_FMT(raw),
                  caps.head_cp, caps.tail_cp, PERI_FMT(got.head), PERI_FMT(got.tail),
                  PERI_FMT(want.head), PERI_FMT(want.tail));
    }
    CHECK_EQ(got.cp, want.cp);
    CHECK_EQ(got.u16, want.u16);
    CHECK_EQ(got.cut, want.cut);
    drop(&f);
}

IT("keeps both ends of a string as they would be kept of its content") {
    static const char *const raws[] = {
        "\"\"",
        "\"abcdefghij\"",
        "\"äöüßäöüßäö\"",
        "\"a\\nb\\nc\\nd\\ne\\n\"",
        "\"\\ud83d\\ude00\\ud83d\\ude01\\ud83d\\ude02\\ud83d\\ude03\\ud83d\\ude04\"",
        "\"\\ud83d\\ude00a\\ud83d\\ude01b\\u00e9\\\\\\\\\\\"c😀\\ud83d\"",
        "\"\\\\\\\\\\\\\\\\\\\\u0041\\\\u0041\\u0041\"",
        "\"\\u0000\\u0001x\\u0000\"",
        "\"ééé\\u00e9\\u00e9\\u00e9\\u00e9ééé\"",
    };
    for (size_t i = 0; i < sizeof raws / sizeof raws[0]; i++) {
        for (uint32_t head = 0; head < 8; head++) {
            for (uint32_t tail = 0; tail < 8; tail++) {
                check_ends(peri_str_c(raws[i]), (peri_text_caps){head, tail});
            }
        }
    }
}

IT("unescapes no more of a long string than its caps ask for") {
    peri_buf text;
    peri_buf_init(&text, 1 << 21);
    peri_buf_add_byte(&text, '"');
    for (int i = 0; i < 100000; i++) peri_buf_add_c(&text, "\\n123456789");
    peri_buf_add_byte(&text, '"');
    fixture f = scan(peri_buf_str(&text));
    peri_text ends = peri_json_text(root(&f), (peri_text_caps){100, 50}, &f.arena);
    CHECK_EQ(ends.cp, 1000000);
    CHECK_EQ(ends.head.len, 100);
    CHECK_EQ(ends.tail.len, 50);
    CHECK(f.arena.used_bytes < 2048);
    drop(&f);
    peri_buf_deinit(&text);
}

static peri_utf8_size compact(peri_str text, size_t max_cp, size_t string_max_cp,
                              peri_buf *out) {
    fixture f = scan(text);
    CHECK_OK(f.status);
    peri_buf_init(out, 1 << 20);
    peri_utf8_size size = peri_json_compact(root(&f), out, max_cp, string_max_cp);
    drop(&f);
    return size;
}

IT("writes compact JSON, bounded in code points, with the size of the whole") {
    peri_str text = PERI_STR(" { \"é\" : [ 1 , { } , [ ] , \"😀\\n\" ] , \"b\" : NaN } ");
    peri_str whole = PERI_STR("{\"é\":[1,{},[],\"😀\\n\"],\"b\":null}");
    peri_utf8_size want = peri_utf8_count(whole);
    for (size_t max = 0; max <= want.cp + 1; max++) {
        peri_buf out;
        peri_utf8_size size = compact(text, max, 0, &out);
        CHECK_EQ(size.cp, want.cp);
        CHECK_EQ(size.u16, want.u16);
        CHECK_EQ(size.bytes, want.bytes);
        CHECK(peri_str_eq(peri_buf_str(&out),
                          peri_str_sub(whole, 0, peri_utf8_cut_cp(whole, max).bytes)));
        peri_buf_deinit(&out);
    }
}

IT("cuts long strings inside compact JSON on code points and says how much is missing") {
    peri_buf out;
    peri_utf8_size size =
        compact(PERI_STR("[\"äb\\n\\ud83d\\ude00xyz\",\"äöü\",\"1234\"]"), 100, 4, &out);
    CHECK_STR(peri_buf_str(&out), "[\"äb\\n😀… [+3 chars truncated]\",\"äöü\",\"1234\"]");
    CHECK_EQ(size.bytes, out.len);
    peri_buf_deinit(&out);
}

IT("writes a megabyte of raw control characters in linear time") {
    peri_buf text, out;
    peri_buf_init(&text, 1 << 21);
    peri_buf_add_byte(&text, '"');
    peri_buf_add_repeat(&text, '\x01', 1 << 20);
    peri_buf_add_byte(&text, '"');
    CHECK_EQ(compact(peri_buf_str(&text), 10, 0, &out).cp, 6 * (1 << 20) + 2);
    CHECK_STR(peri_buf_str(&out), "\"\\u0001\\u0");
    peri_buf_deinit(&out);
    peri_buf_deinit(&text);
}

IT("escapes a text as JSON.stringify does") {
    peri_buf out;
    peri_buf_init(&out, 100);
    peri_json_add_string(&out, peri_str_of("\"\\/\b\f\n\r\t\x1f\x7f\0é\xE2\x80\xA8", 16));
    CHECK_STR(peri_buf_str(&out),
              "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u001f\x7f\\u0000é\xE2\x80\xA8\"");
    peri_buf_deinit(&out);
}

static void check_sealed(const char *text, const char *want) {
    peri_buf line;
    peri_buf_init(&line, 200);
    peri_buf_add_c(&line, text);
    peri_json_seal_line(&line);
    CHECK_OK(line.status);
    CHECK_STR(peri_buf_str(&line), want);
    peri_buf_deinit(&line);
}

IT("C08 makes one line of a JSON text for readers that end lines at Unicode separators") {
    check_sealed("{\"a\":\"x\"}", "{\"a\":\"x\"}");
    check_sealed("[\"\xE2\x80\xA8\",\"a\xE2\x80\xA9z\xC2\x85\"]\n",
                 "[\"\\u2028\",\"a\\u2029z\\u0085\"]\n");
    check_sealed("[\"\xE2\x80\xA7\xE2\x80\xAA\xC2\x84\xC2\xA0\xE2\x81\xA8\"]",
                 "[\"\xE2\x80\xA7\xE2\x80\xAA\xC2\x84\xC2\xA0\xE2\x81\xA8\"]");
    check_sealed("", "");
    peri_buf small;
    peri_buf_init(&small, 5);
    peri_buf_add_c(&small, "\"\xE2\x80\xA8\"");
    peri_json_seal_line(&small);
    CHECK_EQ(small.status, PERI_ELIMIT);
    peri_buf_deinit(&small);
}

IT("escapes what needs it wherever it stands in a text of any length") {
    static const char special[] = {'"', '\\', '\n', 0x01, 0x1F};
    peri_buf out;
    peri_buf_init(&out, 1024);
    for (size_t len = 1; len < 200; len += len < 140 ? 1 : 13) {
        for (size_t at = 0; at < len; at++) {
            char text[200];
            memset(text, at % 2 ? 0x7F : '\xC3', len);
            text[at] = special[at % sizeof special];
            peri_buf_clear(&out);
            peri_json_add_string(&out, peri_str_of(text, len));
            size_t escaped =
                special[at % sizeof special] < 0x20 && special[at % sizeof special] != '\n' ? 6
                                                                                            : 2;
            CHECK_EQ(out.len, len - 1 + escaped + 2);
            CHECK(out.ptr[1 + at] == '\\');
            CHECK(memcmp(out.ptr + 1, text, at) == 0);
            CHECK(memcmp(out.ptr + 1 + at + escaped, text + at + 1, len - at - 1) == 0);
        }
    }
    peri_buf_deinit(&out);
}

IT("reuses its node list from text to text") {
    peri_json_doc doc;
    peri_json_doc_init(&doc);
    CHECK_OK(peri_json_parse(&doc, PERI_STR("[1,2,3]")));
    const peri_json_node *nodes = doc.nodes;
    CHECK_OK(peri_json_parse(&doc, PERI_STR("{\"a\":1}")));
    CHECK(doc.nodes == nodes);
    CHECK_EQ(doc.count, 3);
    peri_json_doc_deinit(&doc);
    peri_json_doc_deinit(NULL);
}

TEST_MAIN
