// One child process behind perilune-exec: its pipes on the host's loop, a timer for its
// deadline, and an end that is told once, when nothing of it is left. Installs no signal
// handler, needs no SIGCHLD, raises no SIGPIPE.
#ifndef PERI_IO_PROC_H
#define PERI_IO_PROC_H

#include "base/buf.h"
#include "io/exec_record.h"
#include "io/loop.h"

enum {
    // Until a killed child is given up and its helper is killed too. It clears up within
    // milliseconds, tries for a second where something cannot be killed, and is not to pay for
    // a machine that stands still.
    PERI_PROC_GRACE_MS = 5000,
    PERI_PROC_STDERR_BYTES = 2048, // kept; the rest is read and dropped
};

typedef struct peri_proc peri_proc;

typedef struct peri_proc_options {
    const char *exec_path;   // of perilune-exec
    const char *const *argv; // ended by NULL; argv[0] is sought in PATH
    const char *const *env;  // "NAME=value", ended by NULL: all that the child sees
    const char *folder;      // where it runs; NULL: where the host does
    uint64_t memory_bytes;   // of data and heap; 0: no limit
} peri_proc_options;

/// How a child ended.
typedef struct peri_proc_end {
    peri_exec_kind kind; // PERI_EXEC_RUNNING: killed, or its helper was
    int value;           // see peri_exec_kind
    int strays;          // processes of it that had left its group and were killed
    peri_str err;        // the end of what it wrote to stderr; borrowed
} peri_proc_end;

/// `on_end` is the last call, after all that was written to stdout was heard; peri_proc_free()
/// may be called there and nowhere else inside a callback.
typedef struct peri_proc_events {
    void (*on_out)(void *user, peri_str bytes);
    void (*on_late)(void *user); // the time given by peri_proc_expect() is over
    void (*on_end)(void *user, const peri_proc_end *end);
} peri_proc_events;

/// Starts a child. PERI_ENOENT or PERI_EACCES if perilune-exec cannot be started, PERI_ENOMEM,
/// PERI_EIO (no descriptors or processes left). That the command itself cannot be started is
/// told by `on_end`. `events` must outlive it.
PERI_MUST_USE int peri_proc_start(peri_loop *loop, const peri_proc_options *options,
                                  const peri_proc_events *events, void *user, peri_proc **out);

/// Writes `bytes` to its stdin as it reads them; `last`: then closes it. PERI_ENOMEM.
PERI_MUST_USE int peri_proc_send(peri_proc *proc, peri_str bytes, bool last);

/// Starts the deadline timer anew; 0 stops it. No effect on a killed child.
void peri_proc_expect(peri_proc *proc, uint32_t timeout_ms);

/// Kills it and all it started. `on_end` follows, within PERI_PROC_GRACE_MS or little more.
void peri_proc_kill(peri_proc *proc);

/// Frees it. One that has not ended is killed and waited for, PERI_PROC_GRACE_MS at most; no
/// callback is made. NULL is fine.
void peri_proc_free(peri_proc *proc);

/// Appends the path of perilune-exec: `given` if that is not NULL, else "perilune-exec" beside
/// the running program. PERI_ENOENT if there is no such file.
PERI_MUST_USE int peri_proc_find_exec(const char *given, peri_buf *out);

#endif
