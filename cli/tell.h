// Printing for the verbs that look at definitions: diagnostics, and the words of an observer.
#ifndef PERI_CLI_TELL_H
#define PERI_CLI_TELL_H

#include <stdio.h>

#include "base/diag.h"
#include "model/observer.h"

/// Prints every diagnostic, with its hint.
void peri_tell_diags(FILE *out, const peri_diag_list *diags);

/// Appends "turn_end, tool_denied": the triggers of an observer.
void peri_tell_triggers(peri_buf *out, const peri_observer *observer);
/// Appends "advise, veto": what it may propose.
void peri_tell_can(peri_buf *out, uint32_t can);
/// Appends "lua", "model", "command", or "worker" for Lua in a process of its own.
void peri_tell_runtime(peri_buf *out, const peri_observer *observer);

/// Appends everything a definition resolved to, one "  key  value" a line.
void peri_tell_observer(peri_buf *out, const peri_observer *observer);

/// Prints {"KEY":"VALUE"} for --json, one line.
void peri_tell_json(const char *key, peri_str value);

/// A peri_log_fn that prints errors and warnings on stderr.
void peri_tell_log(void *user, const char *severity, peri_str message);

#endif
