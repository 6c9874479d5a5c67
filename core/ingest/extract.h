// Taking one value out of a record and into an observation. Internal to ingest.
#ifndef PERI_INGEST_EXTRACT_H
#define PERI_INGEST_EXTRACT_H

#include "ingest/dialect.h"

/// Performs one assignment of a rule. A pick that finds nothing sets nothing.
void peri_extract(peri_obs *obs, const peri_rule_set *set, const peri_rule_scope *scope,
                  peri_arena *arena);

/// The same with the value found already.
void peri_extract_value(peri_obs *obs, const peri_rule_set *set, peri_json v, peri_json record,
                        peri_arena *arena);

/// Fills a number field.
void peri_extract_count(peri_obs_value *value, uint64_t count, peri_arena *arena);

#endif
