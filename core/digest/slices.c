// The document of an observer that asks for more than the activity (spec PI-4): sections in the
// order it lists them, each begun by a line of "=" one longer than any run of them in a body,
// so that no body can begin a section. What a section lacks is said in that line, never in the
// text. Called by digest.c.
#include <stdlib.h>

#include "digest/layout.h"

enum { LINE_BYTES = 160 }; // a delimiter line and a line end, without its run

typedef struct section {
    peri_slice slice;
    peri_buf body;
    const char *status; // NULL: complete
    size_t calls;       // tool_calls_this_turn: how many there were
} section;

bool peri__slices_wanted(const peri_observer *observer) {
    if (!observer) return false;
    for (uint32_t i = 0; i < observer->sees_count; i++) {
        if (observer->sees[i] != PERI_SLICE_ACTIVITY) return true;
    }
    return false;
}

// The last item of `kind`: of the undigested ones, which are newest, or of the turn.
static const peri_item *find_last(const peri_turn *turn, peri_item_kind kind) {
    for (size_t i = turn->item_count; i-- > 0;) {
        if (turn->items[i]->kind == kind) return turn->items[i];
    }
    for (size_t i = turn->log_count; i-- > 0;) {
        if (turn->log[i]->kind == kind) return turn->log[i];
    }
    return NULL;
}

static void write_message(peri_writer *w, section *s, const peri_text *text) {
    if (peri_text_absent(text)) {
        s->status = "unavailable";
        return;
    }
    if (!text->cut && peri_utf8_blank(text->head)) {
        s->status = "empty";
        return;
    }
    size_t cap = w->rules.cap[PERI_ITEM_USER_MESSAGE];
    if (cap > s->body.max / 5) cap = s->body.max / 5; // four bytes a unit, and the marker
    peri_clean body = peri_clean_body(&w->cleaner, text, cap);
    if (body.left_out) s->status = "truncated";
    peri_frame frame = peri__writer_frame(w, &s->body);
    peri_frame_text(&frame, body);
}

static void write_last(peri_writer *w, section *s, const peri_turn *turn, peri_item_kind kind) {
    const peri_item *item = find_last(turn, kind);
    peri_text text = item ? item->text : (peri_text){0};
    if (!item && kind == PERI_ITEM_USER_MESSAGE && turn->last_user.ptr) {
        text = peri_text_of(turn->last_user, (peri_text_caps){INT32_MAX, 0});
    }
    write_message(w, s, &text);
}

static int write_items(peri_writer *w, section *s, const peri_item *const *items, size_t count,
                       size_t *left_out) {
    peri_picked picked;
    int status = peri__picked_init(&picked, w, items, count, s->body.max);
    if (status == PERI_OK) peri__picked_write(&picked, w, &s->body);
    *left_out = picked.left_out;
    peri__picked_deinit(&picked);
    if (s->body.len == 0) s->status = "empty";
    if (*left_out) s->status = "truncated";
    return status;
}

static void write_skills(peri_writer *w, section *s, const peri_turn *turn) {
    const peri_item *item = find_last(turn, PERI_ITEM_SKILLS_DISCOVERED);
    if (!item) {
        s->status = "unavailable";
        return;
    }
    size_t cap = w->rules.cap[PERI_ITEM_USER_MESSAGE];
    peri__element_write(w, item, cap < s->body.max / 16 ? cap : s->body.max / 16, &s->body);
}

static int write_calls(peri_writer *w, section *s, const peri_turn *turn) {
    size_t left_out = 0;
    int status = peri__calls_write(w, turn, s->body.max, &s->body, &s->calls, &left_out);
    if (left_out || turn->log_dropped_count) s->status = "truncated";
    return status;
}

static int write_body(peri_writer *w, section *s, const peri_turn *turn, size_t *left_out) {
    size_t older = 0;
    switch (s->slice) {
    case PERI_SLICE_ACTIVITY:
        return write_items(w, s, turn->items, turn->item_count, left_out);
    case PERI_SLICE_TRANSCRIPT:
        return write_items(w, s, turn->log, turn->log_count, &older);
    case PERI_SLICE_LAST_USER_MESSAGE:
        write_last(w, s, turn, PERI_ITEM_USER_MESSAGE);
        return PERI_OK;
    case PERI_SLICE_LAST_ASSISTANT_MESSAGE:
        write_last(w, s, turn, PERI_ITEM_ASSISTANT_TEXT);
        return PERI_OK;
    case PERI_SLICE_TOOL_CALLS_THIS_TURN:
        return write_calls(w, s, turn);
    default:
        write_skills(w, s, turn);
        return PERI_OK;
    }
}

