// `perilune enable NAME...` and `perilune disable NAME...`: the user's own switches
// (switches.h), and what they came to.
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "cli.h"
#include "io/files.h"
#include "known.h"
#include "ledger/pairing_state.h"
#include "paths.h"
#include "session.h"
#include "switches.h"

static const char enable_help[] =
    "usage: perilune enable NAME... [--project DIR] [--observers DIR] [--state DIR]\n"
    "                       [--json]\n"
    "\n"
    "Switches observers on: they run from the next start on. What config.yaml\n"
    "disables stays off. An observer that the gate denied is armed again where it was\n"
    "denied, also in a host that runs, and the gate judges it anew; nothing else\n"
    "takes a denial back.\n"
    "\n"
    "  --project DIR    the project whose observers are known too (where you are)\n"
    "  --observers DIR  a folder of observers over all others\n"
    "  --state DIR      where ledger.db is\n"
    "  --json           {\"name\",\"on\",\"reason\"} of each, one a line\n"
    "\n"
    "Exit status: 0 on; 1 something keeps it off; 2 usage, or there is no such\n"
    "observer; 3 internal failure.\n";

static const char disable_help[] =
    "usage: perilune disable NAME... [--project DIR] [--observers DIR] [--json]\n"
    "\n"
    "Switches observers off, at once; `perilune enable NAME` takes it back.\n"
    "\n"
    "  --project DIR    the project whose observers are known too (where you are)\n"
    "  --observers DIR  a folder of observers over all others\n"
    "  --json           {\"name\",\"on\",\"reason\"} of each, one a line\n"
    "\n"
    "Exit status: 0 off; 2 usage, or there is no such observer; 3 internal failure.\n";

// What was asked for.
typedef struct switching {
    const char *verb, *project, *observers, *state_dir;
    bool on, json;
    const char *const *names;
    size_t count;
} switching;

// ---- What is known, and what became of it

static int check_names(const switching *s) {
    peri_host *host;
    int status = peri_known_open(s->project, s->observers, &host);
    if (status < 0) return status == PERI_ENOMEM ? PERI_EXIT_INTERNAL : PERI_EXIT_USAGE;
    int code = PERI_EXIT_OK;
    for (size_t i = 0; i < s->count && code == PERI_EXIT_OK; i++) {
        peri_str name = peri_str_c(s->names[i]);
        if (!peri_known_has(host, name)) code = peri_known_deny(host, s->verb, name);
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
    int status = peri_known_open(s->project, s->observers, &host);
    if (status < 0) return status == PERI_ENOMEM ? PERI_EXIT_INTERNAL : PERI_EXIT_USAGE;
    int code = PERI_EXIT_OK;
    for (size_t i = 0; i < s->count; i++) {
        const peri_entry *entry = peri_known_find(host, peri_str_c(s->names[i]));
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
    int status = peri_switches_set(s->verb, s->names, s->count,
                                   s->on ? PERI_SWITCH_ON : PERI_SWITCH_OFF);
    if (status == PERI_OK && s->on) status = take_denials_back(s);
    if (status < 0) return status == PERI_ENOMEM ? PERI_EXIT_INTERNAL : PERI_EXIT_USAGE;
    return report(s);
}

static int run(int argc, char **argv, const char *help, bool on) {
    switching s = {.verb = argv[0], .project = ".", .on = on};
    const peri_option list[] = {{"--project", &s.project, NULL},
                                {"--observers", &s.observers, NULL},
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
