// Read-only views: values bound to one call. A view's value is a number in the guise of a light
// userdata: which call into this VM, which noun, which item. So it takes no memory, the same
// item is the same value for the whole call, and no script can make one. What it stands for is
// looked up at each access; once its call has ended every access raises. A wrong field raises
// too, with the nearest known name, so that a typo in an observer is an error and not a nil.
// The fields of each noun stand in bind_NOUN.c.
#include <lauxlib.h>

#include "script/script_internal.h"
#include "script/vm_state.h"

static const peri__noun *const nouns[PERI__NOUN_COUNT] = {
    [PERI__TURN] = &peri__noun_turn, [PERI__ITEMS] = &peri__noun_items,
    [PERI__ITEM] = &peri__noun_item, [PERI__CALL] = &peri__noun_call,
    [PERI__CTX] = &peri__noun_ctx,
};

// From the lowest bit: index, noun, call. LuaJIT keeps 39 bits as they are; whatever is above
// them would have to be interned.
enum { AT_BITS = 16, NOUN_BITS = 3, CALL_BITS = 20 };
_Static_assert(PERI__MAX_VIEWED < 1 << AT_BITS, "an index fits");
_Static_assert(PERI__NOUN_COUNT <= 1 << NOUN_BITS, "a noun fits");
_Static_assert(PERI__MAX_CALLS < 1 << CALL_BITS && AT_BITS + NOUN_BITS + CALL_BITS <= 39,
               "a call fits");

void peri__view_push(lua_State *L, const peri__pack *pack, peri__noun_id noun, size_t at) {
    uintptr_t value = (uintptr_t)pack->call_number << (AT_BITS + NOUN_BITS) |
                      (uintptr_t)noun << AT_BITS | (uintptr_t)at;
    lua_pushlightuserdata(L, (void *)value);
}

// An item or a call that the running call has.
static bool look_up(peri__view *view, size_t at) {
    const peri__live *live = &view->pack->live;
    if (view->id == PERI__ITEM) {
        if (!live->turn || at >= live->turn->item_count) return false;
        view->item = live->turn->items[at];
    } else if (view->id == PERI__CALL) {
        if (at >= live->call_count) return false;
        view->item = live->calls[at].call;
        view->result = live->calls[at].result;
    }
    return true;
}

// Reads the light userdata at `index`. Its noun is told whether it lives or not.
static bool read_view(lua_State *L, int index, peri__view *view) {
    uintptr_t value = (uintptr_t)lua_touserdata(L, index);
    peri__pack *pack = peri_vm_of(L)->options.user;
    unsigned noun = value >> AT_BITS & ((1U << NOUN_BITS) - 1);
    *view = (peri__view){.pack = pack, .id = noun < PERI__NOUN_COUNT ? noun : PERI__TURN};
    return pack->in_call && value >> (AT_BITS + NOUN_BITS) == pack->call_number &&
           look_up(view, value & ((1U << AT_BITS) - 1));
}

static void need_living(lua_State *L, int index, peri__view *view) {
    if (read_view(L, index, view)) return;
    luaL_error(L, "expired: %s views live only during the call", nouns[view->id]->name);
}

bool peri__view_find(lua_State *L, int index, peri__noun_id noun, peri__view *out) {
    peri__view view;
    if (!lua_islightuserdata(L, index) || !read_view(L, index, &view)) return false;
    if (view.id != noun) return false;
    *out = view;
    return true;
}

