// The ledger's handle; a record goes into the queue (ledger_queue.c) as one change.
// Called by the host on its loop, so it never waits: whatever SQLite cannot do at once waits in
// the queue or is counted and given up, and the agent is none the slower for it.
#include "ledger/ledger_internal.h"

#include <stdlib.h>

enum {
    DEFAULT_DAYS = 30,
    DEFAULT_MAX_BYTES = 256 * 1024 * 1024,
    MIN_MAX_BYTES = 256 * 1024,
    CLOSE_WAIT_MS = 2000,
};

#define MAX_MAX_BYTES (INT64_C(1) << 40)

static int prepare(peri_ledger *ledger) {
    int status = PERI_OK;
    for (int i = 0; i <= LEDGER_INSERT && status == PERI_OK; i++) {
        status = peri__ledger_ready(ledger, (ledger_statement)i);
    }
    if (status < 0) return status;
    int code = peri__ledger_step(ledger->statements[LEDGER_EPOCH], &ledger->epoch);
    return code == SQLITE_DONE ? PERI_EFORMAT : peri__ledger_status(code);
}

int peri_ledger_open(const char *path, const peri_ledger_options *options, peri_ledger **out,
                     const char **error) {
    peri_ledger *ledger = calloc(1, sizeof *ledger);
    if (!ledger) {
        *error = peri_status_message(PERI_ENOMEM);
        return PERI_ENOMEM;
    }
    ledger->last = &ledger->first;
    ledger->read_only = options->read_only;
    ledger->alone = options->replace;
    ledger->days = options->days > 0 ? options->days : DEFAULT_DAYS;
    if (ledger->alone) ledger->days = INT64_MAX;
    ledger->max_bytes = options->max_bytes > 0 ? options->max_bytes : DEFAULT_MAX_BYTES;
    if (ledger->max_bytes < MIN_MAX_BYTES) ledger->max_bytes = MIN_MAX_BYTES;
    if (ledger->max_bytes > MAX_MAX_BYTES) ledger->max_bytes = MAX_MAX_BYTES;

    peri_ledger_options sized = *options;
    sized.max_bytes = ledger->max_bytes;
    int status = peri__ledger_open_file(path, &sized, &ledger->db, error);
    if (status == PERI_OK && !options->read_only) {
        status = prepare(ledger);
        if (status < 0) *error = "the ledger's tables are damaged";
    }
    if (status < 0) {
        peri_ledger_close(ledger);
        return status;
    }
    *out = ledger;
    return PERI_OK;
}

void peri_ledger_close(peri_ledger *ledger) {
    if (!ledger) return;
    if (ledger->statements[LEDGER_INSERT]) {
        sqlite3_busy_timeout(ledger->db, CLOSE_WAIT_MS); // nobody's loop waits any more
        if (peri_ledger_commit(ledger, ledger->wall_ms) == PERI_EAGAIN)
            peri__ledger_drop_queue(ledger);
    }
    for (int i = 0; i < LEDGER_STATEMENT_COUNT; i++) sqlite3_finalize(ledger->statements[i]);
    sqlite3_close(ledger->db);
    free(ledger);
}

static bool is_kept(peri_record_kind kind) {
    return (size_t)kind < PERI_RECORD_KIND_COUNT && kind != PERI_RECORD_OBSERVATION;
}

static size_t text_bytes(const peri_record *record) {
    size_t bytes = 0;
#define ADD(field) bytes += record->field.len;
    LEDGER_TEXT_LIST(ADD)
#undef ADD
    return bytes;
}

int peri_ledger_put(peri_ledger *ledger, const peri_record *given) {
    if (!is_kept(given->kind)) return PERI_OK;
    if (text_bytes(given) > PERI_LEDGER_RECORD_MAX_BYTES) {
        peri__ledger_count_dropped(ledger, PERI_EINVAL, 1);
        return PERI_ELIMIT;
    }
    peri_record row = *given;
    // Most of what a ledger holds is excerpts of digests: each
    // stands once, in the record's JSON.
    if (row.kind == PERI_RECORD_DIGEST && row.json.len) row.text = (peri_str){0};
    const ledger_value values[] = {
        peri__ledger_text(peri_str_c(peri_record_kind_name(row.kind))),
        peri__ledger_number(row.at_wall_ms),
#define NUMBER(field) peri__ledger_number((int64_t)row.field),
        LEDGER_NUMBER_LIST(NUMBER)
#undef NUMBER
#define TEXT(field) peri__ledger_text(row.field),
            LEDGER_TEXT_LIST(TEXT)
#undef TEXT
    };
    return peri__ledger_queue(ledger, LEDGER_INSERT, values, sizeof values / sizeof *values);
}

void peri_ledger_get_stats(const peri_ledger *ledger, peri_ledger_stats *out) {
    *out = ledger->stats;
}
