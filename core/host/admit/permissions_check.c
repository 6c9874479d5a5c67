// What a person wrote under `permissions:` of a config, checked with its place in the file, and
// its rules tried on what a recording would have asked of them. Called by
// host/admit/permissions.c, for `check` by host/check.c and cli/.
#include <stdarg.h>
#include <stdio.h>

#include "base/yaml.h"
#include "host/types.h"

typedef struct checking {
    peri_yaml_doc *doc;
    size_t mistakes;
} checking;

static void __attribute__((format(printf, 5, 6)))
tell(checking *c, const peri_yaml *node, const char *id, const char *hint, const char *format,
     ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    peri_diag_addf(c->doc->diags, PERI_ERROR, id, c->doc->file, node->line, node->column, hint,
                   "%s", text);
    c->mistakes++;
}

// ---- Walking the rules

typedef void (*entry_fn)(void *user, const peri_yaml *node, peri_str text);

// A list of texts, or one text with commas.
static void each_entry(checking *c, const peri_yaml *list, const char *key, entry_fn fn,
                       void *user) {
    if (!list) return;
    if (list->type == PERI_YAML_MAP) {
        tell(c, list, "wrong-type", "write a list: [\"Agent(reviewer)\"]",
             "permissions.%s must be a list of texts", key);
        return;
    }
    if (list->type == PERI_YAML_SCALAR) {
        peri_str rest = list->text, one;
        while (peri_tool_list_take(&rest, &one)) fn(user, list, one);
        return;
    }
    for (const peri_yaml *one = list->first; one; one = one->next) {
        if (one->type == PERI_YAML_SCALAR) {
            fn(user, one, one->text);
        } else {
            tell(c, one, "wrong-type", "put a rule with commas or colons in quotes",
                 "permissions.%s holds something else than texts", key);
        }
    }
}

// By peri_rule_effect.
static const char *const effects[] = {"deny", "ask", "allow"};

typedef struct checking_rule {
    checking *c;
    const char *effect;
} checking_rule;

static void check_rule(void *user, const peri_yaml *node, peri_str text) {
    const checking_rule *r = user;
    peri_permission_rule rule;
    if (peri_rule_parse(text, &rule) == PERI_OK) return;
    tell(r->c, node, "bad-rule", "write Tool, Tool(*) or Agent(type)",
         "permissions.%s: '%.*s' is no rule", r->effect,
         PERI_FMT(peri_str_sub(text, 0, peri_utf8_cut_bytes(text, 100))));
}

static void check_type(void *user, const peri_yaml *node, peri_str text) {
    if (peri_str_find_byte(text, '(', 0) == PERI_NPOS) return;
    tell(user, node, "bad-type", "write the type alone",
         "permissions.allowed_agent_types: '%.*s' is no type",
         PERI_FMT(peri_str_sub(text, 0, peri_utf8_cut_bytes(text, 100))));
}

// ---- Mode and hooks

static void check_mode(checking *c, const peri_yaml *node) {
    peri_str words[PERI_PERMISSION_MODE_COUNT + 2] = {{0}};
    size_t found;
    for (int i = 0; i < PERI_PERMISSION_MODE_COUNT; i++) {
        words[i] = peri_permission_mode_word((peri_permission_mode)i);
    }
    words[PERI_PERMISSION_MODE_COUNT] = PERI_STR("manual");
    int status = peri_yaml_word(c->doc, node, words, &found);
    if (status < 0 && status != PERI_ENOENT) c->mistakes++;
}

// What is wrong with them is told without a place: it gets that of the whole.
static peri_tree *tree_of_scalar(const peri_yaml *node) {
    double number;
    bool plain = !node->quoted;
    if (plain && peri_str_eq(node->text, PERI_STR("true"))) return peri_tree_new_bool(true);
    if (plain && peri_str_eq(node->text, PERI_STR("false"))) return peri_tree_new_bool(false);
    peri_yaml_doc none = {0};
    if (plain && peri_yaml_double(&none, node, 0, 1e9, &number) == PERI_OK) {
        return peri_tree_new_number(number);
    }
    return peri_tree_new_string(node->text);
}

