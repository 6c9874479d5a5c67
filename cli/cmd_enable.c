// `perilune enable NAME...` and `perilune disable NAME...`: switches of the user's own, kept in
// a file of their own beside config.yaml, so that what a person wrote is never rewritten by a
// program.
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/yaml.h"
#include "cli.h"
#include "host_author.h"
#include "io/files.h"
#include "io/own_files.h"
#include "layers.h"
#include "ledger/pairing_state.h"
#include "paths.h"
#include "session.h"
#include "tell.h"

static const char enable_help[] =
    "usage: perilune enable NAME... [--project DIR] [--state DIR] [--json]\n"
    "\n"
    "Switches observers on: they run from the next start on. What config.yaml disables stays off.\n"
    "An observer that the gate denied is armed again where it was denied, also in a host that runs, and\n"
    "the gate judges it anew; nothing else takes a denial back.\n"
    "\n"
    "  --project DIR   the project whose observers are known too (where you are)\n"
    "  --state DIR     where ledger.db is\n"
    "  --json          {\"name\",\"on\",\"reason\"} of each, one a line\n"
    "\n"
    "Exit status: 0 on; 1 there is no such observer, or something keeps it off; 2 usage; 3 internal\n"
    "failure.\n";

static const char disable_help[] =
    "usage: perilune disable NAME... [--project DIR] [--json]\n"
    "\n"
    "Switches observers off, at once; `perilune enable NAME` takes it back.\n"
    "\n"
    "  --project DIR   the project whose observers are known too (where you are)\n"
    "  --json          {\"name\",\"on\",\"reason\"} of each, one a line\n"
    "\n"
    "Exit status: 0 off; 1 there is no such observer; 2 usage; 3 internal failure.\n";

enum { FILE_MAX_BYTES = 64 * 1024, MAX_SWITCHES = 512 };

typedef struct switches {
    peri_arena arena;
    struct {
        peri_str name;
        bool on;
    } items[MAX_SWITCHES];
    size_t count;
} switches;

// What was asked for.
typedef struct switching {
    const char *verb, *project, *state_dir;
    bool on, json;
    const char *const *names;
    size_t count;
} switching;

// ---- The file

static int set(switches *s, peri_str name, bool on) {
    size_t at = 0;
    while (at < s->count && !peri_str_eq(s->items[at].name, name)) at++;
    if (at == MAX_SWITCHES) return PERI_ELIMIT;
    if (at == s->count) {
        s->items[at].name = peri_arena_copy(&s->arena, name);
        if (!s->items[at].name.ptr) return PERI_ENOMEM;
        s->count++;
    }
    s->items[at].on = on;
    return PERI_OK;
}

static int read_switches(switches *s, const char *path, peri_diag_list *diags) {
    peri_buf text;
    peri_buf_init(&text, FILE_MAX_BYTES);
    int status = peri_file_read(path, &text);
    peri_yaml_doc doc = {0};
    bool parsed = status == PERI_OK;
    if (parsed) status = peri_yaml_parse(&doc, peri_buf_str(&text), peri_str_c(path), 1, diags);
    const peri_yaml *map = parsed ? peri_yaml_get(doc.root, PERI_STR("observers")) : NULL;
    for (const peri_yaml *one = map ? map->first : NULL; one && status == PERI_OK;
         one = one->next) {
        bool on = false;
        status = peri_yaml_bool(&doc, peri_yaml_get(one, PERI_STR("enabled")), &on);
        if (status == PERI_OK) status = set(s, one->key, on);
    }
    if (parsed) peri_yaml_doc_deinit(&doc);
    peri_buf_deinit(&text);
    return status == PERI_ENOENT ? PERI_OK : status;
}

