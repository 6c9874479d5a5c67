// Where the header of a Markdown definition ends and its body begins (yaml.h). Only lines that
// are `---` and nothing else count, so a rule of dashes or a diff in the body changes nothing.
// Called by the loaders of observers and agent definitions.
#include "base/yaml.h"

// Takes the first line off `*text`; returns it without its end.
static peri_str take_line(peri_str *text) {
    size_t end = peri_str_find_byte(*text, '\n', 0);
    peri_str line = peri_str_sub(*text, 0, end == PERI_NPOS ? text->len : end);
    *text = peri_str_sub(*text, end == PERI_NPOS ? text->len : end + 1, text->len);
    return line;
}

// `---`, perhaps with blanks or a carriage return behind it.
static bool is_fence(peri_str line) {
    return peri_str_starts(line, PERI_STR("---")) &&
           peri_str_trim(peri_str_sub(line, 3, line.len)).len == 0;
}

int peri_front_matter(peri_str text, peri_str file, peri_diag_list *diags, peri_str *header,
                      uint32_t *header_line, peri_str *body) {
    if (peri_str_starts(text, PERI_STR("\xEF\xBB\xBF"))) text = peri_str_sub(text, 3, text.len);
    peri_str rest = text;
    if (!is_fence(take_line(&rest))) {
        *body = text;
        return PERI_ENOENT;
    }
    for (peri_str inside = rest; rest.len;) {
        size_t len = (size_t)(rest.ptr - inside.ptr);
        if (!is_fence(take_line(&rest))) continue;
        if (len > PERI_YAML_MAX_BYTES) {
            peri_diag_addf(diags, PERI_ERROR, "yaml-too-long", file, 1, 1, NULL,
                           "the header is longer than the limit of 64 KiB");
            return PERI_ELIMIT;
        }
        *header = peri_str_sub(inside, 0, len);
        *header_line = 2;
        *body = rest;
        return PERI_OK;
    }
    peri_diag_addf(diags, PERI_ERROR, "header-not-closed", file, 1, 1,
                   "end the header with a line that is --- and nothing else",
                   "the header that begins here has no end");
    return PERI_EPARSE;
}
