// Reading values of a scanned document (json.h): members, numbers, and strings unescaped no
// further than asked.
#include "base/json.h"
#include "base/number.h"

static const peri_json_node *node_of(peri_json v) {
    return v.doc && v.node < v.doc->count ? &v.doc->nodes[v.node] : NULL;
}

peri_json peri_json_root(const peri_json_doc *doc) {
    return doc->count ? (peri_json){doc, 0} : (peri_json){0};
}

peri_json_type peri_json_type_of(peri_json v) {
    const peri_json_node *node = node_of(v);
    return node ? (peri_json_type)node->type : PERI_JSON_ABSENT;
}

peri_str peri_json_raw(peri_json v) {
    const peri_json_node *node = node_of(v);
    return node ? peri_str_of(v.doc->text.ptr + node->start, node->len) : (peri_str){0};
}

peri_json_iter peri_json_begin(peri_json v) {
    const peri_json_node *node = node_of(v);
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

static int hex_digit(char c) {
    return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

static unsigned hex4(const char *p) {
    return (unsigned)(hex_digit(p[0]) << 12 | hex_digit(p[1]) << 8 | hex_digit(p[2]) << 4 |
                      hex_digit(p[3]));
}

// Decodes the escape at `raw` (checked by the scanner); returns its bytes in the text.
static size_t unescape(peri_str raw, uint32_t *cp) {
    switch (raw.ptr[1]) {
    case 'b':
        *cp = '\b';
        return 2;
    case 'f':
        *cp = '\f';
        return 2;
    case 'n':
        *cp = '\n';
        return 2;
    case 'r':
        *cp = '\r';
        return 2;
    case 't':
        *cp = '\t';
        return 2;
    case 'u':
        break;
    default:
        *cp = (unsigned char)raw.ptr[1];
        return 2;
    }
    *cp = hex4(raw.ptr + 2);
    if (*cp < 0xD800 || *cp > 0xDFFF) return 6;
    if (*cp < 0xDC00 && raw.len >= 12 && raw.ptr[6] == '\\' && raw.ptr[7] == 'u') {
        unsigned low = hex4(raw.ptr + 8);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            *cp = 0x10000 + ((*cp - 0xD800) << 10) + (low - 0xDC00);
            return 12;
        }
    }
    *cp = 0xFFFD;
    return 6;
}

uint32_t peri_json_unescape(peri_str raw, size_t *used) {
    uint32_t cp;
    *used = unescape(raw, &cp);
    return cp;
}

// Unescapes from `*raw` to `to` until it is used up or `max_cp` code points were written;
// advances `*raw`, adds to `*size`. `to` has room for as many bytes as `raw` has, or for four a
// code point.
static size_t unescape_run(peri_str *raw, char *to, size_t max_cp, peri_utf8_size *size) {
    size_t wrote = 0, count = 0;
    while (raw->len && count < max_cp) {
        size_t stop = peri_str_find_byte(*raw, '\\', 0);
        if (stop != 0) {
            peri_str plain = peri_str_sub(*raw, 0, stop == PERI_NPOS ? raw->len : stop);
            peri_utf8_size part = peri_utf8_cut_cp(plain, max_cp - count);
            memcpy(to + wrote, plain.ptr, part.bytes);
            wrote += part.bytes;
            count += part.cp;
            size->cp += part.cp;
            size->u16 += part.u16;
            *raw = peri_str_sub(*raw, part.bytes, raw->len);
            continue;
        }
        uint32_t cp;
        size_t used = unescape(*raw, &cp);
        wrote += peri_utf8_encode(to + wrote, cp);
        count++;
        size->cp++;
        size->u16 += cp > 0xFFFF ? 2 : 1;
        *raw = peri_str_sub(*raw, used, raw->len);
    }
    size->bytes += wrote;
    return wrote;
}

// Adds the size of the rest of a string without unescaping it.
static void count_rest(peri_str raw, peri_utf8_size *size) {
    while (raw.len) {
        size_t stop = peri_str_find_byte(raw, '\\', 0);
        if (stop != 0) {
            peri_str plain = peri_str_sub(raw, 0, stop == PERI_NPOS ? raw.len : stop);
            peri_utf8_size part = peri_utf8_count(plain);
            size->cp += part.cp;
            size->u16 += part.u16;
            raw = peri_str_sub(raw, plain.len, raw.len);
            continue;
        }
        uint32_t cp;
        raw = peri_str_sub(raw, unescape(raw, &cp), raw.len);
        size->cp++;
        size->u16 += cp > 0xFFFF ? 2 : 1;
    }
}

// A place in `raw`, at most `max_bytes` before its end, that is not inside an escape or a code
// point.
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

// The last `max_cp` code points of `raw`. It holds more than that.
static peri_str escaped_tail(peri_str raw, size_t max_cp, peri_arena *arena) {
    size_t reach = max_cp * 12; // a code point takes at most two escapes of six bytes
    peri_str near = peri_str_sub(raw, safe_tail(raw, reach), raw.len);
    char *to = peri_arena_alloc(arena, near.len);
    if (!to) return (peri_str){0};
    peri_utf8_size ignored = {0};
    size_t had = near.len, wrote = unescape_run(&near, to, SIZE_MAX, &ignored);
    peri_arena_shrink(arena, to, had, wrote);
    peri_text last = peri_text_of((peri_str){to, wrote}, (peri_text_caps){0, (uint32_t)max_cp});
    return last.cut ? last.tail : last.head;
}

static peri_text escaped_text(peri_str raw, peri_text_caps caps, peri_arena *arena) {
    size_t want = (size_t)caps.head_cp + caps.tail_cp;
    size_t room = raw.len < want * 4 ? raw.len : want * 4;
    char *to = peri_arena_alloc(arena, room);
    if (!to) return (peri_text){0};
    peri_utf8_size size = {0};
    peri_str rest = raw;
    size_t wrote = unescape_run(&rest, to, want, &size);
    peri_arena_shrink(arena, to, room, wrote);
    peri_text text = {.head = {to, wrote}};
    if (rest.len) {
        count_rest(rest, &size);
        text.tail = escaped_tail(raw, caps.tail_cp, arena);
        if (!text.tail.ptr) return (peri_text){0};
        text.head.len = peri_utf8_cut_cp(text.head, caps.head_cp).bytes;
        text.cut = true;
    }
    text.cp = (uint32_t)size.cp;
    text.u16 = (uint32_t)size.u16;
    return text;
}

peri_text peri_json_text(peri_json v, peri_text_caps caps, peri_arena *arena) {
    const peri_json_node *node = node_of(v);
    if (!node || node->type != PERI_JSON_STRING) return (peri_text){0};
    peri_str raw = peri_json_raw(v);
    if (node->flags & PERI_JSON_ESCAPED) return escaped_text(raw, caps, arena);
    if (node->flags & PERI_JSON_WIDE) return peri_text_of(raw, caps);
    peri_text text = {.head = raw, .cp = node->len, .u16 = node->len};
    if (raw.len > (size_t)caps.head_cp + caps.tail_cp) {
        text.cut = true;
        text.head.len = caps.head_cp;
        text.tail = peri_str_sub(raw, raw.len - caps.tail_cp, caps.tail_cp);
    }
    return text;
}

peri_str peri_json_str(peri_json v, peri_arena *arena) {
    const peri_json_node *node = node_of(v);
    if (!node || node->type != PERI_JSON_STRING) return (peri_str){0};
    peri_str raw = peri_json_raw(v);
    if (!(node->flags & PERI_JSON_ESCAPED)) return raw;
    char *to = peri_arena_alloc(arena, raw.len);
    if (!to) return (peri_str){0};
    peri_utf8_size size = {0};
    size_t had = raw.len, wrote = unescape_run(&raw, to, SIZE_MAX, &size);
    peri_arena_shrink(arena, to, had, wrote);
    return (peri_str){to, wrote};
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
        uint32_t cp;
        char bytes[4];
        raw = peri_str_sub(raw, unescape(raw, &cp), raw.len);
        peri_str part = {bytes, peri_utf8_encode(bytes, cp)};
        if (!peri_str_starts(text, part)) return false;
        text = peri_str_sub(text, part.len, text.len);
    }
    return text.len == 0;
}

