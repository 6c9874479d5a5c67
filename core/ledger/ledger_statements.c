// The ledger's statements: their texts, made ready when they are first needed, and one step of
// them; and SQLite's codes as ours. Below all other files of the ledger.
#include "ledger/ledger_internal.h"

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
    [LEDGER_END_HANDING] = "DELETE FROM handing WHERE session = ? AND id = ?",
    [LEDGER_ADD_SPENT] =
        "INSERT INTO spent (session, day, what, amount, at_wall_ms) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT DO UPDATE SET amount = min(amount, 9223372036854775807 - excluded.amount) "
        "+ excluded.amount, at_wall_ms = excluded.at_wall_ms",
    [LEDGER_GET_SPENT] = "SELECT what, amount FROM spent WHERE session = ? AND day = ?",
    [LEDGER_PUT_POLICY_STATE] = "INSERT OR REPLACE INTO policy_state (session, policy, state, "
                                "at_wall_ms) VALUES (?, ?, ?, ?)",
    [LEDGER_GET_POLICY_STATE] =
        "SELECT state FROM policy_state WHERE session = ? AND policy = ?",
    [LEDGER_PUT_HOST] = "INSERT OR REPLACE INTO host (id, pid, started_wall_ms, at_wall_ms, "
                        "ended, status, text) VALUES (?, ?, ?, ?, ?, ?, ?)",
    [LEDGER_PUT_STANDING] =
        "INSERT OR REPLACE INTO standing (session, agent, observer, state, cause, "
        "since_wall_ms, until_wall_ms, last_error, last_drop, runs, silent, skipped, no_runtime, "
        "failures, proposed, delivered, deferred, dropped, tokens, digest_step, digest_wall_ms, "
        "overdue, read_to, at_wall_ms) VALUES "
        "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [LEDGER_PUT_HEARD] =
        "INSERT OR REPLACE INTO heard (session, agent, items, at_wall_ms) VALUES (?, ?, ?, ?)",
    [LEDGER_ADD_DROP] =
        "INSERT INTO drop_reason (observer, reason, amount, at_wall_ms) VALUES (?, ?, 1, ?) "
        "ON CONFLICT DO UPDATE SET amount = amount + 1, at_wall_ms = excluded.at_wall_ms",
    [LEDGER_STANDINGS_KEPT] = "DELETE FROM standing WHERE at_wall_ms < ?1",
    [LEDGER_HEARD_KEPT] = "DELETE FROM heard WHERE at_wall_ms < ?1",
    [LEDGER_SPENT_KEPT] = "DELETE FROM spent WHERE at_wall_ms < ?1",
    [LEDGER_POLICY_STATES_KEPT] = "DELETE FROM policy_state WHERE at_wall_ms < ?1",
    [LEDGER_DROPS_KEPT] = "DELETE FROM drop_reason WHERE at_wall_ms < ?1",
    [LEDGER_HOSTS_KEPT] = "DELETE FROM host WHERE at_wall_ms < ?1",
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

int peri__ledger_ready(peri_ledger *ledger, ledger_statement which) {
    if (ledger->read_only) return PERI_EACCES;
    if (ledger->statements[which]) return PERI_OK;
    return peri__ledger_status(sqlite3_prepare_v3(ledger->db, statement_texts[which], -1,
                                                  SQLITE_PREPARE_PERSISTENT,
                                                  &ledger->statements[which], NULL));
}

int peri__ledger_step(sqlite3_stmt *statement, int64_t *value) {
    int code = sqlite3_step(statement);
    bool row = code == SQLITE_ROW;
    if (row && value) *value = sqlite3_column_int64(statement, 0);
    while (code == SQLITE_ROW) code = sqlite3_step(statement);
    sqlite3_reset(statement);
    return row && code == SQLITE_DONE ? SQLITE_ROW : code;
}
