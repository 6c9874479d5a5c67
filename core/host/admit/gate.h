// The door to the gate for `perilune gate`: one question, all of its steps, hooks included.
#ifndef PERI_HOST_GATE_H
#define PERI_HOST_GATE_H

#include "gate/gate.h"
#include "perilune/host.h"

typedef struct peri_gate_query {
    const char *agent;    // type of the observed agent, or main
    const char *observer; // its observer's type
    const char *mode;     // NULL: that of the settings
    const char *folder;   // where the agent works; absolute
} peri_gate_query;

/// Judges as a live host would when it arms the observer, and waits for the hooks. PERI_EINVAL
/// for an unknown mode, PERI_ENOMEM.
PERI_MUST_USE int peri_host_gate(peri_host *host, const peri_gate_query *query,
                                 peri_gate_trace *out);

#endif
