// What several settings files say together: rules add up, single values are taken
// from the highest source, hooks count from managed sources alone. Pure: texts come in as trees
// or lists, all that is kept is copied.
#ifndef PERI_GATE_PERMISSIONS_H
#define PERI_GATE_PERMISSIONS_H

#include "base/json_tree.h"
#include "gate/rule.h"

#define PERI_PERMISSION_MODE_LIST(X)                                                           \
    X(DEFAULT, "default")                                                                      \
    X(PLAN, "plan")                                                                            \
    X(ACCEPT_EDITS, "acceptEdits")                                                             \
    X(DONT_ASK, "dontAsk")                                                                     \
    X(AUTO, "auto")                                                                            \
    X(BYPASS, "bypassPermissions")

typedef enum peri_permission_mode {
#define PERI_PERMISSION_MODE_ENUM(name, word) PERI_PERMISSION_##name,
    PERI_PERMISSION_MODE_LIST(PERI_PERMISSION_MODE_ENUM)
#undef PERI_PERMISSION_MODE_ENUM
        PERI_PERMISSION_MODE_COUNT
} peri_permission_mode;

/// Where settings come from, lowest first.
typedef enum peri_settings_rank {
    PERI_SETTINGS_USER,
    PERI_SETTINGS_PROJECT,
    PERI_SETTINGS_LOCAL,
    PERI_SETTINGS_GIVEN, // named on the command line
    PERI_SETTINGS_MANAGED,
} peri_settings_rank;

enum {
    PERI_RULES_MAX = 20000, // of one effect
    PERI_HOOKS_MAX = 64,
    PERI_TYPE_LISTS_MAX = 16,
    PERI_HOOK_TIMEOUT_MS = 60000, // of a hook that names none; the most one may name
    PERI_SETTINGS_MAX_BYTES = 1024 * 1024,
};

/// One PreToolUse handler of a managed source.
typedef struct peri_hook {
    peri_str source;
    peri_str matcher; // absent or "*": every tool
    peri_str type;    // "command", or one that cannot be run here
    peri_str command; // for the shell, or the program where `args` are given
    peri_str shell;   // absent or "bash"; no other can be run here
    const peri_str *args;
    size_t arg_count;
    bool has_args, async;
    peri_str only_if; // one permission rule; absent: always
    uint32_t timeout_ms;
} peri_hook;

/// Types an observer may have, where a source narrows them.
typedef struct peri_type_list {
    peri_str source;
    const peri_str *types;
    size_t count;
} peri_type_list;

typedef struct peri_rule_list {
    peri_permission_rule *items;
    size_t count, cap;
} peri_rule_list;

typedef struct peri_permissions {
    peri_arena arena; // owns all
    peri_rule_list rules[PERI_RULE_EFFECT_COUNT];
    peri_hook hooks[PERI_HOOKS_MAX];
    size_t hook_count;
    size_t unmanaged_hooks; // found in sources that may not have any; not run
    peri_type_list allowed[PERI_TYPE_LISTS_MAX];
    size_t allowed_count;
    peri_permission_mode mode; // `defaultMode` of the highest source
    int mode_rank;             // -1: none said
    bool managed_rules_only;   // allow rules of other sources do not count
    bool hooks_off;            // a managed source said disableAllHooks
    uint64_t version;          // a hash of all that was added
} peri_permissions;

void peri_permissions_init(peri_permissions *permissions);
void peri_permissions_deinit(peri_permissions *permissions);

peri_str peri_permission_mode_word(peri_permission_mode mode);
/// Also `manual` for default. PERI_PERMISSION_MODE_COUNT if there is no such mode.
peri_permission_mode peri_permission_mode_find(peri_str word);

/// Adds what one settings file says; keys of other matters are passed over. All or nothing: a
/// mistake in what it says of permissions or hooks is a diagnostic and PERI_EINVAL.
/// PERI_ENOMEM, PERI_ELIMIT.
PERI_MUST_USE int peri_permissions_add(peri_permissions *permissions, peri_settings_rank rank,
                                       peri_str source, const peri_tree *root,
                                       peri_diag_list *diags);

/// Adds rules as texts, as a config has them. Like the above.
PERI_MUST_USE int peri_permissions_add_rules(peri_permissions *permissions,
                                             peri_settings_rank rank, peri_rule_effect effect,
                                             peri_str source, const peri_str *texts,
                                             size_t count, peri_diag_list *diags);

/// Adds the hooks of `{ "PreToolUse": [...] }`.
PERI_MUST_USE int peri_permissions_add_hooks(peri_permissions *permissions, peri_str source,
                                             const peri_tree *hooks, peri_diag_list *diags);

#endif
