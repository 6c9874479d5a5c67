// Command observers when memory runs out: the nth allocation fails, whichever n. Every run ends
// exactly once, the runtime goes on, and nothing is leaked.
#include "command_rig.h"
#include "fault.h"

// Allocations that may still be made; -1: all of them.
static long allocations_left = -1;
static long allocations_made;

static bool may_allocate(void) {
    allocations_made++;
    if (allocations_left < 0) return true;
    return allocations_left-- > 0;
}

static rig *talking_rig(void) {
    rig *r = rig_new(2);
    rig_script(r, "read -r line; echo \"{\\\"advise\\\":\\\"hello\\\",\\\"state\\\":{}}\"");
    return r;
}

IT("ends a run once, whichever allocation fails on its way, and runs the next") {
    rig *r = talking_rig();
    rig_run(r);
    allocations_made = 0;
    CHECK_EQ(rig_run(r).state, PERI_RUN_PROPOSED);
    long most = allocations_made + 4;
    size_t failed = 0;
    for (long n = 0; n < most; n++) {
        allocations_left = n;
        peri_run_result result = rig_run(r);
        allocations_left = -1;
        failed += result.state == PERI_RUN_FAILED;
        if (result.state == PERI_RUN_FAILED) CHECK(!result.draft.advise.ptr);
        CHECK_EQ(rig_run(r).state, PERI_RUN_PROPOSED);
    }
    CHECK(failed > 0);
    rig_free(r);
}

IT("makes a runtime or none") {
    peri_commands *commands;
    peri_loop *loop;
    CHECK_OK(peri_loop_new(&loop));
    peri_commands_options options = {.loop = loop, .exec_path = PERI_EXEC_PATH};
    for (long n = 0; n < 4; n++) {
        allocations_left = n;
        int status = peri_commands_new(&options, &commands);
        allocations_left = -1;
        CHECK(status == PERI_OK || status == PERI_ENOMEM);
        if (status == PERI_OK) peri_commands_free(commands);
    }
    peri_loop_free(loop);
}

TEST_MAIN
