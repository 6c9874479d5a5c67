// The writer of scene.h. A scene says what was said and done, one entry a line; which step an
// entry belongs to follows from its order, and is marked only where it would not. Every text
// passes the scrubber, an input as a whole, too, since a secret may be known by its key.
#include "scene.h"

#include <string.h>

#include "base/json_tree.h"
#include "host/author.h"

enum { SCENE_MAX_BYTES = 16 * 1024 * 1024, ROOM_MAX_BYTES = 4 * 1024 * 1024, MAX_DEPTH = 64 };

void scene_init(scene *s, peri_host *host) {
    *s = (scene){.host = host};
    peri_buf_init(&s->text, SCENE_MAX_BYTES);
    peri_buf_init(&s->tail, ROOM_MAX_BYTES);
    peri_buf_init(&s->room, ROOM_MAX_BYTES);
}

void scene_deinit(scene *s) {
    peri_buf_deinit(&s->text);
    peri_buf_deinit(&s->tail);
    peri_buf_deinit(&s->room);
}

void scene_clear(scene *s) {
    peri_buf_clear(&s->text);
    peri_buf_clear(&s->tail);
    s->usage = (peri_usage){0};
    s->called = false;
    s->turn = 0;
    s->steps = 0;
}

// ---- Lua values

static void add_quoted(peri_buf *out, peri_str text) {
    peri_buf_add_byte(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c == '\n') {
            peri_buf_add_c(out, "\\n");
        } else if (c == '"' || c == '\\') {
            peri_buf_addf(out, "\\%c", c);
        } else if (c < 0x20 || c == 0x7f) {
            peri_buf_addf(out, "\\%03u", c);
        } else {
            peri_buf_add_byte(out, (char)c);
        }
    }
    peri_buf_add_byte(out, '"');
}

static void add_string(scene *s, peri_buf *out, peri_str text) {
    add_quoted(out, peri_host_scrub(s->host, text, &s->room));
}

static void add_text(scene *s, const peri_text *text) {
    if (!text->cut) {
        add_string(s, &s->text, text->head);
        return;
    }
    peri_buf whole;
    peri_buf_init(&whole, ROOM_MAX_BYTES);
    peri_text_add(&whole, text);
    add_string(s, &s->text, peri_buf_str(&whole));
    peri_buf_deinit(&whole);
}

static void add_value(scene *s, const peri_tree *value, int depth) {
    peri_buf *out = &s->text;
    peri_json_type type = peri_tree_type(value);
    if (type == PERI_JSON_STRING) {
        add_string(s, out, peri_tree_str(value));
    } else if (type == PERI_JSON_NUMBER) {
        peri_buf_add(out, peri_tree_str(value));
    } else if (type == PERI_JSON_BOOL) {
        peri_buf_add_c(out, peri_tree_is_true(value) ? "true" : "false");
    } else if ((type == PERI_JSON_OBJECT || type == PERI_JSON_ARRAY) && depth < MAX_DEPTH) {
        peri_buf_add_c(out, "{ ");
        for (const peri_tree *one = peri_tree_first(value); one; one = peri_tree_next(one)) {
            if (type == PERI_JSON_OBJECT) {
                peri_buf_add_byte(out, '[');
                add_string(s, out, peri_tree_key(one));
                peri_buf_add_c(out, "] = ");
            }
            add_value(s, one, depth + 1);
            peri_buf_add_c(out, ", ");
        }
        peri_buf_add_byte(out, '}');
    } else {
        peri_buf_add_c(out, "nil");
    }
}

// ---- Entries

// A tool call's input as Lua sees it: a table, or none where it was cut beyond use.
static void add_input(scene *s, const peri_item *call) {
    peri_str json = call->bounded.ptr ? call->bounded
                    : call->text.cut  ? (peri_str){0}
                                      : call->text.head;
    if (!json.len) return;
    peri_buf clean;
    peri_buf_init(&clean, ROOM_MAX_BYTES);
    peri_buf_add(&clean, peri_host_scrub(s->host, json, &s->room));
    peri_diag_list diags;
    peri_diag_list_init(&diags);
    peri_tree *tree = NULL;
    peri_buf_add_c(&s->text, ", input = ");
    if (peri_tree_parse(peri_buf_str(&clean), (peri_tree_limits){.max_bytes = ROOM_MAX_BYTES},
                        (peri_str){0}, &diags, NULL, &tree) == PERI_OK) {
        add_value(s, tree, 0);
    } else {
        add_string(s, &s->text, peri_buf_str(&clean));
    }
    peri_tree_free(tree);
    peri_diag_list_deinit(&diags);
    peri_buf_deinit(&clean);
}

static const peri_item *result_of(const peri_turn *turn, const peri_item *call) {
    for (size_t i = 0; i < turn->item_count && call->call_id.len; i++) {
        const peri_item *item = turn->items[i];
        if ((item->kind == PERI_ITEM_TOOL_RESULT || item->kind == PERI_ITEM_TOOL_DENIED) &&
            peri_str_eq(item->call_id, call->call_id))
            return item;
    }
    return NULL;
}

static void add_result(scene *s, const peri_item *result) {
    bool denied = result->kind == PERI_ITEM_TOOL_DENIED;
    peri_buf_add_c(&s->text, denied ? ", denied = " : ", result = ");
    add_text(s, &result->text);
    if (denied) return;
    if (result->is_error) peri_buf_add_c(&s->text, ", is_error = true");
    if (result->exit_code != PERI_OBS_NO_EXIT)
        peri_buf_addf(&s->text, ", exit_code = %d", (int)result->exit_code);
}

