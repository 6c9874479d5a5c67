// By which ways each agent is reached (case C57).
#ifndef PERI_CLI_POLICY_LANES_H
#define PERI_CLI_POLICY_LANES_H

#include <stdio.h>

#include "host/author.h"

/// Prints the lanes of every dialect that `host` has loaded: a table for people, or as JSON one
/// object a way.
void policy_lanes(peri_host *host, bool json, FILE *out);

#endif