static int unknown_field(lua_State *L, const peri__noun *noun) {
    if (lua_type(L, 2) != LUA_TSTRING) {
        return luaL_error(L, "%s has no field of type %s", noun->name, luaL_typename(L, 2));
    }
    peri_str words[PERI__MAX_FIELDS + 1];
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

// A block that Lua owns, kept in the call's cache under the key of the turn's address.
void peri__calls_need(lua_State *L, peri__pack *pack) {
    const peri_turn *turn = pack->live.turn;
    if (pack->live.calls || !turn->log_count) return;
    peri_vm_tick(L, turn->log_count);
    peri__cache_push(L, pack);
    lua_pushlightuserdata(L, (void *)(uintptr_t)turn);
    peri_call *calls = lua_newuserdata(L, turn->log_count * sizeof *calls);
    lua_rawset(L, -3);
    lua_pop(L, 1);
    size_t count = peri_turn_calls(turn, calls, turn->log_count);
    pack->live.calls = calls;
    pack->live.call_count = count < PERI__MAX_VIEWED ? count : PERI__MAX_VIEWED;
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

// The VM has each text once, so a name is known by its address.
static const peri__field *find_field(lua_State *L, const peri__view *view) {
    const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
    const char *const *names = view->pack->field_names[view->id];
    for (size_t i = 0; key && names[i]; i++) {
        if (names[i] == key) return &nouns[view->id]->fields[i];
    }
    return NULL;
}

static int view_index(lua_State *L) {
    peri__view view;
    need_living(L, 1, &view);
    const peri__noun *noun = nouns[view.id];
    const peri__field *field = find_field(L, &view);
    size_t at;
    if (field && field->cached) {
        push_cached(L, field, &view);
    } else if (field) {
        field->push(L, &view);
    } else if (noun->push_at && lua_type(L, 2) == LUA_TNUMBER) {
        if (!list_index(L, noun->count(&view), &at)) return 0;
        noun->push_at(L, &view, at);
    } else {
        return unknown_field(L, noun);
    }
    return 1;
}

static int view_len(lua_State *L) {
    peri__view view;
    need_living(L, 1, &view);
    const peri__noun *noun = nouns[view.id];
    if (!noun->count) return luaL_error(L, "%s has no length", noun->name);
    lua_pushnumber(L, (lua_Number)noun->count(&view));
    return 1;
}

// Stack: view, index so far. Nothing of a script runs in here.
static int view_next(lua_State *L) {
    peri__view view;
    if (!lua_islightuserdata(L, 1)) return luaL_error(L, "this iterator is for views");
    need_living(L, 1, &view);
    const peri__noun *noun = nouns[view.id];
    lua_Number before = lua_tonumber(L, 2);
    peri_vm_tick(L, 1);
    if (!noun->push_at || !(before >= 0 && before < (lua_Number)noun->count(&view))) return 0;
    lua_pushnumber(L, before + 1);
    noun->push_at(L, &view, (size_t)before);
    return 2;
}

static int view_ipairs(lua_State *L) {
    lua_pushcfunction(L, view_next);
    lua_pushvalue(L, 1);
    lua_pushinteger(L, 0);
    return 3;
}

static int view_newindex(lua_State *L) {
    peri__view view;
    need_living(L, 1, &view);
    const peri__noun *noun = nouns[view.id];
    bool named = noun->writable && lua_type(L, 2) == LUA_TSTRING &&
                 strcmp(lua_tostring(L, 2), noun->writable) == 0;
    if (!named) return luaL_error(L, "read-only: %s cannot be changed", noun->name);
    if (!lua_istable(L, 3)) {
        return luaL_error(L, "%s.%s must be a table", noun->name, noun->writable);
    }
    peri__cache_push(L, view.pack);
    lua_insert(L, 2); // view cache key value
    lua_rawset(L, 2);
    return 0;
}

// Without it, tostring would show an address, which differs from run to run.
static int view_tostring(lua_State *L) {
    peri__view view;
    (void)read_view(L, 1, &view);
    lua_pushstring(L, nouns[view.id]->name);
    return 1;
}

// Notes where the VM has the names of the fields, and keeps them there.
static void keep_names(lua_State *L, peri__pack *pack) {
    lua_newtable(L);
    int kept = 0;
    for (int noun = 0; noun < PERI__NOUN_COUNT; noun++) {
        const peri__field *field = nouns[noun]->fields;
        for (size_t i = 0; i < PERI__MAX_FIELDS; i++) {
            pack->field_names[noun][i] = NULL;
            if (!field->name) continue;
            lua_pushstring(L, field++->name);
            pack->field_names[noun][i] = lua_tostring(L, -1);
            lua_rawseti(L, -2, ++kept);
        }
    }
    luaL_ref(L, LUA_REGISTRYINDEX);
}

// All light userdata share this metatable. No other ones reach a script.
void peri__views_open(lua_State *L, peri__pack *pack) {
    static const luaL_Reg methods[] = {
        {"__index", view_index},   {"__newindex", view_newindex}, {"__len", view_len},
        {"__ipairs", view_ipairs}, {"__tostring", view_tostring}, {NULL, NULL}};
    keep_names(L, pack);
    peri__view_push(L, pack, PERI__TURN, 0); // LuaJIT sets memory aside for this address range
    lua_newtable(L);
    luaL_setfuncs(L, methods, 0);
    lua_pushboolean(L, false); // what a getmetatable would show
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}

void peri__method_push(lua_State *L, lua_CFunction fn) {
    lua_pushvalue(L, 1);
    lua_pushcclosure(L, fn, 1);
}

peri__pack *peri__method_pack(lua_State *L) {
    peri__view view;
    need_living(L, lua_upvalueindex(1), &view);
    return view.pack;
}

void peri__str_push(lua_State *L, peri_str text) {
    if (text.ptr) {
        lua_pushlstring(L, text.ptr, text.len);
    } else {
        lua_pushnil(L);
    }
}
