// The ledger's writing half: records in, rows out, one transaction between two commits. Called
// by the host on its loop, so it never waits: whatever SQLite cannot do at once is counted and
// given up, and the agent is none the slower for it. SQLite may roll a whole transaction back
// when the disk fills up; what was taken by then is counted too, and the next commit tells.
#include "ledger/ledger_internal.h"

#include <stdlib.h>

enum {
    DEFAULT_DAYS = 30,
    DEFAULT_MAX_BYTES = 256 * 1024 * 1024,
    MIN_MAX_BYTES = 64 * 1024,
};

#define MAX_MAX_BYTES (INT64_C(1) << 40)

#define PLACE(field) ", ?"

static const char *const statement_texts[LEDGER_STATEMENT_COUNT] = {
    [LEDGER_BEGIN] = "BEGIN IMMEDIATE",
    [LEDGER_COMMIT] = "COMMIT",
    [LEDGER_ROLLBACK] = "ROLLBACK",
    [LEDGER_EPOCH] = "SELECT number FROM epoch",
    [LEDGER_INSERT] = "INSERT INTO record (" LEDGER_COLUMNS
                      ") VALUES (?, ?" LEDGER_NUMBER_LIST(PLACE) LEDGER_TEXT_LIST(PLACE) ")",
    [LEDGER_DROP_OLD] = "DELETE FROM record WHERE position IN (SELECT position FROM record "
                        "WHERE at_wall_ms < ?1 ORDER BY at_wall_ms, position LIMIT ?2)",
    [LEDGER_DROP_FIRST] = "DELETE FROM record WHERE position IN "
                          "(SELECT position FROM record ORDER BY position LIMIT ?1)",
    [LEDGER_USED_PAGES] = "SELECT page_count - freelist_count "
                          "FROM pragma_page_count, pragma_freelist_count",
    [LEDGER_SHRINK] = "PRAGMA incremental_vacuum(256)",
    [LEDGER_PUT_CHECKPOINT] = "INSERT OR REPLACE INTO checkpoint (path, device, inode, offset, "
                              "print, tries, at_wall_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
    [LEDGER_DROP_CHECKPOINT] = "DELETE FROM checkpoint WHERE path = ?",
    [LEDGER_CHECKPOINT_OF_PATH] =
        "SELECT device, inode, offset, print, tries FROM checkpoint WHERE path = ?",
    [LEDGER_CHECKPOINT_OF_INODE] = "SELECT device, inode, offset, print, tries FROM checkpoint "
                                   "WHERE device = ? AND inode = ? ORDER BY at_wall_ms DESC",
    [LEDGER_PUT_PAIRING] =
        "INSERT OR REPLACE INTO pairing (session, agent, observer, task_id, armed_wall_ms, mode, "
        "first, cursor, digests, proposed, seen, since_wall_ms, at_wall_ms, state, transcript, "
        "saved_state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [LEDGER_GET_PAIRING] =
        "SELECT task_id, armed_wall_ms, mode, first, cursor, digests, proposed, seen, since_wall_ms, "
        "state, transcript, saved_state FROM pairing WHERE session = ? AND agent = ? AND observer = ?",
    [LEDGER_STOPPED_AT] = "SELECT max(at_wall_ms) FROM stop WHERE observer IN ('', ?)",
    [LEDGER_ENABLED_AT] = "SELECT at_wall_ms FROM enable WHERE observer = ?",
    [LEDGER_PAIRINGS_KEPT] = "DELETE FROM pairing WHERE at_wall_ms < ?1",
    [LEDGER_CHECKPOINTS_KEPT] =
        "DELETE FROM checkpoint WHERE at_wall_ms < (SELECT at_wall_ms FROM checkpoint "
        "ORDER BY at_wall_ms DESC LIMIT 1 OFFSET ?1)",
};

