// Changes on their way into the ledger: kept in memory until the next commit writes them all in
// one short transaction. So the file is locked for moments only, and several hosts can share
// one: who finds it busy keeps what he has and tries again at his next commit. What fails is
// given up and counted. A replay has its file to itself: its changes are written as they come,
// copied nowhere, and committed in batches that fit the page cache.
#include "ledger/ledger_internal.h"

#include <stdlib.h>

// Past these a change waits no longer: it is written into an open transaction, or given up.
enum { QUEUE_MAX_BYTES = 4 * 1024 * 1024 };

// Of a replay, and at most a sixteenth of what the file may hold: a batch takes up to twice its
// texts, and finds room in the quarter that the file may pass its size by.
enum { BATCH_BYTES = 1024 * 1024, BATCHES_IN_FILE = 16 };

struct ledger_change {
    ledger_change *next;
    size_t bytes;
    ledger_statement statement;
    size_t count;
    ledger_value values[]; // their texts stand behind them
};

static ledger_change *make_change(ledger_statement statement, const ledger_value *values,
                                  size_t count) {
    size_t bytes = sizeof(ledger_change) + count * sizeof *values;
    for (size_t i = 0; i < count; i++) bytes += values[i].text.len;
    ledger_change *change = malloc(bytes);
    if (!change) return NULL;
    *change = (ledger_change){.bytes = bytes, .statement = statement, .count = count};
    char *room = (char *)&change->values[count];
    for (size_t i = 0; i < count; i++) {
        change->values[i] = values[i];
        if (!values[i].text.len) continue;
        memcpy(room, values[i].text.ptr, values[i].text.len);
        change->values[i].text.ptr = room;
        room += values[i].text.len;
    }
    return change;
}

static void free_all(peri_ledger *ledger) {
    while (ledger->first) {
        ledger_change *change = ledger->first;
        ledger->first = change->next;
        free(change);
    }
    ledger->last = &ledger->first;
    ledger->queued_bytes = ledger->queued = 0;
}

static bool in_transaction(const peri_ledger *ledger) {
    return !sqlite3_get_autocommit(ledger->db);
}

void peri__ledger_count_dropped(peri_ledger *ledger, int status, uint64_t changes) {
    if (status == PERI_EAGAIN) {
        ledger->stats.dropped_busy += changes;
    } else if (status == PERI_ELIMIT) {
        ledger->stats.dropped_full += changes;
    } else {
        ledger->stats.dropped_error += changes;
    }
}

// All that is queued or stands in the open transaction is gone.
static int give_up(peri_ledger *ledger, int status) {
    if (in_transaction(ledger)) peri__ledger_step(ledger->statements[LEDGER_ROLLBACK], NULL);
    peri__ledger_count_dropped(ledger, status, ledger->queued + ledger->pending);
    ledger->pending = ledger->pending_bytes = 0;
    free_all(ledger);
    return status;
}

// The file has to be the one that was opened: a replay that replaces it must not get another
// program's rows among its own.
static int begin(peri_ledger *ledger) {
    if (in_transaction(ledger)) return PERI_OK;
    int code = peri__ledger_step(ledger->statements[LEDGER_BEGIN], NULL);
    if (code != SQLITE_DONE) return peri__ledger_status(code);
    int64_t epoch = 0;
    code = peri__ledger_step(ledger->statements[LEDGER_EPOCH], &epoch);
    if (code == SQLITE_ROW && epoch == ledger->epoch) return PERI_OK;
    peri__ledger_step(ledger->statements[LEDGER_ROLLBACK], NULL);
    return code == SQLITE_ROW ? PERI_ECLOSED : peri__ledger_status(code);
}

// Parameters that are not bound are NULL, as absent texts are.
static int run(sqlite3_stmt *to, const ledger_value *values, size_t count) {
    int code = SQLITE_OK;
    for (size_t i = 0; i < count && code == SQLITE_OK; i++) {
        const ledger_value *value = &values[i];
        if (!value->is_text) {
            code = sqlite3_bind_int64(to, (int)i + 1, value->number);
        } else if (value->text.ptr) {
            code = sqlite3_bind_text64(to, (int)i + 1, value->text.ptr, value->text.len,
                                       SQLITE_STATIC, SQLITE_UTF8);
        }
    }
    if (code == SQLITE_OK) code = peri__ledger_step(to, NULL);
    sqlite3_clear_bindings(to);
    return code;
}

