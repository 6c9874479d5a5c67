// All scripts of one host: observers (one VM per pack), policies (one VM of their own) and, in
// dialect_load.h, dialects. Takes texts, never opens a file: who finds the files is host.c. A
// VM that ran out of budget is built anew from the kept texts before its next call; observers'
// states live outside (ctx.state), so nothing is lost by that.
#ifndef PERI_SCRIPT_SCRIPT_H
#define PERI_SCRIPT_SCRIPT_H

#include "base/diag.h"
#include "digest/scrub.h"
#include "policy/policy.h"
#include "runtime/runtime.h"
#include "script/vm.h"

typedef struct peri_script peri_script;

typedef struct peri_script_options {
    peri_vm_limits limits; // of every VM; zeros mean the defaults
    /// Source of a `perilune.*` module for require; absent text: none. Must stay valid.
    peri_str (*find_module)(void *user, peri_str name);
    void (*on_print)(void *user, peri_str from, peri_str text); // may be NULL
    void *user;
} peri_script_options;

/// `options` may be NULL: all defaults, no modules, print goes nowhere. PERI_ENOMEM.
PERI_MUST_USE int peri_script_new(const peri_script_options *options, peri_script **out);
/// NULL is fine. Every observer it handed out dies.
void peri_script_free(peri_script *script);

/// Loads one Lua observer definition into the VM of `pack` and checks it:
/// every wrong key, type or range is a diagnostic with file:line where known and the nearest
/// known name; a definition with an error is not loaded. A missing api line or description is a
/// warning. A name that is loaded already under the same layer is an error, unless it is that
/// of `instead` (NULL: none), which this one is to take the place of; under another layer the
/// caller decides first. PERI_OK with a borrowed `*out` that lives as long as the script, or
/// until it is dropped; PERI_EINVAL, PERI_ENOMEM.
PERI_MUST_USE int peri_script_add_observer(peri_script *script, peri_str pack, peri_str layer,
                                           peri_str file, peri_str text,
                                           const peri_observer *instead, peri_diag_list *diags,
                                           const peri_observer **out);

/// A Markdown observer as its finder read it.
typedef struct peri_markdown {
    peri_str file, text;
    peri_str lua_file, lua_text; // of the Lua file of the same stem beside it; absent: none
    bool lenient;                // one of pi's: a missing description is a warning
} peri_markdown;

/// Loads one Markdown observer, checked and reported like the Lua ones. Its runtime is
/// PERI_RUN_MODEL. The Lua file may return `wake`, `observe` or both and nothing else. PERI_OK
/// with a borrowed `*out`; PERI_EINVAL, PERI_ENOMEM.
PERI_MUST_USE int peri_script_add_markdown(peri_script *script, peri_str pack, peri_str layer,
                                           const peri_markdown *markdown,
                                           const peri_observer *instead, peri_diag_list *diags,
                                           const peri_observer **out);

/// Forgets an observer, or a copy of one, and every text it lent. One of no script is fine.
void peri_script_drop_observer(peri_script *script, const peri_observer *observer);

/// The runtime of those observers. Of a Markdown one it runs the Lua beside it: a wake() that
/// says no skips, an observe() stands in for the model, and where there is none the run ends as
/// PERI_RUN_NO_RUNTIME. It knows a definition by its `owner`, so a changed copy of
/// one runs too. A wake() that returns nil or false skips the run. What an observer returns is
/// checked for its shape here and for its content by peri_draft_check(); texts arrive as valid
/// UTF-8, cut at 16 KiB. A run that fails leaves ctx.state as it was.
peri_runtime peri_script_runtime(peri_script *script);

/// One run of it, to its end. `result`'s texts are put into `arena`.
void peri_script_run(const peri_run_request *request, peri_arena *arena,
                     peri_run_result *result);

/// Loads one policy file behind those loaded before. Checked like observers.
/// PERI_EINVAL.
PERI_MUST_USE int peri_script_add_policy(peri_script *script, peri_str name, peri_str file,
                                         peri_str text, peri_diag_list *diags);

/// Adds the kinds of secrets that a Lua file lists to `to` (`return { scrub = { { name,
/// pattern, hides, keeps } } }`). Whatever is wrong is a diagnostic and PERI_EINVAL, and the
/// kinds that are right still count; PERI_ENOMEM.
PERI_MUST_USE int peri_script_add_scrub(peri_script *script, peri_str file, peri_str text,
                                        peri_scrub *to, peri_diag_list *diags);

/// Takes over what the policies of `from` kept of each session, by their names.
void peri_script_adopt_states(peri_script *script, peri_script *from);

/// Where policies' states are kept beyond the script. `load` tells what is kept, in `arena`;
/// absent: nothing.
typedef struct peri_state_keeper {
    void *user;
    void (*save)(void *user, peri_str session, peri_str policy, peri_str state);
    peri_str (*load)(void *user, peri_str session, peri_str policy, peri_arena *arena);
} peri_state_keeper;

/// Every state is then asked for when it is first needed, and told when it has changed.
void peri_script_keep_states(peri_script *script, peri_state_keeper keeper);

/// The engine over the loaded policies, in order. ctx.state is kept per (session, policy), at
/// most 4 KiB, of every session that a host may have. A fold that fails changes nothing.
/// `decision->policy` is left alone: whose word it was is the core's to say.
peri_policy_engine peri_script_policies(peri_script *script);

#endif
