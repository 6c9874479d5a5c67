// Retention (design D8): rows older than the kept days go first, then the oldest ones until the
// file's used pages fit the kept bytes. Runs on the host's loop behind a commit, so a round is
// bounded; while more is due the next commit goes on. A round that fails is given up: the next
// one finds the same rows.
#include "ledger/ledger_internal.h"

enum { ROUND_ROWS = 512, STEP_ROWS = 16, MINUTE_MS = 60 * 1000, CHECKPOINTS = 100000 };

#define DAY_MS INT64_C(86400000)

// Rows older than the kept days, at most a round of them. Returns how many went.
static int drop_old(peri_ledger *ledger, int64_t wall_ms) {
    if (ledger->days > wall_ms / DAY_MS) return 0;
    sqlite3_stmt *drop = ledger->statements[LEDGER_DROP_OLD];
    sqlite3_bind_int64(drop, 1, wall_ms - ledger->days * DAY_MS);
    sqlite3_bind_int64(drop, 2, ROUND_ROWS);
    if (peri__ledger_step(drop, NULL) != SQLITE_DONE) return 0;
    int dropped = sqlite3_changes(ledger->db);
    for (int i = LEDGER_PAIRINGS_KEPT; i <= LEDGER_HOSTS_KEPT; i++) {
        sqlite3_bind_int64(ledger->statements[i], 1, wall_ms - ledger->days * DAY_MS);
        peri__ledger_step(ledger->statements[i], NULL);
    }
    return dropped;
}

static bool is_over(peri_ledger *ledger) {
    int64_t pages = 0;
    peri__ledger_step(ledger->statements[LEDGER_USED_PAGES], &pages);
    return pages > ledger->max_bytes / LEDGER_PAGE_BYTES;
}

// The oldest rows, while the file is over its size. Returns how many went.
static int drop_first(peri_ledger *ledger) {
    sqlite3_stmt *drop = ledger->statements[LEDGER_DROP_FIRST];
    sqlite3_bind_int64(drop, 1, STEP_ROWS);
    int dropped = 0;
    while (dropped < ROUND_ROWS && is_over(ledger)) {
        if (peri__ledger_step(drop, NULL) != SQLITE_DONE) break;
        int changes = sqlite3_changes(ledger->db);
        if (changes == 0) break;
        dropped += changes;
    }
    return dropped;
}

void peri__ledger_prune(peri_ledger *ledger, int64_t wall_ms) {
    int64_t wait_ms = ledger->prune_at_wall_ms - wall_ms;
    if (wait_ms > 0 && wait_ms <= MINUTE_MS) return; // more means that the clock went back
    ledger->prune_at_wall_ms = wall_ms + MINUTE_MS;
    if (peri__ledger_step(ledger->statements[LEDGER_BEGIN], NULL) != SQLITE_DONE) return;
    sqlite3_stmt *checkpoints = ledger->statements[LEDGER_CHECKPOINTS_KEPT];
    sqlite3_bind_int64(checkpoints, 1, CHECKPOINTS);
    peri__ledger_step(checkpoints, NULL);
    int old = drop_old(ledger, wall_ms);
    int first = drop_first(ledger);
    int code = peri__ledger_step(ledger->statements[LEDGER_COMMIT], NULL);
    if (code != SQLITE_DONE && !sqlite3_get_autocommit(ledger->db)) {
        peri__ledger_step(ledger->statements[LEDGER_ROLLBACK], NULL);
        return;
    }
    if (old + first > 0) peri__ledger_step(ledger->statements[LEDGER_SHRINK], NULL);
    if (old >= ROUND_ROWS || first >= ROUND_ROWS) ledger->prune_at_wall_ms = wall_ms;
}
