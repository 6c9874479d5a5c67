// When a subagent of a hook stream has ended: its stop may be held, so what shows it is that
// the main agent goes on before it does. One that goes on all the same is observed again.
#include "host/types.h"
#include "hosting.h"

static hosting h;

static const char watcher[] =
    "-- perilune-api: 1\n"
    "return { name = 'probe', description = 'a probe', on = { 'turn_end', 'session_end' },\n"
    "  can = { 'advise' }, observe = function(turn) print(turn.agent .. ' ' .. turn.trigger .. ' '\n"
    "    .. #turn.items) end }\n";

#define HOOK(event, more) "{\"session_id\":\"s\",\"hook_event_name\":\"" event "\"" more "}\n"
#define KID ",\"agent_id\":\"kid\",\"agent_type\":\"worker\""
#define TOOL(event, id, more)                                                                  \
    HOOK(event, more ",\"tool_name\":\"Bash\",\"tool_use_id\":\"" id                           \
                     "\",\"tool_input\":{\"command\":\"ls\"},\"tool_response\":\"fine\"")
#define CALL(id, more) TOOL("PreToolUse", id, more) TOOL("PostToolUse", id, more)
#define SPAWN                                                                                  \
    HOOK("UserPromptSubmit", ",\"prompt\":\"go\"")                                             \
    HOOK("PreToolUse", ",\"tool_name\":\"Agent\",\"tool_use_id\":\"t\",\"tool_input\":"        \
                       "{\"subagent_type\":\"worker\"}")                                       \
    HOOK("SubagentStart", KID)
#define SUB_STOP(active)                                                                       \
    HOOK("SubagentStop",                                                                       \
         KID ",\"stop_hook_active\":" active ",\"last_assistant_message\":\"done\"")
#define ANSWERED                                                                               \
    HOOK("PostToolUse", ",\"tool_name\":\"Agent\",\"tool_use_id\":\"t\",\"tool_input\":{},"    \
                        "\"tool_response\":\"done\"")

static size_t told(const char *part) {
    return times(peri_buf_str(&h.records), part);
}

static size_t moved(const char *key, const char *state, const char *cause) {
    size_t count = 0;
    for (peri_str all = peri_buf_str(&h.records); all.len;) {
        size_t end = peri_str_find_byte(all, '\n', 0);
        peri_str line = peri_str_sub(all, 0, end);
        char agent[64];
        snprintf(agent, sizeof agent, "\"agent\":\"%s\"", key);
        count += peri_str_starts(line, PERI_STR("{\"record\":\"pairing\"")) &&
                 times(line, agent) && times(line, state) && times(line, cause);
        all = peri_str_sub(all, end + 1, all.len);
    }
    return count;
}

static void feed(peri_source *source, const char *lines) {
    hosting_feed(&h, source, peri_str_c(lines));
}

IT("CC-5 a subagent that stopped has ended when the main agent goes on") {
    hosting_open(&h, PERI_MODE_LIVE, watcher);
    peri_source *source = hosting_stream(&h, "claude-hooks");
    feed(source, SPAWN CALL("a", KID) SUB_STOP("false"));
    CHECK_EQ(moved("kid", "armed", "\"state\":\"armed\""), 1);
    CHECK_EQ(told("agent_observer_stop"), 0); // it may be held yet
    feed(source, ANSWERED);
    CHECK_EQ(moved("kid", "retired", "agent_observer_stop"), 1);
    CHECK_HAS(peri_buf_str(&h.log), "kid session_end");
    feed(source, CALL("b", "") HOOK("Stop", "") HOOK("SessionEnd", ""));
    CHECK_EQ(told("agent_observer_stop"), 1); // the main one may be resumed
    hosting_close(&h);
}

IT("CC-5 a subagent whose stop is held goes on, whoever held it") {
    hosting_open(&h, PERI_MODE_LIVE, watcher);
    peri_source *source = hosting_stream(&h, "claude-hooks");
    feed(source, SPAWN CALL("a", KID) SUB_STOP("false") CALL("b", KID));
    feed(source, CALL("c", "")); // it runs in the background
    CHECK_EQ(told("agent_observer_stop"), 0);
    feed(source, SUB_STOP("true") CALL("d", ""));
    CHECK_EQ(moved("kid", "retired", "agent_observer_stop"), 1);
    hosting_close(&h);
}

IT("CC-5 one that goes on after it was taken for ended is resumed and observed as before") {
    hosting_open(&h, PERI_MODE_LIVE, watcher);
    peri_source *source = hosting_stream(&h, "claude-hooks");
    feed(source, SPAWN CALL("a", KID) SUB_STOP("false") CALL("b", ""));
    CHECK_EQ(moved("kid", "retired", "agent_observer_stop"), 1);
    feed(source, HOOK("SubagentStart", KID) CALL("c", KID) SUB_STOP("true"));
    CHECK_EQ(moved("kid", "armed", "resumed"), 1);
    peri_str log = peri_buf_str(&h.log);
    CHECK_EQ(times(log, "kid turn_end 2"), 2); // call and result: none of the old
    feed(source, CALL("d", ""));
    CHECK_EQ(moved("kid", "retired", "agent_observer_stop"), 2);
    CHECK_EQ(told("refused-transition"), 0);
    hosting_close(&h);
}

