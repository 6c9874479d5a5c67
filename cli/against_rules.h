// The permission rules of a config, and a policy, under `perilune check --against RECORDING`.
#ifndef PERI_CLI_AGAINST_RULES_H
#define PERI_CLI_AGAINST_RULES_H

#include <stdbool.h>

/// Replays `recording` with the config, and the observers of a folder (NULL: none besides the
/// shipped), and prints of each rule what it matched. An exit code; a rule that never matched
/// is no failure.
int against_rules_run(const char *config, const char *observers, const char *recording,
                      bool json);

/// The same of a policy: how many decisions it changed, behind `default`.
int against_policy_run(const char *path, const char *observers, const char *recording,
                       bool json);

#endif
