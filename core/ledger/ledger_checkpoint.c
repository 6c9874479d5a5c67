// Checkpoints of followed files (checkpoint.h): one row a path. Written by the host between the
// records of a step and its commit.
#include "ledger/checkpoint.h"
#include "ledger/ledger_internal.h"

// Runs a statement that changes something.
static int change(sqlite3_stmt *statement, int code) {
    if (code == SQLITE_OK) code = peri__ledger_step(statement, NULL);
    sqlite3_clear_bindings(statement);
    return code == SQLITE_DONE ? PERI_OK : peri__ledger_status(code);
}

static int bind_path(sqlite3_stmt *to, peri_str path) {
    return sqlite3_bind_text64(to, 1, path.ptr, path.len, SQLITE_STATIC, SQLITE_UTF8);
}

int peri_ledger_put_checkpoint(peri_ledger *ledger, const peri_checkpoint *from,
                               int64_t wall_ms) {
    int status = peri__ledger_begin(ledger);
    if (status < 0) return status;
    sqlite3_stmt *to = ledger->statements[LEDGER_PUT_CHECKPOINT];
    const int64_t numbers[] = {(int64_t)from->device, (int64_t)from->inode,
                               (int64_t)from->offset, (int64_t)from->print,
                               (int64_t)from->tries,  wall_ms};
    int code = bind_path(to, from->path);
    for (int i = 0; i < (int)(sizeof numbers / sizeof numbers[0]) && code == SQLITE_OK; i++) {
        code = sqlite3_bind_int64(to, i + 2, numbers[i]);
    }
    return change(to, code);
}

int peri_ledger_drop_checkpoint(peri_ledger *ledger, peri_str path) {
    int status = peri__ledger_begin(ledger);
    if (status < 0) return status;
    sqlite3_stmt *drop = ledger->statements[LEDGER_DROP_CHECKPOINT];
    return change(drop, bind_path(drop, path));
}

int peri_ledger_get_checkpoint(peri_ledger *ledger, peri_str path, uint64_t device,
                               uint64_t inode, peri_checkpoint *out) {
    sqlite3_stmt *get =
        ledger->statements[path.ptr ? LEDGER_CHECKPOINT_OF_PATH : LEDGER_CHECKPOINT_OF_INODE];
    if (!get) return PERI_ENOENT; // opened to be read
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
