// The replay that `perilune check --against` makes for each thing it tries.
#ifndef PERI_CLI_AGAINST_REPLAY_H
#define PERI_CLI_AGAINST_REPLAY_H

#include "session.h"

/// Replays `recording` as `options` say, without ledger, and without policies where they name
/// none; `hear` hears its records. Prints nothing. An exit code.
int against_replay(const session_options *options, const char *recording, peri_record_fn hear,
                   void *user);

#endif
