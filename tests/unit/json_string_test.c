// What the scanner says of a string's sizes, and what is cut, unescaped and written from it,
// against a plain reading of the same string, character by character: by each of the scanners
// that this machine can run.
#include "base/json_string.h"

#include "test.h"

// Pieces that make block ends, escapes, pairs and wide characters meet.
static const char *const pieces[] = {
    "a",       "\\n",     "\\\\",    "\\u0041", "\\u00e9", "\\ud83d\\ude00",
    "\\ud83d", "\\ude00", "\\/",     "é",       "日",      "🙂",
    "\x01",    "\\u001b", "\\u000A", "\\\"",    "\\t",     "a plain run of words ",
};

enum { TEXT_BYTES = 4096 };

static uint64_t draw(uint64_t *random, uint64_t below) {
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*random >> 33) % below;
}

// A string with its quotes.
static peri_str random_string(char *to, uint64_t *random) {
    size_t len = 0, count = draw(random, 60);
    to[len++] = '"';
    for (size_t i = 0; i < count; i++) {
        const char *piece = pieces[draw(random, sizeof pieces / sizeof *pieces)];
        memcpy(to + len, piece, strlen(piece));
        len += strlen(piece);
    }
    to[len++] = '"';
    return peri_str_of(to, len);
}

// Its content, a character at a time; `cuts[i]` is where the i-th begins in `raw`.
static peri_str read_plainly(peri_str raw, char *to, size_t *cuts, peri_utf8_size *size) {
    size_t at = 0, len = 0;
    *size = (peri_utf8_size){0};
    while (at < raw.len) {
        size_t used;
        peri_str rest = peri_str_sub(raw, at, raw.len);
        uint32_t cp = raw.ptr[at] == '\\' ? peri_json_unescape(rest, &used)
                                          : peri_utf8_decode(rest, &used);
        cuts[size->cp++] = at;
        size->u16 += cp > 0xFFFF ? 2 : 1;
        at += used;
        len += peri_utf8_encode(to + len, cp);
    }
    cuts[size->cp] = raw.len;
    size->bytes = len;
    return peri_str_of(to, len);
}

// Each set of code that this machine can run, the portable one last.
#define EACH_SET(set)                                                                          \
    const peri__json_string_ops *set;                                                          \
    for (size_t rank = 0; (set = peri__json_string_for(rank)) != NULL; rank++)

static peri_json_node scan(const peri__json_string_ops *set, peri_str text, size_t *error_at) {
    peri_json_node node;
    uint32_t repaired = 0;
    *error_at = PERI_NPOS;
    if (set->scan(text, 1, &node, &repaired, error_at) < 0) node = (peri_json_node){0};
    return node;
}

static void check_sizes(const peri_json_node *node, peri_str content, peri_utf8_size size) {
    peri_buf written;
    peri_buf_init(&written, 1 << 16);
    peri_json_add_string(&written, content);
    peri_utf8_size as_json = peri_utf8_count(peri_buf_str(&written));
    CHECK_EQ(node->cp, size.cp);
    CHECK_EQ(node->cp + node->astral, size.u16);
    CHECK_EQ(node->written_cp, as_json.cp - 2);
    CHECK_EQ(node->written_bytes, as_json.bytes - 2);
    peri_buf_deinit(&written);
}

IT("measures a string as a plain reading does, with any scanner") {
    char text[TEXT_BYTES], content[TEXT_BYTES];
    size_t cuts[TEXT_BYTES], error_at;
    uint64_t random = 11;
    for (int round = 0; round < 20000; round++) {
        peri_str string = random_string(text, &random);
        peri_str raw = peri_str_sub(string, 1, string.len - 2);
        peri_utf8_size size;
        peri_str plain = read_plainly(raw, content, cuts, &size);
        EACH_SET(set) {
            peri_json_node node = scan(set, string, &error_at);
            CHECK_EQ(node.len, raw.len);
            check_sizes(&node, plain, size);
        }
    }
}

