// The user's own switches of observers, kept in a file of their own beside config.yaml, so that
// what a person wrote is never rewritten by a program.
#ifndef PERI_CLI_SWITCHES_H
#define PERI_CLI_SWITCHES_H

#include "base/buf.h"

typedef enum peri_switch {
    PERI_SWITCH_OFF,
    PERI_SWITCH_ON,
    PERI_SWITCH_LIVE, // out of shadow; on or off as before
} peri_switch;

/// Sets each of `names` and writes the file. What goes wrong is
/// told on stderr in the name of `verb`.
PERI_MUST_USE int peri_switches_set(const char *verb, const char *const *names, size_t count,
                                    peri_switch to);

#endif
