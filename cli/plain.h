// What may reach a terminal of what an agent, an observer or a script wrote. Stands on the
// public header alone, as the verbs do that are the library's first embedders.
#ifndef PERI_CLI_PLAIN_H
#define PERI_CLI_PLAIN_H

#include <stdio.h>

#include "perilune/perilune.h"

/// Columns of a line for people: those of the terminal, 40 at
/// least and 96 at most; 80 without one.
int plain_columns(void);

/// False for what would move the cursor, break the line or turn the direction of writing.
bool plain_is_safe(uint32_t cp);

/// Prints `text` as a part of one line, with blanks for what is not safe.
void plain_print(FILE *out, peri_str text);

/// Prints its words on lines that begin at column `indent`, at most `max_lines` of them.
void plain_print_words(FILE *out, peri_str text, int indent, int max_lines);

#endif
