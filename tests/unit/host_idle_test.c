// When observers wake (spec PI-3, host/read/idle.c): each trigger where its page says, `idle`
// on a clock of the test's own.
#include "host/read/read.h"
#include "hosting.h"

// Says which trigger woke it.
#define ALL_TRIGGERS                                                                           \
    "-- perilune-api: 1\nreturn { name = 'probe', description = 'd', on = {"                   \
    "'before_agent_start', 'tool_execution_end', 'tool_denied', 'turn_end', 'agent_settled',"  \
    "'session_end', 'idle' }, observe = function(turn) return { report = turn.trigger,"        \
    "fingerprint = turn.trigger .. turn.step } end, can = { 'report' } }"

#define USER "{\"session\":\"s\",\"kind\":\"user_message\",\"text\":\"go\"}\n"
#define CALL                                                                                   \
    "{\"session\":\"s\",\"kind\":\"tool_call\",\"name\":\"Bash\",\"call_id\":\"c\","           \
    "\"input\":{\"command\":\"ls\"}}\n"
#define RESULT "{\"session\":\"s\",\"kind\":\"tool_result\",\"call_id\":\"c\",\"text\":\"x\"}\n"
#define DENIED                                                                                 \
    "{\"session\":\"s\",\"kind\":\"tool_denied\",\"call_id\":\"c\",\"reason\":\"no\"}\n"
#define END "{\"session\":\"s\",\"kind\":\"turn_ended\",\"reason\":\"end_turn\"}\n"

// The triggers of the runs so far, in order; then they are forgotten.
static void woke(hosting *h, const char *expected) {
    static const char key[] = "\"trigger\":\"";
    char got[512] = "";
    peri_str all = peri_buf_str(&h->records);
    while (all.len) {
        size_t end = peri_str_find_byte(all, '\n', 0);
        peri_str line = peri_str_sub(all, 0, end);
        all = peri_str_sub(all, end + 1, all.len);
        size_t at = peri_str_find(line, peri_str_c(key));
        if (!peri_str_starts(line, PERI_STR("{\"record\":\"run\"")) || at == PERI_NPOS)
            continue;
        line = peri_str_sub(line, at + sizeof key - 1, line.len);
        line = peri_str_sub(line, 0, peri_str_find_byte(line, '"', 0));
        size_t used = strlen(got);
        snprintf(got + used, sizeof got - used, "%.*s ", PERI_FMT(line));
    }
    CHECK_STR(peri_str_c(got), expected);
    peri_buf_clear(&h->records);
}

IT("PI-3 a Lua observer that lists several triggers is woken at each") {
    hosting h;
    hosting_open(&h, PERI_MODE_REPLAY, ALL_TRIGGERS);
    peri_source *source = hosting_stream(&h, "activity");
    hosting_feed(&h, source, PERI_STR(USER CALL RESULT END USER CALL DENIED END));
    hosting_finish(&h);
    woke(&h, "before_agent_start tool_execution_end turn_end agent_settled "
             "before_agent_start tool_execution_end tool_denied turn_end agent_settled "
             "session_end ");
    hosting_close(&h);
}

// Lets time pass for the host in steps small enough for every look.
static void pass(hosting *h, peri_clock_manual *clock, int64_t time_ms) {
    for (int64_t end_ms = clock->at_wall_ms + time_ms; clock->at_wall_ms < end_ms;) {
        clock->at_wall_ms += 250;
        hosting_settle(h);
    }
}

static void open_idle(hosting *h, peri_clock_manual *clock, const char *observer) {
    hosting_open_files(
        h, PERI_MODE_LIVE,
        &(hosting_files){.observer = observer, .config = "limits: { idle_ms: 4000 }\n"});
    h->host->clock = peri_clock_of(clock);
}

IT("PI-3 idle fires once when nothing was heard of an agent for a while, and again after more") {
    hosting h;
    peri_clock_manual clock = {.at_wall_ms = 1000000};
    open_idle(&h, &clock, ALL_TRIGGERS);
    peri_source *source = hosting_stream(&h, "activity");
    hosting_feed(&h, source, PERI_STR(USER CALL));
    pass(&h, &clock, 3000);
    woke(&h, "before_agent_start ");
    pass(&h, &clock, 3000);
    woke(&h, "idle ");
    pass(&h, &clock, 20000);
    woke(&h, "");
    hosting_feed(&h, source, PERI_STR(RESULT));
    pass(&h, &clock, 6000);
    woke(&h, "tool_execution_end idle ");
    hosting_finish(&h);
    pass(&h, &clock, 10000);
    woke(&h, "turn_end session_end ");
    hosting_close(&h);
}

IT("PI-3 wants no step for idle where nobody listens to it, or in a replay") {
    hosting h;
    peri_clock_manual clock = {.at_wall_ms = 1000000};
    open_idle(
        &h, &clock,
        "-- perilune-api: 1\nreturn { name = 'probe', description = 'd', on = 'turn_end', "
        "observe = function() end }");
    CHECK_EQ(host_idle_timeout_ms(h.host), -1);
    hosting_close(&h);
    hosting_open(&h, PERI_MODE_REPLAY, ALL_TRIGGERS);
    CHECK_EQ(host_idle_timeout_ms(h.host), -1);
    hosting_close(&h);
}

TEST_MAIN