IT("cuts at every code point, never inside an escape or a pair") {
    char text[TEXT_BYTES], content[TEXT_BYTES];
    size_t cuts[TEXT_BYTES];
    uint64_t random = 5;
    for (int round = 0; round < 2000; round++) {
        peri_str string = random_string(text, &random);
        peri_str raw = peri_str_sub(string, 1, string.len - 2);
        peri_utf8_size size;
        (void)read_plainly(raw, content, cuts, &size);
        size_t max = draw(&random, size.cp + 2);
        EACH_SET(set) {
            CHECK_EQ(set->cut(raw, max), cuts[max < size.cp ? max : size.cp]);
        }
    }
}

IT("unescapes to what a plain reading gives, within its room") {
    char text[TEXT_BYTES], content[TEXT_BYTES];
    size_t cuts[TEXT_BYTES];
    uint64_t random = 9;
    for (int round = 0; round < 5000; round++) {
        peri_str string = random_string(text, &random);
        peri_str raw = peri_str_sub(string, 1, string.len - 2);
        peri_utf8_size size;
        peri_str plain = read_plainly(raw, content, cuts, &size);
        EACH_SET(set) {
            char *room = malloc(raw.len + PERI__JSON_SLACK);
            CHECK(room != NULL);
            size_t wrote = set->unescape(raw, room);
            CHECK(peri_str_eq(plain, peri_str_of(room, wrote)));
            free(room);
        }
    }
}

// All scanners stop at the same byte.
static void check_refused(const char *text, size_t at) {
    size_t error_at;
    EACH_SET(set) {
        (void)scan(set, peri_str_c(text), &error_at);
        CHECK_EQ(error_at, at);
    }
}

// Bytes at random, most of them such that a string goes on.
static peri_str random_bytes(char *to, size_t len, uint64_t *random) {
    static const char set[] =
        "abcnrtu/\\\\\\0019afAF \xC3\xA9\xE2\x82\xAC\xF0\x9F\x99\x82\xED\xE0\x1F";
    for (size_t i = 0; i < len; i++) {
        to[i] = draw(random, 90) ? set[draw(random, sizeof set - 1)] : (char)draw(random, 256);
    }
    if (len) to[0] = '"';
    return peri_str_of(to, len);
}

IT("reads any bytes alike with all scanners, and refuses them at the same place") {
    char text[400];
    uint64_t random = 17;
    for (int round = 0; round < 40000; round++) {
        peri_str bytes = random_bytes(text, 1 + draw(&random, sizeof text), &random);
        size_t wanted_at, error_at;
        peri_json_node want = scan(&peri__json_string_plain, bytes, &wanted_at);
        EACH_SET(set) {
            peri_json_node node = scan(set, bytes, &error_at);
            CHECK(memcmp(&node, &want, sizeof node) == 0);
            CHECK_EQ(error_at, wanted_at);
        }
    }
}

IT("refuses what is no UTF-8, at the byte where it stops being it") {
    char text[200];
    static const char *const bad[] = {"\x80",
                                      "\xC0\x80",
                                      "\xC1\xBF",
                                      "\xE2\x82",
                                      "\xED\xA0\x80",
                                      "\xE0\x9F\xBF",
                                      "\xF0\x8F\xBF\xBF",
                                      "\xF4\x90\x80\x80",
                                      "\xF5\x80\x80\x80",
                                      "\xFF",
                                      "\xF0\x9F\x99",
                                      "\xC3"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        for (size_t before = 0; before < 130;
             before++) { // every place in a block, and across two
            memset(text, 'x', sizeof text);
            text[0] = '"';
            memcpy(text + 1 + before, bad[i], strlen(bad[i]));
            strcpy(text + 1 + before + strlen(bad[i]), "\"");
            check_refused(text, 1 + before);
        }
    }
}

IT("takes every kind of character at every place in a block") {
    char text[200];
    size_t error_at;
    static const char *const good[] = {"\xC2\x80",        "\xDF\xBF",     "\xE0\xA0\x80",
                                       "\xED\x9F\xBF",    "\xEE\x80\x80", "\xF0\x90\x80\x80",
                                       "\xF4\x8F\xBF\xBF"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        for (size_t before = 0; before < 130; before++) {
            memset(text, 'x', sizeof text);
            text[0] = '"';
            memcpy(text + 1 + before, good[i], strlen(good[i]));
            strcpy(text + 1 + before + strlen(good[i]), "\"");
            EACH_SET(set) {
                CHECK_EQ(scan(set, peri_str_c(text), &error_at).cp, before + 1);
            }
        }
    }
}

