// Reading a request where a command is one of ours (`perilune worker`): the line becomes the
// turn it was made from, but for what cleaning took out. Called by host/worker.c.
#include "base/json.h"
#include "runtime/wire.h"

// What a request may hold beyond an ordinary document: up to a whole tap's inputs.
enum { REQUEST_MAX_NODES = 1 << 22 };

typedef struct reader {
    peri_arena *arena;
    bool failed; // memory ran out
} reader;

static peri_str get_text(reader *r, peri_json from, const char *name) {
    peri_json value = peri_json_get(from, peri_str_c(name));
    if (peri_json_type_of(value) != PERI_JSON_STRING) return (peri_str){0};
    peri_str text = peri_json_str(value, r->arena);
    if (!text.ptr) r->failed = true;
    return text;
}

static int64_t get_number(peri_json from, const char *name, int64_t otherwise) {
    int64_t number;
    if (peri_json_int(peri_json_get(from, peri_str_c(name)), &number) < 0) return otherwise;
    return number;
}

static bool get_flag(peri_json from, const char *name) {
    return peri_json_is_true(peri_json_get(from, peri_str_c(name)));
}

// `count` cleared things of `size` bytes; NULL also for none.
static void *new_list(reader *r, size_t count, size_t size) {
    void *list = count ? peri_arena_zero(r->arena, count * size) : NULL;
    if (count && !list) r->failed = true;
    return list;
}

// ---- Items

static peri_text text_of(peri_str whole) {
    return peri_text_of(whole, (peri_text_caps){UINT32_MAX, 0});
}