static int write_switches(const switches *s, const char *path) {
    peri_buf text;
    peri_buf_init(&text, FILE_MAX_BYTES);
    peri_buf_add_c(&text, "# Written by `perilune enable` and `perilune disable`; read after "
                          "config.yaml.\nobservers:\n");
    for (size_t i = 0; i < s->count; i++) {
        peri_buf_addf(&text, "  %.*s: { enabled: %s }\n", PERI_FMT(s->items[i].name),
                      s->items[i].on ? "true" : "false");
    }
    int status = text.status < 0 ? text.status : peri_own_write(path, peri_buf_str(&text));
    peri_buf_deinit(&text);
    return status;
}

static int change(const char *path, const switching *wanted) {
    switches s = {.count = 0};
    peri_arena_init(&s.arena, FILE_MAX_BYTES);
    peri_diag_list diags;
    peri_diag_list_init(&diags);
    int status = read_switches(&s, path, &diags);
    for (size_t i = 0; i < wanted->count && status == PERI_OK; i++) {
        status = set(&s, peri_str_c(wanted->names[i]), wanted->on);
    }
    if (status == PERI_OK) status = write_switches(&s, path);
    peri_tell_diags(stderr, &diags);
    peri_diag_list_deinit(&diags);
    peri_arena_deinit(&s.arena);
    return status;
}

// ---- What is known, and what became of it

static int open_host(const char *project, peri_host **host) {
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    peri_buf trust;
    peri_buf_init(&trust, PERI_PATH_MAX_BYTES);
    options.use_user_config = true;
    options.project_dir = project;
    options.on_log = peri_tell_log;
    if (peri_path_trust(&trust, NULL) == PERI_OK) options.trust_path = peri_buf_c(&trust);
    int status = peri_host_new(&options, host);
    peri_buf_deinit(&trust);
    return status;
}

// The entry in use under `name`, or NULL.
static const peri_entry *find(const peri_host *host, peri_str name) {
    size_t count;
    const peri_entry *entries = peri_host_entries(host, &count);
    for (size_t i = 0; i < count; i++) {
        if (entries[i].state <= PERI_ENTRY_OFF && peri_str_eq(entries[i].name, name)) {
            return &entries[i];
        }
    }
    return NULL;
}

static int unknown(const peri_host *host, const char *verb, peri_str name) {
    size_t count;
    const peri_entry *entries = peri_host_entries(host, &count);
    peri_str *words = calloc(count + 1, sizeof *words);
    size_t known = 0;
    for (size_t i = 0; words && i < count; i++) {
        if (entries[i].state <= PERI_ENTRY_OFF) words[known++] = entries[i].name;
    }
    peri_str near = words ? peri_diag_nearest(name, words) : (peri_str){0};
    fprintf(stderr, "perilune %s: there is no observer '%.*s'", verb, PERI_FMT(name));
    if (near.len) {
        fprintf(stderr, "; did you mean '%.*s'?\n", PERI_FMT(near));
    } else {
        fputs("; perilune observers lists them\n", stderr);
    }
    free(words);
    return PERI_EXIT_NEGATIVE;
}

static int check_names(const switching *s) {
    peri_host *host;
    int status = open_host(s->project, &host);
    if (status < 0) return status == PERI_ENOMEM ? PERI_EXIT_INTERNAL : PERI_EXIT_USAGE;
    int code = PERI_EXIT_OK;
    for (size_t i = 0; i < s->count && code == PERI_EXIT_OK; i++) {
        peri_str name = peri_str_c(s->names[i]);
        bool known = find(host, name) || peri_host_knows_agent(host, name);
        if (!known) code = unknown(host, s->verb, name);
    }
    peri_host_free(host);
    return code;
}

// An agent definition that observes is no entry of the layers: what was asked for is so.
static void tell_one(const char *name, const peri_entry *entry, bool on, bool json) {
    static const peri_entry none;
    bool is_on = entry ? entry->state == PERI_ENTRY_ACTIVE : on;
    if (!entry) entry = &none;
    if (!json) {
        printf("%s is %s%s", name, is_on == on ? "" : "still ", is_on ? "on" : "off");
        if (entry->reason.ptr && is_on != on) printf(": %.*s", PERI_FMT(entry->reason));
        putchar('\n');
        return;
    }
    peri_buf out;
    peri_buf_init(&out, 4096);
    peri_buf_addf(&out, "{\"name\":\"%s\",\"on\":%s", name, is_on ? "true" : "false");
    if (entry->reason.ptr) {
        peri_buf_add_c(&out, ",\"reason\":");
        peri_json_add_string(&out, entry->reason);
    }
    peri_buf_add_byte(&out, '}');
    puts(peri_buf_c(&out));
    peri_buf_deinit(&out);
}

