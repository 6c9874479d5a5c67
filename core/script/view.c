// Read-only views: userdata bound to one call. A view holds no value of its own; it asks what
// the running call looks at, and once that call has ended every access raises. A wrong field
// raises too, with the nearest known name, so that a typo in an observer is an error and not a
// nil. The fields of each noun stand in bind_NOUN.c.
#include <lauxlib.h>

#include "script/script_internal.h"

static const peri__noun *const nouns[PERI__NOUN_COUNT] = {
    [PERI__TURN] = &peri__noun_turn, [PERI__ITEMS] = &peri__noun_items,
    [PERI__ITEM] = &peri__noun_item, [PERI__CALL] = &peri__noun_call,
    [PERI__CTX] = &peri__noun_ctx,
};

enum { MAX_FIELDS = 32 };

// The view a metamethod is called on: nothing else has these metatables.
static const peri__view *living(lua_State *L) {
    const peri__view *view = lua_touserdata(L, 1);
    if (view->generation != view->pack->generation) {
        luaL_error(L, "expired: %s views live only during the call", view->noun->name);
    }
    return view;
}

static int unknown_field(lua_State *L, const peri__noun *noun) {
    if (lua_type(L, 2) != LUA_TSTRING) {
        return luaL_error(L, "%s has no field of type %s", noun->name, luaL_typename(L, 2));
    }
    peri_str words[MAX_FIELDS + 1];
    size_t count = 0;
    for (const peri__field *field = noun->fields; field->name; field++) {
        words[count++] = peri_str_c(field->name);
    }
    words[count] = (peri_str){0};
    const char *key = lua_tostring(L, 2);
    peri_str near = peri_diag_nearest(peri_str_c(key), words);
    if (!near.len) return luaL_error(L, "%s has no field \"%s\"", noun->name, key);
    return luaL_error(L, "%s has no field \"%s\", did you mean \"%s\"?", noun->name, key,
                      near.ptr);
}

void peri__cache_push(lua_State *L, const peri__pack *pack) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, pack->cache_ref);
}

// The value of a cached field; the key stands at 2.
static void push_cached(lua_State *L, const peri__field *field, const peri__view *view) {
    peri__cache_push(L, view->pack);
    lua_pushvalue(L, 2);
    lua_rawget(L, -2); // cache value
    if (!lua_isnil(L, -1)) return;
    lua_pop(L, 1);
    field->push(L, view);
    lua_pushvalue(L, 2);
    lua_pushvalue(L, -2); // cache value key value
    lua_rawset(L, -4);
}

// Whether the number at 2 is an index into a list; `*at` gets it 0-based.
static bool list_index(lua_State *L, size_t count, size_t *at) {
    double number = lua_tonumber(L, 2);
    if (!(number >= 1 && number <= (double)count)) return false;
    *at = (size_t)number - 1;
    return (double)(*at + 1) == number;
}

// Upvalue 1: from the name of a field to the field.
static int view_index(lua_State *L) {
    const peri__view *view = living(L);
    const peri__noun *noun = view->noun;
    if (noun->push_at && lua_type(L, 2) == LUA_TNUMBER) {
        size_t at;
        if (!list_index(L, noun->count(view), &at)) return 0;
        noun->push_at(L, view, at);
        return 1;
    }
    lua_pushvalue(L, 2);
    lua_rawget(L, lua_upvalueindex(1));
    const peri__field *field = lua_touserdata(L, -1);
    if (!field) return unknown_field(L, noun);
    if (field->cached) {
        push_cached(L, field, view);
    } else {
        field->push(L, view);
    }
    return 1;
}

static int view_len(lua_State *L) {
    const peri__view *view = living(L);
    if (!view->noun->count) return luaL_error(L, "%s has no length", view->noun->name);
    lua_pushnumber(L, (lua_Number)view->noun->count(view));
    return 1;
}

static int view_newindex(lua_State *L) {
    const peri__view *view = living(L);
    const peri__noun *noun = view->noun;
    bool named = noun->writable && lua_type(L, 2) == LUA_TSTRING &&
                 strcmp(lua_tostring(L, 2), noun->writable) == 0;
    if (!named) return luaL_error(L, "read-only: %s cannot be changed", noun->name);
    if (!lua_istable(L, 3)) {
        return luaL_error(L, "%s.%s must be a table", noun->name, noun->writable);
    }
    peri__cache_push(L, view->pack);
    lua_insert(L, 2); // view cache key value
    lua_rawset(L, 2);
    return 0;
}

// Without it, tostring would show an address, which differs from run to run.
static int view_tostring(lua_State *L) {
    const peri__view *view = lua_touserdata(L, 1);
    lua_pushstring(L, view->noun->name);
    return 1;
}

static void push_fields(lua_State *L, const peri__field *fields) {
    lua_newtable(L);
    for (; fields->name; fields++) {
        lua_pushlightuserdata(L, (void *)(uintptr_t)fields);
        lua_setfield(L, -2, fields->name);
    }
}

void peri__views_open(lua_State *L, peri__pack *pack) {
    static const luaL_Reg methods[] = {{"__newindex", view_newindex},
                                       {"__len", view_len},
                                       {"__tostring", view_tostring},
                                       {NULL, NULL}};
    for (int noun = 0; noun < PERI__NOUN_COUNT; noun++) {
        lua_newtable(L); // meta
        luaL_setfuncs(L, methods, 0);
        push_fields(L, nouns[noun]->fields); // meta fields
        lua_pushcclosure(L, view_index, 1);
        lua_setfield(L, -2, "__index");
        lua_pushboolean(L, false); // what a getmetatable would show
        lua_setfield(L, -2, "__metatable");
        pack->noun_refs[noun] = luaL_ref(L, LUA_REGISTRYINDEX);
    }
}

peri__view *peri__view_push(lua_State *L, peri__pack *pack, peri__noun_id noun) {
    peri__view *view = lua_newuserdata(L, sizeof *view);
    *view = (peri__view){.pack = pack, .noun = nouns[noun], .generation = pack->generation};
    lua_rawgeti(L, LUA_REGISTRYINDEX, pack->noun_refs[noun]);
    lua_setmetatable(L, -2);
    return view;
}

const peri__view *peri__view_find(lua_State *L, const peri__pack *pack, int index,
                                  peri__noun_id noun) {
    if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return NULL;
    lua_rawgeti(L, LUA_REGISTRYINDEX, pack->noun_refs[noun]);
    bool ours = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    const peri__view *view = ours ? lua_touserdata(L, index) : NULL;
    return view && view->generation == pack->generation ? view : NULL;
}

void peri__method_push(lua_State *L, lua_CFunction fn) {
    lua_pushvalue(L, 1);
    lua_pushcclosure(L, fn, 1);
}

peri__pack *peri__method_pack(lua_State *L) {
    const peri__view *view = lua_touserdata(L, lua_upvalueindex(1));
    if (view->generation != view->pack->generation) {
        luaL_error(L, "expired: %s views live only during the call", view->noun->name);
    }
    return view->pack;
}

void peri__str_push(lua_State *L, peri_str text) {
    if (text.ptr) {
        lua_pushlstring(L, text.ptr, text.len);
    } else {
        lua_pushnil(L);
    }
}
