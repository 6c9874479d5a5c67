// How observers' notes fared, counted from the stored deliveries (spec PE-8).
#ifndef PERI_LEDGER_PRECISION_H
#define PERI_LEDGER_PRECISION_H

#include "ledger/ledger.h"

/// One observer's notes in lanes that lead to an agent. `shown`: the agent was given them; else
/// nobody was (shadow, replay), and what it did it did of its own accord.
typedef struct peri_precision {
    peri_str observer; // lent for the call
    bool shown;
    uint64_t delivered; // or would have been
    uint64_t followed, ignored, contradicted;
} peri_precision;

/// Those of whom it is known what the agent did.
static inline uint64_t peri_precision_judged(const peri_precision *p) {
    return p->followed + p->ignored + p->contradicted;
}

typedef void (*peri_precision_fn)(void *user, const peri_precision *precision);

/// Tells each observer's numbers by name, what was shown before what was not.
PERI_MUST_USE int peri_ledger_precision(peri_ledger *ledger, peri_precision_fn fn, void *user);

#endif