static int report(const switching *s) {
    peri_host *host;
    int status = open_host(s->project, &host);
    if (status < 0) return status == PERI_ENOMEM ? PERI_EXIT_INTERNAL : PERI_EXIT_USAGE;
    int code = PERI_EXIT_OK;
    for (size_t i = 0; i < s->count; i++) {
        const peri_entry *entry = find(host, peri_str_c(s->names[i]));
        tell_one(s->names[i], entry, s->on, s->json);
        bool other = entry && (entry->state == PERI_ENTRY_ACTIVE) != s->on;
        if (other) code = PERI_EXIT_NEGATIVE;
    }
    peri_host_free(host);
    return code;
}

// A ledger that is not there knows of no denial.
static int take_denials_back(const switching *s) {
    session_options where = {.state_dir = s->state_dir};
    char *path = session_state_path(&where, "ledger.db");
    if (!path || peri_path_type_of(path) != PERI_PATH_FILE) {
        free(path);
        return PERI_OK;
    }
    peri_ledger *ledger = NULL;
    const char *error = NULL;
    int status = peri_ledger_open(path, &(peri_ledger_options){0}, &ledger, &error);
    peri_clock clock = peri_clock_system();
    for (size_t i = 0; i < s->count && status == PERI_OK; i++) {
        status = peri_ledger_enable(ledger, peri_str_c(s->names[i]), clock.wall_ms(clock.user));
    }
    if (status < 0) {
        fprintf(stderr, "perilune %s: %s: %s\n", s->verb, path,
                error ? error : peri_status_message(status));
    }
    peri_ledger_close(ledger);
    free(path);
    return status;
}

static int flip(const switching *s) {
    int code = check_names(s);
    if (code != PERI_EXIT_OK) return code;
    peri_buf path;
    peri_buf_init(&path, PERI_PATH_MAX_BYTES);
    int status = peri_path_config(&path, "switches.yaml");
    if (status == PERI_OK) status = change(peri_buf_c(&path), s);
    if (status < 0) {
        fprintf(stderr, "perilune %s: %s: %s\n", s->verb,
                path.len ? peri_buf_c(&path) : "no place for switches; set HOME",
                peri_status_message(status));
    }
    peri_buf_deinit(&path);
    if (status == PERI_OK && s->on) status = take_denials_back(s);
    if (status < 0) return status == PERI_ENOMEM ? PERI_EXIT_INTERNAL : PERI_EXIT_USAGE;
    return report(s);
}

static int run(int argc, char **argv, const char *help, bool on) {
    switching s = {.verb = argv[0], .project = ".", .on = on};
    const peri_option list[] = {{"--project", &s.project, NULL},
                                {"--json", NULL, &s.json},
                                {on ? "--state" : NULL, &s.state_dir, NULL},
                                {NULL, NULL, NULL}};
    const char **names = calloc((size_t)argc, sizeof *names);
    if (!names) return PERI_EXIT_INTERNAL;
    s.names = names;
    int code = peri_options_read(argc, argv, list, help, names, &s.count);
    if (code == PERI_EXIT_OK && s.count == 0) {
        fprintf(stderr, "perilune %s: name an observer; perilune observers lists them\n",
                s.verb);
        code = PERI_EXIT_USAGE;
    }
    if (code == PERI_EXIT_OK) code = flip(&s);
    free(names);
    return code < 0 ? PERI_EXIT_OK : code;
}

int cmd_enable(int argc, char **argv) {
    return run(argc, argv, enable_help, true);
}

int cmd_disable(int argc, char **argv) {
    return run(argc, argv, disable_help, false);
}
