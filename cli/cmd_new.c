// `perilune new observer NAME` and `new policy NAME`: a working file and its spec, from the
// templates that ship with the library (lua/templates/).
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "io/own_files.h"
#include "model/observer.h"
#include "paths.h"
#include "script/embedded.h"
#include "tell.h"

static const char help[] =
    "usage: perilune new observer NAME [--project DIR] [--json]\n"
    "       perilune new policy NAME [--json]\n"
    "\n"
    "Writes NAME.lua and NAME_spec.lua, which `perilune check` and `perilune test`\n"
    "accept as they are, into $XDG_CONFIG_HOME/perilune/observers (or policies).\n"
    "Nothing is overwritten.\n"
    "\n"
    "  --project DIR   an observer of this project instead: DIR/.perilune/observers\n"
    "  --json          the files as {\"file\":PATH}, one a line\n"
    "\n"
    "Exit status: 0 written; 1 there is one already; 2 usage, or it cannot be\n"
    "written; 3 internal failure.\n";

enum { FILE_MAX_BYTES = 64 * 1024 };

typedef struct kind {
    const char *word, *folder, *file, *spec; // templates of the last two
} kind;

static const kind kinds[] = {
    {"observer", "observers", "lua/templates/observer.lua", "lua/templates/observer-spec.lua"},
    {"policy", "policies", "lua/templates/policy.lua", "lua/templates/policy-spec.lua"},
};

// Appends the template with NAME replaced.
static void fill(peri_buf *out, const char *template, const char *name) {
    peri_str text = peri_embedded_find(peri_str_c(template)), mark = PERI_STR("NAME");
    for (size_t at; (at = peri_str_find(text, mark)) != PERI_NPOS;) {
        peri_buf_add(out, peri_str_sub(text, 0, at));
        peri_buf_add_c(out, name);
        text = peri_str_sub(text, at + mark.len, text.len);
    }
    peri_buf_add(out, text);
}

static void tell_file(const char *root, const char *path, bool json) {
    char *full = NULL;
    if (asprintf(&full, "%s/%s", root, path) < 0) return;
    if (json) {
        peri_tell_json("file", peri_str_c(full));
    } else {
        puts(full);
    }
    free(full);
}

static int write_one(const char *root, const char *folder, const char *name, const char *ending,
                     const char *template, bool json) {
    peri_buf text, path;
    peri_buf_init(&text, FILE_MAX_BYTES);
    peri_buf_init(&path, PERI_PATH_MAX_BYTES);
    fill(&text, template, name);
    peri_buf_addf(&path, "%s/%s%s", folder, name, ending);
    int status = text.status < 0 ? text.status : path.status;
    if (status == PERI_OK) {
        status =
            peri_own_write_below(root, peri_buf_c(&path), peri_buf_str(&text), PERI_OWN_CREATE);
    }
    if (status == PERI_OK) {
        tell_file(root, peri_buf_c(&path), json);
    } else if (status == PERI_EDUP) {
        fprintf(stderr, "perilune new: %s/%s is there already\n", root, peri_buf_c(&path));
    } else {
        fprintf(stderr, "perilune new: %s/%s: %s\n", root, peri_buf_c(&path),
                status == PERI_EDENIED ? "not written: a part of the path is a symbolic link"
                                       : peri_status_message(status));
    }
    peri_buf_deinit(&text);
    peri_buf_deinit(&path);
    return status;
}

static int exit_code(int status) {
    return status == PERI_OK       ? PERI_EXIT_OK
           : status == PERI_EDUP   ? PERI_EXIT_NEGATIVE
           : status == PERI_ENOMEM ? PERI_EXIT_INTERNAL
                                   : PERI_EXIT_USAGE;
}

static void say_next(const kind *k, const char *root, const char *folder, const char *name,
                     bool project) {
    printf("\nnow edit it, then\n  perilune check %s/%s/%s.lua\n  perilune test %s/%s\n", root,
           folder, name, root, folder);
    if (k == &kinds[1]) {
        printf("and add it to your config: policies: [default, %s]\n", name);
    } else if (project) {
        printf("  perilune trust --project %s    (again after every change)\n"
               "  perilune replay --project %s PATH...\n",
               root, root);
    } else {
        printf("  perilune replay PATH...    (how often would it have spoken?)\n");
    }
}

static int make(const kind *k, const char *name, const char *project, bool json) {
    peri_buf root;
    peri_buf_init(&root, PERI_PATH_MAX_BYTES);
    int status = PERI_OK;
    if (project) {
        peri_buf_add_c(&root, project);
    } else if ((status = peri_path_config(&root, "")) == PERI_OK) {
        peri_buf_truncate(&root, root.len - 1); // its "/"
        status = peri_own_make_folder(peri_buf_c(&root));
    }
    if (status < 0) {
        if (root.len) {
            fprintf(stderr, "perilune new: %s: %s\n", peri_buf_c(&root),
                    peri_status_message(status));
        } else {
            fputs("perilune new: no place for it; set HOME, or give --project DIR\n", stderr);
        }
        peri_buf_deinit(&root);
        return PERI_EXIT_USAGE;
    }
    const char *folder = project ? ".perilune/observers" : k->folder;
    status = write_one(peri_buf_c(&root), folder, name, ".lua", k->file, json);
    if (status == PERI_OK) {
        status = write_one(peri_buf_c(&root), folder, name, "_spec.lua", k->spec, json);
    }
    if (status == PERI_OK && !json)
        say_next(k, peri_buf_c(&root), folder, name, project != NULL);
    peri_buf_deinit(&root);
    return exit_code(status);
}

static int make_named(const char *const *words, size_t count, const char *project, bool json) {
    const kind *k = NULL;
    for (size_t i = 0; count == 2 && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(words[0], kinds[i].word) == 0) k = &kinds[i];
    }
    if (!k) {
        fputs("perilune new: say `new observer NAME` or `new policy NAME`\n", stderr);
        return PERI_EXIT_USAGE;
    }
    if (!peri_observer_name_ok(peri_str_c(words[1]))) {
        fprintf(stderr,
                "perilune new: a name is [a-z0-9][a-z0-9_-]*, at most %d long, not '%s'\n",
                PERI_OBSERVER_NAME_MAX, words[1]);
        return PERI_EXIT_USAGE;
    }
    if (project && k == &kinds[1]) {
        fputs("perilune new: a project's policies are not loaded; leave --project out\n",
              stderr);
        return PERI_EXIT_USAGE;
    }
    return make(k, words[1], project, json);
}

int cmd_new(int argc, char **argv) {
    const char *project = NULL;
    bool json = false;
    const peri_option list[] = {
        {"--project", &project, NULL}, {"--json", NULL, &json}, {NULL, NULL, NULL}};
    const char **words = calloc((size_t)argc, sizeof *words);
    if (!words) return PERI_EXIT_INTERNAL;
    size_t count;
    int code = peri_options_read(argc, argv, list, help, words, &count);
    if (code == PERI_EXIT_OK) code = make_named(words, count, project, json);
    free(words);
    return code < 0 ? PERI_EXIT_OK : code;
}
