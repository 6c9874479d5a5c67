// The view `turn`: everything a Lua observer may know of its agent (contracts.md 3), and the
// list `turn.items`. What takes work to make (calls, files) is made when it is asked for.
#include <lauxlib.h>

#include "script/script_internal.h"

enum { MAX_FILES = 1024 };

static const peri_turn *turn_of(const peri__pack *pack) {
    return pack->live.turn;
}

// ---- The list of new items

static size_t items_count(const peri__view *view) {
    return turn_of(view->pack)->item_count;
}

// The same item is the same value for the whole call, so that it can be a key.
static void items_push_at(lua_State *L, const peri__view *view, size_t at) {
    peri__pack *pack = view->pack;
    peri__cache_push(L, pack);
    lua_rawgeti(L, -1, (int)at + 1);
    if (!lua_isnil(L, -1)) return;
    lua_pop(L, 1);
    peri__view_push(L, pack, PERI__ITEM)->item = turn_of(pack)->items[at];
    lua_pushvalue(L, -1); // cache view view
    lua_rawseti(L, -3, (int)at + 1);
}

static void push_items(lua_State *L, const peri__view *view) {
    peri__view_push(L, view->pack, PERI__ITEMS);
}

// ---- Calls

// The turn's calls as a block that Lua collects; NULL and nothing pushed if there are none.
static const peri_call *push_call_block(lua_State *L, peri__pack *pack, size_t *count) {
    const peri_turn *turn = turn_of(pack);
    *count = 0;
    if (!turn->log_count) return NULL;
    peri_vm_tick(L, turn->log_count);
    peri_call *calls = lua_newuserdata(L, turn->log_count * sizeof *calls);
    *count = peri_turn_calls(turn, calls, turn->log_count);
    return calls;
}

static int turn_calls(lua_State *L) {
    peri__pack *pack = peri__method_pack(L);
    size_t count;
    const peri_call *calls = push_call_block(L, pack, &count);
    lua_createtable(L, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        peri__view *view = peri__view_push(L, pack, PERI__CALL);
        view->item = calls[i].call;
        view->result = calls[i].result;
        lua_rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

static void push_calls(lua_State *L, const peri__view *view) {
    peri__method_push(L, turn_calls);
}

static int turn_repeats(lua_State *L) {
    peri__pack *pack = peri__method_pack(L);
    const peri__view *view = peri__view_find(L, pack, 1, PERI__CALL);
    if (!view) view = peri__view_find(L, pack, 1, PERI__ITEM);
    if (!view) return luaL_error(L, "repeats wants a call or an item of this turn");
    size_t same = 0, count = 0;
    if (view->item->kind == PERI_ITEM_TOOL_CALL) {
        peri_vm_tick(L, turn_of(pack)->log_count);
        count = peri_turn_repeats(turn_of(pack), view->item, &same);
    }
    lua_pushnumber(L, (lua_Number)count);
    lua_pushnumber(L, (lua_Number)same);
    return 2;
}

static void push_repeats(lua_State *L, const peri__view *view) {
    peri__method_push(L, turn_repeats);
}

// ---- Files

// Tools that touch one file, told by name alone: what a shell command does is not guessed.
static const char *const edit_tools[] = {
    "Edit",
    "Write",
    "MultiEdit",
    "NotebookEdit",
    "edit",
    "write",
    "apply_patch",
    "str_replace",
    "write_file",
    "edit_file",
    "create_file",
    "replace",
    "str_replace_editor",
    "str_replace_based_edit_tool",
    NULL,
};
static const char *const read_tools[] = {"Read", "read", "read_file", "view", "cat", NULL};
static const char *const path_keys[] = {"file_path", "path",          "notebook_path",
                                        "filePath",  "absolute_path", NULL};

static bool is_tool(peri_str name, const char *const *tools) {
    for (; *tools; tools++) {
        if (peri_str_eq(name, peri_str_c(*tools))) return true;
    }
    return false;
}

static peri_str path_of(peri__pack *pack, const peri_item *call) {
    peri_str json = peri__input_json(call);
    if (!json.len || peri_json_parse(&pack->doc, json) < 0) return (peri_str){0};
    for (const char *const *key = path_keys; *key; key++) {
        peri_json value = peri_json_get(peri_json_root(&pack->doc), peri_str_c(*key));
        peri_str path = peri_json_str(value, pack->live.arena);
        if (path.len) return path;
    }
    return (peri_str){0};
}

static void set_flag(lua_State *L, const char *name, bool set, bool is_new) {
    if (!set && !is_new) return;
    lua_pushboolean(L, set);
    lua_setfield(L, -2, name);
}

// Enters one use of `path`; `files` and the table path -> entry stand at `list`, `list + 1`.
static void add_use(lua_State *L, int list, peri_str path, bool edits, uint64_t seq) {
    lua_pushlstring(L, path.ptr, path.len);
    lua_rawget(L, list + 1);
    bool is_new = lua_isnil(L, -1);
    if (is_new) {
        lua_pop(L, 1);
        lua_createtable(L, 0, 4);
        lua_pushlstring(L, path.ptr, path.len);
        lua_setfield(L, -2, "path");
        lua_pushlstring(L, path.ptr, path.len);
        lua_pushvalue(L, -2); // entry path entry
        lua_rawset(L, list + 1);
        lua_pushvalue(L, -1);
        lua_rawseti(L, list, (int)lua_objlen(L, list) + 1);
    }
    set_flag(L, "read", !edits, is_new);
    set_flag(L, "edited", edits, is_new);
    lua_pushnumber(L, (lua_Number)seq);
    lua_setfield(L, -2, "seq");
    lua_pop(L, 1);
}

// Calls that failed or were refused touched nothing.
static void push_files(lua_State *L, const peri__view *view) {
    peri__pack *pack = view->pack;
    lua_newtable(L);
    lua_newtable(L);
    int list = lua_gettop(L) - 1;
    size_t count;
    const peri_call *calls = push_call_block(L, pack, &count);
    for (size_t i = 0; i < count && lua_objlen(L, list) < MAX_FILES; i++) {
        const peri_item *call = calls[i].call, *result = calls[i].result;
        bool edits = is_tool(call->name, edit_tools);
        if (!edits && !is_tool(call->name, read_tools)) continue;
        if (result && (result->is_error || result->kind == PERI_ITEM_TOOL_DENIED)) continue;
        peri_vm_tick(L, 1 + peri__input_json(call).len / 64);
        peri_str path = path_of(pack, call);
        if (path.len) add_use(L, list, path, edits, call->seq);
    }
    lua_settop(L, list);
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

static void push_usage(lua_State *L, const peri__view *view) {
    const peri_usage *usage = &turn_of(view->pack)->usage;
    lua_createtable(L, 0, 3);
    set_tokens(L, "input", usage->input);
    set_tokens(L, "cached", usage->cached);
    set_tokens(L, "output", usage->output);
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
    {"items", push_items, true},
    {"calls", push_calls, true},
    {"repeats", push_repeats, true},
    {"files", push_files, true},
    {"last_user", push_last_user, false},
    {"step", push_step, false},
    {"turn", push_turn, false},
    {"cwd", push_cwd, false},
    {"usage", push_usage, true},
    {"ending", push_ending, false},
    {"goal", push_goal, true},
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
