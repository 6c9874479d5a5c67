// Typed readers of YAML nodes (yaml.h): the schema decides what a scalar is, never its look, so
// no value is lost to a guess. Each complaint names the key, its place and what would be right.
// Called by the loaders of configs, observers and policies.
#include <stdio.h>

#include "base/number.h"
#include "base/utf8.h"
#include "base/yaml.h"

enum { QUOTE_MAX_BYTES = 60 }; // of a wrong value, in a message

// "priority" or, for what has no name, the words to use instead.
static peri_str subject(const peri_yaml *node) {
    return node->key.ptr ? node->key : PERI_STR("the value");
}

static peri_str excerpt(peri_str text) {
    return peri_str_sub(text, 0, peri_utf8_cut_bytes(text, QUOTE_MAX_BYTES));
}

// Reports that `node` is not `wanted`, and what it is.
static int wrong(peri_yaml_doc *doc, const peri_yaml *node, const char *wanted,
                 const char *hint) {
    static const char *const found[] = {"nothing", NULL, "a list", "a map"};
    peri_str name = subject(node);
    if (node->type != PERI_YAML_SCALAR) {
        peri_diag_addf(doc->diags, PERI_ERROR, "wrong-type", doc->file, node->line,
                       node->column, hint, "%.*s must be %s, not %s", PERI_FMT(name), wanted,
                       found[node->type]);
    } else {
        peri_diag_addf(doc->diags, PERI_ERROR, "wrong-value", doc->file, node->line,
                       node->column, hint, "%.*s must be %s, not \"%.*s\"", PERI_FMT(name),
                       wanted, PERI_FMT(excerpt(node->text)));
    }
    return PERI_EINVAL;
}

static int no_memory(peri_yaml_doc *doc) {
    peri_diag_addf(doc->diags, PERI_ERROR, "out-of-memory", doc->file, 0, 0, NULL,
                   "out of memory");
    return PERI_ENOMEM;
}

static bool is_scalar(const peri_yaml *node) {
    return node->type == PERI_YAML_SCALAR;
}

bool peri_yaml_check_map(peri_yaml_doc *doc, const peri_yaml *node) {
    if (node->type == PERI_YAML_MAP) return true;
    (void)wrong(doc, node, "a map of names and values", "write it as NAME: VALUE");
    return false;
}

size_t peri_yaml_check_keys(peri_yaml_doc *doc, const peri_yaml *map, const peri_str *words) {
    size_t unknown = 0;
    if (!map) return 0;
    if (!peri_yaml_check_map(doc, map)) return 1;
    for (const peri_yaml *member = map->first; member; member = member->next) {
        const peri_str *word = words;
        while (word->len && !peri_str_eq(*word, member->key)) word++;
        if (word->len) continue;
        unknown++;
        peri_str near = peri_diag_nearest(member->key, words);
        char hint[128];
        snprintf(hint, sizeof hint, "did you mean %.*s?", PERI_FMT(excerpt(near)));
        peri_diag_addf(doc->diags, PERI_ERROR, "unknown-key", doc->file, member->key_line,
                       member->key_column, near.len ? hint : NULL, "unknown key \"%.*s\"",
                       PERI_FMT(excerpt(member->key)));
    }
    return unknown;
}

int peri_yaml_str(peri_yaml_doc *doc, const peri_yaml *node, peri_str *out) {
    if (!node) return PERI_ENOENT;
    if (!is_scalar(node)) return wrong(doc, node, "a text", NULL);
    *out = node->text;
    return PERI_OK;
}

