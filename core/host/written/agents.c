// Reading agent definitions and finding the observers they name (host/written/agents.h). What
// cannot be used is a warning and the agent goes unobserved: nothing here keeps an agent from
// running. Called by host/load.c and, for what a config declares, by host/written/config.c.
#include "host/written/agents.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/yaml.h"
#include "host/written/written.h"

enum { AGENT_FILE_MAX_BYTES = 256 * 1024, MAX_TOOLS = 256, ARENA_BYTES = 16 * 1024 * 1024 };

const host_agent_def *host_agents_find(const host_agents *agents, peri_str name) {
    for (size_t i = agents->count; i-- > 0;) {
        if (peri_str_eq(agents->defs[i].name, name)) return &agents->defs[i];
    }
    return NULL;
}

static host_agent_def *add_def(host_agents *agents) {
    if (!agents->defs) {
        peri_arena_init(&agents->arena, ARENA_BYTES);
        agents->defs =
            peri_arena_zero(&agents->arena, HOST_MAX_AGENT_DEFS * sizeof *agents->defs);
    }
    if (!agents->defs || agents->count == HOST_MAX_AGENT_DEFS) return NULL;
    host_agent_def *def = &agents->defs[agents->count];
    *def = (host_agent_def){.observe_subagents = true, .observe_results = true};
    return def;
}

// Said once, of the first that is left out.
static void tell_full(peri_host *host, peri_str file) {
    if (host->agents.full) return;
    host->agents.full = true;
    peri_diag_addf(&host->diags, PERI_ERROR, "too-many", file, 0, 0, NULL,
                   "left out, and all behind it: %d agent definitions are as many as may be",
                   HOST_MAX_AGENT_DEFS);
}

static const peri_yaml *key(const peri_yaml *map, const char *name) {
    return peri_yaml_get(map, peri_str_c(name));
}

static peri_str text_of(host_agents *agents, const peri_yaml *node) {
    if (!node || node->type != PERI_YAML_SCALAR || !node->text.len) return (peri_str){0};
    return peri_arena_copy(&agents->arena, node->text);
}

// A list, or a text with commas, in which brackets may hold commas of their own.
static const peri_str *list_of(host_agents *agents, const peri_yaml *node, size_t *count) {
    peri_str *list = peri_arena_alloc(&agents->arena, MAX_TOOLS * sizeof *list);
    *count = 0;
    if (!list) return NULL;
    if (node->type == PERI_YAML_SCALAR) {
        peri_str rest = node->text, one;
        while (*count < MAX_TOOLS && peri_tool_list_take(&rest, &one)) {
            list[(*count)++] = peri_arena_copy(&agents->arena, one);
        }
    }
    for (const peri_yaml *one = node->first; one && *count < MAX_TOOLS; one = one->next) {
        peri_str text = peri_str_trim(one->text);
        if (text.len) list[(*count)++] = peri_arena_copy(&agents->arena, text);
    }
    peri_arena_shrink(&agents->arena, list, MAX_TOOLS * sizeof *list, *count * sizeof *list);
    return list;
}

// As the client reads it: what does not say yes is a no.
static bool is_true(const peri_yaml *node) {
    return !node || peri_str_eq_nocase(node->text, PERI_STR("true"));
}

static void read_tools(host_agents *agents, host_agent_def *def, const peri_yaml *map) {
    const peri_yaml *tools = key(map, "tools"), *refused = key(map, "disallowedTools");
    if (tools) {
        def->tools = list_of(agents, tools, &def->tool_count);
        def->tools_known = def->tools != NULL;
    }
    if (refused) def->refused_tools = list_of(agents, refused, &def->refused_tool_count);
}

static void read_def(host_agents *agents, host_agent_def *def, const peri_yaml *map) {
    def->description = text_of(agents, key(map, "description"));
    def->model = text_of(agents, key(map, "model"));
    def->message = text_of(agents, key(map, "observerMessage"));
    def->observe_subagents = is_true(key(map, "observeSubagents"));
    def->observe_results = is_true(key(map, "observeToolResults"));
    read_tools(agents, def, map);
    const peri_yaml *observers = key(map, "observer");
    if (observers) def->observers = list_of(agents, observers, &def->observer_count);
}