static int64_t context_of(const peri_usage *last) {
    int64_t beside = last->cached + last->cache_created;
    return (last->input > beside ? last->input : beside) + last->output;
}

static void add_usage(scene *s, const peri_turn *turn) {
    const peri_usage *now = &turn->usage;
    if (now->input == s->usage.input && now->output == s->usage.output &&
        now->cached == s->usage.cached && now->cache_created == s->usage.cache_created)
        return;
    s->usage = *now;
    peri_buf_addf(&s->text,
                  ",\n        usage = { input = %lld, cached = %lld, cache_created = %lld, "
                  "output = %lld, context = %lld }",
                  (long long)now->input, (long long)now->cached, (long long)now->cache_created,
                  (long long)now->output, (long long)context_of(&turn->last_usage));
}

/// What of the step was written already.
typedef struct step_so_far {
    bool spoke, called, asked;
} step_so_far;

// An answer's first part begins its step, the others belong to it.
static void add_marks(scene *s, const peri_turn *turn, step_so_far *step) {
    if (step->called) peri_buf_add_c(&s->text, ", parallel = true");
    if (step->spoke) return;
    if (s->steps && !s->called && !step->asked) peri_buf_add_c(&s->text, ", new_step = true");
    add_usage(s, turn);
    step->spoke = true;
}

// Said while it works: in the step that is open, or as the first of the next one.
static void add_steer(scene *s, const step_so_far *step) {
    peri_buf_add_c(&s->text, ", steer = true");
    if (!step->spoke && s->steps) peri_buf_add_c(&s->text, ", new_step = true");
}

static void add_item(scene *s, const peri_turn *turn, const peri_item *item,
                     step_so_far *step) {
    switch (item->kind) {
    case PERI_ITEM_USER_MESSAGE:
        if (s->steps == 0 && !step->asked) return; // stands at the head
        peri_buf_add_c(&s->text, "    { user = ");
        add_text(s, &item->text);
        if (turn->turn == s->last_turn || step->spoke) add_steer(s, step);
        step->asked = true;
        break;
    case PERI_ITEM_ASSISTANT_TEXT:
        peri_buf_add_c(&s->text, "    { text = ");
        add_text(s, &item->text);
        add_marks(s, turn, step);
        break;
    case PERI_ITEM_TOOL_CALL: {
        const peri_item *result = result_of(turn, item);
        peri_buf_add_c(&s->text, "    { call = ");
        add_string(s, &s->text, item->name);
        add_input(s, item);
        if (result) add_result(s, result);
        add_marks(s, turn, step);
        step->called = true;
        break;
    }
    case PERI_ITEM_NON_USER_MESSAGE:
        peri_buf_add_c(&s->text, "    { note = ");
        add_text(s, &item->text);
        peri_buf_add_c(&s->text, ", source = ");
        add_string(s, &s->text, item->name);
        break;
    default:
        return;
    }
    peri_buf_add_c(&s->text, " },\n");
}

static void add_field(scene *s, peri_buf *out, const char *key, peri_str text) {
    if (!text.ptr) return;
    peri_buf_addf(out, "    %s = ", key);
    add_string(s, out, text);
    peri_buf_add_c(out, ",\n");
}

static void add_goal(scene *s, const peri_goal *goal) {
    peri_buf *out = &s->tail;
    peri_buf_add_c(out, "    goal = { text = ");
    add_string(s, out, goal->text);
    if (goal->check.ptr) {
        peri_buf_add_c(out, ", check = ");
        add_string(s, out, goal->check);
    }
    peri_buf_add_c(out, ", items = { ");
    for (size_t i = 0; i < goal->item_count; i++) {
        peri_buf_add_c(out, "{ text = ");
        add_string(s, out, goal->items[i].text);
        peri_buf_addf(out, ", done = %s }, ", goal->items[i].done ? "true" : "false");
    }
    peri_buf_add_c(out, "} },\n");
}

void scene_add(scene *s, const peri_turn *turn) {
    if (!s->turn) {
        s->turn = turn->turn;
        add_field(s, &s->text, "user", turn->last_user);
        if (!turn->last_user.ptr) peri_buf_add_c(&s->text, "    user = false,\n");
        add_field(s, &s->text, "cwd", turn->cwd);
        add_field(s, &s->text, "agent_name", turn->agent_name);
    }
    step_so_far step = {0};
    for (size_t i = 0; i < turn->item_count; i++) add_item(s, turn, turn->items[i], &step);
    s->last_turn = turn->turn;
    if (step.spoke) {
        s->steps++;
        s->called = step.called;
    }
    peri_buf_clear(&s->tail);
    peri_buf_addf(&s->tail, "    ending = %s,\n", turn->ending ? "true" : "false");
    if (turn->goal) add_goal(s, turn->goal);
}

void scene_write(const scene *s, peri_str about, peri_buf *out) {
    peri_buf_addf(out, "-- %.*s\nreturn {\n", PERI_FMT(about));
    peri_buf_add(out, peri_buf_str(&s->text));
    peri_buf_add(out, peri_buf_str(&s->tail));
    peri_buf_add_c(out, "}\n");
}
