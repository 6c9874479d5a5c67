// What was spent in a session or on a day, by all hosts of this ledger: so that ceilings hold
// over a restart (spec PE-3). In the ledger's file.
#ifndef PERI_LEDGER_SPENT_H
#define PERI_LEDGER_SPENT_H

#include "ledger/ledger.h"

/// Adds `amount` of `what` to a session (day 0), or to a day (an
/// empty session), with the next commit.
PERI_MUST_USE int peri_ledger_add_spent(peri_ledger *ledger, peri_str session, int64_t day,
                                        peri_str what, uint64_t amount, int64_t wall_ms);

/// Visits what was committed of one of them.
typedef void (*peri_spent_fn)(void *user, peri_str what, uint64_t amount);
PERI_MUST_USE int peri_ledger_get_spent(peri_ledger *ledger, peri_str session, int64_t day,
                                        peri_spent_fn fn, void *user);

#endif
