// The stored ledgers as the verbs that read them see them: the last replay's and the live one.
#ifndef PERI_CLI_STORED_H
#define PERI_CLI_STORED_H

#include "base/buf.h"
#include "cli.h"
#include "ledger/ledger.h"

/// Names in the state folder.
#define PERI_STORED_REPLAY "replay.db"
#define PERI_STORED_AGAINST "against.db" // the other side of a backtest
#define PERI_STORED_LIVE "ledger.db"

/// Opens a ledger for reading: `file` as given, or `name` in the state folder if `file` is
/// NULL. PERI_ENOENT, of a ledger that nothing made yet, says nothing; any other failure is
/// told on stderr in the name of `verb`.
PERI_MUST_USE int peri_stored_open(const char *verb, const char *file, const char *name,
                                   peri_ledger **out);

/// The exit code for a failure of a ledger, after telling it on stderr.
int peri_stored_fail(const char *verb, int status);

/// Writes all of `text` to stdout; an exit code.
int peri_stored_print(const char *verb, peri_buf *text);

/// A peri_ledger_row_fn that appends the row's JSON and a line end to the peri_buf `user`.
void peri_stored_add_json(void *user, const peri_record *row);

/// Appends a line for people about a row, without its time. It stands at `column`; what is too
/// long goes on below its observer.
void peri_stored_add_line(peri_buf *out, const peri_record *row, size_t column);

#endif
