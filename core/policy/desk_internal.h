// Shared by the files of core/policy/ only.
#ifndef PERI_POLICY_DESK_INTERNAL_H
#define PERI_POLICY_DESK_INTERNAL_H

#include "policy/desk.h"

/// Spends one veto of (observer, fingerprint).
void peri__veto_book_spend(peri_veto_book *book, peri_str observer, peri_str fingerprint);

/// One judging, from the first question to the last ruling.
typedef struct peri_judging {
    peri_desk *desk;
    const peri_policy_engine *engine; // may be NULL
    peri_policy_health *health;
    const peri_desk_env *env;
    peri_arena *arena;
    peri_policy_facts facts;
    size_t policy_count;
} peri_judging;

/// Asks the chain; clamped results. Failing policies are reported and passed over.
void peri__judging_begin(peri_judging *j);
void peri__judging_reconcile(peri_judging *j, peri_policy_batch *batch, peri_decision *dropped);
peri_decision peri__judging_verdict(peri_judging *j, const peri_proposal *proposal);

/// Notes a veto that holds the agent, and tells whether `proposal` is that one again with no
/// tool work in between (case C58).
void peri__judging_hold(peri_judging *j, const peri_proposal *proposal);
bool peri__judging_is_held(const peri_judging *j, const peri_proposal *proposal);

#endif
