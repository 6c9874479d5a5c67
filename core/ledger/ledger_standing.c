// The rows of standing.h and spent.h: written through the queue, read one query at a time.
#include "ledger/ledger_internal.h"
#include "ledger/spent.h"
#include "ledger/standing.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

// ---- In

int peri_ledger_put_standing(peri_ledger *ledger, const peri_standing *from, int64_t wall_ms) {
    const ledger_value values[] = {
        peri__ledger_text(from->session),
        peri__ledger_text(from->agent),
        peri__ledger_text(from->observer),
        peri__ledger_text(from->state),
        peri__ledger_text(from->cause),
        peri__ledger_number(from->since_wall_ms),
        peri__ledger_number(from->until_wall_ms),
        peri__ledger_text(from->last_error),
        peri__ledger_text(from->last_drop),
        peri__ledger_number((int64_t)from->runs),
        peri__ledger_number((int64_t)from->silent),
        peri__ledger_number((int64_t)from->skipped),
        peri__ledger_number((int64_t)from->no_runtime),
        peri__ledger_number((int64_t)from->failures),
        peri__ledger_number((int64_t)from->proposed),
        peri__ledger_number((int64_t)from->delivered),
        peri__ledger_number((int64_t)from->deferred),
        peri__ledger_number((int64_t)from->dropped),
        peri__ledger_number((int64_t)from->tokens),
        peri__ledger_number((int64_t)from->digest_step),
        peri__ledger_number(from->digest_wall_ms),
        peri__ledger_number((int64_t)from->overdue),
        peri__ledger_number((int64_t)from->read_to),
        peri__ledger_number(wall_ms),
    };
    return peri__ledger_queue(ledger, LEDGER_PUT_STANDING, values, COUNT_OF(values));
}

int peri_ledger_put_heard(peri_ledger *ledger, peri_str session, peri_str agent, uint64_t items,
                          int64_t wall_ms) {
    const ledger_value values[] = {
        peri__ledger_text(session),
        peri__ledger_text(agent),
        peri__ledger_number((int64_t)items),
        peri__ledger_number(wall_ms),
    };
    return peri__ledger_queue(ledger, LEDGER_PUT_HEARD, values, COUNT_OF(values));
}

int peri_ledger_add_drop(peri_ledger *ledger, peri_str observer, peri_str reason,
                         int64_t wall_ms) {
    const ledger_value values[] = {peri__ledger_text(observer), peri__ledger_text(reason),
                                   peri__ledger_number(wall_ms)};
    return peri__ledger_queue(ledger, LEDGER_ADD_DROP, values, COUNT_OF(values));
}

int peri_ledger_put_host(peri_ledger *ledger, const peri_host_row *row) {
    const ledger_value values[] = {
        peri__ledger_number(row->id),
        peri__ledger_number(row->pid),
        peri__ledger_number(row->started_wall_ms),
        peri__ledger_number(row->at_wall_ms),
        peri__ledger_number(row->ended),
        peri__ledger_text(row->status),
        peri__ledger_text(row->text),
    };
    return peri__ledger_queue(ledger, LEDGER_PUT_HOST, values, COUNT_OF(values));
}

int peri_ledger_add_spent(peri_ledger *ledger, peri_str session, int64_t day, peri_str what,
                          uint64_t amount, int64_t wall_ms) {
    const ledger_value values[] = {
        peri__ledger_text(session),
        peri__ledger_number(day),
        peri__ledger_text(what),
        peri__ledger_number(amount < INT64_MAX ? (int64_t)amount : INT64_MAX),
        peri__ledger_number(wall_ms),
    };
    return peri__ledger_queue(ledger, LEDGER_ADD_SPENT, values, COUNT_OF(values));
}

// ---- Out

static peri_str text_at(sqlite3_stmt *row, int column) {
    const char *text = (const char *)sqlite3_column_text(row, column);
    return peri_str_of(text, text ? (size_t)sqlite3_column_bytes(row, column) : 0);
}

static uint64_t count_at(sqlite3_stmt *row, int column) {
    int64_t number = sqlite3_column_int64(row, column);
    return number > 0 ? (uint64_t)number : 0;
}