IT("says where an open string or a bad escape stops fitting") {
    check_refused("\"open", 0);
    check_refused("\"\\", 1);
    check_refused("\"ab\\\\\\", 5);
    check_refused("\"ab\\\\", 0);
    check_refused("\"ab\\x\"", 3);
    check_refused("\"ab\\u12G4\"", 3);
    check_refused("\"ab\\u12", 3);
}

IT("finds the run that JSON.stringify would write just so") {
    char long_run[300];
    memset(long_run, 'x', sizeof long_run);
    EACH_SET(set) {
        CHECK_EQ(set->plain_run(PERI_STR("ab\\n\\\\u0041"), SIZE_MAX), 11);
        CHECK_EQ(set->plain_run(PERI_STR("ab\\n\\u0041"), SIZE_MAX), 4);
        CHECK_EQ(set->plain_run(PERI_STR("ab\\/"), SIZE_MAX), 2);
        CHECK_EQ(set->plain_run(PERI_STR("ab\x02\\/"), SIZE_MAX), 2);
        CHECK_EQ(set->plain_run(PERI_STR(""), SIZE_MAX), 0);
        CHECK_EQ(set->plain_run(PERI_STR("\\u001b[0m\\u001f\\u001B"), SIZE_MAX), 15);
        size_t told = set->plain_run(peri_str_of(long_run, sizeof long_run), 100);
        CHECK(told >= 100 && told < sizeof long_run);
    }
}

// What compact JSON must be, from content that was unescaped first.
static void add_expected(peri_buf *out, peri_str content, size_t string_max_cp) {
    peri_utf8_size all = peri_utf8_count(content);
    bool cut = string_max_cp && all.cp > string_max_cp;
    if (cut) content.len = peri_utf8_cut_cp(content, string_max_cp).bytes;
    peri_json_add_string(out, content);
    if (!cut) return;
    out->len--;
    peri_buf_addf(out, "… [+%zu chars truncated]\"", all.cp - string_max_cp);
}

static void check_compact(const peri_json_doc *doc, peri_str want, size_t max, size_t each) {
    peri_buf out;
    peri_buf_init(&out, max == SIZE_MAX ? 1 << 20 : 4 * max);
    peri_utf8_size whole = peri_json_compact(peri_json_root(doc), &out, max, each);
    peri_utf8_size all = peri_utf8_count(want);
    CHECK_OK(out.status);
    CHECK_EQ(whole.cp, all.cp);
    CHECK_EQ(whole.u16, all.u16);
    CHECK_EQ(whole.bytes, all.bytes);
    want.len = peri_utf8_cut_cp(want, max).bytes;
    CHECK(peri_str_eq(peri_buf_str(&out), want));
    peri_buf_deinit(&out);
}

IT("writes compact JSON to any ceiling within four bytes a character, and counts the whole") {
    char text[TEXT_BYTES], content[TEXT_BYTES];
    size_t cuts[TEXT_BYTES];
    uint64_t random = 21;
    for (int round = 0; round < 5000; round++) {
        peri_buf array, want;
        peri_buf_init(&array, 1 << 16);
        peri_buf_init(&want, 1 << 16);
        size_t each = draw(&random, 2) ? draw(&random, 30) : 0, count = 1 + draw(&random, 4);
        for (size_t i = 0; i < count; i++) {
            peri_utf8_size size;
            peri_str string = random_string(text, &random);
            peri_str raw = peri_str_sub(string, 1, string.len - 2);
            peri_buf_add_c(&array, i ? " , " : "[");
            peri_buf_add(&array, string);
            peri_buf_add_c(&want, i ? "," : "[");
            add_expected(&want, read_plainly(raw, content, cuts, &size), each);
        }
        peri_buf_add_byte(&array, ']');
        peri_buf_add_byte(&want, ']');
        peri_json_doc doc;
        peri_json_doc_init(&doc);
        CHECK_OK(peri_json_parse(&doc, peri_buf_str(&array)));
        check_compact(&doc, peri_buf_str(&want), SIZE_MAX, each);
        check_compact(&doc, peri_buf_str(&want), draw(&random, 200), each);
        peri_json_doc_deinit(&doc);
        peri_buf_deinit(&array);
        peri_buf_deinit(&want);
    }
}

TEST_MAIN
