// What was let through before: decisions, joined with the proposals they are about; and
// policies' states.
#include "ledger/accepted.h"
#include "ledger/ledger_internal.h"

static peri_str column(sqlite3_stmt *row, int at) {
    const char *text = (const char *)sqlite3_column_text(row, at);
    return peri_str_of(text, text ? (size_t)sqlite3_column_bytes(row, at) : 0);
}

static void hand_out(sqlite3_stmt *row, peri_accepted_fn fn, void *user) {
    const peri_accepted one = {
        .agent = column(row, 0),
        .observer = column(row, 1),
        .fingerprint = column(row, 2),
        .kind = column(row, 3),
        .lane = column(row, 4),
        .shadow = sqlite3_column_int(row, 5) != 0,
        .count = (uint64_t)sqlite3_column_int64(row, 6),
    };
    if (one.agent.ptr && one.observer.ptr && one.fingerprint.ptr) fn(user, &one);
}

int peri_ledger_accepted(peri_ledger *ledger, peri_str session, peri_accepted_fn fn,
                         void *user) {
    static const char sql[] =
        "SELECT d.agent, d.observer, p.fingerprint, p.state, d.lane, d.name IS 'shadow', count(*) "
        "FROM record d JOIN record p ON p.kind = 'proposal' AND p.id = d.id "
        "AND p.session = d.session WHERE d.session = ?1 AND d.kind = 'decision' "
        "AND d.state = 'deliver' GROUP BY 1, 2, 3, 4, 5, 6 "
        "ORDER BY max(d.position) DESC LIMIT ?2";
    sqlite3_stmt *query = NULL;
    int code = sqlite3_prepare_v2(ledger->db, sql, -1, &query, NULL);
    if (code == SQLITE_OK) {
        code =
            sqlite3_bind_text64(query, 1, session.ptr, session.len, SQLITE_STATIC, SQLITE_UTF8);
    }
    if (code == SQLITE_OK) code = sqlite3_bind_int(query, 2, PERI_ACCEPTED_MAX);
    if (code == SQLITE_OK) code = sqlite3_step(query);
    for (; code == SQLITE_ROW; code = sqlite3_step(query)) hand_out(query, fn, user);
    sqlite3_finalize(query);
    return peri__ledger_status(code);
}

int peri_ledger_put_policy_state(peri_ledger *ledger, peri_str session, peri_str policy,
                                 peri_str state, int64_t wall_ms) {
    const ledger_value values[] = {peri__ledger_text(session), peri__ledger_text(policy),
                                   peri__ledger_text(state), peri__ledger_number(wall_ms)};
    return peri__ledger_queue(ledger, LEDGER_PUT_POLICY_STATE, values, 4);
}

int peri_ledger_get_policy_state(peri_ledger *ledger, peri_str session, peri_str policy,
                                 peri_arena *arena, peri_str *out) {
    int status = peri__ledger_ready(ledger, LEDGER_GET_POLICY_STATE);
    if (status < 0) return status;
    sqlite3_stmt *get = ledger->statements[LEDGER_GET_POLICY_STATE];
    int code =
        sqlite3_bind_text64(get, 1, session.ptr, session.len, SQLITE_STATIC, SQLITE_UTF8);
    if (code == SQLITE_OK) {
        code = sqlite3_bind_text64(get, 2, policy.ptr, policy.len, SQLITE_STATIC, SQLITE_UTF8);
    }
    if (code == SQLITE_OK) code = sqlite3_step(get);
    status = code == SQLITE_DONE ? PERI_ENOENT : peri__ledger_status(code);
    if (code == SQLITE_ROW) {
        *out = peri_arena_copy(arena, column(get, 0));
        status = out->ptr ? PERI_OK : PERI_ENOMEM;
    }
    sqlite3_reset(get);
    sqlite3_clear_bindings(get);
    return status;
}
