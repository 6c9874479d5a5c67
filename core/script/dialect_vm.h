// The sandbox of one dialect file: evaluates it, and keeps it where the file has map functions.
// Internal to script/.
#ifndef PERI_SCRIPT_DIALECT_VM_H
#define PERI_SCRIPT_DIALECT_VM_H

#include "ingest/dialect.h"
#include "script/vm.h"

enum { PERI_DIALECT_MAX_BYTES = 512 * 1024 };

typedef struct peri_dialect_vm {
    peri_vm_options options;
    peri_str file, source; // borrowed; they outlive the VM
    peri_vm *vm;           // NULL until its first use
    int loaded_ref, call_ref;
    bool has_maps;
    peri_buf json;     // the record that goes in, then what comes out
    peri_json_doc doc; // of what came out
} peri_dialect_vm;

void peri_dialect_vm_init(peri_dialect_vm *of, peri_str file, peri_str source,
                          const peri_vm_options *options);
void peri_dialect_vm_deinit(peri_dialect_vm *of);

/// Evaluates the file and appends its rules to `out` as JSON; a VM without map functions is
/// gone again afterwards. `*error` (from `arena`) says why not. Statuses of peri_vm_load.
PERI_MUST_USE int peri_dialect_vm_read(peri_dialect_vm *of, peri_buf *out, peri_arena *arena,
                                       peri_str *error);

/// Notes whether the file has map functions, where it was not read here: it is evaluated when
/// the first of them is called.
static inline void peri_dialect_vm_expect(peri_dialect_vm *of, bool has_maps) {
    of->has_maps = has_maps;
}

/// The map functions, for ingest; valid while `of` is. Without any its `user` is NULL.
peri_dialect_maps peri_dialect_vm_maps(peri_dialect_vm *of);

#endif
