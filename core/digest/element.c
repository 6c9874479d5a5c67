// One item as one element. The tag names and attributes here are those of Claude Code's
// observers; the attributes that only `rich` has say what a reader would otherwise have to
// guess: which call a result belongs to, and that an open call is not the reader's to finish
// (cases C14, C21, C22, C23).
#include "base/json.h"
#include "digest/layout.h"

enum { SKILL_NAMES_CP = 2000, ENDING_CP = 300 };

static bool blank(const peri_item *item) {
    return !item->text.cut && peri_utf8_blank(item->text.head);
}

bool peri__element_shown(const peri_writer *writer, const peri_item *item) {
    if (peri__element_cap(writer, item) == 0) return false;
    switch (item->kind) {
    case PERI_ITEM_ASSISTANT_TEXT:
    case PERI_ITEM_USER_MESSAGE:
    case PERI_ITEM_NON_USER_MESSAGE:
        return !blank(item);
    case PERI_ITEM_TOOL_DENIED: // there the refusal is the text of an ordinary result
        if (writer->rules.rich) return true;
        return writer->rules.cap[PERI_ITEM_TOOL_RESULT] &&
               !peri_joins_find(writer->joins, item).result;
    default:
        return true;
    }
}

static peri_text text_of(peri_str s) {
    return peri_text_of(s, (peri_text_caps){INT32_MAX, 0});
}

static void name_attr(peri_writer *w, const peri_frame *f, const char *attr, peri_str name,
                      const char *fallback) {
    peri_frame_attr(f, attr, peri_clean_name(&w->cleaner, name, fallback));
}

static void text_attr(peri_writer *w, const peri_frame *f, const char *attr, peri_text text,
                      size_t cap) {
    peri_frame_attr(f, attr, peri_clean_attr(&w->cleaner, &text, cap));
}

static void id_attr(peri_writer *w, const peri_frame *f, const peri_item *item) {
    if (!item->call_id.len) return;
    text_attr(w, f, "id", text_of(item->call_id), PERI_CLEAN_NAME_BYTES);
}

static void call_attrs(peri_writer *w, const peri_frame *f, const peri_item *item) {
    id_attr(w, f, item);
    peri_join join = peri_joins_find(w->joins, item);
    if (join.denial) {
        peri_frame_mark(f, "state", "denied");
    } else if (!join.result) {
        bool ended = item->turn <= w->joins->ended_turn;
        peri_frame_mark(f, "state", ended ? "no result" : "in progress, not yours");
    }
}

static void result_attrs(peri_writer *w, const peri_frame *f, const peri_item *item) {
    id_attr(w, f, item);
    peri_join join = peri_joins_find(w->joins, item);
    peri_str tool = item->name.len || !join.call ? item->name : join.call->name;
    if (tool.len) name_attr(w, f, "tool", tool, "unknown");
    if (item->kind == PERI_ITEM_TOOL_DENIED) {
        peri_frame_mark(f, "denied", "true");
        return;
    }
    if (item->is_error) peri_frame_mark(f, "error", "true");
    if (item->exit_code != PERI_OBS_NO_EXIT) {
        peri_frame_attr(f, "exit", peri_clean_number(&w->cleaner, item->exit_code));
    }
    if (item->unpaired || !item->call_id.len) peri_frame_mark(f, "unpaired", "true");
}

static const char *tag_of(const peri_writer *w, peri_item_kind kind) {
    switch (kind) {
    case PERI_ITEM_TOOL_CALL:
        return "tool-call";
    case PERI_ITEM_TOOL_RESULT:
    case PERI_ITEM_TOOL_DENIED:
        return "tool-result";
    case PERI_ITEM_NON_USER_MESSAGE:
        return w->rules.machine_as_user ? "user-message" : "non-user-message";
    case PERI_ITEM_GUIDANCE_LOADED:
        return "guidance-loaded";
    case PERI_ITEM_SKILLS_DISCOVERED:
        return "skills-discovered";
    case PERI_ITEM_COORDINATOR_TASK:
        return "coordinator-task";
    case PERI_ITEM_TURN_ENDED:
        return "turn-ended";
    default:
        return "user-message";
    }
}

