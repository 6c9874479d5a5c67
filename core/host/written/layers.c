// The layers of observers: builtin < user < project (trusted content only) < the folder of the
// options. Finds the files of each; what becomes of one is decided in host/written/define.c. A
// folder or file that cannot be used is reported and the others are loaded. Called by
// host/load.c.
#include <stdlib.h>

#include "host/written/written.h"
#include "io/own_files.h"

#define OBSERVERS "observers/"

// ---- Shipped ones

// A Lua file beside a Markdown one of the same stem belongs to it.
static void load_shipped(peri_host *host, peri_str path, peri_str text) {
    char *beside = host_sibling(path);
    peri_str other = beside ? host_shipped(host, peri_str_c(beside)) : (peri_str){0};
    host_found from = {.layer = PERI_STR("builtin"), .file = path, .text = text};
    if (host_is_markdown(path)) {
        from.lua_file = peri_str_c(beside);
        from.lua_text = other;
        host_define(host, &from);
    } else if (!other.ptr) {
        host_define(host, &from);
    }
    free(beside);
}

// ---- Folders of the user's

typedef struct folder_load {
    peri_host *host;
    peri_str layer;
} folder_load;

static void unreadable(peri_host *host, const char *path, const char *problem) {
    peri_diag_addf(&host->diags, PERI_ERROR, "unreadable", peri_str_c(path), 0, 0, NULL,
                   "left out: it %s", problem);
}

// Watched under the name of the Markdown file, whether there is one or not.
static void watch(const folder_load *l, const char *path, const char *beside) {
    host_watch(l->host, WATCHED_OBSERVER, l->layer,
               host_is_markdown(peri_str_c(path)) ? path : beside);
}

static int load_file(void *user, const char *path) {
    folder_load *l = user;
    peri_str name = peri_str_c(path);
    if (peri_host_is_of_spec(name)) return PERI_OK;
    bool markdown = host_is_markdown(name);
    char *beside = host_sibling(name);
    if (!beside) return PERI_ENOMEM;
    watch(l, path, beside);
    peri_buf text, other;
    peri_buf_init(&text, HOST_SCRIPT_MAX_BYTES);
    peri_buf_init(&other, HOST_SCRIPT_MAX_BYTES);
    int status = peri_file_read(path, &text), beside_status = peri_file_read(beside, &other);
    host_found from = {.layer = l->layer,
                       .file = name,
                       .text = peri_buf_str(&text),
                       .lenient = peri_str_find(name, PERI_STR("/.pi/")) != PERI_NPOS};
    if (markdown && beside_status == PERI_OK) {
        from.lua_file = peri_str_c(beside);
        from.lua_text = peri_buf_str(&other);
    }
    if (status < 0) {
        unreadable(l->host, path, peri_status_message(status));
    } else if (markdown && beside_status < 0 && beside_status != PERI_ENOENT) {
        unreadable(l->host, beside, peri_status_message(beside_status));
    } else if (markdown || beside_status == PERI_ENOENT) {
        host_define(l->host, &from);
    }
    peri_buf_deinit(&text);
    peri_buf_deinit(&other);
    free(beside);
    return PERI_OK;
}

// Links are the user's own arrangement here; a folder that everyone may write is nobody's own.
// PERI_EINVAL if the folder cannot be used.
static int load_folder(peri_host *host, peri_str layer, const char *folder, bool must_exist) {
    folder_load l = {host, layer};
    host_watch(host, WATCHED_FOLDER, layer, folder); // also where it is not there yet
    if (peri_path_open_to_all(folder)) {
        unreadable(host, folder, "may be written by everyone");
        return PERI_EINVAL;
    }
    int status = peri_folder_list(folder, ".lua", load_file, &l);
    if (status == PERI_OK) status = peri_folder_list(folder, ".md", load_file, &l);
    if (status >= 0 || (status == PERI_ENOENT && !must_exist)) return PERI_OK;
    peri_diag_addf(&host->diags, PERI_ERROR, "unreadable", peri_str_c(folder), 0, 0, NULL,
                   "the folder of observers cannot be listed: %s",
                   status == PERI_ENOENT ? "no folder has this name"
                                         : peri_status_message(status));
    return PERI_EINVAL;
}

static void refresh_shipped(peri_host *host, const char *path) {
    peri_str text = host_shipped(host, peri_str_c(path));
    if (text.ptr) load_shipped(host, peri_str_c(path), text);
}

