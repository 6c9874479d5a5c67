// What the files of the ledger share: the handle, and the columns of its one table. A row is a
// record, a column is a field of peri_record by the same name, so that the table can be read
// with the record's documentation in hand.
#ifndef PERI_LEDGER_LEDGER_INTERNAL_H
#define PERI_LEDGER_LEDGER_INTERNAL_H

#include <sqlite3.h>

#include "ledger/ledger.h"

#define LEDGER_NUMBER_LIST(X) X(seq) X(step) X(turn) X(count)

#define LEDGER_TEXT_LIST(X)                                                                    \
    X(session)                                                                                 \
    X(agent)                                                                                   \
    X(id)                                                                                      \
    X(observer)                                                                                \
    X(state)                                                                                   \
    X(text)                                                                                    \
    X(reason)                                                                                  \
    X(lane)                                                                                    \
    X(policy)                                                                                  \
    X(severity)                                                                                \
    X(fingerprint)                                                                             \
    X(name)                                                                                    \
    X(call_id)                                                                                 \
    X(nonce)                                                                                   \
    X(hash)                                                                                    \
    X(file)                                                                                    \
    X(trigger)                                                                                 \
    X(json)

#define LEDGER_COLUMN(field) ", \"" #field "\""
#define LEDGER_COLUMNS                                                                         \
    "kind, at_wall_ms" LEDGER_NUMBER_LIST(LEDGER_COLUMN) LEDGER_TEXT_LIST(LEDGER_COLUMN)

// The rows that are looked for by kind or id. Digests and runs, nine of ten rows, are in no
// index: those of a proposal stand a few rows before it. SQLite uses the index only for queries
// that say `kind = ` one of these, or this very term.
#define LEDGER_IS_SOUGHT                                                                       \
    "(kind = 'proposal' OR kind = 'decision' OR kind = 'delivery' OR kind = 'warning')"

enum { LEDGER_PAGE_BYTES = 4096 };

typedef enum ledger_statement {
    LEDGER_BEGIN, // up to LEDGER_INSERT: ready from the start, the others from their first use
    LEDGER_COMMIT,
    LEDGER_ROLLBACK,
    LEDGER_EPOCH,
    LEDGER_INSERT,
    LEDGER_DROP_OLD,
    LEDGER_DROP_FIRST,
    LEDGER_USED_PAGES,
    LEDGER_SHRINK,
    LEDGER_PUT_CHECKPOINT,
    LEDGER_DROP_CHECKPOINT,
    LEDGER_CHECKPOINT_OF_PATH,
    LEDGER_CHECKPOINT_OF_INODE,
    LEDGER_CHECKPOINTS_KEPT,
    LEDGER_PUT_PAIRING,
    LEDGER_GET_PAIRING,
    LEDGER_STOPPED_AT,
    LEDGER_ENABLED_AT,
    LEDGER_END_HANDING,
    LEDGER_ADD_SPENT,
    LEDGER_GET_SPENT,
    LEDGER_PUT_POLICY_STATE,
    LEDGER_GET_POLICY_STATE,
    LEDGER_PUT_HOST,
    LEDGER_PUT_STANDING,
    LEDGER_PUT_HEARD,
    LEDGER_ADD_DROP,
    LEDGER_PAIRINGS_KEPT, // from here on: what is older than the kept days
    LEDGER_STANDINGS_KEPT,
    LEDGER_HEARD_KEPT,
    LEDGER_SPENT_KEPT,
    LEDGER_POLICY_STATES_KEPT,
    LEDGER_DROPS_KEPT,
    LEDGER_HOSTS_KEPT,
    LEDGER_STATEMENT_COUNT
} ledger_statement;

/// What is bound to one parameter: a text (absent: NULL) or a number.
typedef struct ledger_value {
    peri_str text;
    int64_t number;
    bool is_text;
} ledger_value;

typedef struct ledger_change ledger_change;

struct peri_ledger {
    sqlite3 *db;
    sqlite3_stmt *statements[LEDGER_STATEMENT_COUNT]; // NULL until peri__ledger_ready()
    bool read_only;
    bool alone; // a replay: nobody else writes this file, and no agent waits
    peri_ledger_stats stats;
    ledger_change *first, **last; // owned; changes that wait for the next commit
    size_t queued, queued_bytes;
    uint64_t pending;       // changes in an open transaction
    uint64_t pending_bytes; // a replay's texts there
    int64_t wall_ms;        // of the last commit
    int64_t epoch;          // of the file when it was opened; another one means it was replaced
    int64_t days;           // INT64_MAX: for ever
    int64_t max_bytes;
    int64_t prune_at_wall_ms;
};

// The status for a result code of SQLite.
int peri__ledger_status(int code);

// Opens the file and, unless it is read only, brings it to the current schema.
PERI_MUST_USE int peri__ledger_open_file(const char *path, const peri_ledger_options *options,
                                         sqlite3 **out, const char **error);

// Prepares the statement if it is not. PERI_EACCES in a read-only
// ledger, PERI_ENOMEM and the like.
PERI_MUST_USE int peri__ledger_ready(peri_ledger *ledger, ledger_statement which);

// Steps a statement that gives at most one whole number and makes it ready again. A code of
// SQLite: SQLITE_DONE (`*value` untouched), SQLITE_ROW, or a failure.
int peri__ledger_step(sqlite3_stmt *statement, int64_t *value);

static inline ledger_value peri__ledger_text(peri_str text) {
    return (ledger_value){.text = text, .is_text = true};
}

static inline ledger_value peri__ledger_number(int64_t number) {
    return (ledger_value){.number = number};
}

// Queues one change for the next commit; texts are copied. Failures as for peri_ledger_put().
PERI_MUST_USE int peri__ledger_queue(peri_ledger *ledger, ledger_statement statement,
                                     const ledger_value *values, size_t count);

void peri__ledger_count_dropped(peri_ledger *ledger, int status, uint64_t changes);

// Gives up what is still queued.
void peri__ledger_drop_queue(peri_ledger *ledger);

// Applies retention if it is due. Not inside a transaction.
void peri__ledger_prune(peri_ledger *ledger, int64_t wall_ms);

#endif