// agents: { NAME: { observer, tools, ... } } of a config.
int host_agents_check(peri_yaml_doc *doc, const peri_yaml *map) {
    static const peri_str words[] = {{"description", 11},
                                     {"model", 5},
                                     {"observer", 8},
                                     {"tools", 5},
                                     {"disallowedTools", 15},
                                     {"observerMessage", 15},
                                     {"observeSubagents", 16},
                                     {"observeToolResults", 18},
                                     {"prompt", 6},
                                     {0}};
    size_t mistakes = map->type == PERI_YAML_MAP ? 0 : peri_yaml_check_keys(doc, map, words);
    for (const peri_yaml *one = map->first; one && map->type == PERI_YAML_MAP;
         one = one->next) {
        mistakes += peri_yaml_check_keys(doc, one, words);
    }
    return mistakes ? PERI_EINVAL : PERI_OK;
}

static int add_map(peri_host *host, peri_yaml_doc *doc, const peri_yaml *map) {
    host_agents *agents = &host->agents;
    if (host_agents_check(doc, map) < 0) return PERI_EINVAL;
    for (const peri_yaml *one = map->first; one; one = one->next) {
        host_agent_def *def = add_def(agents);
        if (!def) {
            tell_full(host, doc->file);
            return agents->defs ? PERI_OK : PERI_ENOMEM;
        }
        read_def(agents, def, one);
        def->prompt = text_of(agents, key(one, "prompt"));
        def->name = peri_arena_copy(&agents->arena, one->key);
        def->file = peri_arena_copy(&agents->arena, doc->file);
        def->layer = PERI_STR("config");
        agents->count++;
    }
    return PERI_OK;
}

static int add_config(peri_host *host, const char *path) {
    peri_buf text;
    peri_buf_init(&text, HOST_CONFIG_MAX_BYTES);
    int status = path ? peri_file_read(path, &text) : PERI_ENOENT;
    peri_yaml_doc doc;
    if (status == PERI_OK) { // that it can be read at all was said where the config is
        status = peri_yaml_parse(&doc, peri_buf_str(&text), peri_str_c(path), 1, NULL);
        doc.diags = &host->diags;
        const peri_yaml *map = status == PERI_OK ? key(doc.root, "agents") : NULL;
        if (map) status = add_map(host, &doc, map);
        peri_yaml_doc_deinit(&doc);
    }
    peri_buf_deinit(&text);
    return status == PERI_ENOMEM ? status : PERI_OK;
}

static int add_configs(peri_host *host, const peri_host_options *options) {
    char *own = options->use_user_config ? host_user_path("config.yaml") : NULL;
    int status = add_config(host, own);
    free(own);
    return status < 0 ? status : add_config(host, options->config_path);
}

// ---- Claude Code's files

typedef struct agent_file {
    peri_str path, layer, text;
} agent_file;

// Of two files of one folder that say the same name the later one counts.
static void warn_of_double(peri_host *host, const host_agent_def *def) {
    const host_agent_def *other = host_agents_find(&host->agents, def->name);
    if (!other || !peri_str_eq(other->layer, def->layer)) return;
    peri_diag_addf(&host->diags, PERI_WARNING, "duplicate-name", def->file, 0, 0,
                   "give one of them another name", "agent '%.*s' of %.*s is replaced by it",
                   PERI_FMT(def->name), PERI_FMT(other->file));
}