// Reads the definition anew, or takes it out if its files are gone. False: it was not read.
static bool refresh(peri_host *host, peri_str layer, peri_str path) {
    char *given = strndup(path.ptr, path.len), *beside = host_sibling(path);
    char *markdown = host_is_markdown(path) ? given : beside;
    char *lua = markdown == given ? beside : given;
    folder_load l = {host, layer};
    bool read = true;
    if (!given || !beside) {
        read = false;
    } else if (peri_str_eq(layer, PERI_STR("builtin"))) {
        refresh_shipped(host, given);
    } else if (peri_path_in_open_folder(given)) {
        unreadable(host, given, "stands in a folder that may be written by everyone");
    } else if (peri_file_stamp(markdown)) {
        (void)!load_file(&l, markdown);
    } else if (peri_file_stamp(lua)) {
        (void)!load_file(&l, lua);
    } else {
        host_undefine(host, layer, peri_str_c(given));
        read = false;
    }
    free(given);
    free(beside);
    return read;
}

// Who was replaced by a definition that is gone, or has another name now, comes back.
static void bring_back(peri_host *host) {
    peri_str name = host->layers.vacated;
    host->layers.vacated = (peri_str){0};
    const peri_entry *hidden = name.ptr ? host_latest_replaced(host, name) : NULL;
    if (hidden) (void)refresh(host, hidden->layer, hidden->file);
}

bool host_layers_refresh(peri_host *host, peri_str layer, peri_str path) {
    bool read = refresh(host, layer, path);
    bring_back(host);
    return read;
}

// ---- The project's

static const peri_project_file *beside(const peri_project *project, peri_str path) {
    char *other = host_sibling(path);
    const peri_project_file *file =
        other ? peri_project_find(project, peri_str_c(other)) : NULL;
    free(other);
    return file;
}

// A Markdown observer and the Lua beside it are one definition: it is used when both are
// trusted, for the one without its wake would ask a model more often than was agreed to.
static void load_project(peri_host *host) {
    const peri_project *project = &host->project;
    for (size_t i = 0; i < project->count; i++) {
        const peri_project_file *file = &project->files[i];
        if (file->kind != PERI_PROJECT_OBSERVER || !file->text.ptr) continue;
        const peri_project_file *other = beside(project, file->path);
        bool markdown = host_is_markdown(file->path);
        if (other && !markdown) continue; // it belongs to the other one
        host_found from = {.layer = PERI_STR("project"),
                           .file = file->path,
                           .text = file->text,
                           .lenient = file->of_pi};
        if (other) {
            from.lua_file = other->path;
            from.lua_text = other->text;
        }
        if (file->trusted && (!other || other->trusted)) {
            host_define(host, &from);
        } else {
            host_define_untrusted(host, &from);
        }
    }
}

int host_layers_load(peri_host *host, const peri_host_options *options) {
    host_layers *layers = &host->layers;
    peri_arena_init(&layers->arena, 4 * 1024 * 1024);
    layers->entries = calloc(HOST_MAX_ENTRIES, sizeof *layers->entries);
    if (!layers->entries) return PERI_ENOMEM;
    host_each_shipped(host, OBSERVERS, ".lua", load_shipped);
    host_each_shipped(host, OBSERVERS, ".md", load_shipped);
    if (options->use_user_config) {
        char *folder = host_user_path("observers");
        if (folder)
            (void)load_folder(host, PERI_STR("user"), folder, false); // told; others go on
        free(folder);
    }
    load_project(host);
    if (!options->observer_dir) return PERI_OK;
    return load_folder(host, PERI_STR("given"), options->observer_dir,
                       true); // asked for by name
}

void host_layers_unload(peri_host *host) {
    free(host->layers.entries);
    peri_arena_deinit(&host->layers.arena);
}

// ---- What is told of them

peri_str peri_entry_state_word(peri_entry_state state) {
    static const peri_str words[] = {
#define STATE_WORD(name, word) {word, sizeof(word) - 1},
        PERI_ENTRY_STATE_LIST(STATE_WORD)
#undef STATE_WORD
    };
    return words[state];
}

const peri_entry *peri_host_entries(const peri_host *host, size_t *count) {
    *count = host->layers.count;
    return host->layers.entries;
}

void host_layers_add_json(const peri_host *host, peri_buf *out) {
    peri_buf_add_c(out, "\"observers\":[");
    for (size_t i = 0; i < host->layers.count; i++) {
        const peri_entry *entry = &host->layers.entries[i];
        peri_buf_add_c(out, i ? ",{\"layer\":" : "{\"layer\":");
        peri_json_add_string(out, entry->layer);
        if (entry->name.ptr) {
            peri_buf_add_c(out, ",\"name\":");
            peri_json_add_string(out, entry->name);
        }
        peri_buf_add_c(out, ",\"file\":");
        peri_json_add_string(out, entry->file);
        peri_buf_addf(out, ",\"state\":\"%.*s\"",
                      PERI_FMT(peri_entry_state_word(entry->state)));
        if (entry->reason.ptr) {
            peri_buf_add_c(out, ",\"reason\":");
            peri_json_add_string(out, entry->reason);
        }
        peri_buf_add_byte(out, '}');
    }
    peri_buf_add_byte(out, ']');
}
