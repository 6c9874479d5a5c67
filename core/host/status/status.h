// What a host says when somebody asks, of itself and from the ledger.
//
//   counts             what this host has counted
//   summary            what it says of itself
//   lag                are the sources read?
//   history            what the ledger remembers
//   states             why is it silent?
//   states_json        the same as JSON
//   status             the status document
#ifndef PERI_HOST_STATUS_H
#define PERI_HOST_STATUS_H

#include "host/types.h"

// host/status/counts.c
/// What was read so far: what is done, and what is still open.
typedef struct host_read_counts {
    peri_ingest_counts all;
    host_dialect_counts by_dialect[HOST_MAX_DIALECTS];
} host_read_counts;
host_read_counts host_counts_read(peri_host *host);
/// Sessions that are observed, and how many agents they have;
/// observers' own are not among them.
size_t host_counts_sessions(const peri_host *host, size_t *agents);
/// Appends members of a JSON object, without braces and commas around them: the totals,
void host_counts_add_totals(const peri_host *host, peri_buf *out);
/// `"ingest":{...}`,
void host_counts_add_ingest(const peri_ingest_counts *c, peri_buf *out);
/// `"outbox":{...}`,
void host_counts_add_outbox(const peri_host *host, peri_buf *out);
/// and all of them, with what else this host alone knows.
void host_counts_add_json(peri_host *host, peri_buf *out);

// host/status/summary.c
/// The summary record, once: the last of a stream.
void host_summary(peri_host *host);
/// Stores what the host says of itself, once a second at most and if it has said something
/// since, for the commit that follows. `ended`: the last time, and at once.
void host_tell_self(peri_host *host, bool ended);
/// How long until it will; -1: it has nothing to tell.
int host_tell_timeout_ms(const peri_host *host);

// host/status/lag.c
/// As peri_host_source_lag(), of that ledger.
PERI_MUST_USE int host_source_lag(peri_host *host, peri_ledger *ledger, peri_source_lag *out);

// host/status/states_json.c
/// Appends `,"states":[...],"hosts":[...],"sourceLag":{...}`.
void host_states_add_json(peri_host *host, peri_buf *out);

#endif
