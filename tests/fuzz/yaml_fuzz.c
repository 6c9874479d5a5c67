// Hostile bytes into the YAML reader, then every typed reader on every node. A refused text
// leaves one diagnostic and no document; a good one no deeper than the limit.
#include <stdlib.h>

#include "base/utf8.h"
#include "base/yaml.h"

static const peri_str WORDS[] = {PERI_STR("name"), PERI_STR("on"), {0}};

static void visit(peri_yaml_doc *doc, const peri_yaml *node, int depth) {
    if (!node) return;
    if (depth > PERI_YAML_MAX_DEPTH || node->type == PERI_YAML_ABSENT) abort();
    if (node->line == 0 || node->column == 0) abort();
    peri_str text;
    const peri_str *list;
    bool yes;
    int64_t whole;
    double real;
    size_t count;
    (void)!peri_yaml_str(doc, node, &text);
    (void)!peri_yaml_bool(doc, node, &yes);
    (void)!peri_yaml_int(doc, node, -10, 10, &whole);
    (void)!peri_yaml_double(doc, node, -10, 10, &real);
    (void)!peri_yaml_list(doc, node, &list, &count);
    (void)!peri_yaml_word(doc, node, WORDS, &count);
    (void)peri_yaml_check_keys(doc, node, WORDS);
    for (const peri_yaml *child = node->first; child; child = child->next) {
        if (child->key.ptr && peri_yaml_get(node, child->key) != child) abort();
        visit(doc, child, depth + (child->type != PERI_YAML_SCALAR));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    peri_yaml_doc doc;
    peri_diag_list diags;
    peri_diag_list_init(&diags);
    peri_str text = peri_str_of((const char *)data, size);
    int status = peri_yaml_parse(&doc, text, PERI_STR("f"), 1, &diags);
    if (diags.count != (status < 0) || (status < 0 && doc.root)) abort();
    visit(&doc, doc.root, doc.root && doc.root->type != PERI_YAML_SCALAR);
    for (size_t i = 0; i < diags.count; i++) {
        peri_buf out;
        peri_buf_init(&out, 1 << 14);
        peri_diag_format(&out, &diags.items[i]);
        if (out.status < 0 || !peri_utf8_valid(peri_buf_str(&out))) abort();
        peri_buf_deinit(&out);
    }
    peri_yaml_doc_deinit(&doc);
    peri_diag_list_deinit(&diags);
    return 0;
}
