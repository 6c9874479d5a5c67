// Running authors' specs: busted in a plain LuaJIT state with all libraries. It is no sandbox:
// a spec is a program of its author's, run by its author.
#ifndef PERI_SCRIPT_SPEC_RUN_H
#define PERI_SCRIPT_SPEC_RUN_H

#include "base/buf.h"

typedef struct peri_spec_options {
    const char *const *roots; // spec files, or folders with all `_spec.lua` below them
    size_t root_count;
    const char *output; // a busted output handler, such as "plainTerminal", or "json-lines"
    /// Source of a `perilune.*` module for require; absent text: none.
    peri_str (*find_module)(void *user, peri_str name);
    void *user;
} peri_spec_options;

/// Runs the specs; busted writes to standard output. `*failed` gets the number of failures and
/// errors. PERI_EUNSUPPORTED if busted is not installed; PERI_ESCRIPT with the reason in
/// `error` if it could not run; PERI_ENOMEM.
PERI_MUST_USE int peri_spec_run(const peri_spec_options *options, uint32_t *failed,
                                peri_buf *error);

#endif
