// The YAML face (design D6): libyaml at event level, for headers and configs that people write.
// No aliases, anchors, tags or merge keys; capped size, depth and count; duplicate keys are
// errors; every node knows its line and column. Scalars are texts until a schema asks for a
// type, so `on:` and `no` are just strings.
#ifndef PERI_BASE_YAML_H
#define PERI_BASE_YAML_H

#include "base/diag.h"

enum {
    PERI_YAML_MAX_BYTES = 64 * 1024,
    PERI_YAML_MAX_DEPTH = 16,
    PERI_YAML_MAX_VALUES = 4096, // names, values, lists and maps of one document
};

typedef enum peri_yaml_type {
    PERI_YAML_ABSENT,
    PERI_YAML_SCALAR,
    PERI_YAML_LIST,
    PERI_YAML_MAP,
} peri_yaml_type;

/// A node, borrowed from its document.
typedef struct peri_yaml {
    peri_yaml_type type;
    bool quoted;           // the scalar was written in quotes or as a block
    uint32_t line, column; // 1-based
    peri_str key;          // in a map: the name; absent elsewhere
    uint32_t key_line, key_column;
    peri_str text; // of a scalar
    struct peri_yaml *first, *next;
} peri_yaml;

typedef struct peri_yaml_doc {
    peri_arena arena; // owns nodes and texts
    peri_str file;    // as given; borrowed
    peri_diag_list *diags;
    const peri_yaml *root; // NULL for an empty document
} peri_yaml_doc;

/// Reads `text` (a BOM and CRLF are fine). `first_line` is the line of the file where it
/// begins. The first problem goes to `diags` with its place and a hint (quote a value with
/// ": ", replace tabs, ...) and the document stays empty. PERI_ELIMIT, PERI_EDEPTH, PERI_EDUP,
/// PERI_EPARSE, PERI_ENOMEM. Free the document in either case.
PERI_MUST_USE int peri_yaml_parse(peri_yaml_doc *doc, peri_str text, peri_str file,
                                  uint32_t first_line, peri_diag_list *diags);
void peri_yaml_doc_deinit(peri_yaml_doc *doc);

/// The member `key` of a map, or NULL. `map` may be NULL.
const peri_yaml *peri_yaml_get(const peri_yaml *map, peri_str key);

/// Whether `node` is a map; what is none is reported as an error.
bool peri_yaml_check_map(peri_yaml_doc *doc, const peri_yaml *node);

/// Reports each key of `map` that is not in `words` (ended by an empty text) as an error, with
/// the nearest known name as a hint; returns how many there were. A `map` that is none is
/// reported and counts as one; NULL has no keys.
size_t peri_yaml_check_keys(peri_yaml_doc *doc, const peri_yaml *map, const peri_str *words);

/// Typed readers. PERI_ENOENT if `node` is NULL (`*out` untouched, nothing reported);
/// PERI_EINVAL with a diagnostic if it is of another type or out of range.
PERI_MUST_USE int peri_yaml_str(peri_yaml_doc *doc, const peri_yaml *node, peri_str *out);
/// true or false, also quoted, any case. `yes`, `no`, 1, 0 are errors with a hint.
PERI_MUST_USE int peri_yaml_bool(peri_yaml_doc *doc, const peri_yaml *node, bool *out);
/// Whole number, also quoted. "_" between digits and "," before each three are allowed
/// ("20,000", but not "1,5"). A unit ("20s"), a fraction, hexadecimal are errors.
PERI_MUST_USE int peri_yaml_int(peri_yaml_doc *doc, const peri_yaml *node, int64_t min,
                                int64_t max, int64_t *out);
/// Decimal number, grouped like the whole ones; "." whatever the locale.
PERI_MUST_USE int peri_yaml_double(peri_yaml_doc *doc, const peri_yaml *node, double min,
                                   double max, double *out);
/// A list of scalars, or one scalar split at commas; blank entries are left out. The array
/// lives in the document. Also PERI_ENOMEM.
PERI_MUST_USE int peri_yaml_list(peri_yaml_doc *doc, const peri_yaml *node,
                                 const peri_str **out, size_t *count);
/// One of `words` (ended by an empty text); `*out` gets its index.
PERI_MUST_USE int peri_yaml_word(peri_yaml_doc *doc, const peri_yaml *node,
                                 const peri_str *words, size_t *out);

/// Splits a Markdown file into header and body, borrowed from `text` (a BOM and CRLF are fine).
/// The header stands between a first line `---` and the next such line; `*header_line` is its
/// first line. PERI_ENOENT if there is none (`*body` is all but a BOM; not reported),
/// PERI_EPARSE with a diagnostic if it is not closed, PERI_ELIMIT with one over
/// PERI_YAML_MAX_BYTES.
PERI_MUST_USE int peri_front_matter(peri_str text, peri_str file, peri_diag_list *diags,
                                    peri_str *header, uint32_t *header_line, peri_str *body);

#endif
