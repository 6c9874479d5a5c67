// The JSON face for small documents that need a tree: configs, settings, model replies, values
// of scripts. cJSON behind one file, with what it lacks added (design D5): byte, depth and node
// caps, lone surrogates and invalid UTF-8 mended, `\u0000` kept, welded and trailing text
// refused, duplicate keys refused on demand, whole numbers beyond 2^53 kept digit for digit.
// Event streams use json.h. Where the two read the same text they say the same, but for this:
// a tree takes a BOM and mends invalid UTF-8, and refuses NaN and Infinity, which a person who
// writes a config did not mean as null.
#ifndef PERI_BASE_JSON_TREE_H
#define PERI_BASE_JSON_TREE_H

#include "base/diag.h"
#include "base/json.h"

/// One value of a tree. Owned by its parent; a root by whoever made it.
typedef struct peri_tree peri_tree;

typedef struct peri_tree_limits {
    size_t max_bytes;       // of the text; 0: 1 MiB
    uint32_t max_depth;     // 0: 64; at most PERI_JSON_MAX_DEPTH
    bool refuse_duplicates; // PERI_EDUP for an object with two equal keys
} peri_tree_limits;

/// Reads all of `text` as one value; nothing but white space may follow. On failure `*out` is
/// untouched and one diagnostic with `file`, line and column is added. PERI_EPARSE,
/// PERI_EDEPTH, PERI_EDUP, PERI_ELIMIT (too long, or over PERI_JSON_MAX_NODES values),
/// PERI_ENOMEM. `repaired` (may be NULL) gets the number of lone surrogates, invalid byte
/// sequences and raw control characters; the last are kept, the others became U+FFFD.
PERI_MUST_USE int peri_tree_parse(peri_str text, peri_tree_limits limits, peri_str file,
                                  peri_diag_list *diags, size_t *repaired, peri_tree **out);

/// Builders; NULL when memory ran out. The caller owns the result until it is added to a
/// parent. Texts may hold NULs; invalid UTF-8 in them is mended.
peri_tree *peri_tree_new_object(void);
peri_tree *peri_tree_new_array(void);
peri_tree *peri_tree_new_null(void);
peri_tree *peri_tree_new_bool(bool value);
peri_tree *peri_tree_new_string(peri_str text);
/// A double, printed as JavaScript does: 1, 0.1, 1e+21. NaN and infinities give a null.
peri_tree *peri_tree_new_number(double value);

/// Frees a root with all it holds. NULL is fine.
void peri_tree_free(peri_tree *tree);

/// Moves `child` to the end of `object` or `array`; on failure `child` is freed. PERI_ENOMEM,
/// also if one of the two is NULL, so that a chain of builders is checked here; PERI_EINVAL for
/// a parent of another type. An equal key is not looked for: the later one counts, as in a
/// text.
PERI_MUST_USE int peri_tree_set_take(peri_tree *object, peri_str key, peri_tree *child);
PERI_MUST_USE int peri_tree_add_take(peri_tree *array, peri_tree *child);

peri_json_type peri_tree_type(const peri_tree *tree); // NULL gives PERI_JSON_ABSENT
/// Member of an object, case-sensitive, the last of equal keys; NULL if there is none.
const peri_tree *peri_tree_get(const peri_tree *tree, peri_str key);
/// First child of an array or object, and the one behind; NULL at the end.
const peri_tree *peri_tree_first(const peri_tree *tree);
const peri_tree *peri_tree_next(const peri_tree *tree);
size_t peri_tree_count(const peri_tree *tree);
/// The member name of a child of an object. Borrowed from the tree.
peri_str peri_tree_key(const peri_tree *tree);
/// A string's content or a number's digits, borrowed from the tree; else absent.
peri_str peri_tree_str(const peri_tree *tree);
bool peri_tree_is_true(const peri_tree *tree);
/// PERI_EINVAL if it is no number; PERI_EPARSE if it is not written as a whole one (1.0, 1e3);
/// PERI_ELIMIT beyond 64 bits.
PERI_MUST_USE int peri_tree_int(const peri_tree *tree, int64_t *out);
/// Nearest double, "." whatever the locale; infinite past the range.
PERI_MUST_USE int peri_tree_double(const peri_tree *tree, double *out);

/// Appends the tree as peri_json_compact would. PERI_ELIMIT past `max_bytes`, PERI_EDEPTH past
/// the default depth, PERI_ENOMEM, PERI_EINVAL for NULL; what was appended is taken back then.
PERI_MUST_USE int peri_tree_print(const peri_tree *tree, size_t max_bytes, peri_buf *out);

#endif
