// Does a text tell the outcome of a call that was never made (case C21)?
#include "runtime/runtime.h"

#include "test.h"

static peri_item items[16];
static const peri_item *log_of[16];
static size_t count;

static void push(peri_item item) {
    items[count] = item;
    log_of[count] = &items[count];
    count++;
}

static void call(const char *id, const char *input) {
    push((peri_item){.kind = PERI_ITEM_TOOL_CALL,
                     .call_id = peri_str_c(id),
                     .text = {.head = peri_str_c(input)}});
}

static void result(const char *id, const char *text) {
    push((peri_item){.kind = PERI_ITEM_TOOL_RESULT,
                     .call_id = peri_str_c(id),
                     .text = {.head = peri_str_c(text)}});
}

// Only `k7` is remembered beyond the log.
static bool is_known(void *user, peri_str call_id) {
    (void)user;
    return peri_str_eq(call_id, PERI_STR("k7"));
}

static peri_str invented(const char *text) {
    return peri_invented_call(peri_str_c(text), log_of, count, is_known, NULL);
}

// The log of the case: `p` still runs, others have ended.
static void watch(void) {
    count = 0;
    call("p", "{\"command\":\"make all\"}");
    call("k18", "{\"command\":\"python3 -m pytest tests/k8_test.py\"}");
    result("k18", "exit_code 0");
    call("toolu_01Ab", "{}");
    result("toolu_01Ab", "ok");
    call("k19", "{\"command\":\"make\"}");
    push((peri_item){.kind = PERI_ITEM_TOOL_DENIED, .call_id = PERI_STR("k19")});
    push((peri_item){.kind = PERI_ITEM_ASSISTANT_TEXT,
                     .text = {.head = PERI_STR("Call k33 gave exit code 0."),
                              .cut = true,
                              .tail = PERI_STR("and so did k34")}});
}

IT("C21 finds the exit code of a call that is not in the digest") {
    watch();
    CHECK_STR(invented("k21: exit code 0, build successful"), "k21");
    CHECK_STR(invented("Call k20 exited with code 1."), "k20");
    CHECK_STR(invented("All is well so far. Then call_id=77 returned exit status 0."), "77");
    CHECK_STR(invented("toolu_02Zz gave exit_code: 0"), "toolu_02Zz");
    CHECK_STR(invented("tool_use_id \"x9\" finished, Exit Code 127"), "x9");
}

IT("C21 finds the test result of a call that is not in the digest") {
    watch();
    CHECK_STR(invented("The tests of k22 passed"), "k22");
    CHECK_STR(invented("`toolu_9f`: 3 tests FAILED"), "toolu_9f");
}

IT("C21 finds the exit code of a call that still runs") {
    watch();
    CHECK_STR(invented("p: exit code 0"), "p");
    CHECK_STR(invented("The build p exited with 0, go on"), "p");
    CHECK(!invented("p still runs, its exit code is unknown").ptr);
    CHECK(!invented("k18: exit code 0 came while p runs").ptr);
}

IT("C21 leaves honest advice alone") {
    static const char *const honest[] = {
        "k18 ended with exit code 0, but no test ran",       // in the digest
        "k19 was refused, so it never exited with code 0",   // refused: it has ended
        "k7: exit code 2 was never looked at",               // from an earlier digest
        "You say that k33 and k34 exited with code 0: none", // the agent's own word
        "python3 exited with code 1; read its error",        // named in a command
        "call 3 exited with code 1 like calls 1 and 2",      // counted
        "step2 failed, node18 exited with code 1",           // no form of an id here
        "k8_test.py passed, k9_test.py failed",              // files
        "you call utf8_decode, which fails on a lone byte",  // a function
        "do not call sha256: the build fails without it",
        "the k21 connector is not wired",              // no outcome
        "k21 is new. The last run exited with code 1", // another sentence
        "The tests passed, but with exit code 0 only by luck",
        "",
    };
    watch();
    for (size_t i = 0; i < sizeof honest / sizeof honest[0]; i++) {
        peri_str found = invented(honest[i]);
        if (found.ptr) printf("  '%.*s' in: %s\n", PERI_FMT(found), honest[i]);
        CHECK(!found.ptr);
    }
}

IT("finds nothing where nothing is known, and no word too long to be an id") {
    char text[256];
    count = 0;
    CHECK_STR(invented("call k1 exited with 0"), "k1");
    CHECK(!invented("k1 exited with 0").ptr);
    memset(text, '7', sizeof text);
    memcpy(text, "call_id=", 8);
    memcpy(text + 200, " failed", 8);
    CHECK(!invented(text).ptr);
}

TEST_MAIN
