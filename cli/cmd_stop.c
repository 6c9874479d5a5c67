// `perilune stop [OBSERVER]`: the user's stop, a tombstone in the ledger. Every pairing that is
// armed by now gets nothing more, in this host or the next one on the same ledger.
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "known.h"
#include "ledger/pairing_state.h"
#include "model/observer.h"
#include "session.h"

static const char help[] =
    "usage: perilune stop [options] [OBSERVER]\n"
    "\n"
    "Stops OBSERVER, or all of them, for every session that it watches now: it is\n"
    "shown nothing more of them, also after a restart. That cannot be taken back;\n"
    "sessions that begin later are watched as before. To switch an observer off for\n"
    "good, use perilune disable.\n"
    "\n"
    "  --state DIR  where ledger.db is\n"
    "  --json       one object\n"
    "\n"
    "Exit status: 0 stopped; 2 usage, no such observer, or the ledger cannot be\n"
    "written; 3 internal failure.\n";

static int stop(const char *path, const char *observer) {
    peri_ledger *ledger;
    const char *error = NULL;
    int status = peri_ledger_open(path, &(peri_ledger_options){0}, &ledger, &error);
    if (status < 0) {
        fprintf(stderr, "perilune stop: %s: %s\n", path, error);
        return PERI_EXIT_USAGE;
    }
    peri_clock clock = peri_clock_system();
    status = peri_ledger_stop(ledger, peri_str_c(observer ? observer : ""),
                              clock.wall_ms(clock.user));
    peri_ledger_close(ledger);
    if (status == PERI_OK) return PERI_EXIT_OK;
    fprintf(stderr, "perilune stop: %s: %s\n", path, peri_status_message(status));
    return status == PERI_ENOMEM ? PERI_EXIT_INTERNAL : PERI_EXIT_USAGE;
}

static void count(void *user, const peri_record *row) {
    (void)row;
    ++*(size_t *)user;
}

// A host may have been given a folder that is not known here: then the ledger knows the name.
static int check_name(const char *path, const char *observer) {
    peri_ledger *ledger = NULL;
    const char *error = NULL;
    peri_str name = peri_str_c(observer);
    size_t rows = 0;
    peri_ledger_options reading = {.read_only = true};
    if (peri_ledger_open(path, &reading, &ledger, &error) == PERI_OK) {
        (void)!peri_ledger_log(ledger, (peri_str){0}, name, 1, count, &rows);
    }
    peri_ledger_close(ledger);
    return rows ? PERI_EXIT_OK : peri_known_check("stop", name);
}

static void print_done(const char *observer, bool json) {
    if (json) {
        printf("{\"stopped\":%s%s%s}\n", observer ? "\"" : "", observer ? observer : "null",
               observer ? "\"" : "");
    } else {
        printf("stopped: %s, for the sessions that are watched now\n",
               observer ? observer : "all observers");
    }
}

int cmd_stop(int argc, char **argv) {
    session_options o = {0};
    const peri_option list[] = {
        {"--json", NULL, &o.json},
        {"--state", &o.state_dir, NULL},
        {NULL, NULL, NULL},
    };
    const char **words = calloc((size_t)argc, sizeof *words);
    if (!words) return PERI_EXIT_INTERNAL;
    size_t count;
    int code = peri_options_read(argc, argv, list, help, words, &count);
    const char *observer = code == PERI_EXIT_OK && count ? words[0] : NULL;
    if (code == PERI_EXIT_OK && count > 1) {
        fputs("perilune stop: one observer at a time, or none for all\n", stderr);
        code = PERI_EXIT_USAGE;
    } else if (observer && !peri_observer_name_ok(peri_str_c(observer))) {
        fprintf(stderr, "perilune stop: '%s' is no observer's name\n", observer);
        code = PERI_EXIT_USAGE;
    }
    char *path = session_state_path(&o, "ledger.db");
    if (code == PERI_EXIT_OK && !path) {
        fputs("perilune stop: no place for a ledger; set HOME, or give --state DIR\n", stderr);
        code = PERI_EXIT_USAGE;
    }
    if (code == PERI_EXIT_OK && observer) code = check_name(path, observer);
    if (code == PERI_EXIT_OK) code = stop(path, observer);
    if (code == PERI_EXIT_OK) print_done(observer, o.json);
    free(path);
    free(words);
    return code < 0 ? PERI_EXIT_OK : code;
}