// A file without a header or a name is none of the client's agents.
static void add_text(peri_host *host, const agent_file *from) {
    host_agents *agents = &host->agents;
    peri_str header = {0}, body = {0};
    uint32_t line = 0;
    peri_yaml_doc doc;
    peri_diag_list *diags = &host->diags;
    if (peri_front_matter(from->text, from->path, diags, &header, &line, &body) < 0) return;
    int status = peri_yaml_parse(&doc, header, from->path, line, diags);
    host_agent_def *def = status == PERI_OK ? add_def(agents) : NULL;
    if (status == PERI_OK && !def) tell_full(host, from->path);
    if (def && doc.root) def->name = text_of(agents, key(doc.root, "name"));
    if (def && def->name.len) {
        read_def(agents, def, doc.root);
        def->prompt = peri_arena_copy(&agents->arena, peri_str_trim(body));
        def->file = peri_arena_copy(&agents->arena, from->path);
        def->layer = from->layer;
        def->of_client = true;
        warn_of_double(host, def);
        agents->count++;
    }
    peri_yaml_doc_deinit(&doc);
}

typedef struct listing {
    peri_host *host;
    peri_str layer;
} listing;

static int add_file(void *user, const char *path) {
    const listing *l = user;
    peri_buf text;
    peri_buf_init(&text, AGENT_FILE_MAX_BYTES);
    int status = peri_file_read(path, &text);
    if (status == PERI_OK) {
        add_text(l->host, &(agent_file){peri_str_c(path), l->layer, peri_buf_str(&text)});
    } else {
        peri_diag_addf(&l->host->diags, PERI_WARNING, "unreadable", peri_str_c(path), 0, 0,
                       NULL, "left out: %s", peri_status_message(status));
    }
    peri_buf_deinit(&text);
    return PERI_OK;
}

static int add_folder(peri_host *host, peri_str layer, const char *folder) {
    listing l = {host, layer};
    int status = peri_folder_list(folder, ".md", add_file, &l);
    return status == PERI_ENOMEM ? status : PERI_OK; // the client passes over it as well
}

static int add_users(peri_host *host) {
    const char *claude = getenv("CLAUDE_CONFIG_DIR"), *home = getenv("HOME");
    char *folder = NULL;
    int made = -1;
    if (claude && claude[0] == '/') {
        made = asprintf(&folder, "%s/agents", claude);
    } else if (home && home[0] == '/') {
        made = asprintf(&folder, "%s/.claude/agents", home);
    }
    int status = made < 0 ? PERI_OK : add_folder(host, PERI_STR("user"), folder);
    free(made < 0 ? NULL : folder);
    return status;
}

static void add_projects(peri_host *host) {
    for (size_t i = 0; i < host->project.count; i++) {
        const peri_project_file *file = &host->project.files[i];
        if (file->kind != PERI_PROJECT_AGENT || !file->trusted) continue;
        add_text(host, &(agent_file){file->path, PERI_STR("project"), file->text});
    }
}

// ---- Finding the observers

static void warn(peri_host *host, const host_agent_def *def, const char *id, const char *format,
                 peri_str observer) {
    peri_buf text;
    peri_buf_init(&text, 4096);
    peri_buf_addf(&text, "Agent '%.*s' declares observer '%.*s', %s", PERI_FMT(def->name),
                  PERI_FMT(observer), format);
    peri_diag_addf(&host->diags, PERI_WARNING, id, def->file, 0, 0, NULL, "%s",
                   peri_buf_c(&text));
    peri_buf_deinit(&text);
}

// What a model may read with, of the tools its definition names.
static uint32_t tools_of(const host_agent_def *def) {
    static const struct {
        const char *name;
        peri_tool tool;
    } known[] = {{"Read", PERI_TOOL_READ},
                 {"Grep", PERI_TOOL_GREP},
                 {"Glob", PERI_TOOL_FIND},
                 {"LS", PERI_TOOL_LS}};
    uint32_t tools = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        for (size_t k = 0; k < def->tool_count; k++) {
            bool named = peri_str_eq(def->tools[k], peri_str_c(known[i].name));
            if (named) tools |= UINT32_C(1) << known[i].tool;
        }
    }
    return tools;
}

