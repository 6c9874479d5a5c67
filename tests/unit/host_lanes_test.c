// How notes find their way (case C57): they wait for an event whose answer reaches the model,
// what no way leads to goes another, and a lane that nobody has is the user's.
#include "host/types.h"
#include "hosting.h"

static hosting h;

// A note when a call is made or answered that names it: `note-NAME`, once.
static const char noter[] =
    "-- perilune-api: 1\n"
    "return { name = 'probe', description = 'a probe', deliver = 'steer', can = { 'advise' },\n"
    "  on = { 'turn_end', 'tool_execution_end' }, observe = function(turn, ctx)\n"
    "    for _, item in ipairs(turn.items) do\n"
    "      local name = item.input and (item.input.command or ''):match('note%-(%w+)')\n"
    "      if name and not ctx.state[name] then\n"
    "        ctx.state[name] = true\n"
    "        return { advise = 'the note about ' .. name .. ' and its reasons', fingerprint = name }\n"
    "      end\n"
    "    end\n"
    "  end }\n";

#define HOOK(event, more) "{\"session_id\":\"s\",\"hook_event_name\":\"" event "\"" more "}\n"
#define PROMPT(text) HOOK("UserPromptSubmit", ",\"prompt\":\"" text "\"")
#define TOOL(event, tool, id, what)                                                            \
    HOOK(event, ",\"tool_name\":\"" tool "\",\"tool_use_id\":\"" id                            \
                "\",\"tool_input\":{\"command\":\"" what "\"},\"tool_response\":\"fine\"")
#define PRE(tool, id, what) TOOL("PreToolUse", tool, id, what)
#define POST(tool, id, what) TOOL("PostToolUse", tool, id, what)
#define CALL(tool, id, what) PRE(tool, id, what) POST(tool, id, what)
#define STOP HOOK("Stop", ",\"last_assistant_message\":\"done\"")

// A config that says of claude-hooks what the case's input does.
static void open_by_case(const char *observer, const char *more) {
    static char config[8192];
    peri_str text = peri_test_read(PERI_TESTS_DIR "/golden/cases/C57.channels.json");
    peri_json_doc doc;
    peri_json_doc_init(&doc);
    CHECK_OK(peri_json_parse(&doc, text));
    peri_str events = peri_json_raw(peri_json_get(peri_json_root(&doc), PERI_STR("events")));
    CHECK(events.len > 0);
    snprintf(config, sizeof config, "channels: { claude-hooks: %.*s }\n%s", PERI_FMT(events),
             more);
    peri_json_doc_deinit(&doc);
    free((char *)text.ptr);
    hosting_files files = {.observer = observer, .config = config};
    hosting_open_files(&h, PERI_MODE_LIVE, &files);
}

static size_t told(const char *part) {
    return times(peri_buf_str(&h.records), part);
}

static size_t handed_by(const char *way) {
    char part[128];
    snprintf(part, sizeof part, "\"name\":\"%s\"", way);
    return told(part);
}

static void feed(peri_source *source, const char *lines) {
    hosting_feed(&h, source, peri_str_c(lines));
}

IT("C57 a report due at PreToolUse of a Bash call waits for an event whose channel works") {
    open_by_case(noter, "");
    peri_source *source = hosting_stream(&h, "claude-hooks");
    feed(source, PROMPT("go") PRE("Bash", "a", "note-first"));
    feed(source, POST("Bash", "a", "note-first"));
    CHECK_EQ(handed_by("PostToolUse.additionalContext"), 1);
    hosting_close(&h);
    open_by_case(noter, "");
    source = hosting_stream(&h, "claude-hooks");
    h.sink_answer = PERI_EAGAIN; // busy while it was due
    feed(source, PROMPT("go") CALL("Bash", "a", "note-first"));
    h.sink_answer = PERI_OK;
    feed(source, PRE("Bash", "b", "ls"));
    CHECK_EQ(told("\"state\":\"queued\""), 1);
    CHECK_EQ(told("\"state\":\"handed\""), 0); // PreToolUse is ignored
    feed(source, POST("Bash", "b", "ls"));
    CHECK_EQ(handed_by("PostToolUse.additionalContext"), 1);
    CHECK_EQ(h.gap, false);
    hosting_close(&h);
}

IT("C57 a report due after an Agent call goes with the next event, not with the dropped one") {
    open_by_case(noter, "");
    peri_source *source = hosting_stream(&h, "claude-hooks");
    feed(source, PROMPT("go") CALL("Agent", "a", "note-child"));
    CHECK_EQ(told("\"state\":\"queued\""), 1);
    CHECK_EQ(told("\"state\":\"handed\""), 0);
    feed(source, CALL("Bash", "b", "ls"));
    CHECK_EQ(handed_by("PostToolUse.additionalContext"), 1);
    hosting_close(&h);
    open_by_case(noter, "");
    source = hosting_stream(&h, "claude-hooks");
    feed(source, PROMPT("go") CALL("Agent", "a", "note-child"));
    feed(source, HOOK("PostToolBatch", ",\"tool_calls\":[]"));
    CHECK_EQ(handed_by("PostToolBatch.additionalContext"),
             1); // where the client has that event
    hosting_close(&h);
}

