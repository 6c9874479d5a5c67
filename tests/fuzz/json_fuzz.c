// Both faces of JSON on the same bytes: the scanner (json.h) and the tree (json_tree.h), two
// readers that share no code but the escaping of output. What one accepts the other must, and
// both must print the same, but for what json_tree.h documents: the tree refuses NaN and
// Infinity and skips a BOM.
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

static int scan(peri_str text, bool strict, peri_buf *out, bool *loose) {
    peri_json_doc doc;
    peri_arena arena;
    peri_json_doc_init(&doc);
    peri_arena_init(&arena, 1 << 24);
    doc.max_depth = DEPTH;
    doc.refuse_duplicates = strict;
    int status = peri_json_parse(&doc, text);
    if (status == PERI_OK) {
        visit(&doc, &arena);
        peri_json_compact(peri_json_root(&doc), out, SIZE_MAX, 0);
        *loose = has_loose_null(&doc);
        if (doc.end < text.len) status = PERI_EPARSE;
    } else if (doc.error_at > text.len) {
        abort();
    }
    peri_arena_deinit(&arena);
    peri_json_doc_deinit(&doc);
    return status;
}

static int build(peri_str text, bool strict, peri_buf *out) {
    peri_tree *tree = NULL;
    peri_tree_limits limits = {.max_depth = DEPTH, .refuse_duplicates = strict};
    int status = peri_tree_parse(text, limits, (peri_str){0}, NULL, NULL, &tree);
    if (status == PERI_OK && peri_tree_print(tree, SIZE_MAX, out) < 0) abort();
    peri_tree_free(tree);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    bool strict = data[0] & 1, loose = false;
    peri_buf text, scanned, printed;
    peri_buf_init(&text, size * 3);
    peri_buf_init(&scanned, 1 << 24);
    peri_buf_init(&printed, 1 << 24);
    peri_utf8_repair(&text, peri_str_of((const char *)data + 1, size - 1));
    peri_str valid = peri_buf_str(&text);
    int by_scan = scan(valid, strict, &scanned, &loose);
    int by_tree = build(valid, strict, &printed);
    bool bom = peri_str_starts(valid, PERI_STR("\xEF\xBB\xBF"));
    if (!loose && !bom && (by_scan == PERI_OK) != (by_tree == PERI_OK)) abort();
    if (by_scan == PERI_OK && by_tree == PERI_OK && !same(&scanned, &printed)) abort();
    peri_buf_deinit(&text);
    peri_buf_deinit(&scanned);
    peri_buf_deinit(&printed);
    return 0;
}
