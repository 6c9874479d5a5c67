// Sorting: table.sort, and the order in which pairs() visits keys. A stable merge sort between
// two scratch tables: a comparison that errs, or lies, leaves the script's table whole, and
// equal elements keep their order, so that a policy's ranking is the same in every run.
#include <lauxlib.h>

#include "script/lib.h"

// Is the value on top less than the one below it? Pops both.
typedef bool (*less_fn)(lua_State *L);

typedef struct sorting {
    lua_State *L;
    int from, to; // stack indexes of the scratch tables
    less_fn less;
} sorting;

// Merges the sorted runs [lo, mid) and [mid, hi) of `from` into `to`; equal elements of the
// left run go first.
static void merge(const sorting *s, int lo, int mid, int hi) {
    lua_State *L = s->L;
    int left = lo, right = mid;
    for (int at = lo; at < hi; at++) {
        bool take_right = left >= mid;
        if (!take_right && right < hi) {
            peri_vm_tick(L, 4);
            lua_rawgeti(L, s->from, left);
            lua_rawgeti(L, s->from, right);
            take_right = s->less(L);
        }
        lua_rawgeti(L, s->from, take_right ? right++ : left++);
        lua_rawseti(L, s->to, at);
    }
}

// Sorts elements 1 to `count` of the table on top in place of a copy: returns the stack index
// of the sorted one. Pushes one table.
static int merge_sort(lua_State *L, int count, less_fn less) {
    sorting s = {.L = L, .from = lua_gettop(L), .to = lua_gettop(L) + 1, .less = less};
    lua_createtable(L, count, 0);
    for (int width = 1; width<count; width = width> count / 2 ? count : width * 2) {
        for (int lo = 1; lo <= count;) {
            int rest = count - lo + 1;
            int mid = lo + (width < rest ? width : rest);
            rest = count - mid + 1;
            int hi = mid + (width < rest ? width : rest);
            merge(&s, lo, mid, hi);
            lo = hi;
        }
        int from = s.from;
        s.from = s.to;
        s.to = from;
    }
    return s.from;
}

// Stack index 2: the script's comparison.
static bool less_by_script(lua_State *L) {
    lua_pushvalue(L, 2);
    lua_insert(L, -3);
    lua_insert(L, -2); // function, top, below
    peri_vm_nest(L, 2, 1);
    bool less = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return less;
}

static int compare_values(lua_State *L) {
    lua_pushboolean(L, lua_lessthan(L, 2, 1));
    return 1;
}

static bool less_by_value(lua_State *L) {
    int type = lua_type(L, -1);
    bool less;
    if (type == lua_type(L, -2) && (type == LUA_TNUMBER || type == LUA_TSTRING)) {
        less = lua_lessthan(L, -1, -2);
        lua_pop(L, 1);
    } else { // an error, or a metamethod
        lua_pushcfunction(L, compare_values);
        lua_insert(L, -3);
        peri_vm_nest(L, 2, 1);
        less = lua_toboolean(L, -1);
    }
    lua_pop(L, 1);
    return less;
}

static int rank_of_key(int type) {
    return type == LUA_TNUMBER ? 0 : type == LUA_TSTRING ? 1 : type == LUA_TBOOLEAN ? 2 : 3;
}

static bool less_by_key(lua_State *L) {
    int top = rank_of_key(lua_type(L, -1)), below = rank_of_key(lua_type(L, -2));
    bool less = top < below;
    if (top == below && top < 2) less = lua_lessthan(L, -1, -2);
    if (top == below && top == 2) less = !lua_toboolean(L, -1) && lua_toboolean(L, -2);
    lua_pop(L, 2);
    return less;
}

static int count_of(lua_State *L, int index) {
    size_t count = lua_objlen(L, index);
    if (count > INT32_MAX / 2) luaL_error(L, "table too large");
    return (int)count;
}

int peri__lib_sort(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    int count = count_of(L, 1);
    lua_createtable(L, count, 0);
    for (int i = 1; i <= count; i++) {
        peri_vm_tick(L, 1);
        lua_rawgeti(L, 1, i);
        lua_rawseti(L, 3, i);
    }
    int sorted = merge_sort(L, count, lua_isnil(L, 2) ? less_by_value : less_by_script);
    for (int i = 1; i <= count; i++) {
        peri_vm_tick(L, 1);
        lua_rawgeti(L, sorted, i);
        lua_rawseti(L, 1, i);
    }
    return 0;
}

void peri__lib_push_keys(lua_State *L, int index) {
    lua_newtable(L);
    int keys = lua_gettop(L), count = 0;
    for (lua_pushnil(L); lua_next(L, index);) {
        peri_vm_tick(L, 1);
        lua_pop(L, 1);
        lua_pushvalue(L, -1);
        lua_rawseti(L, keys, ++count);
    }
    int sorted = merge_sort(L, count, less_by_key);
    lua_pushvalue(L, sorted);
    lua_replace(L, keys);
    lua_settop(L, keys);
}
