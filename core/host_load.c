// Loading what people write: dialects, observers and policies, shipped inside the library or replaced by
// a folder, then the user's own. A file that cannot be used is left out alone, with a diagnostic.
#include <stdio.h>
#include <stdlib.h>

#include "host_internal.h"
#include "script/embedded.h"

// Where no agent waits, the count of instructions alone decides: a slow machine must not change what a
// replay says, nor whether a shipped file loads.
enum { UNTIMED_WALL_MS = 10000 };

#define DIALECTS "lua/perilune/dialects/"
#define OBSERVERS "observers/"

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

// The shipped file `path`: from lua_dir if it is there, else from the library. Absent if it is neither.
static peri_str shipped(peri_host *host, peri_str path) {
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
    peri_str text = shipped(user, peri_buf_str(&path));
    if (!text.ptr) {
        peri_buf_truncate(&path, stem);
        peri_buf_add_c(&path, "/init.lua");
        text = shipped(user, peri_buf_str(&path));
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
    peri_str key = peri_str_c(path), text = shipped(v->host, key);
    if (text.ptr) v->fn(v->host, key, text);
    free(path);
    return PERI_OK;
}

static void each_shipped(peri_host *host, const char *folder,
                         void (*fn)(peri_host *, peri_str, peri_str)) {
    visit v = {host, peri_str_c(folder), fn};
    if (host->lua_dir) {
        char *full = in_lua_dir(host, peri_str_of(folder, strlen(folder) - 1));
        int status = full ? peri_folder_list(full, ".lua", visit_file, &v) : PERI_ENOMEM;
        if (status < 0) {
            peri_diag_addf(&host->diags, PERI_ERROR, "unreadable", peri_str_c(full), 0, 0, NULL,
                           "cannot be listed: %s", peri_status_message(status));
        }
        free(full);
        return;
    }
    for (const peri_embedded *file = peri_embedded_files; file->path; file++) {
        peri_str path = peri_str_c(file->path);
        if (peri_str_starts(path, v.folder) && peri_str_ends(path, PERI_STR(".lua"))) {
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
    peri_dialect_file *file;
    if (peri_dialect_file_load(path, text, &options, &host->diags, &file) < 0) return;
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

static bool is_in(peri_str name, const peri_str *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (peri_str_eq(list[i], name)) return true;
    }
    return false;
}

// Takes a loaded definition: a later layer replaces an earlier one of the same name, whole.
static void add_observer(peri_host *host, const peri_observer *observer) {
    const host_config *config = &host->config;
    size_t at = 0;
    while (at < host->observer_count && !peri_str_eq(host->defs[at].name, observer->name)) at++;
    if (at == HOST_MAX_OBSERVERS) return;
    if (at == host->observer_count) host->observer_count++;
    peri_observer *def = &host->defs[at];
    *def = *observer;
    if (is_in(def->name, config->enabled, config->enabled_count)) def->enabled = true;
    if (is_in(def->name, config->disabled, config->disabled_count)) def->enabled = false;
    if (!config->observers_enabled) def->enabled = false;
    if (is_in(def->name, config->shadowed, config->shadowed_count)) def->shadow = true;
    if (host->observer_only && !peri_str_eq(def->name, peri_str_c(host->observer_only))) {
        def->enabled = false;
    }
    if (host->layout >= 0) def->layout = (peri_layout)host->layout;
    host->observers[at] = def;
}

static void load_observer(peri_host *host, peri_str layer, peri_str path, peri_str text) {
    const peri_observer *observer;
    if (peri_script_add_observer(host->script, layer, layer, path, text, &host->diags,
                                 &observer) == PERI_OK) {
        add_observer(host, observer);
    }
}

static void load_shipped_observer(peri_host *host, peri_str path, peri_str text) {
    load_observer(host, PERI_STR("builtin"), path, text);
}

static int load_user_observer(void *user, const char *path) {
    peri_host *host = user;
    if (peri_str_ends(peri_str_c(path), PERI_STR("_spec.lua"))) return PERI_OK;
    peri_buf text;
    peri_buf_init(&text, HOST_SCRIPT_MAX_BYTES);
    int status = peri_file_read(path, &text);
    if (status == PERI_OK) {
        load_observer(host, PERI_STR("user"), peri_str_c(path), peri_buf_str(&text));
    } else {
        peri_diag_addf(&host->diags, PERI_ERROR, "unreadable", peri_str_c(path), 0, 0, NULL,
                       "cannot be read: %s", peri_status_message(status));
    }
    peri_buf_deinit(&text);
    return PERI_OK;
}

static void load_observer_folder(peri_host *host, const char *folder, bool must_exist) {
    int status = peri_folder_list(folder, ".lua", load_user_observer, host);
    if (status < 0 && (must_exist || status != PERI_ENOENT)) {
        peri_diag_addf(&host->diags, PERI_ERROR, "unreadable", peri_str_c(folder), 0, 0, NULL,
                       "the folder of observers cannot be listed: %s",
                       peri_status_message(status));
    }
}

// $XDG_CONFIG_HOME/perilune/NAME, or ~/.config/perilune/NAME; NULL if neither is set.
static char *user_path(const char *name) {
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

static bool is_path(peri_str name) {
    return peri_str_find_byte(name, '/', 0) != PERI_NPOS ||
           peri_str_ends(name, PERI_STR(".lua"));
}

static int load_policy_file(peri_host *host, peri_str name, const char *path) {
    peri_buf text;
    peri_buf_init(&text, HOST_SCRIPT_MAX_BYTES);
    int status = peri_file_read(path, &text);
    if (status == PERI_OK) {
        status = peri_script_add_policy(host->script, name, peri_str_c(path),
                                        peri_buf_str(&text), &host->diags);
    }
    peri_buf_deinit(&text);
    return status;
}

// By path, from the user's folder, or shipped, in this order.
static int load_policy(peri_host *host, peri_str name, bool use_user) {
    char *file = NULL;
    int status = PERI_ENOENT;
    if (is_path(name)) {
        file = strndup(name.ptr, name.len);
        if (file) status = load_policy_file(host, name, file);
    } else if (use_user && asprintf(&file, "policies/%.*s.lua", PERI_FMT(name)) >= 0) {
        char *path = user_path(file);
        if (path) status = load_policy_file(host, name, path);
        free(path);
    }
    free(file);
    if (status != PERI_ENOENT) return status;
    peri_buf path;
    peri_buf_init(&path, 512);
    peri_buf_addf(&path, "policies/%.*s.lua", PERI_FMT(name));
    peri_str text = shipped(host, peri_buf_str(&path));
    if (text.ptr) {
        status =
            peri_script_add_policy(host->script, name, peri_buf_str(&path), text, &host->diags);
    } else {
        peri_diag_addf(&host->diags, PERI_ERROR, "unknown-policy", (peri_str){0}, 0, 0,
                       "name a shipped policy, such as default, or a path",
                       "there is no policy '%.*s'", PERI_FMT(name));
    }
    peri_buf_deinit(&path);
    return status;
}

static int load_policies(peri_host *host, const peri_host_options *options) {
    if (options->no_policies) return PERI_OK;
    host->has_policies = true;
    if (!options->policies) {
        for (size_t i = 0; i < host->config.policy_count; i++) {
            int status = load_policy(host, host->config.policies[i], options->use_user_config);
            if (status == PERI_ENOMEM) return status; // others: left out, with a diagnostic
        }
        return PERI_OK;
    }
    for (peri_str rest = peri_str_c(options->policies); rest.len;) {
        size_t comma = peri_str_find_byte(rest, ',', 0);
        peri_str name = peri_str_trim(peri_str_sub(rest, 0, comma));
        int status = name.len ? load_policy(host, name, options->use_user_config) : PERI_OK;
        if (status < 0)
            return status == PERI_ENOMEM ? status : PERI_EINVAL; // asked for by name
        rest = comma == PERI_NPOS ? (peri_str){0} : peri_str_sub(rest, comma + 1, rest.len);
    }
    return PERI_OK;
}

static int load_config(peri_host *host, const peri_host_options *options) {
    host_config_init(&host->config);
    if (options->use_user_config) {
        char *path = user_path("config.yaml");
        // A user's config with a mistake is reported by its diagnostics; the defaults hold.
        int status = path ? host_config_read(&host->config, path, &host->diags) : PERI_ENOENT;
        free(path);
        if (status == PERI_ENOMEM) return status;
    }
    if (!options->config_path) return PERI_OK;
    int status = host_config_read(&host->config, options->config_path, &host->diags);
    if (status == PERI_ENOENT) {
        peri_diag_addf(&host->diags, PERI_ERROR, "unreadable", peri_str_c(options->config_path),
                       0, 0, NULL, "there is no such file");
    }
    return status < 0 ? PERI_EINVAL
                      : PERI_OK; // asked for by name: its mistakes are the caller's
}

static int load_scrub(peri_host *host) {
    int status = peri_scrub_new(&host->scrub);
    for (size_t i = 0; i < host->config.pattern_count && status == PERI_OK; i++) {
        const char *error = NULL;
        size_t at = 0;
        if (peri_scrub_add(host->scrub, PERI_STR("configured"), host->config.patterns[i],
                           &error, &at) < 0) {
            peri_diag_addf(&host->diags, PERI_ERROR, "bad-pattern", (peri_str){0}, 0, 0, NULL,
                           "privacy.patterns: '%.*s' at %zu: %s",
                           PERI_FMT(host->config.patterns[i]), at, error ? error : "unusable");
        }
    }
    return status;
}

static void load_observers(peri_host *host, const peri_host_options *options) {
    each_shipped(host, OBSERVERS, load_shipped_observer);
    if (options->use_user_config) {
        char *folder = user_path("observers");
        if (folder) load_observer_folder(host, folder, false);
        free(folder);
    }
    if (options->observer_dir) load_observer_folder(host, options->observer_dir, true);
}

int host_load(peri_host *host, const peri_host_options *options) {
    int status = load_config(host, options);
    if (status == PERI_OK) status = load_scrub(host);
    if (status < 0) return status;
    each_shipped(host, DIALECTS, load_dialect);
    peri_script_options script = {
        .find_module = host_find_module, .on_print = on_print, .user = host};
    if (host->mode == PERI_MODE_REPLAY) script.limits.wall_ms = UNTIMED_WALL_MS;
    status = peri_script_new(&script, &host->script);
    if (status < 0 || options->no_observers) return status;
    load_observers(host, options);
    status = load_policies(host, options);
    host->runtime = peri_script_runtime(host->script);
    host->engine = peri_script_policies(host->script);
    return status;
}

void host_unload(peri_host *host) {
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
