// Cutting one array into its elements as its bytes come by. Counts brackets outside strings and
// nothing more: whether an element is JSON is found out by who parses it, and a missing bracket
// costs no more than a line over the cap does.
#include "ingest/elements.h"

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// A log may begin with "[info]" or "[12:00]": only what cannot be such a line is an array.
static peri_stream_shape shape_behind_bracket(char c) {
    return is_blank(c) || c == '{' || c == ']' ? PERI_SHAPE_ARRAY : PERI_SHAPE_LINES;
}

// Bytes of a BOM at the start of the stream, however it is cut. False if only its beginning is
// there, which then is no BOM.
static bool skip_bom(peri_elements *elements, peri_str bytes, size_t *at) {
    static const char bom[] = "\xEF\xBB\xBF";
    while (elements->bom_bytes < 3 && *at < bytes.len &&
           bytes.ptr[*at] == bom[elements->bom_bytes]) {
        elements->bom_bytes++;
        (*at)++;
    }
    bool whole = *at == bytes.len || elements->bom_bytes % 3 == 0;
    if (*at < bytes.len) elements->bom_bytes = 3; // none comes later
    return whole;
}

void peri_elements_look(peri_elements *elements, peri_str bytes, size_t *begin) {
    size_t at = 0;
    *begin = 0;
    if (!bytes.len) return;
    if (elements->shape == PERI_SHAPE_BRACKET) {
        elements->shape = shape_behind_bracket(bytes.ptr[0]);
        return;
    }
    if (!skip_bom(elements, bytes, &at)) {
        elements->shape = PERI_SHAPE_LINES;
        return;
    }
    // An empty line is a line, seen once: what follows it is looked at in its turn.
    while (at < bytes.len && is_blank(bytes.ptr[at]) && bytes.ptr[at] != '\n') at++;
    if (at == bytes.len || bytes.ptr[at] == '\n') return;
    elements->shape = bytes.ptr[at] == '[' ? PERI_SHAPE_BRACKET : PERI_SHAPE_LINES;
    *begin = at + 1;
    if (elements->shape == PERI_SHAPE_BRACKET && *begin < bytes.len) {
        elements->shape = shape_behind_bracket(bytes.ptr[*begin]);
    }
}

size_t peri_elements_skip(peri_elements *elements, peri_str bytes) {
    size_t at = 0;
    while (at < bytes.len && (is_blank(bytes.ptr[at]) || bytes.ptr[at] == ',')) at++;
    if (at < bytes.len && bytes.ptr[at] == ']') {
        elements->shape = PERI_SHAPE_LINES;
        at++;
    }
    return at;
}

size_t peri_elements_end(peri_elements *elements, peri_str bytes, bool *ended) {
    *ended = true;
    for (size_t at = 0; at < bytes.len; at++) {
        char c = bytes.ptr[at];
        if (elements->in_string) {
            if (c == '"' && !elements->escaped) elements->in_string = false;
            elements->escaped = c == '\\' && !elements->escaped;
        } else if (c == '"') {
            elements->in_string = true;
        } else if (c == '{' || c == '[') {
            elements->depth++;
        } else if (c == '}' || c == ']') {
            bool outside = elements->depth == 0; // a lone "}" is part of what stands there
            if (outside && c == ']') return at;
            if (!outside && --elements->depth == 0) return at + 1;
        } else if (c == ',' && elements->depth == 0) {
            return at;
        }
    }
    *ended = false;
    return bytes.len;
}
