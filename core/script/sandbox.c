// Environments of scripts: every script gets its own copy of every table it can reach, so that
// nothing it writes is seen by another one (case C50). Functions are shared; they cannot be
// changed. The only shared table, __index of texts, is out of reach: getmetatable("") is nil.
#include "script/sandbox.h"

#include <lauxlib.h>
#include <lualib.h>

#include "script/lib.h"

enum { NAME_MAX_BYTES = 128, PIECE_BYTES = 1024 };

// `own` takes the place of LuaJIT's function of that name; without it, that one is used.
typedef struct entry {
    const char *library, *name; // library NULL: a global
    lua_CFunction own;
} entry;

static const entry entries[] = {
    {NULL, "assert", NULL},
    {NULL, "error", NULL},
    {NULL, "getmetatable", peri__lib_getmetatable},
    {NULL, "ipairs", peri__lib_ipairs},
    {NULL, "next", NULL},
    {NULL, "pairs", peri__lib_pairs},
    {NULL, "pcall", peri__lib_pcall},
    {NULL, "print", peri__lib_print},
    {NULL, "rawequal", NULL},
    {NULL, "rawget", NULL},
    {NULL, "rawset", NULL},
    {NULL, "select", NULL},
    {NULL, "setmetatable", NULL}, // tables only, honours __metatable
    {NULL, "tonumber", NULL},
    {NULL, "tostring", peri__lib_tostring},
    {NULL, "type", NULL},
    {NULL, "unpack", NULL},
    {"bit", "arshift", NULL},
    {"bit", "band", NULL},
    {"bit", "bnot", NULL},
    {"bit", "bor", NULL},
    {"bit", "bswap", NULL},
    {"bit", "bxor", NULL},
    {"bit", "lshift", NULL},
    {"bit", "rol", NULL},
    {"bit", "ror", NULL},
    {"bit", "rshift", NULL},
    {"bit", "tobit", NULL},
    {"bit", "tohex", NULL},
    {"coroutine", "create", NULL},
    {"coroutine", "resume", peri__lib_resume},
    {"coroutine", "running", NULL},
    {"coroutine", "status", NULL},
    {"coroutine", "wrap", peri__lib_wrap},
    {"coroutine", "yield", NULL},
    {"math", "abs", NULL},
    {"math", "acos", NULL},
    {"math", "asin", NULL},
    {"math", "atan", NULL},
    {"math", "atan2", NULL},
    {"math", "ceil", NULL},
    {"math", "cos", NULL},
    {"math", "cosh", NULL},
    {"math", "deg", NULL},
    {"math", "exp", NULL},
    {"math", "floor", NULL},
    {"math", "fmod", NULL},
    {"math", "frexp", NULL},
    {"math", "huge", NULL},
    {"math", "ldexp", NULL},
    {"math", "log", NULL},
    {"math", "log10", NULL},
    {"math", "max", NULL},
    {"math", "min", NULL},
    {"math", "modf", NULL},
    {"math", "pi", NULL},
    {"math", "pow", NULL},
    {"math", "rad", NULL},
    {"math", "sin", NULL},
    {"math", "sinh", NULL},
    {"math", "sqrt", NULL},
    {"math", "tan", NULL},
    {"math", "tanh", NULL},
    {"string", "byte", NULL},
    {"string", "char", peri__lib_char},
    {"string", "find", peri__lib_find},
    {"string", "format", peri__lib_format},
    {"string", "gmatch", peri__lib_gmatch},
    {"string", "gsub", peri__lib_gsub},
    {"string", "len", NULL},
    {"string", "lower", peri__lib_lower},
    {"string", "match", peri__lib_match},
    {"string", "rep", peri__lib_rep},
    {"string", "reverse", peri__lib_reverse},
    {"string", "sub", peri__lib_sub},
    {"string", "upper", peri__lib_upper},
    {"table", "concat", NULL},
    {"table", "insert", NULL},
    {"table", "maxn", NULL},
    {"table", "remove", NULL},
    {"table", "sort", peri__lib_sort},
};

// Pushes the table in which LuaJIT has, or the kit is to have, the names of `library`.
static void push_library(lua_State *L, int parent, const char *library) {
    if (!library) {
        lua_pushvalue(L, parent);
        return;
    }
    lua_getfield(L, parent, library);
    if (lua_istable(L, -1)) return;
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, parent, library);
}

static void push_kit(lua_State *L) {
    lua_newtable(L);
    int kit = lua_gettop(L);
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        const entry *e = &entries[i];
        push_library(L, kit, e->library);
        push_library(L, LUA_GLOBALSINDEX, e->library);
        lua_getfield(L, -1, e->name);
        if (e->own) lua_pushcclosure(L, e->own, 1);
        lua_setfield(L, -3, e->name);
        lua_settop(L, kit);
    }
}

static void add_all(lua_State *L, int from, int to);

// Pushes a copy of the table at absolute `from` and of the tables in it.
static void push_copy(lua_State *L, int from) {
    luaL_checkstack(L, 8, NULL);
    lua_newtable(L);
    add_all(L, from, lua_gettop(L));
}

