// The view `turn`: everything a Lua observer may know of its agent, and the
// list `turn.items`. What takes work to make is made when it is asked for; `turn.files` stands
// in bind_files.c.
#include <lauxlib.h>

#include "script/script_internal.h"

static const peri_turn *turn_of(const peri__pack *pack) {
    return pack->live.turn;
}

// ---- The list of new items

static size_t items_count(const peri__view *view) {
    size_t count = turn_of(view->pack)->item_count;
    return count < PERI__MAX_VIEWED ? count : PERI__MAX_VIEWED;
}

static void items_push_at(lua_State *L, const peri__view *view, size_t at) {
    peri__view_push(L, view->pack, PERI__ITEM, at);
}

static void push_items(lua_State *L, const peri__view *view) {
    peri__view_push(L, view->pack, PERI__ITEMS, 0);
}

// ---- Calls

static int turn_calls(lua_State *L) {
    peri__pack *pack = peri__method_pack(L);
    peri__calls_need(L, pack);
    size_t count = pack->live.call_count;
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        peri__view_push(L, pack, PERI__CALL, i);
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

static void push_calls(lua_State *L, const peri__view *view) {
    peri__method_push(L, turn_calls);
}

static int turn_repeats(lua_State *L) {
    peri__pack *pack = peri__method_pack(L);
    peri__view view;
    if (!peri__view_find(L, 1, PERI__CALL, &view) &&
        !peri__view_find(L, 1, PERI__ITEM, &view)) {
        return luaL_error(L, "repeats wants a call or an item of this turn");
    }
    size_t same = 0, count = 0;
    if (view.item->kind == PERI_ITEM_TOOL_CALL) {
        peri_vm_tick(L, turn_of(pack)->log_count);
        count = peri_turn_repeats(turn_of(pack), view.item, &same);
    }
    lua_pushnumber(L, (lua_Number)count);
    lua_pushnumber(L, (lua_Number)same);
    return 2;
}

static void push_repeats(lua_State *L, const peri__view *view) {
    peri__method_push(L, turn_repeats);
}

// ---- Plain fields

static void push_last_user(lua_State *L, const peri__view *view) {
    peri__str_push(L, turn_of(view->pack)->last_user);
}

static void push_step(lua_State *L, const peri__view *view) {
    lua_pushnumber(L, turn_of(view->pack)->step);
}

static void push_turn(lua_State *L, const peri__view *view) {
    lua_pushnumber(L, turn_of(view->pack)->turn);
}

static void push_cwd(lua_State *L, const peri__view *view) {
    peri__str_push(L, turn_of(view->pack)->cwd);
}

static void push_session(lua_State *L, const peri__view *view) {
    peri__str_push(L, turn_of(view->pack)->session);
}

static void push_agent(lua_State *L, const peri__view *view) {
    peri__str_push(L, turn_of(view->pack)->agent);
}

static void push_agent_name(lua_State *L, const peri__view *view) {
    peri__str_push(L, turn_of(view->pack)->agent_name);
}

static void push_trigger(lua_State *L, const peri__view *view) {
    peri__str_push(L, peri_trigger_word(turn_of(view->pack)->trigger));
}

static void push_dropped(lua_State *L, const peri__view *view) {
    lua_pushnumber(L, (lua_Number)turn_of(view->pack)->dropped_count);
}

static void push_ending(lua_State *L, const peri__view *view) {
    lua_pushboolean(L, turn_of(view->pack)->ending);
}

static void set_tokens(lua_State *L, const char *name, int64_t tokens) {
    lua_pushnumber(L, (lua_Number)tokens);
    lua_setfield(L, -2, name);
}

// What the last answer was made of. Some providers count what came from the cache as input,
// too, some beside it: the larger reading of the two never counts a token twice.
static int64_t context_of(const peri_usage *last) {
    int64_t beside = last->cached + last->cache_created;
    return (last->input > beside ? last->input : beside) + last->output;
}

static void push_usage(lua_State *L, const peri__view *view) {
    const peri_usage *usage = &turn_of(view->pack)->usage;
    const peri_usage *last = &turn_of(view->pack)->last_usage;
    lua_createtable(L, 0, 5);
    set_tokens(L, "input", usage->input);
    set_tokens(L, "cached", usage->cached);
    set_tokens(L, "cache_created", usage->cache_created);
    set_tokens(L, "output", usage->output);
    set_tokens(L, "context", context_of(last));
}

static void push_recall(lua_State *L, const peri_recall *list, size_t count) {
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        lua_createtable(L, 0, 3); // list entry
        peri__str_push(L, list[i].name);
        lua_setfield(L, -2, "name");
        peri__str_push(L, list[i].description);
        lua_setfield(L, -2, "description");
        peri__str_push(L, list[i].text);
        lua_setfield(L, -2, "text");
        lua_rawseti(L, -2, (int)i + 1);
    }
}

static void push_memory(lua_State *L, const peri__view *view) {
    push_recall(L, turn_of(view->pack)->memory, turn_of(view->pack)->memory_count);
}

static void push_skills(lua_State *L, const peri__view *view) {
    push_recall(L, turn_of(view->pack)->skills, turn_of(view->pack)->skill_count);
}

static void push_goal(lua_State *L, const peri__view *view) {
    const peri_goal *goal = turn_of(view->pack)->goal;
    if (!goal || !goal->text.ptr) {
        lua_pushnil(L);
        return;
    }
    lua_createtable(L, 0, 3); // goal
    peri__str_push(L, goal->text);
    lua_setfield(L, -2, "text");
    peri__str_push(L, goal->check);
    lua_setfield(L, -2, "check");
    lua_createtable(L, (int)goal->item_count, 0); // goal items
    for (size_t i = 0; i < goal->item_count; i++) {
        lua_createtable(L, 0, 2); // goal items item
        peri__str_push(L, goal->items[i].text);
        lua_setfield(L, -2, "text");
        lua_pushboolean(L, goal->items[i].done);
        lua_setfield(L, -2, "done");
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_setfield(L, -2, "items");
}

static const peri__field turn_fields[] = {
    {"items", push_items, false},
    {"calls", push_calls, true},
    {"repeats", push_repeats, true},
    {"files", peri__files_push, true},
    {"last_user", push_last_user, false},
    {"step", push_step, false},
    {"turn", push_turn, false},
    {"cwd", push_cwd, false},
    {"usage", push_usage, true},
    {"ending", push_ending, false},
    {"goal", push_goal, true},
    {"memory", push_memory, true},
    {"skills", push_skills, true},
    {"session", push_session, false},
    {"agent", push_agent, false},
    {"agent_name", push_agent_name, false},
    {"trigger", push_trigger, false},
    {"dropped", push_dropped, false},
    {0},
};

static const peri__field items_fields[] = {{0}};

const peri__noun peri__noun_turn = {.name = "turn", .fields = turn_fields};
const peri__noun peri__noun_items = {.name = "turn.items",
                                     .fields = items_fields,
                                     .count = items_count,
                                     .push_at = items_push_at};
