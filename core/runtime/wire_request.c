// Writing a run's request as one line (wire.h): the digest, the turn with its items, the
// observer's state and what became of its last word. Every text is cleaned before it is
// encoded; an input that cleaning would break as JSON goes out as text. Called by the command
// runtime.
#include "base/json.h"
#include "runtime/wire.h"

enum {
    ROOM_BYTES = 4 * 1024 * 1024,
    INPUT_MAX_DEPTH = 200, // deeper ones go out as text, so that the line can be read
};

typedef struct writer {
    peri_buf *out;
    const peri_wire_clean *clean;
    peri_buf room, whole; // reused: what cleaning made; both ends of a cut text
    peri_json_doc doc;
} writer;

static peri_str cleaned(writer *w, peri_str text) {
    if (!w->clean->fn || !text.len) return text;
    return w->clean->fn(w->clean->user, text, &w->room);
}

static void key(writer *w, const char *name) {
    char last = w->out->len ? w->out->ptr[w->out->len - 1] : '{';
    if (last != '{' && last != '[') peri_buf_add_byte(w->out, ',');
    peri_buf_add_byte(w->out, '"');
    peri_buf_add_c(w->out, name);
    peri_buf_add(w->out, PERI_STR("\":"));
}

// One of our own words.
static void put_word(writer *w, const char *name, peri_str word) {
    key(w, name);
    peri_json_add_string(w->out, word);
}

static void put_text(writer *w, const char *name, peri_str text) {
    if (text.ptr) put_word(w, name, cleaned(w, text));
}

static void put_number(writer *w, const char *name, int64_t number) {
    key(w, name);
    peri_buf_add_int(w->out, number);
}

static void put_flag(writer *w, const char *name, bool flag) {
    key(w, name);
    peri_buf_add_c(w->out, flag ? "true" : "false");
}

static void open_with(writer *w, const char *name, char bracket) {
    key(w, name);
    peri_buf_add_byte(w->out, bracket);
}

// An element of a list that is an object.
static void open_element(writer *w, bool first) {
    if (!first) peri_buf_add_byte(w->out, ',');
    peri_buf_add_byte(w->out, '{');
}

static void close_with(writer *w, char bracket) {
    peri_buf_add_byte(w->out, bracket);
}

// ---- Items

// Both ends of a text, with what is left out between them named.
static peri_str whole_text(writer *w, const peri_text *text) {
    if (!text->cut) return text->head;
    peri_buf_clear(&w->whole);
    peri_text_add(&w->whole, text);
    return peri_buf_str(&w->whole);
}

// The input as JSON, if it is there whole, or whole but for long strings.
static bool put_input(writer *w, const peri_item *item) {
    peri_str json = item->bounded.ptr ? item->bounded : item->text.head;
    if (item->text.cut && !item->bounded.ptr) return false;
    json = cleaned(w, json);
    if (!json.len || peri_json_parse(&w->doc, json) < 0 || w->doc.end != json.len) return false;
    key(w, "input");
    peri_buf_add(w->out, json);
    return true;
}

