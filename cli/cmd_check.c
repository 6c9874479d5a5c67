// `perilune check [PATH...]`: validates what people write, before it runs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "against.h"
#include "base/json.h"
#include "cli.h"
#include "host/author.h"
#include "host/written/layers.h"
#include "io/files.h"
#include "paths.h"
#include "plain.h"
#include "tell.h"

static const char help[] =
    "usage: perilune check [--json | --quiet] [--against RECORDING] [PATH...]\n"
    "\n"
    "Validates configs, observers, policies, dialects, kinds of secrets and agents'\n"
    "settings (.json): files, or folders with all below them (of Markdown what is in\n"
    "a folder called observers or has a header with `on`; no settings). Without a\n"
    "path: what you have in $XDG_CONFIG_HOME/perilune. Each file is Ok, Ok with\n"
    "warnings, or Invalid, with file, line and what to do; of a valid observer the\n"
    "values it resolved to are printed.\n"
    "\n"
    "  --json                one object a file\n"
    "  --quiet               without the values\n"
    "  --against RECORDING   run the valid observers over a recording, a file or a\n"
    "                        folder, and say which of them never matched, and why;\n"
    "                        say the same of a valid config's permission rules and of\n"
    "                        policies\n"
    "\n"
    "Exit status: 0 all usable; 1 a file is invalid; 2 usage, nothing to check, or a\n"
    "recording that cannot be read; 3 internal failure.\n";

enum { MARKDOWN_MAX_BYTES = 256 * 1024 };

typedef struct checking {
    bool json, quiet;
    size_t files, invalid, warned;
    peri_checker *checker;
    const char *recording; // NULL: none to run observers over
    against tried;
} checking;

static const char *kind_word(peri_file_kind kind) {
    static const char *const words[] = {"file",    "config",  "observer", "policy",
                                        "dialect", "secrets", "settings"};
    return words[kind];
}

static const char *verdict_of(const peri_diag_list *diags) {
    if (diags->error_count) return "Invalid";
    return diags->warning_count ? "Ok, with warnings" : "Ok";
}

static void add_observer(peri_buf *out, const peri_observer *observer) {
    peri_buf on, can;
    peri_buf_init(&on, 1024);
    peri_buf_init(&can, 1024);
    peri_tell_triggers(&on, observer);
    peri_tell_can(&can, observer->can);
    peri_buf_add_c(out, ",\"name\":");
    peri_json_add_string(out, observer->name);
    peri_buf_addf(out, ",\"enabled\":%s,\"on\":", observer->enabled ? "true" : "false");
    peri_json_add_string(out, peri_buf_str(&on));
    peri_buf_add_c(out, ",\"can\":");
    peri_json_add_string(out, peri_buf_str(&can));
    peri_buf_deinit(&on);
    peri_buf_deinit(&can);
}

