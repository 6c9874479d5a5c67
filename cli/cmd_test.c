// `perilune test [PATH...]`: runs the specs of authors. Naming a path is consenting to run what
// is there; without one only the user's own folder is looked into, never the project's.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"
#include "io/files.h"
#include "paths.h"
#include "script/embedded.h"
#include "script/spec_run.h"

static const char help[] =
    "usage: perilune test [--lua DIR] [--json] [PATH...]\n"
    "\n"
    "Runs specs (files that end in _spec.lua) with busted: files, or folders with all\n"
    "below them. Without a path: those in $XDG_CONFIG_HOME/perilune. A spec is a\n"
    "program, not sandboxed; run those you would run anyway.\n"
    "\n"
    "  --lua DIR   perilune.* modules from this folder instead of the built-in\n"
    "  --json      one test a line: {\"name\",\"status\",\"message\"}\n"
    "\n"
    "Exit status: 0 all passed; 1 one failed; 2 usage, no spec there, or busted is\n"
    "not installed; 3 internal failure.\n";

enum { MODULE_MAX_BYTES = 256 * 1024 };

typedef struct modules {
    const char *lua_dir; // NULL: the built-in ones
    peri_buf path, text; // of the module that was asked for last
} modules;

// A module of --lua. Absent if it is not there.
static peri_str read_module(modules *m) {
    char *full = NULL;
    if (asprintf(&full, "%s/%s", m->lua_dir, peri_buf_c(&m->path)) < 0) return (peri_str){0};
    peri_buf_clear(&m->text);
    int status = peri_file_read(full, &m->text);
    free(full);
    return status == PERI_OK ? peri_buf_str(&m->text) : (peri_str){0};
}

static peri_str find_at(modules *m, const char *folder, peri_str name, const char *ending) {
    peri_buf_clear(&m->path);
    peri_buf_add_c(&m->path, folder);
    for (size_t i = 0; i < name.len; i++) {
        peri_buf_add_byte(&m->path, name.ptr[i] == '.' ? '/' : name.ptr[i]);
    }
    peri_buf_add_c(&m->path, ending);
    peri_str text = m->lua_dir ? read_module(m) : (peri_str){0};
    return text.ptr ? text : peri_embedded_find(peri_buf_str(&m->path));
}

static peri_str find_module(void *user, peri_str name) {
    const peri_str policies = PERI_STR("perilune.policies.");
    if (!peri_str_starts(name, PERI_STR("perilune."))) return (peri_str){0};
    if (peri_str_starts(name, policies)) {
        peri_str file = peri_str_of(name.ptr + policies.len, name.len - policies.len);
        return find_at(user, "policies/", file, ".lua");
    }
    peri_str text = find_at(user, "lua/", name, ".lua");
    return text.ptr ? text : find_at(user, "lua/", name, "/init.lua");
}

// ---- Which specs

static int count_spec(void *user, const char *path) {
    if (peri_str_ends(peri_str_c(path), PERI_STR("_spec.lua"))) ++*(size_t *)user;
    return PERI_OK;
}

// How many specs are at `path`, or a status.
static int count_specs(const char *path, size_t *count) {
    switch (peri_path_type_of(path)) {
    case PERI_PATH_FILE:
        *count += peri_str_ends(peri_str_c(path), PERI_STR(".lua"));
        return PERI_OK;
    case PERI_PATH_FOLDER:
        return peri_folder_walk(path, count_spec, NULL, count);
    default:
        return PERI_ENOENT;
    }
}

static int check_roots(const char *const *roots, size_t root_count) {
    size_t count = 0;
    for (size_t i = 0; i < root_count; i++) {
        int status = count_specs(roots[i], &count);
        if (status >= 0) continue;
        fprintf(stderr, "perilune test: %s: %s\n", roots[i],
                status == PERI_ENOENT ? "there is no such file or folder; name one with specs"
                                      : peri_status_message(status));
        return PERI_EXIT_USAGE;
    }
    if (count) return PERI_EXIT_OK;
    bool folder = peri_path_type_of(roots[0]) == PERI_PATH_FOLDER;
    fprintf(stderr, "perilune test: %s %s\n",
            folder ? "no file ends in _spec.lua in" : "no spec:", roots[0]);
    return PERI_EXIT_USAGE;
}

// ---- Running them

static int tell(int status, uint32_t failed, peri_buf *error) {
    switch (status) {
    case PERI_OK:
        return failed ? PERI_EXIT_NEGATIVE : PERI_EXIT_OK;
    case PERI_EUNSUPPORTED:
        fputs("perilune test: busted is not installed; on Debian it is the package lua-busted, "
              "elsewhere `luarocks --lua-version 5.1 install busted`\n",
              stderr);
        return PERI_EXIT_USAGE;
    default:
        fprintf(stderr, "perilune test: %s\n",
                error->len ? peri_buf_c(error) : peri_status_message(status));
        return PERI_EXIT_INTERNAL;
    }
}

static int run(const char *const *roots, size_t root_count, const char *lua_dir, bool json) {
    int code = check_roots(roots, root_count);
    if (code != PERI_EXIT_OK) return code;
    modules m = {.lua_dir = lua_dir};
    peri_buf_init(&m.path, PERI_PATH_MAX_BYTES);
    peri_buf_init(&m.text, MODULE_MAX_BYTES);
    peri_buf error;
    peri_buf_init(&error, 64 * 1024);
    peri_spec_options options = {
        .roots = roots,
        .root_count = root_count,
        .output = json                    ? "json-lines"
                  : isatty(STDOUT_FILENO) ? "utfTerminal"
                                          : "plainTerminal",
        .find_module = find_module,
        .user = &m,
    };
    uint32_t failed = 0;
    int status = peri_spec_run(&options, &failed, &error);
    fflush(stdout);
    code = tell(status, failed, &error);
    peri_buf_deinit(&m.path);
    peri_buf_deinit(&m.text);
    peri_buf_deinit(&error);
    return code;
}

static int run_own(const char *lua_dir, bool json) {
    peri_buf folder;
    peri_buf_init(&folder, PERI_PATH_MAX_BYTES);
    int code = PERI_EXIT_USAGE;
    if (peri_path_config(&folder, "") < 0) {
        fputs("perilune test: name a path, or set HOME\n", stderr);
    } else {
        peri_buf_truncate(&folder, folder.len - 1); // its "/"
        const char *root = peri_buf_c(&folder);
        code = run(&root, 1, lua_dir, json);
    }
    peri_buf_deinit(&folder);
    return code;
}

int cmd_test(int argc, char **argv) {
    const char *lua_dir = NULL;
    bool json = false;
    const peri_option list[] = {
        {"--lua", &lua_dir, NULL}, {"--json", NULL, &json}, {NULL, NULL, NULL}};
    const char **paths = calloc((size_t)argc, sizeof *paths);
    if (!paths) return PERI_EXIT_INTERNAL;
    size_t count;
    int code = peri_options_read(argc, argv, list, help, paths, &count);
    if (code == PERI_EXIT_OK)
        code = count ? run(paths, count, lua_dir, json) : run_own(lua_dir, json);
    free(paths);
    return code < 0 ? PERI_EXIT_OK : code;
}
