// `perilune log`: what the ledger holds, newest last, one line a record under a heading for
// each session and agent.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "known.h"
#include "prose.h"
#include "stored.h"

enum {
    OUTPUT_MAX_BYTES = 256 * 1024 * 1024,
    LIMIT_DEFAULT = 50,
    LIMIT_MAX = 100000,
    TIME_COLUMNS = 12,
};

static const char verb[] = "log";

static const char help[] =
    "usage: perilune log [--replay | --ledger FILE] [--session ID] [--observer NAME]\n"
    "                    [--limit N] [--json]\n"
    "\n"
    "Lists what the live ledger holds, the newest record last: pairings, digests,\n"
    "runs, proposals, decisions, deliveries, usage, warnings and summaries.\n"
    "\n"
    "  --replay        the ledger of the last `perilune replay` instead\n"
    "  --ledger FILE   this ledger instead\n"
    "  --session ID    only records of this session\n"
    "  --observer NAME only records of this observer\n"
    "  --limit N       at most the N newest, 1 to 100000 (50 if not given)\n"
    "  --json          print the stored records, one a line\n"
    "\n"
    "Exit status: 0 listed, also where nothing matches; 2 usage, no such session or\n"
    "observer, or there is no ledger to read; 3 internal failure.\n";

typedef struct listing {
    const char *file; // --ledger
    bool replay, json;
    peri_str session, observer; // absent: all
    int64_t limit;
    peri_buf out;
    peri_buf heading; // of the rows listed last: "session S, agent A, DAY"
} listing;

static bool take_limit(listing *l, const char *text) {
    if (!text) return true;
    bool good = peri_str_int(peri_str_c(text), &l->limit) == PERI_OK && l->limit >= 1 &&
                l->limit <= LIMIT_MAX;
    if (!good)
        fprintf(stderr, "perilune log: --limit takes 1 to %d, not '%s'\n", LIMIT_MAX, text);
    return good;
}

// PERI_EXIT_OK, or the exit code to end with; -1 after --help.
static int parse(int argc, char **argv, listing *l) {
    const char *session = NULL, *observer = NULL, *limit = NULL;
    const peri_option options[] = {
        {"--replay", NULL, &l->replay},
        {"--ledger", &l->file, NULL},
        {"--session", &session, NULL},
        {"--observer", &observer, NULL},
        {"--limit", &limit, NULL},
        {"--json", NULL, &l->json},
        {0},
    };
    const char **words = calloc((size_t)argc, sizeof *words);
    if (!words) return PERI_EXIT_INTERNAL;
    size_t count;
    int code = peri_options_read(argc, argv, options, help, words, &count);
    free(words);
    if (code != PERI_EXIT_OK) return code;
    if (count || (l->file && l->replay)) {
        fputs(
            "perilune log: takes options only, and at most one place; see perilune log --help\n",
            stderr);
        return PERI_EXIT_USAGE;
    }
    if (session) l->session = peri_str_c(session);
    if (observer) l->observer = peri_str_c(observer);
    return take_limit(l, limit) ? PERI_EXIT_OK : PERI_EXIT_USAGE;
}

// A heading where the session, the agent or the day is another than before.
static void add_heading(listing *l, const peri_record *row) {
    peri_buf heading;
    peri_buf_init(&heading, 4096);
    peri_buf_add_c(&heading, row->session.len ? "session " : "no session");
    peri_prose_add_plain(&heading, row->session, 200);
    if (row->agent.len) peri_buf_add_c(&heading, ", agent ");
    peri_prose_add_plain(&heading, row->agent, 200);
    size_t before = heading.len;
    peri_buf_add_c(&heading, ", ");
    peri_prose_add_time(&heading, row->at_wall_ms);
    peri_buf_truncate(&heading, before + strlen(", 2026-12-01"));
    if (!peri_str_eq(peri_buf_str(&heading), peri_buf_str(&l->heading))) {
        if (l->out.len) peri_buf_add_byte(&l->out, '\n');
        peri_buf_add(&l->out, peri_buf_str(&heading));
        peri_buf_add_byte(&l->out, '\n');
    }
    peri_buf_deinit(&l->heading);
    l->heading = heading;
}

// "09:26:58"
static void add_clock(peri_buf *out, int64_t wall_ms) {
    peri_buf time;
    peri_buf_init(&time, 64);
    peri_prose_add_time(&time, wall_ms);
    peri_buf_add(out, peri_str_sub(peri_buf_str(&time), strlen("2026-12-01 "), time.len));
    peri_buf_deinit(&time);
}

static void add_row(void *user, const peri_record *row) {
    listing *l = user;
    if (l->json) {
        peri_stored_add_json(&l->out, row);
        return;
    }
    add_heading(l, row);
    peri_buf_add_c(&l->out, "  ");
    add_clock(&l->out, row->at_wall_ms);
    peri_buf_add_c(&l->out, "  ");
    peri_stored_add_line(&l->out, row, TIME_COLUMNS);
}

static int open_ledger(const listing *l, peri_ledger **out) {
    const char *name = l->replay ? PERI_STORED_REPLAY : PERI_STORED_LIVE;
    int status = peri_stored_open(verb, l->file, name, out);
    if (status == PERI_OK) return PERI_EXIT_OK;
    if (status != PERI_ENOENT) return PERI_EXIT_USAGE;
    if (l->replay) {
        fputs("perilune log: nothing was replayed yet. `perilune replay PATH...` does it.\n",
              stderr);
    } else {
        fputs("perilune log: there is no live ledger yet: `perilune run` makes one. The "
              "last replay's\nis listed with --replay.\n",
              stderr);
    }
    return PERI_EXIT_USAGE;
}

static void count(void *user, const peri_record *row) {
    (void)row;
    ++*(size_t *)user;
}

static bool holds(peri_ledger *ledger, peri_str session, peri_str observer) {
    size_t rows = 0;
    (void)!peri_ledger_log(ledger, session, observer, 1, count, &rows);
    return rows > 0;
}

// Nothing matched: a name that is nowhere is told, else there is just nothing.
static int tell_nothing(const listing *l, peri_ledger *ledger) {
    if (l->session.len && !holds(ledger, l->session, (peri_str){0})) {
        return peri_name_deny(verb, "session", l->session, NULL,
                              "without --session all of this ledger are listed");
    }
    if (l->observer.len && !holds(ledger, (peri_str){0}, l->observer)) {
        int code = peri_known_check(verb, l->observer);
        if (code != PERI_EXIT_OK) return code;
    }
    fputs("perilune log: no stored record matches\n", stderr);
    return PERI_EXIT_OK;
}

static int list(listing *l) {
    peri_ledger *ledger = NULL;
    int code = open_ledger(l, &ledger);
    if (code != PERI_EXIT_OK) return code;
    int status =
        peri_ledger_log(ledger, l->session, l->observer, (uint64_t)l->limit, add_row, l);
    if (status == PERI_OK && l->out.len == 0) code = tell_nothing(l, ledger);
    peri_ledger_close(ledger);
    if (status < 0) return peri_stored_fail(verb, status);
    return code == PERI_EXIT_OK ? peri_stored_print(verb, &l->out) : code;
}

int cmd_log(int argc, char **argv) {
    listing l = {.limit = LIMIT_DEFAULT};
    int code = parse(argc, argv, &l);
    if (code != PERI_EXIT_OK) return code < 0 ? PERI_EXIT_OK : code;
    peri_buf_init(&l.out, OUTPUT_MAX_BYTES);
    code = list(&l);
    peri_buf_deinit(&l.out);
    peri_buf_deinit(&l.heading);
    return code;
}