// Appends the strings of a JSON array, joined by ", "; false if `text` is none.
static bool add_names(peri_buf *out, peri_str text) {
    peri_json_doc doc;
    peri_arena arena;
    peri_json_doc_init(&doc);
    peri_arena_init(&arena, text.len + 1024);
    bool list = peri_json_parse(&doc, text) == PERI_OK &&
                peri_json_type_of(peri_json_root(&doc)) == PERI_JSON_ARRAY;
    if (list) {
        peri_json_iter it = peri_json_begin(peri_json_root(&doc));
        while (peri_json_more(&it)) {
            if (out->len) peri_buf_add_c(out, ", ");
            peri_buf_add(out, peri_json_str(it.value, &arena));
        }
    }
    peri_arena_deinit(&arena);
    peri_json_doc_deinit(&doc);
    return list;
}

// The names of skills: a JSON array as the stream had it, or plain text.
static void names_attr(peri_writer *w, const peri_frame *f, const peri_text *names,
                       size_t cap) {
    peri_buf list;
    peri_buf_init(&list, 2 * names->head.len + 1024);
    peri_text text = *names;
    if (!names->cut && add_names(&list, names->head)) text = text_of(peri_buf_str(&list));
    text_attr(w, f, "names", text, cap);
    peri_buf_deinit(&list);
}

static size_t lesser(size_t a, size_t b) {
    return a < b ? a : b;
}

static void attrs(peri_writer *w, const peri_frame *f, const peri_item *item, size_t cap) {
    switch (item->kind) {
    case PERI_ITEM_TOOL_CALL:
        name_attr(w, f, "name", item->name, "unknown");
        if (w->rules.rich) call_attrs(w, f, item);
        break;
    case PERI_ITEM_TOOL_RESULT:
    case PERI_ITEM_TOOL_DENIED:
        if (w->rules.rich) result_attrs(w, f, item);
        break;
    case PERI_ITEM_USER_MESSAGE: // only what was relayed names its source
        if (!item->name.len || w->rules.machine_as_user) break;
        name_attr(w, f, "source", item->name, "unknown");
        break;
    case PERI_ITEM_NON_USER_MESSAGE:
        if (w->rules.machine_as_user) break;
        name_attr(w, f, "source", item->name, "unattributed");
        break;
    case PERI_ITEM_GUIDANCE_LOADED:
        text_attr(w, f, "path", text_of(item->name), lesser(cap, PERI_CLEAN_PATH_CP));
        break;
    case PERI_ITEM_SKILLS_DISCOVERED:
        text_attr(w, f, "dir", text_of(item->name), lesser(cap, PERI_CLEAN_PATH_CP));
        names_attr(w, f, &item->text, lesser(cap, SKILL_NAMES_CP));
        break;
    case PERI_ITEM_TURN_ENDED:
        name_attr(w, f, "reason", item->name, "ended");
        if (w->rules.rich && !blank(item)) { // how it failed
            text_attr(w, f, "message", item->text, lesser(cap, ENDING_CP));
        }
        break;
    default:
        break;
    }
}

void peri__element_write(peri_writer *writer, const peri_item *item, size_t cap,
                         peri_buf *out) {
    peri_frame frame = peri__writer_frame(writer, out);
    if (item->kind == PERI_ITEM_ASSISTANT_TEXT) {
        peri_frame_text(&frame, peri_clean_bare(&writer->cleaner, &item->text, cap));
        return;
    }
    const char *tag = tag_of(writer, item->kind);
    peri_frame_open(&frame, tag);
    attrs(writer, &frame, item, cap);
    if (item->kind == PERI_ITEM_TURN_ENDED || item->kind == PERI_ITEM_SKILLS_DISCOVERED) {
        peri_frame_empty(&frame);
    } else {
        peri_frame_body(&frame, tag, peri_clean_body(&writer->cleaner, &item->text, cap));
    }
}
