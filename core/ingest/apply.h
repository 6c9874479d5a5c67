// Executing a dialect's rules on one parsed record.
#ifndef PERI_INGEST_APPLY_H
#define PERI_INGEST_APPLY_H

#include "ingest/dialect.h"

/// Takes an observation; it and its texts live until the callback returns.
typedef void (*peri_obs_fn)(void *user, peri_obs *obs);

typedef enum peri_apply_state {
    PERI_APPLY_MATCHED, // a rule matched; it may have emitted nothing
    PERI_APPLY_UNKNOWN, // no rule matched: one `raw` was emitted
    PERI_APPLY_INVALID, // a rule matched but a required field was missing: `raw` instead
    PERI_APPLY_FAILED,  // a map function failed: `raw` instead
} peri_apply_state;

typedef struct peri_apply_result {
    peri_apply_state state;
    uint32_t emitted, invalid;
    peri_obs_kind invalid_kind;   // of the last invalid one,
    peri_obs_field invalid_field; // and the field it lacked
    peri_str error;               // of the map function that failed; in `arena`
} peri_apply_result;

/// Runs `dialect` over `record`, one whole line of its stream. Texts are borrowed from the
/// record's document or put into `arena`, which the caller resets afterwards. Running out of
/// arena loses texts, not the record.
peri_apply_result peri_dialect_apply(const peri_dialect *dialect, peri_json record,
                                     peri_arena *arena, peri_obs_fn fn, void *user);

/// The time that `record` tells; false if it tells none.
bool peri_dialect_at(const peri_dialect *dialect, peri_json record, peri_arena *arena,
                     int64_t *at_wall_ms);

/// How specific the best matching detect entry is: its number of tests, 0 if none matches.
size_t peri_dialect_detects(const peri_dialect *dialect, peri_json record);

#endif
