// `perilune status`: one answer to "why is it silent?". Uses the public header alone.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "session.h"

static const char help[] =
    "usage: perilune status [options]\n"
    "\n"
    "Tells how each observer fares here: its state, since when, why, and what to do about it; how often\n"
    "it ran and what became of what it said. States: healthy, cooling down, out of budget, denied,\n"
    "stopped by user, disabled after failures, waiting for trust, failed to load, never triggered,\n"
    "format not recognised, off, replaced.\n"
    "\n"
    "  --json           one object, with the counters of the host\n"
    "  --config FILE    one more config.yaml over yours\n"
    "  --observers DIR  a folder of observers over all others\n"
    "  --managed FILE   one more managed file, which may only restrict\n"
    "  --project DIR    the project's folder (where you are)\n"
    "  --state DIR      where ledger.db and trust.jsonl are\n"
    "\n"
    "Exit status: 0 told; 2 usage; 3 internal failure.\n";

static void print_time(int64_t wall_ms) {
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm parts;
    char text[32];
    if (!wall_ms || !gmtime_r(&seconds, &parts)) return;
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
    printf(", since %s", text);
}

static void print_text(const char *lead, peri_str text) {
    if (text.len) printf("    %s %.*s\n", lead, (int)text.len, text.ptr);
}

static void print_state(void *user, const peri_observer_state *s) {
    (void)user;
    printf("%.*s: %.*s", (int)s->name.len, s->name.ptr, (int)s->state.len, s->state.ptr);
    print_time(s->since_wall_ms);
    printf("\n");
    print_text("why ", s->cause);
    print_text("next", s->next);
    if (!s->runs) return;
    printf("    ran  %llu times, failed %llu; proposed %llu, delivered %llu, dropped %llu\n",
           (unsigned long long)s->runs, (unsigned long long)s->failures,
           (unsigned long long)s->proposed, (unsigned long long)s->delivered,
           (unsigned long long)s->dropped);
    print_text("last dropped:", s->last_drop);
}

static int print_status(peri_host *host, bool json) {
    peri_str off = peri_host_switched_off(host), text;
    int status;
    if (json) {
        status = peri_host_status_json(host, &text);
        if (status >= 0) printf("%.*s\n", (int)text.len, text.ptr);
    } else {
        if (off.len) printf("observers are off: %.*s\n\n", (int)off.len, off.ptr);
        status = peri_host_observer_states(host, print_state, NULL);
    }
    return session_exit_code(status);
}

int cmd_status(int argc, char **argv) {
    session_options o = {.project = "."};
    const char *managed = NULL;
    const peri_option list[] = {
        {"--json", NULL, &o.json},
        {"--config", &o.config, NULL},
        {"--observers", &o.observers, NULL},
        {"--managed", &managed, NULL},
        {"--project", &o.project, NULL},
        {"--state", &o.state_dir, NULL},
        {NULL, NULL, NULL},
    };
    const char **words = calloc((size_t)argc, sizeof *words);
    if (!words) return PERI_EXIT_INTERNAL;
    size_t count;
    int code = peri_options_read(argc, argv, list, help, words, &count);
    if (code == PERI_EXIT_OK && count) {
        fputs("perilune status: takes options only; see perilune status --help\n", stderr);
        code = PERI_EXIT_USAGE;
    }
    free(words);
    char *ledger = session_state_path(&o, "ledger.db"),
         *trust = session_state_path(&o, "trust.jsonl");
    peri_host_options how = PERI_HOST_OPTIONS_INIT;
    if (code == PERI_EXIT_OK) code = session_host_options(&o, &how);
    how.ledger_path = ledger;
    how.trust_path = trust;
    how.managed_path = managed;
    peri_host *host = NULL;
    int status = code == PERI_EXIT_OK ? peri_host_new(&how, &host) : PERI_OK;
    if (status < 0) code = session_exit_code(status);
    if (host) code = print_status(host, o.json);
    peri_host_free(host);
    free(ledger);
    free(trust);
    return code < 0 ? PERI_EXIT_OK : code;
}
