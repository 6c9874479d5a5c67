// Where perilune keeps what it remembers.
#ifndef PERI_CLI_PATHS_H
#define PERI_CLI_PATHS_H

#include "base/buf.h"

/// Longest path that is made here, in bytes.
enum { PERI_PATH_MAX_BYTES = 4096 };

/// Appends "$XDG_STATE_HOME/perilune/NAME", or "$HOME/.local/state/perilune/NAME" where that
/// variable is unset or not absolute. PERI_ENOENT if neither gives an absolute path; the
/// buffer's status.
PERI_MUST_USE int peri_path_state(peri_buf *out, const char *name);

/// Appends "$XDG_CONFIG_HOME/perilune/NAME", or "$HOME/.config/perilune/NAME", in the same way.
PERI_MUST_USE int peri_path_config(peri_buf *out, const char *name);

/// Appends the path of the trust store: in `state_dir` if it is given, else in the state
/// folder.
PERI_MUST_USE int peri_path_trust(peri_buf *out, const char *state_dir);

#endif
