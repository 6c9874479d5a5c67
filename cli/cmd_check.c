// `perilune check [PATH...]`: validates what people write, before it runs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli.h"
#include "host_author.h"
#include "io/files.h"

static const char help[] =
    "usage: perilune check [--json] [PATH...]\n"
    "\n"
    "Validates configs, observers, policies and dialects: files, or folders with all below them.\n"
    "Without a path: what you have in $XDG_CONFIG_HOME/perilune. Each file is Ok, Ok with warnings, or\n"
    "Invalid, with file, line and what to do.\n"
    "\n"
    "Exit status: 0 all usable; 1 a file is invalid; 2 usage, or nothing to check.\n";

typedef struct checking {
    bool json;
    size_t files, invalid, warned;
} checking;

static const char *kind_word(peri_file_kind kind) {
    static const char *const words[] = {"file", "config", "observer", "policy", "dialect"};
    return words[kind];
}

static const char *verdict_of(const peri_diag_list *diags) {
    if (diags->error_count) return "Invalid";
    return diags->warning_count ? "Ok, with warnings" : "Ok";
}

static void print_json(const char *path, peri_file_kind kind, const peri_diag_list *diags) {
    static const char *const severities[] = {"note", "warning", "error"};
    peri_buf out;
    peri_buf_init(&out, 4 * 1024 * 1024);
    peri_buf_add_c(&out, "{\"file\":");
    peri_json_add_string(&out, peri_str_c(path));
    peri_buf_addf(&out, ",\"kind\":\"%s\",\"verdict\":\"%s\",\"diagnostics\":[",
                  kind_word(kind), verdict_of(diags));
    for (size_t i = 0; i < diags->count; i++) {
        const peri_diag *diag = &diags->items[i];
        peri_buf_addf(&out, "%s{\"severity\":\"%s\",\"id\":", i ? "," : "",
                      severities[diag->severity]);
        peri_json_add_string(&out, diag->id);
        peri_buf_addf(&out, ",\"line\":%u,\"column\":%u,\"message\":", diag->line,
                      diag->column);
        peri_json_add_string(&out, diag->message);
        if (diag->hint.len) {
            peri_buf_add_c(&out, ",\"hint\":");
            peri_json_add_string(&out, diag->hint);
        }
        peri_buf_add_byte(&out, '}');
    }
    peri_buf_add_c(&out, "]}\n");
    fwrite(out.ptr, 1, out.len, stdout);
    peri_buf_deinit(&out);
}

static void print_human(const char *path, peri_file_kind kind, const peri_diag_list *diags) {
    printf("%s: %s (%s)\n", path, verdict_of(diags), kind_word(kind));
    peri_buf out;
    peri_buf_init(&out, 4 * 1024 * 1024);
    for (size_t i = 0; i < diags->count; i++) peri_diag_format(&out, &diags->items[i]);
    fwrite(out.ptr ? out.ptr : "", 1, out.len, stdout);
    if (diags->dropped_count) printf("    and %zu more\n", diags->dropped_count);
    peri_buf_deinit(&out);
}

static int check_file(void *user, const char *path) {
    checking *c = user;
    peri_diag_list diags;
    peri_diag_list_init(&diags);
    peri_file_kind kind = peri_check_file(path, &diags);
    c->files++;
    c->invalid += diags.error_count > 0;
    c->warned += diags.error_count == 0 && diags.warning_count > 0;
    if (c->json) {
        print_json(path, kind, &diags);
    } else {
        print_human(path, kind, &diags);
    }
    peri_diag_list_deinit(&diags);
    return PERI_OK;
}

// In a folder only what perilune would load is looked at.
static int check_found(void *user, const char *path) {
    peri_str name = peri_str_c(path);
    bool ours = (peri_str_ends(name, PERI_STR(".lua")) &&
                 !peri_str_ends(name, PERI_STR("_spec.lua"))) ||
                peri_str_ends(name, PERI_STR("/config.yaml"));
    return ours ? check_file(user, path) : PERI_OK;
}

static int check_path(checking *c, const char *path) {
    switch (peri_path_type_of(path)) {
    case PERI_PATH_FILE:
        return check_file(c, path);
    case PERI_PATH_FOLDER:
        return peri_folder_walk(path, check_found, NULL, c);
    default:
        fprintf(stderr, "perilune check: %s: no such file or folder\n", path);
        return PERI_ENOENT;
    }
}

static int check_user_folder(checking *c) {
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int made = config && config[0] == '/' ? asprintf(&path, "%s/perilune", config)
               : home                     ? asprintf(&path, "%s/.config/perilune", home)
                                          : -1;
    if (made < 0) return PERI_ENOENT;
    int status = check_path(c, path);
    free(path);
    return status;
}

int cmd_check(int argc, char **argv) {
    checking c = {0};
    const peri_option list[] = {{"--json", NULL, &c.json}, {NULL, NULL, NULL}};
    const char **paths = calloc((size_t)argc, sizeof *paths);
    if (!paths) return PERI_EXIT_INTERNAL;
    size_t count;
    int code = peri_options_read(argc, argv, list, help, paths, &count);
    if (code != PERI_EXIT_OK) {
        free(paths);
        return code < 0 ? PERI_EXIT_OK : code;
    }
    int status = count ? PERI_OK : check_user_folder(&c);
    for (size_t i = 0; i < count && status == PERI_OK; i++) status = check_path(&c, paths[i]);
    free(paths);
    if (status < 0) return PERI_EXIT_USAGE;
    if (!c.json && c.files > 1) {
        printf("\n%zu files: %zu ok, %zu with warnings, %zu invalid\n", c.files,
               c.files - c.invalid - c.warned, c.warned, c.invalid);
    }
    if (c.files == 0) fputs("perilune check: nothing to check there\n", stderr);
    return c.invalid ? PERI_EXIT_NEGATIVE : c.files ? PERI_EXIT_OK : PERI_EXIT_USAGE;
}
