// What every verb shares: exit codes, the list of verbs, and options with the nearest known name.
#ifndef PERI_CLI_CLI_H
#define PERI_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

/// Exit codes of every verb.
enum {
    PERI_EXIT_OK = 0,
    PERI_EXIT_NEGATIVE = 1, // a negative verdict: invalid, denied, not found
    PERI_EXIT_USAGE = 2,    // wrong usage, or input that cannot be read
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

/// Reads the options of a verb (ended by an entry without a name) and collects what is left into
/// `paths` (room for `argc`). PERI_EXIT_OK; PERI_EXIT_USAGE after one line on stderr that names the wrong
/// word and the nearest known one; -1 if `--help` was asked and `help` printed.
int peri_options_read(int argc, char **argv, const peri_option *options, const char *help,
                      const char **paths, size_t *path_count);

/// Handlers for SIGINT and SIGTERM that only note the wish to stop.
void peri_interrupt_install(void);
bool peri_interrupted(void);

#endif
