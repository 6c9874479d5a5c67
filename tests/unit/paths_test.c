// What the paths of a dialect find in a record, against a walk
// through its members name by name.
#include "ingest/paths.h"

#include "test.h"

static const char *const asked[] = {
    "type",    "message",       "message.id", "message.usage.input",
    "content", "message.usage", "a.b.c.d.e.f"};
enum { ASKED = 7 };

static const char *const records[] = {
    "{}",
    "[1,2]",
    "\"text\"",
    "{\"type\":\"user\",\"message\":{\"id\":\"m1\",\"usage\":{\"input\":5}},\"content\":null}",
    "{\"type\":\"first\",\"other\":1,\"type\":\"last\"}",
    "{\"message\":{\"id\":1},\"message\":{\"usage\":{}}}",
    "{\"message\":\"no object\",\"content\":[{\"type\":\"inner\"}]}",
    "{\"\\u0074ype\":\"named with an escape\",\"m\\u0065ssage\":{\"id\":\"deep\"}}",
    "{\"type\":\"plain\",\"\\u0074ype\":\"escaped\"}",
    "{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{\"f\":true}}}}}}",
};
enum { RECORDS = sizeof records / sizeof *records };

static size_t split(const char *path, peri_str keys[8]) {
    peri_str text = peri_str_c(path);
    size_t count = 0;
    while (text.len) {
        size_t dot = peri_str_find_byte(text, '.', 0);
        keys[count++] = peri_str_sub(text, 0, dot);
        text = dot == PERI_NPOS ? (peri_str){0} : peri_str_sub(text, dot + 1, text.len);
    }
    return count;
}

typedef struct set {
    peri_arena arena;
    peri_paths *paths;
    uint16_t ids[ASKED];
} set;

static void set_up(set *s) {
    peri_arena_init(&s->arena, 1 << 20);
    s->paths = peri_paths_new(&s->arena);
    CHECK(s->paths != NULL);
    for (size_t i = 0; i < ASKED; i++) {
        peri_str keys[8];
        s->ids[i] = peri_paths_add(s->paths, keys, split(asked[i], keys));
        CHECK(s->ids[i] != 0);
        CHECK_EQ(peri_paths_add(s->paths, keys, split(asked[i], keys)), s->ids[i]);
    }
}

static peri_json walk(peri_json v, peri_str path) {
    while (path.len) {
        size_t dot = peri_str_find_byte(path, '.', 0);
        v = peri_json_get(v, peri_str_sub(path, 0, dot == PERI_NPOS ? path.len : dot));
        path = dot == PERI_NPOS ? (peri_str){0} : peri_str_sub(path, dot + 1, path.len);
    }
    return v;
}

IT("finds what a walk name by name finds, in whatever order it is asked") {
    set s;
    set_up(&s);
    peri_json_doc doc;
    peri_json_doc_init(&doc);
    for (size_t round = 0; round < RECORDS * ASKED; round++) {
        CHECK_EQ(peri_json_parse(&doc, peri_str_c(records[round % RECORDS])), PERI_OK);
        peri_path_base base = {peri_json_root(&doc), 0};
        peri_paths_begin(s.paths);
        for (size_t i = 0; i < 2 * ASKED; i++) { // the second time from memory
            size_t at = (i + round) % ASKED;
            peri_json want = walk(base.value, peri_str_c(asked[at]));
            peri_json got = peri_paths_find(s.paths, base, s.ids[at]);
            CHECK_EQ(got.doc != NULL, want.doc != NULL);
            CHECK_EQ(got.node, want.node);
        }
    }
    peri_json_doc_deinit(&doc);
    peri_arena_deinit(&s.arena);
}

IT("tells the elements of one record apart, and one record from the next") {
    set s;
    set_up(&s);
    peri_json_doc doc;
    peri_json_doc_init(&doc);
    const char *texts[] = {"[{\"type\":\"a\"},{\"type\":\"b\"},{}]",
                           "[{\"type\":\"c\"},{},{\"type\":\"d\"}]"};
    for (size_t i = 0; i < 4; i++) {
        CHECK_EQ(peri_json_parse(&doc, peri_str_c(texts[i % 2])), PERI_OK);
        uint32_t stamp = peri_paths_begin(s.paths);
        CHECK_EQ(peri_paths_stamp(s.paths), stamp);
        for (peri_json_iter it = peri_json_begin(peri_json_root(&doc)); peri_json_more(&it);) {
            peri_json want = peri_json_get(it.value, PERI_STR("type"));
            peri_json got = peri_paths_find(s.paths, (peri_path_base){it.value, 1}, s.ids[0]);
            CHECK_EQ(got.node, want.node);
        }
    }
    peri_json_doc_deinit(&doc);
    peri_arena_deinit(&s.arena);
}

static int word_of(set *s, peri_json_doc *doc, const char *text) {
    CHECK_EQ(peri_json_parse(doc, peri_str_c(text)), PERI_OK);
    peri_paths_begin(s->paths);
    peri_path_base base = {peri_json_root(doc), 0};
    int word = peri_paths_word(s->paths, base, s->ids[0]);
    CHECK_EQ(peri_paths_word(s->paths, base, s->ids[0]), word);
    return word;
}

IT("knows words by a bit of their path") {
    set s;
    set_up(&s);
    peri_json_doc doc;
    peri_json_doc_init(&doc);
    const peri_str two[] = {PERI_STR("user"), PERI_STR("7"), {0}};
    const peri_str more[] = {PERI_STR("system"), PERI_STR("user"), {0}};
    CHECK_EQ(peri_paths_add_words(s.paths, s.ids[0], two), 3);
    CHECK_EQ(peri_paths_add_words(s.paths, s.ids[0], more), 5);
    CHECK_EQ(peri_paths_add_words(s.paths, 0, more), 0);
    CHECK_EQ(word_of(&s, &doc, "{\"type\":\"user\"}"), 0);
    CHECK_EQ(word_of(&s, &doc, "{\"type\":7}"), 1);
    CHECK_EQ(word_of(&s, &doc, "{\"type\":\"system\"}"), 2);
    CHECK_EQ(word_of(&s, &doc, "{\"type\":\"other\"}"), PERI_WORD_NONE);
    CHECK_EQ(word_of(&s, &doc, "{}"), PERI_WORD_NONE);
    CHECK_EQ(word_of(&s, &doc, "{\"type\":\"us\\u0065r\"}"), PERI_WORD_ESCAPED);
    peri_json_doc_deinit(&doc);
    peri_arena_deinit(&s.arena);
}

IT("gives no number past its room: the rule is then followed name by name") {
    set s;
    set_up(&s);
    char names[300][8];
    peri_str words[300 + 1] = {{0}};
    size_t numbered = 0;
    for (size_t i = 0; i < 300; i++) {
        snprintf(names[i], sizeof names[i], "n%zu", i);
        words[i] = peri_str_c(names[i]);
        numbered += peri_paths_add(s.paths, &words[i], 1) != 0;
    }
    CHECK(numbered > 100 && numbered < 300);
    CHECK_EQ(peri_paths_add_words(s.paths, s.ids[0], words), 0);
    words[64] = (peri_str){0};
    CHECK_EQ(peri_paths_add_words(s.paths, s.ids[0], words), UINT64_MAX);
    peri_arena_deinit(&s.arena);
}

TEST_MAIN
