// Telling one proposal's story (spec PE-5): who spoke, when, on the strength of what, what each
// policy said to it, and where it ended. The rows are records as the ledger kept them; the
// words here are for somebody who has never read the code.
#include "story.h"

#include <stdlib.h>

#include "plain.h"
#include "prose.h"
#include "reasons.h"

enum {
    INDENT = 10,
    TEXT_MAX_CP = 4096,
    SHORT_MAX_CP = 60,
    EXCERPT_LINES = 10,
};

void peri_story_init(peri_story *story) {
    *story = (peri_story){0};
    peri_arena_init(&story->arena, PERI_STORY_MAX_BYTES);
}

void peri_story_deinit(peri_story *story) {
    peri_arena_deinit(&story->arena);
    *story = (peri_story){0};
}

void peri_story_add(void *user, const peri_record *row) {
    peri_story *story = user;
    if (!story->rows) {
        story->rows =
            peri_arena_alloc(&story->arena, PERI_STORY_MAX_ROWS * sizeof *story->rows);
    }
    if (!story->rows || story->count == PERI_STORY_MAX_ROWS) {
        story->dropped_count++;
        return;
    }
    peri_record *copy = &story->rows[story->count++];
    *copy = *row;
    peri_str *const texts[] = {
        &copy->session, &copy->agent,    &copy->id,          &copy->observer, &copy->state,
        &copy->text,    &copy->reason,   &copy->lane,        &copy->policy,   &copy->nonce,
        &copy->name,    &copy->severity, &copy->fingerprint, &copy->call_id,  &copy->hash,
        &copy->file,    &copy->trigger,  &copy->json,
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        *texts[i] = peri_arena_copy(&story->arena, *texts[i]);
    }
}

static const peri_record *first_of(const peri_story *story, peri_record_kind kind) {
    for (size_t i = 0; i < story->count; i++) {
        if (story->rows[i].kind == kind) return &story->rows[i];
    }
    return NULL;
}

static const peri_record *last_of(const peri_story *story, peri_record_kind kind) {
    for (size_t i = story->count; i > 0; i--) {
        if (story->rows[i - 1].kind == kind) return &story->rows[i - 1];
    }
    return NULL;
}

typedef struct phrase {
    const char *word, *meaning;
} phrase;

// What `word` means; the word itself, made plain, where nobody has said.
static void add_meaning(peri_buf *out, peri_str word, const phrase *phrases) {
    for (; phrases->word; phrases++) {
        if (!peri_str_eq(word, peri_str_c(phrases->word))) continue;
        peri_buf_add_c(out, phrases->meaning);
        return;
    }
    peri_prose_add_plain(out, word.len ? word : PERI_STR("(not recorded)"), SHORT_MAX_CP);
}

static const phrase trigger_phrases[] = {
    {"before_agent_start", "when the user had asked for something"},
    {"tool_execution_end", "when a tool had run"},
    {"tool_denied", "when a tool had been refused"},
    {"turn_end", "when the step was done"},
    {"agent_settled", "when the agent had finished its turn"},
    {"session_end", "when the session had ended"},
    {"idle", "when nothing had happened for a while"},
    {NULL, NULL},
};

static const phrase kind_phrases[] = {
    {"advisory", "an advisory"},
    {"veto", "a veto"},
    {"report", "a report"},
    {NULL, NULL},
};

static const phrase severity_phrases[] = {
    {"nit", "a nit"},
    {"concern", "a concern"},
    {"blocker", "a blocker"},
    {NULL, NULL},
};

static const phrase lane_phrases[] = {
    {"steer", "before the agent's next model call"},
    {"prompt", "with the user's next prompt"},
    {"follow_up", "when the agent is about to stop"},
    {"hold", "in the way of the agent's stop"},
    {"user", "to the user only"},
    {"log", "to the log only"},
    {NULL, NULL},
};

static const phrase verdict_phrases[] = {
    {"deliver", "let it through"},
    {"defer", "put it off"},
    {"drop", "dropped it"},
    {NULL, NULL},
};

static const phrase delivery_phrases[] = {
    {"queued", "It waited for its moment"},
    {"handed", "It was handed to the agent"},
    {"seen", "The agent's own stream showed that it had arrived"},
    {"expired", "It was given up before it reached the agent"},
    {"would-deliver", "It would have gone out here; a replay delivers nothing, nor does a run "
                      "without a sink or an observer in shadow"},
    {"followed", "What the agent did next bears it out"},
    {"ignored", "The agent did nothing about it"},
    {"contradicted", "What came next speaks against it"},
    {NULL, NULL},
};

