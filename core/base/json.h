// The JSON face for event streams: a validating span scanner (design D13). One pass over the
// text leaves a flat list of nodes that point into it; only the values somebody asks for are
// unescaped, and never more of them than asked. Small documents that need a tree: json_tree.h.
//
// More lenient than RFC 8259 where real logs demand it, and counted as `repaired`: a lone
// surrogate escape becomes U+FFFD; NaN and +-Infinity (Python writers) read as null; raw
// control characters in strings are kept. A value ends where its syntax ends: the caller sees
// welded records by `end`. Keys are case-sensitive, the last of equal keys counts, big numbers
// stay text.
#ifndef PERI_BASE_JSON_H
#define PERI_BASE_JSON_H

#include "base/arena.h"
#include "base/text.h"

typedef enum peri_json_type {
    PERI_JSON_ABSENT, // no such value
    PERI_JSON_NULL,
    PERI_JSON_BOOL,
    PERI_JSON_NUMBER,
    PERI_JSON_STRING,
    PERI_JSON_ARRAY,
    PERI_JSON_OBJECT,
} peri_json_type;

typedef struct peri_json_node {
    uint32_t start, len; // the value's bytes in the text; a string's without its quotes
    uint32_t next;       // the node behind this one and all it holds
    uint8_t type;        // peri_json_type
    uint8_t flags;       // PERI_JSON_ESCAPED, PERI_JSON_TRUE
    // Of a string, so that nobody counts again: code points of its content and how many of them
    // are past U+FFFF; code points and bytes of it as JSON.stringify writes it, without quotes.
    uint32_t cp, astral, written_cp, written_bytes;
} peri_json_node;

enum {
    PERI_JSON_ESCAPED = 1, // the string holds a backslash
    PERI_JSON_TRUE = 2,
    PERI_JSON_MAX_DEPTH = 256,
    PERI_JSON_MAX_NODES = 1 << 18,
};

typedef struct peri_json_doc {
    peri_str text; // borrowed
    peri_json_node
        *nodes; // owned; node 0 is the root; object members are key, value, key, value
    uint32_t count, cap;
    uint32_t max_depth, max_nodes;
    bool refuse_duplicates; // PERI_EDUP for an object with two equal keys
    uint32_t repaired;      // values mended in this text
    size_t end;             // bytes read: the value and the white space behind it
    size_t error_at;        // on failure: offset of the first byte that does not fit
} peri_json_doc;

/// A value of a document, by value. Valid while the document and its text are.
typedef struct peri_json {
    const peri_json_doc *doc; // NULL: absent
    uint32_t node;
} peri_json;

void peri_json_doc_init(peri_json_doc *doc);
void peri_json_doc_deinit(peri_json_doc *doc);

/// Reads one value at the start of `text` (at most 4 GiB; borrowed, must outlive the document's
/// use). Reuses the node list of the call before. PERI_EPARSE with `error_at`, also for bytes
/// that are no UTF-8; PERI_EDEPTH, PERI_ELIMIT (too many nodes), PERI_EDUP, PERI_ENOMEM.
PERI_MUST_USE int peri_json_parse(peri_json_doc *doc, peri_str text);

static inline peri_json peri_json_root(const peri_json_doc *doc) {
    return doc->count ? (peri_json){doc, 0} : (peri_json){0};
}

/// The value's node; NULL if it is absent.
static inline const peri_json_node *peri_json_node_of(peri_json v) {
    return v.doc && v.node < v.doc->count ? &v.doc->nodes[v.node] : NULL;
}

static inline peri_json_type peri_json_type_of(peri_json v) {
    const peri_json_node *node = peri_json_node_of(v);
    return node ? (peri_json_type)node->type : PERI_JSON_ABSENT;
}

/// The member `key` of an object; absent if `v` is none or has none.
peri_json peri_json_get(peri_json v, peri_str key);

/// Visits an array's elements or an object's members.
/// for (peri_json_iter it = peri_json_begin(v); peri_json_more(&it);) use(it.key, it.value);
typedef struct peri_json_iter {
    peri_json value;
    peri_str key; // raw (still escaped) member name; absent in arrays
    uint32_t at, end;
    bool object;
} peri_json_iter;
peri_json_iter peri_json_begin(peri_json v);
bool peri_json_more(peri_json_iter *it);

/// Members or elements of `v`; 0 for other values.
size_t peri_json_count(peri_json v);

/// The value's own bytes: a string without quotes and still escaped, a number's digits.
static inline peri_str peri_json_raw(peri_json v) {
    const peri_json_node *node = peri_json_node_of(v);
    return node ? peri_str_of(v.doc->text.ptr + node->start, node->len) : (peri_str){0};
}

static inline bool peri_json_is_true(peri_json v) {
    const peri_json_node *node = peri_json_node_of(v);
    return node && node->flags & PERI_JSON_TRUE;
}

PERI_MUST_USE int peri_json_int(peri_json v, int64_t *out);
/// Nearest double, "." whatever the locale; infinite past the range.
PERI_MUST_USE int peri_json_double(peri_json v, double *out);

/// True if `v` is a string whose unescaped content is `text`.
bool peri_json_is(peri_json v, peri_str text);

/// The string's content, unescaped; borrowed from the document's text where nothing is escaped,
/// else from `arena`. Absent if `v` is no string or memory ran out.
peri_str peri_json_str(peri_json v, peri_arena *arena);

/// Both ends of a string's content, never unescaping more than
/// `caps` asks. Memory as peri_json_str.
peri_text peri_json_text(peri_json v, peri_text_caps caps, peri_arena *arena);

/// Appends the value as JavaScript's JSON.stringify writes it (no blanks, members in order),
/// but numbers digit for digit as they came. `max_cp` bounds what is appended, in code points;
/// `string_max_cp` (0: none) bounds each string, a cut one ending in "… [+N chars truncated]".
/// Returns the size of the whole, `string_max_cp` observed, `max_cp` not.
peri_utf8_size peri_json_compact(peri_json v, peri_buf *out, size_t max_cp,
                                 size_t string_max_cp);

/// Decodes the escape at the start of `raw`, which the scanner
/// has checked; `*used` gets its bytes.
uint32_t peri_json_unescape(peri_str raw, size_t *used);

/// Appends `text` (valid UTF-8) as a JSON string with its quotes, escaped like JSON.stringify.
void peri_json_add_string(peri_buf *out, peri_str text);

/// Makes the JSON text that `json` holds one line for every reader: U+0085, U+2028 and U+2029,
/// which JSON leaves as they are and some readers take for line ends (case C08), become
/// escapes. `json` owns its memory; its status says if it became too long.
void peri_json_seal_line(peri_buf *json);

#endif
