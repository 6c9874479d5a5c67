// How far a followed file was read, in the ledger's file and in the transaction of what its
// records caused: after a crash either both are there or neither is (case C05).
#ifndef PERI_LEDGER_CHECKPOINT_H
#define PERI_LEDGER_CHECKPOINT_H

#include "ledger/ledger.h"

typedef struct peri_checkpoint {
    peri_str path;          // borrowed; what its reader calls the file
    uint64_t device, inode; // of the file that was read
    uint64_t offset;        // in bytes: everything before it was read, all of it whole records
    uint64_t print;         // fingerprint of what stands before it
    uint64_t tries;         // starts that read on from here and came to nothing
} peri_checkpoint;

/// Stores one with the next peri_ledger_commit(), replacing its path's.
/// Failures as for peri_ledger_put().
PERI_MUST_USE int peri_ledger_put_checkpoint(peri_ledger *ledger, const peri_checkpoint *from,
                                             int64_t wall_ms);

/// Takes the one of a path away with the next commit. Failures as for peri_ledger_put().
PERI_MUST_USE int peri_ledger_drop_checkpoint(peri_ledger *ledger, peri_str path);

/// Visits the latest `limit`, their paths included.
typedef void (*peri_checkpoint_fn)(void *user, const peri_checkpoint *checkpoint);
PERI_MUST_USE int peri_ledger_checkpoints(peri_ledger *ledger, uint64_t limit,
                                          peri_checkpoint_fn fn, void *user);

/// The one of a path, or, if `path` is absent, of a device and inode. Its own path is not
/// filled in. PERI_ENOENT.
PERI_MUST_USE int peri_ledger_get_checkpoint(peri_ledger *ledger, peri_str path,
                                             uint64_t device, uint64_t inode,
                                             peri_checkpoint *out);

#endif