static size_t longest_run(peri_str text, size_t longest) {
    for (size_t at = peri_str_find_byte(text, '=', 0); at != PERI_NPOS;
         at = peri_str_find_byte(text, '=', at)) {
        size_t from = at;
        while (at < text.len && text.ptr[at] == '=') at++;
        if (at - from > longest) longest = at - from;
    }
    return longest;
}

static void write_line(peri_buf *out, size_t run, const section *s) {
    peri_buf_add_repeat(out, '=', run);
    peri_buf_add_byte(out, ' ');
    peri_buf_add(out, s ? peri_slice_word(s->slice) : PERI_STR("end"));
    if (s && s->slice == PERI_SLICE_TOOL_CALLS_THIS_TURN) {
        peri_buf_addf(out, " (%zu call%s%s%s)", s->calls, s->calls == 1 ? "" : "s",
                      s->status ? ", " : "", s->status ? s->status : "");
    } else if (s && s->status) {
        peri_buf_addf(out, " (%s)", s->status);
    }
}

static void write_sections(const section *sections, size_t count, peri_buf *out) {
    size_t run = 0;
    for (size_t i = 0; i < count; i++) run = longest_run(peri_buf_str(&sections[i].body), run);
    run++;
    peri_buf_addf(out, "A line that begins with exactly %zu \"=\" begins a section.\n\n", run);
    for (size_t i = 0; i < count; i++) {
        write_line(out, run, &sections[i]);
        peri_buf_add_byte(out, '\n');
        if (!sections[i].body.len) continue;
        peri_buf_add(out, peri_buf_str(&sections[i].body));
        peri_buf_add_byte(out, '\n');
    }
    write_line(out, run, NULL);
}

// What the observer asks for, each once, in its order.
static size_t list_sections(const peri_observer *observer, section *sections) {
    size_t count = 0;
    for (uint32_t i = 0; i < observer->sees_count && i < PERI_OBSERVER_MAX_SEES; i++) {
        size_t same = 0;
        while (same < count && sections[same].slice != observer->sees[i]) same++;
        if (same == count) sections[count++] = (section){.slice = observer->sees[i]};
    }
    return count;
}

// A run of "=" is at most as long as a body: where room is scarce, bodies are short.
static size_t limit_bodies(peri_writer *w, size_t max_bytes) {
    size_t cap = PERI_DIGEST_FIELD_CP < max_bytes / 32 ? PERI_DIGEST_FIELD_CP : max_bytes / 32;
    for (size_t i = 0; i < PERI_ITEM_KIND_COUNT; i++) {
        if (w->rules.cap[i] > cap) w->rules.cap[i] = cap;
    }
    return cap;
}

int peri__slices_write(peri_writer *writer, const peri_turn *turn,
                       const peri_observer *observer, size_t max_bytes, peri_buf *out,
                       size_t *left_out) {
    section sections[PERI_OBSERVER_MAX_SEES];
    size_t count = list_sections(observer, sections);
    size_t lines = (count + 1) * (limit_bodies(writer, max_bytes) + LINE_BYTES);
    if (lines >= max_bytes) return PERI_ELIMIT;
    size_t room = max_bytes - lines;
    int status = PERI_OK;
    for (size_t i = 0; i < count; i++) { // what one leaves over, the next ones may use
        peri_buf_init(&sections[i].body, room / (count - i));
        if (status == PERI_OK) status = write_body(writer, &sections[i], turn, left_out);
        if (status == PERI_OK) status = sections[i].body.status;
        room -= sections[i].body.len;
    }
    if (status == PERI_OK) write_sections(sections, count, out);
    for (size_t i = 0; i < count; i++) peri_buf_deinit(&sections[i].body);
    return status < 0 ? status : out->status;
}
