// Claims: "this is mine while I live", between hosts that share a folder, in one process or
// many. A claim is a lock on one byte of a file, which the system lets go of however its holder
// ends: nothing is left behind, nothing grows stale, and nobody has to be asked whether a
// process number is still his.
#ifndef PERI_IO_CLAIMS_H
#define PERI_IO_CLAIMS_H

#include "base/str.h"

typedef struct peri_claims {
    int fd; // -1: closed
} peri_claims;

/// Opens the file at `path`, made if it is not there, for its owner alone. PERI_EACCES,
/// PERI_EIO; PERI_ENOENT if it is only to be asked and is not there.
PERI_MUST_USE int peri_claims_open(peri_claims *claims, const char *path, bool only_ask);

/// Lets go of all.
void peri_claims_close(peri_claims *claims);

/// Claims what is called `place`, any number in steps of four. PERI_OK, also if it is held by
/// `claims` already; PERI_EDENIED if another holds it; PERI_EIO where the file cannot be
/// locked.
PERI_MUST_USE int peri_claims_take(peri_claims *claims, uint64_t place);

/// True if another than `claims` holds it.
bool peri_claims_is_held(const peri_claims *claims, uint64_t place);

#endif
