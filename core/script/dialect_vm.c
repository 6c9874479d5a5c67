// Running a dialect's Lua: once for its rules, and again for each record that a rule hands to a
// map function. The record goes in as a plain bounded table and observations come out as one,
// so that a function can hold nothing of the stream beyond its call.
#include "script/dialect_vm.h"

#include <lauxlib.h>

enum { RECORD_MAX_BYTES = 256 * 1024, OUT_MAX_BYTES = 256 * 1024, RECORD_STRING_CP = 16000 };

void peri_dialect_vm_init(peri_dialect_vm *of, peri_str file, peri_str source,
                          const peri_vm_options *options) {
    *of = (peri_dialect_vm){.options = *options, .file = file, .source = source};
    peri_buf_init(&of->json, RECORD_MAX_BYTES);
    peri_json_doc_init(&of->doc);
}

static void drop(peri_dialect_vm *of) {
    peri_vm_free(of->vm);
    of->vm = NULL;
}

void peri_dialect_vm_deinit(peri_dialect_vm *of) {
    drop(of);
    peri_buf_deinit(&of->json);
    peri_json_doc_deinit(&of->doc);
}

// Two registry slots, made once: writing to them later takes no memory.
static int reserve(lua_State *L, void *user) {
    peri_dialect_vm *of = user;
    lua_pushboolean(L, false);
    of->loaded_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pushboolean(L, false);
    of->call_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

// What the file returned becomes its data, left on the stack, and its caller of map functions.
static int split(lua_State *L, void *user) {
    peri_dialect_vm *of = user;
    lua_rawgeti(L, LUA_REGISTRYINDEX, of->loaded_ref);
    lua_pushboolean(L, false);
    lua_rawseti(L, LUA_REGISTRYINDEX, of->loaded_ref);
    if (!lua_istable(L, -1)) return luaL_error(L, "a dialect file returns dialect { ... }");
    lua_getfield(L, -1, "call");
    of->has_maps = lua_isfunction(L, -1);
    lua_rawseti(L, LUA_REGISTRYINDEX, of->call_ref);
    lua_getfield(L, -1, "data");
    return 1;
}

// Builds the VM, evaluates the file in it and leaves the dialect's data on its stack.
static int evaluate(peri_dialect_vm *of, peri_arena *arena, peri_str *error) {
    int status = peri_vm_new(&of->options, &of->vm);
    if (status < 0) return status;
    peri_buf source;
    peri_buf_init(&source, PERI_DIALECT_MAX_BYTES);
    peri_buf_add_c(&source,
                   "local dialect=require(\"perilune.dialects\").new "); // same first line
    peri_buf_add(&source, of->source);
    status = source.status;
    if (status == PERI_OK) status = peri_vm_run(of->vm, reserve, of, 0, arena, error);
    if (status == PERI_OK) {
        status = peri_vm_load(of->vm, peri_buf_str(&source), of->file, arena, error);
    }
    if (status == PERI_OK) {
        lua_rawseti(peri_vm_lua(of->vm), LUA_REGISTRYINDEX, of->loaded_ref);
        status = peri_vm_run(of->vm, split, of, 1, arena, error);
    }
    peri_buf_deinit(&source);
    return status;
}

int peri_dialect_vm_read(peri_dialect_vm *of, peri_buf *out, peri_arena *arena,
                         peri_str *error) {
    int status = evaluate(of, arena, error);
    if (status == PERI_OK) {
        status = peri_vm_to_json(of->vm, -1, PERI_DIALECT_MAX_BYTES, out, arena, error);
        lua_settop(peri_vm_lua(of->vm), 0);
    }
    if (status < 0 || !of->has_maps) drop(of);
    return status;
}

// A VM fit for a call: one that ran out of its budget may be half-changed and is built anew.
static int ready(peri_dialect_vm *of, peri_arena *arena, peri_str *error) {
    if (of->vm && !peri_vm_tainted(of->vm)) return PERI_OK;
    drop(of);
    int status = evaluate(of, arena, error);
    if (status == PERI_OK) {
        lua_settop(peri_vm_lua(of->vm), 0);
    } else {
        drop(of);
    }
    return status;
}

typedef struct map_call {
    const peri_dialect_vm *of;
    uint32_t map;
} map_call;

static int call_map(lua_State *L, void *user) {
    const map_call *call = user;
    lua_rawgeti(L, LUA_REGISTRYINDEX, call->of->call_ref);
    lua_pushinteger(L, (lua_Integer)call->map);
    int status = peri_vm_push_json(L, peri_buf_str(&call->of->json));
    if (status < 0) return luaL_error(L, "the record: %s", peri_status_message(status));
    lua_call(L, 2, 1);
    return 1;
}

static int put_in(peri_dialect_vm *of, peri_json record, peri_arena *arena, peri_str *error) {
    peri_buf_clear(&of->json);
    (void)peri_json_compact(record, &of->json, SIZE_MAX, RECORD_STRING_CP);
    if (of->json.status < 0) {
        *error = peri_arena_copy(arena, PERI_STR("the record is too large for a map function"));
    }
    return of->json.status;
}

static int take_out(peri_dialect_vm *of, peri_arena *arena, peri_str *error) {
    peri_buf_clear(&of->json);
    int status = peri_vm_to_json(of->vm, -1, OUT_MAX_BYTES, &of->json, arena, error);
    lua_settop(peri_vm_lua(of->vm), 0);
    return status < 0 ? status : peri_json_parse(&of->doc, peri_buf_str(&of->json));
}

static int run(void *user, uint32_t map, peri_json record, peri_arena *arena,
               peri_map_emit_fn emit, void *emit_user, peri_str *error) {
    peri_dialect_vm *of = user;
    map_call call = {of, map};
    int status = ready(of, arena, error);
    if (status == PERI_OK) status = put_in(of, record, arena, error);
    if (status == PERI_OK) status = peri_vm_run(of->vm, call_map, &call, 1, arena, error);
    if (status == PERI_OK) status = take_out(of, arena, error);
    if (status < 0) return status;
    for (peri_json_iter it = peri_json_begin(peri_json_root(&of->doc)); peri_json_more(&it);) {
        peri_str kind = peri_json_str(peri_json_get(it.value, PERI_STR("kind")), arena);
        emit(emit_user, kind, peri_json_get(it.value, PERI_STR("fields")));
    }
    return PERI_OK;
}

peri_dialect_maps peri_dialect_vm_maps(peri_dialect_vm *of) {
    return of->has_maps ? (peri_dialect_maps){of, run} : (peri_dialect_maps){0};
}
