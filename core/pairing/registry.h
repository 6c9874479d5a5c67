// Who is observed and by whom: sessions, their agents, and the pairings of each (spec CC-5).
// Pairs every enabled observer with every agent it applies to, never an observer's own session.
// Owns lifecycles, not data: what the host keeps of an agent hangs on `attached`.
#ifndef PERI_PAIRING_REGISTRY_H
#define PERI_PAIRING_REGISTRY_H

#include "base/map.h"
#include "model/observer.h"

enum {
    PERI_MAX_SESSIONS = 100000,
    PERI_MAX_AGENTS = 4096, // of one session
    PERI_TASK_ID_ROOM = 48,
    PERI_MAX_PAIRINGS = 36, // of one agent: 32 of layers, 4 named by its definition
};

#define PERI_PAIRING_STATE_LIST(X)                                                             \
    X(ARMED, "armed")                                                                          \
    X(DENIED, "denied")                                                                        \
    X(RETIRED, "retired")                                                                      \
    X(STOPPED, "stopped")

typedef enum peri_pairing_state {
#define PERI_PAIRING_ENUM(name, word) PERI_PAIRING_##name,
    PERI_PAIRING_STATE_LIST(PERI_PAIRING_ENUM)
#undef PERI_PAIRING_ENUM
        PERI_PAIRING_STATE_COUNT
} peri_pairing_state;

/// Who may move a pairing.
typedef enum peri_cause {
    PERI_CAUSE_GATE,        // a permission rule or hook said no
    PERI_CAUSE_AGENT_END,   // the observed agent ended
    PERI_CAUSE_USER_STOP,   // the user stopped the observer: terminal
    PERI_CAUSE_USER_ENABLE, // the user enabled a denied observer again
    PERI_CAUSE_RESUME,      // the agent goes on
    PERI_CAUSE_COUNT
} peri_cause;

peri_str peri_pairing_state_word(peri_pairing_state state);
peri_str peri_cause_word(peri_cause cause);

/// The one table of allowed transitions: where `cause` leads from
/// `from`, or -1 if it is not allowed.
int peri_pairing_next(peri_pairing_state from, peri_cause cause);

typedef struct peri_session peri_session;
typedef struct peri_agent peri_agent;

typedef struct peri_pairing_counts {
    uint64_t missed; // wakes that came while a run was in flight
    uint64_t digests, runs, silent, skipped, no_runtime, proposed, failed, refused, delivered,
        deferred, dropped;
    uint64_t denied, gate_errors; // batches dropped since the gate said no, or could not judge
    uint64_t lost_batches;        // digests that could not be made or shown
    uint64_t lost_states;         // runs that found what they were to go on from gone
    uint64_t reports, refused_reports;
} peri_pairing_counts;

/// What is kept of an observer's last proposal.
typedef enum peri_last {
    PERI_LAST_ID,
    PERI_LAST_TEXT,
    PERI_LAST_FINGERPRINT,
    PERI_LAST_VERDICT,
    PERI_LAST_LANE,
    PERI_LAST_REASON,
    PERI_LAST_STATE, // dropped, deferred, logged, or what its delivery has come to
    PERI_LAST_COUNT
} peri_last;

typedef struct peri_pairing {
    peri_agent *agent;
    const peri_observer *observer;
    char task_id[PERI_TASK_ID_ROOM]; // the observer's task, ended by NUL
    peri_pairing_state state;
    bool disabled; // three failures in a row
    bool named;    // by its agent's definition: a missed wake is made up for (spec PI-6)
    void *run;     // the host's: the run in flight; NULL: none
    bool asking;   // the gate is asked, and its hooks have not answered
    void *waiting; // the host's: the batch that is due then; owned
    bool admitted; // they have, for the batch that is due next
    int mode;      // the permission mode that held when it was armed; -1: not known yet
    uint64_t gate_version; // of the permissions it was judged by last
    int64_t armed_wall_ms; // when it was armed first, by this host or one before it
    uint64_t asked;        // it was woken for the items before this number, by this host
    uint64_t seen;         // and by the hosts before it; 0: not at all
    uint64_t seen_cursor;  // `cursor` then
    uint64_t seen_first;   // fingerprint of the agent's first item then
    bool note_due;         // its state was lost: the next digest begins with a recovery note
    int64_t wait_until_wall_ms; // its runtime asked to be left alone until then; 0: it did not
    int64_t wait_since_wall_ms; // when it asked; a clock that stands before that was put back
    bool out_of_budget;         // and told so
    int64_t budget_until_wall_ms; // when there is a new one; 0: not in this session
    int64_t since_wall_ms;        // when it came into its state
    peri_str why;                 // what brought it there; owned; absent while armed
    peri_str told;                // the state its records told last, a word of the program
    const peri_agent *reports_to; // the coordinator of an inherited observer; NULL: its agent
    uint32_t failures;            // in a row
    uint64_t cursor;              // number of the next activity item to digest
    peri_str saved_state;         // ctx.state as JSON; owned
    peri_str
        transcript; // path of the observer's own, where the observed client keeps it; owned
    peri_str last_error;            // owned
    peri_str last[PERI_LAST_COUNT]; // owned
    bool last_due;                  // its next digest is to say so
    peri_pairing_counts counts;
    peri_pairing_counts before; // of the hosts before this one
    uint64_t digest_step;       // of its last digest
    int64_t digest_wall_ms;     // 0: none yet
    uint64_t overdue;           // wakes since then that could not be met
    peri_str last_drop;         // why its last dropped proposal was; owned
    bool touched;               // the host's: its standing is to be stored
    struct peri_pairing *next_touched;
} peri_pairing;

