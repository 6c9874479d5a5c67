// `perilune precision`: what agents did about each observer's notes, with what it is counted
// over. The rules are those of lua/perilune/precision.lua; the numbers are the ledger's.
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "known.h"
#include "ledger/precision.h"
#include "prose.h"
#include "stored.h"

static const char verb[] = "precision";

static const char help[] =
    "usage: perilune precision [--replay | --live | --ledger FILE] [--json] [NAME...]\n"
    "\n"
    "Tells of each observer how many notes went to an agent, and of how many it is\n"
    "known what the agent did in its next steps: followed, ignored, or contradicted\n"
    "(it was said, or turned out, that the note is wrong). Notes that no agent was\n"
    "shown, those of shadow observers and of replays, are counted apart: there\n"
    "\"followed\" means that the agent came to the same of its own accord. The rules\n"
    "are rules of thumb, the same for all; docs/reference/precision.md lists them.\n"
    "\n"
    "  --replay        the ledger of the last `perilune replay` only\n"
    "  --live          the live ledger only\n"
    "  --ledger FILE   this ledger only\n"
    "  --json          {\"ledger\",\"observer\",\"shown\",\"delivered\",\"judged\",\"followed\",\n"
    "                  \"ignored\",\"contradicted\"} of each, one a line\n"
    "\n"
    "Exit status: 0 told, also where there is nothing to tell; 2 usage, no such\n"
    "observer, or there is no ledger to read; 3 internal failure.\n";

enum { OUTPUT_MAX_BYTES = 1024 * 1024, NAME_COLUMNS = 16, SHARES_COLUMN = 4 };

typedef struct telling {
    const char *label; // of the ledger: live, replay, file
    const char *const *names;
    size_t name_count;
    bool *found; // of each name: a ledger tells of it
    bool json;
    int heading; // printed last: -1 none, else of `shown`
    peri_buf *out;
} telling;

static bool is_asked_for(telling *t, peri_str observer) {
    bool asked = t->name_count == 0;
    for (size_t i = 0; i < t->name_count; i++) {
        if (!peri_str_eq(observer, peri_str_c(t->names[i]))) continue;
        asked = t->found[i] = true;
    }
    return asked;
}

// A name that no ledger tells of may be that of an observer that said nothing yet.
static int check_names(const telling *t) {
    int code = PERI_EXIT_OK;
    for (size_t i = 0; i < t->name_count && code == PERI_EXIT_OK; i++) {
        if (!t->found[i]) code = peri_known_check(verb, peri_str_c(t->names[i]));
    }
    return code;
}

static void add_json(const telling *t, const peri_precision *p) {
    peri_buf_addf(t->out, "{\"ledger\":\"%s\",\"observer\":", t->label);
    peri_json_add_string(t->out, p->observer);
    peri_buf_addf(t->out,
                  ",\"shown\":%s,\"delivered\":%llu,\"judged\":%llu,\"followed\":%llu,"
                  "\"ignored\":%llu,\"contradicted\":%llu}\n",
                  p->shown ? "true" : "false", (unsigned long long)p->delivered,
                  (unsigned long long)peri_precision_judged(p), (unsigned long long)p->followed,
                  (unsigned long long)p->ignored, (unsigned long long)p->contradicted);
}

static void add_heading(telling *t, bool shown) {
    if (t->heading == (int)shown) return;
    if (t->out->len) peri_buf_add_byte(t->out, '\n');
    peri_buf_addf(t->out, "%s: %s\n", t->label,
                  shown ? "what agents did about the notes they were shown"
                        : "notes no agent was shown, and what it did of its own accord");
    t->heading = shown;
}

// "7 of 10 (70 %) followed"
static void add_part(peri_buf *out, uint64_t count, uint64_t of, const char *what) {
    peri_buf_addf(out, "%llu of %llu (%llu %%) %s", (unsigned long long)count,
                  (unsigned long long)of, (unsigned long long)((count * 100 + of / 2) / of),
                  what);
}

// The shares stand below the counts: a terminal has 80 columns.
static void add_shares(peri_buf *out, const peri_precision *p, uint64_t judged) {
    peri_buf_add_repeat(out, ' ', SHARES_COLUMN);
    size_t start = out->len;
    add_part(out, p->followed, judged, "followed, ");
    add_part(out, p->ignored, judged, "ignored, ");
    add_part(out, p->contradicted, judged, "contradicted");
    peri_prose_wrap(out, start, SHARES_COLUMN);
}