int peri_yaml_bool(peri_yaml_doc *doc, const peri_yaml *node, bool *out) {
    if (!node) return PERI_ENOENT;
    bool yes = is_scalar(node) && peri_str_eq_nocase(node->text, PERI_STR("true"));
    bool no = is_scalar(node) && peri_str_eq_nocase(node->text, PERI_STR("false"));
    if (!yes && !no) return wrong(doc, node, "true or false", "write true or false");
    *out = yes;
    return PERI_OK;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static size_t digits_at(peri_str text, size_t at) {
    size_t end = at;
    while (end < text.len && is_digit(text.ptr[end])) end++;
    return end - at;
}

// Copies a number's digits without the marks people group them with: "_" between any two, ","
// before exactly three (so "1,5" is not taken for fifteen). Empty if a mark stands elsewhere.
static peri_str ungroup(peri_str text, char *to, size_t size) {
    size_t len = 0;
    if (text.len >= size) return (peri_str){0};
    for (size_t at = 0; at < text.len; at++) {
        char c = text.ptr[at];
        if (c != '_' && c != ',') {
            to[len++] = c;
            continue;
        }
        size_t behind = digits_at(text, at + 1);
        bool between = at > 0 && is_digit(text.ptr[at - 1]) && behind > 0;
        if (!between || (c == ',' && behind != 3)) return (peri_str){0};
    }
    return (peri_str){to, len};
}

// "20s": a number that somebody gave a unit.
static bool has_unit(const peri_yaml *node) {
    if (!is_scalar(node)) return false;
    size_t digits = digits_at(node->text, 0);
    char behind = digits && digits < node->text.len ? node->text.ptr[digits] : '\0';
    return (behind | 0x20) >= 'a' && (behind | 0x20) <= 'z' && node->text.ptr[0] != '0';
}

int peri_yaml_int(peri_yaml_doc *doc, const peri_yaml *node, int64_t min, int64_t max,
                  int64_t *out) {
    if (!node) return PERI_ENOENT;
    char digits[64];
    int64_t value = 0;
    peri_str text =
        is_scalar(node) ? ungroup(node->text, digits, sizeof digits) : (peri_str){0};
    int status = peri_str_int(text, &value);
    if (status == PERI_OK && value >= min && value <= max) {
        *out = value;
        return PERI_OK;
    }
    char wanted[96];
    snprintf(wanted, sizeof wanted, "a whole number from %lld to %lld", (long long)min,
             (long long)max);
    return wrong(doc, node, wanted, has_unit(node) ? "write the digits alone" : NULL);
}

int peri_yaml_double(peri_yaml_doc *doc, const peri_yaml *node, double min, double max,
                     double *out) {
    if (!node) return PERI_ENOENT;
    char digits[64];
    double value = 0;
    peri_str text =
        is_scalar(node) ? ungroup(node->text, digits, sizeof digits) : (peri_str){0};
    int status = peri_number_parse(text, &value);
    if (status == PERI_OK && value >= min && value <= max) {
        *out = value;
        return PERI_OK;
    }
    peri_buf wanted;
    peri_buf_init(&wanted, 128);
    peri_buf_add_c(&wanted, "a number from ");
    peri_number_add(&wanted, min);
    peri_buf_add_c(&wanted, " to ");
    peri_number_add(&wanted, max);
    status =
        wrong(doc, node, peri_buf_c(&wanted), has_unit(node) ? "write the digits alone" : NULL);
    peri_buf_deinit(&wanted);
    return status;
}

static bool is_blank(peri_str text) {
    return peri_str_trim(text).len == 0;
}

// The parts of "a, b" that are not blank; returns how many. `parts` may be NULL, to count.
static size_t split(peri_str text, peri_str *parts) {
    size_t count = 0;
    for (size_t from = 0; from <= text.len;) {
        size_t comma = peri_str_find_byte(text, ',', from);
        size_t end = comma == PERI_NPOS ? text.len : comma;
        peri_str part = peri_str_trim(peri_str_sub(text, from, end - from));
        if (part.len) {
            if (parts) parts[count] = part;
            count++;
        }
        from = end + 1;
    }
    return count;
}

// The entries of a list that are not blank, as split().
static size_t collect(const peri_yaml *list, peri_str *entries) {
    size_t count = 0;
    for (const peri_yaml *entry = list->first; entry; entry = entry->next) {
        if (is_blank(entry->text)) continue;
        if (entries) entries[count] = entry->text;
        count++;
    }
    return count;
}

int peri_yaml_list(peri_yaml_doc *doc, const peri_yaml *node, const peri_str **out,
                   size_t *count) {
    if (!node) return PERI_ENOENT;
    bool scalar = is_scalar(node);
    if (!scalar && node->type != PERI_YAML_LIST) {
        return wrong(doc, node, "a list of texts", "write it as [a, b]");
    }
    for (const peri_yaml *entry = node->first; entry; entry = entry->next) {
        if (!is_scalar(entry)) return wrong(doc, entry, "a text", "the list holds texts only");
    }
    size_t needed = scalar ? split(node->text, NULL) : collect(node, NULL);
    peri_str *entries = peri_arena_alloc(&doc->arena, needed * sizeof *entries);
    if (!entries) return no_memory(doc);
    *count = scalar ? split(node->text, entries) : collect(node, entries);
    *out = entries;
    return PERI_OK;
}

int peri_yaml_word(peri_yaml_doc *doc, const peri_yaml *node, const peri_str *words,
                   size_t *out) {
    if (!node) return PERI_ENOENT;
    for (size_t i = 0; is_scalar(node) && words[i].len; i++) {
        if (!peri_str_eq(words[i], node->text)) continue;
        *out = i;
        return PERI_OK;
    }
    peri_buf wanted;
    peri_buf_init(&wanted, PERI_DIAG_TEXT_MAX_BYTES);
    peri_buf_add_c(&wanted, "one of ");
    for (size_t i = 0; words[i].len; i++) {
        if (i > 0) peri_buf_add_c(&wanted, ", ");
        peri_buf_add(&wanted, words[i]);
    }
    peri_str near = is_scalar(node) ? peri_diag_nearest(node->text, words) : (peri_str){0};
    char hint[128];
    snprintf(hint, sizeof hint, "did you mean %.*s?", PERI_FMT(excerpt(near)));
    int status = wrong(doc, node, peri_buf_c(&wanted), near.len ? hint : NULL);
    peri_buf_deinit(&wanted);
    return status;
}