int peri__ledger_status(int code) {
    switch (code & 0xFF) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return PERI_OK;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return PERI_EAGAIN;
    case SQLITE_FULL:
    case SQLITE_TOOBIG:
        return PERI_ELIMIT;
    case SQLITE_NOMEM:
        return PERI_ENOMEM;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return PERI_EFORMAT;
    case SQLITE_PERM:
    case SQLITE_READONLY:
        return PERI_EACCES;
    default:
        return PERI_EIO;
    }
}

int peri__ledger_step(sqlite3_stmt *statement, int64_t *value) {
    int code = sqlite3_step(statement);
    bool row = code == SQLITE_ROW;
    if (row && value) *value = sqlite3_column_int64(statement, 0);
    while (code == SQLITE_ROW) code = sqlite3_step(statement);
    sqlite3_reset(statement);
    return row && code == SQLITE_DONE ? SQLITE_ROW : code;
}

static int prepare(peri_ledger *ledger) {
    int code = SQLITE_OK;
    for (int i = 0; i < LEDGER_STATEMENT_COUNT && code == SQLITE_OK; i++) {
        code = sqlite3_prepare_v3(ledger->db, statement_texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                                  &ledger->statements[i], NULL);
    }
    if (code != SQLITE_OK) return peri__ledger_status(code);
    code = peri__ledger_step(ledger->statements[LEDGER_EPOCH], &ledger->epoch);
    return code == SQLITE_DONE ? PERI_EFORMAT : peri__ledger_status(code);
}

int peri_ledger_open(const char *path, const peri_ledger_options *options, peri_ledger **out,
                     const char **error) {
    peri_ledger *ledger = calloc(1, sizeof *ledger);
    if (!ledger) {
        *error = peri_status_message(PERI_ENOMEM);
        return PERI_ENOMEM;
    }
    ledger->days = options->days > 0 ? options->days : DEFAULT_DAYS;
    if (options->replace) ledger->days = INT64_MAX;
    ledger->max_bytes = options->max_bytes > 0 ? options->max_bytes : DEFAULT_MAX_BYTES;
    if (ledger->max_bytes < MIN_MAX_BYTES) ledger->max_bytes = MIN_MAX_BYTES;
    if (ledger->max_bytes > MAX_MAX_BYTES) ledger->max_bytes = MAX_MAX_BYTES;

    peri_ledger_options sized = *options;
    sized.max_bytes = ledger->max_bytes;
    int status = peri__ledger_open_file(path, &sized, &ledger->db, error);
    if (status == PERI_OK && !options->read_only) {
        status = prepare(ledger);
        if (status < 0) *error = "the ledger's tables are damaged";
    }
    if (status < 0) {
        peri_ledger_close(ledger);
        return status;
    }
    *out = ledger;
    return PERI_OK;
}

static bool in_transaction(const peri_ledger *ledger) {
    return !sqlite3_get_autocommit(ledger->db);
}

static void count_dropped(peri_ledger *ledger, int status, uint64_t rows) {
    if (status == PERI_EAGAIN) {
        ledger->stats.dropped_busy += rows;
    } else if (status == PERI_ELIMIT) {
        ledger->stats.dropped_full += rows;
    } else {
        ledger->stats.dropped_error += rows;
    }
}

// Gives up whatever the transaction still holds.
static void give_up(peri_ledger *ledger, int status) {
    if (in_transaction(ledger)) peri__ledger_step(ledger->statements[LEDGER_ROLLBACK], NULL);
    count_dropped(ledger, status, ledger->pending);
    ledger->pending = 0;
}

void peri_ledger_close(peri_ledger *ledger) {
    if (!ledger) return;
    if (ledger->db && in_transaction(ledger)) {
        int code = peri__ledger_step(ledger->statements[LEDGER_COMMIT], NULL);
        if (code != SQLITE_DONE) give_up(ledger, peri__ledger_status(code));
    }
    for (int i = 0; i < LEDGER_STATEMENT_COUNT; i++) sqlite3_finalize(ledger->statements[i]);
    sqlite3_close(ledger->db);
    free(ledger);
}