IT("C57 with no event left in the turn it goes with the next prompt") {
    open_by_case(noter, "");
    peri_source *source = hosting_stream(&h, "claude-hooks");
    feed(source, PROMPT("go") CALL("Agent", "a", "note-child") STOP);
    CHECK_EQ(told("\"state\":\"handed\""), 0);
    feed(source, PROMPT("on"));
    CHECK_EQ(handed_by("UserPromptSubmit.additionalContext"), 1);
    hosting_close(&h);
}

IT("C57 many lines read at once pass no event by") {
    open_by_case(noter, "");
    peri_source *source = hosting_stream(&h, "claude-hooks");
    feed(source, PROMPT("go") CALL("Agent", "a", "note-child") HOOK("Notification", "")
                     POST("Agent", "x", "") HOOK("Notification", "") PRE("Bash", "c", "ls")
                         POST("Bash", "c", "ls") STOP);
    CHECK_EQ(handed_by("PostToolUse.additionalContext"), 1);
    hosting_close(&h);
}

IT("PE-7 what waits in vain for an event expires, with its reason") {
    open_by_case(noter, "");
    peri_source *source = hosting_stream(&h, "claude-hooks");
    h.sink_answer = PERI_EAGAIN;
    feed(source, PROMPT("go") CALL("Agent", "a", "note-child") STOP PROMPT("2") STOP PROMPT("3")
                     STOP PROMPT("4") STOP);
    CHECK_EQ(told("\"state\":\"expired\",\"lane\":\"steer\""), 1);
    CHECK_HAS(peri_buf_str(&h.records), "it waited too long");
    hosting_close(&h);
}

#define SAID(more) "{\"type\":\"item.completed\",\"item\":{" more "}}\n"
#define EXEC(id, what)                                                                         \
    "{\"type\":\"item.started\",\"item\":{\"id\":\"" id                                        \
    "\",\"type\":\"command_execution\",\"command\":\"" what                                    \
    "\",\"status\":\"in_progress\"}}\n" SAID(                                                  \
        "\"id\":\"" id "\",\"type\":\"command_execution\",\"command\":\"" what                 \
        "\",\"aggregated_output\":\"fine\",\"exit_code\":0,\"status\":\"completed\"")
#define THREAD                                                                                 \
    "{\"type\":\"thread.started\",\"thread_id\":\"s\"}\n{\"type\":\"turn.started\"}\n"

static const char vetoer[] =
    "-- perilune-api: 1\n"
    "return { name = 'probe', description = 'a probe', can = { 'veto', 'advise' }, on = 'turn_end',\n"
    "  deliver = 'steer', observe = function(turn, ctx)\n"
    "    ctx.state.n = (ctx.state.n or 0) + 1\n"
    "    if ctx.state.n % 2 == 0 then\n"
    "      return { veto = 'the tests never ran at all', fingerprint = 'v' } end\n"
    "    return { advise = 'look at case ' .. ctx.state.n .. ' once more', fingerprint = 'a' .. ctx.state.n }\n"
    "  end }\n";

IT("PE-7 a lane the agent lacks falls back along the published order, and the reason says so") {
    hosting_open(&h, PERI_MODE_LIVE, vetoer);
    peri_source *source = hosting_stream(&h, "codex-exec");
    feed(source, THREAD EXEC("1", "ls")
                     SAID("\"id\":\"2\",\"type\":\"agent_message\",\"text\":\"so\""));
    feed(source,
         EXEC("3", "ls") SAID("\"id\":\"4\",\"type\":\"agent_message\",\"text\":\"so\""));
    feed(source, EXEC("5", "ls") "{\"type\":\"turn.completed\",\"usage\":{}}\n");
    CHECK(
        told(
            "\"lane\":\"prompt\",\"reason\":\"within the window's budget; no way leads to it by "
            "lane steer\",\"policy\":\"core\"") >= 1);
    CHECK_EQ(told("\"lane\":\"hold\""),
             told("\"record\":\"proposal\"") - told("\"state\":\"advisory\""));
    CHECK_EQ(
        told(
            "\"lane\":\"user\",\"reason\":\"cannot be held, so to the user; no way leads to it by "
            "lane hold\""),
        1); // once for a finding
    CHECK(handed_by("*.prompt") >= 1);
    hosting_close(&h);
}

