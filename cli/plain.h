// What may reach a terminal of what an agent, an observer or a script wrote. Stands on the public header
// alone, as the verbs do that are the library's first embedders.
#ifndef PERI_CLI_PLAIN_H
#define PERI_CLI_PLAIN_H

#include <stdio.h>

#include "perilune/perilune.h"

/// False for what would move the cursor, break the line or turn the direction of writing.
bool plain_is_safe(uint32_t cp);

/// Bytes of the first code point of `text`, which is not empty; `*safe` as above. A byte that is no
/// UTF-8 is one that is not safe.
size_t plain_next(peri_str text, bool *safe);

/// Prints `text` as a part of one line, with blanks for what is not safe.
void plain_print(FILE *out, peri_str text);

/// Prints its words on lines that begin at column `indent`, at most `max_lines` of them.
void plain_print_words(FILE *out, peri_str text, int indent, int max_lines);

#endif
