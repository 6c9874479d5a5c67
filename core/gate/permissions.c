// Reading and adding up settings (permissions.h). A file is written by a person or an
// installer: what cannot be understood of its rules is an error, since a rule that is passed
// over in silence is a permission nobody gave.
#include "gate/permissions.h"

#include <stdlib.h>

enum { ARENA_BYTES = 16 * 1024 * 1024 };

static const peri_str mode_words[] = {
#define MODE_WORD(name, text) {text, sizeof(text) - 1},
    PERI_PERMISSION_MODE_LIST(MODE_WORD)
#undef MODE_WORD
};

peri_str peri_permission_mode_word(peri_permission_mode mode) {
    return mode_words[mode];
}

peri_permission_mode peri_permission_mode_find(peri_str word) {
    if (peri_str_eq(word, PERI_STR("manual"))) return PERI_PERMISSION_DEFAULT;
    for (int i = 0; i < PERI_PERMISSION_MODE_COUNT; i++) {
        if (peri_str_eq(mode_words[i], word)) return (peri_permission_mode)i;
    }
    return PERI_PERMISSION_MODE_COUNT;
}

void peri_permissions_init(peri_permissions *permissions) {
    *permissions = (peri_permissions){.mode_rank = -1, .version = PERI_HASH_SEED};
    peri_arena_init(&permissions->arena, ARENA_BYTES);
}

void peri_permissions_deinit(peri_permissions *permissions) {
    for (int i = 0; i < PERI_RULE_EFFECT_COUNT; i++) free(permissions->rules[i].items);
    peri_arena_deinit(&permissions->arena);
}

static void note(peri_permissions *permissions, const char *kind, peri_str text) {
    permissions->version = peri_str_hash(peri_str_c(kind), permissions->version);
    permissions->version = peri_str_hash(text, permissions->version);
}

static int grow(peri_rule_list *list) {
    if (list->count >= PERI_RULES_MAX) return PERI_ELIMIT;
    if (list->count < list->cap) return PERI_OK;
    size_t cap = list->cap ? list->cap * 2 : 16;
    peri_permission_rule *items = realloc(list->items, cap * sizeof *items);
    if (!items) return PERI_ENOMEM;
    list->items = items;
    list->cap = cap;
    return PERI_OK;
}

static const char *const effect_names[] = {"deny", "ask", "allow"};

typedef struct adding {
    peri_permissions *to;
    peri_settings_rank rank;
    peri_str source; // kept
    peri_diag_list *diags;
} adding;

static int add_rule(const adding *a, peri_rule_effect effect, peri_str text) {
    peri_permissions *permissions = a->to;
    peri_rule_list *list = &permissions->rules[effect];
    peri_permission_rule rule;
    int status = peri_rule_parse(text, &rule);
    if (status < 0) {
        peri_diag_addf(a->diags, PERI_ERROR, "bad-rule", a->source, 0, 0,
                       "write Tool, Tool(*) or Agent(type)",
                       "permissions.%s: '%.*s' is no rule", effect_names[effect],
                       PERI_FMT(peri_str_sub(text, 0, 100)));
        return PERI_EINVAL;
    }
    status = grow(list);
    if (status < 0) return status;
    peri_str kept = peri_arena_copy(&permissions->arena, text);
    if (text.len && !kept.ptr) return PERI_ENOMEM;
    status = peri_rule_parse(kept, &rule); // once more, of the copy
    if (status < 0) return status;
    rule.source = a->source;
    rule.managed = a->rank == PERI_SETTINGS_MANAGED;
    list->items[list->count++] = rule;
    note(permissions, effect_names[effect], kept);
    return PERI_OK;
}

static peri_str keep(peri_permissions *permissions, peri_str text) {
    return peri_arena_copy(&permissions->arena, text);
}

