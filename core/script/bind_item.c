// The views `item` and `call`: one entry of activity, and one tool call joined with its result.
// A tool call's input reaches Lua as a table of its own, parsed when first asked for.
#include <lauxlib.h>

#include "script/script_internal.h"

// What copying a text and parsing an input costs of the call's budget.
enum { TEXT_BYTES_PER_STEP = 256, INPUT_BYTES_PER_STEP = 20 };

// Long texts cost of the budget what copying them costs.
static void push_text(lua_State *L, peri__pack *pack, const peri_text *text) {
    peri_vm_tick(L, (text->head.len + text->tail.len) / TEXT_BYTES_PER_STEP);
    if (!text->cut) {
        lua_pushlstring(L, text->head.ptr ? text->head.ptr : "", text->head.len);
        return;
    }
    peri_buf_clear(&pack->scratch);
    peri_text_add(&pack->scratch, text);
    if (pack->scratch.status < 0) luaL_error(L, "out of memory");
    lua_pushlstring(L, pack->scratch.ptr, pack->scratch.len);
}

peri_str peri__input_json(const peri_item *item) {
    if (!peri_item_has_input(item)) return (peri_str){0};
    if (item->bounded.ptr) return item->bounded;
    return item->text.cut ? (peri_str){0} : item->text.head;
}

// Pushes the parsed input, or false if there is none: nil could not be cached.
static void parse_input(lua_State *L, const peri_item *item) {
    peri_str json = peri__input_json(item);
    int top = lua_gettop(L);
    peri_vm_tick(L, 1 + json.len / INPUT_BYTES_PER_STEP);
    if (json.len && peri_vm_push_json(L, json) >= 0 && !lua_isnil(L, -1)) return;
    lua_settop(L, top);
    lua_pushboolean(L, false);
}

// The input of a tool_call item, parsed once a call.
static void push_parsed(lua_State *L, peri__pack *pack, const peri_item *item) {
    void *key = (void *)(uintptr_t)item;
    peri__cache_push(L, pack);
    lua_pushlightuserdata(L, key);
    lua_rawget(L, -2); // cache value
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        parse_input(L, item);
        lua_pushlightuserdata(L, key);
        lua_pushvalue(L, -2); // cache value key value
        lua_rawset(L, -4);
    }
    lua_remove(L, -2);
    if (lua_toboolean(L, -1)) return;
    lua_pop(L, 1);
    lua_pushnil(L);
}

static void push_kind(lua_State *L, const peri__view *view) {
    peri__str_push(L, peri_item_kind_word(view->item->kind));
}

static void push_name(lua_State *L, const peri__view *view) {
    peri__str_push(L, view->item->name);
}

static void push_input(lua_State *L, const peri__view *view) {
    push_parsed(L, view->pack, view->item);
}

static void push_item_text(lua_State *L, const peri__view *view) {
    push_text(L, view->pack, &view->item->text);
}

static void push_is_error(lua_State *L, const peri__view *view) {
    lua_pushboolean(L, view->item->is_error);
}

static void push_exit_code(lua_State *L, const peri__view *view) {
    if (view->item->exit_code == PERI_OBS_NO_EXIT) {
        lua_pushnil(L);
    } else {
        lua_pushinteger(L, view->item->exit_code);
    }
}

static void push_call_id(lua_State *L, const peri__view *view) {
    peri__str_push(L, view->item->call_id);
}

static void push_seq(lua_State *L, const peri__view *view) {
    lua_pushnumber(L, (lua_Number)view->item->seq);
}

static void push_step(lua_State *L, const peri__view *view) {
    lua_pushnumber(L, view->item->step);
}

static void push_turn(lua_State *L, const peri__view *view) {
    lua_pushnumber(L, view->item->turn);
}

// Of a call, what came back: nil while nothing has.

static void push_result(lua_State *L, const peri__view *view) {
    if (view->result) {
        push_text(L, view->pack, &view->result->text);
    } else {
        lua_pushnil(L);
    }
}

static void push_call_is_error(lua_State *L, const peri__view *view) {
    lua_pushboolean(L, view->result && view->result->is_error);
}

static void push_call_exit_code(lua_State *L, const peri__view *view) {
    if (view->result && view->result->exit_code != PERI_OBS_NO_EXIT) {
        lua_pushinteger(L, view->result->exit_code);
    } else {
        lua_pushnil(L);
    }
}

static void push_denied(lua_State *L, const peri__view *view) {
    lua_pushboolean(L, view->result && view->result->kind == PERI_ITEM_TOOL_DENIED);
}

static const peri__field item_fields[] = {
    {"kind", push_kind, false},
    {"name", push_name, false},
    {"input", push_input, false},
    {"text", push_item_text, false},
    {"is_error", push_is_error, false},
    {"exit_code", push_exit_code, false},
    {"call_id", push_call_id, false},
    {"seq", push_seq, false},
    {"step", push_step, false},
    {"turn", push_turn, false},
    {0},
};

static const peri__field call_fields[] = {
    {"name", push_name, false},
    {"input", push_input, false},
    {"call_id", push_call_id, false},
    {"seq", push_seq, false},
    {"step", push_step, false},
    {"turn", push_turn, false},
    {"result", push_result, false},
    {"is_error", push_call_is_error, false},
    {"exit_code", push_call_exit_code, false},
    {"denied", push_denied, false},
    {0},
};

const peri__noun peri__noun_item = {.name = "item", .fields = item_fields};
const peri__noun peri__noun_call = {.name = "call", .fields = call_fields};
