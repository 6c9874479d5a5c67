// The names in a config that nothing has: a misspelt observer stays on when it was to be
// switched off, and a misspelt policy is left out. Known is what the layers hold where `check`
// runs, what stands beside the config, and what is checked along with it. Called by
// host/check.c.
#include "host/names.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/yaml.h"
#include "host/written/written.h"
#include "script/outline.h"

enum { MAX_NAMES = 4096, NAMES_BYTES = 1024 * 1024, NAME_MAX_BYTES = 512, EXCERPT_BYTES = 100 };

// ---- What is known

static bool has(const host_name_list *list, peri_str name) {
    return peri_str_is_one_of(name, list->words, list->count);
}

static void add(host_names *names, host_name_list *list, peri_str name) {
    if (!list->words) {
        list->words = peri_arena_zero(&names->arena, (MAX_NAMES + 1) * sizeof *list->words);
    }
    if (!list->words || list->count == MAX_NAMES || !name.len || name.len > NAME_MAX_BYTES)
        return;
    if (has(list, name)) return;
    peri_str copy = peri_arena_copy(&names->arena, name);
    if (copy.ptr) list->words[list->count++] = copy;
}

// "quiet" of "policies/quiet.lua".
static peri_str stem_of(peri_str path) {
    size_t from = path.len;
    while (from > 0 && path.ptr[from - 1] != '/') from--;
    size_t end = path.len - strlen(".lua");
    return peri_str_sub(path, from, end > from ? end - from : 0);
}

int host_names_add_file(void *user, const char *path) {
    host_names *names = user;
    peri_str file = peri_str_c(path);
    bool lua = peri_str_ends(file, PERI_STR(".lua"));
    if ((!lua && !host_is_markdown(file)) || peri_host_is_of_spec(file)) return PERI_OK;
    peri_buf text;
    peri_buf_init(&text, HOST_SCRIPT_MAX_BYTES);
    if (peri_file_read(path, &text) == PERI_OK) {
        add(names, &names->observers, peri_outline_name(file, peri_buf_str(&text)));
    }
    peri_buf_deinit(&text);
    if (lua) add(names, &names->policies, stem_of(file));
    return PERI_OK;
}

// A folder that is not there, or cannot be listed, gives no names.
static void add_folder(host_names *names, const char *folder, int length, const char *below) {
    char *path = NULL;
    if (!folder || asprintf(&path, "%.*s%s", length, folder, below) < 0) return;
    (void)!peri_folder_list(path, ".lua", host_names_add_file, names);
    (void)!peri_folder_list(path, ".md", host_names_add_file, names);
    free(path);
}

void host_names_add_beside(host_names *names, const char *config) {
    const char *slash = strrchr(config, '/');
    int length = slash ? (int)(slash - config) : 1;
    const char *folder = slash ? config : ".";
    add_folder(names, folder, length, "/observers");
    add_folder(names, folder, length, "/policies");
    add_folder(names, folder, length, "/../.pi/observers");
}

static void add_policy(peri_host *host, peri_str path, peri_str text) {
    (void)text;
    host_names *names = host->log_user; // it logs nowhere
    add(names, &names->policies, stem_of(path));
}

static void add_host(host_names *names, peri_host *host) {
    size_t count;
    const peri_entry *entries = peri_host_entries(host, &count);
    for (size_t i = 0; i < count; i++) add(names, &names->observers, entries[i].name);
    for (size_t i = 0; i < host->agents.count; i++) {
        add(names, &names->agents, host->agents.defs[i].name);
    }
    host_each_shipped(host, "policies/", ".lua", add_policy);
}

int host_names_open(host_names *names) {
    *names = (host_names){0};
    peri_arena_init(&names->arena, NAMES_BYTES);
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.mode = PERI_MODE_REPLAY; // nothing is stored
    options.use_user_config = true;
    options.project_dir = ".";
    options.no_policies = true;
    options.log_user = names;
    peri_host *host;
    int status = peri_host_new(&options, &host);
    if (status < 0 && status != PERI_ENOMEM) { // a switch that cannot be read is told elsewhere
        options.use_user_config = false;
        status = peri_host_new(&options, &host);
    }
    if (status < 0) return status;
    add_host(names, host);
    peri_host_free(host);
    char *policies = host_user_path("policies");
    if (policies) add_folder(names, policies, (int)strlen(policies), "");
    free(policies);
    return PERI_OK;
}

void host_names_deinit(host_names *names) {
    peri_arena_deinit(&names->arena);
    *names = (host_names){0};
}

// ---- What is told

typedef struct checking {
    const host_names *known;
    peri_yaml_doc *doc;
} checking;

static peri_str excerpt(peri_str text) {
    return peri_str_sub(text, 0, peri_utf8_cut_bytes(text, EXCERPT_BYTES));
}

static peri_str nearest(peri_str name, const host_name_list *list) {
    return list->words ? peri_diag_nearest(name, list->words) : (peri_str){0};
}

typedef struct place {
    uint32_t line, column;
} place;

// `what` says where it stands: "observers.disable".
static void tell(const checking *c, place at, const char *what, const char *noun, peri_str name,
                 peri_str near, const char *otherwise) {
    char hint[EXCERPT_BYTES + 32];
    peri_str shown = excerpt(near);
    snprintf(hint, sizeof hint, "did you mean %.*s?", PERI_FMT(shown));
    peri_diag_addf(c->doc->diags, PERI_WARNING, "unknown-name", c->doc->file, at.line,
                   at.column, near.len ? hint : otherwise, "%s: there is no %s '%.*s'", what,
                   noun, PERI_FMT(excerpt(name)));
}