struct peri_agent {
    peri_session *session;
    peri_str key;    // "main" or a task id; owned
    peri_str name;   // the agent's type; "" while unknown; owned
    peri_str cwd;    // owned; may be absent
    peri_str parent; // owned; may be absent
    bool is_observer, ended;
    bool armed;              // by peri_registry_arm(); whoever changes `name` takes it off
    peri_pairing **pairings; // owned, each; an address stays the same as long as its agent
    size_t pairing_count;
    void *attached; // the host's
    peri_agent *next;
};

struct peri_session {
    peri_str id; // owned
    bool is_observer, ended;
    peri_agent *agents, **last_agent; // in order of first sight
    size_t agent_count;
    void *attached; // the host's
    peri_session *next;
};

typedef struct peri_registry {
    peri_map sessions;           // by id
    peri_session *first, **last; // in order of first sight
    size_t session_count, agent_count, pairing_count;
    size_t refused_count; // sessions or agents beyond the maximum
    uint64_t seed;
    /// Called once for each attachment when its owner is freed.
    void (*free_agent)(void *attached);
    void (*free_session)(void *attached);
} peri_registry;

void peri_registry_init(peri_registry *registry, uint64_t seed, void (*free_agent)(void *),
                        void (*free_session)(void *));
void peri_registry_deinit(peri_registry *registry);

/// The agent of an agent key, made if it is new (`*made` is
/// set then). PERI_ELIMIT, PERI_ENOMEM.
PERI_MUST_USE int peri_registry_agent(peri_registry *registry, peri_str session, peri_str agent,
                                      peri_agent **out, bool *made);

/// The agent of an agent key, or NULL.
peri_agent *peri_registry_find(const peri_registry *registry, peri_str session, peri_str agent);

/// Whether `observer` applies to an agent: enabled, not the agent itself, not an observer's
/// session, and named by its `agents` if it narrows them (by type, or by "main").
bool peri_pairing_applies(const peri_observer *observer, const peri_agent *agent);

/// Arms every observer of `observers` that applies and is not paired yet; `on_armed` hears of
/// each. Does nothing while `agent->armed` is set. PERI_OK; PERI_ELIMIT at PERI_MAX_PAIRINGS,
/// once; PERI_ENOMEM, the next call tries again. Those armed before stay.
PERI_MUST_USE int peri_registry_arm(peri_registry *registry, peri_agent *agent,
                                    const peri_observer *const *observers, size_t count,
                                    void (*on_armed)(void *user, peri_pairing *pairing),
                                    void *user);

/// Arms one observer that the agent's definition names, if none of that name is paired yet: 1,
/// or 0. PERI_ELIMIT, PERI_ENOMEM.
PERI_MUST_USE int peri_registry_pair(peri_registry *registry, peri_agent *agent,
                                     const peri_observer *observer,
                                     void (*on_armed)(void *user, peri_pairing *pairing),
                                     void *user);

/// Gives the pairing a task id that no pairing before it had: `salt` is another one each time.
void peri_pairing_renew(peri_pairing *pairing, uint64_t salt);

/// Moves a pairing as the table allows: 1 if its state changed, 0 if it is there already,
/// PERI_ESTATE if the table has no such move.
int peri_pairing_move(peri_pairing *pairing, peri_cause cause);

/// True if the pairing may be fed and run.
static inline bool peri_pairing_active(const peri_pairing *pairing) {
    return pairing->state == PERI_PAIRING_ARMED && !pairing->disabled &&
           pairing->observer->enabled; // it may be switched off meanwhile
}

/// Replaces an owned text by a copy of `text` (absent: none). PERI_ENOMEM keeps the old one.
PERI_MUST_USE int peri_own(peri_str *slot, peri_str text);

/// The same where the old text will do if memory runs out.
void peri_try_own(peri_str *slot, peri_str text);

#endif