// Prepares a query whose parameters are a text (absent: not bound) and a limit.
static int ask(peri_ledger *ledger, const char *sql, peri_str text, uint64_t limit,
               sqlite3_stmt **out) {
    int code = sqlite3_prepare_v2(ledger->db, sql, -1, out, NULL);
    if (code == SQLITE_OK && text.ptr) {
        code = sqlite3_bind_text64(*out, 1, text.ptr, text.len, SQLITE_STATIC, SQLITE_UTF8);
    }
    bool limited = code == SQLITE_OK && sqlite3_bind_parameter_count(*out) >= 2;
    int64_t most = limit < INT64_MAX ? (int64_t)limit : INT64_MAX;
    if (limited) code = sqlite3_bind_int64(*out, 2, most);
    return code;
}

static int done(sqlite3_stmt *query, int code) {
    sqlite3_finalize(query);
    return code == SQLITE_DONE ? PERI_OK : peri__ledger_status(code);
}

#define STANDING_COLUMNS                                                                       \
    "s.session, s.agent, s.observer, state, cause, since_wall_ms, until_wall_ms, last_error, " \
    "last_drop, runs, silent, skipped, no_runtime, failures, proposed, delivered, deferred, "  \
    "dropped, tokens, digest_step, digest_wall_ms, overdue, read_to, s.at_wall_ms, items"
#define WITH_ITEMS " AS s LEFT JOIN heard AS h ON h.session = s.session AND h.agent = s.agent "

static int each_standing(sqlite3_stmt *query, int code, peri_standing_fn fn, void *user) {
    if (code == SQLITE_OK) code = sqlite3_step(query);
    for (; code == SQLITE_ROW; code = sqlite3_step(query)) {
        const peri_standing standing = {
            .session = text_at(query, 0),
            .agent = text_at(query, 1),
            .observer = text_at(query, 2),
            .state = text_at(query, 3),
            .cause = text_at(query, 4),
            .since_wall_ms = sqlite3_column_int64(query, 5),
            .until_wall_ms = sqlite3_column_int64(query, 6),
            .last_error = text_at(query, 7),
            .last_drop = text_at(query, 8),
            .runs = count_at(query, 9),
            .silent = count_at(query, 10),
            .skipped = count_at(query, 11),
            .no_runtime = count_at(query, 12),
            .failures = count_at(query, 13),
            .proposed = count_at(query, 14),
            .delivered = count_at(query, 15),
            .deferred = count_at(query, 16),
            .dropped = count_at(query, 17),
            .tokens = count_at(query, 18),
            .digest_step = count_at(query, 19),
            .digest_wall_ms = sqlite3_column_int64(query, 20),
            .overdue = count_at(query, 21),
            .read_to = count_at(query, 22),
            .at_wall_ms = sqlite3_column_int64(query, 23),
            .items = count_at(query, 24),
        };
        fn(user, &standing);
    }
    return done(query, code);
}

int peri_ledger_standings(peri_ledger *ledger, peri_str observer, uint64_t limit,
                          peri_standing_fn fn, void *user) {
    static const char sql[] =
        "SELECT " STANDING_COLUMNS " FROM (SELECT * FROM standing WHERE observer = ?1 "
        "ORDER BY at_wall_ms DESC LIMIT ?2)" WITH_ITEMS "ORDER BY s.at_wall_ms";
    sqlite3_stmt *query = NULL;
    int code = ask(ledger, sql, observer, limit, &query);
    return each_standing(query, code, fn, user);
}

int peri_ledger_get_standing(peri_ledger *ledger, const peri_standing *key, peri_standing_fn fn,
                             void *user) {
    static const char sql[] = "SELECT " STANDING_COLUMNS " FROM standing" WITH_ITEMS
                              "WHERE s.observer = ?1 AND s.session = ?2 AND s.agent = ?3";
    const peri_str texts[] = {key->observer, key->session, key->agent};
    sqlite3_stmt *query = NULL;
    int code = sqlite3_prepare_v2(ledger->db, sql, -1, &query, NULL);
    for (int i = 0; i < 3 && code == SQLITE_OK; i++) {
        code = sqlite3_bind_text64(query, i + 1, texts[i].ptr, texts[i].len, SQLITE_STATIC,
                                   SQLITE_UTF8);
    }
    return each_standing(query, code, fn, user);
}

