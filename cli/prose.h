// Text for people: what came from an agent or an observer, made safe for a terminal, and laid
// out in lines.
#ifndef PERI_CLI_PROSE_H
#define PERI_CLI_PROSE_H

#include "base/buf.h"

/// Appends `text` as part of one line: invalid UTF-8 is mended, and what would move the cursor,
/// break the line or turn the direction of writing becomes a blank. At most `max_cp` code
/// points; a cut text ends in "…".
void peri_prose_add_plain(peri_buf *out, peri_str text, size_t max_cp);

/// Appends `text`, which stands at column `indent`, broken between words so that it stays left
/// of plain_columns(); further lines begin at `indent`. Ends the last line.
void peri_prose_add_wrapped(peri_buf *out, peri_str text, size_t indent);

/// Breaks what was appended since `start`, which stands at `column`, in the same way.
void peri_prose_wrap(peri_buf *out, size_t start, size_t column);

/// Columns of what was appended since `start`: its code points.
size_t peri_prose_columns(const peri_buf *out, size_t start);

/// Appends "1,204".
void peri_prose_add_number(peri_buf *out, uint64_t number);

/// Appends "2026-11-30 10:00:04", UTC.
void peri_prose_add_time(peri_buf *out, int64_t wall_ms);

#endif