static void print_json(const char *path, const peri_checked *checked,
                       const peri_diag_list *diags) {
    static const char *const severities[] = {"note", "warning", "error"};
    peri_buf out;
    peri_buf_init(&out, 4 * 1024 * 1024);
    peri_buf_add_c(&out, "{\"file\":");
    peri_json_add_string(&out, peri_str_c(path));
    peri_buf_addf(&out, ",\"kind\":\"%s\",\"verdict\":\"%s\"", kind_word(checked->kind),
                  verdict_of(diags));
    if (checked->observer) add_observer(&out, checked->observer);
    peri_buf_add_c(&out, ",\"diagnostics\":[");
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

// A valid observer is shown with what its values resolved to: what was typed is not always what
// a person takes it for.
static void print_human(const char *path, const peri_checked *checked,
                        const peri_diag_list *diags, bool quiet) {
    plain_print(stdout, peri_str_c(path));
    printf(": %s (%s)\n", verdict_of(diags), kind_word(checked->kind));
    peri_tell_diags(stdout, diags);
    if (!checked->observer || quiet) return;
    peri_buf out;
    peri_buf_init(&out, 64 * 1024);
    peri_tell_observer(&out, checked->observer);
    fwrite(out.ptr ? out.ptr : "", 1, out.len, stdout);
    peri_buf_deinit(&out);
}

static int check_file(void *user, const char *path) {
    checking *c = user;
    peri_diag_list diags;
    peri_diag_list_init(&diags);
    peri_checked checked = peri_checker_file(c->checker, path, &diags);
    c->files++;
    c->invalid += diags.error_count > 0;
    c->warned += diags.error_count == 0 && diags.warning_count > 0;
    if (c->json) {
        print_json(path, &checked, &diags);
    } else {
        print_human(path, &checked, &diags, c->quiet);
    }
    int status = PERI_OK;
    if (c->recording && checked.observer && !diags.error_count)
        status = against_add(&c->tried, checked.observer, path);
    bool rules = checked.kind == PERI_KIND_CONFIG || checked.kind == PERI_KIND_SETTINGS;
    if (c->recording && rules && !diags.error_count)
        status = against_add_config(&c->tried, path);
    if (c->recording && checked.kind == PERI_KIND_POLICY && !diags.error_count)
        status = against_add_policy(&c->tried, path);
    peri_diag_list_deinit(&diags);
    return status;
}

static bool belongs_to_markdown(const char *lua) {
    char *markdown = NULL;
    if (asprintf(&markdown, "%.*s.md", (int)strlen(lua) - 4, lua) < 0) return false;
    bool belongs = peri_path_type_of(markdown) == PERI_PATH_FILE;
    free(markdown);
    return belongs;
}

// Markdown is many things: an observer's stands where observers
// are kept, or has a header with `on`.
static bool is_markdown_observer(const char *path, peri_str folder) {
    if (peri_str_ends(folder, PERI_STR("observers"))) return true;
    peri_buf text;
    peri_buf_init(&text, MARKDOWN_MAX_BYTES);
    bool read = peri_file_read(path, &text) == PERI_OK;
    peri_str is = read ? peri_buf_str(&text) : (peri_str){0};
    bool on = peri_str_starts(is, PERI_STR("---")) &&
              peri_str_find(is, PERI_STR("\non:")) != PERI_NPOS;
    peri_buf_deinit(&text);
    return on;
}

// In a folder only what perilune would load is looked at.
static int check_found(void *user, const char *path) {
    peri_str name = peri_str_c(path);
    const char *slash = strrchr(path, '/');
    peri_str folder = peri_str_of(path, slash ? (size_t)(slash - path) : 0);
    bool lua = peri_str_ends(name, PERI_STR(".lua")) && !peri_host_is_of_spec(name) &&
               !belongs_to_markdown(path);
    bool markdown = peri_str_ends(name, PERI_STR(".md")) && is_markdown_observer(path, folder);
    bool config = peri_str_ends(name, PERI_STR("/config.yaml")) ||
                  peri_str_ends(name, PERI_STR("/switches.yaml")) ||
                  peri_str_ends(name, PERI_STR("/managed.yaml"));
    return lua || markdown || config ? check_file(user, path) : PERI_OK;
}

// What is checked along with a config may be named in it.
static void know_path(checking *c, const char *path) {
    if (peri_path_type_of(path) == PERI_PATH_FOLDER) {
        (void)!peri_folder_walk(path, peri_checker_know, NULL, c->checker);
    } else {
        (void)!peri_checker_know(c->checker, path);
    }
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
    peri_buf path;
    peri_buf_init(&path, PERI_PATH_MAX_BYTES);
    int status = peri_path_config(&path, "");
    if (status < 0) {
        fputs("perilune check: name a file or a folder, or set HOME\n", stderr);
    } else if (peri_path_type_of(peri_buf_c(&path)) != PERI_PATH_FOLDER) {
        fprintf(stderr, "perilune check: you have nothing in %s yet; name a file or a folder\n",
                peri_buf_c(&path));
        status = PERI_ENOENT;
    } else {
        peri_buf_truncate(&path, path.len - 1); // its "/"
        status = check_path(c, peri_buf_c(&path));
    }
    peri_buf_deinit(&path);
    return status;
}

static int check_all(checking *c, const char *const *paths, size_t count) {
    int status = peri_checker_new(&c->checker);
    if (status == PERI_OK && !count) status = check_user_folder(c);
    for (size_t i = 0; i < count && status == PERI_OK; i++) know_path(c, paths[i]);
    for (size_t i = 0; i < count && status == PERI_OK; i++) status = check_path(c, paths[i]);
    peri_checker_free(c->checker);
    if (status < 0) return status == PERI_ENOMEM ? PERI_EXIT_INTERNAL : PERI_EXIT_USAGE;
    if (!c->json && c->files > 1) {
        printf("\n%zu files: %zu ok, %zu with warnings, %zu invalid\n", c->files,
               c->files - c->invalid - c->warned, c->warned, c->invalid);
    }
    if (c->files == 0) fputs("perilune check: nothing to check there\n", stderr);
    return c->invalid ? PERI_EXIT_NEGATIVE : c->files ? PERI_EXIT_OK : PERI_EXIT_USAGE;
}

int cmd_check(int argc, char **argv) {
    checking c = {0};
    const peri_option list[] = {{"--json", NULL, &c.json},
                                {"--quiet", NULL, &c.quiet},
                                {"--against", &c.recording, NULL},
                                {NULL, NULL, NULL}};
    const char **paths = calloc((size_t)argc, sizeof *paths);
    if (!paths) return PERI_EXIT_INTERNAL;
    size_t count;
    int code = peri_options_read(argc, argv, list, help, paths, &count);
    if (code == PERI_EXIT_OK) {
        code = check_all(&c, paths, count);
        if (c.recording && code <= PERI_EXIT_NEGATIVE) {
            int tried = against_run(&c.tried, c.recording, c.json);
            if (tried != PERI_EXIT_OK) code = tried;
        }
    }
    against_deinit(&c.tried);
    free(paths);
    return code < 0 ? PERI_EXIT_OK : code;
}
