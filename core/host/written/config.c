// config.yaml, over the defaults. A file with a mistake counts not at all: its reader
// is told where and the settings before it stay.
#include <stdio.h>

#include "base/yaml.h"
#include "host/written/written.h"

void host_config_init(host_config *config) {
    static const peri_str default_policies[] = {{"default", 7}};
    *config = (host_config){
        .observers_enabled = true,
        .policies = default_policies,
        .policy_count = 1,
        .limits = {.advisories_per_turn = 2, .veto_budget = 3},
        .ceilings = peri_ceilings_default(),
        .ledger_days = 30,
        .unknown_percent = HOST_UNKNOWN_PERCENT,
        .idle_ms = HOST_QUIET_MS,
        .ledger_max_bytes = INT64_C(256) << 20,
        .scrub = true,
    };
    peri_arena_init(&config->arena, 1024 * 1024);
}

void host_config_deinit(host_config *config) {
    peri_arena_deinit(&config->arena);
}

typedef struct reading {
    host_config *to;
    peri_yaml_doc doc;
    peri_diag_list *diags;
    int status;
} reading;

// PERI_ENOENT means "not there": the default stays.
static bool got(reading *r, int status) {
    if (status < 0 && status != PERI_ENOENT) r->status = status;
    return status >= 0;
}

static const peri_yaml *key(const peri_yaml *map, const char *name) {
    return peri_yaml_get(map, peri_str_c(name));
}

// A key with nothing behind it, since its last member was taken out, says nothing.
static bool is_map(reading *r, const peri_yaml *node) {
    if (node->type == PERI_YAML_SCALAR && !node->text.len) return false;
    if (!peri_yaml_check_map(&r->doc, node)) r->status = PERI_EINVAL;
    return node->type == PERI_YAML_MAP;
}

// For what may not stand as one text: it may hold commas, or be more than a text.
static bool is_list(reading *r, const peri_yaml *node, const char *what) {
    if (node->type == PERI_YAML_LIST) return true;
    peri_diag_addf(r->diags, PERI_ERROR, "wrong-type", r->doc.file, node->line, node->column,
                   "write them as a list", "%s must be a list", what);
    r->status = PERI_EINVAL;
    return false;
}

static const peri_str *keep_list(reading *r, const peri_str *list, size_t count) {
    peri_str *kept = peri_arena_zero(&r->to->arena, (count + 1) * sizeof *kept);
    if (!kept) {
        r->status = PERI_ENOMEM;
        return NULL;
    }
    for (size_t i = 0; i < count; i++) kept[i] = peri_arena_copy(&r->to->arena, list[i]);
    return kept;
}

static void read_list(reading *r, const peri_yaml *node, const peri_str **out, size_t *count) {
    const peri_str *list;
    size_t total;
    if (!got(r, peri_yaml_list(&r->doc, node, &list, &total))) return;
    const peri_str *kept = keep_list(r, list, total);
    if (!kept) return;
    *out = kept;
    *count = total;
}

// `kept` lives in the arena.
static void append(reading *r, const peri_str **list, size_t *count, peri_str kept) {
    peri_str *grown = peri_arena_zero(&r->to->arena, (*count + 2) * sizeof *grown);
    if (!grown) {
        r->status = PERI_ENOMEM;
        return;
    }
    if (*count) memcpy(grown, *list, *count * sizeof *grown);
    grown[*count] = kept;
    *list = grown;
    (*count)++;
}

static void add_name(reading *r, const peri_str **list, size_t *count, peri_str name) {
    append(r, list, count, peri_arena_copy(&r->to->arena, name));
}

// A later config's `mode: live` takes back the shadow of an
// earlier one, `scrub: true` its false.
static void del_name(reading *r, const peri_str **list, size_t *count, peri_str name) {
    peri_str *left = peri_arena_zero(&r->to->arena, (*count + 1) * sizeof *left);
    if (!left) {
        r->status = PERI_ENOMEM;
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (!peri_str_eq((*list)[i], name)) left[kept++] = (*list)[i];
    }
    *list = left;
    *count = kept;
}

