// The branch an agent is on, for formats whose sessions are trees: entries name the one they
// follow. Going back to an earlier entry leaves what came behind it: it is withdrawn.
#ifndef PERI_TAP_TRAIL_H
#define PERI_TAP_TRAIL_H

#include "model/observation.h"
#include "tap/tap.h"

enum { PERI_TRAIL_ENTRIES = 1024 }; // of the branch, the latest; one further back is not found

typedef struct peri_trail_entry {
    uint64_t entry, record; // hashes of x.entry and x.record
} peri_trail_entry;

typedef struct peri_trail {
    peri_trail_entry *entries; // owned, a ring; NULL until the first entry
    size_t count;              // ever, less those that were left
} peri_trail;

void peri_trail_deinit(peri_trail *trail);

/// Takes the next observation of the agent. Returns how many items of `tap` it left behind. Out
/// of memory: the branch is not known and nothing is left.
size_t peri_trail_take(peri_trail *trail, const peri_obs *obs, peri_tap *tap);

#endif
