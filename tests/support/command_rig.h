// What tests of command observers share: a loop with a command runtime on it, an observer that
// is a shell script, a small turn, and one call that runs it to its end.
#ifndef PERI_COMMAND_RIG_H
#define PERI_COMMAND_RIG_H

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "io/command_runtime.h"
#include "test.h"

enum {
    RIG_ITEMS = 4,
    RIG_PATIENCE_MS =
        120 * 1000, // with what comes unless it hangs, however busy the machine is
};

typedef struct rig {
    peri_loop *loop;
    peri_commands *commands;
    peri_runtime runtime;
    peri_str words[4];
    peri_observer observer;
    peri_item items[RIG_ITEMS];
    const peri_item *refs[RIG_ITEMS];
    peri_turn turn;
    peri_run_request request;
    peri_arena arena;       // of results
    peri_run_result result; // of the run that ended last
    size_t done;            // runs that ended
    size_t most_children;
} rig;

static inline int64_t rig_now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static inline rig *rig_new(size_t max_children) {
    rig *r = calloc(1, sizeof *r);
    if (!r) TEST_FAIL("out of memory");
    CHECK_OK(peri_loop_new(&r->loop));
    peri_commands_options options = {
        .loop = r->loop, .exec_path = PERI_EXEC_PATH, .max_children = max_children};
    CHECK_OK(peri_commands_new(&options, &r->commands));
    r->runtime = peri_commands_runtime(r->commands);
    peri_arena_init(&r->arena, 1 << 20);
    for (size_t i = 0; i < RIG_ITEMS; i++) {
        r->items[i] = (peri_item){.kind = i % 2 ? PERI_ITEM_TOOL_RESULT : PERI_ITEM_TOOL_CALL,
                                  .exit_code = PERI_OBS_NO_EXIT,
                                  .seq = i + 1,
                                  .step = 1,
                                  .turn = 1,
                                  .name = PERI_STR("Bash"),
                                  .call_id = i < 2 ? PERI_STR("a") : PERI_STR("b")};
        peri_str text = i % 2 ? PERI_STR("done") : PERI_STR("{\"command\":\"make test\"}");
        r->items[i].text = peri_text_of(text, (peri_text_caps){1000, 0});
        r->refs[i] = &r->items[i];
    }
    r->turn = (peri_turn){.session = PERI_STR("s1"),
                          .agent = PERI_STR("main"),
                          .trigger = PERI_TRIGGER_TURN_END,
                          .step = 1,
                          .turn = 1,
                          .items = r->refs,
                          .item_count = RIG_ITEMS,
                          .log = r->refs,
                          .log_count = RIG_ITEMS};
    r->observer = (peri_observer){.name = PERI_STR("o"),
                                  .runtime = PERI_RUN_COMMAND,
                                  .command = r->words,
                                  .timeout_ms = RIG_PATIENCE_MS};
    r->request = (peri_run_request){
        .observer = &r->observer, .turn = &r->turn, .digest = PERI_STR("what happened")};
    return r;
}

static inline void rig_free(rig *r) {
    peri_commands_free(r->commands);
    peri_loop_free(r->loop);
    peri_arena_deinit(&r->arena);
    free(r);
}

// The observer becomes `sh -c SCRIPT`.
static inline void rig_script(rig *r, const char *script) {
    r->words[0] = PERI_STR("sh");
    r->words[1] = PERI_STR("-c");
    r->words[2] = peri_str_c(script);
    r->observer.command_count = 3;
}

static inline void rig_done(void *user, const peri_run_result *result) {
    rig *r = user;
    r->done++;
    r->result = *result;
    r->result.error = peri_arena_copy(&r->arena, result->error);
    r->result.draft.advise = peri_arena_copy(&r->arena, result->draft.advise);
    r->result.saved_state = peri_arena_copy(&r->arena, result->saved_state);
}

static inline void rig_start(rig *r) {
    r->runtime.start(r->runtime.user, &r->request, &r->arena, rig_done, r);
}

// Steps the loop until `runs` runs have ended.
static inline void rig_wait(rig *r, size_t runs) {
    int64_t start_ms = rig_now_ms();
    while (r->done < runs && rig_now_ms() - start_ms < RIG_PATIENCE_MS) {
        peri_loop_run(r->loop, 50);
        size_t children = peri_commands_children(r->commands);
        if (children > r->most_children) r->most_children = children;
    }
    CHECK_EQ(r->done, runs);
}

// Steps the loop until no child is left.
static inline void rig_wait_for_end(rig *r) {
    int64_t start_ms = rig_now_ms();
    while (peri_commands_children(r->commands) && rig_now_ms() - start_ms < RIG_PATIENCE_MS) {
        peri_loop_run(r->loop, 50);
    }
    CHECK_EQ(peri_commands_children(r->commands), 0);
}

static inline peri_run_result rig_run(rig *r) {
    r->done = 0;
    rig_start(r);
    rig_wait(r, 1);
    return r->result;
}

#endif
