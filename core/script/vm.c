// Life of one sandboxed state and the one way into it. A state is entered with nothing but
// pushes that need no memory, so that even the first throw is inside the protected call;
// LuaJIT's panic, which would end the process, is never reached.
#include "script/vm.h"

#include <lauxlib.h>
#include <luajit.h>
#include <stdio.h>
#include <stdlib.h>

#include "script/sandbox.h"
#include "script/thrown.h"

enum { DEFAULT_INSTRUCTIONS = 10000000, DEFAULT_MEMORY_BYTES = 16 << 20, DEFAULT_WALL_MS = 50 };

// A file is loaded while no agent waits: there the count of instructions alone decides, so that
// a busy machine does not leave an observer out. The wall is a backstop (D17).
static const int64_t LOAD_WALL_NS = INT64_C(10000000000);

lua_State *peri_vm_lua(peri_vm *vm) {
    return vm->L;
}

bool peri_vm_tainted(const peri_vm *vm) {
    return vm->meter.tainted;
}

// The function that peri_vm_run() enters.
static int run_entered(lua_State *L) {
    peri_vm *vm = peri_vm_of(L);
    return vm->run_fn(L, vm->run_user);
}

static int open_state(lua_State *L) {
    peri_vm *vm = peri_vm_of(L);
    peri__sandbox_open(vm);
    lua_pushcfunction(L, peri__thrown_handler);
    vm->handler_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pushcfunction(L, run_entered);
    vm->runner_ref = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pushlightuserdata(L,
                          vm); // LuaJIT sets memory aside for the first of each address range
    lua_gc(L, LUA_GCCOLLECT, 0);
    return 0;
}

static void set_limits(peri__meter *meter, peri_vm_limits limits) {
    uint32_t wall_ms = limits.wall_ms ? limits.wall_ms : DEFAULT_WALL_MS;
    meter->max_steps = limits.instructions ? limits.instructions : DEFAULT_INSTRUCTIONS;
    meter->max_memory_bytes = limits.memory_bytes ? limits.memory_bytes : DEFAULT_MEMORY_BYTES;
    meter->wall_ns = (int64_t)wall_ms * 1000000;
}

int peri_vm_new(const peri_vm_options *options, peri_vm **out) {
    peri_vm *vm = calloc(1, sizeof *vm);
    if (!vm) return PERI_ENOMEM;
    vm->options = *options;
    set_limits(&vm->meter, options->limits);
    peri_buf_init(&vm->thrown, 4096);
    peri_buf_init(&vm->print_buf, 8192);
    peri_json_doc_init(&vm->doc);
    peri_arena_init(&vm->scratch, vm->meter.max_memory_bytes);
    if (peri__pool_init(&vm->meter.pool)) {
        vm->L = vm->meter.L = lua_newstate(peri__meter_alloc, &vm->meter);
    }
    if (!vm->L || lua_cpcall(vm->L, open_state, NULL) != 0) {
        peri_vm_free(vm);
        return PERI_ENOMEM;
    }
    luaJIT_setmode(vm->L, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);
    *out = vm;
    return PERI_OK;
}

void peri_vm_free(peri_vm *vm) {
    if (!vm) return;
    if (vm->L) lua_close(vm->L);
    peri__pool_deinit(&vm->meter.pool);
    peri_buf_deinit(&vm->thrown);
    peri_buf_deinit(&vm->print_buf);
    peri_json_doc_deinit(&vm->doc);
    peri_arena_deinit(&vm->scratch);
    free(vm);
}

// The status of a call that ended with lua_pcall's `lua_status`.
static int status_of(const peri_vm *vm, int lua_status) {
    if (vm->meter.stopped != PERI_OK) return vm->meter.stopped;
    if (lua_status == LUA_ERRMEM) return PERI_ELIMIT;
    return lua_status == 0 ? PERI_OK : vm->thrown_status;
}

// Where the function at `index` begins. Needs no memory, so cannot throw.
static void note_entered(peri_vm *vm, int index) {
    lua_Debug ar;
    vm->entered[0] = '\0';
    if (!lua_isfunction(vm->L, index) || lua_iscfunction(vm->L, index)) return;
    lua_pushvalue(vm->L, index);
    lua_getinfo(vm->L, ">S", &ar);
    snprintf(vm->entered, sizeof vm->entered, "%s:%d", ar.short_src,
             ar.linedefined > 0 ? ar.linedefined : 1); // a whole file is defined at 0
}

int peri_vm_call(peri_vm *vm, int nargs, int nresults, peri_arena *arena, peri_str *error) {
    lua_State *L = vm->L;
    int function = lua_gettop(L) - nargs;
    if (vm->meter.running) return PERI_ESTATE;
    vm->print_count = 0;
    vm->thrown_status = PERI_ESCRIPT;
    peri_buf_clear(&vm->thrown);
    peri__meter_begin(&vm->meter);
    int lua_status = LUA_ERRMEM;
    if (lua_checkstack(L, nresults + LUA_MINSTACK)) {
        note_entered(vm, function);
        lua_rawgeti(L, LUA_REGISTRYINDEX, vm->handler_ref);
        lua_insert(L, function);
        lua_status = lua_pcall(L, nargs, nresults, function);
    }
    peri__meter_end(&vm->meter);
    int status = status_of(vm, lua_status);
    if (status == PERI_OK) {
        lua_remove(L, function); // the handler
        return PERI_OK;
    }
    *error = peri__thrown_text(vm, lua_status, arena);
    lua_settop(L, function - 1);
    return status;
}

int peri_vm_run(peri_vm *vm, peri_vm_fn fn, void *user, int nresults, peri_arena *arena,
                peri_str *error) {
    if (vm->meter.running) return PERI_ESTATE;
    if (!lua_checkstack(vm->L, LUA_MINSTACK)) return PERI_ENOMEM;
    vm->run_fn = fn;
    vm->run_user = user;
    lua_rawgeti(vm->L, LUA_REGISTRYINDEX, vm->runner_ref);
    return peri_vm_call(vm, 0, nresults, arena, error);
}

typedef struct chunk {
    peri_str source, name;
} chunk;

static int load_entered(lua_State *L, void *user) {
    const chunk *c = user;
    lua_newtable(L); // its modules
    lua_pushliteral(L, "@");
    lua_pushlstring(L, c->name.ptr, c->name.len);
    lua_concat(L, 2);
    if (!peri__sandbox_compile(L, c->source, lua_tostring(L, 2), 1)) {
        peri_vm_of(L)->thrown_status = PERI_EPARSE;
        return lua_error(L);
    }
    note_entered(peri_vm_of(L), 3);
    lua_call(L, 0, 1);
    return 1;
}

int peri_vm_load(peri_vm *vm, peri_str source, peri_str chunk_name, peri_arena *arena,
                 peri_str *error) {
    chunk c = {source, chunk_name};
    int64_t wall_ns = vm->meter.wall_ns;
    if (wall_ns < LOAD_WALL_NS) vm->meter.wall_ns = LOAD_WALL_NS;
    int status = peri_vm_run(vm, load_entered, &c, 1, arena, error);
    vm->meter.wall_ns = wall_ns;
    return status;
}
