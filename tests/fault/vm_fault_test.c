// The sandbox when the process itself runs out of memory: the nth allocation fails, whichever
// n, and every entry comes back with a status, leaks nothing, and can be freed.
#include "script/vm.h"

#include "fault.h"
#include "test.h"

// Allocations that may still be made; -1: all of them.
static long allocations_left = -1;

static bool may_allocate(void) {
    if (allocations_left < 0) return true;
    return allocations_left-- > 0;
}

static const char script[] =
    "local t = {} for i = 1, 60 do t['k' .. i] = { i } end "
    "local n = 0 for k in pairs(t) do n = n + #k end "
    "local s = ('abc'):rep(50):gsub('b', function(c) return c:upper() end) "
    "pcall(error, { 1 }) table.sort({ 3, 1, 2 }) print(s) "
    "local c = coroutine.wrap(function() coroutine.yield(1) end) c() "
    "return { text = s, list = { 1, 2, { n } }, ['\\255'] = '\\255' }";

static int push(lua_State *L, void *user) {
    int *status = user;
    *status = peri_vm_push_json(L, PERI_STR("{\"a\\n\":[1,{\"b\":\"c\\td\"}],\"e\":null}"));
    return 0;
}

// One life of a sandbox. The status of the first step that failed.
static int live(peri_arena *arena) {
    peri_vm_options options = {.limits.wall_ms = 5000};
    peri_vm *vm;
    peri_str error = {0};
    peri_buf out;
    int pushed = PERI_OK;
    int status = peri_vm_new(&options, &vm);
    if (status < 0) return status;
    peri_buf_init(&out, 1 << 16);
    status = peri_vm_load(vm, peri_str_c(script), PERI_STR("f.lua"), arena, &error);
    if (status >= 0) status = peri_vm_to_json(vm, -1, 1 << 12, &out, arena, &error);
    if (status >= 0) status = peri_vm_run(vm, push, &pushed, 0, arena, &error);
    peri_buf_deinit(&out);
    peri_vm_free(vm);
    return status < 0 ? status : pushed;
}

IT("D2 survives the failure of every single allocation of a sandbox's life") {
    long failures = 0;
    for (long n = 0;; n++) {
        peri_arena arena;
        peri_arena_init(&arena, 1 << 16);
        allocations_left = n;
        int status = live(&arena);
        bool all_went_through = allocations_left > 0;
        allocations_left = -1;
        peri_arena_deinit(&arena);
        if (status == PERI_OK && all_went_through) break;
        if (status != PERI_ENOMEM && status != PERI_OK) {
            TEST_FAIL("allocation %ld: %s", n, peri_status_name(status));
        }
        failures += status == PERI_ENOMEM;
    }
    CHECK(failures > 300);
}

TEST_MAIN