// Runs what is queued in the open transaction. A change that SQLite refuses alone is counted
// and passed over; PERI_ELIMIT and a transaction that SQLite rolled back end it, and the queue
// is as it was.
static int run_all(peri_ledger *ledger) {
    uint64_t done = 0, refused = 0;
    for (const ledger_change *change = ledger->first; change; change = change->next) {
        int code = run(ledger->statements[change->statement], change->values, change->count);
        if (code == SQLITE_DONE) {
            done++;
            continue;
        }
        if ((code & 0xFF) == SQLITE_FULL) return PERI_ELIMIT;
        if (!in_transaction(ledger)) return peri__ledger_status(code);
        refused++;
    }
    peri__ledger_count_dropped(ledger, PERI_EIO, refused);
    ledger->pending += done;
    free_all(ledger);
    return PERI_OK;
}

// Moves the queue into the open transaction. PERI_EAGAIN keeps
// it; after any other failure it is gone.
static int drain(peri_ledger *ledger) {
    if (!ledger->first) return PERI_OK;
    int status = begin(ledger);
    if (status == PERI_EAGAIN) return status;
    if (status == PERI_OK) status = run_all(ledger);
    if (status == PERI_ELIMIT && !ledger->pending) { // make room, and once more
        if (in_transaction(ledger))
            peri__ledger_step(ledger->statements[LEDGER_ROLLBACK], NULL);
        ledger->prune_at_wall_ms = 0;
        peri__ledger_prune(ledger, ledger->wall_ms);
        status = begin(ledger);
        if (status == PERI_OK) status = run_all(ledger);
    }
    return status < 0 ? give_up(ledger, status) : PERI_OK;
}

// Writes a replay's change into the open transaction.
static int write_now(peri_ledger *ledger, ledger_statement statement,
                     const ledger_value *values, size_t count) {
    int code = run(ledger->statements[statement], values, count);
    if (code != SQLITE_DONE) {
        int status = peri__ledger_status(code);
        peri__ledger_count_dropped(ledger, status, 1);
        return in_transaction(ledger) ? status : give_up(ledger, status);
    }
    ledger->pending++;
    for (size_t i = 0; i < count; i++) ledger->pending_bytes += values[i].text.len;
    int64_t most = ledger->max_bytes / BATCHES_IN_FILE;
    if (ledger->pending_bytes < (most < BATCH_BYTES ? (uint64_t)most : BATCH_BYTES))
        return PERI_OK;
    int status = peri_ledger_commit(ledger, ledger->wall_ms);
    ledger->pending_bytes = 0; // a reader may hold it up: that is tried again a batch later
    return status == PERI_EAGAIN ? PERI_OK : status;
}

int peri__ledger_queue(peri_ledger *ledger, ledger_statement statement,
                       const ledger_value *values, size_t count) {
    int status = peri__ledger_ready(ledger, statement);
    if (status == PERI_EACCES) return status; // opened to be read
    if (status < 0) {
        peri__ledger_count_dropped(ledger, status, 1);
        return status;
    }
    if (ledger->alone && !ledger->first && begin(ledger) == PERI_OK)
        return write_now(ledger, statement, values, count);
    ledger_change *change = make_change(statement, values, count);
    if (!change) {
        peri__ledger_count_dropped(ledger, PERI_ENOMEM, 1);
        return PERI_ENOMEM;
    }
    if (ledger->queued && ledger->queued_bytes + change->bytes > QUEUE_MAX_BYTES) {
        status = drain(ledger);
        if (status < 0) {
            peri__ledger_count_dropped(ledger, status, 1);
            free(change);
            return status;
        }
    }
    *ledger->last = change;
    ledger->last = &change->next;
    ledger->queued++;
    ledger->queued_bytes += change->bytes;
    return PERI_OK;
}

int peri_ledger_commit(peri_ledger *ledger, int64_t wall_ms) {
    ledger->wall_ms = wall_ms;
    int status = drain(ledger);
    if (status == PERI_EAGAIN) return status;
    if (in_transaction(ledger)) {
        int code = peri__ledger_step(ledger->statements[LEDGER_COMMIT], NULL);
        if (code != SQLITE_DONE) {
            int failure = peri__ledger_status(code);
            return failure == PERI_EAGAIN ? failure : give_up(ledger, failure);
        }
        ledger->stats.stored += ledger->pending;
        ledger->pending = 0;
    }
    if (ledger->statements[LEDGER_INSERT]) peri__ledger_prune(ledger, wall_ms);
    return status;
}

void peri__ledger_drop_queue(peri_ledger *ledger) {
    (void)give_up(ledger, PERI_EAGAIN);
}
