// `perilune check --against RECORDING`: which of the observers that were checked a recording
// never woke (case C36), which permission rules it never met, and which policies changed
// nothing.
#ifndef PERI_CLI_AGAINST_H
#define PERI_CLI_AGAINST_H

#include <stdbool.h>

#include "model/observer.h"

enum { AGAINST_MAX_CONFIGS = 16 };

/// Observers to be tried, each with what a replay said of it. Zeroed before the first use.
typedef struct against {
    struct against_entry *all; // owned
    size_t count, cap;
    char *configs[AGAINST_MAX_CONFIGS]; // owned; those whose permission rules are tried
    size_t config_count;
    char *policies[AGAINST_MAX_CONFIGS]; // owned
    size_t policy_count;
    const char *folder; // whose observers the replay at hand runs
} against;

/// Notes a valid observer, read from `path`. What is needed of it is copied. PERI_ENOMEM.
PERI_MUST_USE int against_add(against *a, const peri_observer *observer, const char *path);

/// Notes a valid config. PERI_ENOMEM.
PERI_MUST_USE int against_add_config(against *a, const char *path);

/// Notes a valid policy. PERI_ENOMEM.
PERI_MUST_USE int against_add_policy(against *a, const char *path);

/// Replays `recording` with the observers that were noted and prints what became of each: a
/// line for people, or an object. An exit code; that one never matched is no failure.
int against_run(against *a, const char *recording, bool json);

void against_deinit(against *a);

#endif