static const phrase delivered_endings[] = {
    {"queued", "is waiting to be handed to the agent"},
    {"handed", "was handed to the agent, which has not been seen to have it yet"},
    {"seen", "reached the agent"},
    {"expired", "was given up before it reached the agent"},
    {"would-deliver", "would have been delivered"},
    {NULL, NULL},
};

static const phrase decided_endings[] = {
    {"deliver", "was let through, but no delivery is recorded"},
    {"defer", "was put off and has not come back since"},
    {"drop", "was dropped"},
    {NULL, NULL},
};

// ": REASON." with one full stop, or just the full stop.
static void add_reason(peri_buf *out, peri_str reason) {
    reason = peri_str_trim(reason);
    if (peri_str_ends(reason, PERI_STR("."))) reason.len--;
    if (reason.len) peri_buf_add_c(out, ": ");
    peri_prose_add_plain(out, reason, TEXT_MAX_CP);
    peri_buf_add_byte(out, '.');
}

// One entry: its label (may be empty) and the sentence, wrapped beside it. Empties `sentence`.
static void add_entry(peri_buf *out, const char *label, peri_buf *sentence) {
    peri_buf_addf(out, "%-*s", INDENT, label);
    peri_prose_add_wrapped(out, peri_buf_str(sentence), INDENT);
    peri_buf_clear(sentence);
}

// What the agent did about a note is no part of its way there.
static bool is_verdict(const peri_record *row) {
    static const char *const words[] = {"followed", "ignored", "contradicted"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (peri_str_eq(row->state, peri_str_c(words[i]))) return true;
    }
    return false;
}

static const peri_record *last_delivery(const peri_story *story) {
    for (size_t i = story->count; i > 0; i--) {
        const peri_record *row = &story->rows[i - 1];
        if (row->kind == PERI_RECORD_DELIVERY && !is_verdict(row)) return row;
    }
    return NULL;
}

static void tell_headline(const peri_story *story, peri_buf *out, peri_str id) {
    const peri_record *delivery = last_delivery(story);
    const peri_record *decision = last_of(story, PERI_RECORD_DECISION);
    size_t start = out->len;
    peri_buf_add_c(out, "Proposal ");
    peri_prose_add_plain(out, id, SHORT_MAX_CP);
    peri_buf_add_byte(out, ' ');
    if (delivery && (!decision || delivery > decision)) {
        add_meaning(out, delivery->state, delivered_endings);
    } else if (decision) {
        add_meaning(out, decision->state, decided_endings);
    } else {
        peri_buf_add_c(out, "has no decision yet");
    }
    peri_buf_add_byte(out, '.');
    peri_prose_wrap(out, start, 0);
    peri_buf_add_byte(out, '\n');
}

static void tell_who(peri_buf *out, const peri_record *p, peri_buf *line) {
    peri_prose_add_plain(line, p->observer, SHORT_MAX_CP);
    if (peri_str_eq(p->agent, PERI_STR("main"))) {
        peri_buf_add_c(line, ", watching the main agent of session ");
    } else {
        peri_buf_add_c(line, ", watching agent ");
        peri_prose_add_plain(line, p->agent, SHORT_MAX_CP);
        peri_buf_add_c(line, " of session ");
    }
    peri_prose_add_plain(line, p->session, SHORT_MAX_CP);
    peri_buf_add_byte(line, '.');
    add_entry(out, "Who", line);
}

static void tell_when(peri_buf *out, const peri_record *p, const peri_record *run,
                      peri_buf *line) {
    peri_buf_addf(line, "Step %llu of turn %llu, ", (unsigned long long)p->step,
                  (unsigned long long)p->turn);
    if (run && run->trigger.len) {
        add_meaning(line, run->trigger, trigger_phrases);
        peri_buf_add_c(line, ", ");
    }
    peri_buf_add_c(line, "at ");
    peri_prose_add_time(line, p->at_wall_ms);
    peri_buf_add_c(line, " UTC.");
    add_entry(out, "When", line);
}

static peri_str take_line(peri_str *text) {
    size_t end = peri_str_find_byte(*text, '\n', 0);
    peri_str line = peri_str_sub(*text, 0, end == PERI_NPOS ? text->len : end);
    *text = peri_str_sub(*text, line.len + 1, text->len);
    return line;
}

