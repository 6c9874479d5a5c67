// What every verb shares: exit codes, the list of verbs, and
// options with the nearest known name.
#ifndef PERI_CLI_CLI_H
#define PERI_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "perilune/base.h"

/// Exit codes of every verb. What the command line names has to be there: a file, a verb, an
/// option, and also an observer, an agent, a session or a step that nothing has is wrong usage,
/// and told by peri_name_deny(). That no proposal is known by an id is an answer.
enum {
    PERI_EXIT_OK = 0,
    PERI_EXIT_NEGATIVE =
        1,               // a negative verdict: invalid, denied, off against a wish, no proposal
    PERI_EXIT_USAGE = 2, // wrong usage, a name that nothing has, or input that cannot be read
    PERI_EXIT_INTERNAL = 3,
};

/// Verbs: `argv[0]` is the verb itself. Each returns an exit code.
int cmd_run(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_digest(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_test(int argc, char **argv);
int cmd_observers(int argc, char **argv);
int cmd_new(int argc, char **argv);
int cmd_trust(int argc, char **argv);
int cmd_enable(int argc, char **argv);
int cmd_disable(int argc, char **argv);
int cmd_goal(int argc, char **argv);
int cmd_remember(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_log(int argc, char **argv);
int cmd_precision(int argc, char **argv);
int cmd_promote(int argc, char **argv);
int cmd_worker(int argc, char **argv);
int cmd_policy(int argc, char **argv);
int cmd_gate(int argc, char **argv);
int cmd_stop(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_capture(int argc, char **argv);

/// One option of a verb: "--name", with a value or without.
typedef struct peri_option {
    const char *name;
    const char **value; // where a value goes; NULL for a flag
    bool *flag;         // set by a flag
} peri_option;

/// Reads the options of a verb (ended by an entry without a name) and collects what is left
/// into `paths` (room for `argc`). PERI_EXIT_OK; PERI_EXIT_USAGE after one line on stderr that
/// names the wrong word and the nearest known one; -1 if `--help` was asked and `help` printed.
int peri_options_read(int argc, char **argv, const peri_option *options, const char *help,
                      const char **paths, size_t *path_count);

/// Says on stderr that there is no `noun` called `name`: with the nearest of `words` (ended by
/// an empty text; NULL: none) or, where none is near, with `otherwise`. PERI_EXIT_USAGE.
int peri_name_deny(const char *verb, const char *noun, peri_str name, const peri_str *words,
                   const char *otherwise);

/// Handlers for SIGINT and SIGTERM that only note the wish to stop.
void peri_interrupt_install(void);
bool peri_interrupted(void);

#endif
