// The runtime of observers that are programs (PERI_RUN_COMMAND). One run is one line each way
// (runtime/wire.h); a child is kept for the next run of the same command, by whomever. Whatever
// a child does (hangs, floods, dies, leaves children behind, does not read), it fails alone:
// its whole group is killed and the next run starts a new one.
#ifndef PERI_IO_COMMAND_RUNTIME_H
#define PERI_IO_COMMAND_RUNTIME_H

#include "io/loop.h"
#include "runtime/wire.h"

enum {
    PERI_COMMAND_MAX_CHILDREN = 8,
    PERI_COMMAND_MAX_WAITING = 256, // runs; more fail at once
};

typedef struct peri_commands peri_commands;

typedef struct peri_commands_options {
    peri_loop *loop;       // must outlive it
    const char *exec_path; // of perilune-exec; NULL: every run ends as PERI_RUN_NO_RUNTIME
    peri_wire_clean clean; // of every text that goes out
    size_t max_children;   // 0: PERI_COMMAND_MAX_CHILDREN
    uint64_t memory_bytes; // of each child's data and heap; 0: no limit
} peri_commands_options;

/// Copies `options` and `exec_path`. PERI_ENOMEM.
PERI_MUST_USE int peri_commands_new(const peri_commands_options *options, peri_commands **out);
/// Kills every child and waits for its end, a second at most; unfinished runs never hear of it:
/// abandon them first. NULL is fine.
void peri_commands_free(peri_commands *commands);

/// A run's deadline, the definition's timeout_ms, counts from when a child was given its line.
/// A run that fails is over when nothing of its child is left, a second later at most.
peri_runtime peri_commands_runtime(peri_commands *commands);

/// Children that exist now, those being killed included.
size_t peri_commands_children(const peri_commands *commands);

#endif
