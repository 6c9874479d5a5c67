// Secrets are replaced at every way out, before any cut (case C24). A fixed
// table of named kinds; more may be added, by configuration or in Lua. Linear in the text.
#ifndef PERI_DIGEST_SCRUB_H
#define PERI_DIGEST_SCRUB_H

#include "base/buf.h"
#include "base/diag.h"

typedef struct peri_scrub peri_scrub;

/// A scrubber with the built-in kinds. PERI_ENOMEM.
PERI_MUST_USE int peri_scrub_new(peri_scrub **out);
void peri_scrub_free(peri_scrub *scrub);

/// Adds a kind by a PCRE2 pattern (matched with bounded work). PERI_EPARSE with `*error`
/// (static or owned by the scrubber) and offset; PERI_ELIMIT beyond 64 added kinds.
PERI_MUST_USE int peri_scrub_add(peri_scrub *scrub, peri_str kind, peri_str pattern,
                                 const char **error, size_t *error_at);

/// True if the kind that was added last finds something in `text`:
/// for the examples it came with.
bool peri_scrub_last_finds(const peri_scrub *scrub, peri_str text);

/// Appends `text` with each secret replaced by "[KIND redacted]"; returns how many there were.
size_t peri_scrub_text(const peri_scrub *scrub, peri_str text, peri_buf *out);

/// True if the text surely holds no secret: a cheap first look. False means: scrub it.
bool peri_scrub_clean(const peri_scrub *scrub, peri_str text);

#endif
