// The seam between the host and whatever runs an observer: lua (script/), command (io/), later
// model. A runtime finishes every run it was given exactly once, at once or later; what it
// returns is foreign.
#ifndef PERI_RUNTIME_RUNTIME_H
#define PERI_RUNTIME_RUNTIME_H

#include "base/arena.h"
#include "model/turn.h"

enum {
    PERI_STATE_MAX_BYTES = 4096, // ctx.state, encoded
    PERI_RUN_MAX_ERROR_BYTES = 2048,
    PERI_RUN_MAX_FAILURES = 3, // in a row before an observer is disabled for the pairing
};

typedef enum peri_run_state {
    PERI_RUN_SILENT,     // nothing to say: the normal answer
    PERI_RUN_PROPOSED,   // `draft` is set
    PERI_RUN_SKIPPED,    // its wake() said no
    PERI_RUN_FAILED,     // error, junk, over memory: one strike
    PERI_RUN_TIMEOUT,    // out of instructions or time: one strike
    PERI_RUN_NO_RUNTIME, // nothing here can run it: counted, no strike
    PERI_RUN_LOST,       // what it was to go on from is gone, so it was shown nothing: the host
                         // begins anew with it and wakes it once more for the same batch
    PERI_RUN_ABANDONED, // nobody waited for its answer: the host ends, the observer was stopped
} peri_run_state;

peri_str peri_run_state_word(peri_run_state state);

/// What a run emitted, unchecked. Absent texts were not given.
typedef struct peri_draft {
    peri_str advise, veto, report; // exactly one should be present
    peri_str fingerprint, severity;
    peri_str data; // compact JSON
    uint64_t evidence[PERI_PROPOSAL_MAX_EVIDENCE];
    uint32_t evidence_count;
} peri_draft;

typedef struct peri_run_result {
    peri_run_state state;
    peri_draft draft;
    peri_str error;       // FAILED, TIMEOUT: what happened, with file and line where known
    peri_str saved_state; // ctx.state as compact JSON; absent: unchanged
    int64_t wait_until_wall_ms; // it wants no run before then, as `error` says why; 0: none
} peri_run_result;

/// One wake of one observer. Everything is borrowed for the call of peri_runtime.start; only
/// the definition lives as long as its host.
typedef struct peri_run_request {
    const peri_observer *observer;
    const peri_turn *turn;
    peri_str digest;      // the framed document
    peri_str saved_state; // ctx.state of the run before; absent: none
    peri_outcome last;
} peri_run_request;

/// Hears the end of a run. `result` and its texts are lent for the call.
typedef void (*peri_run_done)(void *user, const peri_run_result *result);

typedef struct peri_runtime {
    void *user;
    /// Starts a run. `done` hears its end once: before this returns, or from a later turn of
    /// the host's loop. A result given before this returns may have its texts in `arena`.
    void (*start)(void *user, const peri_run_request *request, peri_arena *arena,
                  peri_run_done done, void *done_user);
    /// Ends every run in flight now, each as PERI_RUN_ABANDONED. May be NULL.
    void (*abandon)(void *user);
    /// An agent that `observer` watched has ended: what idles for
    /// its next run may go. May be NULL.
    void (*rest)(void *user, const peri_observer *observer);
} peri_runtime;

/// Checks a draft against its observer's definition (spec PI-5) and makes a proposal of it. On
/// refusal `*reason` says why in one clause. A report is cut at PERI_PROPOSAL_TEXT_MAX_CP
/// instead of refused. PERI_OK with an owned `*out`; PERI_EINVAL; PERI_ENOMEM.
PERI_MUST_USE int peri_draft_check(const peri_observer *observer, const peri_draft *draft,
                                   peri_str id, peri_proposal **out, const char **reason);

/// True if the agent has made a call of this id, though its log does not hold it any more.
typedef bool (*peri_call_known)(void *user, peri_str call_id);

/// The id of a call of which `text` tells the outcome although it was never made, or has not
/// ended yet, by all that `log` and `known` say; a part of `text`, absent if there is none.
peri_str peri_invented_call(peri_str text, const peri_item *const *log, size_t count,
                            peri_call_known known, void *user);

#endif
