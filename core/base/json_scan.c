// The scanner of json.h: validates one JSON value and lists its nodes. No recursion, no
// allocation per value (the node list is reused), linear in the text.
#include <stdlib.h>

#include "base/json.h"
#include "base/json_string.h"

typedef struct scan {
    peri_json_doc *doc;
    const unsigned char *p, *end;
    uint32_t stack[PERI_JSON_MAX_DEPTH]; // open containers, as node numbers
    uint32_t depth;
    const peri__json_string_ops *strings;
} scan;

void peri_json_doc_init(peri_json_doc *doc) {
    *doc = (peri_json_doc){.max_depth = PERI_JSON_MAX_DEPTH, .max_nodes = PERI_JSON_MAX_NODES};
}

void peri_json_doc_deinit(peri_json_doc *doc) {
    if (!doc) return;
    free(doc->nodes);
    doc->nodes = NULL;
    doc->count = doc->cap = 0;
}

static int fail(scan *s, const unsigned char *at, int status) {
    s->doc->error_at = (size_t)(at - (const unsigned char *)s->doc->text.ptr);
    return status;
}

// The place for one more node, not yet counted. NULL with `*status` if there is none.
static peri_json_node *next_node(scan *s, int *status) {
    peri_json_doc *doc = s->doc;
    *status = PERI_OK;
    if (doc->count < doc->cap && doc->count < doc->max_nodes) return &doc->nodes[doc->count];
    if (doc->count >= doc->max_nodes) {
        *status = fail(s, s->p, PERI_ELIMIT);
        return NULL;
    }
    uint32_t cap = doc->cap ? doc->cap * 2 : 256;
    peri_json_node *nodes = realloc(doc->nodes, cap * sizeof *nodes);
    if (!nodes) {
        *status = fail(s, s->p, PERI_ENOMEM);
        return NULL;
    }
    doc->nodes = nodes;
    doc->cap = cap;
    return &doc->nodes[doc->count];
}

static uint32_t offset_of(const scan *s, const unsigned char *at) {
    return (uint32_t)(at - (const unsigned char *)s->doc->text.ptr);
}

// A value that is no string.
static int add_node(scan *s, peri_json_type type, const unsigned char *start, size_t len,
                    unsigned flags) {
    int status;
    peri_json_node *node = next_node(s, &status);
    if (!node) return status;
    *node = (peri_json_node){.start = offset_of(s, start),
                             .len = (uint32_t)len,
                             .next = ++s->doc->count,
                             .type = (uint8_t)type,
                             .flags = (uint8_t)flags};
    return PERI_OK;
}

static void skip_blank(scan *s) {
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\r' || *s->p == '\n')) {
        s->p++;
    }
}

static int scan_string(scan *s) {
    peri_json_doc *doc = s->doc;
    int status;
    peri_json_node *node = next_node(s, &status);
    if (!node) return status;
    size_t start = offset_of(s, s->p) + 1;
    status = s->strings->scan(doc->text, start, node, &doc->repaired, &doc->error_at);
    if (status < 0) return status;
    node->next = ++doc->count;
    s->p += node->len + 2; // with both quotes
    return PERI_OK;
}

static const unsigned char *digits(const unsigned char *p, const unsigned char *end) {
    while (p < end && *p >= '0' && *p <= '9') p++;
    return p;
}

static int scan_number(scan *s) {
    const unsigned char *start = s->p, *p = start;
    if (p < s->end && *p == '-') p++;
    const unsigned char *whole = p;
    p = digits(p, s->end);
    if (p == whole || (*whole == '0' && p - whole > 1)) return fail(s, start, PERI_EPARSE);
    if (p < s->end && *p == '.') {
        const unsigned char *part = ++p;
        p = digits(p, s->end);
        if (p == part) return fail(s, start, PERI_EPARSE);
    }
    if (p < s->end && (*p | 0x20) == 'e') {
        p++;
        if (p < s->end && (*p == '+' || *p == '-')) p++;
        const unsigned char *part = p;
        p = digits(p, s->end);
        if (p == part) return fail(s, start, PERI_EPARSE);
    }
    s->p = p;
    return add_node(s, PERI_JSON_NUMBER, start, (size_t)(p - start), 0);
}

static bool take_word(scan *s, const char *word) {
    size_t len = strlen(word);
    if ((size_t)(s->end - s->p) < len || memcmp(s->p, word, len) != 0) return false;
    s->p += len;
    return true;
}

static int scan_word(scan *s) {
    const unsigned char *start = s->p;
    if (take_word(s, "true")) return add_node(s, PERI_JSON_BOOL, start, 4, PERI_JSON_TRUE);
    if (take_word(s, "false")) return add_node(s, PERI_JSON_BOOL, start, 5, 0);
    if (take_word(s, "null")) return add_node(s, PERI_JSON_NULL, start, 4, 0);
    if (take_word(s, "NaN") || take_word(s, "Infinity") || take_word(s, "-Infinity")) {
        s->doc->repaired++;
        return add_node(s, PERI_JSON_NULL, start, (size_t)(s->p - start), 0);
    }
    return *start == '-' || (*start >= '0' && *start <= '9') ? scan_number(s)
                                                             : fail(s, start, PERI_EPARSE);
}

