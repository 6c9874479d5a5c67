// What was let through in a session before, and what its policies noted (ctx.state): their
// memory survives a restart.
#ifndef PERI_LEDGER_ACCEPTED_H
#define PERI_LEDGER_ACCEPTED_H

#include "base/arena.h"
#include "ledger/ledger.h"

/// Proposals of one observer under one fingerprint that were let through into one lane. Texts
/// are lent for the call.
typedef struct peri_accepted {
    peri_str agent, observer, fingerprint, kind, lane;
    bool shadow; // of an observer in shadow: nothing was delivered
    uint64_t count;
} peri_accepted;

enum { PERI_ACCEPTED_MAX = 8192 };

typedef void (*peri_accepted_fn)(void *user, const peri_accepted *accepted);

/// Tells what was let through in `session`, at most PERI_ACCEPTED_MAX, the latest.
PERI_MUST_USE int peri_ledger_accepted(peri_ledger *ledger, peri_str session,
                                       peri_accepted_fn fn, void *user);

/// Notes a policy's state of a session, with the next commit.
PERI_MUST_USE int peri_ledger_put_policy_state(peri_ledger *ledger, peri_str session,
                                               peri_str policy, peri_str state,
                                               int64_t wall_ms);

/// What was committed of it, in `arena`. PERI_ENOENT, PERI_ENOMEM.
PERI_MUST_USE int peri_ledger_get_policy_state(peri_ledger *ledger, peri_str session,
                                               peri_str policy, peri_arena *arena,
                                               peri_str *out);

#endif
