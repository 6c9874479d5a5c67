// Prints decisions in the order they fall, each with the words it is about, under a heading for
// each agent. Foreign text is shown as one line without control characters.
#include "timeline.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plain.h"

enum { TEXT_INDENT = 10, TEXT_LINES = 3, NAME_WIDTH = 13 };

static bool is(peri_str a, const char *b) {
    return a.len == strlen(b) && memcmp(a.ptr, b, a.len) == 0;
}

void timeline_init(timeline *t, FILE *out, bool json, bool quiet, bool live) {
    *t = (timeline){.out = out, .json = json, .quiet = quiet, .live = live};
    const char *none = getenv("NO_COLOR");
    t->colour = !json && isatty(fileno(out)) && !(none && none[0]);
}

void timeline_deinit(timeline *t) {
    for (size_t i = 0; i < TIMELINE_KEPT; i++) free(t->notes[i].text);
    free(t->session);
    free(t->agent);
}

static const char *paint(const timeline *t, const char *code) {
    return t->colour ? code : "";
}

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define GREEN "\033[32m"
#define YELLOW "\033[33m"
#define RED "\033[31m"
#define PLAIN "\033[0m"

static void print_words(const timeline *t, peri_str text) {
    plain_print_words(t->out, text, TEXT_INDENT, TEXT_LINES);
}

static timeline_note *note_of(timeline *t, peri_str id) {
    for (size_t i = 0; i < TIMELINE_KEPT; i++) {
        if (t->notes[i].text && is(id, t->notes[i].id)) return &t->notes[i];
    }
    return NULL;
}

static void keep_note(timeline *t, const peri_record *r) {
    timeline_note *note = &t->notes[t->note_count++ % TIMELINE_KEPT];
    free(note->text);
    note->text = strndup(r->text.ptr ? r->text.ptr : "", r->text.len);
    size_t len = r->id.len < sizeof note->id - 1 ? r->id.len : sizeof note->id - 1;
    memcpy(note->id, r->id.ptr, len);
    note->id[len] = '\0';
    note->step = r->step;
    t->proposals++;
}

static void heading(timeline *t, const peri_record *r) {
    bool same = t->session && t->agent && is(r->session, t->session) && is(r->agent, t->agent);
    if (same || !r->session.ptr) return;
    bool first = t->session == NULL;
    free(t->session);
    free(t->agent);
    t->session = strndup(r->session.ptr, r->session.len);
    t->agent = strndup(r->agent.ptr ? r->agent.ptr : "", r->agent.len);
    fprintf(t->out, "%s%ssession ", first ? "" : "\n", paint(t, BOLD));
    plain_print(t->out, r->session);
    fprintf(t->out, "%s\n", paint(t, PLAIN));
    if (is(r->agent, "main")) return;
    fputs("agent ", t->out);
    plain_print(t->out, r->agent);
    fputc('\n', t->out);
}

