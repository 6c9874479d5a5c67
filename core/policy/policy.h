// Policies decide, the core bounds: walks the configured list of policies over a batch of
// proposals and turns every proposal into exactly one decision with a reason.
// Knows no Lua: script/ implements peri_policy_engine.
#ifndef PERI_POLICY_POLICY_H
#define PERI_POLICY_POLICY_H

#include "base/arena.h"
#include "model/proposal.h"

typedef enum peri_run_phase {
    PERI_PHASE_IDLE,
    PERI_PHASE_RUNNING,
    PERI_PHASE_SETTLED,
    PERI_PHASE_PLAN,    // it plans and may not act
    PERI_PHASE_STOPPED, // by the user
    PERI_PHASE_ENDED,   // its session
    PERI_PHASE_COUNT
} peri_run_phase;

peri_str peri_run_phase_word(peri_run_phase phase);

typedef struct peri_budget {
    uint32_t advisories, vetoes; // that this window may still deliver
} peri_budget;

typedef struct peri_policy_limits {
    uint32_t advisories_per_turn; // per window; cap 10
    uint32_t veto_budget; // per (observer, fingerprint); cap 10. Per observer 2x, session 4x
} peri_policy_limits;

typedef struct peri_veto_counts {
    uint32_t key, observer, session; // spent so far
} peri_veto_counts;

/// What a policy may ask about a proposal; answered from the
/// core's counters. All const, all cheap.
typedef struct peri_policy_facts {
    void *user;
    peri_budget left; // of the window
    peri_policy_limits limits;
    peri_run_phase phase;
    int64_t wall_ms;  // injected clock
    int32_t zone_min; // minutes east of UTC
    uint32_t turn, step;
    uint32_t (*age)(void *user, const peri_proposal *p);   // steps since it was made
    double (*similar)(void *user, const peri_proposal *p); // 0-1, to texts delivered earlier
    bool (*new_input)(void *user, const peri_proposal *p); // work since the last delivery?
    bool (*overtaken)(void *user, const peri_proposal *p); // its evidence changed since?
    bool (*taken)(void *user, peri_str fingerprint);
    peri_veto_counts (*vetoes)(void *user, peri_str observer, peri_str fingerprint);
} peri_policy_facts;

/// One reconcile call: `order` lists the kept proposals (indexes into `all`), best first; a
/// policy may reorder it and move entries to `dropped`.
typedef struct peri_policy_batch {
    const peri_proposal *const *all;
    size_t count;
    uint32_t *order; // room for `count`
    size_t kept;
    peri_str *drop_reason; // by index into `all`; absent: not dropped. Room for `count`
    uint32_t *into; // by index, of a dropped one: 1 + the kept one whose note it joins; 0:
                    // none. Room for `count`; NULL: nobody asks
} peri_policy_batch;

/// Implemented by script/. Each call returns 1 if the policy has that fold and it worked, 0 if
/// it has not, PERI_ESCRIPT or PERI_ETIMEOUT with `*error` set (from `arena`) if it failed.
/// Indexes that a policy neither kept nor dropped are absent from both lists: the core deals
/// with them.
typedef struct peri_policy_engine {
    void *user;
    size_t (*count)(void *user);
    peri_str (*name)(void *user, size_t policy);
    /// `session` names the owner of the policy's ctx.state.
    int (*reconcile)(void *user, size_t policy, peri_str session,
                     const peri_policy_facts *facts, peri_policy_batch *batch,
                     peri_arena *arena, peri_str *error);
    int (*budget)(void *user, size_t policy, peri_str session, const peri_policy_facts *facts,
                  peri_budget *budget, peri_arena *arena, peri_str *error);
    int (*deliver)(void *user, size_t policy, peri_str session, const peri_policy_facts *facts,
                   const peri_proposal *proposal, peri_decision *decision, peri_arena *arena,
                   peri_str *error);
} peri_policy_engine;

#endif
