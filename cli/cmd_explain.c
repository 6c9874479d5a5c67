// `perilune explain ID`: why a proposal, a run or a pairing ended so. Looks in the last
// replay's ledger, in that of its other side if it was a backtest, and in the live one, since
// the person who asks has an id in hand and need not know which of them it came from.
#include <stdio.h>
#include <stdlib.h>

#include "prose.h"
#include "stored.h"
#include "story.h"

enum { OUTPUT_MAX_BYTES = 32 * 1024 * 1024, NEWEST = 5 };

static const char verb[] = "explain";

static const char help[] =
    "usage: perilune explain [--replay | --against | --live | --ledger FILE] [--json]\n"
    "                        ID\n"
    "\n"
    "Tells the story of one proposal: which observer made it, what it had seen, what\n"
    "it said, what each policy decided and what became of it. ID may be cut to its\n"
    "first characters, four at least, as long as they name one proposal. The ID of a\n"
    "run or a pairing, as `perilune log` lists them, tells why nothing came of it.\n"
    "\n"
    "  --replay        look in the ledger of the last `perilune replay` only\n"
    "  --against       look at the other side of the last `perilune replay --against`\n"
    "                  only\n"
    "  --live          look in the live ledger only\n"
    "  --ledger FILE   look in this ledger only\n"
    "  --json          print the stored records, one a line\n"
    "\n"
    "Exit status: 0 told; 1 no such proposal; 2 usage, several proposals match, or\n"
    "there is no ledger to read; 3 internal failure.\n";

typedef struct place {
    const char *label, *option;
    const char *file, *name; // as peri_stored_open() takes them
    peri_ledger *ledger;     // NULL: there is none
} place;

typedef struct question {
    peri_str id;
    bool json;
    place places[3]; // in the order in which they are asked
    size_t place_count;
} question;

/// Which places were asked for; none of them: all but `file`.
typedef struct wish {
    bool replay, against, live;
    const char *file;
} wish;

static void choose_places(question *q, const wish *w) {
    static const place of_replay = {"the last replay", "--replay", NULL, PERI_STORED_REPLAY,
                                    NULL};
    static const place of_against = {"the other side of the last backtest", "--against", NULL,
                                     PERI_STORED_AGAINST, NULL};
    static const place of_live = {"the live ledger", "--live", NULL, PERI_STORED_LIVE, NULL};
    bool all = !w->replay && !w->against && !w->live && !w->file;
    if (w->replay || all) q->places[q->place_count++] = of_replay;
    if (w->against || all) q->places[q->place_count++] = of_against;
    if (w->live || all) q->places[q->place_count++] = of_live;
    if (w->file) {
        q->places[q->place_count++] = (place){"that ledger", "--ledger", w->file, NULL, NULL};
    }
}

// PERI_EXIT_OK, or the exit code to end with; -1 after --help.
static int parse(int argc, char **argv, question *q) {
    wish w = {0};
    const peri_option options[] = {
        {"--replay", NULL, &w.replay}, {"--against", NULL, &w.against},
        {"--live", NULL, &w.live},     {"--ledger", &w.file, NULL},
        {"--json", NULL, &q->json},    {0},
    };
    const char **words = calloc((size_t)argc, sizeof *words);
    if (!words) return PERI_EXIT_INTERNAL;
    size_t count;
    int code = peri_options_read(argc, argv, options, help, words, &count);
    bool one = count == 1 && (w.file != NULL) + w.replay + w.against + w.live <= 1;
    if (code == PERI_EXIT_OK && !one) {
        fputs(
            "perilune explain: give one ID and at most one place; see perilune explain --help\n",
            stderr);
        code = PERI_EXIT_USAGE;
    }
    if (code == PERI_EXIT_OK) {
        q->id = peri_str_c(words[0]);
        choose_places(q, &w);
    }
    free(words);
    return code;
}

// PERI_EXIT_OK if there is a ledger to ask; the reason is told otherwise.
static int open_places(question *q) {
    size_t opened = 0, unreadable = 0;
    for (size_t i = 0; i < q->place_count; i++) {
        place *at = &q->places[i];
        int status = peri_stored_open(verb, at->file, at->name, &at->ledger);
        opened += status == PERI_OK;
        unreadable += status < 0 && status != PERI_ENOENT;
    }
    if (opened) return PERI_EXIT_OK;
    if (!unreadable) {
        fputs(
            "perilune explain: there is no ledger yet. `perilune replay PATH...` makes one of "
            "your recorded\nsessions, `perilune run` one of live sessions.\n",
            stderr);
    }
    return PERI_EXIT_USAGE;
}

static void ignore(void *user, const peri_record *row) {
    (void)user;
    (void)row;
}

static bool knows(const place *at, peri_str id) {
    return at->ledger && peri_ledger_explain(at->ledger, id, ignore, NULL) == PERI_OK;
}

static void add_others(const question *q, peri_str id, size_t from, peri_buf *out) {
    for (size_t i = from + 1; i < q->place_count; i++) {
        const place *other = &q->places[i];
        if (!knows(other, id)) continue;
        peri_buf_add_byte(out, '\n');
        size_t start = out->len;
        peri_buf_addf(out, "This is from %s. %s tells what %s knows of it.",
                      q->places[from].label, other->option, other->label);
        peri_prose_wrap(out, start, 0);
    }
}

