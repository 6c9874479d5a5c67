// The rows of pairing_state.h. Changes go through the queue; what has to be durable at once, or
// is asked once a start, is done here and now.
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
    const ledger_value values[] = {
        peri__ledger_text(row->session),
        peri__ledger_text(row->agent),
        peri__ledger_text(row->observer),
        peri__ledger_text(row->task_id),
        peri__ledger_number(row->armed_wall_ms),
        peri__ledger_number(row->mode),
        peri__ledger_number((int64_t)row->first),
        peri__ledger_number((int64_t)row->cursor),
        peri__ledger_number((int64_t)row->digests),
        peri__ledger_number((int64_t)row->proposed),
        peri__ledger_number((int64_t)row->seen),
        peri__ledger_number(row->since_wall_ms),
        peri__ledger_number(wall_ms),
        peri__ledger_text(row->state),
        peri__ledger_text(row->transcript),
        peri__ledger_text(row->saved_state),
    };
    return peri__ledger_queue(ledger, LEDGER_PUT_PAIRING, values,
                              sizeof values / sizeof *values);
}

int peri_ledger_get_pairing(peri_ledger *ledger, peri_pairing_row *row, peri_arena *arena) {
    int status = peri__ledger_ready(ledger, LEDGER_GET_PAIRING);
    if (status < 0) return status;
    sqlite3_stmt *get = ledger->statements[LEDGER_GET_PAIRING];
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

// `sql` notes an observer and a time: what a person does comes behind all that is in the
// ledger, whatever the clock says, which may have been put back.
static int note(peri_ledger *ledger, const char *sql, peri_str observer, int64_t wall_ms) {
    sqlite3_stmt *put;
    sqlite3_busy_timeout(ledger->db, NOTE_WAIT_MS); // a person's own call: no loop waits for it
    int status = prepare(ledger, sql, &put);
    if (status < 0) return status;
    int code = bind_text(put, 1, observer);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(put, 2, wall_ms);
    return change(put, code);
}

static int64_t noted_at(peri_ledger *ledger, ledger_statement get, peri_str observer) {
    int64_t at = 0;
    if (peri__ledger_ready(ledger, get) < 0) return 0;
    if (bind_text(ledger->statements[get], 1, observer) != SQLITE_OK) return 0;
    (void)peri__ledger_step(ledger->statements[get], &at);
    return at;
}

int peri_ledger_stop(peri_ledger *ledger, peri_str observer, int64_t wall_ms) {
    return note(ledger,
                "INSERT OR REPLACE INTO stop (observer, at_wall_ms) SELECT ?1, max(?2, "
                "(SELECT coalesce(max(armed_wall_ms), 0) FROM pairing WHERE ?1 IN ('', "
                "observer)))",
                observer, wall_ms);
}

int64_t peri_ledger_stopped_at(peri_ledger *ledger, peri_str observer) {
    return noted_at(ledger, LEDGER_STOPPED_AT, observer);
}

int peri_ledger_enable(peri_ledger *ledger, peri_str observer, int64_t wall_ms) {
    return note(
        ledger,
        "INSERT OR REPLACE INTO enable (observer, at_wall_ms) SELECT ?1, max(?2, "
        "(SELECT 1 + coalesce(max(since_wall_ms), 0) FROM pairing WHERE observer = ?1))",
        observer, wall_ms);
}

int64_t peri_ledger_enabled_at(peri_ledger *ledger, peri_str observer) {
    return noted_at(ledger, LEDGER_ENABLED_AT, observer);
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
    const ledger_value values[] = {peri__ledger_text(session), peri__ledger_text(id)};
    return peri__ledger_queue(ledger, LEDGER_END_HANDING, values, 2);
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