IT("PE-7 a replay shows the lane that exists") {
    hosting_open(&h, PERI_MODE_REPLAY, vetoer);
    peri_source *source = hosting_stream(&h, "codex-exec");
    feed(source,
         THREAD EXEC("1", "ls") SAID("\"id\":\"2\",\"type\":\"agent_message\",\"text\":\"so\"")
             EXEC("3", "ls"));
    CHECK_EQ(told("\"state\":\"would-deliver\",\"lane\":\"prompt\""), 1);
    CHECK_EQ(told("\"state\":\"would-deliver\",\"lane\":\"steer\""), 0);
    hosting_close(&h);
}

IT("PE-7 where no dialect states lanes, the one who takes deliveries finds the way at once") {
    hosting_open(&h, PERI_MODE_LIVE, vetoer);
    peri_source *source = hosting_stream(&h, "activity");
    feed(source, "{\"session\":\"s\",\"kind\":\"user_message\",\"text\":\"go\"}\n"
                 "{\"session\":\"s\",\"kind\":\"assistant_text\",\"text\":\"so\"}\n"
                 "{\"session\":\"s\",\"kind\":\"turn_ended\",\"reason\":\"end_turn\"}\n");
    CHECK_EQ(told("\"state\":\"handed\",\"lane\":\"prompt\""), 1); // it has settled
    CHECK_EQ(told("no way leads"), 0);
    hosting_close(&h);
}

static const char stopper[] =
    "-- perilune-api: 1\n"
    "return { name = 'probe', description = 'a probe', can = { 'veto' }, on = 'turn_end',\n"
    "  observe = function(turn)\n"
    "    return { veto = 'the tests never ran at all', fingerprint = 'v' .. turn.turn } end }\n";

IT("PE-7 a veto holds the Stop it was made at, and no later one") {
    hosting_open(&h, PERI_MODE_LIVE, stopper);
    peri_source *source = hosting_stream(&h, "claude-hooks");
    feed(source, PROMPT("go") CALL("Bash", "a", "ls") STOP);
    CHECK_EQ(handed_by("Stop.decision"), 1);
    hosting_close(&h);
    hosting_open(&h, PERI_MODE_LIVE, stopper);
    source = hosting_stream(&h, "claude-hooks");
    feed(source, PROMPT("go") CALL("Bash", "a", "ls") CALL("Bash", "b", "ls"));
    CHECK_EQ(told("\"state\":\"queued\",\"lane\":\"hold\""), 1); // a step's end, no stop yet
    CHECK_EQ(told("\"state\":\"handed\""), 0);
    feed(source, HOOK("StopFailure", ",\"error\":\"overloaded\"") PROMPT("on"));
    CHECK_EQ(told("\"state\":\"expired\",\"lane\":\"hold\""), 1);
    feed(source, CALL("Bash", "c", "ls") STOP);
    CHECK_EQ(handed_by("Stop.decision"), 1); // the new turn's own
    hosting_close(&h);
}

IT("PE-7 a subagent is reached by its own events, never by a command of its client") {
    hosting_open(&h, PERI_MODE_LIVE, noter);
    peri_source *source = hosting_stream(&h, "claude-stream");
    feed(
        source,
        "{\"type\":\"assistant\",\"session_id\":\"s\",\"uuid\":\"1\",\"agent_id\":\"kid\",\"message\":"
        "{\"id\":\"m\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"Bash\",\"input\":"
        "{\"command\":\"note-kid\"}}]}}\n"
        "{\"type\":\"user\",\"session_id\":\"s\",\"uuid\":\"2\",\"agent_id\":\"kid\",\"message\":"
        "{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":\"ok\"}]}}\n");
    CHECK_EQ(
        told("\"lane\":\"user\",\"reason\":\"no agent is disturbed; no way leads to it by lane "
             "steer\""),
        1);
    hosting_close(&h);
}

IT("PE-7 a config that speaks of what no dialect has is told where, and the host goes on") {
    hosting_files files = {.observer = noter,
                           .config = "channels:\n  claude-hoks: { Stop: { decision: ok } }\n"
                                     "  claude-hooks:\n    Stop: { stdout: ok }\n"};
    hosting_open_files(&h, PERI_MODE_LIVE, &files);
    hosting_settle(&h);
    CHECK_HAS(peri_buf_str(&h.log), "config.yaml:2:");
    CHECK_HAS(peri_buf_str(&h.log), "did you mean 'claude-hooks'?");
    CHECK_HAS(peri_buf_str(&h.log), "config.yaml:4:");
    CHECK_HAS(peri_buf_str(&h.log), "no lane of claude-hooks goes by Stop.stdout");
    hosting_close(&h);
}

TEST_MAIN