// "WHAT FILE:LINE", with a NUL behind it; absent when memory ran out.
static peri_str place(reading *r, const char *what, uint32_t line) {
    const char *text =
        peri_arena_printf(&r->to->arena, "%s %.*s:%u", what, PERI_FMT(r->doc.file), line);
    if (!text) r->status = PERI_ENOMEM;
    return peri_str_c(text);
}

static void disable(reading *r, peri_str name, uint32_t line) {
    size_t count = r->to->disabled_count;
    append(r, &r->to->disabled_by, &count, place(r, "disabled in", line));
    add_name(r, &r->to->disabled, &r->to->disabled_count, name);
}

// NAME: { enabled, mode, scrub }
static void read_observer(reading *r, const peri_yaml *one) {
    static const peri_str words[] = {{"enabled", 7}, {"mode", 4}, {"scrub", 5}, {0}};
    static const peri_str modes[] = {{"live", 4}, {"shadow", 6}, {0}};
    bool enabled = true, scrub = true;
    size_t mode = 0;
    bool says_mode = key(one, "mode") != NULL;
    if (peri_yaml_check_keys(&r->doc, one, words)) r->status = PERI_EINVAL;
    if (got(r, peri_yaml_bool(&r->doc, key(one, "enabled"), &enabled))) {
        if (enabled) {
            add_name(r, &r->to->enabled, &r->to->enabled_count, one->key);
        } else {
            disable(r, one->key, one->key_line);
        }
    }
    got(r, peri_yaml_word(&r->doc, key(one, "mode"), modes, &mode));
    if (says_mode) del_name(r, &r->to->shadowed, &r->to->shadowed_count, one->key);
    if (mode == 1) add_name(r, &r->to->shadowed, &r->to->shadowed_count, one->key);
    if (got(r, peri_yaml_bool(&r->doc, key(one, "scrub"), &scrub))) {
        del_name(r, &r->to->unscrubbed, &r->to->unscrubbed_count, one->key);
    }
    if (!scrub) add_name(r, &r->to->unscrubbed, &r->to->unscrubbed_count, one->key);
}

// All of them: on again only where nothing says off for good.
static void read_enabled(reading *r, const peri_yaml *node, const char *off) {
    bool enabled = true;
    if (!got(r, peri_yaml_bool(&r->doc, node, &enabled))) return;
    r->to->observers_enabled = enabled;
    r->to->off_by = enabled ? NULL : place(r, off, node->key_line).ptr;
}

// `enable: false`: what is no map and nearly one of the two words is no observer.
static bool is_slip(reading *r, const peri_yaml *one) {
    static const peri_str words[] = {{"enabled", 7}, {"disable", 7}, {0}};
    peri_str near = peri_diag_nearest(one->key, words);
    if (one->type == PERI_YAML_MAP || !near.len) return false;
    char hint[40];
    snprintf(hint, sizeof hint, "did you mean %.*s?", PERI_FMT(near));
    peri_diag_addf(r->diags, PERI_ERROR, "unknown-key", r->doc.file, one->key_line,
                   one->key_column, hint, "observers: unknown key \"%.*s\"",
                   PERI_FMT(one->key));
    r->status = PERI_EINVAL;
    return true;
}

// observers: { enabled, disable, NAME: { ... } }. A text in place of a map is a mistake:
// whoever wrote `NAME: false` would have an observer that stays on.
static void read_observers(reading *r, const peri_yaml *map) {
    if (!map || !is_map(r, map)) return;
    const peri_yaml *enabled = key(map, "enabled"), *disable_key = key(map, "disable");
    read_enabled(r, enabled, "observers.enabled is false in");
    const peri_str *names = NULL;
    size_t count = 0;
    read_list(r, disable_key, &names, &count);
    for (size_t i = 0; i < count; i++) { // a union over the layers
        disable(r, names[i], disable_key->key_line);
    }
    for (const peri_yaml *one = map->first; one; one = one->next) {
        if (one == enabled || one == disable_key || is_slip(r, one)) continue;
        if (is_map(r, one)) read_observer(r, one);
    }
}

