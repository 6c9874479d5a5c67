// Checkpoints of followed files (checkpoint.h): one row a path. Written by the host between the
// records of a step and its commit.
#include "ledger/checkpoint.h"
#include "ledger/ledger_internal.h"

static int bind_path(sqlite3_stmt *to, peri_str path) {
    return sqlite3_bind_text64(to, 1, path.ptr, path.len, SQLITE_STATIC, SQLITE_UTF8);
}

int peri_ledger_put_checkpoint(peri_ledger *ledger, const peri_checkpoint *from,
                               int64_t wall_ms) {
    const ledger_value values[] = {
        peri__ledger_text(from->path),
        peri__ledger_number((int64_t)from->device),
        peri__ledger_number((int64_t)from->inode),
        peri__ledger_number((int64_t)from->offset),
        peri__ledger_number((int64_t)from->print),
        peri__ledger_number((int64_t)from->tries),
        peri__ledger_number(wall_ms),
    };
    return peri__ledger_queue(ledger, LEDGER_PUT_CHECKPOINT, values,
                              sizeof values / sizeof *values);
}

int peri_ledger_drop_checkpoint(peri_ledger *ledger, peri_str path) {
    const ledger_value value = peri__ledger_text(path);
    return peri__ledger_queue(ledger, LEDGER_DROP_CHECKPOINT, &value, 1);
}

int peri_ledger_get_checkpoint(peri_ledger *ledger, peri_str path, uint64_t device,
                               uint64_t inode, peri_checkpoint *out) {
    ledger_statement of = path.ptr ? LEDGER_CHECKPOINT_OF_PATH : LEDGER_CHECKPOINT_OF_INODE;
    int status = peri__ledger_ready(ledger, of);
    if (status < 0) return status;
    sqlite3_stmt *get = ledger->statements[of];
    int code = path.ptr ? bind_path(get, path) : sqlite3_bind_int64(get, 1, (int64_t)device);
    if (code == SQLITE_OK && !path.ptr) code = sqlite3_bind_int64(get, 2, (int64_t)inode);
    if (code == SQLITE_OK) code = sqlite3_step(get);
    if (code == SQLITE_ROW) {
        *out = (peri_checkpoint){
            .device = (uint64_t)sqlite3_column_int64(get, 0),
            .inode = (uint64_t)sqlite3_column_int64(get, 1),
            .offset = (uint64_t)sqlite3_column_int64(get, 2),
            .print = (uint64_t)sqlite3_column_int64(get, 3),
            .tries = (uint64_t)sqlite3_column_int64(get, 4),
        };
    }
    sqlite3_reset(get);
    sqlite3_clear_bindings(get);
    if (code == SQLITE_ROW) return PERI_OK;
    return code == SQLITE_DONE ? PERI_ENOENT : peri__ledger_status(code);
}

int peri_ledger_checkpoints(peri_ledger *ledger, uint64_t limit, peri_checkpoint_fn fn,
                            void *user) {
    static const char sql[] = "SELECT path, device, inode, offset FROM checkpoint "
                              "ORDER BY at_wall_ms DESC LIMIT ?";
    sqlite3_stmt *list = NULL;
    int code = sqlite3_prepare_v2(ledger->db, sql, -1, &list, NULL);
    int64_t most = limit < INT64_MAX ? (int64_t)limit : INT64_MAX;
    if (code == SQLITE_OK) code = sqlite3_bind_int64(list, 1, most);
    if (code == SQLITE_OK) code = sqlite3_step(list);
    for (; code == SQLITE_ROW; code = sqlite3_step(list)) {
        const char *path = (const char *)sqlite3_column_text(list, 0);
        const peri_checkpoint checkpoint = {
            .path = peri_str_c(path),
            .device = (uint64_t)sqlite3_column_int64(list, 1),
            .inode = (uint64_t)sqlite3_column_int64(list, 2),
            .offset = (uint64_t)sqlite3_column_int64(list, 3),
        };
        fn(user, &checkpoint);
    }
    sqlite3_finalize(list);
    return code == SQLITE_DONE ? PERI_OK : peri__ledger_status(code);
}
