// The basic functions a sandbox does not take from LuaJIT as they are: those that catch errors
// (they must not catch the end of a call), those that show addresses or an order that differs
// from run to run, and those that must also work on the views of script/.
#include <lauxlib.h>

#include "base/utf8.h"
#include "script/lib.h"

enum { PRINT_MAX_BYTES = 1024, PRINT_MAX_CALLS = 64 };

// Only tables: a text's metatable is shared by all scripts, a view's is not theirs.
int peri__lib_getmetatable(lua_State *L) {
    luaL_checkany(L, 1);
    if (lua_type(L, 1) != LUA_TTABLE || !lua_getmetatable(L, 1)) {
        lua_pushnil(L);
    } else if (!luaL_getmetafield(L, 1, "__metatable")) {
        lua_pushvalue(L, -1);
    }
    return 1;
}

int peri__lib_index(lua_State *L) {
    lua_gettable(L, 1);
    return 1;
}

// Upvalue 1: LuaJIT's ipairs, for tables. A view brings its own.
int peri__lib_ipairs(lua_State *L) {
    lua_settop(L, 1);
    if (!lua_islightuserdata(L, 1) || !luaL_getmetafield(L, 1, "__ipairs")) {
        lua_pushvalue(L, lua_upvalueindex(1));
    }
    lua_insert(L, 1);
    lua_call(L, 1, 3);
    return 3;
}

// Upvalues: keys in order, how many were visited. Stack: table, key before (ignored). Keys that
// were removed on the way are passed over.
static int next_of_keys(lua_State *L) {
    lua_Integer at = lua_tointeger(L, lua_upvalueindex(2));
    do {
        peri_vm_tick(L, 1);
        lua_settop(L, 1);
        lua_rawgeti(L, lua_upvalueindex(1), (int)++at);
        if (lua_isnil(L, 2)) return 1;
        lua_pushvalue(L, 2);
        lua_rawget(L, 1);
    } while (lua_isnil(L, 3));
    lua_pushinteger(L, at);
    lua_replace(L, lua_upvalueindex(2));
    return 2;
}

// True if LuaJIT's own order of the table at index 1 is the same in every run: it has at most
// one key besides numbers.
static bool ordered(lua_State *L) {
    size_t others = 0;
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
        peri_vm_tick(L, 1);
        if (lua_type(L, -2) == LUA_TNUMBER || ++others < 2) continue;
        lua_pop(L, 2);
        return false;
    }
    return true;
}

// Upvalue 1: LuaJIT's pairs, which refuses what is no table.
int peri__lib_pairs(lua_State *L) {
    luaL_checkany(L, 1);
    lua_settop(L, 1);
    if (luaL_getmetafield(L, 1, "__pairs")) {
        lua_pushvalue(L, 1);
        peri_vm_nest(L, 1, 3);
        return 3;
    }
    if (!lua_istable(L, 1) || ordered(L)) {
        lua_pushvalue(L, lua_upvalueindex(1));
        lua_insert(L, 1);
        lua_call(L, 1, 3);
        return 3;
    }
    peri__lib_push_keys(L, 1);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next_of_keys, 2);
    lua_pushvalue(L, 1);
    return 2;
}

int peri__lib_pcall(lua_State *L) {
    luaL_checkany(L, 1);
    int status = peri__meter_pcall(L, lua_gettop(L) - 1, LUA_MULTRET);
    luaL_checkstack(L, 1, NULL);
    lua_pushboolean(L, status == 0);
    lua_insert(L, 1);
    return lua_gettop(L);
}

void peri__lib_push_text(lua_State *L, int index) {
    if (luaL_getmetafield(L, index, "__tostring")) {
        lua_pushvalue(L, index);
        peri_vm_nest(L, 1, 1);
        if (!lua_isstring(L, -1)) luaL_error(L, "'__tostring' must return a string");
        return;
    }
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
    case LUA_TSTRING:
        lua_pushvalue(L, index);
        lua_tostring(L, -1);
        break;
    case LUA_TBOOLEAN:
        lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
        break;
    default:
        lua_pushstring(L, luaL_typename(L, index));
    }
}

int peri__lib_tostring(lua_State *L) {
    luaL_checkany(L, 1);
    peri__lib_push_text(L, 1);
    return 1;
}

// The line is put together in Lua's memory; only the finished text meets a buffer, which the VM
// owns.
int peri__lib_print(lua_State *L) {
    peri_vm *vm = peri_vm_of(L);
    int count = lua_gettop(L);
    peri_vm_tick(L, (uint64_t)count);
    peri_buf_clear(&vm->print_buf);
    for (int arg = 1; arg <= count; arg++) {
        peri__lib_push_text(L, arg);
        lua_replace(L, arg);
    }
    if (!vm->options.on_print || vm->print_count >= PRINT_MAX_CALLS) return 0;
    vm->print_count++;
    for (int arg = 1; arg <= count && vm->print_buf.len < PRINT_MAX_BYTES; arg++) {
        size_t len;
        const char *ptr = lua_tolstring(L, arg, &len);
        if (arg > 1) peri_buf_add_byte(&vm->print_buf, '\t');
        peri_utf8_repair(&vm->print_buf,
                         peri_str_sub(peri_str_of(ptr, len), 0, PRINT_MAX_BYTES));
    }
    peri_str line = peri_buf_str(&vm->print_buf);
    line.len = peri_utf8_cut_bytes(line, PRINT_MAX_BYTES);
    vm->options.on_print(vm->options.user, line);
    return 0;
}
