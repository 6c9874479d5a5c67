// What outlives a host of its pairings (spec CC-6): which observer's task watches which agent,
// how far it has read, its ctx.state, and the user's stops. In the ledger's file and in the
// transaction of what caused it. Also which delivery is being handed over, so that none is
// handed over twice.
#ifndef PERI_LEDGER_PAIRING_STATE_H
#define PERI_LEDGER_PAIRING_STATE_H

#include "base/arena.h"
#include "ledger/ledger.h"

typedef struct peri_pairing_row {
    peri_str session, agent, observer; // the key; borrowed
    peri_str task_id;
    peri_str saved_state;  // absent: lost, or never there
    peri_str transcript;   // path of the client's file of the observer; empty: it has none
    peri_str state;        // of the pairing, as a word
    int64_t since_wall_ms; // when it came into that state
    int64_t armed_wall_ms; // when it was armed first
    int64_t mode;          // permission mode then; -1: unknown
    uint64_t first;        // fingerprint of the agent's first item
    uint64_t cursor;       // number of the first item not digested
    uint64_t seen;         // number of the first item it was not woken for
    uint64_t digests, proposed;
} peri_pairing_row;

/// Stores a row in the open transaction, replacing its key's. Failures as for
/// peri_ledger_put().
PERI_MUST_USE int peri_ledger_put_pairing(peri_ledger *ledger, const peri_pairing_row *row,
                                          int64_t wall_ms);

/// The row of the key in `*row`: the other members are filled in,
/// texts copied to `arena`. PERI_ENOENT.
PERI_MUST_USE int peri_ledger_get_pairing(peri_ledger *ledger, peri_pairing_row *row,
                                          peri_arena *arena);

/// Notes the user's stop of `observer` (empty: of all): every pairing
/// armed until now. Durable at once.
PERI_MUST_USE int peri_ledger_stop(peri_ledger *ledger, peri_str observer, int64_t wall_ms);

/// When the user stopped `observer` last, or all of them; 0: never.
int64_t peri_ledger_stopped_at(peri_ledger *ledger, peri_str observer);

/// Notes that the user enabled `observer`: every pairing denied until now. Durable at once.
PERI_MUST_USE int peri_ledger_enable(peri_ledger *ledger, peri_str observer, int64_t wall_ms);

/// When the user enabled `observer` last; 0: never.
int64_t peri_ledger_enabled_at(peri_ledger *ledger, peri_str observer);

/// Notes that the delivery `id` is about to be handed over; durable
/// at once. And that it was, or was not.
PERI_MUST_USE int peri_ledger_begin_handing(peri_ledger *ledger, peri_str session, peri_str id);
PERI_MUST_USE int peri_ledger_end_handing(peri_ledger *ledger, peri_str session, peri_str id);

/// Visits the deliveries that a host before this one queued and did not finish: `handing` is
/// set for the one that was just being handed over.
typedef void (*peri_ledger_left_fn)(void *user, const peri_record *delivery, bool handing);
PERI_MUST_USE int peri_ledger_left(peri_ledger *ledger, peri_ledger_left_fn fn, void *user);

#endif
