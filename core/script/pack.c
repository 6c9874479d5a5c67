// A pack: one sandboxed VM and the only door into it. Everything that may throw, pushing
// arguments included, happens in a body behind that door, inside peri_vm_call(). A VM that
// ended by its budget is replaced before the next call, and each unit is evaluated again when
// it is next needed, so that a rebuild costs one load a step and not a pack's worth. Called by
// the loaders, the runtime and the policy engine.
#include <lauxlib.h>
#include <stdlib.h>

#include "script/script_internal.h"

enum {
    SCRATCH_MAX_BYTES = 1024 * 1024,
    UNIT_ARENA_BYTES = PERI__MAX_SOURCE_BYTES + 256 * 1024,
    CACHE_KEYS = 4, // besides proposals
};

int peri__pack_new(peri_script *script, peri_str name, peri__pack **out) {
    peri__pack *pack = calloc(1, sizeof *pack);
    char *copy = malloc(name.len + 1);
    if (!pack || !copy) {
        free(pack);
        free(copy);
        return PERI_ENOMEM;
    }
    if (name.len) memcpy(copy, name.ptr, name.len);
    copy[name.len] = '\0';
    pack->script = script;
    pack->name = copy;
    peri_json_doc_init(&pack->doc);
    peri_buf_init(&pack->scratch, SCRATCH_MAX_BYTES);
    *out = pack;
    return PERI_OK;
}

void peri__pack_free(peri__pack *pack) {
    if (!pack) return;
    peri_vm_free(pack->vm);
    peri_json_doc_deinit(&pack->doc);
    peri_buf_deinit(&pack->scratch);
    free(pack->name);
    free(pack);
}

// The function every call enters by. Each call has a cache of its own, so that nothing a view
// keeps outlives it.
static int enter(lua_State *L, void *user) {
    peri__pack *pack = user;
    lua_createtable(L, 0, CACHE_KEYS + (int)pack->live.proposal_count);
    lua_rawseti(L, LUA_REGISTRYINDEX, pack->cache_ref);
    pack->body(L, pack, pack->frame);
    return 0;
}

// The two registry slots are made once: writing to them later takes no memory.
static int set_up(lua_State *L, void *user) {
    peri__pack *pack = user;
    lua_newtable(L);
    pack->cache_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_newtable(L);
    pack->loaded_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    peri__views_open(L, pack);
    peri__proposals_open(L, pack);
    return 0;
}

static peri_str find_module(void *user, peri_str name) {
    const peri_script_options *options = &((peri__pack *)user)->script->options;
    return options->find_module ? options->find_module(options->user, name) : (peri_str){0};
}

static void on_print(void *user, peri_str text) {
    const peri__pack *pack = user;
    const peri_script_options *options = &pack->script->options;
    if (options->on_print) options->on_print(options->user, pack->speaker, text);
}

// A VM fit for the next call: the one at hand, or a new one if that is missing, tainted, or has
// had so many calls that a view's value would come again.
static int ready(peri__pack *pack, peri_arena *arena, peri_str *error) {
    bool fresh = pack->call_number < PERI__MAX_CALLS;
    if (pack->vm && fresh && !peri_vm_tainted(pack->vm)) return PERI_OK;
    peri_vm_free(pack->vm);
    pack->vm = NULL;
    peri_vm_options options = {.limits = pack->script->options.limits,
                               .find_module = find_module,
                               .on_print = on_print,
                               .user = pack};
    peri_vm *vm;
    int status = peri_vm_new(&options, &vm);
    if (status < 0) return status;
    status = peri_vm_run(vm, set_up, pack, 0, arena, error);
    if (status < 0) {
        peri_vm_free(vm);
        return status;
    }
    pack->vm = vm;
    pack->vm_number++;
    pack->call_number = 0;
    return PERI_OK;
}

