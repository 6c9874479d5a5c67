// The command protocol (docs/reference/command-protocol.md): one run is one line of JSON to the
// command and one line back. Both directions and both ends are here, so that the host and
// `perilune worker` cannot disagree. Whatever a line holds is foreign.
#ifndef PERI_RUNTIME_WIRE_H
#define PERI_RUNTIME_WIRE_H

#include "base/buf.h"
#include "runtime/runtime.h"

enum {
    PERI_WIRE_REQUEST_BYTES = 16 * 1024 * 1024, // longest line to a command
    PERI_WIRE_ANSWER_BYTES = 64 * 1024,         // and back
};

/// How texts are cleaned on their way out. `text` with what must not leave replaced, in `room`
/// if anything was.
typedef struct peri_wire_clean {
    peri_str (*fn)(void *user, peri_str text, peri_buf *room); // NULL: texts go out as they are
    void *user;
    uint64_t key; // content marks are mixed with it, so that they give no text away
} peri_wire_clean;

/// Appends the line for `request` with its line end. `out->status` tells what did not fit.
void peri_wire_put_request(peri_buf *out, const peri_run_request *request, uint64_t run,
                           const peri_wire_clean *clean);

/// A request as the other end reads it. Texts live in the line or the arena.
typedef struct peri_wire_request {
    uint64_t run;
    peri_observer observer; // its name and source_hash alone
    peri_turn turn;
    peri_goal goal;
    peri_run_request request; // of the three above
} peri_wire_request;

/// Reads a line (valid UTF-8). `out` must stay where it is while it is used. PERI_EPARSE,
/// PERI_ENOMEM and the statuses of peri_json_parse.
PERI_MUST_USE int peri_wire_read_request(peri_str line, peri_json_doc *doc, peri_arena *arena,
                                         peri_wire_request *out);

/// Appends the answer to `run` with its line end.
void peri_wire_put_answer(peri_buf *out, uint64_t run, const peri_run_result *result);

/// Reads the answer to `run`. Texts are put into `arena`. One that is no answer gives
/// PERI_RUN_FAILED with the reason.
void peri_wire_read_answer(peri_str line, uint64_t run, peri_arena *arena,
                           peri_run_result *result);

#endif