int peri__ledger_begin(peri_ledger *ledger) {
    if (!ledger->statements[LEDGER_INSERT]) return PERI_EACCES; // opened to be read
    if (in_transaction(ledger)) return PERI_OK;
    int code = peri__ledger_step(ledger->statements[LEDGER_BEGIN], NULL);
    if (code != SQLITE_DONE) return peri__ledger_status(code);
    int64_t epoch = 0;
    code = peri__ledger_step(ledger->statements[LEDGER_EPOCH], &epoch);
    if (code == SQLITE_ROW && epoch == ledger->epoch) return PERI_OK;
    peri__ledger_step(ledger->statements[LEDGER_ROLLBACK], NULL);
    return code == SQLITE_ROW ? PERI_ECLOSED : peri__ledger_status(code);
}

static bool is_kept(peri_record_kind kind) {
    return (size_t)kind < PERI_RECORD_KIND_COUNT && kind != PERI_RECORD_OBSERVATION;
}

static size_t text_bytes(const peri_record *record) {
    size_t bytes = 0;
#define ADD(field) bytes += record->field.len;
    LEDGER_TEXT_LIST(ADD)
#undef ADD
    return bytes;
}

static int bind_text(sqlite3_stmt *to, int place, peri_str text) {
    return sqlite3_bind_text64(to, place, text.ptr, text.len, SQLITE_STATIC, SQLITE_UTF8);
}

static int insert(peri_ledger *ledger, const peri_record *record) {
    sqlite3_stmt *to = ledger->statements[LEDGER_INSERT];
    int place = 1;
    int code = bind_text(to, place++, peri_str_c(peri_record_kind_name(record->kind)));
    if (code == SQLITE_OK) code = sqlite3_bind_int64(to, place++, record->at_wall_ms);
#define NUMBER(field)                                                                          \
    if (code == SQLITE_OK) code = sqlite3_bind_int64(to, place++, (int64_t)record->field);
    LEDGER_NUMBER_LIST(NUMBER)
#undef NUMBER
#define TEXT(field)                                                                            \
    if (code == SQLITE_OK) code = bind_text(to, place++, record->field);
    LEDGER_TEXT_LIST(TEXT)
#undef TEXT
    if (code == SQLITE_OK) code = peri__ledger_step(to, NULL);
    sqlite3_clear_bindings(to);
    return code == SQLITE_DONE ? PERI_OK : peri__ledger_status(code);
}

int peri_ledger_put(peri_ledger *ledger, const peri_record *record) {
    if (!is_kept(record->kind)) return PERI_OK;
    if (text_bytes(record) > PERI_LEDGER_RECORD_MAX_BYTES) {
        ledger->stats.dropped_error++;
        return PERI_ELIMIT;
    }
    int status = peri__ledger_begin(ledger);
    if (status == PERI_OK) status = insert(ledger, record);
    if (status == PERI_OK) {
        ledger->pending++;
        return PERI_OK;
    }
    count_dropped(ledger, status, 1);
    if (status == PERI_ELIMIT) ledger->prune_at_wall_ms = 0;
    if (ledger->pending && !in_transaction(ledger)) {
        ledger->lost = status;
        give_up(ledger, status);
    }
    return status;
}

int peri_ledger_commit(peri_ledger *ledger, int64_t wall_ms) {
    int status = ledger->lost;
    if (in_transaction(ledger)) {
        int code = peri__ledger_step(ledger->statements[LEDGER_COMMIT], NULL);
        if (code != SQLITE_DONE && peri__ledger_status(code) == PERI_EAGAIN) return PERI_EAGAIN;
        if (code != SQLITE_DONE) {
            status = peri__ledger_status(code);
            give_up(ledger, status);
        }
        ledger->stats.stored += ledger->pending;
        ledger->pending = 0;
    }
    ledger->lost = PERI_OK;
    if (ledger->statements[LEDGER_INSERT]) peri__ledger_prune(ledger, wall_ms);
    return status;
}

void peri_ledger_get_stats(const peri_ledger *ledger, peri_ledger_stats *out) {
    *out = ledger->stats;
}
