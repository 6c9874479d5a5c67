// Writing JSON the way JavaScript's JSON.stringify does (json.h): from a scanned document,
// bounded, and from plain text.
#include <stdio.h>

#include "base/block.h"
#include "base/json.h"
#include "base/json_string.h"

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

// The bytes of a block that need an escape.
static uint64_t escaped_in(const char *bytes) {
    const peri_block b = peri_block_load(bytes);
    uint64_t control = peri_block_unplain(&b) & ~peri_block_high(&b);
    return control | peri_block_is(&b, '"') | peri_block_is(&b, '\\');
}

// Appends what stands from `*done` to `stop`, and the escape of the byte there.
static void add_up_to(peri_buf *out, peri_str text, size_t *done, size_t stop) {
    char bytes[6];
    size_t run = stop - *done, escape_len = escape((unsigned char)text.ptr[stop], bytes);
    char *to = peri_buf_reserve(out, run + escape_len);
    if (!to) return;
    memcpy(to, text.ptr + *done, run);
    memcpy(to + run, bytes, escape_len);
    out->len += run + escape_len;
    *done = stop + 1;
}

static void add_escaped(peri_buf *out, peri_str text) {
    size_t done = 0, at = 0;
    for (; text.len - at >= PERI_BLOCK_BYTES; at += PERI_BLOCK_BYTES) {
        for (uint64_t stops = escaped_in(text.ptr + at); stops; stops &= stops - 1) {
            add_up_to(out, text, &done, at + (size_t)__builtin_ctzll(stops));
        }
    }
    for (; at < text.len; at++) {
        unsigned char byte = (unsigned char)text.ptr[at];
        if (byte < 0x20 || byte == '"' || byte == '\\') add_up_to(out, text, &done, at);
    }
    peri_buf_add(out, peri_str_sub(text, done, text.len));
}

void peri_json_add_string(peri_buf *out, peri_str text) {
    peri_buf_add_byte(out, '"');
    add_escaped(out, text);
    peri_buf_add_byte(out, '"');
}

// Bytes of the line separator at `at`, 0 if there is none; its escape.
static size_t separator(peri_str text, size_t at, const char **as) {
    static const char *const escapes[] = {"\\u2028", "\\u2029"};
    peri_str rest = peri_str_sub(text, at, 3);
    if (peri_str_starts(rest, PERI_STR("\xC2\x85"))) {
        *as = "\\u0085";
        return 2;
    }
    if (rest.len < 3 || !peri_str_starts(rest, PERI_STR("\xE2\x80"))) return 0;
    unsigned last = (unsigned char)rest.ptr[2] - 0xA8u;
    if (last > 1) return 0;
    *as = escapes[last];
    return 3;
}

// Where the next byte from `at` on stands that a separator may begin with.
static size_t next_candidate(peri_str text, size_t at) {
    while (at < text.len && text.ptr[at] != '\xE2' && text.ptr[at] != '\xC2') at++;
    return at;
}

static bool may_hold_separator(peri_str text) {
    return text.len && (memchr(text.ptr, 0xE2, text.len) || memchr(text.ptr, 0xC2, text.len));
}

void peri_json_seal_line(peri_buf *json) {
    peri_str text = peri_buf_str(json);
    if (!may_hold_separator(text)) return;
    peri_buf line;
    peri_buf_init(&line, json->max);
    size_t done = 0;
    size_t at = next_candidate(text, 0);
    while (at < text.len) {
        const char *as;
        size_t len = separator(text, at, &as);
        if (len) {
            peri_buf_add(&line, peri_str_sub(text, done, at - done));
            peri_buf_add_c(&line, as);
            done = at + len;
        }
        at = next_candidate(text, at + (len ? len : 1));
    }
    if (done) {
        peri_buf_add(&line, peri_str_sub(text, done, text.len));
        peri_buf before = *json;
        *json = line;
        line = before;
    }
    peri_buf_deinit(&line);
}

// Where compact output goes: appended while it fits `max_cp`, always counted.
typedef struct sink {
    peri_buf *out;
    size_t max_cp, string_max_cp;
    peri_utf8_size whole;
    bool full;
} sink;

// What was appended behind `from` is a piece of the whole of
// that size: cut where the ceiling is.
static void settle(sink *to, size_t from, peri_utf8_size size) {
    if (!to->full && to->whole.cp + size.cp > to->max_cp) {
        peri_str piece = peri_str_sub(peri_buf_str(to->out), from, SIZE_MAX);
        size_t fits = peri_utf8_cut_cp(piece, to->max_cp - to->whole.cp).bytes;
        peri_buf_truncate(to->out, from + fits);
        to->full = true;
    }
    to->whole.bytes += size.bytes;
    to->whole.cp += size.cp;
    to->whole.u16 += size.u16;
}

// Bytes that hold what may still be written, whatever characters it is made of.
static size_t room_bytes(const sink *to) {
    size_t room = to->full ? 0 : to->max_cp - to->whole.cp;
    return room > SIZE_MAX / 4 ? SIZE_MAX : 4 * room;
}