// Where `part` stands behind `from` in the log; fails the test if it does not.
static size_t heard(const char *part, size_t from) {
    peri_str log = peri_buf_str(&h.log);
    size_t at = peri_str_find(peri_str_sub(log, from, log.len), peri_str_c(part));
    CHECK(at != PERI_NPOS);
    return at == PERI_NPOS ? from : from + at;
}

IT("CC-5 what is open at the session's end ends first, a subagent's before the main agent's") {
    hosting_open(&h, PERI_MODE_LIVE, watcher);
    peri_source *source = hosting_stream(&h, "claude-hooks");
    feed(source, SPAWN CALL("a", KID) CALL("b", "") HOOK("SessionEnd", ""));
    size_t at = heard("kid turn_end 2", 0);
    at = heard("kid session_end", at);
    heard("main session_end", at);
    heard("main session_end", heard("main turn_end", 0));
    CHECK_EQ(told("agent_observer_stop"), 0); // all may be resumed
    feed(source, CALL("c", KID) HOOK("SessionEnd", ""));
    CHECK_EQ(times(peri_buf_str(&h.log), "kid turn_end 2"), 2);
    CHECK_EQ(times(peri_buf_str(&h.log), "kid session_end"), 2);
    CHECK_EQ(times(peri_buf_str(&h.log), "main session_end"), 1); // nothing new of it
    hosting_close(&h);
}

static const char holder[] =
    "-- perilune-api: 1\n"
    "return { name = 'probe', description = 'a probe', on = 'turn_end', can = { 'veto' },\n"
    "  agents = { 'worker' }, observe = function(turn)\n"
    "    if turn.ending then return { veto = 'the tests never ran at all', fingerprint = 'v' } end\n"
    "  end }\n";

IT("CC-5 one that a veto of ours holds has not ended, whatever the main agent does meanwhile") {
    hosting_open(&h, PERI_MODE_LIVE, holder);
    peri_source *source = hosting_stream(&h, "claude-hooks");
    feed(source, SPAWN CALL("a", KID) SUB_STOP("false"));
    CHECK_EQ(told("\"name\":\"SubagentStop.decision\""), 1);
    feed(source, CALL("b", ""));
    CHECK_EQ(told("agent_observer_stop"), 0);
    feed(source, CALL("c", KID) SUB_STOP("true") CALL("d", ""));
    CHECK_EQ(moved("kid", "retired", "agent_observer_stop"), 1);
    hosting_close(&h);
}

IT("CC-5 the client's own log: the worker ends at its task notification, before the session") {
    hosting_open(&h, PERI_MODE_LIVE, watcher);
    peri_source *source = hosting_stream(&h, "claude-hooks");
    peri_str text = peri_test_read(
        PERI_TESTS_DIR "/golden/captures/claude-code-2.1.215/agent_215/hooks.jsonl");
    peri_str rest = text;
    size_t at = peri_str_find(text, PERI_STR("<task-notification>"));
    CHECK(at != PERI_NPOS);
    while (text.ptr[at] != '\n') at--;
    hosting_feed(&h, source, peri_str_sub(rest, 0, at + 1));
    CHECK_EQ(moved("a7cce3095b68419ee", "armed", "\"state\":\"armed\""), 1);
    CHECK_EQ(told("agent_observer_stop"), 0);
    hosting_feed(&h, source, peri_str_sub(rest, at + 1, rest.len));
    CHECK_EQ(moved("a7cce3095b68419ee", "retired", "agent_observer_stop"), 1);
    free((char *)text.ptr);
    hosting_close(&h);
}

static const char adviser[] =
    "-- perilune-api: 1\n"
    "return { name = 'probe', description = 'a probe', on = 'turn_end', can = { 'advise' },\n"
    "  agents = { 'worker' }, deliver = 'steer', observe = function(turn)\n"
    "    return { advise = 'the tests never ran at all', fingerprint = 'v' .. turn.step } end }\n";

IT("PE-7 what waits for an event of an agent that has ended expires with it") {
    hosting_open(&h, PERI_MODE_LIVE, adviser);
    peri_source *source = hosting_stream(&h, "claude-hooks");
    feed(source, SPAWN CALL("a", KID) SUB_STOP("false"));
    CHECK_EQ(told("\"state\":\"expired\""), 0);
    CHECK_EQ(hosting_count(&h, "queued"), 1);
    feed(source, ANSWERED);
    CHECK_EQ(told("\"state\":\"expired\""), 1);
    CHECK_EQ(hosting_count(&h, "queued"), 0);
    hosting_close(&h);
}

TEST_MAIN