static void add_excerpt(peri_buf *out, peri_str text) {
    size_t shown = 0, more = 0;
    size_t room = (size_t)plain_columns() - (INDENT + 2) - 1; // the mark of a cut is one more
    while (text.len) {
        peri_str line = take_line(&text);
        if (peri_str_trim(line).len == 0) continue;
        if (shown == EXCERPT_LINES) {
            more++;
            continue;
        }
        peri_buf_add_repeat(out, ' ', INDENT + 2);
        peri_prose_add_plain(out, line, room);
        peri_buf_add_byte(out, '\n');
        shown++;
    }
    if (!more) return;
    peri_buf_add_repeat(out, ' ', INDENT);
    peri_buf_addf(out, "and %zu more line%s are kept of it.\n", more, more == 1 ? "" : "s");
}

static void tell_seen(peri_buf *out, const peri_record *digest, peri_buf *line) {
    peri_prose_add_number(line, digest->count);
    peri_buf_add_c(line, " bytes of what the agent had done, as digest ");
    peri_prose_add_plain(line, digest->id, SHORT_MAX_CP);
    peri_buf_add_c(line, digest->text.len ? ":" : ".");
    add_entry(out, "Saw", line);
    add_excerpt(out, digest->text);
}

static void tell_said(peri_buf *out, const peri_record *p, peri_buf *line) {
    add_meaning(line, p->state, kind_phrases);
    if (line->len && line->ptr[0] == 'a') line->ptr[0] = 'A';
    if (p->severity.len) {
        peri_buf_add_c(line, ", ");
        add_meaning(line, p->severity, severity_phrases);
    }
    peri_buf_add_byte(line, ':');
    add_entry(out, "Said", line);
    peri_prose_add_plain(line, p->text, TEXT_MAX_CP);
    peri_buf_add_repeat(out, ' ', INDENT + 2);
    peri_prose_add_wrapped(out, peri_buf_str(line), INDENT + 2);
    peri_buf_clear(line);
}

static void tell_decision(peri_buf *out, const char *label, const peri_record *row,
                          peri_buf *line) {
    bool core = peri_str_eq(row->policy, PERI_STR("core")) || row->policy.len == 0;
    peri_buf_add_c(line, core ? "The core " : "The policy ");
    if (!core) peri_prose_add_plain(line, row->policy, SHORT_MAX_CP);
    if (!core) peri_buf_add_byte(line, ' ');
    add_meaning(line, row->state, verdict_phrases);
    bool passes = peri_str_eq(row->state, PERI_STR("deliver"));
    if (passes && row->lane.len) {
        peri_buf_add_c(line, ", ");
        add_meaning(line, row->lane, lane_phrases);
    }
    add_reason(line, row->reason);
    peri_str meaning = peri_reason_meaning(row->reason);
    if (meaning.len) peri_buf_addf(line, " %.*s", PERI_FMT(meaning));
    add_entry(out, label, line);
}

static void tell_delivery(peri_buf *out, const char *label, const peri_record *row,
                          peri_buf *line) {
    bool unshown = is_verdict(row) && peri_str_eq(row->trigger, PERI_STR("would-deliver"));
    add_meaning(line, row->state, delivery_phrases);
    if (unshown) peri_buf_add_c(line, " (it was never shown to the agent)");
    add_reason(line, row->reason);
    peri_buf_add_c(line, " (");
    peri_prose_add_time(line, row->at_wall_ms);
    peri_buf_add_byte(line, ')');
    add_entry(out, label, line);
}

void peri_story_tell(const peri_story *story, peri_buf *out) {
    const peri_record *p = first_of(story, PERI_RECORD_PROPOSAL);
    const peri_record *digest = first_of(story, PERI_RECORD_DIGEST);
    peri_buf line;
    peri_buf_init(&line, PERI_STORY_MAX_BYTES);
    if (story->count) tell_headline(story, out, story->rows[story->count - 1].id);
    if (p) tell_who(out, p, &line);
    if (p) tell_when(out, p, first_of(story, PERI_RECORD_RUN), &line);
    if (digest) tell_seen(out, digest, &line);
    if (p) tell_said(out, p, &line);
    const char *label = "Decided";
    for (size_t i = 0; i < story->count; i++) {
        if (story->rows[i].kind != PERI_RECORD_DECISION) continue;
        tell_decision(out, label, &story->rows[i], &line);
        label = "";
    }
    label = "Then";
    for (size_t i = 0; i < story->count; i++) {
        if (story->rows[i].kind != PERI_RECORD_DELIVERY) continue;
        tell_delivery(out, label, &story->rows[i], &line);
        label = "";
    }
    if (story->dropped_count) {
        peri_buf_addf(out, "\n%zu more rows are left out.\n", story->dropped_count);
    }
    if (line.status != PERI_OK && out->status == PERI_OK) out->status = line.status;
    peri_buf_deinit(&line);
}

// ---- What was no proposal

