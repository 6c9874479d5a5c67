// `perilune promote NAME`: takes an observer out of shadow, if what it would have said so far
// bears it out. The switch is the user's own (switches.h); a project or a managed file that
// keeps it in shadow has the last word.
#include <stdio.h>
#include <stdlib.h>

#include "known.h"
#include "ledger/precision.h"
#include "stored.h"
#include "switches.h"

static const char verb[] = "promote";

// What an observer must have shown before it may speak to an agent.
enum { FLOOR_JUDGED = 20, FLOOR_FOLLOWED_PERCENT = 25, FLOOR_CONTRADICTED_PERCENT = 10 };

static const char help[] =
    "usage: perilune promote NAME [--project DIR] [--observers DIR] [--json]\n"
    "\n"
    "Takes an observer from `mode: shadow` to live, from the next start on, if of the\n"
    "notes that it would have delivered at least 20 were judged, at least 25 % of\n"
    "those were followed and at most 10 % contradicted. The numbers are those of\n"
    "`perilune precision NAME` for notes no agent was shown: of the live ledger, or\n"
    "of the last replay where that has judged more.\n"
    "\n"
    "  --project DIR    the project whose observers are known too (where you are)\n"
    "  --observers DIR  a folder of observers over all others\n"
    "  --json           {\"name\",\"live\",\"delivered\",\"judged\",\"followed\",\n"
    "                   \"contradicted\",\"missing\"}\n"
    "\n"
    "Exit status: 0 it is live; 1 the numbers do not do, or something keeps it in\n"
    "shadow; 2 usage, or there is no such observer; 3 internal failure.\n";

typedef struct promotion {
    const char *name, *project, *observers;
    bool json;
    peri_precision best; // of the ledger that has judged most
    peri_str missing;    // why not; absent: nothing is
    char room[160];
} promotion;

static void take(void *user, const peri_precision *p) {
    promotion *of = user;
    if (p->shown || !peri_str_eq(p->observer, peri_str_c(of->name))) return;
    if (peri_precision_judged(p) > peri_precision_judged(&of->best) || !of->best.delivered) {
        of->best = *p;
    }
}

static int read_numbers(promotion *of) {
    static const char *const places[] = {PERI_STORED_LIVE, PERI_STORED_REPLAY};
    for (size_t i = 0; i < 2; i++) {
        peri_ledger *ledger = NULL;
        int status = peri_stored_open(verb, NULL, places[i], &ledger);
        if (status == PERI_OK) status = peri_ledger_precision(ledger, take, of);
        peri_ledger_close(ledger);
        if (status == PERI_ENOMEM) return status;
    }
    return PERI_OK;
}

static void miss(promotion *of, const char *format, uint64_t is, int wanted) {
    int len = snprintf(of->room, sizeof of->room, format, (unsigned long long)is, wanted);
    of->missing = peri_str_of(of->room, (size_t)len);
}

static void judge(promotion *of) {
    uint64_t judged = peri_precision_judged(&of->best);
    if (judged < FLOOR_JUDGED) {
        miss(of,
             judged == 1 ? "%llu note was judged, %d are needed"
                         : "%llu notes were judged, %d are needed",
             judged, FLOOR_JUDGED);
    } else if (of->best.followed * 100 < judged * FLOOR_FOLLOWED_PERCENT) {
        miss(of, "%llu %% were followed, %d %% are needed", of->best.followed * 100 / judged,
             FLOOR_FOLLOWED_PERCENT);
    } else if (of->best.contradicted * 100 > judged * FLOOR_CONTRADICTED_PERCENT) {
        miss(of, "%llu %% were contradicted, %d %% are the most there may be",
             (of->best.contradicted * 100 + judged - 1) / judged, FLOOR_CONTRADICTED_PERCENT);
    }
}

// Whether it is in shadow now; an exit code, negative: it is.
static int look(const promotion *of) {
    peri_host *host;
    int status = peri_known_open(of->project, of->observers, &host);
    if (status < 0) return status == PERI_ENOMEM ? PERI_EXIT_INTERNAL : PERI_EXIT_USAGE;
    const peri_entry *entry = peri_known_find(host, peri_str_c(of->name));
    int code = -1;
    if (!entry) {
        code = peri_known_deny(host, verb, peri_str_c(of->name));
    } else if (!entry->observer->shadow) {
        code = PERI_EXIT_OK;
    }
    peri_host_free(host);
    return code;
}

static void tell(const promotion *of, bool live) {
    const peri_precision *p = &of->best;
    uint64_t judged = peri_precision_judged(p);
    if (of->json) {
        printf(
            "{\"name\":\"%s\",\"live\":%s,\"delivered\":%llu,\"judged\":%llu,\"followed\":%llu,"
            "\"contradicted\":%llu",
            of->name, live ? "true" : "false", (unsigned long long)p->delivered,
            (unsigned long long)judged, (unsigned long long)p->followed,
            (unsigned long long)p->contradicted);
        if (of->missing.ptr) printf(",\"missing\":\"%.*s\"", PERI_FMT(of->missing));
        puts("}");
        return;
    }
    printf("%s %s", of->name, live ? "is live" : "stays in shadow");
    if (of->missing.ptr) printf(": %.*s", PERI_FMT(of->missing));
    printf("\n  of %llu note%s %llu judged: %llu followed, %llu ignored, %llu contradicted\n",
           (unsigned long long)p->delivered, p->delivered == 1 ? "" : "s",
           (unsigned long long)judged, (unsigned long long)p->followed,
           (unsigned long long)p->ignored, (unsigned long long)p->contradicted);
}

static int promote(promotion *of) {
    int code = look(of);
    if (code == PERI_EXIT_OK) {
        if (of->json) {
            tell(of, true);
        } else {
            printf("%s is live already\n", of->name);
        }
    }
    if (code >= 0) return code;
    if (read_numbers(of) < 0) return PERI_EXIT_INTERNAL;
    judge(of);
    if (!of->missing.ptr) {
        const char *const names[] = {of->name};
        int status = peri_switches_set(verb, names, 1, PERI_SWITCH_LIVE);
        if (status < 0) return status == PERI_ENOMEM ? PERI_EXIT_INTERNAL : PERI_EXIT_USAGE;
        code = look(of);
        if (code > 0) return code;
        if (code < 0) of->missing = PERI_STR("a project's or a managed config keeps it there");
    }
    tell(of, !of->missing.ptr);
    return of->missing.ptr ? PERI_EXIT_NEGATIVE : PERI_EXIT_OK;
}

int cmd_promote(int argc, char **argv) {
    promotion of = {.project = "."};
    const peri_option known[] = {{"--project", &of.project, NULL},
                                 {"--observers", &of.observers, NULL},
                                 {"--json", NULL, &of.json},
                                 {NULL, NULL, NULL}};
    const char **names = calloc((size_t)argc, sizeof *names);
    if (!names) return PERI_EXIT_INTERNAL;
    size_t count;
    int code = peri_options_read(argc, argv, known, help, names, &count);
    if (code == PERI_EXIT_OK && count != 1) {
        fputs("perilune promote: name one observer; perilune observers lists them\n", stderr);
        code = PERI_EXIT_USAGE;
    }
    of.name = names[0];
    if (code == PERI_EXIT_OK) code = promote(&of);
    free(names);
    return code < 0 ? PERI_EXIT_OK : code;
}
