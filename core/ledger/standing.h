// How each pairing fares, for who asks while no host is at hand or from beside one that runs
// (case C67): state and counts of every pairing, how much its agent has done, why proposals
// were dropped. Also which hosts work on this ledger, and what they say of themselves. In the
// ledger's file, and in the transaction of what changed it.
#ifndef PERI_LEDGER_STANDING_H
#define PERI_LEDGER_STANDING_H

#include "base/arena.h"
#include "ledger/ledger.h"

typedef struct peri_standing {
    peri_str session, agent, observer; // the key; borrowed
    peri_str state, cause;             // of the pairing, as its record says
    int64_t since_wall_ms;
    int64_t until_wall_ms; // when the state ends by itself; 0: it does not
    peri_str last_error, last_drop;
    uint64_t runs, silent, skipped, no_runtime, failures, proposed, delivered, deferred,
        dropped, tokens;
    uint64_t digest_step;   // of the last digest
    int64_t digest_wall_ms; // 0: none yet
    uint64_t overdue;       // wakes since then that could not be met
    uint64_t read_to;   // number of the last item of the agent that it was shown or passed over
    int64_t at_wall_ms; // when it was stored
    uint64_t items;     // read only: of the agent so far
} peri_standing;

/// Stores one with the next commit, replacing its key's. Failures as for peri_ledger_put().
PERI_MUST_USE int peri_ledger_put_standing(peri_ledger *ledger, const peri_standing *from,
                                           int64_t wall_ms);

/// Stores the number of items of an agent.
PERI_MUST_USE int peri_ledger_put_heard(peri_ledger *ledger, peri_str session, peri_str agent,
                                        uint64_t items, int64_t wall_ms);

/// Counts a proposal of `observer` that was dropped.
PERI_MUST_USE int peri_ledger_add_drop(peri_ledger *ledger, peri_str observer, peri_str reason,
                                       int64_t wall_ms);

/// Visits the standings of `observer`, the latest `limit`, in
/// the order in which they were stored.
typedef void (*peri_standing_fn)(void *user, const peri_standing *standing);
PERI_MUST_USE int peri_ledger_standings(peri_ledger *ledger, peri_str observer, uint64_t limit,
                                        peri_standing_fn fn, void *user);

/// Visits the one with the key of `key`, if it is there.
PERI_MUST_USE int peri_ledger_get_standing(peri_ledger *ledger, const peri_standing *key,
                                           peri_standing_fn fn, void *user);

/// Visits the names of all observers that have a standing, in order.
typedef void (*peri_observer_name_fn)(void *user, peri_str name);
PERI_MUST_USE int peri_ledger_observers(peri_ledger *ledger, peri_observer_name_fn fn,
                                        void *user);

/// Visits why proposals of `observer` were dropped, the most frequent reasons first.
typedef void (*peri_drop_fn)(void *user, peri_str reason, uint64_t count);
PERI_MUST_USE int peri_ledger_drops(peri_ledger *ledger, peri_str observer, uint64_t limit,
                                    peri_drop_fn fn, void *user);

/// The latest stored warning called `state`: its file goes to `arena`. PERI_ENOENT.
PERI_MUST_USE int peri_ledger_last_warning(peri_ledger *ledger, peri_str state,
                                           peri_arena *arena, peri_str *file,
                                           int64_t *at_wall_ms);

typedef struct peri_host_row {
    int64_t id, pid, started_wall_ms, at_wall_ms;
    bool ended;
    peri_str status, text; // JSON, and lines for people; borrowed
} peri_host_row;

/// Stores a host with the next commit, replacing its id's.
PERI_MUST_USE int peri_ledger_put_host(peri_ledger *ledger, const peri_host_row *row);

/// Visits the latest `limit` hosts, the latest first.
typedef void (*peri_host_row_fn)(void *user, const peri_host_row *row);
PERI_MUST_USE int peri_ledger_hosts(peri_ledger *ledger, uint64_t limit, peri_host_row_fn fn,
                                    void *user);

#endif