int peri__pack_call(peri__pack *pack, peri__body body, void *frame, const peri__live *live,
                    peri_str *error) {
    pack->call_number++;
    pack->in_call = true;
    pack->body = body;
    pack->frame = frame;
    pack->live = *live;
    int status = peri_vm_run(pack->vm, enter, pack, 0, live->arena, error);
    pack->in_call = false;
    pack->live = (peri__live){0};
    return status;
}

int peri__unit_init(peri__unit *unit, peri__pack *pack, peri_str file, peri_str text,
                    const char *const *function_names) {
    *unit = (peri__unit){.pack = pack, .function_names = function_names};
    for (int i = 0; i < PERI__UNIT_FUNCTIONS; i++) unit->refs[i] = LUA_NOREF;
    peri_arena_init(&unit->arena, UNIT_ARENA_BYTES);
    unit->file = peri_arena_copy(&unit->arena, file);
    unit->text = peri_arena_copy(&unit->arena, text);
    bool whole = (unit->file.ptr || !file.ptr) && (unit->text.ptr || !text.ptr);
    return whole ? PERI_OK : PERI_ENOMEM;
}

void peri__unit_deinit(peri__unit *unit) {
    peri_arena_deinit(&unit->arena);
}

static void release_body(lua_State *L, peri__pack *pack, void *frame) {
    peri__unit *unit = frame;
    for (int i = 0; unit->function_names[i]; i++) {
        luaL_unref(L, LUA_REGISTRYINDEX, unit->refs[i]);
    }
}

void peri__unit_release(peri__unit *unit) {
    peri__pack *pack = unit->pack;
    bool here = unit->vm_number && unit->vm_number == pack->vm_number && pack->vm &&
                !peri_vm_tainted(pack->vm);
    peri_str error;
    // Should it fail, the VM goes on without the room, which its limit holds.
    if (here) {
        (void)!peri__pack_call(pack, release_body, unit, &(peri__live){.arena = &unit->arena},
                               &error);
    }
}

typedef struct load_frame {
    peri__unit *unit;
    peri__body check;
    void *check_frame;
} load_frame;

static void bind_functions(lua_State *L, peri__unit *unit) {
    for (int i = 0; unit->function_names[i]; i++) {
        lua_pushstring(L, unit->function_names[i]);
        lua_rawget(L, 1);
        unit->refs[i] = LUA_NOREF;
        if (lua_isfunction(L, -1)) {
            unit->refs[i] = luaL_ref(L, LUA_REGISTRYINDEX);
        } else {
            lua_pop(L, 1);
        }
    }
}

static void load_body(lua_State *L, peri__pack *pack, void *arg) {
    load_frame *frame = arg;
    lua_rawgeti(L, LUA_REGISTRYINDEX, pack->loaded_ref);
    lua_pushboolean(L, false);
    lua_rawseti(L, LUA_REGISTRYINDEX, pack->loaded_ref);
    if (frame->check) frame->check(L, pack, frame->check_frame);
    if (lua_istable(L, 1)) bind_functions(L, frame->unit);
}

int peri__unit_load(peri__unit *unit, peri__body check, void *frame, peri_arena *arena,
                    peri_str *error) {
    peri__pack *pack = unit->pack;
    int status = ready(pack, arena, error);
    if (status < 0) return status;
    pack->speaker = unit->name.len ? unit->name : unit->file;
    status = peri_vm_load(pack->vm, unit->text, unit->file, arena, error);
    if (status < 0) return status;
    lua_rawseti(peri_vm_lua(pack->vm), LUA_REGISTRYINDEX, pack->loaded_ref);
    load_frame load = {unit, check, frame};
    status = peri__pack_call(pack, load_body, &load, &(peri__live){.arena = arena}, error);
    if (status >= 0) unit->vm_number = pack->vm_number;
    return status;
}

int peri__unit_ready(peri__unit *unit, peri_arena *arena, peri_str *error) {
    int status = ready(unit->pack, arena, error);
    if (status < 0) return status;
    if (unit->vm_number != unit->pack->vm_number) {
        status = peri__unit_load(unit, NULL, NULL, arena, error);
    }
    unit->pack->speaker = unit->name;
    return status;
}
