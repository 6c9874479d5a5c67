// What `run` and `replay` share: a host from options, driven to
// its end through the public header alone.
#ifndef PERI_CLI_SESSION_H
#define PERI_CLI_SESSION_H

#include "cli.h"
#include "timeline.h"

typedef struct session_options {
    bool json, quiet, follow, no_observers;
    const char *dialect, *config, *managed, *policy, *observers, *lua_dir, *state_dir;
    const char *project; // folder whose layer is taken too; NULL: none
    const char *max_line, *emit;
} session_options;

/// Appends the options of both verbs to `to` (room for 16); returns how many.
size_t session_option_list(session_options *options, peri_option *to);

/// Fills host options; PERI_EXIT_USAGE with a line on stderr if a value is no good.
int session_host_options(const session_options *from, peri_host_options *to);

/// Says on stderr which switch keeps every observer from running,
/// if one does and they are wanted.
void session_tell_off(const peri_host *host);

/// Steps the host until it is idle, Ctrl-C or the timeline breaks. True to go on.
bool session_settle(peri_host *host, const timeline *t);

/// Ends every session and lets the host finish; prints the summary. An exit code.
int session_end(peri_host *host, timeline *t);

/// The exit code for a status of the library.
int session_exit_code(int status);

/// A path for the file `name` in the state folder; owned by
/// the caller. NULL if there is no home.
char *session_state_path(const session_options *options, const char *name);

#endif
