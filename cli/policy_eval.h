// Putting proposals to the policies without an agent.
#ifndef PERI_CLI_POLICY_EVAL_H
#define PERI_CLI_POLICY_EVAL_H

#include <stdio.h>

#include "host/author.h"

/// Reads one JSON object a line from `in`, called `name` in messages, and prints one line of
/// decisions for each. An exit code: 2 at the first line that is no such object, 3 if memory
/// ran out.
int policy_eval(FILE *in, const char *name, const peri_chain *chain, FILE *out);

#endif
