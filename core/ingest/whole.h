// Reading back what was written in part. Internal to ingest.
#ifndef PERI_INGEST_WHOLE_H
#define PERI_INGEST_WHOLE_H

#include "ingest/dialect.h"

/// Gives the values of `obs` that `whole` (the `x.whole` of peri_obs_write) names their true
/// sizes and ends. `record` is the record both were read from.
void peri_extract_whole(peri_obs *obs, peri_json whole, peri_json record, peri_arena *arena);

#endif