int peri_ledger_drops(peri_ledger *ledger, peri_str observer, uint64_t limit, peri_drop_fn fn,
                      void *user) {
    static const char sql[] = "SELECT reason, amount FROM drop_reason WHERE observer = ?1 "
                              "ORDER BY amount DESC, reason LIMIT ?2";
    sqlite3_stmt *query = NULL;
    int code = ask(ledger, sql, observer, limit, &query);
    if (code == SQLITE_OK) code = sqlite3_step(query);
    for (; code == SQLITE_ROW; code = sqlite3_step(query)) {
        fn(user, text_at(query, 0), count_at(query, 1));
    }
    return done(query, code);
}

int peri_ledger_observers(peri_ledger *ledger, peri_observer_name_fn fn, void *user) {
    sqlite3_stmt *query = NULL;
    int code = ask(ledger, "SELECT DISTINCT observer FROM standing ORDER BY observer",
                   (peri_str){0}, 0, &query);
    if (code == SQLITE_OK) code = sqlite3_step(query);
    for (; code == SQLITE_ROW; code = sqlite3_step(query)) fn(user, text_at(query, 0));
    return done(query, code);
}

int peri_ledger_last_warning(peri_ledger *ledger, peri_str state, peri_arena *arena,
                             peri_str *file, int64_t *at_wall_ms) {
    static const char sql[] = "SELECT file, at_wall_ms FROM record WHERE kind = 'warning' "
                              "AND state = ?1 ORDER BY position DESC LIMIT 1";
    sqlite3_stmt *query = NULL;
    int code = ask(ledger, sql, state, 0, &query);
    if (code == SQLITE_OK) code = sqlite3_step(query);
    bool found = code == SQLITE_ROW;
    if (found) {
        *file = peri_arena_copy(arena, text_at(query, 0));
        *at_wall_ms = sqlite3_column_int64(query, 1);
        code = SQLITE_DONE;
    }
    int status = done(query, code);
    return status == PERI_OK && !found ? PERI_ENOENT : status;
}

int peri_ledger_hosts(peri_ledger *ledger, uint64_t limit, peri_host_row_fn fn, void *user) {
    static const char sql[] = "SELECT id, pid, started_wall_ms, at_wall_ms, ended, status, "
                              "text FROM host ORDER BY at_wall_ms DESC, id LIMIT ?2";
    sqlite3_stmt *query = NULL;
    int code = ask(ledger, sql, (peri_str){0}, limit, &query);
    if (code == SQLITE_OK) code = sqlite3_step(query);
    for (; code == SQLITE_ROW; code = sqlite3_step(query)) {
        const peri_host_row row = {
            .id = sqlite3_column_int64(query, 0),
            .pid = sqlite3_column_int64(query, 1),
            .started_wall_ms = sqlite3_column_int64(query, 2),
            .at_wall_ms = sqlite3_column_int64(query, 3),
            .ended = sqlite3_column_int(query, 4) != 0,
            .status = text_at(query, 5),
            .text = text_at(query, 6),
        };
        fn(user, &row);
    }
    return done(query, code);
}

int peri_ledger_get_spent(peri_ledger *ledger, peri_str session, int64_t day, peri_spent_fn fn,
                          void *user) {
    int status = peri__ledger_ready(ledger, LEDGER_GET_SPENT);
    if (status < 0) return status;
    sqlite3_stmt *get = ledger->statements[LEDGER_GET_SPENT];
    int code = sqlite3_bind_text64(get, 1, session.ptr ? session.ptr : "", session.len,
                                   SQLITE_STATIC, SQLITE_UTF8);
    if (code == SQLITE_OK) code = sqlite3_bind_int64(get, 2, day);
    if (code == SQLITE_OK) code = sqlite3_step(get);
    for (; code == SQLITE_ROW; code = sqlite3_step(get)) {
        fn(user, text_at(get, 0), count_at(get, 1));
    }
    sqlite3_reset(get);
    sqlite3_clear_bindings(get);
    return code == SQLITE_DONE ? PERI_OK : peri__ledger_status(code);
}
