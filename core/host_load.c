// Loading what people write: dialects, shipped inside the library or replaced by a folder,
// and the configs in their order. A file that cannot be used is left out alone, with a diagnostic.
#include <stdio.h>
#include <stdlib.h>

#include "host_internal.h"
#include "script/embedded.h"

// Where no agent waits, the count of instructions alone decides: a slow machine must not change what a
// replay says, nor whether a shipped file loads.
enum { UNTIMED_WALL_MS = 10000 };

#define DIALECTS "lua/perilune/dialects/"

// A path of the shipped tree in `lua_dir`, or NULL.
static char *in_lua_dir(const peri_host *host, peri_str path) {
    char *full = NULL;
    if (!host->lua_dir || asprintf(&full, "%s/%.*s", host->lua_dir, PERI_FMT(path)) < 0) {
        return NULL;
    }
    return full;
}

static peri_str remembered(const peri_host *host, peri_str path) {
    for (const host_shipped_file *file = host->shipped; file; file = file->next) {
        if (peri_str_eq(peri_str_c(file->path), path)) return peri_buf_str(&file->text);
    }
    return (peri_str){0};
}

peri_str host_shipped(peri_host *host, peri_str path) {
    peri_str known = remembered(host, path);
    if (known.ptr) return known;
    char *full = in_lua_dir(host, path);
    host_shipped_file *file = full ? calloc(1, sizeof *file) : NULL;
    if (file) {
        peri_buf_init(&file->text, HOST_SCRIPT_MAX_BYTES);
        file->path = strndup(path.ptr, path.len);
        if (file->path && peri_file_read(full, &file->text) == PERI_OK && file->text.ptr) {
            file->next = host->shipped;
            host->shipped = file;
            free(full);
            return peri_buf_str(&file->text);
        }
        peri_buf_deinit(&file->text);
        free(file->path);
        free(file);
    }
    free(full);
    return peri_embedded_find(path);
}

// require("perilune.match") is lua/perilune/match.lua, or lua/perilune/match/init.lua.
peri_str host_find_module(void *user, peri_str name) {
    if (!peri_str_starts(name, PERI_STR("perilune."))) return (peri_str){0};
    peri_buf path;
    peri_buf_init(&path, 256);
    peri_buf_add_c(&path, "lua/");
    for (size_t i = 0; i < name.len; i++) {
        peri_buf_add_byte(&path, name.ptr[i] == '.' ? '/' : name.ptr[i]);
    }
    size_t stem = path.len;
    peri_buf_add_c(&path, ".lua");
    peri_str text = host_shipped(user, peri_buf_str(&path));
    if (!text.ptr) {
        peri_buf_truncate(&path, stem);
        peri_buf_add_c(&path, "/init.lua");
        text = host_shipped(user, peri_buf_str(&path));
    }
    peri_buf_deinit(&path);
    return text;
}

static void on_print(void *user, peri_str from, peri_str text) {
    host_logf(user, "note", "%.*s: %.*s", PERI_FMT(from), PERI_FMT(text));
}

// Visits the shipped files `folder`*`suffix`, those of lua_dir where it is set.
typedef struct visit {
    peri_host *host;
    peri_str folder;
    void (*fn)(peri_host *host, peri_str path, peri_str text);
} visit;

static int visit_file(void *user, const char *full) {
    visit *v = user;
    const char *slash = strrchr(full, '/');
    char *path = NULL;
    if (peri_str_ends(peri_str_c(full), PERI_STR("_spec.lua"))) return PERI_OK;
    if (asprintf(&path, "%.*s%s", PERI_FMT(v->folder), slash ? slash + 1 : full) < 0) {
        return PERI_ENOMEM;
    }
    peri_str key = peri_str_c(path), text = host_shipped(v->host, key);
    if (text.ptr) v->fn(v->host, key, text);
    free(path);
    return PERI_OK;
}

void host_each_shipped(peri_host *host, const char *folder, const char *suffix,
                       void (*fn)(peri_host *, peri_str, peri_str)) {
    visit v = {host, peri_str_c(folder), fn};
    if (host->lua_dir) {
        char *full = in_lua_dir(host, peri_str_of(folder, strlen(folder) - 1));
        int status = full ? peri_folder_list(full, suffix, visit_file, &v) : PERI_ENOMEM;
        if (status < 0) {
            peri_diag_addf(&host->diags, PERI_ERROR, "unreadable", peri_str_c(full), 0, 0, NULL,
                           "cannot be listed: %s", peri_status_message(status));
        }
        free(full);
        return;
    }
    for (const peri_embedded *file = peri_embedded_files; file->path; file++) {
        peri_str path = peri_str_c(file->path);
        if (peri_str_starts(path, v.folder) && peri_str_ends(path, peri_str_c(suffix))) {
            fn(host, path, file->text);
        }
    }
}

