// Reading values of a scanned document (json.h): members, numbers, and strings unescaped no
// further than asked.
#include "base/json.h"
#include "base/json_string.h"
#include "base/number.h"

peri_json_iter peri_json_begin(peri_json v) {
    const peri_json_node *node = peri_json_node_of(v);
    if (!node || node->type < PERI_JSON_ARRAY) return (peri_json_iter){0};
    return (peri_json_iter){.value = {v.doc, 0},
                            .at = v.node + 1,
                            .end = node->next,
                            .object = node->type == PERI_JSON_OBJECT};
}

bool peri_json_more(peri_json_iter *it) {
    if (it->at >= it->end) return false;
    const peri_json_doc *doc = it->value.doc;
    if (it->object) {
        it->key = peri_json_raw((peri_json){doc, it->at});
        it->at++;
    }
    it->value.node = it->at;
    it->at = doc->nodes[it->at].next;
    return true;
}

size_t peri_json_count(peri_json v) {
    size_t count = 0;
    for (peri_json_iter it = peri_json_begin(v); peri_json_more(&it);) count++;
    return count;
}

// A place in `raw`, at most `max_bytes` before its end, that is
// not inside an escape or a code point.
static size_t safe_tail(peri_str raw, size_t max_bytes) {
    size_t at = peri_utf8_skip_to_tail(raw, max_bytes);
    for (size_t back = at > 6 ? at - 6 : 0; back < at;) {
        if (raw.ptr[back] != '\\') {
            back++;
            continue;
        }
        size_t first =
            back; // an escape begins here if an even number of backslashes stands before
        while (first > 0 && raw.ptr[first - 1] == '\\') first--;
        if ((back - first) % 2) {
            back++;
            continue;
        }
        size_t end = back + (back + 1 < raw.len && raw.ptr[back + 1] == 'u' ? 6 : 2);
        if (end > at) return end < raw.len ? end : raw.len;
        back = end;
    }
    return at;
}

// `raw` unescaped into the arena; absent if memory ran out.
static peri_str unescaped(peri_str raw, peri_arena *arena) {
    size_t room = raw.len + PERI__JSON_SLACK;
    char *to = peri_arena_alloc(arena, room);
    if (!to) return (peri_str){0};
    size_t wrote = peri__json_string_for(0)->unescape(raw, to);
    peri_arena_shrink(arena, to, room, wrote);
    return (peri_str){to, wrote};
}

// The last `max_cp` code points of `raw`, which holds more than that. How far back they begin
// is found by trying: a code point takes one byte or two surrogate escapes of six.
static peri_str escaped_tail(peri_str raw, size_t max_cp, peri_arena *arena) {
    for (size_t reach = max_cp * 2;; reach *= 3) {
        peri_str near = peri_str_sub(raw, safe_tail(raw, reach), raw.len);
        peri_str all = unescaped(near, arena);
        peri_str tail = peri_text_tail(all, max_cp);
        if (!all.ptr || tail.len < all.len || reach >= max_cp * 12 || near.len == raw.len) {
            return tail;
        }
        peri_arena_shrink(arena, all.ptr, all.len, 0);
    }
}

static peri_str escaped_head(peri_str raw, peri_text_caps caps, bool cut, peri_arena *arena) {
    if (cut) raw.len = peri__json_string_for(0)->cut(raw, caps.head_cp);
    return unescaped(raw, arena);
}

peri_text peri_json_text(peri_json v, peri_text_caps caps, peri_arena *arena) {
    const peri_json_node *node = peri_json_node_of(v);
    if (!node || node->type != PERI_JSON_STRING) return (peri_text){0};
    bool escaped = node->flags & PERI_JSON_ESCAPED;
    peri_str raw = peri_json_raw(v);
    peri_text text = {.head = raw, .cp = node->cp, .u16 = node->cp + node->astral};
    text.cut = text.cp > (size_t)caps.head_cp + caps.tail_cp;
    if (escaped) {
        text.head = escaped_head(raw, caps, text.cut, arena);
        if (text.cut) text.tail = escaped_tail(raw, caps.tail_cp, arena);
    } else if (text.cut) {
        text.head.len = peri_utf8_cut_cp(raw, caps.head_cp).bytes;
        text.tail = peri_text_tail(raw, caps.tail_cp);
    }
    return text.head.ptr && (text.tail.ptr || !text.cut) ? text : (peri_text){0};
}

peri_str peri_json_str(peri_json v, peri_arena *arena) {
    const peri_json_node *node = peri_json_node_of(v);
    if (!node || node->type != PERI_JSON_STRING) return (peri_str){0};
    peri_str raw = peri_json_raw(v);
    if (!(node->flags & PERI_JSON_ESCAPED)) return raw;
    return unescaped(raw, arena);
}

// Compares raw (escaped) JSON string content with `text` without memory.
static bool raw_is(peri_str raw, bool escaped, peri_str text) {
    if (!escaped) return peri_str_eq(raw, text);
    if (text.len > raw.len) return false;
    while (raw.len) {
        if (raw.ptr[0] != '\\') {
            if (!text.len || raw.ptr[0] != text.ptr[0]) return false;
            raw = peri_str_sub(raw, 1, raw.len);
            text = peri_str_sub(text, 1, text.len);
            continue;
        }
        char bytes[4];
        size_t used;
        peri_str part = {bytes, peri_utf8_encode(bytes, peri_json_unescape(raw, &used))};
        raw = peri_str_sub(raw, used, raw.len);
        if (!peri_str_starts(text, part)) return false;
        text = peri_str_sub(text, part.len, text.len);
    }
    return text.len == 0;
}

bool peri_json_is(peri_json v, peri_str text) {
    const peri_json_node *node = peri_json_node_of(v);
    if (!node || node->type != PERI_JSON_STRING) return false;
    return raw_is(peri_json_raw(v), node->flags & PERI_JSON_ESCAPED, text);
}

peri_json peri_json_get(peri_json v, peri_str key) {
    const peri_json_node *node = peri_json_node_of(v);
    if (!node || node->type != PERI_JSON_OBJECT) return (peri_json){0};
    const peri_json_node *nodes = v.doc->nodes;
    peri_json found = {0};
    for (uint32_t at = v.node + 1, end = node->next; at < end; at = nodes[at + 1].next) {
        bool escaped = nodes[at].flags & PERI_JSON_ESCAPED;
        if (!escaped && nodes[at].len != key.len) continue;
        peri_str name = {v.doc->text.ptr + nodes[at].start, nodes[at].len};
        if (raw_is(name, escaped, key)) found = (peri_json){v.doc, at + 1};
    }
    return found;
}

int peri_json_int(peri_json v, int64_t *out) {
    if (peri_json_type_of(v) != PERI_JSON_NUMBER) return PERI_EINVAL;
    return peri_str_int(peri_json_raw(v), out);
}

int peri_json_double(peri_json v, double *out) {
    if (peri_json_type_of(v) != PERI_JSON_NUMBER) return PERI_EINVAL;
    return peri_number_parse(peri_json_raw(v), out);
}
