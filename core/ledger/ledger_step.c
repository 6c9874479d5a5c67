// One step of a statement, and SQLite's codes as ours. Below all other files of the ledger.
#include "ledger/ledger_internal.h"

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