bool peri_json_is(peri_json v, peri_str text) {
    const peri_json_node *node = node_of(v);
    if (!node || node->type != PERI_JSON_STRING) return false;
    return raw_is(peri_json_raw(v), node->flags & PERI_JSON_ESCAPED, text);
}

peri_json peri_json_get(peri_json v, peri_str key) {
    const peri_json_node *node = node_of(v);
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

peri_json peri_json_path(peri_json v, peri_str path) {
    while (path.len) {
        size_t dot = peri_str_find_byte(path, '.', 0);
        v = peri_json_get(v, peri_str_sub(path, 0, dot == PERI_NPOS ? path.len : dot));
        path = dot == PERI_NPOS ? (peri_str){0} : peri_str_sub(path, dot + 1, path.len);
    }
    return v;
}

bool peri_json_is_true(peri_json v) {
    const peri_json_node *node = node_of(v);
    return node && node->flags & PERI_JSON_TRUE;
}

int peri_json_int(peri_json v, int64_t *out) {
    if (peri_json_type_of(v) != PERI_JSON_NUMBER) return PERI_EINVAL;
    return peri_str_int(peri_json_raw(v), out);
}

int peri_json_double(peri_json v, double *out) {
    if (peri_json_type_of(v) != PERI_JSON_NUMBER) return PERI_EINVAL;
    return peri_number_parse(peri_json_raw(v), out);
}
