// What a dialect says of its lanes, from the JSON that lua/perilune/dialects/init.lua
// made of it.
#ifndef PERI_SCRIPT_LANES_LOAD_H
#define PERI_SCRIPT_LANES_LOAD_H

#include "base/diag.h"
#include "base/json.h"
#include "model/lanes.h"

/// Reads `v`, the dialect's member `lanes` (absent: nothing is stated). Texts and arrays go to
/// `arena`. Each mistake is a diagnostic. PERI_EINVAL, PERI_ELIMIT, PERI_ENOMEM.
PERI_MUST_USE int peri_lanes_load(peri_json v, peri_str file, peri_arena *arena,
                                  peri_diag_list *diags, peri_lanes *out);

/// Takes what is known better of one channel; its texts are copied. PERI_ENOENT if no way goes
/// by it, PERI_ELIMIT, PERI_ENOMEM.
PERI_MUST_USE int peri_lanes_say(peri_lanes *lanes, const peri_channel *channel,
                                 peri_arena *arena);

#endif
