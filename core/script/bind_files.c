// The list `turn.files`: which files the calls of the turn touched and how much of them was
// changed, by the tools' own word. What a shell command does to a file is not guessed here.
#include <lauxlib.h>

#include "script/script_internal.h"

enum { MAX_FILES = 1024 };

// Tools that touch one file, told by name alone.
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

static peri_str path_of(peri__pack *pack, peri_json input) {
    for (const char *const *key = path_keys; *key; key++) {
        peri_str path = peri_json_str(peri_json_get(input, peri_str_c(*key)), pack->live.arena);
        if (path.len) return path;
    }
    return (peri_str){0};
}

// One call's use of a file.
typedef struct file_use {
    peri_str path;
    bool edits;
    uint64_t seq;
    size_t added, removed; // lines
} file_use;

// The lines of a JSON string as it is written: a line end is a backslash and an n.
static size_t lines_of(peri_json text) {
    if (peri_json_type_of(text) != PERI_JSON_STRING) return 0;
    peri_str raw = peri_json_raw(text);
    size_t lines = 0;
    bool open = false;
    for (size_t i = 0; i < raw.len; i++) {
        bool escape = raw.ptr[i] == '\\' && i + 1 < raw.len;
        if (escape) i++;
        bool end = escape && raw.ptr[i] == 'n';
        lines += end;
        open = !end;
    }
    return lines + open;
}

static peri_json field(peri_json map, const char *name) {
    return peri_json_get(map, peri_str_c(name));
}

// A replacement takes its old lines and gives its new ones; `content` is all new.
static void measure(peri_json input, file_use *use) {
    use->removed += lines_of(field(input, "old_string")) + lines_of(field(input, "oldText"));
    use->added += lines_of(field(input, "new_string")) + lines_of(field(input, "newText")) +
                  lines_of(field(input, "content"));
}

static bool read_use(peri__pack *pack, const peri_item *call, file_use *use) {
    peri_str json = peri__input_json(call);
    if (!json.len || peri_json_parse(&pack->doc, json) < 0) return false;
    peri_json input = peri_json_root(&pack->doc), edits = field(input, "edits");
    use->path = path_of(pack, input);
    if (!use->edits) return use->path.len > 0;
    measure(input, use);
    if (peri_json_type_of(edits) == PERI_JSON_ARRAY) {
        for (peri_json_iter it = peri_json_begin(edits); peri_json_more(&it);) {
            measure(it.value, use);
        }
    }
    return use->path.len > 0;
}

static void set_flag(lua_State *L, const char *name, bool set, bool is_new) {
    if (!set && !is_new) return;
    lua_pushboolean(L, set);
    lua_setfield(L, -2, name);
}

// Adds to a number of the entry on top.
static void add_lines(lua_State *L, const char *name, size_t lines) {
    lua_getfield(L, -1, name);
    double before = lua_tonumber(L, -1);
    lua_pop(L, 1);
    lua_pushnumber(L, before + (double)lines);
    lua_setfield(L, -2, name);
}

// Enters one use of a file; `files` and the table path -> entry stand at `list`, `list + 1`.
static void add_use(lua_State *L, int list, const file_use *use) {
    peri_str path = use->path;
    lua_pushlstring(L, path.ptr, path.len);
    lua_rawget(L, list + 1);
    bool is_new = lua_isnil(L, -1);
    if (is_new) {
        lua_pop(L, 1);
        lua_createtable(L, 0, 6);
        lua_pushlstring(L, path.ptr, path.len);
        lua_setfield(L, -2, "path");
        lua_pushlstring(L, path.ptr, path.len);
        lua_pushvalue(L, -2); // entry path entry
        lua_rawset(L, list + 1);
        lua_pushvalue(L, -1);
        lua_rawseti(L, list, (int)lua_objlen(L, list) + 1);
    }
    set_flag(L, "read", !use->edits, is_new);
    set_flag(L, "edited", use->edits, is_new);
    add_lines(L, "added", use->added);
    add_lines(L, "removed", use->removed);
    lua_pushnumber(L, (lua_Number)use->seq);
    lua_setfield(L, -2, "seq");
    lua_pop(L, 1);
}

// Calls that failed or were refused touched nothing.
void peri__files_push(lua_State *L, const peri__view *view) {
    peri__pack *pack = view->pack;
    lua_newtable(L);
    lua_newtable(L);
    int list = lua_gettop(L) - 1;
    peri__calls_need(L, pack);
    const peri_call *calls = pack->live.calls;
    for (size_t i = 0; i < pack->live.call_count && lua_objlen(L, list) < MAX_FILES; i++) {
        const peri_item *call = calls[i].call, *result = calls[i].result;
        file_use use = {.edits = is_tool(call->name, edit_tools), .seq = call->seq};
        if (!use.edits && !is_tool(call->name, read_tools)) continue;
        if (result && (result->is_error || result->kind == PERI_ITEM_TOOL_DENIED)) continue;
        peri_vm_tick(L, 1 + peri__input_json(call).len / 64);
        if (read_use(pack, call, &use)) add_use(L, list, &use);
    }
    lua_settop(L, list);
}
