// What a batch costs: ten proposals through the chain [default], reconcile alone and from the
// first question to the last ruling, against a bare lua_pcall of an empty function in the same
// VM. Floor of reconcile: 2,000 times.
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "policy/desk.h"
#include "script/embedded.h"
#include "script/script_internal.h"

// Rounds are short: a busy machine leaves some of them alone.
enum { PROPOSALS = 10, ROUNDS = 2000, BATCHES = 20, CALLS = 50000, FLOOR_TIMES = 2000 };

typedef struct stage {
    peri_script *script;
    peri_policy_engine engine;
    peri_policy_health health;
    peri_desk_env env;
    peri_arena arena;
    lua_State *L; // an empty function stands on top
    int (*reconcile)(void *, size_t, peri_str, const peri_policy_facts *, peri_policy_batch *,
                     peri_arena *, peri_str *); // the engine's own
    double reconcile_ns;
    size_t rulings;
} stage;

static peri_str find_module(void *user, peri_str name) {
    (void)user;
    if (!peri_str_eq(name, PERI_STR("perilune.lanes"))) return (peri_str){0};
    return peri_embedded_find(PERI_STR("lua/perilune/lanes.lua"));
}

static void on_ruling(void *user, const peri_proposal *p, const peri_decision *d,
                      bool released) {
    (void)p;
    (void)d;
    (void)released;
    ((stage *)user)->rulings++;
}

static void on_policy_error(void *user, peri_str policy, peri_str error, bool disabled) {
    (void)user;
    (void)policy;
    (void)disabled;
    fprintf(stderr, "policy_bench: %.*s\n", PERI_FMT(error));
    exit(EXIT_FAILURE);
}

static void judge(stage *s) {
    static const char *const texts[PROPOSALS] = {
        "The lock is not released on the error path.",
        "The new test never calls the function it names.",
        "The changelog has no entry for this change.",
        "Two branches of the parser now do the same.",
        "The migration drops a column that still holds data.",
        "No test was run since the last edit of the scanner.",
        "The user asked for no new dependency; one was added.",
        "A secret seems to stand in the committed config.",
        "The same command was run three times in a row.",
        "The readme still describes the old option.",
    };
    peri_proposal all[PROPOSALS];
    const peri_proposal *list[PROPOSALS];
    for (size_t i = 0; i < PROPOSALS; i++) {
        all[i] = (peri_proposal){.id = peri_str_c(texts[i]),
                                 .observer = PERI_STR("bench"),
                                 .severity = (peri_weight)(i % PERI_WEIGHT_COUNT),
                                 .priority = (uint32_t)(10 * i + 1),
                                 .text = peri_str_c(texts[i]),
                                 .fingerprint = peri_str_c(texts[i])};
        list[i] = &all[i];
    }
    peri_veto_book book;
    peri_desk desk;
    peri_veto_book_init(&book, 1);
    peri_desk_init(&desk, (peri_policy_limits){2, 3}, &book, 1);
    peri_desk_decide(&desk, &s->engine, &s->health, &s->env, list, PROPOSALS, &s->arena);
    peri_desk_deinit(&desk);
    peri_veto_book_deinit(&book);
    peri_arena_reset(&s->arena);
}

// The engine's reconcile, timed on its way through the judging.
static int timed(void *user, size_t policy, peri_str session, const peri_policy_facts *facts,
                 peri_policy_batch *batch, peri_arena *arena, peri_str *error) {
    stage *s = user;
    double start = bench_now_ns();
    int status = s->reconcile(s->script, policy, session, facts, batch, arena, error);
    s->reconcile_ns += bench_now_ns() - start;
    return status;
}

static size_t count_one(void *user) {
    (void)user;
    return 1;
}

static peri_str name_of(void *user, size_t policy) {
    (void)user;
    (void)policy;
    return PERI_STR("default");
}

static int deliver(void *user, size_t policy, peri_str session, const peri_policy_facts *facts,
                   const peri_proposal *proposal, peri_decision *decision, peri_arena *arena,
                   peri_str *error) {
    const stage *s = user;
    return peri_script_policies(s->script).deliver(s->script, policy, session, facts, proposal,
                                                   decision, arena, error);
}

static int budget(void *user, size_t policy, peri_str session, const peri_policy_facts *facts,
                  peri_budget *out, peri_arena *arena, peri_str *error) {
    const stage *s = user;
    return peri_script_policies(s->script).budget(s->script, policy, session, facts, out, arena,
                                                  error);
}

static double batch_ns(stage *s) {
    double start = bench_now_ns();
    s->rulings = 0;
    s->reconcile_ns = 0;
    for (size_t i = 0; i < BATCHES; i++) judge(s);
    if (s->rulings != (size_t)BATCHES * PROPOSALS) exit(EXIT_FAILURE);
    return (bench_now_ns() - start) / BATCHES;
}

static double pcall_ns(stage *s) {
    lua_sethook(s->L, NULL, 0, 0); // bare: without the budget that the VM's own calls have
    double start = bench_now_ns();
    for (size_t i = 0; i < CALLS; i++) {
        lua_pushvalue(s->L, -1);
        if (lua_pcall(s->L, 0, 0, 0) != 0) exit(EXIT_FAILURE);
    }
    return (bench_now_ns() - start) / CALLS;
}

static void set_up(stage *s) {
    peri_script_options options = {.find_module = find_module};
    peri_str file = PERI_STR("policies/default.lua"), error;
    if (peri_script_new(&options, &s->script) < 0 ||
        peri_script_add_policy(s->script, PERI_STR("default"), file, peri_embedded_find(file),
                               NULL) < 0)
        exit(EXIT_FAILURE);
    s->reconcile = peri_script_policies(s->script).reconcile;
    s->engine = (peri_policy_engine){.user = s,
                                     .count = count_one,
                                     .name = name_of,
                                     .reconcile = timed,
                                     .budget = budget,
                                     .deliver = deliver};
    s->env = (peri_desk_env){.session = PERI_STR("s"),
                             .phase = PERI_PHASE_RUNNING,
                             .turn = 1,
                             .on_ruling = on_ruling,
                             .on_policy_error = on_policy_error,
                             .user = s};
    peri_arena_init(&s->arena, 1 << 20);
    peri_vm *vm = s->script->policy_pack->vm;
    s->L = peri_vm_lua(vm);
    if (peri_vm_load(vm, PERI_STR("return function() end"), PERI_STR("empty"), &s->arena,
                     &error))
        exit(EXIT_FAILURE);
}

int main(void) {
    stage s = {0};
    double batch[ROUNDS], reconcile[ROUNDS], call[ROUNDS];
    set_up(&s);
    for (size_t round = 0; round < ROUNDS; round++) {
        batch[round] = batch_ns(&s);
        call[round] = pcall_ns(&s);
        reconcile[round] = s.reconcile_ns / BATCHES;
    }
    double reconcile_ns = bench_best(reconcile, ROUNDS), call_ns = bench_best(call, ROUNDS);
    double ratio = reconcile_ns / call_ns;
    printf(
        "%d proposals through [default]: reconcile %.1f us, in all %.1f us; empty lua_pcall: "
        "%.1f ns; reconcile ratio %.0f (floor %d)\n",
        PROPOSALS, reconcile_ns / 1000, bench_best(batch, ROUNDS) / 1000, call_ns, ratio,
        FLOOR_TIMES);
    peri_arena_deinit(&s.arena);
    peri_script_free(s.script);
    return ratio <= FLOOR_TIMES ? EXIT_SUCCESS : EXIT_FAILURE;
}
