// A LuaJIT state of its own for specs. What runs in it is lua/perilune/spec_runner.lua, which
// drives busted without its command line: that would read a `.busted` file of the folder it is
// in, which nobody named. Called by `perilune test`.
#include "script/spec_run.h"

#include <lauxlib.h>
#include <lualib.h>

// Searcher for package.loaders: the options stand in the upvalue.
static int search(lua_State *L) {
    const peri_spec_options *options = lua_touserdata(L, lua_upvalueindex(1));
    peri_str name = {0};
    name.ptr = luaL_checklstring(L, 1, &name.len);
    peri_str text = options->find_module(options->user, name);
    if (!text.ptr) {
        lua_pushfstring(L, "\n\tno built-in module '%s'", name.ptr);
        return 1;
    }
    lua_pushfstring(L, "=%s", name.ptr);
    if (luaL_loadbuffer(L, text.ptr, text.len, lua_tostring(L, -1)) != 0) return lua_error(L);
    return 1;
}

static void push_roots(lua_State *L, const peri_spec_options *options) {
    lua_createtable(L, (int)options->root_count, 0);
    for (size_t i = 0; i < options->root_count; i++) {
        lua_pushstring(L, options->roots[i]);
        lua_rawseti(L, -2, (int)i + 1);
    }
}

// Leaves the number of failures, or nil where busted is missing.
static int run(lua_State *L) {
    const peri_spec_options *options = lua_touserdata(L, 1);
    luaL_openlibs(L);
    peri_str runner = options->find_module(options->user, PERI_STR("perilune.spec_runner"));
    if (!runner.ptr) return luaL_error(L, "perilune.spec_runner is missing");
    if (luaL_loadbuffer(L, runner.ptr, runner.len, "=perilune.spec_runner") != 0) {
        return lua_error(L);
    }
    lua_call(L, 0, 1);
    push_roots(L, options);
    lua_pushstring(L, options->output);
    lua_pushlightuserdata(L, (void *)options);
    lua_pushcclosure(L, search, 1);
    lua_call(L, 3, 1);
    return 1;
}

int peri_spec_run(const peri_spec_options *options, uint32_t *failed, peri_buf *error) {
    lua_State *L = luaL_newstate();
    if (!L) return PERI_ENOMEM;
    int status = PERI_OK;
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, (void *)options);
    int thrown = lua_pcall(L, 1, 1, 0);
    if (thrown == LUA_ERRMEM) {
        status = PERI_ENOMEM;
    } else if (thrown != 0) {
        const char *text = lua_tostring(L, -1);
        peri_buf_add_c(error, text ? text : "an error that is no text");
        status = PERI_ESCRIPT;
    } else if (lua_isnil(L, -1)) {
        status = PERI_EUNSUPPORTED;
    } else {
        *failed = (uint32_t)lua_tointeger(L, -1);
    }
    lua_close(L);
    return status;
}
