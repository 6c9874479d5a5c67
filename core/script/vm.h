// One sandboxed LuaJIT state (design D2-D4, D14): JIT off, capped allocator, instruction and
// wall budget that no pcall or coroutine can swallow, names added one by one, own string
// metatable, text chunks only. Every entry into Lua goes through peri_vm_call() or
// peri_vm_run(). Used by the loaders and runtimes of script/.
//
// A script finds: assert error getmetatable ipairs next pairs pcall print rawequal rawget
// rawset require select setmetatable tonumber tostring type unpack, and the libraries bit,
// coroutine, math, string, table without what reaches outside, compiles code, or is not
// repeatable. Two things differ from plain Lua on purpose, so that a replay gives the same
// bytes: pairs() visits numbers and texts in ascending order, and no text shows an address
// (tostring({}) is "table"). table.sort keeps equal elements in order.
#ifndef PERI_SCRIPT_VM_H
#define PERI_SCRIPT_VM_H

#include "base/arena.h"
#include "base/clock.h"

typedef struct peri_vm peri_vm;
typedef struct lua_State lua_State; // of lua.h, which only bindings need

typedef struct peri_vm_limits {
    uint64_t instructions; // of one call; 0: 10,000,000
    size_t memory_bytes;   // of the whole state; 0: 16 MiB
    uint32_t wall_ms;      // of one call; 0: 50. 20 times that while it has no processor
} peri_vm_limits;

typedef struct peri_vm_options {
    peri_vm_limits limits;
    /// Finds the source of a module for `require`, such as "perilune.match"; absent text: there
    /// is none. Only called with names that are [a-z0-9_.] and hold no "..". May be NULL.
    peri_str (*find_module)(void *user, peri_str name);
    /// Takes what a script prints (at most 1 KiB a call, 64 calls a peri_vm_call). Valid UTF-8;
    /// lent for the call. May be NULL.
    void (*on_print)(void *user, peri_str text);
    void *user;
} peri_vm_options;

/// A fresh sandbox. PERI_ENOMEM.
PERI_MUST_USE int peri_vm_new(const peri_vm_options *options, peri_vm **out);
/// NULL is fine.
void peri_vm_free(peri_vm *vm);

/// For bindings: the state itself.
lua_State *peri_vm_lua(peri_vm *vm);

/// Compiles text chunk `source` and runs it in a global environment of its own: a fresh copy of
/// the sandbox's names, so that nothing it changes is seen by another script. Modules it
/// requires are loaded once for it and those it requires. It is limited by instructions and
/// memory; the wall is at least 10 s. Its one result stays on the Lua stack on success; nothing
/// does on failure. PERI_EPARSE (syntax, or bytecode), PERI_ESCRIPT, PERI_ETIMEOUT, PERI_ELIMIT
/// (memory), PERI_ENOMEM, PERI_ESTATE; `*error` (from `arena`) begins with "FILE:LINE: what".
PERI_MUST_USE int peri_vm_load(peri_vm *vm, peri_str source, peri_str chunk_name,
                               peri_arena *arena, peri_str *error);

/// Calls the function below its `nargs` arguments on the Lua stack, as lua_pcall would, within
/// the budget. On success exactly `nresults` values replace them; on failure nothing does, and
/// `*error` (from `arena`, valid UTF-8 without control characters but line feed and tab, at
/// most 2 KiB) says type, text and place of whatever was thrown: "FILE:LINE: what", then a line
/// for each of up to 10 callers. PERI_ESCRIPT, PERI_ETIMEOUT ("out of time: FILE:LINE"),
/// PERI_ELIMIT
/// ("out of memory"), PERI_ENOMEM, and PERI_ESTATE if a call is running already: what runs
/// inside one uses lua_call.
PERI_MUST_USE int peri_vm_call(peri_vm *vm, int nargs, int nresults, peri_arena *arena,
                               peri_str *error);

/// Runs `fn(L, user)` as a Lua function of its own, like peri_vm_call() without arguments: what
/// makes Lua values belongs in here, as nearly every lua_* call may throw. `fn` returns how
/// many values it leaves, holds no memory or lock of its own across a lua_* call, and may use
/// lua_call.
typedef int (*peri_vm_fn)(lua_State *L, void *user);
PERI_MUST_USE int peri_vm_run(peri_vm *vm, peri_vm_fn fn, void *user, int nresults,
                              peri_arena *arena, peri_str *error);

/// True after a call that ended by its budget or memory: the state may be half-changed, its
/// owner should build a new one before the next call.
bool peri_vm_tainted(const peri_vm *vm);

/// Charges `steps` (about one instruction each) and raises if the running call is out of
/// budget; a binding that loops calls it.
void peri_vm_tick(lua_State *L, uint64_t steps);

/// The same where a throw would leak: PERI_OK, or why the call must end, which it does once the
/// caller is back.
PERI_MUST_USE int peri_vm_try_tick(lua_State *L, uint64_t steps);

/// lua_call for bindings that scripts can nest in each other: raises beyond 128 levels, so that
/// no script reaches the end of the C stack.
void peri_vm_nest(lua_State *L, int nargs, int nresults);

/// Values across the border (script/value.c). The value at `index` of the stack of
/// peri_vm_lua() as compact JSON, members in byte order of their keys, an empty table as {},
/// NaN and infinities as null: PERI_EDEPTH (over 32 levels, or a cycle: `*error` says which),
/// PERI_EINVAL (functions, userdata, keys that are not text or a sequence; names where),
/// PERI_ELIMIT over `max_bytes`, PERI_ETIMEOUT once the running call is out of budget,
/// PERI_ENOMEM. Raw access: no metamethod runs. Never throws.
PERI_MUST_USE int peri_vm_to_json(peri_vm *vm, int index, size_t max_bytes, peri_buf *out,
                                  peri_arena *arena, peri_str *error);
/// Pushes JSON text as plain tables. Whole numbers beyond 2^53 become strings; null is left out
/// of objects and is nil in arrays. Call it inside a protected call only (it may throw).
/// PERI_EPARSE, PERI_EDEPTH (over 64 levels), PERI_ELIMIT, PERI_ENOMEM push nothing.
PERI_MUST_USE int peri_vm_push_json(lua_State *L, peri_str json);

#endif
