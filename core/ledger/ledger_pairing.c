// The rows of pairing_state.h. Statements are prepared where they are used: they run once a batch, not once a
// record.
#include "ledger/ledger_internal.h"
#include "ledger/pairing_state.h"

enum { NOTE_WAIT_MS = 2000 };

static int prepare(peri_ledger *ledger, const char *sql, sqlite3_stmt **out) {
    return peri__ledger_status(sqlite3_prepare_v2(ledger->db, sql, -1, out, NULL));
}

static int bind_text(sqlite3_stmt *to, int place, peri_str text) {
    return sqlite3_bind_text64(to, place, text.ptr ? text.ptr : "", text.len, SQLITE_STATIC,
                               SQLITE_UTF8);
}

static peri_str column_text(sqlite3_stmt *from, int column) {
    const char *text = (const char *)sqlite3_column_text(from, column);
    return peri_str_of(text, text ? (size_t)sqlite3_column_bytes(from, column) : 0);
}

// Runs a statement that changes something, and frees it.
static int change(sqlite3_stmt *statement, int code) {
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    sqlite3_finalize(statement);
    return code == SQLITE_DONE ? PERI_OK : peri__ledger_status(code);
}

int peri_ledger_put_pairing(peri_ledger *ledger, const peri_pairing_row *row, int64_t wall_ms) {
    int status = peri__ledger_begin(ledger);
    if (status < 0) return status;
    sqlite3_stmt *to = ledger->statements[LEDGER_PUT_PAIRING];
    const peri_str texts[] = {row->session, row->agent, row->observer, row->task_id};
    const int64_t numbers[] = {row->armed_wall_ms,
                               row->mode,
                               (int64_t)row->first,
                               (int64_t)row->cursor,
                               (int64_t)row->digests,
                               (int64_t)row->proposed,
                               (int64_t)row->seen,
                               row->since_wall_ms,
                               wall_ms};
    int code = SQLITE_OK, place = 1;
    for (size_t i = 0; i < 4 && code == SQLITE_OK; i++) code = bind_text(to, place++, texts[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && code == SQLITE_OK; i++) {
        code = sqlite3_bind_int64(to, place++, numbers[i]);
    }
    if (code == SQLITE_OK) code = bind_text(to, place++, row->state);
    if (code == SQLITE_OK) code = bind_text(to, place++, row->transcript);
    if (code == SQLITE_OK && row->saved_state.ptr)
        code = bind_text(to, place, row->saved_state);
    if (code == SQLITE_OK) code = peri__ledger_step(to, NULL);
    sqlite3_clear_bindings(to);
    return code == SQLITE_DONE ? PERI_OK : peri__ledger_status(code);
}

int peri_ledger_get_pairing(peri_ledger *ledger, peri_pairing_row *row, peri_arena *arena) {
    sqlite3_stmt *get = ledger->statements[LEDGER_GET_PAIRING];
    if (!get) return PERI_ENOENT; // opened to be read
    int code = bind_text(get, 1, row->session);
    if (code == SQLITE_OK) code = bind_text(get, 2, row->agent);
    if (code == SQLITE_OK) code = bind_text(get, 3, row->observer);
    if (code == SQLITE_OK) code = sqlite3_step(get);
    if (code != SQLITE_ROW) {
        sqlite3_reset(get);
        return code == SQLITE_DONE ? PERI_ENOENT : peri__ledger_status(code);
    }
    row->task_id = peri_arena_copy(arena, column_text(get, 0));
    row->armed_wall_ms = sqlite3_column_int64(get, 1);
    row->mode = sqlite3_column_int64(get, 2);
    row->first = (uint64_t)sqlite3_column_int64(get, 3);
    row->cursor = (uint64_t)sqlite3_column_int64(get, 4);
    row->digests = (uint64_t)sqlite3_column_int64(get, 5);
    row->proposed = (uint64_t)sqlite3_column_int64(get, 6);
    row->seen = (uint64_t)sqlite3_column_int64(get, 7);
    row->since_wall_ms = sqlite3_column_int64(get, 8);
    row->state = peri_arena_copy(arena, column_text(get, 9));
    row->transcript = peri_arena_copy(arena, column_text(get, 10));
    row->saved_state = peri_arena_copy(arena, column_text(get, 11));
    sqlite3_reset(get);
    return row->task_id.ptr ? PERI_OK : PERI_ENOMEM;
}

// `sql` notes an observer and a time.
static int note(peri_ledger *ledger, const char *sql, peri_str observer, int64_t wall_ms) {
    sqlite3_stmt *put;
    sqlite3_busy_timeout(ledger->db, NOTE_WAIT_MS); // a person's own call: no loop waits for it
    int status = prepare(ledger, sql, &put);
    if (status < 0) return status;
    int code = bind_text(put, 1, observer);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(put, 2, wall_ms);
    return change(put, code);
}

static int64_t noted_at(sqlite3_stmt *get, peri_str observer) {
    int64_t at = 0;
    if (!get || bind_text(get, 1, observer) != SQLITE_OK) return 0;
    (void)peri__ledger_step(get, &at);
    return at;
}

int peri_ledger_stop(peri_ledger *ledger, peri_str observer, int64_t wall_ms) {
    return note(ledger, "INSERT OR REPLACE INTO stop (observer, at_wall_ms) VALUES (?, ?)",
                observer, wall_ms);
}

int64_t peri_ledger_stopped_at(peri_ledger *ledger, peri_str observer) {
    return noted_at(ledger->statements[LEDGER_STOPPED_AT], observer);
}

int peri_ledger_enable(peri_ledger *ledger, peri_str observer, int64_t wall_ms) {
    return note(ledger, "INSERT OR REPLACE INTO enable (observer, at_wall_ms) VALUES (?, ?)",
                observer, wall_ms);
}

int64_t peri_ledger_enabled_at(peri_ledger *ledger, peri_str observer) {
    return noted_at(ledger->statements[LEDGER_ENABLED_AT], observer);
}

int peri_ledger_begin_handing(peri_ledger *ledger, peri_str session, peri_str id) {
    sqlite3_stmt *put;
    int status =
        prepare(ledger, "INSERT OR REPLACE INTO handing (session, id) VALUES (?, ?)", &put);
    if (status < 0) return status;
    int code = bind_text(put, 1, session);
    if (code == SQLITE_OK) code = bind_text(put, 2, id);
    return change(put, code);
}

int peri_ledger_end_handing(peri_ledger *ledger, peri_str session, peri_str id) {
    int status = peri__ledger_begin(ledger);
    sqlite3_stmt *drop;
    if (status < 0) return status;
    status = prepare(ledger, "DELETE FROM handing WHERE session = ? AND id = ?", &drop);
    if (status < 0) return status;
    int code = bind_text(drop, 1, session);
    if (code == SQLITE_OK) code = bind_text(drop, 2, id);
    return change(drop, code);
}

int peri_ledger_left(peri_ledger *ledger, peri_ledger_left_fn fn, void *user) {
    static const char sql[] =
        "SELECT r.session, r.agent, r.id, r.observer, r.lane, EXISTS (SELECT 1 FROM handing h "
        "WHERE h.session = r.session AND h.id = r.id) FROM record r WHERE r.kind = 'delivery' "
        "AND r.state = 'queued' AND NOT EXISTS (SELECT 1 FROM record d WHERE d.kind = 'delivery' "
        "AND d.id = r.id AND d.session = r.session AND d.position > r.position "
        "AND d.state IN ('handed', 'expired', 'seen')) ORDER BY r.position";
    sqlite3_stmt *list;
    int status = prepare(ledger, sql, &list), code;
    if (status < 0) return status;
    while ((code = sqlite3_step(list)) == SQLITE_ROW) {
        const peri_record record = {
            .struct_size = sizeof record,
            .kind = PERI_RECORD_DELIVERY,
            .session = column_text(list, 0),
            .agent = column_text(list, 1),
            .id = column_text(list, 2),
            .observer = column_text(list, 3),
            .lane = column_text(list, 4),
        };
        fn(user, &record, sqlite3_column_int(list, 5) != 0);
    }
    sqlite3_finalize(list);
    return code == SQLITE_DONE ? PERI_OK : peri__ledger_status(code);
}
