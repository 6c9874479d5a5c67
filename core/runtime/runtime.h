// The seam between the host and whatever runs an observer: lua (script/), later model and
// command (io/). A runtime finishes every run it was given exactly once; what it returns is
// foreign.
#ifndef PERI_RUNTIME_RUNTIME_H
#define PERI_RUNTIME_RUNTIME_H

#include "base/arena.h"
#include "model/turn.h"

enum {
    PERI_STATE_MAX_BYTES = 4096, // ctx.state, encoded (contracts.md 3)
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
    uint64_t used_us;
} peri_run_result;

/// One wake of one observer. Everything is borrowed until the run is finished.
typedef struct peri_run_request {
    const peri_observer *observer;
    const peri_turn *turn;
    peri_str digest;      // the framed document
    peri_str saved_state; // ctx.state of the run before; absent: none
    peri_outcome last;
} peri_run_request;

typedef struct peri_runtime {
    void *user;
    /// Runs to the end. `result`'s texts are put into `arena`.
    void (*run)(void *user, const peri_run_request *request, peri_arena *arena,
                peri_run_result *result);
} peri_runtime;

/// Checks a draft against its observer's definition (spec PI-5) and makes a proposal of it. On
/// refusal
/// `*reason` says why in one clause. A report is cut at PERI_PROPOSAL_TEXT_MAX_CP instead of
/// refused. PERI_OK with an owned `*out`; PERI_EINVAL; PERI_ENOMEM.
PERI_MUST_USE int peri_draft_check(const peri_observer *observer, const peri_draft *draft,
                                   peri_str id, peri_proposal **out, const char **reason);

#endif
