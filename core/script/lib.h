// The sandbox's own versions of Lua's functions, listed in sandbox.c. Each is a lua_CFunction;
// where LuaJIT has one of the same name, that is its upvalue 1. They hold no memory of their
// own across a lua_* call and nest through limits.h.
#ifndef PERI_SCRIPT_LIB_H
#define PERI_SCRIPT_LIB_H

#include "script/vm_state.h"

int peri__lib_getmetatable(lua_State *L);
int peri__lib_ipairs(lua_State *L);
int peri__lib_pairs(lua_State *L);
int peri__lib_pcall(lua_State *L);
int peri__lib_print(lua_State *L);
int peri__lib_tostring(lua_State *L);

int peri__lib_resume(lua_State *L);
int peri__lib_wrap(lua_State *L);

int peri__lib_char(lua_State *L);
int peri__lib_find(lua_State *L);
int peri__lib_format(lua_State *L);
int peri__lib_gmatch(lua_State *L);
int peri__lib_gsub(lua_State *L);
int peri__lib_lower(lua_State *L);
int peri__lib_match(lua_State *L);
int peri__lib_rep(lua_State *L);
int peri__lib_reverse(lua_State *L);
int peri__lib_sub(lua_State *L);
int peri__lib_upper(lua_State *L);

int peri__lib_sort(lua_State *L);

/// t[k] with metamethods, to be called through peri_vm_nest().
int peri__lib_index(lua_State *L);

/// Pushes the value at absolute `index` as tostring() gives it.
void peri__lib_push_text(lua_State *L, int index);

/// Pushes a new sequence of the keys of the table at absolute `index`, numbers first, then
/// texts, both ascending, then the others as they come.
void peri__lib_push_keys(lua_State *L, int index);

#endif
