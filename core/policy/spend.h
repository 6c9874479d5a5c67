// Ceilings over a session and a day that no severity, fingerprint or script can pass (spec
// PE-3). What is spent is asked for first: one who is refused spends nothing.
#ifndef PERI_POLICY_SPEND_H
#define PERI_POLICY_SPEND_H

#include "base/str.h"

// Money is counted in millionths of the currency that prices are given in.
#define PERI_SPEND_LIST(X)                                                                     \
    X(PROPOSALS, "proposals")                                                                  \
    X(VETOES, "vetoes")                                                                        \
    X(WAKES, "wakes")                                                                          \
    X(MODEL_CALLS, "model_calls")                                                              \
    X(TOKENS, "tokens")                                                                        \
    X(MONEY, "money")

typedef enum peri_spend {
#define PERI_SPEND_ENUM(name, word) PERI_SPEND_##name,
    PERI_SPEND_LIST(PERI_SPEND_ENUM)
#undef PERI_SPEND_ENUM
        PERI_SPEND_COUNT
} peri_spend;

#define PERI_SPEND_NO_CEILING UINT64_MAX

typedef struct peri_ceilings {
    uint64_t session[PERI_SPEND_COUNT], day[PERI_SPEND_COUNT]; // PERI_SPEND_NO_CEILING: none
} peri_ceilings;

/// What was spent in one session, or by one host in the day it is set to.
typedef struct peri_spent {
    uint64_t of[PERI_SPEND_COUNT];
    int64_t day; // since 1970, UTC
} peri_spent;

peri_str peri_spend_word(peri_spend what);

/// The day of a time, since 1970, UTC.
int64_t peri_spend_day(int64_t wall_ms);

/// Above all that is likely, so that only a fault meets them, but for what costs: model calls,
/// tokens and money.
peri_ceilings peri_ceilings_default(void);

/// Spends `amount` of `what` in the session and on the day of `wall_ms`. NULL if both ceilings
/// hold it; otherwise nothing is spent and the one that is reached is named, in words for a
/// person.
const char *peri_spend_try(const peri_ceilings *ceilings, peri_spent *session, peri_spent *day,
                           int64_t wall_ms, peri_spend what, uint64_t amount);

#endif
