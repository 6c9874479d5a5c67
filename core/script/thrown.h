// Any thrown value as bounded, printable, valid UTF-8 with its type and place (case C51).
#ifndef PERI_SCRIPT_THROWN_H
#define PERI_SCRIPT_THROWN_H

#include "script/vm_state.h"

enum { PERI_THROWN_MAX_BYTES = 2048 };

/// The message handler of every call: writes the value and where it was thrown to vm->thrown.
int peri__thrown_handler(lua_State *L);

/// The text for a call that ended with lua_pcall's `status`, its error value on top of the
/// stack; from `arena`.
peri_str peri__thrown_text(peri_vm *vm, int status, peri_arena *arena);

/// `raw` made valid, control characters but line feed and tab as \xNN, at most
/// PERI_THROWN_MAX_BYTES; from `arena`. Absent if memory ran out.
peri_str peri__thrown_printable(peri_str raw, peri_arena *arena);

#endif
