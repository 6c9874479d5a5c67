// Hostile bytes into a tree: what is printed must be read again and print the same, and a
// refused text must leave exactly one diagnostic.
#include <stdlib.h>

#include "base/json_tree.h"

static void print(const peri_tree *tree, peri_buf *out) {
    peri_buf_init(out, 1 << 24);
    if (peri_tree_print(tree, SIZE_MAX, out) < 0) abort();
}

static void check_again(const peri_tree *tree) {
    peri_buf once, twice;
    peri_tree *again = NULL;
    size_t repaired = 1;
    print(tree, &once);
    peri_tree_limits limits = {.max_bytes = 1 << 24};
    if (peri_tree_parse(peri_buf_str(&once), limits, (peri_str){0}, NULL, &repaired, &again) <
        0) {
        abort();
    }
    print(again, &twice);
    if (repaired || !peri_str_eq(peri_buf_str(&once), peri_buf_str(&twice))) abort();
    peri_tree_free(again);
    peri_buf_deinit(&once);
    peri_buf_deinit(&twice);
}

static void visit(const peri_tree *tree) {
    for (const peri_tree *at = peri_tree_first(tree); at; at = peri_tree_next(at)) {
        int64_t whole;
        double real;
        (void)!peri_tree_int(at, &whole);
        (void)!peri_tree_double(at, &real);
        if (peri_tree_type(tree) != PERI_JSON_OBJECT) continue;
        if (!peri_tree_get(tree, peri_tree_key(at))) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    peri_tree *tree = NULL;
    peri_diag_list diags;
    peri_diag_list_init(&diags);
    peri_str text = peri_str_of((const char *)data, size);
    int status = peri_tree_parse(text, (peri_tree_limits){.refuse_duplicates = size % 2},
                                 PERI_STR("f"), &diags, NULL, &tree);
    if (diags.count != (status < 0) || (status < 0) != !tree) abort();
    if (tree) {
        visit(tree);
        check_again(tree);
    }
    peri_tree_free(tree);
    peri_diag_list_deinit(&diags);
    return 0;
}
