// What the ledger remembers of one observer (host/status/history.c), for host/status/states.c.
#ifndef PERI_HOST_HISTORY_H
#define PERI_HOST_HISTORY_H

#include "host/types.h"
#include "ledger/standing.h"

/// The worse the later.
typedef enum host_fate {
    HOST_FATE_WELL,
    HOST_FATE_BEHIND, // wakes came that could not be met
    HOST_FATE_COOLING_DOWN,
    HOST_FATE_OUT_OF_BUDGET,
    HOST_FATE_DISABLED,
    HOST_FATE_STOPPED,
    HOST_FATE_DENIED,
} host_fate;

typedef struct host_history {
    bool paired;             // ever
    bool live;               // the picked pairing's session is observed now
    host_fate fate;          // of the picked one
    peri_str cause, session; // of the picked one
    int64_t since_wall_ms, until_wall_ms;
    uint64_t overdue, waiting;       // of the picked one: wakes not met, items not shown
    uint64_t live_count, same_count; // pairings that are live, and those of them with this fate
    uint64_t runs, silent, skipped, no_runtime, failures, proposed, delivered, deferred,
        dropped, tokens;
    uint64_t heard, lag; // items of its agents; of live ones, those it was not shown
    uint64_t digest_step;
    int64_t digest_wall_ms;
    peri_str last_error, last_drop;
    peri_drop_count *drops;
    size_t drop_count;
} host_history;

typedef struct history_reading {
    const peri_host *host;
    peri_ledger *ledger; // may be NULL
    peri_arena *arena;   // the texts go there
    peri_claims claims;  // to ask by
    int64_t now_wall_ms;
    host_history *out; // host_history_read()'s own
} history_reading;

/// Reads all of it; `out` is empty if there is nothing. PERI_ENOMEM, PERI_EIO.
PERI_MUST_USE int host_history_read(history_reading *reading, peri_str observer,
                                    host_history *out);

#endif