static void not_built(reading *r, const peri_yaml *node, const char *what) {
    if (!node) return;
    peri_diag_addf(r->diags, PERI_WARNING, "not-built", r->doc.file, node->key_line,
                   node->key_column, NULL,
                   "%s: this version reads the key but does nothing with it", what);
}

// session: and day: { wakes: 1000, money: 2.00, ... }
static void read_ceilings(reading *r, const peri_yaml *map, uint64_t *to) {
    enum { MILLION = 1000000 };
    peri_str words[PERI_SPEND_COUNT + 1] = {{0}};
    if (!map) return;
    for (peri_spend what = 0; what < PERI_SPEND_COUNT; what++)
        words[what] = peri_spend_word(what);
    if (peri_yaml_check_keys(&r->doc, map, words)) r->status = PERI_EINVAL;
    for (peri_spend what = 0; what < PERI_SPEND_COUNT; what++) {
        const peri_yaml *node = peri_yaml_get(map, words[what]);
        int64_t number;
        double money;
        if (what == PERI_SPEND_MONEY) {
            if (got(r, peri_yaml_double(&r->doc, node, 0, MILLION, &money)))
                to[what] = (uint64_t)(money * MILLION + 0.5);
        } else if (got(r, peri_yaml_int(&r->doc, node, 0, INT64_C(1) << 40, &number))) {
            to[what] = (uint64_t)number;
        }
    }
}

static void read_limits(reading *r, const peri_yaml *map) {
    static const peri_str words[] = {{"advisories_per_turn", 19},
                                     {"veto_budget", 11},
                                     {"session", 7},
                                     {"day", 3},
                                     {"unknown_percent", 15},
                                     {"idle_ms", 7},
                                     {0}};
    if (!map) return;
    if (peri_yaml_check_keys(&r->doc, map, words)) r->status = PERI_EINVAL;
    int64_t number;
    if (got(r, peri_yaml_int(&r->doc, key(map, "advisories_per_turn"), 0, PERI_ADVISORIES_CAP,
                             &number))) {
        r->to->limits.advisories_per_turn = (uint32_t)number;
    }
    if (got(r, peri_yaml_int(&r->doc, key(map, "veto_budget"), 0, PERI_VETO_BUDGET_CAP,
                             &number))) {
        r->to->limits.veto_budget = (uint32_t)number;
    }
    got(r,
        peri_yaml_int(&r->doc, key(map, "unknown_percent"), 1, 100, &r->to->unknown_percent));
    got(r,
        peri_yaml_int(&r->doc, key(map, "idle_ms"), 1000, 24 * 3600 * 1000, &r->to->idle_ms));
    read_ceilings(r, key(map, "session"), r->to->ceilings.session);
    read_ceilings(r, key(map, "day"), r->to->ceilings.day);
}

static void read_ledger(reading *r, const peri_yaml *map) {
    static const peri_str words[] = {{"days", 4}, {"max_bytes", 9}, {0}};
    if (!map) return;
    if (peri_yaml_check_keys(&r->doc, map, words)) r->status = PERI_EINVAL;
    got(r, peri_yaml_int(&r->doc, key(map, "days"), 1, 3650, &r->to->ledger_days));
    got(r, peri_yaml_int(&r->doc, key(map, "max_bytes"), 1 << 20, INT64_C(1) << 40,
                         &r->to->ledger_max_bytes));
}

static void read_privacy(reading *r, const peri_yaml *map) {
    static const peri_str words[] = {{"scrub", 5}, {"patterns", 8}, {"kinds", 5}, {0}};
    if (!map) return;
    if (peri_yaml_check_keys(&r->doc, map, words)) r->status = PERI_EINVAL;
    got(r, peri_yaml_bool(&r->doc, key(map, "scrub"), &r->to->scrub));
    read_list(r, key(map, "kinds"), &r->to->kind_files, &r->to->kind_file_count);
    const peri_yaml *patterns = key(map, "patterns");
    if (!patterns || !is_list(r, patterns, "patterns")) return;
    read_list(r, patterns, &r->to->patterns, &r->to->pattern_count);
}

