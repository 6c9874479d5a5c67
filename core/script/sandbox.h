// What a script can name (design D3): one list, everything else does not exist. Called inside a
// protected call only.
#ifndef PERI_SCRIPT_SANDBOX_H
#define PERI_SCRIPT_SANDBOX_H

#include "script/vm_state.h"

/// Opens LuaJIT's libraries, keeps what the list names as the kit, drops the rest.
void peri__sandbox_open(peri_vm *vm);

/// Compiles `source`, a text, as a function with an environment of its own, which is a fresh
/// copy of the kit; what it requires is loaded once for all that share the table at absolute
/// index `modules`. Pushes the function and returns true, or the message and false.
bool peri__sandbox_compile(lua_State *L, peri_str source, const char *chunk_name, int modules);

#endif
