// The table of lanes as a chain of policies decides it (case C56).
#ifndef PERI_CLI_POLICY_TABLE_H
#define PERI_CLI_POLICY_TABLE_H

#include <stdio.h>

#include "host/author.h"

/// Asks `chain` about every severity, state of the agent and lane, each in a fresh window, and
/// prints what is done: a table for people, or as JSON one object a cell.
void policy_table(const peri_chain *chain, bool json, FILE *out);

#endif