static int tell(const question *q, const peri_story *story, size_t from) {
    peri_buf out;
    peri_buf_init(&out, OUTPUT_MAX_BYTES);
    for (size_t i = 0; q->json && i < story->count; i++) {
        peri_stored_add_json(&out, &story->rows[i]);
    }
    if (!q->json) {
        peri_story_tell(story, &out);
        if (story->count) add_others(q, story->rows[story->count - 1].id, from, &out);
    }
    int code = peri_stored_print(verb, &out);
    peri_buf_deinit(&out);
    return code;
}

static void add_proposal(void *user, const peri_record *row) {
    peri_buf_add_c(user, "  ");
    peri_stored_add_line(user, row, 2);
}

static int name_candidates(const question *q, const peri_story *story) {
    peri_buf out;
    peri_buf_init(&out, OUTPUT_MAX_BYTES);
    for (size_t i = 0; i < story->count; i++) add_proposal(&out, &story->rows[i]);
    fprintf(stderr, "perilune explain: more than one begins with %.*s:\n%s", PERI_FMT(q->id),
            peri_buf_c(&out));
    peri_buf_deinit(&out);
    return PERI_EXIT_USAGE;
}

static void name_newest(const place *at) {
    peri_buf out;
    peri_buf_init(&out, OUTPUT_MAX_BYTES);
    uint64_t total = 0;
    int status = peri_ledger_proposals(at->ledger, NEWEST, &total, add_proposal, &out);
    if (status < 0) {
        (void)peri_stored_fail(verb, status);
    } else if (total == 0) {
        fprintf(stderr, "There is no proposal in %s.\n", at->label);
    } else {
        fprintf(stderr, "In %s, %llu proposal%s; the newest:\n%s", at->label,
                (unsigned long long)total, total == 1 ? "" : "s", peri_buf_c(&out));
    }
    peri_buf_deinit(&out);
}

static int admit_ignorance(const question *q) {
    fprintf(stderr, "perilune explain: nothing is known as %.*s.\n", PERI_FMT(q->id));
    if (q->id.len < PERI_LEDGER_PREFIX_MIN) {
        fprintf(stderr, "An id can be cut, but to no less than %d characters.\n",
                PERI_LEDGER_PREFIX_MIN);
    }
    for (size_t i = 0; i < q->place_count; i++) {
        if (q->places[i].ledger) name_newest(&q->places[i]);
    }
    return PERI_EXIT_NEGATIVE;
}

static int find_proposal(const place *at, peri_str id, peri_story *story) {
    return peri_ledger_explain(at->ledger, id, peri_story_add, story);
}

// ---- A run or a pairing

typedef struct search {
    peri_str id;
    peri_story *story;
    bool several;
} search;

static void take_other(void *user, const peri_record *row) {
    search *s = user;
    bool kind = row->kind == PERI_RECORD_RUN || row->kind == PERI_RECORD_DIGEST ||
                row->kind == PERI_RECORD_PAIRING;
    if (!kind || !peri_str_starts(row->id, s->id)) return;
    s->several |= s->story->count && !peri_str_eq(s->story->rows[0].id, row->id);
    peri_story_add(s->story, row);
}

// Looks through all of the ledger, once nothing else is known
// by the id. PERI_ENOENT if nothing is.
static int find_other(const place *at, peri_str id, peri_story *story) {
    search s = {id, story, false};
    if (id.len < PERI_LEDGER_PREFIX_MIN) return PERI_ENOENT;
    int status =
        peri_ledger_log(at->ledger, (peri_str){0}, (peri_str){0}, INT64_MAX, take_other, &s);
    if (status < 0) return status;
    return s.several ? PERI_EDUP : story->count ? PERI_OK : PERI_ENOENT;
}

static int tell_other(const question *q, const peri_story *story, size_t from) {
    (void)from;
    peri_buf out;
    peri_buf_init(&out, OUTPUT_MAX_BYTES);
    for (size_t i = 0; q->json && i < story->count; i++) {
        peri_stored_add_json(&out, &story->rows[i]);
    }
    if (!q->json) peri_story_tell_other(story, &out);
    int code = peri_stored_print(verb, &out);
    peri_buf_deinit(&out);
    return code;
}

typedef int (*find_fn)(const place *at, peri_str id, peri_story *story);
typedef int (*tell_fn)(const question *q, const peri_story *story, size_t from);

// Asks one ledger after the other. False if none knows the id.
static bool answered(const question *q, find_fn find, tell_fn told, int *code) {
    int status = PERI_ENOENT;
    for (size_t i = 0; i < q->place_count && status == PERI_ENOENT; i++) {
        if (!q->places[i].ledger) continue;
        peri_story story;
        peri_story_init(&story);
        status = find(&q->places[i], q->id, &story);
        if (status == PERI_OK) {
            *code = told(q, &story, i);
        } else if (status == PERI_EDUP) {
            *code = name_candidates(q, &story);
        } else if (status != PERI_ENOENT) {
            *code = peri_stored_fail(verb, status);
        }
        peri_story_deinit(&story);
    }
    return status != PERI_ENOENT;
}

static int answer(const question *q) {
    int code;
    if (answered(q, find_proposal, tell, &code)) return code;
    return answered(q, find_other, tell_other, &code) ? code : admit_ignorance(q);
}

int cmd_explain(int argc, char **argv) {
    question q = {0};
    int code = parse(argc, argv, &q);
    if (code != PERI_EXIT_OK) return code < 0 ? PERI_EXIT_OK : code;
    code = open_places(&q);
    if (code == PERI_EXIT_OK) code = answer(&q);
    for (size_t i = 0; i < q.place_count; i++) peri_ledger_close(q.places[i].ledger);
    return code;
}
