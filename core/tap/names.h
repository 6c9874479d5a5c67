// The names of an agent's latest calls, for results that name only the call they answer:
// formats tell a tool's name once, AgentObservation with every result.
#ifndef PERI_TAP_NAMES_H
#define PERI_TAP_NAMES_H

#include "model/observation.h"

enum { PERI_NAMES_CALLS = 64, PERI_NAMES_BYTES = 64 }; // calls remembered; kept of a name

typedef struct peri_call_name {
    uint64_t call; // hash of the call id; 0: free
    uint8_t len;
    char name[PERI_NAMES_BYTES];
} peri_call_name;

typedef struct peri_names {
    peri_call_name *calls; // owned, a ring; NULL until the first call
    size_t count;
} peri_names;

void peri_names_deinit(peri_names *names);

/// Remembers the name of a call; gives it to a result or denial that has none. The text lives
/// until the next call on `names`. Out of memory: the result stays without.
void peri_names_take(peri_names *names, peri_obs *obs);

#endif
