// What is told of what happens: the stream of records, and what status is told from. Everything
// else in the host may call these; they call nothing of it but what stands before them here.
//
//   subscribers        who hears the records
//   records            the record stream
//   standing           what status is told from
//   moves              a pairing's moves
#ifndef PERI_HOST_TOLD_H
#define PERI_HOST_TOLD_H

#include "host/types.h"

// host/told/subscribers.c
/// Hands a record to every subscriber; for one that is busy a copy waits in its queue.
void host_subscribers_hear(peri_host *host, const peri_record *record);
/// Offers what waits once more.
void host_subscribers_drain(peri_host *host);
int host_subscribers_timeout_ms(
    const peri_host *host); // until the next offer; -1: nothing waits
/// Appends `,"subscribers":[...]`.
void host_subscribers_write_status(const peri_host *host, peri_buf *out);
void host_subscribers_free(peri_host *host);

// host/told/records.c
/// A record about a piece of work; more is filled in by the caller.
peri_record host_record_of(peri_record_kind kind, const host_work *work);
/// Sends a record; `seq`, time and json are filled in.
void host_record(peri_host *host, peri_record *record);
/// The same of an observation, unless the options leave them out.
void host_record_observation(peri_host *host, const peri_obs *obs);
/// A warning record: what is wrong, in which file (absent: none), and what to do about it.
void host_warn(peri_host *host, const char *id, peri_str file, peri_str text, peri_str hint);
/// One line of log without secrets, cut at HOST_LOG_BYTES. `severity`: error, warning or note.
void host_logf(peri_host *host, const char *severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// Logs what loading found wrong, warns of it, and forgets it.
void host_diags_flush(peri_host *host);
/// Wall time in ms; in a replay the recording's.
int64_t host_wall_ms(const peri_host *host);
/// `text` with its secrets replaced, in `room` if any were; raw where scrubbing is off.
peri_str host_scrubbed(peri_host *host, peri_str text, peri_buf *room);
/// The same of a JSON value; empty if it would be none any more.
peri_str host_scrubbed_json(peri_host *host, peri_str json, peri_buf *room);

// host/told/standing.c
/// Notes that something about the pairing changed that status tells.
void host_standing_touch(peri_host *host, peri_pairing *pairing);
/// The same for the number of an agent's items.
void host_standing_heard(peri_host *host, host_agent *of);
/// Why proposals of an observer were dropped.
void host_standing_drop(peri_host *host, peri_pairing *pairing, peri_str reason);
/// What hosts before this one counted.
void host_standing_resume(peri_host *host, peri_pairing *pairing);
/// Stores all of it for the commit that follows.
void host_standing_save(peri_host *host);

// host/told/moves.c
/// Moves a pairing as the table allows (peri_pairing_move()); a
/// move it has not is refused and recorded.
int host_pairing_move(peri_host *host, peri_pairing *pairing, peri_cause cause);
/// Tells a pairing's state to the record stream. `trace`: the
/// gate's judgement behind it, or NULL.
void host_pairing_tell(peri_host *host, peri_pairing *pairing, peri_str state, peri_str reason,
                       const peri_gate_trace *trace);
/// Ends the pairings of an agent that ended; each is recorded.
void host_retire(peri_host *host, const peri_agent *agent);

#endif