void host_goal_item_read(peri_goal_item *item, peri_str text) {
    text = peri_str_trim(text);
    if (peri_str_starts(text, PERI_STR("- "))) text = peri_str_sub(text, 2, text.len);
    bool box = text.len >= 3 && text.ptr[0] == '[' && text.ptr[2] == ']';
    item->done = box && (text.ptr[1] == 'x' || text.ptr[1] == 'X');
    item->text = peri_str_trim(box ? peri_str_sub(text, 3, text.len) : text);
}

static void read_goal_items(reading *r, const peri_yaml *list) {
    if (!list || !is_list(r, list, "items")) return;
    size_t count = 0;
    for (const peri_yaml *one = list->first; one; one = one->next) count++;
    peri_goal_item *items = peri_arena_zero(&r->to->arena, (count + 1) * sizeof *items);
    if (!items) {
        r->status = PERI_ENOMEM;
        return;
    }
    r->to->goal.items = items;
    r->to->goal.item_count = count;
    for (const peri_yaml *one = list->first; one; one = one->next, items++) {
        peri_str text = {0};
        const peri_yaml *from = one->type == PERI_YAML_MAP ? key(one, "text") : one;
        if (got(r, peri_yaml_str(&r->doc, from, &text))) {
            host_goal_item_read(items, peri_arena_copy(&r->to->arena, text));
        }
        if (one->type == PERI_YAML_MAP) {
            got(r, peri_yaml_bool(&r->doc, key(one, "done"), &items->done));
        }
    }
}

static void read_goal(reading *r, const peri_yaml *map) {
    static const peri_str words[] = {{"text", 4}, {"check", 5}, {"items", 5}, {0}};
    if (!map) return;
    if (peri_yaml_check_keys(&r->doc, map, words)) r->status = PERI_EINVAL;
    peri_str text;
    r->to->goal = (peri_goal){0};
    if (got(r, peri_yaml_str(&r->doc, key(map, "text"), &text))) {
        r->to->goal.text = peri_arena_copy(&r->to->arena, text);
    }
    if (got(r, peri_yaml_str(&r->doc, key(map, "check"), &text))) {
        r->to->goal.check = peri_arena_copy(&r->to->arena, text);
    }
    read_goal_items(r, key(map, "items"));
}

// recall: { memory: [FOLDER...], skills: [FOLDER...] }
static void read_recall(reading *r, const peri_yaml *map) {
    static const peri_str words[] = {{"memory", 6}, {"skills", 6}, {0}};
    if (!map) return;
    if (peri_yaml_check_keys(&r->doc, map, words)) r->status = PERI_EINVAL;
    read_list(r, key(map, "memory"), &r->to->memory_folders, &r->to->memory_folder_count);
    read_list(r, key(map, "skills"), &r->to->skill_folders, &r->to->skill_folder_count);
}

static void say_channel(reading *r, const host_channel *said) {
    size_t count = r->to->channel_count;
    host_channel *grown = NULL;
    if (count == HOST_MAX_CHANNELS) {
        peri_diag_addf(r->diags, PERI_ERROR, "too-many", said->file, said->line, said->column,
                       NULL, "channels: more than %d", HOST_MAX_CHANNELS);
        r->status = PERI_ELIMIT;
    } else if (!(grown = peri_arena_zero(&r->to->arena, (count + 1) * sizeof *grown))) {
        r->status = PERI_ENOMEM;
    }
    if (!grown) return;
    if (count) memcpy(grown, r->to->channels, count * sizeof *grown);
    grown[count] = *said;
    r->to->channels = grown;
    r->to->channel_count = count + 1;
}

// One ANSWER: REACH of DIALECT's EVENT[:TOOL].
static void read_channel(reading *r, peri_str dialect, peri_str place, const peri_yaml *one) {
    host_channel said = {.line = one->line, .column = one->column};
    peri_str reach;
    if (!got(r, peri_yaml_str(&r->doc, one, &reach))) return;
    said.dialect = peri_arena_copy(&r->to->arena, dialect);
    said.file = peri_arena_copy(&r->to->arena, r->doc.file);
    peri_channel_place(&said.channel, peri_arena_copy(&r->to->arena, place));
    said.channel.answer = peri_arena_copy(&r->to->arena, one->key);
    if (!peri_channel_read(&said.channel, peri_arena_copy(&r->to->arena, reach))) {
        peri_diag_addf(r->diags, PERI_ERROR, "wrong-value", r->doc.file, one->line, one->column,
                       "say ok, ignored, dropped, unknown or since VERSION",
                       "channels: '%.*s' is not what can be known of one", PERI_FMT(reach));
        r->status = PERI_EINVAL;
        return;
    }
    say_channel(r, &said);
}