// Equal for equal content, also where the text itself is cut.
static uint64_t content_mark(const writer *w, const peri_item *item) {
    uint64_t mark = (item->hash ^ w->clean->key) * UINT64_C(0x9e3779b97f4a7c15);
    mark = (mark ^ mark >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return mark ^ mark >> 29;
}

static void put_mark(writer *w, uint64_t mark) {
    static const char digits[] = "0123456789abcdef";
    char hex[16];
    for (int i = 15; i >= 0; i--, mark >>= 4) hex[i] = digits[mark & 15];
    put_word(w, "content", peri_str_of(hex, sizeof hex));
}

static void put_item(writer *w, const peri_item *item, bool first) {
    open_element(w, first);
    put_word(w, "kind", peri_item_kind_word(item->kind));
    put_text(w, "name", item->name);
    put_text(w, "call_id", item->call_id);
    if (!peri_item_has_input(item) || !put_input(w, item)) {
        put_text(w, "text", whole_text(w, &item->text));
    }
    if (item->kind == PERI_ITEM_TOOL_RESULT) {
        put_flag(w, "is_error", item->is_error);
        if (item->exit_code != PERI_OBS_NO_EXIT) put_number(w, "exit_code", item->exit_code);
    }
    put_number(w, "seq", (int64_t)item->seq);
    put_number(w, "step", item->step);
    put_number(w, "turn", item->turn);
    put_mark(w, content_mark(w, item));
    close_with(w, '}');
}

static void put_items(writer *w, const char *name, const peri_item *const *items,
                      size_t count) {
    open_with(w, name, '[');
    for (size_t i = 0; i < count; i++) put_item(w, items[i], i == 0);
    close_with(w, ']');
}

// How many items of the turn's log stand before the new ones: both are stretches of one list.
static size_t earlier_count(const peri_turn *turn) {
    if (!turn->item_count) return turn->log_count;
    for (size_t i = 0; i < turn->log_count; i++) {
        if (turn->log[i] == turn->items[0]) return i;
    }
    return 0; // the new ones begin before this turn
}

// ---- The turn

static void put_usage(writer *w, const char *name, const peri_usage *usage) {
    open_with(w, name, '{');
    put_number(w, "input", usage->input);
    put_number(w, "cached", usage->cached);
    put_number(w, "cache_created", usage->cache_created);
    put_number(w, "output", usage->output);
    close_with(w, '}');
}

static void put_goal(writer *w, const peri_goal *goal) {
    if (!goal) return;
    open_with(w, "goal", '{');
    put_text(w, "text", goal->text);
    put_text(w, "check", goal->check);
    open_with(w, "items", '[');
    for (size_t i = 0; i < goal->item_count; i++) {
        open_element(w, i == 0);
        put_text(w, "text", goal->items[i].text);
        put_flag(w, "done", goal->items[i].done);
        close_with(w, '}');
    }
    close_with(w, ']');
    close_with(w, '}');
}

static void put_recall(writer *w, const char *name, const peri_recall *list, size_t count) {
    if (!count) return;
    open_with(w, name, '[');
    for (size_t i = 0; i < count; i++) {
        open_element(w, i == 0);
        put_text(w, "name", list[i].name);
        put_text(w, "description", list[i].description);
        put_text(w, "text", list[i].text);
        close_with(w, '}');
    }
    close_with(w, ']');
}

static void put_turn(writer *w, const peri_turn *turn) {
    open_with(w, "turn", '{');
    put_text(w, "session", turn->session);
    put_text(w, "agent", turn->agent);
    put_text(w, "agent_name", turn->agent_name);
    put_text(w, "cwd", turn->cwd);
    put_word(w, "trigger", peri_trigger_word(turn->trigger));
    put_number(w, "step", turn->step);
    put_number(w, "turn", turn->turn);
    put_flag(w, "ending", turn->ending);
    put_text(w, "last_user", turn->last_user);
    put_usage(w, "usage", &turn->usage);
    put_usage(w, "last_usage", &turn->last_usage);
    put_goal(w, turn->goal);
    put_recall(w, "memory", turn->memory, turn->memory_count);
    put_recall(w, "skills", turn->skills, turn->skill_count);
    put_number(w, "dropped", (int64_t)turn->dropped_count);
    put_items(w, "earlier", turn->log, earlier_count(turn));
    put_items(w, "items", turn->items, turn->item_count);
    close_with(w, '}');
}

static void put_last(writer *w, const peri_outcome *last) {
    if (!last->text.ptr && !last->verdict.ptr) return;
    open_with(w, "last", '{');
    put_text(w, "text", last->text);
    put_text(w, "fingerprint", last->fingerprint);
    put_text(w, "verdict", last->verdict);
    put_text(w, "lane", last->lane);
    put_text(w, "reason", last->reason);
    put_text(w, "state", last->state);
    close_with(w, '}');
}

void peri_wire_put_request(peri_buf *out, const peri_run_request *request, uint64_t run,
                           const peri_wire_clean *clean) {
    writer w = {.out = out, .clean = clean};
    peri_buf_init(&w.room, ROOM_BYTES);
    peri_buf_init(&w.whole, ROOM_BYTES);
    peri_json_doc_init(&w.doc);
    w.doc.max_depth = INPUT_MAX_DEPTH;
    peri_buf_add_byte(out, '{');
    put_number(&w, "run", (int64_t)run);
    put_word(&w, "observer", request->observer->name);
    if (request->observer->source_hash.ptr) {
        put_word(&w, "source_hash", request->observer->source_hash);
    }
    put_word(&w, "digest", request->digest); // cleaned when it was framed
    put_turn(&w, request->turn);
    if (request->saved_state.len) { // the observer's own words
        key(&w, "state");
        peri_buf_add(out, request->saved_state);
    }
    put_last(&w, &request->last);
    peri_buf_add_c(out, "}\n");
    peri_json_seal_line(out);
    peri_json_doc_deinit(&w.doc);
    peri_buf_deinit(&w.whole);
    peri_buf_deinit(&w.room);
}
