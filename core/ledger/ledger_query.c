// The ledger's reading half: what `perilune explain` and `perilune log` ask. Rows come back as
// records, in the order in which they were stored; `seq` starts anew with every host, so the
// position in the table is the order that counts.
#include "ledger/ledger_internal.h"

enum { MAX_CANDIDATES = 64 };

// A digest's excerpt stands once, in its JSON (peri_ledger_put()): it comes behind the others.
#define READ_COLUMNS                                                                           \
    LEDGER_COLUMNS ", CASE WHEN kind = 'digest' AND json_valid(json)"                          \
                   " THEN json_extract(json, '$.text') END"

// The kinds that carry a proposal's id.
#define OF_PROPOSAL LEDGER_IS_SOUGHT " AND kind IN ('proposal', 'decision', 'delivery')"

// True for a kind this version knows.
static bool find_kind(peri_str word, peri_record_kind *out) {
    for (size_t i = 0; i < PERI_RECORD_KIND_COUNT; i++) {
        if (!peri_str_eq(word, peri_str_c(peri_record_kind_name((peri_record_kind)i))))
            continue;
        *out = (peri_record_kind)i;
        return true;
    }
    return false;
}

static peri_str column(sqlite3_stmt *row, int at) {
    const char *text = (const char *)sqlite3_column_text(row, at);
    return peri_str_of(text, text ? (size_t)sqlite3_column_bytes(row, at) : 0);
}

static void hand_out(sqlite3_stmt *row, peri_ledger_row_fn fn, void *user) {
    peri_record record = {.struct_size = sizeof record};
    int at = 0;
    if (!find_kind(column(row, at++), &record.kind)) return;
    record.at_wall_ms = sqlite3_column_int64(row, at++);
#define NUMBER(field) record.field = (uint64_t)sqlite3_column_int64(row, at++);
    LEDGER_NUMBER_LIST(NUMBER)
#undef NUMBER
#define TEXT(field) record.field = column(row, at++);
    LEDGER_TEXT_LIST(TEXT)
#undef TEXT
    if (!record.text.ptr) record.text = column(row, at);
    fn(user, &record);
}

// A parameter that the query has not got is left alone.
static int bind(sqlite3_stmt *query, int place, peri_str text) {
    if (place > sqlite3_bind_parameter_count(query)) return SQLITE_OK;
    return sqlite3_bind_text64(query, place, text.ptr, text.len, SQLITE_STATIC, SQLITE_UTF8);
}

// Runs a query over rows whose parameters are up to two texts and a limit.
static int each_row(peri_ledger *ledger, const char *sql, peri_str first, peri_str second,
                    uint64_t limit, peri_ledger_row_fn fn, void *user) {
    sqlite3_stmt *query = NULL;
    int code = sqlite3_prepare_v2(ledger->db, sql, -1, &query, NULL);
    if (code == SQLITE_OK) code = bind(query, 1, first);
    if (code == SQLITE_OK) code = bind(query, 2, second);
    int64_t most = limit < INT64_MAX ? (int64_t)limit : INT64_MAX;
    bool limited = code == SQLITE_OK && sqlite3_bind_parameter_count(query) >= 3;
    if (limited) code = sqlite3_bind_int64(query, 3, most);
    if (code == SQLITE_OK) code = sqlite3_step(query);
    for (; code == SQLITE_ROW; code = sqlite3_step(query)) hand_out(query, fn, user);
    sqlite3_finalize(query);
    return peri__ledger_status(code);
}

// Writes the whole id that `id` stands for.
static int find_id(peri_ledger *ledger, peri_str id, peri_buf *out) {
    // An id that is given whole counts even if it begins another one.
    static const char sql[] = "SELECT DISTINCT id FROM record WHERE " OF_PROPOSAL
                              " AND id >= ?1 AND id < ?1 || char(0x10FFFF) ORDER BY id LIMIT 2";
    sqlite3_stmt *query = NULL;
    int code = sqlite3_prepare_v2(ledger->db, sql, -1, &query, NULL);
    if (code == SQLITE_OK) code = bind(query, 1, id);
    if (code == SQLITE_OK) code = sqlite3_step(query);
    int status = code == SQLITE_DONE ? PERI_ENOENT : peri__ledger_status(code);
    if (code == SQLITE_ROW) {
        peri_buf_add(out, column(query, 0));
        bool whole = peri_str_eq(peri_buf_str(out), id);
        if (!whole && id.len < PERI_LEDGER_PREFIX_MIN) status = PERI_ENOENT;
        if (!whole && status == PERI_OK && sqlite3_step(query) == SQLITE_ROW)
            status = PERI_EDUP;
    }
    sqlite3_finalize(query);
    return status < 0 ? status : out->status;
}