// channels: { DIALECT: { "EVENT[:TOOL]": { ANSWER: ok } } }
static void read_channels(reading *r, const peri_yaml *map) {
    if (!map || !is_map(r, map)) return;
    for (const peri_yaml *dialect = map->first; dialect; dialect = dialect->next) {
        if (!is_map(r, dialect)) continue;
        for (const peri_yaml *event = dialect->first; event; event = event->next) {
            if (!is_map(r, event)) continue;
            for (const peri_yaml *one = event->first; one; one = one->next)
                read_channel(r, dialect->key, event->key, one);
        }
    }
}

static void read_root(reading *r) {
    static const peri_str words[] = {{"observers", 9},
                                     {"policies", 8},
                                     {"limits", 6},
                                     {"permissions", 11},
                                     {"models", 6},
                                     {"ledger", 6},
                                     {"privacy", 7},
                                     {"goal", 4},
                                     {"recall", 6},
                                     {"verbose", 7},
                                     {"agents", 6},
                                     {"channels", 8},
                                     {"observers_enabled", 17},
                                     {0}};
    const peri_yaml *root = r->doc.root;
    if (!root) return;
    if (root->type != PERI_YAML_MAP) {
        peri_diag_addf(r->diags, PERI_ERROR, "wrong-type", r->doc.file, root->line,
                       root->column, "write `key: value` lines", "a config is a map of keys");
        r->status = PERI_EINVAL;
        return;
    }
    if (peri_yaml_check_keys(&r->doc, root, words)) r->status = PERI_EINVAL;
    read_observers(r, key(root, "observers"));
    // The managed file's switch (spec CC-1): it switches off only.
    const peri_yaml *managed = key(root, "observers_enabled");
    bool enabled = true;
    if (got(r, peri_yaml_bool(&r->doc, managed, &enabled)) && !enabled)
        read_enabled(r, managed, "observers_enabled is false in");
    read_list(r, key(root, "policies"), &r->to->policies, &r->to->policy_count);
    read_limits(r, key(root, "limits"));
    read_ledger(r, key(root, "ledger"));
    read_privacy(r, key(root, "privacy"));
    read_goal(r, key(root, "goal"));
    got(r, peri_yaml_bool(&r->doc, key(root, "verbose"), &r->to->verbose));
    read_recall(r, key(root, "recall"));
    read_channels(r, key(root, "channels"));
    not_built(r, key(root, "models"), "models");
}

int host_config_parse(host_config *config, peri_str text, peri_str path,
                      peri_diag_list *diags) {
    host_config before = *config;
    reading r = {.to = config, .diags = diags};
    r.status = peri_yaml_parse(&r.doc, text, path, 1, diags);
    if (r.status == PERI_OK) read_root(&r);
    if (r.status < 0) { // all or nothing; the arena keeps what was copied until the host ends
        peri_arena arena = config->arena;
        *config = before;
        config->arena = arena;
    }
    peri_yaml_doc_deinit(&r.doc);
    return r.status;
}

int host_config_read(host_config *config, const char *path, peri_diag_list *diags) {
    peri_buf text;
    peri_buf_init(&text, HOST_CONFIG_MAX_BYTES);
    int status = peri_file_read(path, &text);
    if (status == PERI_OK) {
        status = host_config_parse(config, peri_buf_str(&text), peri_str_c(path), diags);
    } else if (status != PERI_ENOENT) {
        peri_diag_addf(diags, PERI_ERROR, "unreadable", peri_str_c(path), 0, 0, NULL,
                       "cannot be read: %s",
                       status == PERI_EINVAL ? "it is no file" : peri_status_message(status));
    }
    peri_buf_deinit(&text);
    return status;
}
