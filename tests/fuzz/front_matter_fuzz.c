// Any bytes as a Markdown definition: header and body are parts of the text, in order, and the
// header holds no fence.
#include <stdlib.h>

#include "base/yaml.h"

static void check_inside(peri_str text, peri_str part) {
    if (part.ptr && (part.ptr < text.ptr || part.ptr + part.len > text.ptr + text.len)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    peri_diag_list diags;
    peri_diag_list_init(&diags);
    peri_str text = peri_str_of((const char *)data, size), header = {0}, body = {0};
    uint32_t line = 0;
    int status = peri_front_matter(text, PERI_STR("f"), &diags, &header, &line, &body);
    check_inside(text, header);
    check_inside(text, body);
    if (diags.count != (status < 0 && status != PERI_ENOENT)) abort();
    if (status == PERI_OK) {
        if (line != 2 || header.ptr + header.len > body.ptr) abort();
        if (header.len > PERI_YAML_MAX_BYTES) abort();
        if (peri_str_find(header, PERI_STR("\n---\n")) != PERI_NPOS) abort();
        peri_yaml_doc doc;
        (void)!peri_yaml_parse(&doc, header, PERI_STR("f"), line, &diags);
        peri_yaml_doc_deinit(&doc);
    }
    peri_diag_list_deinit(&diags);
    return 0;
}
