// Where an assignment's value comes from (peri_rule_pick). Internal to ingest.
#ifndef PERI_INGEST_PICK_H
#define PERI_INGEST_PICK_H

#include "ingest/dialect.h"

enum {
    PERI_PICK_TEXT_CP = 4000,           // kept of a header's text
    PERI_PICK_INNER_BYTES = 256 * 1024, // of JSON inside a string that is still read
};

/// The value; absent if the pick finds nothing and has no constant.
peri_json peri_pick_find(const peri_rule_pick *pick, const peri_rule_scope *scope);

/// `v` as a short text: what the pick cuts out of it, with its
/// prefix. Absent if it is not there.
peri_str peri_pick_text(const peri_rule_pick *pick, peri_json v, peri_arena *arena);

/// The texts of all paths that lead to one, joined; absent if none does.
peri_str peri_pick_joined(const peri_rule_pick *pick, const peri_rule_scope *scope,
                          peri_arena *arena);

/// `v` as a whole number, or the one that the pick cuts out of a text.
bool peri_pick_number(const peri_rule_pick *pick, peri_json v, peri_arena *arena, int64_t *out);

/// Parses the JSON object or array that the string `v` holds into `inner`, which the caller
/// inits and deinits. False if it holds none, or more than PERI_PICK_INNER_BYTES.
bool peri_pick_inner(peri_json v, peri_json_doc *inner, peri_arena *arena);

#endif
