// Counting what became of notes. A delivery's verdict is a record of its own, behind those of
// its way out; `trigger` says there what the delivery had come to.
#include "ledger/ledger_internal.h"
#include "ledger/precision.h"

static uint64_t number(sqlite3_stmt *row, int at) {
    return (uint64_t)sqlite3_column_int64(row, at);
}

int peri_ledger_precision(peri_ledger *ledger, peri_precision_fn fn, void *user) {
    static const char sql[] =
        "SELECT observer, shown, sum(state IN ('handed', 'would-deliver')), "
        "sum(state = 'followed'), sum(state = 'ignored'), sum(state = 'contradicted') FROM "
        "(SELECT observer, state, state != 'would-deliver' AND "
        "ifnull(\"trigger\", '') != 'would-deliver' AS shown FROM record WHERE kind = 'delivery' "
        "AND lane IN ('steer', 'prompt', 'follow_up', 'hold') AND observer IS NOT NULL AND state IN "
        "('handed', 'would-deliver', 'followed', 'ignored', 'contradicted')) "
        "GROUP BY observer, shown ORDER BY observer, shown DESC";
    sqlite3_stmt *query = NULL;
    int code = sqlite3_prepare_v2(ledger->db, sql, -1, &query, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(query);
    for (; code == SQLITE_ROW; code = sqlite3_step(query)) {
        const char *name = (const char *)sqlite3_column_text(query, 0);
        const peri_precision one = {
            .observer = peri_str_of(name, (size_t)sqlite3_column_bytes(query, 0)),
            .shown = sqlite3_column_int(query, 1) != 0,
            .delivered = number(query, 2),
            .followed = number(query, 3),
            .ignored = number(query, 4),
            .contradicted = number(query, 5),
        };
        if (name) fn(user, &one);
    }
    sqlite3_finalize(query);
    return peri__ledger_status(code);
}