int peri_ledger_explain(peri_ledger *ledger, peri_str id, peri_ledger_row_fn fn, void *user) {
    static const char candidates[] =
        "SELECT " READ_COLUMNS " FROM record WHERE kind = 'proposal'"
        " AND id >= ?1 AND id < ?1 || char(0x10FFFF) ORDER BY position LIMIT ?3";
    // A run names its digest, and a proposal follows its run: nothing else ties them. Both are
    // looked for from the proposal backwards, where they are near.
    static const char story[] =
        "WITH said AS (SELECT * FROM record WHERE kind = 'proposal' AND id = ?1"
        "  ORDER BY position LIMIT 1),"
        " woken AS (SELECT position, id FROM record WHERE kind = 'run'"
        "  AND session IS (SELECT session FROM said) AND agent IS (SELECT agent FROM said)"
        "  AND observer IS (SELECT observer FROM said) AND step = (SELECT step FROM said)"
        "  AND position < (SELECT position FROM said) ORDER BY position DESC LIMIT 1),"
        " shown AS (SELECT position FROM record WHERE kind = 'digest'"
        "  AND id = (SELECT id FROM woken) AND position < (SELECT position FROM woken)"
        "  ORDER BY position DESC LIMIT 1)"
        " SELECT " READ_COLUMNS " FROM record WHERE position IN"
        " (SELECT position FROM shown UNION ALL SELECT position FROM woken UNION ALL"
        "  SELECT position FROM record WHERE " OF_PROPOSAL " AND id = ?1) ORDER BY position";
    peri_buf whole;
    peri_buf_init(&whole, PERI_LEDGER_RECORD_MAX_BYTES);
    int status = find_id(ledger, id, &whole);
    peri_str none = {0};
    if (status == PERI_OK) {
        status = each_row(ledger, story, peri_buf_str(&whole), none, 0, fn, user);
    } else if (status == PERI_EDUP) {
        int listed = each_row(ledger, candidates, id, none, MAX_CANDIDATES, fn, user);
        if (listed < 0) status = listed;
    }
    peri_buf_deinit(&whole);
    return status;
}

int peri_ledger_log(peri_ledger *ledger, peri_str session, peri_str observer, uint64_t limit,
                    peri_ledger_row_fn fn, void *user) {
    static const char sql[] =
        "SELECT " READ_COLUMNS " FROM (SELECT * FROM record"
        " WHERE (?1 IS NULL OR session = ?1) AND (?2 IS NULL OR observer = ?2)"
        " ORDER BY position DESC LIMIT ?3) ORDER BY position";
    return each_row(ledger, sql, session, observer, limit, fn, user);
}

int peri_ledger_proposals(peri_ledger *ledger, uint64_t limit, uint64_t *total,
                          peri_ledger_row_fn fn, void *user) {
    static const char count[] = "SELECT count(*) FROM record WHERE kind = 'proposal'";
    static const char newest[] =
        "SELECT " READ_COLUMNS " FROM (SELECT * FROM record WHERE kind = 'proposal'"
        " ORDER BY position DESC LIMIT ?3) ORDER BY position";
    sqlite3_stmt *query = NULL;
    int64_t rows = 0;
    int code = sqlite3_prepare_v2(ledger->db, count, -1, &query, NULL);
    if (code == SQLITE_OK) code = peri__ledger_step(query, &rows);
    sqlite3_finalize(query);
    if (peri__ledger_status(code) < 0) return peri__ledger_status(code);
    *total = (uint64_t)rows;
    return each_row(ledger, newest, (peri_str){0}, (peri_str){0}, limit, fn, user);
}
