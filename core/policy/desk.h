// The desk of one agent: where its proposals are judged, counted and deferred. The policies'
// word is asked first, then clamped by ceilings that no script can pass (spec PE-3). Every
// proposal that comes in leaves as exactly one final ruling, deliver or drop; deferred ones
// wait here, at most 100.
#ifndef PERI_POLICY_DESK_H
#define PERI_POLICY_DESK_H

#include "base/buf.h"
#include "base/map.h"
#include "policy/policy.h"
#include "policy/similar.h"

enum {
    PERI_DEFER_MAX = 100,
    PERI_BATCH_MAX = 64,           // proposals of one batch
    PERI_POLICY_MAX = 16,          // policies of one chain
    PERI_POLICY_STRIKES = 3,       // failures in a row before a policy is disabled
    PERI_ADVISORIES_CAP = 10,      // of advisories_per_turn
    PERI_VETO_BUDGET_CAP = 10,     // of veto_budget
    PERI_SESSION_ADVISORIES = 200, // delivered in one session, whatever policies say; the
                                   // same again to the user
    PERI_SESSION_BLOCKERS = 50,    // of those, whatever calls itself a blocker
    PERI_DELIVERED_KEPT = 16,      // texts remembered for similarity
    PERI_BOOK_MAX_KEYS = 4096,     // (observer, fingerprint) pairs remembered
};

/// Vetoes spent in one session, by observer and fingerprint. Keys cannot collide (case C59).
typedef struct peri_veto_book {
    peri_map counts; // owned keys "len:observer|fingerprint" and "len:observer"
    uint32_t session;
    uint32_t advisories; // delivered in the session to the agent,
    uint32_t blockers;   // of those, blockers,
    uint32_t told;       // and to the user
    uint32_t lost;       // keys beyond the maximum: counted as spent
} peri_veto_book;

void peri_veto_book_init(peri_veto_book *book, uint64_t seed);
void peri_veto_book_deinit(peri_veto_book *book);
/// Takes back what was spent before a restart. Not trusted: a count is clamped to `budget`,
/// what it adds to its observer's to twice, to the session's to four times that; a key told
/// twice counts once, by the higher number.
void peri_veto_book_restore(peri_veto_book *book, peri_str observer, peri_str fingerprint,
                            uint64_t count, uint32_t budget);
peri_veto_counts peri_veto_book_get(const peri_veto_book *book, peri_str observer,
                                    peri_str fingerprint);

typedef struct peri_deferred {
    peri_proposal *proposal; // owned
    uint32_t expires_turn;   // 0: none
} peri_deferred;

/// How the policies of a chain fare; one for all desks of a host.
typedef struct peri_policy_health {
    struct {
        uint32_t failures; // in a row
        bool disabled;
    } of[PERI_POLICY_MAX];
} peri_policy_health;

typedef struct peri_desk {
    peri_veto_book *book; // of the session; borrowed
    peri_policy_limits limits;
    peri_budget used;        // in this window
    peri_map taken;          // owned fingerprints of advice that was delivered or deferred
    peri_deferred *deferred; // owned; oldest first
    size_t deferred_count, deferred_cap;
    peri_shingles *delivered; // owned ring of what was delivered; NULL until the first
    size_t delivered_count;
    uint64_t delivered_work; // the agent's work when the last advice went out
    uint64_t held_hash;      // of the last veto that held: observer, fingerprint, text,
    uint64_t held_work;      // the agent's work then,
    bool held, held_told;    // whether there was one, and the user was told of its return
} peri_desk;

/// What the host knows at the moment of judging.
typedef struct peri_desk_env {
    peri_str session;
    peri_run_phase phase;
    int64_t wall_ms;
    int32_t zone_min;
    uint32_t turn, step;
    uint64_t work; // counts the agent's tool calls: has it done anything since?
    bool (*overtaken)(void *user, const peri_proposal *proposal);
    /// The lane that stands in for one that does not lead to the agent; the same if it does.
    /// May be NULL: all do.
    peri_lane (*lane_for)(void *user, peri_lane lane);
    /// A proposal's fate. `released`: it had been deferred.
    void (*on_ruling)(void *user, const peri_proposal *proposal, const peri_decision *decision,
                      bool released);
    /// Asks for one more veto: NULL, and it is counted, or the ceiling
    /// that is reached. May be NULL: none.
    const char *(*spend_veto)(void *user);
    void (*on_policy_error)(void *user, peri_str policy, peri_str error, bool disabled);
    void *user;
} peri_desk_env;

/// `limits` are clamped to their caps. `book` must outlive the desk.
void peri_desk_init(peri_desk *desk, peri_policy_limits limits, peri_veto_book *book,
                    uint64_t seed);
void peri_desk_deinit(peri_desk *desk);

/// New limits, clamped to their caps; what was spent stays spent.
void peri_desk_limit(peri_desk *desk, peri_policy_limits limits);

/// Takes back a fingerprint that was delivered before a restart.
void peri_desk_restore(peri_desk *desk, peri_str fingerprint);

/// A new window: counts restart and deferred proposals are judged again, oldest first.
void peri_desk_open_window(peri_desk *desk, const peri_policy_engine *engine,
                           peri_policy_health *health, const peri_desk_env *env,
                           peri_arena *arena);

/// Judges a batch. Proposals that stay deferred are copied; the caller
/// keeps its own. `engine` may be NULL.
void peri_desk_decide(peri_desk *desk, const peri_policy_engine *engine,
                      peri_policy_health *health, const peri_desk_env *env,
                      const peri_proposal *const *proposals, size_t count, peri_arena *arena);

/// Drops everything deferred with `reason`.
void peri_desk_clear(peri_desk *desk, const peri_desk_env *env, const char *reason);

#endif