// An agent definition as an observer: a model that reads claude's digests and reports.
static peri_observer observer_of(const host_agent_def *def) {
    return (peri_observer){
        .name = def->name,
        .description = def->description,
        .file = def->file,
        .layer = def->layer,
        .runtime = PERI_RUN_MODEL,
        .enabled = true,
        .triggers = 1u << PERI_TRIGGER_TURN_END,
        .sees = {PERI_SLICE_ACTIVITY},
        .sees_count = 1,
        .can = PERI_CAN_REPORT,
        .lane = PERI_LANE_STEER,
        .severity = PERI_WEIGHT_CONCERN,
        .priority = 50,
        .max_advisory_cp = PERI_PROPOSAL_TEXT_CP,
        .timeout_ms = 20000,
        .layout = PERI_LAYOUT_CLAUDE_332,
        .prompt = def->prompt,
        .model = def->model,
        .thinking = PERI_THINKING_LOW,
        .tools = tools_of(def),
    };
}

// An observer of the layers may be named as well as an agent definition; it comes first, since
// it is the one made for observing.
static bool find_observer(peri_host *host, peri_str type, peri_observer *out) {
    const peri_observer *known = peri_host_find_observer(host, type);
    const host_agent_def *def = host_agents_find(&host->agents, type);
    if (known) *out = *known;
    if (!known && def) *out = observer_of(def);
    if (!known && !def) return false;
    if (!known) out->enabled = !host_off_by(host, out);
    return true;
}

// Made for the agents of this definition alone.
static void fit(const host_agent_def *def, peri_observer *made) {
    made->agents = &def->name;
    made->agent_count = 1;
    made->can |= PERI_CAN_REPORT;
    made->no_results |= !def->observe_results;
    if (def->message.len) made->message = def->message;
}

static void resolve_one(peri_host *host, host_agent_def *def, peri_str type) {
    if (peri_str_eq(type, def->name)) {
        warn(host, def, "self-observation", "and no agent observes itself", type);
        return;
    }
    peri_observer *made = &def->named[def->named_count];
    if (!find_observer(host, type, made)) {
        warn(host, def, "unknown-observer",
             "which does not match any available agent type: it runs unobserved", type);
        return;
    }
    const host_agent_def *own = host_agents_find(&host->agents, type);
    if (own && own->observer_count) {
        warn(host, own, "no-chaining", "which is ignored on an observer (no chaining)",
             own->observers[0]);
    }
    fit(def, made);
    def->named_count++;
}

void host_agents_renew(peri_host *host, peri_str name) {
    for (size_t i = 0; i < host->agents.count; i++) {
        const host_agent_def *def = &host->agents.defs[i];
        for (size_t k = 0; k < def->named_count; k++) {
            peri_observer *made = &def->named[k];
            if (!peri_str_eq(made->name, name)) continue;
            if (find_observer(host, name, made)) fit(def, made);
        }
    }
}

static void resolve(peri_host *host, host_agent_def *def) {
    size_t count = def->observer_count;
    if (count > HOST_MAX_NAMED) {
        warn(host, def, "too-many-observers", "and more; the first four are used",
             def->observers[0]);
        count = HOST_MAX_NAMED;
    }
    def->named =
        count ? peri_arena_zero(&host->agents.arena, count * sizeof *def->named) : NULL;
    for (size_t i = 0; def->named && i < count; i++) resolve_one(host, def, def->observers[i]);
}

int host_agents_load(peri_host *host, const peri_host_options *options) {
    int status = options->use_user_config ? add_users(host) : PERI_OK;
    add_projects(host);
    if (status == PERI_OK) status = add_configs(host, options);
    if (status == PERI_OK && options->agents_dir) {
        status = add_folder(host, PERI_STR("given"), options->agents_dir);
    }
    host_agents *agents = &host->agents;
    for (size_t i = 0; i < agents->count && status == PERI_OK; i++) {
        host_agent_def *def = &agents->defs[i];
        if (host_agents_find(agents, def->name) == def) resolve(host, def);
    }
    return status;
}

void host_agents_unload(host_agents *agents) {
    peri_arena_deinit(&agents->arena);
    agents->defs = NULL;
    agents->count = 0;
    agents->full = false;
}
