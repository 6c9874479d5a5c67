// A runaway script in a replay of many sessions: what it may cost ends with the third session.
#include "hosting.h"

// Each search is charged a sixteenth of the text it looks at:
// ten million steps are soon used up.
#define RUNAWAY                                                                                \
    "-- perilune-api: 1\n"                                                                     \
    "return { name = 'probe', description = 'd', on = 'turn_end', observe = function(turn)\n"  \
    "if turn.session == 'good' then return nil end\n"                                          \
    "local s = ('x'):rep(1600000) while true do s:find('y', 1, true) end end }"

// Four steps of a session.
static void session(hosting *h, peri_source *source, const char *name) {
    for (int step = 0; step < 4; step++) {
        char line[512];
        snprintf(
            line, sizeof line,
            "{\"session\":\"%s\",\"kind\":\"tool_call\",\"name\":\"Bash\",\"call_id\":\"c%d\"}\n"
            "{\"session\":\"%s\",\"kind\":\"tool_result\",\"call_id\":\"c%d\",\"text\":\"t\"}\n"
            "{\"session\":\"%s\",\"kind\":\"assistant_text\",\"text\":\"on\"}\n",
            name, step, name, step, name);
        hosting_feed(h, source, peri_str_c(line));
    }
}

static void replay(hosting *h, peri_mode mode, const char *const *names, size_t count) {
    hosting_open(h, mode, RUNAWAY);
    peri_source *source = hosting_stream(h, "activity");
    for (size_t i = 0; i < count; i++) session(h, source, names[i]);
}

IT("PI-6 a session is rid of a runaway script after three runs, a replay after nine") {
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    hosting h;
    replay(&h, PERI_MODE_REPLAY, names, 6);
    CHECK_EQ(hosting_count(&h, "failedRuns"), 9);
    CHECK_EQ(hosting_count(&h, "runs"), 9);
    CHECK_EQ(times(peri_buf_str(&h.records), "\"state\":\"timeout\""), 9);
    CHECK_EQ(times(peri_buf_str(&h.records), "\"state\":\"disabled\""), 6);
    CHECK_EQ(times(peri_buf_str(&h.records), "in 9 runs in a row, over several sessions"), 3);
    hosting_close(&h);
}

IT("PI-6 a run that went well in between gives a replay's other sessions their three runs") {
    static const char *const names[] = {"a", "b", "good", "c", "d"};
    hosting h;
    replay(&h, PERI_MODE_REPLAY, names, 5);
    CHECK_EQ(hosting_count(&h, "failedRuns"), 12);
    CHECK_EQ(times(peri_buf_str(&h.records), "over several sessions"), 0);
    hosting_close(&h);
}

TEST_MAIN
