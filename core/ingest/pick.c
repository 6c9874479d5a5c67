// Finding the value of an assignment, and cutting numbers and names out of texts that some
// formats bury them in ("Exit code 2", JSON inside a string).
#include "ingest/pick.h"

#include "ingest/content.h"
#include "ingest/match.h"

peri_json peri_pick_find(const peri_rule_pick *pick, const peri_rule_scope *scope) {
    for (size_t i = 0; i < pick->any_count; i++) {
        if (peri_tests_hold(pick->any[i].tests, pick->any[i].test_count, scope)) {
            return pick->yes;
        }
    }
    for (size_t i = 0; i < pick->path_count; i++) {
        peri_json v = peri_rule_find(&pick->paths[i], scope);
        if (peri_json_type_of(v) > PERI_JSON_NULL) return v;
    }
    return pick->constant;
}

// What stands between `begin` and `end` (or the text's end); absent if `begin` is not there.
static peri_str between(peri_str text, peri_str begin, peri_str end) {
    size_t at = peri_str_find(text, begin);
    if (at == PERI_NPOS) return (peri_str){0};
    text = peri_str_sub(text, at + begin.len, text.len);
    return end.len ? peri_str_sub(text, 0, peri_str_find(text, end)) : text;
}

// What stands behind `after` at the text's start.
static peri_str behind(peri_str text, peri_str after) {
    if (!peri_str_starts(text, after)) return (peri_str){0};
    return peri_str_sub(text, after.len, text.len);
}

// A short string without escapes, as nearly all ids are: as it lies.
static bool is_plain(const peri_rule_pick *pick, peri_json v) {
    const peri_json_node *node = peri_json_node_of(v);
    return node && node->type == PERI_JSON_STRING && !(node->flags & PERI_JSON_ESCAPED) &&
           node->len <= PERI_PICK_TEXT_CP && !pick->prefix.len && !pick->after.ptr &&
           !pick->begin.ptr;
}

static peri_str cut_out(const peri_rule_pick *pick, peri_json v, peri_arena *arena) {
    peri_text_caps caps = {PERI_PICK_TEXT_CP, 0};
    peri_str text = peri_content_text(v, caps, arena).head;
    if (pick->after.ptr) return behind(text, pick->after);
    if (pick->begin.ptr) return between(text, pick->begin, pick->end);
    return text;
}

static peri_str prefixed(peri_str prefix, peri_str text, peri_arena *arena) {
    if (!prefix.len || !text.ptr) return text;
    char *ptr = peri_arena_alloc(arena, prefix.len + text.len);
    if (!ptr) return (peri_str){0};
    memcpy(ptr, prefix.ptr, prefix.len);
    memcpy(ptr + prefix.len, text.ptr, text.len);
    return (peri_str){ptr, prefix.len + text.len};
}

peri_str peri_pick_text(const peri_rule_pick *pick, peri_json v, peri_arena *arena) {
    if (is_plain(pick, v)) return peri_json_raw(v);
    return prefixed(pick->prefix, cut_out(pick, v, arena), arena);
}

peri_str peri_pick_joined(const peri_rule_pick *pick, const peri_rule_scope *scope,
                          peri_arena *arena) {
    peri_str joined = {0};
    for (size_t i = 0; i < pick->path_count; i++) {
        peri_json v = peri_rule_find(&pick->paths[i], scope);
        peri_text_caps caps = {PERI_PICK_TEXT_CP, 0};
        peri_str text = peri_content_text(v, caps, arena).head;
        if (joined.ptr && text.ptr) text = prefixed(pick->join, text, arena);
        if (text.ptr) joined = prefixed(joined, text, arena);
    }
    return joined;
}

bool peri_pick_number(const peri_rule_pick *pick, peri_json v, peri_arena *arena,
                      int64_t *out) {
    if (peri_json_int(v, out) == PERI_OK) return true;
    if (!pick->after.ptr && !pick->begin.ptr) return false;
    peri_str text = cut_out(pick, v, arena);
    size_t len = 0;
    while (len < text.len && len < 10 &&
           ((text.ptr[len] >= '0' && text.ptr[len] <= '9') || (!len && text.ptr[0] == '-'))) {
        len++;
    }
    return peri_str_int(peri_str_sub(text, 0, len), out) == PERI_OK;
}

bool peri_pick_inner(peri_json v, peri_json_doc *inner, peri_arena *arena) {
    peri_str raw = peri_json_raw(v);
    if (peri_json_type_of(v) != PERI_JSON_STRING || raw.len > PERI_PICK_INNER_BYTES) {
        return false;
    }
    raw = peri_str_trim(raw);
    if (!raw.len || (raw.ptr[0] != '{' && raw.ptr[0] != '[')) return false;
    peri_str text = peri_str_trim(peri_json_str(v, arena));
    return text.len && peri_json_parse(inner, text) == PERI_OK && inner->end == text.len;
}
