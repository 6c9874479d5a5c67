// Which files of projects a person has agreed to (spec PI-2): one line of JSON for each path
// with the SHA-256 of the content that was shown. A changed file is another content, so it is
// untrusted again. A store that cannot be read trusts nothing.
#ifndef PERI_TRUST_H
#define PERI_TRUST_H

#include "base/diag.h"

enum { PERI_TRUST_HASH_CHARS = 64, PERI_TRUST_MAX_ENTRIES = 10000 };

typedef struct peri_trust_entry {
    peri_str path; // absolute
    char hash[PERI_TRUST_HASH_CHARS + 1];
    int64_t at_wall_ms;
} peri_trust_entry;

typedef struct peri_trust {
    peri_arena arena; // owns the paths
    peri_trust_entry *entries;
    size_t count, cap;
} peri_trust;

void peri_trust_init(peri_trust *trust);
void peri_trust_deinit(peri_trust *trust);

/// SHA-256 of `text` in hexadecimal.
void peri_trust_hash(peri_str text, char hash[PERI_TRUST_HASH_CHARS + 1]);

/// Reads the store at `file`; none is an empty one. A line that is no entry is reported and
/// left out; a store that others may write or that cannot be read is reported and leaves
/// `trust` empty. PERI_OK, PERI_EACCES, PERI_EIO, PERI_ELIMIT, PERI_ENOMEM.
PERI_MUST_USE int peri_trust_read(peri_trust *trust, const char *file, peri_diag_list *diags);

/// Replaces the store at `file` as a whole, readable by its owner only; missing folders are
/// made. PERI_EACCES, PERI_EIO, PERI_ENOMEM.
PERI_MUST_USE int peri_trust_write(const peri_trust *trust, const char *file);

/// True if exactly this content of this path was agreed to.
bool peri_trust_has(const peri_trust *trust, peri_str path, const char *hash);

/// Agrees to a content; it replaces an earlier one of the path. PERI_ENOMEM, PERI_ELIMIT.
PERI_MUST_USE int peri_trust_add(peri_trust *trust, peri_str path, const char *hash,
                                 int64_t at_wall_ms);

/// Takes back what was agreed to for `path` and for all below it; how many entries went.
size_t peri_trust_del(peri_trust *trust, peri_str path);

#endif