static void check_observer(const checking *c, place at, const char *what, peri_str name) {
    const host_names *known = c->known;
    if (has(&known->observers, name) || has(&known->agents, name)) return;
    tell(c, at, what, "observer", name, nearest(name, &known->observers),
         "`perilune observers` lists those there are");
}

static void check_file(const checking *c, place at, const char *what, peri_str name) {
    char *file = strndup(name.ptr, name.len);
    bool there = file && peri_path_type_of(file) == PERI_PATH_FILE;
    free(file);
    if (there) return;
    tell(c, at, what, "file", name, (peri_str){0},
         "a path is taken from the folder where perilune starts");
}

static void check_policy(const checking *c, place at, const char *what, peri_str name) {
    bool path =
        peri_str_find_byte(name, '/', 0) != PERI_NPOS || peri_str_ends(name, PERI_STR(".lua"));
    if (path) {
        check_file(c, at, what, name);
    } else if (!has(&c->known->policies, name)) {
        tell(c, at, what, "policy", name, nearest(name, &c->known->policies),
             "name a shipped policy, such as default, one of your policies/, or a path");
    }
}

// The second of one name is left out when they are loaded.
static void check_twice(const checking *c, const peri_yaml *list) {
    for (const peri_yaml *one = list ? list->first : NULL; one; one = one->next) {
        const peri_yaml *before = list->first;
        while (before != one && !peri_str_eq(before->text, one->text)) before = before->next;
        if (before == one) continue;
        peri_diag_addf(c->doc->diags, PERI_WARNING, "duplicate-name", c->doc->file, one->line,
                       one->column, "each policy is asked once",
                       "policies: '%.*s' stands twice", PERI_FMT(excerpt(one->text)));
    }
}

typedef void (*name_fn)(const checking *c, place at, const char *what, peri_str name);

// A list, or one text with commas.
static void each(const checking *c, const peri_yaml *node, const char *what, name_fn fn) {
    if (!node) return;
    place at = {node->line, node->column};
    peri_str rest = node->text, one;
    while (node->type == PERI_YAML_SCALAR && peri_tool_list_take(&rest, &one))
        fn(c, at, what, one);
    for (const peri_yaml *sub = node->first; sub; sub = sub->next) {
        at = (place){sub->line, sub->column};
        if (sub->type == PERI_YAML_SCALAR) fn(c, at, what, peri_str_trim(sub->text));
    }
}

static const peri_yaml *key(const peri_yaml *map, const char *name) {
    return peri_yaml_get(map, peri_str_c(name));
}

static void check_observers(const checking *c, const peri_yaml *map) {
    const peri_yaml *enabled = key(map, "enabled"), *disable = key(map, "disable");
    each(c, disable, "observers.disable", check_observer);
    for (const peri_yaml *one = map ? map->first : NULL; one; one = one->next) {
        place at = {one->key_line, one->key_column};
        if (one != enabled && one != disable) check_observer(c, at, "observers", one->key);
    }
}

static void check_agents(const checking *c, const peri_yaml *map) {
    for (const peri_yaml *one = map ? map->first : NULL; one; one = one->next) {
        char what[EXCERPT_BYTES + 32];
        peri_str name = excerpt(one->key);
        snprintf(what, sizeof what, "agents.%.*s.observer", PERI_FMT(name));
        each(c, key(one, "observer"), what, check_observer);
    }
}

// Agent types are an open set, since clients bring their own along:
// only one that looks like a slip is told.
static void check_type(const checking *c, place at, const char *what, peri_str type) {
    peri_str near = nearest(type, &c->known->observers);
    if (!near.len) near = nearest(type, &c->known->agents);
    bool known = has(&c->known->observers, type) || has(&c->known->agents, type);
    if (!known && near.len) tell(c, at, what, "observer", type, near, NULL);
}

// "Agent(TYPE)"
static void check_rule(const checking *c, place at, const char *what, peri_str rule) {
    size_t open = peri_str_find_byte(rule, '(', 0);
    if (open == PERI_NPOS || !peri_str_ends(rule, PERI_STR(")"))) return;
    peri_str type = peri_str_sub(rule, open + 1, rule.len - open - 2);
    if (peri_tool_is_agent(peri_str_sub(rule, 0, open))) check_type(c, at, what, type);
}

static void check_permissions(const checking *c, const peri_yaml *map) {
    each(c, key(map, "deny"), "permissions.deny", check_rule);
    each(c, key(map, "ask"), "permissions.ask", check_rule);
    each(c, key(map, "allow"), "permissions.allow", check_rule);
    each(c, key(map, "allowed_agent_types"), "permissions.allowed_agent_types", check_type);
}

void host_names_check(host_names *names, peri_yaml_doc *doc) {
    const checking c = {names, doc};
    const peri_yaml *agents = key(doc->root, "agents");
    for (const peri_yaml *one = agents ? agents->first : NULL; one; one = one->next) {
        add(names, &names->agents, one->key);
    }
    check_observers(&c, key(doc->root, "observers"));
    each(&c, key(doc->root, "policies"), "policies", check_policy);
    check_twice(&c, key(doc->root, "policies"));
    each(&c, key(key(doc->root, "privacy"), "kinds"), "privacy.kinds", check_file);
    check_agents(&c, agents);
    check_permissions(&c, key(doc->root, "permissions"));
}
