// Where files come from: the shipped ones, inside the library or in a folder that replaces it,
// and the user's own; and how scripts run that were read. Called by all that loads.
#include <stdio.h>
#include <stdlib.h>

#include "host/told/told.h"
#include "host/written/written.h"
#include "script/embedded.h"

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
    if (peri_host_is_of_spec(peri_str_c(full))) return PERI_OK;
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

void host_shipped_free(peri_host *host) {
    while (host->shipped) {
        host_shipped_file *file = host->shipped;
        host->shipped = file->next;
        peri_buf_deinit(&file->text);
        free(file->path);
        free(file);
    }
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

static void on_print(void *user, peri_str from, peri_str text) {
    host_logf(user, "note", "%.*s: %.*s", PERI_FMT(from), PERI_FMT(text));
}

peri_script_options host_script_options(peri_host *host) {
    peri_script_options options = {
        .find_module = host_find_module, .on_print = on_print, .user = host};
    if (host->mode == PERI_MODE_REPLAY) options.limits.wall_ms = HOST_UNTIMED_WALL_MS;
    return options;
}
