// Retention (design D8): rows older than the kept days go first, then the oldest ones until the
// file's used pages fit the kept bytes. Runs on the host's loop behind a commit, so a round is
// bounded; while more is due the next commit goes on. A replay, for which no agent waits, drops
// all that is due behind each commit. A round that fails is given up: the next one finds the
// same rows.
#include "ledger/ledger_internal.h"

#include <limits.h>

enum { ROUND_ROWS = 512, STEP_ROWS = 16, MINUTE_MS = 60 * 1000, CHECKPOINTS = 100000 };

#define DAY_MS INT64_C(86400000)

// Runs one of the statements that drop rows. Returns how many went.
static int drop(peri_ledger *ledger, ledger_statement which, int64_t bound, int64_t most) {
    if (peri__ledger_ready(ledger, which) < 0) return 0;
    sqlite3_stmt *to = ledger->statements[which];
    sqlite3_bind_int64(to, 1, bound);
    if (sqlite3_bind_parameter_count(to) > 1) sqlite3_bind_int64(to, 2, most);
    return peri__ledger_step(to, NULL) == SQLITE_DONE ? sqlite3_changes(ledger->db) : 0;
}

// Rows older than the kept days, at most a round of them. Returns how many went.
static int drop_old(peri_ledger *ledger, int64_t wall_ms) {
    if (ledger->days > wall_ms / DAY_MS) return 0;
    int64_t kept_from_ms = wall_ms - ledger->days * DAY_MS;
    int dropped = drop(ledger, LEDGER_DROP_OLD, kept_from_ms, ROUND_ROWS);
    for (int i = LEDGER_PAIRINGS_KEPT; i <= LEDGER_HOSTS_KEPT; i++) {
        (void)drop(ledger, (ledger_statement)i, kept_from_ms, 0);
    }
    return dropped;
}

static bool is_over(peri_ledger *ledger) {
    int64_t pages = 0;
    if (peri__ledger_ready(ledger, LEDGER_USED_PAGES) < 0) return false;
    peri__ledger_step(ledger->statements[LEDGER_USED_PAGES], &pages);
    return pages > ledger->max_bytes / LEDGER_PAGE_BYTES;
}

// The oldest rows, while the file is over its size. Returns how many went.
static int drop_first(peri_ledger *ledger) {
    int most = ledger->alone ? INT_MAX : ROUND_ROWS, dropped = 0;
    while (dropped < most && is_over(ledger)) {
        int changes = drop(ledger, LEDGER_DROP_FIRST, STEP_ROWS, 0);
        if (changes == 0) break;
        dropped += changes;
    }
    return dropped;
}

static bool is_due(const peri_ledger *ledger, int64_t wall_ms) {
    int64_t wait_ms = ledger->prune_at_wall_ms - wall_ms;
    return ledger->alone || wait_ms <= 0 || wait_ms > MINUTE_MS; // more: the clock went back
}

void peri__ledger_prune(peri_ledger *ledger, int64_t wall_ms) {
    if (!is_due(ledger, wall_ms)) return;
    ledger->prune_at_wall_ms = wall_ms + MINUTE_MS;
    if (peri__ledger_step(ledger->statements[LEDGER_BEGIN], NULL) != SQLITE_DONE) return;
    (void)drop(ledger, LEDGER_CHECKPOINTS_KEPT, CHECKPOINTS, 0);
    int old = drop_old(ledger, wall_ms);
    int first = drop_first(ledger);
    int code = peri__ledger_step(ledger->statements[LEDGER_COMMIT], NULL);
    if (code != SQLITE_DONE && !sqlite3_get_autocommit(ledger->db)) {
        peri__ledger_step(ledger->statements[LEDGER_ROLLBACK], NULL);
        return;
    }
    if (old + first > 0 && peri__ledger_ready(ledger, LEDGER_SHRINK) == PERI_OK)
        peri__ledger_step(ledger->statements[LEDGER_SHRINK], NULL);
    if (old >= ROUND_ROWS || first >= ROUND_ROWS) ledger->prune_at_wall_ms = wall_ms;
}