static void add_all(lua_State *L, int from, int to) {
    for (lua_pushnil(L); lua_next(L, from);) {
        if (lua_istable(L, -1)) {
            push_copy(L, lua_gettop(L));
            lua_remove(L, -2);
        }
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, to);
    }
}

// LuaJIT's own functions keep its table of globals as their environment. No script can ask for
// that; all the same, nothing is left in it to be found.
static void empty_globals(lua_State *L) {
    for (lua_pushnil(L); lua_next(L, LUA_GLOBALSINDEX);) {
        lua_pop(L, 1);
        lua_pushvalue(L, -1);
        lua_pushnil(L);
        lua_rawset(L, LUA_GLOBALSINDEX);
    }
}

void peri__sandbox_open(peri_vm *vm) {
    static const lua_CFunction open[] = {luaopen_base, luaopen_string, luaopen_table,
                                         luaopen_math, luaopen_bit};
    lua_State *L = vm->L;
    for (size_t i = 0; i < sizeof open / sizeof open[0]; i++) {
        lua_pushcfunction(L, open[i]);
        lua_call(L, 0, 0);
    }
    push_kit(L);
    int kit = lua_gettop(L);
    lua_pushliteral(L, "");
    lua_newtable(L);
    lua_getfield(L, kit, "string");
    push_copy(L, lua_gettop(L));
    lua_setfield(L, -3, "__index");
    lua_pop(L, 1);
    lua_setmetatable(L, -2);
    lua_settop(L, kit);
    vm->kit_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    empty_globals(L);
    lua_newtable(L);
    lua_replace(L, LUA_GLOBALSINDEX);
    lua_pushnil(L);
    lua_setfield(L, LUA_REGISTRYINDEX, "_LOADED");
}

static bool name_ok(peri_str name) {
    if (name.len == 0 || name.len > NAME_MAX_BYTES) return false;
    if (peri_str_find(name, PERI_STR("..")) != PERI_NPOS) return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
        if (!plain) return false;
    }
    return true;
}

// Upvalue 1: what was required already, by name; false while it is being loaded.
static int require(lua_State *L) {
    peri_vm *vm = peri_vm_of(L);
    size_t len;
    const char *ptr = luaL_checklstring(L, 1, &len);
    lua_settop(L, 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_getfield(L, 2, ptr);
    if (lua_toboolean(L, 3)) return 1;
    if (!lua_isnil(L, 3))
        return luaL_error(L, "module '%s' is being loaded, or failed to", ptr);
    peri_str source = {0};
    if (name_ok(peri_str_of(ptr, len)) && vm->options.find_module) {
        source = vm->options.find_module(vm->options.user, peri_str_of(ptr, len));
    }
    if (!source.ptr) return luaL_error(L, "module '%s' not found", ptr);
    lua_pushboolean(L, false);
    lua_setfield(L, 2, ptr);
    const char *path = luaL_gsub(L, ptr, ".", "/");
    const char *chunk_name = lua_pushfstring(L, "@%s.lua", path);
    if (!peri__sandbox_compile(L, source, chunk_name, 2)) return lua_error(L);
    peri_vm_nest(L, 0, 1);
    if (!lua_toboolean(L, -1)) { // as in Lua, a module without a value is true
        lua_pop(L, 1);
        lua_pushboolean(L, true);
    }
    lua_pushvalue(L, -1);
    lua_setfield(L, 2, ptr);
    return 1;
}

typedef struct source_reader {
    peri_str left;
} source_reader;

// Hands the parser its text in small pieces, each charged: a text can be hard to parse.
static const char *read_piece(lua_State *L, void *user, size_t *size) {
    source_reader *reader = user;
    peri_str piece = peri_str_sub(reader->left, 0, PIECE_BYTES);
    reader->left = peri_str_sub(reader->left, piece.len, reader->left.len);
    peri_vm_tick(L, PIECE_BYTES);
    *size = piece.len;
    return piece.len ? piece.ptr : NULL;
}

static void push_environment(lua_State *L, int modules) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, peri_vm_of(L)->kit_ref);
    push_copy(L, lua_gettop(L));
    lua_remove(L, -2);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "_G");
    lua_pushvalue(L, modules);
    lua_pushcclosure(L, require, 1);
    lua_setfield(L, -2, "require");
}

bool peri__sandbox_compile(lua_State *L, peri_str source, const char *chunk_name, int modules) {
    source_reader reader = {source};
    if (source.len && source.ptr[0] == LUA_SIGNATURE[0]) {
        lua_pushfstring(L, "%s:1: compiled code, not a text", chunk_name + 1);
        return false;
    }
    int status = lua_loadx(L, read_piece, &reader, chunk_name, "t");
    peri_vm_tick(L, 0); // the reader's raise came out as a status
    if (status != 0) return false;
    push_environment(L, modules);
    lua_setfenv(L, -2);
    return true;
}