peri_tree *host_permissions_tree(const peri_yaml *node) {
    if (node->type == PERI_YAML_SCALAR) return tree_of_scalar(node);
    bool map = node->type == PERI_YAML_MAP;
    peri_tree *tree = map ? peri_tree_new_object() : peri_tree_new_array();
    for (const peri_yaml *one = node->first; one; one = one->next) {
        int status = map ? peri_tree_set_take(tree, one->key, host_permissions_tree(one))
                         : peri_tree_add_take(tree, host_permissions_tree(one));
        if (status < 0) {
            peri_tree_free(tree);
            return NULL;
        }
    }
    return tree;
}

static void check_hooks(checking *c, const peri_yaml *node) {
    if (!node) return;
    peri_permissions alone;
    peri_diag_list found;
    peri_permissions_init(&alone);
    peri_diag_list_init(&found);
    peri_tree *tree = host_permissions_tree(node);
    int status =
        tree ? peri_permissions_add_hooks(&alone, c->doc->file, tree, &found) : PERI_ENOMEM;
    for (size_t i = 0; i < found.count; i++) {
        tell(c, node, "bad-hook", NULL, "permissions.%.*s", PERI_FMT(found.items[i].message));
    }
    if (status < 0 && !found.count) {
        tell(c, node, "bad-hook", NULL, "permissions.hooks: %s", peri_status_message(status));
    }
    peri_tree_free(tree);
    peri_diag_list_deinit(&found);
    peri_permissions_deinit(&alone);
}

int host_permissions_check(peri_yaml_doc *doc, const peri_yaml *from) {
    static const peri_str words[] = {{"deny", 4}, {"ask", 3},   {"allow", 5},
                                     {"mode", 4}, {"hooks", 5}, {"allowed_agent_types", 19},
                                     {0}};
    checking c = {.doc = doc, .mistakes = peri_yaml_check_keys(doc, from, words)};
    for (size_t i = 0; i < PERI_RULE_EFFECT_COUNT; i++) {
        checking_rule rule = {&c, effects[i]};
        each_entry(&c, peri_yaml_get(from, peri_str_c(effects[i])), effects[i], check_rule,
                   &rule);
    }
    each_entry(&c, peri_yaml_get(from, words[5]), words[5].ptr, check_type, &c);
    check_mode(&c, peri_yaml_get(from, words[3]));
    check_hooks(&c, peri_yaml_get(from, words[4]));
    return c.mistakes ? PERI_EINVAL : PERI_OK;
}

// ---- Trying them

typedef struct trying {
    peri_rule_effect effect;
    const peri_agent_request *requests;
    size_t count;
    peri_tried_rule_fn fn;
    void *user;
} trying;

static void try_rule(void *user, const peri_yaml *node, peri_str text) {
    const trying *t = user;
    peri_permission_rule rule;
    if (peri_rule_parse(text, &rule) < 0) return;
    peri_tried_rule tried = {.effect = effects[t->effect],
                             .text = rule.text,
                             .line = node->line,
                             .of_agent = peri_rule_is_of_agent(&rule, t->effect)};
    for (size_t i = 0; i < t->count; i++) {
        tried.matched += peri_rule_match(&rule, t->effect, &t->requests[i]) != PERI_REACH_NONE;
    }
    t->fn(t->user, &tried);
}

int peri_host_try_rules(const char *path, const peri_agent_request *requests, size_t count,
                        peri_tried_rule_fn fn, void *user) {
    peri_buf text;
    peri_buf_init(&text, HOST_CONFIG_MAX_BYTES);
    peri_yaml_doc doc = {0};
    int status = peri_file_read(path, &text);
    bool read = status == PERI_OK;
    if (read) status = peri_yaml_parse(&doc, peri_buf_str(&text), peri_str_c(path), 1, NULL);
    checking c = {.doc = &doc};
    const peri_yaml *from =
        status == PERI_OK ? peri_yaml_get(doc.root, PERI_STR("permissions")) : NULL;
    for (int i = 0; from && i < PERI_RULE_EFFECT_COUNT; i++) {
        trying t = {(peri_rule_effect)i, requests, count, fn, user};
        each_entry(&c, peri_yaml_get(from, peri_str_c(effects[i])), effects[i], try_rule, &t);
    }
    if (read) peri_yaml_doc_deinit(&doc);
    peri_buf_deinit(&text);
    return status;
}