static void load_dialect(peri_host *host, peri_str path, peri_str text) {
    if (peri_str_ends(path, PERI_STR("/init.lua")) ||
        host->dialect_count == HOST_MAX_DIALECTS) {
        return;
    }
    peri_vm_options options = {
        .find_module = host_find_module, .user = host, .limits.wall_ms = UNTIMED_WALL_MS};
    peri_str rules = host->lua_dir ? (peri_str){0} : peri_embedded_rules_of(path);
    peri_dialect_file *file;
    if (peri_dialect_file_load(path, text, rules, &options, &host->diags, &file) < 0) return;
    const peri_dialect *dialect = peri_dialect_file_get(file);
    host->dialect_files[host->dialect_count] = file;
    host->dialects[host->dialect_count++] = dialect;
    if (host->dialect_names.len) peri_buf_add_c(&host->dialect_names, ", ");
    peri_buf_add(&host->dialect_names, dialect->name);
}

const peri_dialect *host_dialect_find(const peri_host *host, const char *name) {
    for (size_t i = 0; i < host->dialect_count; i++) {
        if (peri_str_eq(host->dialects[i]->name, peri_str_c(name))) return host->dialects[i];
    }
    return NULL;
}

char *host_user_path(const char *name) {
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int made = -1;
    if (config && config[0] == '/') {
        made = asprintf(&path, "%s/perilune/%s", config, name);
    } else if (home && home[0] == '/') {
        made = asprintf(&path, "%s/.config/perilune/%s", home, name);
    }
    return made < 0 ? NULL : path;
}

// One of the user's own files. What a broken one switches off cannot be known, so everything is
// (spec PI-14): a typing mistake never switches an observer on.
static int load_user_config(peri_host *host, const char *name) {
    char *path = host_user_path(name);
    int status = path ? host_config_read(&host->config, path, &host->diags) : PERI_ENOENT;
    if (path) host_watch(host, WATCHED_CONFIG, (peri_str){0}, path);
    free(path);
    if (status < 0 && status != PERI_ENOENT) host->switched_off = "your config has a mistake";
    return status == PERI_ENOMEM ? status : PERI_OK;
}

// In the order of contracts.md 6: the user's, the project's, the one of the options.
static int load_config(peri_host *host, const peri_host_options *options) {
    host_config_init(&host->config);
    int status = PERI_OK;
    if (options->use_user_config) {
        status = host_switches_read(host);
        if (status == PERI_OK) status = load_user_config(host, "config.yaml");
        if (status == PERI_OK) status = load_user_config(host, "switches.yaml");
    }
    if (status == PERI_OK) status = host_project_configure(host);
    if (status < 0) return status;
    if (options->config_path) {
        host_watch(host, WATCHED_CONFIG, (peri_str){0}, options->config_path);
        status = host_config_read(&host->config, options->config_path, &host->diags);
        if (status == PERI_ENOENT) {
            peri_diag_addf(&host->diags, PERI_ERROR, "unreadable",
                           peri_str_c(options->config_path), 0, 0, NULL,
                           "there is no such file");
        }
        if (status < 0) return PERI_EINVAL; // asked for by name: its mistakes are the caller's
    }
    return host_switches_managed(host, options->managed_path);
}

peri_script_options host_script_options(peri_host *host) {
    peri_script_options options = {
        .find_module = host_find_module, .on_print = on_print, .user = host};
    if (host->mode == PERI_MODE_REPLAY) options.limits.wall_ms = UNTIMED_WALL_MS;
    return options;
}

int host_load(peri_host *host, const peri_host_options *options) {
    int status = host_project_open(host, options);
    if (status == PERI_OK) status = load_config(host, options);
    if (status == PERI_OK) status = peri_scrub_new(&host->scrub);
    if (status < 0) return status;
    host_each_shipped(host, DIALECTS, ".lua", load_dialect);
    peri_script_options script = host_script_options(host);
    status = peri_script_new(&script, &host->script);
    if (status == PERI_OK) status = host_privacy_load(host, options->use_user_config);
    if (status < 0 || options->no_observers) return status;
    status = host_commands_open(host, options->exec_path);
    if (status == PERI_OK) status = host_layers_load(host, options);
    if (status == PERI_OK) status = host_notes_load(host);
    if (status < 0) return status;
    status = host_recall_load(host, options->use_user_config);
    if (status < 0) return status;
    status = host_agents_load(host, options);
    if (status < 0) return status;
    if (host->mode == PERI_MODE_LIVE) {
        status = host_permissions_new(host, options, &host->permissions);
        if (status < 0) return status;
    }
    peri_project_deinit(&host->project); // what was taken of it was copied
    status = host_policies_load(host, options);
    host->runtimes[PERI_RUN_LUA] = peri_script_runtime(host->script);
    return status;
}

void host_unload(peri_host *host) {
    host_permissions_free(host->permissions);
    host_agents_unload(&host->agents);
    host_recall_unload(host);
    host_layers_unload(host);
    peri_project_deinit(&host->project);
    host_policies_unload(host);
    host_watch_free(host);
    peri_script_free(host->script);
    for (size_t i = 0; i < host->dialect_count; i++) {
        peri_dialect_file_free(host->dialect_files[i]);
    }
    while (host->shipped) {
        host_shipped_file *file = host->shipped;
        host->shipped = file->next;
        peri_buf_deinit(&file->text);
        free(file->path);
        free(file);
    }
    peri_scrub_free(host->scrub);
    host_config_deinit(&host->config);
    peri_buf_deinit(&host->dialect_names);
}
