// coroutine.resume and wrap. LuaJIT's own hand every error of a coroutine to its caller, the
// end of a call included, and nest without a bound (design D14); create, status, running and
// yield are taken as they are. What is called through pcall or a callback cannot yield.
#include <lauxlib.h>

#include "script/lib.h"

static bool suspended(lua_State *L, lua_State *co) {
    lua_Debug ar;
    if (co == L) return false;
    if (lua_status(co) == LUA_YIELD) return true;
    return lua_status(co) == 0 && !lua_getstack(co, 0, &ar) && lua_gettop(co) > 0;
}

// Moves `nargs` values from L, resumes `co`, moves back what it gave: their number, or -1 with
// the error on top of L.
static int resume(lua_State *L, lua_State *co, int nargs) {
    if (!suspended(L, co)) {
        bool running = lua_status(co) == 0 && lua_gettop(co) > 0;
        lua_pushfstring(L, "cannot resume %s coroutine", running ? "non-suspended" : "dead");
        return -1;
    }
    if (!lua_checkstack(co, nargs + 1)) luaL_error(L, "too many arguments to resume");
    lua_xmove(L, co, nargs);
    int status = peri__meter_resume(L, co, nargs);
    if (status != 0 && status != LUA_YIELD) {
        lua_xmove(co, L, 1);
        return -1;
    }
    int count = lua_gettop(co);
    if (!lua_checkstack(L, count + 1)) luaL_error(L, "too many results to resume");
    lua_xmove(co, L, count);
    return count;
}

int peri__lib_resume(lua_State *L) {
    lua_State *co = lua_tothread(L, 1);
    luaL_argcheck(L, co != NULL, 1, "coroutine expected");
    int count = resume(L, co, lua_gettop(L) - 1);
    int given = count < 0 ? 1 : count;
    lua_pushboolean(L, count >= 0);
    lua_insert(L, -(given + 1));
    return given + 1;
}

// Upvalue 1: the coroutine.
static int resume_wrapped(lua_State *L) {
    int count = resume(L, lua_tothread(L, lua_upvalueindex(1)), lua_gettop(L));
    return count < 0 ? lua_error(L) : count;
}

int peri__lib_wrap(lua_State *L) {
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_State *co = lua_newthread(L);
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    lua_pushcclosure(L, resume_wrapped, 1);
    return 1;
}
