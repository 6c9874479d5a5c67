// Writing a text as a JSON string, for verbs that stand on the public header alone.
#ifndef PERI_CLI_JSON_LINE_H
#define PERI_CLI_JSON_LINE_H

#include <stdio.h>

#include "perilune/base.h"

/// Writes `text` (valid UTF-8) with quotes and escapes; line breaks
/// inside a line of JSON are escaped.
void json_line_string(FILE *out, peri_str text);

#endif