static int open_container(scan *s) {
    if (s->depth >= s->doc->max_depth || s->depth >= PERI_JSON_MAX_DEPTH) {
        return fail(s, s->p, PERI_EDEPTH);
    }
    peri_json_type type = *s->p == '{' ? PERI_JSON_OBJECT : PERI_JSON_ARRAY;
    int status = add_node(s, type, s->p, 0, 0);
    if (status < 0) return status;
    s->stack[s->depth++] = s->doc->count - 1;
    s->p++;
    return PERI_OK;
}

// The next code point of a member name, unescaped; `name` is not empty.
static uint32_t take_cp(peri_str *name) {
    size_t used;
    uint32_t cp = name->ptr[0] == '\\' ? peri_json_unescape(*name, &used)
                                       : peri_utf8_decode(*name, &used);
    *name = peri_str_sub(*name, used, name->len);
    return cp;
}

// Orders raw member names by what they say, so that "a" and "\u0061" are neighbours.
static int compare_names(peri_str a, peri_str b) {
    while (a.len && b.len) {
        uint32_t x = take_cp(&a), y = take_cp(&b);
        if (x != y) return x < y ? -1 : 1;
    }
    return (a.len != 0) - (b.len != 0);
}

// qsort order: equal names by their place, the earlier first.
static int compare_members(const void *left, const void *right) {
    const peri_str *a = left, *b = right;
    int order = compare_names(*a, *b);
    return order ? order : (a->ptr > b->ptr) - (a->ptr < b->ptr);
}

// Sorted, because a hostile object of 100,000 members must not cost the square of that.
static int check_duplicates(scan *s, uint32_t object) {
    peri_json v = {s->doc, object};
    size_t count = peri_json_count(v), at = 0;
    if (count < 2) return PERI_OK;
    peri_str *names = malloc(count * sizeof *names);
    if (!names) return fail(s, s->p, PERI_ENOMEM);
    for (peri_json_iter it = peri_json_begin(v); peri_json_more(&it);) names[at++] = it.key;
    qsort(names, count, sizeof *names, compare_members);
    const char *first = NULL; // of all second occurrences
    for (at = 1; at < count; at++) {
        bool earlier = !first || names[at].ptr < first;
        if (earlier && compare_names(names[at - 1], names[at]) == 0) first = names[at].ptr;
    }
    free(names);
    return first ? fail(s, (const unsigned char *)first, PERI_EDUP) : PERI_OK;
}

static int close_container(scan *s) {
    uint32_t open = s->stack[--s->depth];
    peri_json_node *node = &s->doc->nodes[open];
    s->p++;
    node->len = (uint32_t)((const char *)s->p - s->doc->text.ptr) - node->start;
    node->next = s->doc->count;
    bool check = node->type == PERI_JSON_OBJECT && s->doc->refuse_duplicates;
    return check ? check_duplicates(s, open) : PERI_OK;
}

static bool in_object(const scan *s) {
    return s->depth && s->doc->nodes[s->stack[s->depth - 1]].type == PERI_JSON_OBJECT;
}

// A member name and its colon.
static int scan_key(scan *s) {
    if (s->p >= s->end || *s->p != '"') return fail(s, s->p, PERI_EPARSE);
    int status = scan_string(s);
    if (status < 0) return status;
    skip_blank(s);
    if (s->p >= s->end || *s->p != ':') return fail(s, s->p, PERI_EPARSE);
    s->p++;
    skip_blank(s);
    return PERI_OK;
}

// After a value: closes what ends here and stops before the next value. PERI_EAGAIN: one
// follows.
static int scan_behind(scan *s) {
    while (s->depth) {
        skip_blank(s);
        if (s->p >= s->end) return fail(s, s->p, PERI_EPARSE);
        bool object = in_object(s);
        if (*s->p == ',') {
            s->p++;
            skip_blank(s);
            int status = object ? scan_key(s) : PERI_OK;
            return status < 0 ? status : PERI_EAGAIN;
        }
        if (*s->p != (object ? '}' : ']')) return fail(s, s->p, PERI_EPARSE);
        int status = close_container(s);
        if (status < 0) return status;
    }
    return PERI_OK;
}

static int scan_value(scan *s) {
    if (s->p >= s->end) return fail(s, s->p, PERI_EPARSE);
    if (*s->p == '"') return scan_string(s);
    if (*s->p != '{' && *s->p != '[') return scan_word(s);
    int status = open_container(s);
    if (status < 0) return status;
    skip_blank(s);
    if (s->p < s->end && *s->p == (in_object(s) ? '}' : ']')) return close_container(s);
    if (in_object(s)) status = scan_key(s);
    return status < 0 ? status : PERI_EAGAIN;
}

int peri_json_parse(peri_json_doc *doc, peri_str text) {
    if (!text.ptr) text = PERI_STR("");
    doc->text = text;
    doc->count = doc->repaired = 0;
    doc->end = doc->error_at = 0;
    if (text.len >= UINT32_MAX) return PERI_ELIMIT;
    scan s = {
        .doc = doc, .p = (const unsigned char *)text.ptr, .strings = peri__json_string_for(0)};
    s.end = s.p + text.len;
    skip_blank(&s);
    int status;
    do {
        status = scan_value(&s);
        if (status == PERI_OK) status = scan_behind(&s);
    } while (status == PERI_EAGAIN);
    if (status < 0) {
        doc->count = 0;
        return status;
    }
    skip_blank(&s);
    doc->end = (size_t)((const char *)s.p - text.ptr);
    return PERI_OK;
}