static void put(sink *to, peri_str text) {
    size_t from = to->out->len;
    peri_buf_add(to->out, peri_str_sub(text, 0, room_bytes(to)));
    settle(to, from, peri_utf8_count(text));
}

// One byte of syntax.
static void put_mark(sink *to, char mark) {
    size_t from = to->out->len;
    if (room_bytes(to)) peri_buf_add_byte(to->out, mark);
    settle(to, from, (peri_utf8_size){1, 1, 1});
}

// What JSON.stringify writes for the escape or raw control character at the start of `raw`, in
// `bytes`; `*used` gets its bytes in `raw`.
static peri_str special(peri_str raw, char bytes[6], size_t *used) {
    *used = 1;
    uint32_t cp = (unsigned char)raw.ptr[0];
    if (cp == '\\') cp = peri_json_unescape(raw, used);
    size_t len = cp < 0x80 ? escape((unsigned char)cp, bytes) : 0;
    return peri_str_of(bytes, len ? len : peri_utf8_encode(bytes, cp));
}

// Appends content up to `max_bytes`, at which it may end inside a character. Scanned content is
// nearly in its final form: only some escapes are written anew. Its size is counted if asked
// for.
static void add_content(peri_buf *out, peri_str raw, size_t max_bytes, peri_utf8_size *size) {
    size_t end = max_bytes > SIZE_MAX - out->len ? SIZE_MAX : out->len + max_bytes;
    while (raw.len && (size || (out->len < end && out->status == PERI_OK))) {
        char bytes[6];
        size_t used =
            peri__json_string_for(0)->plain_run(raw, size ? SIZE_MAX : end - out->len);
        peri_str piece = used ? peri_str_sub(raw, 0, used) : special(raw, bytes, &used);
        peri_buf_add(out, peri_str_sub(piece, 0, end - out->len));
        raw = peri_str_sub(raw, used, raw.len);
        if (!size) continue;
        peri_utf8_size more = peri_utf8_count(piece);
        *size = (peri_utf8_size){size->bytes + more.bytes, size->cp + more.cp,
                                 size->u16 + more.u16};
    }
}

// What is past the ceiling is not even looked at: the scanner has counted it.
static void put_whole_string(sink *to, peri_str raw, const peri_json_node *node) {
    size_t from = to->out->len;
    add_content(to->out, raw, room_bytes(to), NULL);
    settle(to, from,
           (peri_utf8_size){node->written_bytes, node->written_cp,
                            node->written_cp + node->astral});
}

// The first code points, and how many follow.
static void put_cut_string(sink *to, peri_str raw, size_t left_out) {
    char mark[64];
    int len = snprintf(mark, sizeof mark, "… [+%zu chars truncated]", left_out);
    size_t from = to->out->len;
    peri_utf8_size size = {0};
    peri_str head = peri_str_sub(raw, 0, peri__json_string_for(0)->cut(raw, to->string_max_cp));
    add_content(to->out, head, room_bytes(to), &size);
    settle(to, from, size);
    put(to, peri_str_of(mark, (size_t)len));
}

static void put_string(sink *to, const peri_json_doc *doc, uint32_t at) {
    const peri_json_node *node = &doc->nodes[at];
    peri_str raw = peri_json_raw((peri_json){doc, at});
    put_mark(to, '"');
    if (to->string_max_cp && node->cp > to->string_max_cp) {
        put_cut_string(to, raw, node->cp - to->string_max_cp);
    } else {
        put_whole_string(to, raw, node);
    }
    put_mark(to, '"');
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
        put_mark(to, ':');
        in->value = false;
    } else if (in) {
        if (!in->first) put_mark(to, ',');
        in->first = false;
        in->value = in->object;
    }
    const peri_json_node *node = &doc->nodes[at];
    switch (node->type) {
    case PERI_JSON_STRING:
        put_string(to, doc, at);
        break;
    case PERI_JSON_NULL: // also what NaN and Infinity read as
        put(to, PERI_STR("null"));
        break;
    case PERI_JSON_OBJECT:
    case PERI_JSON_ARRAY:
        open[*depth] = (level){node->next, node->type == PERI_JSON_OBJECT, true, false};
        put_mark(to, open[(*depth)++].object ? '{' : '[');
        break;
    default:
        put(to, peri_json_raw((peri_json){doc, at}));
    }
}

// Nodes stand in the order of the text, so one pass over them
// writes the value: nothing recurses.
peri_utf8_size peri_json_compact(peri_json v, peri_buf *out, size_t max_cp,
                                 size_t string_max_cp) {
    sink to = {.out = out, .max_cp = max_cp, .string_max_cp = string_max_cp};
    if (peri_json_type_of(v) == PERI_JSON_ABSENT) return to.whole;
    level open[PERI_JSON_MAX_DEPTH];
    size_t depth = 0;
    for (uint32_t at = v.node, last = v.doc->nodes[v.node].next; at < last;) {
        put_node(&to, v.doc, at++, open, &depth);
        while (depth && open[depth - 1].end == at) {
            put_mark(&to, open[--depth].object ? '}' : ']');
        }
    }
    return to.whole;
}