int peri_permissions_add_rules(peri_permissions *permissions, peri_settings_rank rank,
                               peri_rule_effect effect, peri_str source, const peri_str *texts,
                               size_t count, peri_diag_list *diags) {
    size_t before = permissions->rules[effect].count;
    const adding a = {permissions, rank, keep(permissions, source), diags};
    int status = a.source.ptr || !source.len ? PERI_OK : PERI_ENOMEM;
    for (size_t i = 0; i < count && status == PERI_OK; i++) {
        status = add_rule(&a, effect, texts[i]);
    }
    if (status < 0) permissions->rules[effect].count = before;
    return status;
}

// Every list of allowed types has to hold a type for it to be allowed.
static int allow_types(peri_permissions *permissions, peri_str source, const peri_str *types,
                       size_t count) {
    if (permissions->allowed_count == PERI_TYPE_LISTS_MAX) return PERI_ELIMIT;
    peri_str *kept = peri_arena_zero(&permissions->arena, (count + 1) * sizeof *kept);
    if (!kept) return PERI_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        kept[i] = keep(permissions, types[i]);
        if (!kept[i].ptr && types[i].len) return PERI_ENOMEM;
        note(permissions, "type", kept[i]);
    }
    permissions->allowed[permissions->allowed_count++] =
        (peri_type_list){keep(permissions, source), kept, count};
    return PERI_OK;
}

// Takes `mode` if no higher source has named one.
static void set_mode(peri_permissions *permissions, peri_settings_rank rank,
                     peri_permission_mode mode) {
    if ((int)rank < permissions->mode_rank) return;
    permissions->mode_rank = (int)rank;
    permissions->mode = mode;
    note(permissions, "mode", mode_words[mode]);
}

// ---- Trees

static int wrong(const adding *a, const char *where, const char *wanted) {
    peri_diag_addf(a->diags, PERI_ERROR, "wrong-type", a->source, 0, 0, NULL, "%s must be %s",
                   where, wanted);
    return PERI_EINVAL;
}

static int add_list(const adding *a, const peri_tree *list, peri_rule_effect effect) {
    if (!list) return PERI_OK;
    if (peri_tree_type(list) != PERI_JSON_ARRAY) {
        return wrong(a, effect_names[effect], "a list of rules");
    }
    for (const peri_tree *one = peri_tree_first(list); one; one = peri_tree_next(one)) {
        if (peri_tree_type(one) != PERI_JSON_STRING) {
            return wrong(a, effect_names[effect], "a list of texts");
        }
        int status = add_rule(a, effect, peri_tree_str(one));
        if (status < 0) return status;
    }
    return PERI_OK;
}

static int add_allowed(const adding *a, const peri_tree *list) {
    enum { MOST = 256 };
    peri_str types[MOST];
    size_t count = 0;
    if (!list) return PERI_OK;
    if (peri_tree_type(list) != PERI_JSON_ARRAY) {
        return wrong(a, "allowedAgentTypes", "a list of types");
    }
    for (const peri_tree *one = peri_tree_first(list); one; one = peri_tree_next(one)) {
        if (peri_tree_type(one) != PERI_JSON_STRING || count == MOST) {
            return wrong(a, "allowedAgentTypes", "a list of at most 256 texts");
        }
        types[count++] = peri_tree_str(one);
    }
    return allow_types(a->to, a->source, types, count);
}

static int add_permissions(const adding *a, const peri_tree *map) {
    if (!map) return PERI_OK;
    if (peri_tree_type(map) != PERI_JSON_OBJECT) return wrong(a, "permissions", "an object");
    int status = add_list(a, peri_tree_get(map, PERI_STR("deny")), PERI_RULE_DENY);
    if (status == PERI_OK) {
        status = add_list(a, peri_tree_get(map, PERI_STR("ask")), PERI_RULE_ASK);
    }
    if (status == PERI_OK) {
        status = add_list(a, peri_tree_get(map, PERI_STR("allow")), PERI_RULE_ALLOW);
    }
    const peri_tree *mode = peri_tree_get(map, PERI_STR("defaultMode"));
    if (status < 0 || !mode) return status;
    peri_permission_mode found = peri_permission_mode_find(peri_tree_str(mode));
    if (peri_tree_type(mode) != PERI_JSON_STRING || found == PERI_PERMISSION_MODE_COUNT) {
        return wrong(a, "permissions.defaultMode", "one of the permission modes");
    }
    set_mode(a->to, a->rank, found);
    return PERI_OK;
}

