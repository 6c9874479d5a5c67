// The durable record (design D8): SQLite in WAL mode, fed from the record stream. Observations
// are not stored; a digest is kept as hash, size and scrubbed excerpt. Changes wait in memory
// until a commit writes them in one go, so that several hosts can share the file; a replay has
// a file of its own, which it empties first, and neither waits nor journals there. A busy or
// full database is never waited for on the loop, and what is lost is counted. What is stored is
// stored as it comes: scrubbing is done before, where records are made.
#ifndef PERI_LEDGER_LEDGER_H
#define PERI_LEDGER_LEDGER_H

#include "base/buf.h"
#include "perilune/record.h"

typedef struct peri_ledger peri_ledger;

enum {
    PERI_LEDGER_RECORD_MAX_BYTES = 256 * 1024, // all texts of one record together
    PERI_LEDGER_PREFIX_MIN = 4,                // characters of an id that stand for the whole
};

typedef struct peri_ledger_options {
    bool replace;      // empty an older file first; its rows are then kept whatever their age,
                       // since a replay's carry the recording's times
    bool read_only;    // for explain, log, status
    int64_t days;      // 0: 30
    int64_t max_bytes; // 0: 256 MiB; at least 256 KiB, at most 1 TiB. The file may pass it by a
                       // quarter
} peri_ledger_options;

typedef struct peri_ledger_stats {
    uint64_t stored, dropped_busy, dropped_full, dropped_error; // changes; stored: committed
} peri_ledger_stats;

/// Opens or makes the file with its parent directories (0700, the file 0600). PERI_ENOENT (read
/// only), PERI_EACCES, PERI_EIO, PERI_EAGAIN (another program kept it busy for two seconds),
/// PERI_EFORMAT (not a ledger, or of a newer version), PERI_ENOMEM; `*error` (borrowed static
/// text, one clause) says more.
PERI_MUST_USE int peri_ledger_open(const char *path, const peri_ledger_options *options,
                                   peri_ledger **out, const char **error);

/// Writes what is pending and closes. NULL is fine.
void peri_ledger_close(peri_ledger *ledger);

/// Takes one record; those it keeps wait for peri_ledger_commit(), in 4 MiB at most. A replay's
/// are written at once, and committed here by the MiB. A negative status means it will not be
/// stored and was counted; the caller goes on. PERI_EAGAIN (busy for so long that no more can
/// wait), PERI_ELIMIT (full, or an oversized record), PERI_EACCES (opened to be read),
/// PERI_ENOMEM, PERI_EIO and the like.
PERI_MUST_USE int peri_ledger_put(peri_ledger *ledger, const peri_record *record);

/// Makes everything put so far durable, all of it or nothing. PERI_EAGAIN: another program
/// writes, all of it waits on and the next call tries again; another negative status: what was
/// put since the last commit is lost, and counted (PERI_ECLOSED: another replay has replaced
/// the file). Retention is applied here, a bounded part at a time, at most once a minute of
/// wall time unless more is due.
PERI_MUST_USE int peri_ledger_commit(peri_ledger *ledger, int64_t wall_ms);

void peri_ledger_get_stats(const peri_ledger *ledger, peri_ledger_stats *out);

/// One stored row, lent to the callback of a query; it must not call the ledger.
typedef void (*peri_ledger_row_fn)(void *user, const peri_record *record);

/// All stored records of one proposal (proposal, decisions, deliveries) and the run and digest
/// it came from, in order. `id` may be a unique prefix of at least PERI_LEDGER_PREFIX_MIN
/// characters. PERI_ENOENT; PERI_EDUP if several match (the callback gets the proposals, at
/// most 64).
PERI_MUST_USE int peri_ledger_explain(peri_ledger *ledger, peri_str id, peri_ledger_row_fn fn,
                                      void *user);

/// Stored records in order, newest `limit` of those that match; absent texts match all.
PERI_MUST_USE int peri_ledger_log(peri_ledger *ledger, peri_str session, peri_str observer,
                                  uint64_t limit, peri_ledger_row_fn fn, void *user);

/// The newest `limit` proposals, in order. `*total` gets the number of all.
PERI_MUST_USE int peri_ledger_proposals(peri_ledger *ledger, uint64_t limit, uint64_t *total,
                                        peri_ledger_row_fn fn, void *user);

#endif
