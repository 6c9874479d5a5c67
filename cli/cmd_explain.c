// `perilune explain ID`: why one proposal ended as it did. Looks in the last replay's ledger
// and in the live one, since the person who asks has an id in hand and need not know which of
// both it came from.
#include <getopt.h>
#include <stdio.h>

#include "stored.h"
#include "story.h"

enum { OUTPUT_MAX_BYTES = 32 * 1024 * 1024, NEWEST = 5 };

static const char verb[] = "explain";

static const char help[] =
    "Usage: perilune explain [--replay | --live | --ledger FILE] [--json] ID\n"
    "\n"
    "Tells the story of one proposal: which observer made it, what it had seen, what it said,\n"
    "what each policy decided and what became of it. ID may be cut to its first characters,\n"
    "four at least, as long as they name one proposal.\n"
    "\n"
    "  --replay        look in the ledger of the last `perilune replay` only\n"
    "  --live          look in the live ledger only\n"
    "  --ledger FILE   look in this ledger only\n"
    "  --json          print the stored records, one a line\n"
    "  --help          print this\n"
    "\n"
    "Exit status: 0 told; 1 no such proposal; 2 usage, several proposals match, or there is no\n"
    "ledger to read; 3 internal failure.\n";

typedef struct place {
    const char *label;
    const char *file, *name; // as peri_stored_open() takes them
    peri_ledger *ledger;     // NULL: there is none
} place;

typedef struct question {
    peri_str id;
    bool json;
    place places[2]; // in the order in which they are asked
    size_t place_count;
} question;

static void choose_places(question *q, const char *file, bool replay, bool live) {
    static const place of_replay = {"The last replay", NULL, PERI_STORED_REPLAY, NULL};
    static const place of_live = {"The live ledger", NULL, PERI_STORED_LIVE, NULL};
    if (file) {
        q->places[q->place_count++] = (place){"That ledger", file, NULL, NULL};
        return;
    }
    if (!live) q->places[q->place_count++] = of_replay;
    if (!replay) q->places[q->place_count++] = of_live;
}

// An exit code, or -1 to go on.
static int parse(int argc, char **argv, question *q) {
    static const struct option options[] = {
        {"replay", no_argument, NULL, 'r'},       {"live", no_argument, NULL, 'l'},
        {"ledger", required_argument, NULL, 'f'}, {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0},
    };
    bool replay = false, live = false;
    const char *file = NULL;
    optind = 0; // main() or a test may have used getopt before
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'h') return fputs(help, stdout) < 0 ? PERI_EXIT_INTERNAL : PERI_EXIT_OK;
        if (option == 'r') replay = true;
        if (option == 'l') live = true;
        if (option == 'f') file = optarg;
        if (option == 'j') q->json = true;
        if (option != '?') continue;
        fprintf(stderr, "perilune explain: %s is not understood; see --help\n",
                argv[optind - 1]);
        return PERI_EXIT_USAGE;
    }
    if (argc - optind != 1 || (file != NULL) + replay + live > 1) {
        fputs("perilune explain: give one ID and at most one place; see --help\n", stderr);
        return PERI_EXIT_USAGE;
    }
    q->id = peri_str_c(argv[optind]);
    choose_places(q, file, replay, live);
    return -1;
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
            "your recorded\nsessions, `perilune watch AGENT` one of live sessions.\n",
            stderr);
    }
    return PERI_EXIT_USAGE;
}

static void ignore(void *user, const peri_record *row) {
    (void)user;
    (void)row;
}

static int tell(const question *q, const peri_story *story, size_t from) {
    const place *other = from + 1 < q->place_count ? &q->places[from + 1] : NULL;
    peri_buf out;
    peri_buf_init(&out, OUTPUT_MAX_BYTES);
    for (size_t i = 0; q->json && i < story->count; i++) {
        peri_stored_add_json(&out, &story->rows[i]);
    }
    if (!q->json) peri_story_tell(story, &out);
    if (!q->json && other && other->ledger && story->count &&
        peri_ledger_explain(other->ledger, story->rows[story->count - 1].id, ignore, NULL) ==
            PERI_OK) {
        peri_buf_add_c(&out,
                       "\nThis is from the last replay. The live ledger knows this id too: "
                       "--live tells that story.\n");
    }
    int code = peri_stored_print(verb, &out);
    peri_buf_deinit(&out);
    return code;
}

static void add_proposal(void *user, const peri_record *row) {
    peri_buf_add_c(user, "  ");
    peri_stored_add_line(user, row);
}

static int name_candidates(const question *q, const peri_story *story) {
    peri_buf out;
    peri_buf_init(&out, OUTPUT_MAX_BYTES);
    for (size_t i = 0; i < story->count; i++) add_proposal(&out, &story->rows[i]);
    fprintf(stderr, "perilune explain: more than one proposal begins with %.*s:\n%s",
            PERI_FMT(q->id), peri_buf_c(&out));
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
        fprintf(stderr, "%s holds no proposals.\n", at->label);
    } else {
        fprintf(stderr, "%s holds %llu proposal%s; the newest:\n%s", at->label,
                (unsigned long long)total, total == 1 ? "" : "s", peri_buf_c(&out));
    }
    peri_buf_deinit(&out);
}

static int admit_ignorance(const question *q) {
    fprintf(stderr, "perilune explain: no proposal is known as %.*s.\n", PERI_FMT(q->id));
    if (q->id.len < PERI_LEDGER_PREFIX_MIN) {
        fprintf(stderr, "An id can be cut, but to no less than %d characters.\n",
                PERI_LEDGER_PREFIX_MIN);
    }
    for (size_t i = 0; i < q->place_count; i++) {
        if (q->places[i].ledger) name_newest(&q->places[i]);
    }
    return PERI_EXIT_NEGATIVE;
}

static int answer(const question *q) {
    for (size_t i = 0; i < q->place_count; i++) {
        if (!q->places[i].ledger) continue;
        peri_story story;
        peri_story_init(&story);
        int status = peri_ledger_explain(q->places[i].ledger, q->id, peri_story_add, &story);
        int code = PERI_EXIT_OK;
        if (status == PERI_OK) {
            code = tell(q, &story, i);
        } else if (status == PERI_EDUP) {
            code = name_candidates(q, &story);
        } else if (status != PERI_ENOENT) {
            code = peri_stored_fail(verb, status);
        }
        peri_story_deinit(&story);
        if (status != PERI_ENOENT) return code;
    }
    return admit_ignorance(q);
}

int cmd_explain(int argc, char **argv) {
    question q = {0};
    int code = parse(argc, argv, &q);
    if (code >= 0) return code;
    code = open_places(&q);
    if (code == PERI_EXIT_OK) code = answer(&q);
    for (size_t i = 0; i < q.place_count; i++) peri_ledger_close(q.places[i].ledger);
    return code;
}