static void add_line(telling *t, const peri_precision *p) {
    uint64_t judged = peri_precision_judged(p);
    add_heading(t, p->shown);
    size_t start = t->out->len;
    peri_buf_add_c(t->out, "  ");
    peri_prose_add_plain(t->out, p->observer, NAME_COLUMNS * 4);
    size_t columns = peri_prose_columns(t->out, start);
    if (columns < NAME_COLUMNS + 2)
        peri_buf_add_repeat(t->out, ' ', NAME_COLUMNS + 2 - columns);
    peri_buf_addf(t->out, "  %llu %s, %llu judged\n", (unsigned long long)p->delivered,
                  p->shown ? "shown" : "not shown", (unsigned long long)judged);
    if (judged) add_shares(t->out, p, judged);
}

static void tell_one(void *user, const peri_precision *p) {
    telling *t = user;
    if (!is_asked_for(t, p->observer)) return;
    if (t->json) {
        add_json(t, p);
    } else {
        add_line(t, p);
    }
}

// Two passes, so that what was shown stands together.
typedef struct half {
    telling *to;
    bool shown;
} half;

static void tell_half(void *user, const peri_precision *p) {
    const half *h = user;
    if (p->shown == h->shown) tell_one(h->to, p);
}

static int tell(telling *t, peri_ledger *ledger) {
    int status = PERI_OK;
    t->heading = -1;
    for (int shown = 1; shown >= 0 && status == PERI_OK; shown--) {
        half h = {t, shown};
        status = peri_ledger_precision(ledger, tell_half, &h);
    }
    return status;
}

// Tells of one ledger. PERI_ENOENT if there is none.
static int tell_of(telling *t, const char *file, const char *name) {
    peri_ledger *ledger = NULL;
    int status = peri_stored_open(verb, file, name, &ledger);
    if (status == PERI_OK) status = tell(t, ledger);
    peri_ledger_close(ledger);
    return status;
}

static int tell_all(telling *t, const char *file, bool replay, bool live) {
    const struct {
        const char *label, *file, *name;
        bool wanted;
    } places[] = {
        {"file", file, NULL, file != NULL},
        {"live", NULL, PERI_STORED_LIVE, !file && !replay},
        {"replay", NULL, PERI_STORED_REPLAY, !file && !live},
    };
    size_t read = 0, told = 0;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (!places[i].wanted) continue;
        t->label = places[i].label;
        int status = tell_of(t, places[i].file, places[i].name);
        read += status == PERI_OK;
        told += status < 0 && status != PERI_ENOENT;
        if (status == PERI_ENOMEM) return peri_stored_fail(verb, status);
    }
    if (!read && told) return PERI_EXIT_USAGE;
    if (!read) {
        fputs(
            "perilune precision: there is no ledger yet; `perilune replay PATH...` makes one\n",
            stderr);
        return PERI_EXIT_USAGE;
    }
    int code = check_names(t);
    if (code != PERI_EXIT_OK) return code;
    if (!t->out->len && !t->json) peri_buf_add_c(t->out, "no notes yet\n");
    return peri_stored_print(verb, t->out);
}

int cmd_precision(int argc, char **argv) {
    const char *file = NULL;
    bool replay = false, live = false;
    telling t = {0};
    const peri_option known[] = {
        {"--replay", NULL, &replay}, {"--live", NULL, &live}, {"--ledger", &file, NULL},
        {"--json", NULL, &t.json},   {NULL, NULL, NULL},
    };
    const char **names = calloc((size_t)argc, sizeof *names);
    t.found = calloc((size_t)argc, sizeof *t.found);
    if (!names || !t.found) {
        free(names);
        free(t.found);
        return PERI_EXIT_INTERNAL;
    }
    int code = peri_options_read(argc, argv, known, help, names, &t.name_count);
    if (code == PERI_EXIT_OK && (file != NULL) + replay + live > 1) {
        fputs("perilune precision: give at most one place; see --help\n", stderr);
        code = PERI_EXIT_USAGE;
    }
    peri_buf out;
    peri_buf_init(&out, OUTPUT_MAX_BYTES);
    t.names = names;
    t.out = &out;
    if (code == PERI_EXIT_OK) code = tell_all(&t, file, replay, live);
    peri_buf_deinit(&out);
    free(names);
    free(t.found);
    return code < 0 ? PERI_EXIT_OK : code;
}
