// Writing JSON the way JavaScript's JSON.stringify does (json.h): from a scanned document,
// bounded, and from plain text.
#include <stdio.h>

#include "base/json.h"

// Bytes of the escape for `byte`, or 0 if it stands for itself. `to` has room for 6.
static size_t escape(unsigned char byte, char *to) {
    static const char hex[] = "0123456789abcdef";
    const char *letter = NULL;
    switch (byte) {
    case '"':
        letter = "\"";
        break;
    case '\\':
        letter = "\\";
        break;
    case '\b':
        letter = "b";
        break;
    case '\f':
        letter = "f";
        break;
    case '\n':
        letter = "n";
        break;
    case '\r':
        letter = "r";
        break;
    case '\t':
        letter = "t";
        break;
    default:
        if (byte >= 0x20) return 0;
        memcpy(to, "\\u00", 4);
        to[4] = hex[byte >> 4];
        to[5] = hex[byte & 15];
        return 6;
    }
    to[0] = '\\';
    to[1] = *letter;
    return 2;
}

// Length of the run at the start of `text` that needs no escape.
static size_t plain_run(peri_str text) {
    size_t at = 0;
    for (; at < text.len; at++) {
        unsigned char byte = (unsigned char)text.ptr[at];
        if (byte < 0x20 || byte == '"' || byte == '\\') break;
    }
    return at;
}

static void add_escaped(peri_buf *out, peri_str text) {
    while (text.len) {
        size_t run = plain_run(text);
        peri_buf_add(out, peri_str_sub(text, 0, run));
        if (run == text.len) return;
        char bytes[6];
        size_t len = escape((unsigned char)text.ptr[run], bytes);
        peri_buf_add(out, peri_str_of(bytes, len));
        text = peri_str_sub(text, run + 1, text.len);
    }
}

void peri_json_add_string(peri_buf *out, peri_str text) {
    peri_buf_add_byte(out, '"');
    add_escaped(out, text);
    peri_buf_add_byte(out, '"');
}

// Where compact output goes: appended while it fits `max_cp`, always counted.
typedef struct sink {
    peri_buf *out;
    size_t max_cp, string_max_cp;
    peri_utf8_size whole;
    bool full;
} sink;

static void put(sink *to, peri_str text) {
    peri_utf8_size size = peri_utf8_count(text);
    if (!to->full) {
        peri_utf8_size fits = to->whole.cp + size.cp <= to->max_cp
                                  ? size
                                  : peri_utf8_cut_cp(text, to->max_cp - to->whole.cp);
        peri_buf_add(to->out, peri_str_sub(text, 0, fits.bytes));
        to->full = fits.bytes < size.bytes;
    }
    to->whole.bytes += size.bytes;
    to->whole.cp += size.cp;
    to->whole.u16 += size.u16;
}

// Writes `raw` until it is used up or `max_cp` code points of its content are out; returns the
// rest. Scanned content is nearly in its final form: only escapes are looked at again.
static peri_str put_content(sink *to, peri_str raw, size_t max_cp) {
    while (raw.len && max_cp) {
        peri_str plain = peri_str_sub(raw, 0, plain_run(raw));
        if (plain.len) {
            peri_utf8_size fits = peri_utf8_cut_cp(plain, max_cp);
            put(to, peri_str_sub(plain, 0, fits.bytes));
            max_cp -= fits.cp;
            raw = peri_str_sub(raw, fits.bytes, raw.len);
            continue;
        }
        size_t used = 1; // of a raw control character that the scanner let pass
        uint32_t cp = (unsigned char)raw.ptr[0];
        if (cp == '\\') cp = peri_json_unescape(raw, &used);
        char bytes[6];
        size_t len = cp < 0x80 ? escape((unsigned char)cp, bytes) : 0;
        if (len == 0) len = peri_utf8_encode(bytes, cp);
        put(to, peri_str_of(bytes, len));
        raw = peri_str_sub(raw, used, raw.len);
        max_cp--;
    }
    return raw;
}

static size_t count_content(peri_str raw) {
    size_t cp = 0;
    while (raw.len) {
        size_t used = plain_run(raw);
        cp += used ? peri_utf8_count(peri_str_sub(raw, 0, used)).cp : 1;
        if (used == 0 && raw.ptr[0] == '\\') (void)peri_json_unescape(raw, &used);
        raw = peri_str_sub(raw, used ? used : 1, raw.len);
    }
    return cp;
}

static void put_string(sink *to, peri_str raw) {
    put(to, PERI_STR("\""));
    peri_str rest = put_content(to, raw, to->string_max_cp ? to->string_max_cp : SIZE_MAX);
    if (rest.len) {
        char mark[64];
        int len = snprintf(mark, sizeof mark, "… [+%zu chars truncated]", count_content(rest));
        put(to, peri_str_of(mark, (size_t)len));
    }
    put(to, PERI_STR("\""));
}

// A container that is being written: where it ends, and what comes next in it.
typedef struct level {
    uint32_t end; // node behind it
    bool object;
    bool first; // nothing was written in it yet
    bool value; // the name of a member was
} level;

// Writes node `at` with what must stand before it; of a container only the opening, which
// becomes `open[*depth]`.
static void put_node(sink *to, const peri_json_doc *doc, uint32_t at, level *open,
                     size_t *depth) {
    level *in = *depth ? &open[*depth - 1] : NULL;
    if (in && in->value) {
        put(to, PERI_STR(":"));
        in->value = false;
    } else if (in) {
        if (!in->first) put(to, PERI_STR(","));
        in->first = false;
        in->value = in->object;
    }
    const peri_json_node *node = &doc->nodes[at];
    switch (node->type) {
    case PERI_JSON_STRING:
        put_string(to, peri_json_raw((peri_json){doc, at}));
        break;
    case PERI_JSON_NULL: // also what NaN and Infinity read as
        put(to, PERI_STR("null"));
        break;
    case PERI_JSON_OBJECT:
    case PERI_JSON_ARRAY:
        open[*depth] = (level){node->next, node->type == PERI_JSON_OBJECT, true, false};
        put(to, open[(*depth)++].object ? PERI_STR("{") : PERI_STR("["));
        break;
    default:
        put(to, peri_json_raw((peri_json){doc, at}));
    }
}

// Nodes stand in the order of the text, so one pass over them writes the value: nothing
// recurses.
peri_utf8_size peri_json_compact(peri_json v, peri_buf *out, size_t max_cp,
                                 size_t string_max_cp) {
    sink to = {.out = out, .max_cp = max_cp, .string_max_cp = string_max_cp};
    if (peri_json_type_of(v) == PERI_JSON_ABSENT) return to.whole;
    level open[PERI_JSON_MAX_DEPTH];
    size_t depth = 0;
    for (uint32_t at = v.node, last = v.doc->nodes[v.node].next; at < last;) {
        put_node(&to, v.doc, at++, open, &depth);
        while (depth && open[depth - 1].end == at) {
            put(&to, open[--depth].object ? PERI_STR("}") : PERI_STR("]"));
        }
    }
    return to.whole;
}
