// What one Lua observer costs: a whole run on a turn of 20 items against a bare lua_pcall of an
// empty function in the same VM. Floor: 500 times; goal: 300 times.
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "script/script_internal.h"

enum {
    ITEMS = 20,
    ROUNDS = 200, // short ones: a busy machine leaves some of them alone
    RUNS = 200,
    CALLS = 50000,
    FLOOR_TIMES = 500,
    GOAL_TIMES = 300
};

static const char source[] =
    "-- perilune-api: 1\n"
    "return { name = 'bench', description = 'Counts failed calls.', on = 'turn_end',\n"
    "  observe = function(turn, ctx)\n"
    "    local failed = 0\n"
    "    for _, item in ipairs(turn.items) do\n"
    "      if item.kind == 'tool_result' and item.is_error then failed = failed + 1 end\n"
    "    end\n"
    "    if failed > 100 then return { advise = 'too many failures' } end\n"
    "  end }\n";

typedef struct stage {
    peri_run_request request;
    peri_arena arena;
    lua_State *L; // an empty function stands on top
} stage;

static double observer_ns(stage *s) {
    double start = bench_now_ns();
    for (size_t i = 0; i < RUNS; i++) {
        peri_run_result result;
        peri_script_run(&s->request, &s->arena, &result);
        if (result.state != PERI_RUN_SILENT) exit(EXIT_FAILURE);
        peri_arena_reset(&s->arena);
    }
    return (bench_now_ns() - start) / RUNS;
}

// The VM's own door is passed by on purpose: this is the yardstick.
static double pcall_ns(stage *s) {
    lua_sethook(s->L, NULL, 0, 0); // bare: without the budget that the VM's own calls have
    double start = bench_now_ns();
    for (size_t i = 0; i < CALLS; i++) {
        lua_pushvalue(s->L, -1);
        if (lua_pcall(s->L, 0, 0, 0) != 0) exit(EXIT_FAILURE);
    }
    return (bench_now_ns() - start) / CALLS;
}

static void push_empty(stage *s, peri_vm *vm) {
    peri_str error;
    s->L = peri_vm_lua(vm);
    if (peri_vm_load(vm, PERI_STR("return function() end"), PERI_STR("empty"), &s->arena,
                     &error))
        exit(EXIT_FAILURE);
}

static double measure(stage *s) {
    double run[ROUNDS], call[ROUNDS];
    for (size_t round = 0; round < ROUNDS; round++) {
        run[round] = observer_ns(s);
        call[round] = pcall_ns(s);
    }
    double run_ns = bench_best(run, ROUNDS), call_ns = bench_best(call, ROUNDS);
    double ratio = run_ns / call_ns;
    printf("observer on %d items: %.1f us; empty lua_pcall: %.1f ns; ratio %.0f"
           " (floor %d, goal %d)\n",
           ITEMS, run_ns / 1000, call_ns, ratio, FLOOR_TIMES, GOAL_TIMES);
    return ratio;
}

int main(void) {
    peri_item items[ITEMS] = {{0}};
    const peri_item *refs[ITEMS];
    for (size_t i = 0; i < ITEMS; i++) {
        items[i].kind = i % 2 ? PERI_ITEM_TOOL_RESULT : PERI_ITEM_TOOL_CALL;
        items[i].is_error = i % 4 == 3;
        items[i].exit_code = PERI_OBS_NO_EXIT;
        items[i].seq = i + 1;
        refs[i] = &items[i];
    }
    peri_turn turn = {.items = refs, .item_count = ITEMS, .log = refs, .log_count = ITEMS};
    peri_script *script;
    stage s = {.request.turn = &turn};
    if (peri_script_new(NULL, &script) < 0) return EXIT_FAILURE;
    if (peri_script_add_observer(script, PERI_STR("bench"), PERI_STR("builtin"),
                                 PERI_STR("bench.lua"), peri_str_c(source), NULL, NULL,
                                 &s.request.observer) < 0)
        return EXIT_FAILURE;
    peri_arena_init(&s.arena, 1 << 20);
    push_empty(&s, script->packs[0]->vm);
    double ratio = measure(&s);
    peri_arena_deinit(&s.arena);
    peri_script_free(script);
    return ratio <= FLOOR_TIMES ? EXIT_SUCCESS : EXIT_FAILURE;
}
