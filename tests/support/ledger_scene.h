// Ledgers of the tests: a file that nothing else has, and its rows as one line of text.
#ifndef PERI_LEDGER_SCENE_H
#define PERI_LEDGER_SCENE_H

#include "ledger/ledger.h"
#include "scratch.h"

enum { ROWS_MAX = 4096 };

static scratch place;
static char path[256]; // of the ledger

/// A path below a folder that is new and empty.
static inline void fresh_path_at(const char *name) {
    scratch_renew(&place);
    snprintf(path, sizeof path, "%s/%s", place.root, name);
}

static inline peri_ledger *opened(peri_ledger_options options) {
    peri_ledger *ledger = NULL;
    const char *error = NULL;
    int status = peri_ledger_open(path, &options, &ledger, &error);
    if (status < 0) TEST_FAIL("open: %s", error);
    return ledger;
}

/// What opening it says; `*error` is NULL if it went well.
static inline int open_status(peri_ledger_options options, const char **error) {
    peri_ledger *ledger = NULL;
    *error = NULL;
    int status = peri_ledger_open(path, &options, &ledger, error);
    CHECK((status == PERI_OK) == (ledger != NULL));
    CHECK((status == PERI_OK) == (*error == NULL));
    peri_ledger_close(ledger);
    return status;
}

static inline peri_record record_of(peri_record_kind kind, const char *id, const char *state) {
    return (peri_record){
        .struct_size = sizeof(peri_record),
        .kind = kind,
        .at_wall_ms = 1000,
        .session = PERI_STR("s1"),
        .agent = PERI_STR("main"),
        .observer = PERI_STR("guard"),
        .id = peri_str_c(id),
        .state = peri_str_c(state),
        .step = 3,
        .json = PERI_STR("{}"),
    };
}

static inline void put(peri_ledger *ledger, peri_record_kind kind, const char *id,
                       const char *state) {
    peri_record record = record_of(kind, id, state);
    CHECK_OK(peri_ledger_put(ledger, &record));
}

// The rows of a query as "kind:id:state " each.
static char seen[ROWS_MAX * 64];
static size_t seen_len, seen_count;

static inline void see(void *user, const peri_record *r) {
    (void)user;
    int len = snprintf(seen + seen_len, sizeof seen - seen_len, "%s:%.*s:%.*s ",
                       peri_record_kind_name(r->kind), PERI_FMT(r->id), PERI_FMT(r->state));
    seen_len += (size_t)len;
    seen_count++;
}

static inline peri_str log_of(peri_ledger *ledger, peri_str session, peri_str observer,
                              uint64_t limit) {
    seen_len = seen_count = 0;
    CHECK_OK(peri_ledger_log(ledger, session, observer, limit, see, NULL));
    return peri_str_of(seen, seen_len);
}

static inline peri_str all_of(peri_ledger *ledger) {
    return log_of(ledger, (peri_str){0}, (peri_str){0}, ROWS_MAX);
}

static inline int explained(peri_ledger *ledger, const char *id) {
    seen_len = seen_count = 0;
    seen[0] = '\0';
    return peri_ledger_explain(ledger, peri_str_c(id), see, NULL);
}

#endif
