// Two replays of the same input, and what differs between their decisions (spec PE-4). Uses the public
// header alone.
#ifndef PERI_CLI_BACKTEST_H
#define PERI_CLI_BACKTEST_H

#include "session.h"

typedef struct backtest_options {
    const char *against; // policies, or a folder of observers
    bool fail_on_change, all_sources;
} backtest_options;

/// Replays `paths` as `options` says and again with `more->against` in the place of the policies, or of
/// the observers where those are what `options` names; prints what differs. Nothing is stored. An exit
/// code: 1 if anything differs and the caller asked for that.
int backtest(const session_options *options, const backtest_options *more,
             const char *const *paths, size_t count);

#endif