static uint64_t read_mark(peri_str hex) {
    uint64_t mark = 0;
    for (size_t i = 0; i < hex.len && i < 16; i++) {
        char c = hex.ptr[i];
        mark = mark << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return mark;
}

static peri_item_kind kind_of(peri_str word) {
    int kind = 0;
    while (kind < PERI_ITEM_KIND_COUNT &&
           !peri_str_eq(peri_item_kind_word((peri_item_kind)kind), word))
        kind++;
    return (peri_item_kind)kind;
}

static void read_item(reader *r, peri_json from, peri_item *item) {
    peri_json input = peri_json_get(from, PERI_STR("input"));
    bool has_input = peri_json_type_of(input) != PERI_JSON_ABSENT;
    *item = (peri_item){
        .kind = kind_of(get_text(r, from, "kind")),
        .is_error = get_flag(from, "is_error"),
        .exit_code = (int32_t)get_number(from, "exit_code", PERI_OBS_NO_EXIT),
        .step = (uint32_t)get_number(from, "step", 0),
        .turn = (uint32_t)get_number(from, "turn", 0),
        .seq = (uint64_t)get_number(from, "seq", 0),
        .hash = read_mark(get_text(r, from, "content")),
        .call_id = get_text(r, from, "call_id"),
        .name = get_text(r, from, "name"),
    };
    item->text = text_of(has_input ? peri_json_raw(input) : get_text(r, from, "text"));
    // Without its input it came as the text that is known of that: no JSON to be read.
    item->text.cut = peri_item_has_input(item) && !has_input;
}

// Appends the elements of `list` to `refs`; items of unknown kinds are left out.
static size_t read_items(reader *r, peri_json list, const peri_item **refs) {
    peri_item *items = new_list(r, peri_json_count(list), sizeof *items);
    size_t count = 0;
    for (peri_json_iter it = peri_json_begin(list); items && peri_json_more(&it);) {
        read_item(r, it.value, &items[count]);
        if (items[count].kind == PERI_ITEM_KIND_COUNT) continue;
        refs[count] = &items[count];
        count++;
    }
    return count;
}

// "earlier" and "items" stand behind each other, so that the turn's log is a stretch of both.
static void read_log(reader *r, peri_json from, peri_turn *turn) {
    peri_json earlier = peri_json_get(from, PERI_STR("earlier"));
    peri_json items = peri_json_get(from, PERI_STR("items"));
    size_t most = peri_json_count(earlier) + peri_json_count(items);
    const peri_item **refs = new_list(r, most, sizeof *refs);
    if (!refs) return;
    size_t before = read_items(r, earlier, refs);
    turn->items = refs + before;
    turn->item_count = read_items(r, items, refs + before);
    turn->log = refs;
    turn->log_count = before + turn->item_count;
    while (turn->log_count && turn->log[0]->turn < turn->turn) { // of the turn before
        turn->log++;
        turn->log_count--;
    }
}

// ---- The turn

static peri_usage read_usage(peri_json from) {
    return (peri_usage){
        .input = get_number(from, "input", 0),
        .cached = get_number(from, "cached", 0),
        .cache_created = get_number(from, "cache_created", 0),
        .output = get_number(from, "output", 0),
    };
}

static void read_goal(reader *r, peri_json from, peri_goal *goal) {
    peri_json list = peri_json_get(from, PERI_STR("items"));
    *goal = (peri_goal){.text = get_text(r, from, "text"), .check = get_text(r, from, "check")};
    peri_goal_item *items = new_list(r, peri_json_count(list), sizeof *items);
    for (peri_json_iter it = peri_json_begin(list); items && peri_json_more(&it);) {
        items[goal->item_count++] = (peri_goal_item){.text = get_text(r, it.value, "text"),
                                                     .done = get_flag(it.value, "done")};
    }
    goal->items = items;
}

static const peri_recall *read_recall(reader *r, peri_json list, size_t *count) {
    peri_recall *recall = new_list(r, peri_json_count(list), sizeof *recall);
    *count = 0;
    for (peri_json_iter it = peri_json_begin(list); recall && peri_json_more(&it);) {
        recall[(*count)++] = (peri_recall){.name = get_text(r, it.value, "name"),
                                           .description = get_text(r, it.value, "description"),
                                           .text = get_text(r, it.value, "text")};
    }
    return recall;
}

static void read_turn(reader *r, peri_json from, peri_wire_request *out) {
    peri_json goal = peri_json_get(from, PERI_STR("goal"));
    out->turn = (peri_turn){
        .session = get_text(r, from, "session"),
        .agent = get_text(r, from, "agent"),
        .agent_name = get_text(r, from, "agent_name"),
        .cwd = get_text(r, from, "cwd"),
        .trigger = peri_trigger_find(get_text(r, from, "trigger")),
        .step = (uint32_t)get_number(from, "step", 0),
        .turn = (uint32_t)get_number(from, "turn", 0),
        .dropped_count = (size_t)get_number(from, "dropped", 0),
        .last_user = get_text(r, from, "last_user"),
        .usage = read_usage(peri_json_get(from, PERI_STR("usage"))),
        .last_usage = read_usage(peri_json_get(from, PERI_STR("last_usage"))),
        .ending = get_flag(from, "ending"),
    };
    if (peri_json_type_of(goal) == PERI_JSON_OBJECT) {
        read_goal(r, goal, &out->goal);
        out->turn.goal = &out->goal;
    }
    out->turn.memory =
        read_recall(r, peri_json_get(from, PERI_STR("memory")), &out->turn.memory_count);
    out->turn.skills =
        read_recall(r, peri_json_get(from, PERI_STR("skills")), &out->turn.skill_count);
    read_log(r, from, &out->turn);
}

static peri_outcome read_last(reader *r, peri_json from) {
    return (peri_outcome){
        .text = get_text(r, from, "text"),
        .fingerprint = get_text(r, from, "fingerprint"),
        .verdict = get_text(r, from, "verdict"),
        .lane = get_text(r, from, "lane"),
        .reason = get_text(r, from, "reason"),
        .state = get_text(r, from, "state"),
    };
}

int peri_wire_read_request(peri_str line, peri_json_doc *doc, peri_arena *arena,
                           peri_wire_request *out) {
    reader r = {.arena = arena};
    doc->max_nodes = REQUEST_MAX_NODES;
    int status = peri_json_parse(doc, line);
    if (status < 0) return status;
    peri_json root = peri_json_root(doc);
    *out = (peri_wire_request){.run = (uint64_t)get_number(root, "run", 0)};
    out->observer.name = get_text(&r, root, "observer");
    out->observer.source_hash = get_text(&r, root, "source_hash");
    read_turn(&r, peri_json_get(root, PERI_STR("turn")), out);
    peri_json state = peri_json_get(root, PERI_STR("state"));
    out->request = (peri_run_request){
        .observer = &out->observer,
        .turn = &out->turn,
        .digest = get_text(&r, root, "digest"),
        .last = read_last(&r, peri_json_get(root, PERI_STR("last"))),
    };
    if (peri_json_type_of(state) == PERI_JSON_OBJECT) {
        out->request.saved_state = peri_json_raw(state);
    }
    if (r.failed) return PERI_ENOMEM;
    return doc->end == line.len && out->observer.name.len ? PERI_OK : PERI_EPARSE;
}
