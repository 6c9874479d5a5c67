// Both faces of JSON on the same bytes: the scanner (json.h) and the tree (json_tree.h), two
// readers that share no code but the escaping of output. What one accepts the other must, and
// both must print the same and hold the same values under the same names, but for what
// json_tree.h documents: the tree refuses NaN and Infinity and skips a BOM.
#include <stdlib.h>

#include "base/json_tree.h"

enum { DEPTH = 64 };

static bool same(const peri_buf *a, const peri_buf *b) {
    return peri_str_eq(peri_buf_str(a), peri_buf_str(b));
}

// True if the scanner read NaN or Infinity as a null.
static bool has_loose_null(const peri_json_doc *doc) {
    for (uint32_t i = 0; i < doc->count; i++) {
        peri_json v = {doc, i};
        if (peri_json_type_of(v) == PERI_JSON_NULL && peri_json_raw(v).len != 4) return true;
    }
    return false;
}

// Every reader on every value: no answer is checked, only that there is one.
static void visit(const peri_json_doc *doc, peri_arena *arena) {
    for (uint32_t i = 0; i < doc->count; i++) {
        peri_json v = {doc, i};
        int64_t whole;
        double real;
        (void)!peri_json_int(v, &whole);
        (void)!peri_json_double(v, &real);
        peri_str all = peri_json_str(v, arena);
        peri_text_caps caps = {i % 5, i % 3};
        peri_text got = peri_json_text(v, caps, arena);
        if (!all.ptr || !got.head.ptr) continue;
        peri_text want = peri_text_of(all, caps);
        if (!peri_str_eq(got.head, want.head) || !peri_str_eq(got.tail, want.tail)) abort();
        if (got.cp != want.cp || got.u16 != want.u16 || !peri_json_is(v, all)) abort();
    }
}

static int scan(peri_json_doc *doc, peri_arena *arena, peri_str text, bool strict) {
    peri_json_doc_init(doc);
    peri_arena_init(arena, 1 << 24);
    doc->max_depth = DEPTH;
    doc->refuse_duplicates = strict;
    int status = peri_json_parse(doc, text);
    if (status < 0 && doc->error_at > text.len) abort();
    if (status == PERI_OK) visit(doc, arena);
    return status == PERI_OK && doc->end < text.len ? PERI_EPARSE : status;
}

static void compare_numbers(peri_json v, const peri_tree *tree) {
    int64_t whole[2] = {0, 0};
    double real[2] = {0, 0};
    if (peri_json_int(v, &whole[0]) != peri_tree_int(tree, &whole[1])) abort();
    if (peri_json_double(v, &real[0]) != peri_tree_double(tree, &real[1])) abort();
    if (whole[0] != whole[1] || real[0] != real[1]) abort();
}

// Goes down both at once, at most DEPTH levels.
static void compare(peri_json v, const peri_tree *tree, peri_arena *arena) {
    peri_json_type type = peri_json_type_of(v);
    if (type != peri_tree_type(tree) || peri_json_count(v) != peri_tree_count(tree)) abort();
    if (peri_json_is_true(v) != peri_tree_is_true(tree)) abort();
    compare_numbers(v, tree);
    peri_str text = peri_json_str(v, arena);
    if (text.ptr && !peri_str_eq(text, peri_tree_str(tree))) abort();
    const peri_tree *child = peri_tree_first(tree);
    for (peri_json_iter it = peri_json_begin(v); peri_json_more(&it);) {
        compare(it.value, child, arena);
        peri_str key = peri_tree_key(child);
        if (key.ptr) { // the last of equal ones, found by its content
            const peri_tree *named = peri_tree_get(tree, key);
            if (peri_json_type_of(peri_json_get(v, key)) != peri_tree_type(named)) abort();
        }
        child = peri_tree_next(child);
    }
}

static void compare_all(peri_json_doc *doc, const peri_tree *tree, peri_arena *arena) {
    peri_buf scanned, printed;
    peri_buf_init(&scanned, 1 << 24);
    peri_buf_init(&printed, 1 << 24);
    peri_json_compact(peri_json_root(doc), &scanned, SIZE_MAX, 0);
    if (peri_tree_print(tree, SIZE_MAX, &printed) < 0 || !same(&scanned, &printed)) abort();
    compare(peri_json_root(doc), tree, arena);
    peri_buf_deinit(&scanned);
    peri_buf_deinit(&printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    bool strict = data[0] & 1;
    peri_buf text;
    peri_buf_init(&text, size * 3);
    peri_utf8_repair(&text, peri_str_of((const char *)data + 1, size - 1));
    peri_str valid = peri_buf_str(&text);
    peri_json_doc doc;
    peri_arena arena;
    peri_tree *tree = NULL;
    peri_tree_limits limits = {.max_depth = DEPTH, .refuse_duplicates = strict};
    int by_scan = scan(&doc, &arena, valid, strict);
    int by_tree = peri_tree_parse(valid, limits, (peri_str){0}, NULL, NULL, &tree);
    bool bom = peri_str_starts(valid, PERI_STR("\xEF\xBB\xBF"));
    bool differs = bom || (by_scan == PERI_OK && has_loose_null(&doc));
    if (!differs && (by_scan == PERI_OK) != (by_tree == PERI_OK)) abort();
    if (by_scan == PERI_OK && by_tree == PERI_OK) compare_all(&doc, tree, &arena);
    peri_tree_free(tree);
    peri_arena_deinit(&arena);
    peri_json_doc_deinit(&doc);
    peri_buf_deinit(&text);
    return 0;
}
