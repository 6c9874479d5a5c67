// Is a piece of advice overtaken? Its evidence names calls of the agent; if one was made again
// since and came out differently, or its file was written again, the advice speaks of what is
// no more.
#include "base/json.h"
#include "host/run/run.h"

static const peri_item *cited_call(const peri_tap *tap, uint64_t seq) {
    for (size_t i = 0; i < tap->count; i++) {
        const peri_item *item = tap->items[i];
        if (item->seq != seq) continue;
        return item->kind == PERI_ITEM_TOOL_CALL
                   ? item
                   : peri_tap_find_call(tap, PERI_ITEM_TOOL_CALL, item->call_id);
    }
    return NULL;
}

static const peri_item *result_of(const peri_tap *tap, const peri_item *call) {
    return peri_tap_find_call(tap, PERI_ITEM_TOOL_RESULT, call->call_id);
}

static bool has_member(peri_json input, const char *const *keys) {
    for (; *keys; keys++) {
        if (peri_json_type_of(peri_json_get(input, peri_str_c(*keys))) != PERI_JSON_ABSENT)
            return true;
    }
    return false;
}

// The file that a call names, in the arena; `*writes` if it also says what to write there.
static peri_str file_of(const peri_item *call, peri_json_doc *doc, peri_arena *arena,
                        bool *writes) {
    static const char *const path_keys[] = {"file_path", "path",          "notebook_path",
                                            "filePath",  "absolute_path", NULL};
    static const char *const text_keys[] = {"content",    "new_string", "newText", "new_str",
                                            "new_source", "edits",      "patch",   NULL};
    peri_str json = call->bounded.ptr ? call->bounded : call->text.head;
    if (!json.len || peri_json_parse(doc, json) < 0) return (peri_str){0};
    peri_json input = peri_json_root(doc);
    *writes = has_member(input, text_keys);
    for (const char *const *key = path_keys; *key; key++) {
        peri_str path = peri_json_str(peri_json_get(input, peri_str_c(*key)), arena);
        if (path.len) return peri_arena_copy(arena, path);
    }
    return (peri_str){0};
}

static bool same_call(const peri_item *a, const peri_item *b) {
    return a->hash == b->hash && peri_str_eq(a->name, b->name);
}

// What a later `call` did to what was cited.
static bool changes(const peri_tap *tap, const peri_item *call, const peri_item *cited,
                    peri_str cited_file, peri_json_doc *doc, peri_arena *arena) {
    const peri_item *before = result_of(tap, cited), *after = result_of(tap, call);
    if (!after) return false;
    if (same_call(call, cited)) {
        return before && (after->hash != before->hash || after->is_error != before->is_error);
    }
    bool writes = false;
    if (!cited_file.len || after->is_error) return false;
    peri_str file = file_of(call, doc, arena, &writes);
    return writes && peri_str_eq(file, cited_file);
}

static bool is_changed(const peri_tap *tap, const peri_item *cited, uint32_t since_step) {
    peri_json_doc doc;
    peri_arena arena;
    peri_json_doc_init(&doc);
    peri_arena_init(&arena, 4 * (size_t)PERI_TAP_MAX_BYTES);
    bool writes, changed = false;
    peri_str file = file_of(cited, &doc, &arena, &writes);
    for (size_t i = 0; i < tap->count && !changed; i++) {
        const peri_item *call = tap->items[i];
        if (call->kind != PERI_ITEM_TOOL_CALL || call->step <= since_step) continue;
        changed = changes(tap, call, cited, file, &doc, &arena);
    }
    peri_arena_deinit(&arena);
    peri_json_doc_deinit(&doc);
    return changed;
}

bool host_overtaken(const host_agent *of, const peri_proposal *p) {
    for (uint32_t i = 0; i < p->evidence_count; i++) {
        const peri_item *cited = cited_call(&of->tap, p->evidence[i]);
        if (cited && is_changed(&of->tap, cited, p->step)) return true;
    }
    return false;
}
