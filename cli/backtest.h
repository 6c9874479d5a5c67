// Two replays of the same input, and what differs between their decisions (spec PE-4). Uses the
// public header alone.
#ifndef PERI_CLI_BACKTEST_H
#define PERI_CLI_BACKTEST_H

#include "session.h"

typedef struct backtest_options {
    const char *against; // policies, or a folder of observers
    bool fail_on_change;
} backtest_options;

/// Replays `paths` as `options` and `how` say and again with `more->against` in the place of
/// the policies, or of the observers where those are what `options` names; prints what differs.
/// Each side leaves its ledger for `explain`, the other one `other_ledger`. An exit code: 1 if
/// anything differs and the caller asked for that.
int backtest(const session_options *options, const peri_host_options *how,
             const backtest_options *more, const char *other_ledger, const char *const *paths,
             size_t count);

#endif