// "delivered to the agent", said as a person would.
static const char *lane_words(peri_str lane) {
    static const struct {
        const char *lane, *words;
    } known[] = {
        {"steer", "before the next model call"},
        {"prompt", "with the next prompt"},
        {"follow_up", "when the agent would stop"},
        {"hold", "holds the stop"},
        {"user", "to the user only"},
        {"log", "to the log only"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (is(lane, known[i].lane)) return known[i].words;
    }
    return "";
}

static const char *verdict_word(const peri_record *r) {
    if (is(r->state, "deliver")) return is(r->lane, "hold") ? "veto" : "deliver";
    return is(r->state, "defer") ? "defer" : "drop";
}

static const char *verdict_colour(const peri_record *r) {
    if (is(r->state, "deliver")) return is(r->lane, "hold") ? RED : GREEN;
    return is(r->state, "defer") ? YELLOW : DIM;
}

static peri_str text_of(const char *c) {
    return (peri_str){c, strlen(c)};
}

static size_t width_of(peri_str text) {
    size_t width = 0;
    for (size_t i = 0; i < text.len; i++) width += ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
    return width;
}

// Where it goes, or why it does not: behind the verdict if
// the line has room for it, else below.
static void print_verdict(timeline *t, const peri_record *r, const timeline_note *note) {
    static const char in_shadow[] = "in shadow, would ";
    const char *word = verdict_word(r);
    bool shadow = is(r->name, "shadow");
    peri_str to = is(r->state, "deliver") ? text_of(lane_words(r->lane)) : r->reason;
    char said[40] = "", why[1024];
    if (is(r->trigger, "released") && note)
        snprintf(said, sizeof said, ", said at step %llu", (unsigned long long)note->step);
    snprintf(why, sizeof why, "%.*s%s", (int)to.len, to.ptr, said);
    size_t name = r->observer.len < NAME_WIDTH ? NAME_WIDTH : r->observer.len;
    size_t width = TEXT_INDENT + name + 1 + (shadow ? sizeof in_shadow - 1 : 0) + strlen(word) +
                   2 + width_of(text_of(why)) + 3 + r->id.len;
    bool fits = width <= (size_t)plain_columns();
    fprintf(t->out, "step %3llu  %s%-*.*s%s ", (unsigned long long)r->step, paint(t, BOLD),
            NAME_WIDTH, (int)r->observer.len, r->observer.ptr, paint(t, PLAIN));
    if (shadow) fprintf(t->out, "%s%s%s", paint(t, DIM), in_shadow, paint(t, PLAIN));
    fprintf(t->out, "%s%s%s", paint(t, verdict_colour(r)), word, paint(t, PLAIN));
    if (fits) fputs(": ", t->out);
    if (fits) plain_print(t->out, text_of(why));
    fprintf(t->out, "   %s%.*s%s\n", paint(t, DIM), (int)r->id.len, r->id.ptr, paint(t, PLAIN));
    if (!fits) print_words(t, text_of(why));
    if (note) print_words(t, text_of(note->text));
}

static void print_summary(timeline *t, const peri_record *r) {
    if (!t->quiet && t->proposals) fputc('\n', t->out);
    fwrite(r->text.ptr, 1, r->text.len, t->out);
}

static void print_failure(timeline *t, const peri_record *r) {
    if (!is(r->state, "failed") && !is(r->state, "timeout")) return;
    heading(t, r);
    fprintf(t->out, "step %3llu  %-13.*s %s%.*s%s\n", (unsigned long long)r->step,
            (int)r->observer.len, r->observer.ptr, paint(t, RED), (int)r->state.len,
            r->state.ptr, paint(t, PLAIN));
    print_words(t, r->text);
}

static void print_human(timeline *t, const peri_record *r) {
    switch (r->kind) {
    case PERI_RECORD_PROPOSAL:
        keep_note(t, r);
        return;
    case PERI_RECORD_DECISION:
        heading(t, r);
        print_verdict(t, r, note_of(t, r->id));
        return;
    case PERI_RECORD_RUN:
        print_failure(t, r);
        return;
    case PERI_RECORD_PAIRING:
        if (!is(r->state, "disabled")) return;
        heading(t, r);
        fprintf(t->out, "step %3llu  %-13.*s disabled after three failures in a row\n",
                (unsigned long long)r->step, (int)r->observer.len, r->observer.ptr);
        return;
    case PERI_RECORD_SUMMARY:
        print_summary(t, r);
        return;
    default:
        return;
    }
}

void timeline_record(void *user, const peri_record *record) {
    timeline *t = user;
    if (t->broken) return;
    bool summary = record->kind == PERI_RECORD_SUMMARY;
    t->saw_summary |= summary;
    if (t->emit ? record->kind != PERI_RECORD_OBSERVATION : t->quiet && !summary) return;
    if (t->emit) {
        fwrite(record->event.ptr, 1, record->event.len, t->out);
        fputc('\n', t->out);
    } else if (t->json) {
        fwrite(record->json.ptr, 1, record->json.len, t->out);
        fputc('\n', t->out);
    } else {
        print_human(t, record);
    }
    if (t->live) fflush(t->out);
    t->broken = ferror(t->out) != 0;
}