static int add_args(const adding *a, const peri_tree *list, peri_hook *hook) {
    if (!list) return PERI_OK;
    if (peri_tree_type(list) != PERI_JSON_ARRAY) return wrong(a, "hooks: args", "a list");
    peri_str *args = peri_arena_zero(&a->to->arena, (peri_tree_count(list) + 1) * sizeof *args);
    if (!args) return PERI_ENOMEM;
    for (const peri_tree *one = peri_tree_first(list); one; one = peri_tree_next(one)) {
        if (peri_tree_type(one) != PERI_JSON_STRING) return wrong(a, "hooks: args", "texts");
        args[hook->arg_count++] = keep(a->to, peri_tree_str(one));
    }
    hook->args = args;
    hook->has_args = true;
    return PERI_OK;
}

static uint32_t timeout_of(const peri_tree *from) {
    double seconds;
    const peri_tree *node = peri_tree_get(from, PERI_STR("timeout"));
    if (!node || peri_tree_double(node, &seconds) < 0 || !(seconds > 0)) {
        return PERI_HOOK_TIMEOUT_MS;
    }
    double ms = seconds * 1000;
    return ms >= PERI_HOOK_TIMEOUT_MS ? PERI_HOOK_TIMEOUT_MS : ms < 1 ? 1 : (uint32_t)ms;
}

static bool is_same(const peri_hook *a, const peri_hook *b) {
    if (!peri_str_eq(a->type, b->type) || !peri_str_eq(a->command, b->command) ||
        !peri_str_eq(a->only_if, b->only_if) || !peri_str_eq(a->matcher, b->matcher) ||
        !peri_str_eq(a->shell, b->shell) || a->timeout_ms != b->timeout_ms ||
        a->async != b->async || a->has_args != b->has_args || a->arg_count != b->arg_count) {
        return false;
    }
    for (size_t i = 0; i < a->arg_count; i++) {
        if (!peri_str_eq(a->args[i], b->args[i])) return false;
    }
    return true;
}

static void note_hook(peri_permissions *permissions, const peri_hook *hook) {
    note(permissions, hook->async ? "async hook" : "hook", hook->command);
    note(permissions, "matcher", hook->matcher);
    note(permissions, "if", hook->only_if);
    for (size_t i = 0; i < hook->arg_count; i++) note(permissions, "arg", hook->args[i]);
}

// Identical handlers of several files run once.
static int push_hook(const adding *a, const peri_hook *hook) {
    peri_permissions *to = a->to;
    for (size_t i = 0; i < to->hook_count; i++) {
        if (is_same(&to->hooks[i], hook)) return PERI_OK;
    }
    if (to->hook_count == PERI_HOOKS_MAX) return PERI_ELIMIT;
    to->hooks[to->hook_count++] = *hook;
    note_hook(to, hook);
    return PERI_OK;
}

static int add_hook(const adding *a, peri_str matcher, const peri_tree *from) {
    peri_str type = peri_tree_str(peri_tree_get(from, PERI_STR("type")));
    if (!type.len) return wrong(a, "hooks: type", "a text");
    peri_hook hook = {
        .source = a->source,
        .matcher = matcher,
        .type = keep(a->to, type),
        .command = keep(a->to, peri_tree_str(peri_tree_get(from, PERI_STR("command")))),
        .async = peri_tree_is_true(peri_tree_get(from, PERI_STR("async"))),
        .only_if = keep(a->to, peri_tree_str(peri_tree_get(from, PERI_STR("if")))),
        .shell = keep(a->to, peri_tree_str(peri_tree_get(from, PERI_STR("shell")))),
        .timeout_ms = timeout_of(from),
    };
    if (peri_str_eq(hook.type, PERI_STR("command")) && !hook.command.len) {
        return wrong(a, "hooks: command", "a text");
    }
    int status = add_args(a, peri_tree_get(from, PERI_STR("args")), &hook);
    return status < 0 ? status : push_hook(a, &hook);
}

