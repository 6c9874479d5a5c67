// What stands behind peri_vm, for the files of the sandbox only.
#ifndef PERI_SCRIPT_VM_STATE_H
#define PERI_SCRIPT_VM_STATE_H

#include "base/json.h"
#include "script/limits.h"
#include "script/vm.h"

struct peri_vm {
    peri__meter meter; // first: the allocator's `user` is both
    lua_State *L;      // owned
    peri_vm_options options;
    int handler_ref, runner_ref,
        kit_ref;       // in the registry, so that a call pushes without memory
    peri_vm_fn run_fn; // of the peri_vm_run() that is being entered
    void *run_user;
    char entered[PERI_METER_PLACE_BYTES]; // "FILE:LINE" for errors behind a tail call
    peri_buf thrown;                      // what the handler wrote of the error of this call
    int thrown_status;                    // PERI_ESCRIPT unless whoever raised knew better
    uint32_t print_count;
    peri_buf print_buf;
    peri_json_doc doc; // of peri_vm_push_json, here so that a throw leaks nothing
    peri_arena scratch;
};

static inline peri_vm *peri_vm_of(lua_State *L) {
    return (peri_vm *)(void *)peri__meter_of(L);
}

#endif
