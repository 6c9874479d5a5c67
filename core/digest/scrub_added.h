// Kinds of secrets added by a person: PCRE2 patterns, matched with bounded work.
#ifndef PERI_DIGEST_SCRUB_ADDED_H
#define PERI_DIGEST_SCRUB_ADDED_H

#include "base/buf.h"

typedef struct peri_added_kinds peri_added_kinds;

/// NULL when memory ran out.
peri_added_kinds *peri__added_new(void);
void peri__added_free(peri_added_kinds *added);

/// See peri_scrub_add().
PERI_MUST_USE int peri__added_add(peri_added_kinds *added, peri_str kind, peri_str pattern,
                                  const char **error, size_t *error_at);

size_t peri__added_count(const peri_added_kinds *added);

/// Appends `text` with what pattern number `which` finds replaced; returns how often.
size_t peri__added_apply(const peri_added_kinds *added, size_t which, peri_str text,
                         peri_buf *out);

#endif