static int add_group(const adding *a, const peri_tree *group) {
    const peri_tree *handlers = peri_tree_get(group, PERI_STR("hooks"));
    const peri_tree *matcher = peri_tree_get(group, PERI_STR("matcher"));
    if (matcher && peri_tree_type(matcher) != PERI_JSON_STRING) {
        return wrong(a, "hooks: matcher", "a text");
    }
    if (peri_tree_type(handlers) != PERI_JSON_ARRAY) {
        return wrong(a, "hooks.PreToolUse", "a list of { matcher, hooks: [...] }");
    }
    peri_str kept = keep(a->to, peri_tree_str(matcher));
    for (const peri_tree *one = peri_tree_first(handlers); one; one = peri_tree_next(one)) {
        int status = add_hook(a, kept, one);
        if (status < 0) return status;
    }
    return PERI_OK;
}

static int add_hooks(const adding *a, const peri_tree *hooks) {
    const peri_tree *groups = peri_tree_get(hooks, PERI_STR("PreToolUse"));
    if (!groups) return PERI_OK;
    if (peri_tree_type(groups) != PERI_JSON_ARRAY) {
        return wrong(a, "hooks.PreToolUse", "a list");
    }
    if (a->rank != PERI_SETTINGS_MANAGED) {
        a->to->unmanaged_hooks += peri_tree_count(groups);
        return PERI_OK;
    }
    for (const peri_tree *one = peri_tree_first(groups); one; one = peri_tree_next(one)) {
        int status = add_group(a, one);
        if (status < 0) return status;
    }
    return PERI_OK;
}

int peri_permissions_add_hooks(peri_permissions *permissions, peri_str source,
                               const peri_tree *hooks, peri_diag_list *diags) {
    const adding a = {permissions, PERI_SETTINGS_MANAGED, keep(permissions, source), diags};
    return add_hooks(&a, hooks);
}

static int add_root(const adding *a, const peri_tree *root) {
    if (peri_tree_type(root) != PERI_JSON_OBJECT) return wrong(a, "settings", "an object");
    int status = add_permissions(a, peri_tree_get(root, PERI_STR("permissions")));
    if (status == PERI_OK) {
        status = add_allowed(a, peri_tree_get(root, PERI_STR("allowedAgentTypes")));
    }
    if (status == PERI_OK) status = add_hooks(a, peri_tree_get(root, PERI_STR("hooks")));
    if (status < 0 || a->rank != PERI_SETTINGS_MANAGED) return status;
    a->to->managed_rules_only |=
        peri_tree_is_true(peri_tree_get(root, PERI_STR("allowManagedPermissionRulesOnly")));
    a->to->hooks_off |= peri_tree_is_true(peri_tree_get(root, PERI_STR("disableAllHooks")));
    if (a->to->managed_rules_only) note(a->to, "managed rules only", a->source);
    if (a->to->hooks_off) note(a->to, "hooks off", a->source);
    return PERI_OK;
}

int peri_permissions_add(peri_permissions *permissions, peri_settings_rank rank,
                         peri_str source, const peri_tree *root, peri_diag_list *diags) {
    peri_permissions before = *permissions;
    const adding a = {permissions, rank, keep(permissions, source), diags};
    int status = add_root(&a, root);
    if (status < 0) { // what was copied stays in the arena
        permissions->hook_count = before.hook_count;
        permissions->unmanaged_hooks = before.unmanaged_hooks;
        permissions->allowed_count = before.allowed_count;
        permissions->mode = before.mode;
        permissions->mode_rank = before.mode_rank;
        permissions->version = before.version;
        for (int i = 0; i < PERI_RULE_EFFECT_COUNT; i++) {
            permissions->rules[i].count = before.rules[i].count;
        }
    }
    return status;
}