static const phrase run_endings[] = {
    {"silent", "had nothing to say"},
    {"proposed", "proposed something"},
    {"skipped", "was not needed"},
    {"failed", "failed"},
    {"timeout", "ran out of time"},
    {"no-runtime", "could not take place here"},
    {"lost", "was begun anew"},
    {"abandoned", "was broken off"},
    {NULL, NULL},
};

static const phrase run_meanings[] = {
    {"silent", "It looked, and nothing that it speaks of was there: the normal answer."},
    {"proposed", "`perilune log` lists the proposal below this run; explain that one."},
    {"skipped", "Its wake() saw no reason to run it, so nothing was spent."},
    {"failed", "Three failures in a row disable it for the session; `perilune status` tells."},
    {"timeout", "It counts as a failure: three in a row disable it for the session."},
    {"no-runtime", "What would run it, such as a model, is not here. That is no failure."},
    {"lost", "What it was to go on from was gone, so it was shown the same anew."},
    {"abandoned", "The host ended, or the observer was stopped, before it had answered."},
    {NULL, NULL},
};

static const phrase pairing_meanings[] = {
    {"armed", "It was shown what the agent did from then on"},
    {"denied",
     "The gate said no; `perilune gate` tells by which rule, `perilune enable` has it "
     "judged anew"},
    {"retired", "Its agent had ended"},
    {"stopped", "The user stopped it, for this session for good"},
    {"disabled", "It had failed too often in a row, for this session"},
    {NULL, NULL},
};

static void tell_of(peri_buf *out, const char *what, const peri_record *row,
                    const phrase *endings) {
    size_t start = out->len;
    peri_buf_add_c(out, what);
    peri_prose_add_plain(out, row->id, SHORT_MAX_CP);
    peri_buf_add_c(out, " of ");
    peri_prose_add_plain(out, row->observer, SHORT_MAX_CP);
    peri_buf_add_byte(out, ' ');
    add_meaning(out, row->state, endings);
    peri_buf_add_byte(out, '.');
    peri_prose_wrap(out, start, 0);
    peri_buf_add_byte(out, '\n');
}

static void tell_run(const peri_story *story, peri_buf *out, const peri_record *run,
                     peri_buf *line) {
    const peri_record *digest = first_of(story, PERI_RECORD_DIGEST);
    tell_of(out, "Run ", run, run_endings);
    tell_who(out, run, line);
    tell_when(out, run, run, line);
    if (digest) tell_seen(out, digest, line);
    if (run->text.len) {
        peri_prose_add_plain(line, run->text, TEXT_MAX_CP);
        add_entry(out, "Error", line);
    }
    add_meaning(line, run->state, run_meanings);
    add_entry(out, "Then", line);
}

// The client's words for what `pairing_meanings` says in a person's.
static bool says_no_more(peri_str reason) {
    return peri_str_eq(reason, PERI_STR("agent_observer_stop")) ||
           peri_str_eq(reason, PERI_STR("observerStopped"));
}

static void tell_pairing(const peri_story *story, peri_buf *out, const peri_record *last,
                         peri_buf *line) {
    static const phrase endings[] = {
        {"armed", "is armed"},     {"denied", "is denied"},     {"retired", "has retired"},
        {"stopped", "is stopped"}, {"disabled", "is disabled"}, {NULL, NULL},
    };
    const char *label = "Then";
    tell_of(out, "Pairing ", last, endings);
    tell_who(out, last, line);
    for (size_t i = 0; i < story->count; i++) {
        const peri_record *row = &story->rows[i];
        if (row->kind != PERI_RECORD_PAIRING) continue;
        add_meaning(line, row->state, pairing_meanings);
        add_reason(line, says_no_more(row->reason) ? (peri_str){0} : row->reason);
        peri_buf_add_c(line, " (");
        peri_prose_add_time(line, row->at_wall_ms);
        peri_buf_add_byte(line, ')');
        add_entry(out, label, line);
        label = "";
    }
}

void peri_story_tell_other(const peri_story *story, peri_buf *out) {
    const peri_record *run = last_of(story, PERI_RECORD_RUN);
    const peri_record *pairing = last_of(story, PERI_RECORD_PAIRING);
    peri_buf line;
    peri_buf_init(&line, PERI_STORY_MAX_BYTES);
    if (run) {
        tell_run(story, out, run, &line);
    } else if (pairing) {
        tell_pairing(story, out, pairing, &line);
    } else if (story->count) {
        peri_buf_add_c(out, "A digest, whose run is not recorded yet.\n");
        tell_seen(out, &story->rows[0], &line);
    }
    if (line.status != PERI_OK && out->status == PERI_OK) out->status = line.status;
    peri_buf_deinit(&line);
}
