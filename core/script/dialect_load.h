// Compiles a dialect file (Lua) into the rules that ingest executes. The file
// runs once, in a sandbox of its own: a dialect is data, but for its map functions.
#ifndef PERI_SCRIPT_DIALECT_LOAD_H
#define PERI_SCRIPT_DIALECT_LOAD_H

#include "base/diag.h"
#include "ingest/dialect.h"
#include "script/vm.h"

typedef struct peri_dialect_file peri_dialect_file;

/// Loads `text`. Each mistake is a diagnostic with the nearest known word where one is near; a
/// file with an error is not loaded. `rules` are what the file says if that is known already
/// (peri_embedded_rules_of(); they outlive the dialect): then no script runs before one of its
/// map functions is called. `vm` says where `require` finds modules and what limits hold.
/// PERI_EINVAL, PERI_ENOMEM, or the status of the script.
PERI_MUST_USE int peri_dialect_file_load(peri_str file, peri_str text, peri_str rules,
                                         const peri_vm_options *vm, peri_diag_list *diags,
                                         peri_dialect_file **out);
void peri_dialect_file_free(peri_dialect_file *file);

/// The compiled rules; live as long as the file.
const peri_dialect *peri_dialect_file_get(const peri_dialect_file *file);

/// Takes what a config knows better of one channel of the dialect's lanes. PERI_ENOENT if no
/// lane goes by it, PERI_ELIMIT, PERI_ENOMEM.
PERI_MUST_USE int peri_dialect_file_say(peri_dialect_file *file, const peri_channel *channel);

#endif
