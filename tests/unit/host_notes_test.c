// What becomes of notes in a host: the observer is told the truth about its last one, observers
// in shadow take nothing from the others, run states come from the stream, and what agents did
// about notes is judged.
#include "host/types.h"
#include "hosting.h"

static hosting h;

#define LINE(kind, more) "{\"session\":\"s\",\"kind\":\"" kind "\"" more "}\n"
#define USER(text) LINE("user_message", ",\"text\":\"" text "\"")
#define SAY(text) LINE("assistant_text", ",\"text\":\"" text "\"")
#define END LINE("turn_ended", ",\"reason\":\"end_turn\"")
#define INTERRUPT LINE("turn_ended", ",\"reason\":\"interrupted\"")
#define DID(id, input)                                                                         \
    LINE("tool_call", ",\"name\":\"Read\",\"call_id\":\"" id "\",\"input\":" input)            \
    LINE("tool_result", ",\"call_id\":\"" id "\",\"text\":\"fine\"") SAY("so")
#define READ(id, path) DID(id, "{\"file_path\":\"" path "\"}")

// Says one thing a turn, and prints at each step what became of it.
static const char one_a_turn[] =
    "-- perilune-api: 1\n"
    "local words = { 'alpha foxes', 'bravo owls', 'charlie cats', 'delta dogs' }\n"
    "return { name = 'probe', description = 'a probe', on = 'turn_end', can = { 'advise' },\n"
    "  deliver = 'steer', observe = function(turn, ctx)\n"
    "    local last = ctx.last\n"
    "    print(last and ('%s: %s (%s)'):format(last.fingerprint, last.state, last.reason) or 'none')\n"
    "    if ctx.state.turn == turn.turn then return nil end\n"
    "    ctx.state.turn = turn.turn\n"
    "    return { advise = 'look at ' .. words[turn.turn] .. ' again', fingerprint = 'f' .. turn.turn }\n"
    "  end }\n";

static void feed(peri_source *source, const char *lines) {
    hosting_feed(&h, source, peri_str_c(lines));
}

static void expect_last(const char *line) {
    size_t at = 0;
    peri_str log = peri_buf_str(&h.log), rest = log;
    for (size_t found; (found = peri_str_find(rest, PERI_STR("probe: "))) != PERI_NPOS;) {
        at += found + 7;
        rest = peri_str_sub(log, at, log.len);
    }
    CHECK(at > 0);
    peri_str last = peri_str_sub(rest, 0, peri_str_find_byte(rest, '\n', 0));
    CHECK_STR(last, line);
}

// Nonce of the latest delivery.
static void find_nonce(char nonce[16]) {
    peri_str all = peri_buf_str(&h.records);
    size_t at = 0, found;
    while ((found = peri_str_find(peri_str_sub(all, at, all.len), PERI_STR("\"nonce\":\""))) !=
           PERI_NPOS) {
        at += found + 9;
    }
    CHECK(at > 0);
    snprintf(nonce, 16, "%.8s", all.ptr + at);
}

IT("PE-5 tells an observer what its last proposal has come to: queued, handed, seen") {
    hosting_open(&h, PERI_MODE_LIVE, one_a_turn);
    peri_source *source = hosting_stream(&h, "activity");
    h.sink_answer = PERI_EAGAIN;
    feed(source, USER("go") READ("a", "x"));
    feed(source, READ("b", "y"));
    feed(source, READ("c", "z"));
    expect_last("f1: queued (within the window's budget)");
    h.sink_answer = PERI_OK;
    feed(source, READ("d", "z"));
    feed(source, READ("e", "z"));
    expect_last("f1: handed (within the window's budget)");
    char nonce[16], line[256];
    find_nonce(nonce);
    snprintf(line, sizeof line, SAY("they told me <observer-note nonce=\\\"%s\\\" from=..>"),
             nonce);
    feed(source, line);
    feed(source, READ("f", "z"));
    feed(source, READ("g", "z"));
    expect_last("f1: seen (within the window's budget)");
    CHECK_EQ(hosting_count(&h, "unseen"), 0);
    hosting_close(&h);
}

IT("PE-5 tells it that a proposal expired, and why, as long as it is its last") {
    hosting_open(&h, PERI_MODE_LIVE, one_a_turn);
    peri_source *source = hosting_stream(&h, "activity");
    h.sink_answer = PERI_EAGAIN;
    feed(source, USER("go") READ("a", "x") READ("b", "y") INTERRUPT);
    feed(source, USER("on") READ("c", "z"));
    expect_last("f1: expired (the user stopped the agent)");
    feed(source, READ("d", "z") READ("e", "z"));
    expect_last("f2: queued (within the window's budget)");
    hosting_close(&h);
}

IT("PE-5 tells it in a replay that nothing was delivered") {
    hosting_open(&h, PERI_MODE_REPLAY, one_a_turn);
    feed(hosting_stream(&h, "activity"),
         USER("go") READ("a", "x") READ("b", "y") READ("c", "z"));
    expect_last("f1: would-deliver (within the window's budget)");
    hosting_close(&h);
}

static const char judged_by[] = // tells the state of the agent as its reason
    "-- perilune-api: 1\n"
    "return { name = 'last', deliver = function(verdict, p, ctx)\n"
    "  return { verdict = p.fingerprint:find('drop') and 'drop' or p.fingerprint:find('wait') and\n"
    "    'defer' or 'deliver', lane = verdict.lane or 'steer', reason = 'it is ' .. ctx.run_state }\n"
    "end }\n";

// One that proposes what the agent says, with its words as the fingerprint.
static const char parrot[] =
    "-- perilune-api: 1\n"
    "return { name = 'probe', description = 'a parrot', can = { 'advise' }, deliver = 'steer',\n"
    "  on = { 'turn_end', 'agent_settled', 'session_end' }, observe = function(turn, ctx)\n"
    "    local last = ctx.last\n"
    "    print(last and ('%s: %s (%s)'):format(last.fingerprint, last.state, last.reason) or 'none')\n"
    "    ctx.state.n = (ctx.state.n or 0) + 1\n"
    "    local said = turn.trigger\n"
    "    for _, item in ipairs(turn.items) do\n"
    "      if item.kind == 'assistant_text' then said = item.text end\n"
    "    end\n"
    "    return { advise = 'the agent says ' .. said .. (' %d'):format(ctx.state.n),\n"
    "      fingerprint = said .. ctx.state.n }\n"
    "  end }\n";

static const hosting_files states = {.observer = parrot, .policy = judged_by};

IT("PE-5 tells it of a drop and of what waits") {
    hosting_open_files(&h, PERI_MODE_REPLAY, &states);
    peri_source *source = hosting_stream(&h, "activity");
    feed(source, USER("go") SAY("drop that please") READ("a", "x") READ("b", "y"));
    expect_last("drop that please1: dropped (it is running)");
    hosting_close(&h);
    hosting_open_files(&h, PERI_MODE_REPLAY, &states);
    source = hosting_stream(&h, "activity");
    feed(source, USER("go") SAY("wait for that please") READ("a", "x") READ("b", "y"));
    expect_last("wait for that please1: deferred (it is running)");
    hosting_close(&h);
}

static size_t told(const char *part) {
    return times(peri_buf_str(&h.records), part);
}

IT("C56 tells policies what the agent is doing: running, settled, stopped, ended") {
    hosting_open_files(&h, PERI_MODE_REPLAY, &states);
    peri_source *source = hosting_stream(&h, "activity");
    feed(source, USER("go") READ("a", "x") READ("b", "x"));
    CHECK(told("\"reason\":\"it is running\"") > 0);
    CHECK_EQ(told("\"reason\":\"it is settled\""), 0);
    feed(source, END);
    CHECK(told("\"reason\":\"it is settled\"") > 0);
    CHECK_EQ(told("\"reason\":\"it is stopped\""), 0);
    feed(source, USER("on") READ("c", "x") INTERRUPT);
    CHECK(told("the session was stopped") > 0);
    CHECK_EQ(told("the session has ended"), 0);
    hosting_finish(&h);
    CHECK(told("the session has ended") > 0);
    hosting_close(&h);
}

#define HOOK(event, mode, more)                                                                \
    "{\"session_id\":\"s\",\"hook_event_name\":\"" event "\",\"permission_mode\":\"" mode      \
    "\"," more "}\n"
#define CALL(id, mode)                                                                            \
    HOOK("PreToolUse", mode,                                                                      \
         "\"tool_name\":\"Read\",\"tool_input\":{\"file_path\":\"x\"},\"tool_use_id\":\"" id      \
         "\"")                                                                                    \
    HOOK(                                                                                         \
        "PostToolUse", mode,                                                                      \
        "\"tool_name\":\"Read\",\"tool_input\":{\"file_path\":\"x\"},\"tool_response\":\"fine\"," \
        "\"tool_use_id\":\"" id "\"")

IT("C56 takes an agent that plans for one that plans, by its stream, until its mode changes") {
    hosting_open_files(&h, PERI_MODE_LIVE, &states);
    peri_source *source = hosting_stream(&h, "claude-hooks");
    feed(source, HOOK("UserPromptSubmit", "plan", "\"prompt\":\"go\"") CALL("t1", "plan")
                     CALL("t2", "plan") CALL("t3", "plan"));
    size_t planned = told("\"reason\":\"it is plan\"");
    CHECK(planned > 0);
    CHECK_EQ(told("\"reason\":\"it is running\""), 0);
    feed(source, HOOK("UserPromptSubmit", "default", "\"prompt\":\"on\"") CALL("t4", "default")
                     CALL("t5", "default"));
    CHECK_EQ(told("\"reason\":\"it is plan\""), planned);
    CHECK(told("\"reason\":\"it is running\"") > 0);
    hosting_close(&h);
}

// A blocker to steer by, from one that wakes when nothing happens.
static const char late[] =
    "-- perilune-api: 1\n"
    "return { name = 'probe', description = 'a probe', on = 'idle', can = { 'advise' },\n"
    "  deliver = 'steer', severity = 'blocker', observe = function()\n"
    "    return { advise = 'the branch was never pushed', fingerprint = 'f' } end }\n";

IT("C56 CC-9 takes a settled agent for idle after a while: what steers goes with the next prompt") {
    const char *const policies[] = {judged_by, NULL};
    const char *const says[] = {"\"reason\":\"it is idle\"",
                                "\"lane\":\"prompt\",\"reason\":\"waits for the next prompt\""};
    for (size_t i = 0; i < 2; i++) {
        peri_clock_manual clock = {.at_wall_ms = 1000000};
        hosting_open_files(&h, PERI_MODE_LIVE,
                           &(hosting_files){.observer = late,
                                            .config = "limits: { idle_ms: 4000 }\n",
                                            .policy = policies[i]});
        h.host->clock = peri_clock_of(&clock);
        feed(hosting_stream(&h, "activity"), USER("go") READ("a", "x") END);
        for (int look = 0; look < 40; look++) {
            clock.at_wall_ms += 250;
            hosting_settle(&h);
        }
        CHECK_EQ(told(says[i]), 1);
        hosting_close(&h);
    }
}

// ---- Shadow

#define ADVISER(name, word)                                                                    \
    "-- perilune-api: 1\n"                                                                     \
    "return { name = '" name "', description = 'a probe', on = 'turn_end', can = { 'advise', " \
    "'veto' },\n  deliver = 'steer', observe = function(turn, ctx)\n"                          \
    "    ctx.state.n = (ctx.state.n or 0) + 1\n"                                               \
    "    local words = { 'foxes', 'owls', 'cats', 'dogs', 'emus' }\n"                          \
    "    local word = words[(ctx.state.n - 1) % 5 + 1]\n"                                      \
    "    if " word                                                                             \
    " and turn.step % 3 == 0 then return { veto = 'not done with the ' .. word, "              \
    "fingerprint = 'v' } end\n"                                                                \
    "    return { advise = 'look at ' .. word .. ' again please', fingerprint = 'f' .. "       \
    "ctx.state.n }\n  end }\n"

#define OFF                                                                                    \
    "observers: { disable: [stop-early, idle-spin, claim-check, loop-guard], other: { mode: %s } }\n"

static char kept[2][1 << 16];

// What the probe got to say, beside another observer in `mode`, or alone.
static void run_beside(const char *mode, char *out, size_t room) {
    char config[256];
    snprintf(config, sizeof config, OFF, mode ? mode : "live");
    hosting_open_files(&h, PERI_MODE_REPLAY,
                       &(hosting_files){.observer = ADVISER("probe", "false"),
                                        .other = mode ? ADVISER("other", "true")
                                                      : "return { name = 'other', on = 'idle', "
                                                        "observe = function() end }\n",
                                        .config = config});
    peri_source *source = hosting_stream(&h, "activity");
    for (int turn = 0; turn < 4; turn++) {
        feed(source,
             USER("go") READ("a", "x") READ("b", "y") READ("c", "z") READ("d", "z") END);
    }
    size_t used = 0;
    out[0] = '\0';
    for (peri_str rest = peri_buf_str(&h.records); rest.len;) {
        size_t lf = peri_str_find_byte(rest, '\n', 0);
        peri_str line = peri_str_sub(rest, 0, lf);
        rest = peri_str_sub(rest, lf + 1, rest.len);
        bool mine =
            times(line, "\"record\":\"decision\"") && times(line, "\"observer\":\"probe\"");
        if (!mine) continue;
        size_t at = peri_str_find(line, PERI_STR("\"session\""));
        used += (size_t)snprintf(out + used, room - used, "%.*s\n", (int)(line.len - at),
                                 line.ptr + at);
        CHECK(used < room);
    }
}

IT("PE-8 an observer in shadow takes nothing from the others: budget, memory, vetoes") {
    run_beside(NULL, kept[0], sizeof kept[0]);
    CHECK(strlen(kept[0]) > 100);
    hosting_close(&h);
    run_beside("shadow", kept[1], sizeof kept[1]);
    CHECK_STR(peri_str_c(kept[1]), kept[0]);
    CHECK(told("\"name\":\"shadow\"") > 3); // its decisions
    CHECK(hosting_count(&h, "shadowed") > 3);
    CHECK_EQ((size_t)hosting_count(&h, "shadowed"),
             told("\"reason\":\"its observer is in shadow\""));
    hosting_close(&h);
    run_beside("live", kept[1], sizeof kept[1]);
    CHECK(strcmp(kept[1], kept[0]) != 0); // the test could fail
    hosting_close(&h);
}

IT("PE-8 hands nothing of an observer in shadow to the sink, and records what it would have said") {
    hosting_open_files(&h, PERI_MODE_LIVE,
                       &(hosting_files){.observer = one_a_turn,
                                        .config = "observers: { probe: { mode: shadow } }\n"});
    peri_source *source = hosting_stream(&h, "activity");
    feed(source, USER("go") READ("a", "x") READ("b", "y") READ("c", "z"));
    expect_last("f1: would-deliver (its observer is in shadow)");
    CHECK_EQ(h.deliveries.len, 0);
    CHECK_EQ(hosting_count(&h, "delivered"), 0);
    CHECK_EQ(hosting_count(&h, "shadowed"), 1);
    CHECK_EQ(told("\"state\":\"would-deliver\""), 1);
    hosting_close(&h);
}

// ---- Precision

// Advises once to read the file `wanted`.
static const char wants[] =
    "-- perilune-api: 1\n"
    "return { name = 'probe', description = 'a probe', on = 'turn_end', can = { 'advise' },\n"
    "  deliver = 'steer', observe = function(turn, ctx)\n"
    "    if ctx.state.said then return nil end\n"
    "    ctx.state.said = true\n"
    "    return { advise = 'Read `wanted.c` before going on.', fingerprint = 'f' }\n"
    "  end }\n";

IT("PE-8 records that a note was followed once the agent does what it says") {
    hosting_open(&h, PERI_MODE_LIVE, wants);
    peri_source *source = hosting_stream(&h, "activity");
    feed(source, USER("go") READ("a", "x") READ("b", "y"));
    CHECK_EQ(told("\"state\":\"handed\""), 1);
    feed(source, READ("c", "src/wanted.c") READ("d", "z"));
    CHECK_EQ(told("\"trigger\":\"handed\",\"state\":\"followed\""), 1);
    CHECK_EQ(hosting_count(&h, "followed"), 1);
    CHECK_EQ(hosting_count(&h, "ignored"), 0);
    hosting_close(&h);
}

IT("PE-8 records that a note was ignored after five steps, and counts none twice") {
    hosting_open(&h, PERI_MODE_LIVE, wants);
    peri_source *source = hosting_stream(&h, "activity");
    feed(source, USER("go") READ("a", "x"));
    for (int i = 0; i < 12; i++) feed(source, READ("b", "y"));
    CHECK_EQ(told("\"state\":\"ignored\""), 1);
    hosting_finish(&h);
    CHECK_EQ(told("\"state\":\"ignored\"") + told("\"state\":\"followed\""), 1);
    hosting_close(&h);
}

IT("PE-8 says of a replay what would have been, never that a note was shown") {
    hosting_open(&h, PERI_MODE_REPLAY, wants);
    peri_source *source = hosting_stream(&h, "activity");
    feed(source, USER("go") READ("a", "x") READ("b", "y"));
    feed(source,
         SAY("The observer's note does not apply.") READ("c", "wanted.c") READ("d", "z"));
    CHECK_EQ(told("\"trigger\":\"would-deliver\",\"state\":\"followed\""), 1);
    CHECK_EQ(told("\"state\":\"contradicted\""), 0);
    hosting_close(&h);
}

IT("PE-8 judges nothing that no agent was to see, and nothing that expired") {
    hosting_open_files(
        &h, PERI_MODE_LIVE,
        &(hosting_files){.observer = wants,
                         .policy =
                             "return { name = 'last', deliver = function()\n"
                             "  return { verdict = 'deliver', lane = 'user', reason = 'r' } "
                             "end }\n"});
    peri_source *source = hosting_stream(&h, "activity");
    for (int i = 0; i < 8; i++) feed(source, USER("go") READ("a", "wanted.c") END);
    CHECK_EQ(told("\"state\":\"handed\""), 1);
    CHECK_EQ(hosting_count(&h, "unseen"), 0); // nor waited for
    CHECK_EQ(hosting_count(&h, "followed") + hosting_count(&h, "ignored"), 0);
    hosting_close(&h);
    hosting_open(&h, PERI_MODE_LIVE, wants);
    source = hosting_stream(&h, "activity");
    h.sink_answer = PERI_EIO;
    feed(source, USER("go") READ("a", "x"));
    for (int i = 0; i < 8; i++) feed(source, READ("b", "wanted.c"));
    CHECK_EQ(told("\"state\":\"expired\""), 1);
    CHECK_EQ(hosting_count(&h, "followed") + hosting_count(&h, "ignored"), 0);
    hosting_close(&h);
}

IT("C57 says so when what was handed over is not seen for three turns") {
    hosting_open(&h, PERI_MODE_LIVE, wants);
    peri_source *source = hosting_stream(&h, "activity");
    feed(source,
         USER("go") READ("a", "x") END USER("on") SAY("yes") END USER("on") SAY("yes") END);
    CHECK_EQ(hosting_count(&h, "unseen"), 1);
    CHECK_EQ(hosting_count(&h, "overdue"), 0);
    feed(source, USER("on"));
    CHECK_EQ(hosting_count(&h, "overdue"), 1);
    CHECK_EQ(told("\"state\":\"not-seen\""), 1);
    char nonce[16], line[256];
    find_nonce(nonce);
    snprintf(line, sizeof line, SAY("late: <observer-note nonce=\\\"%s\\\">"), nonce);
    feed(source, line);
    CHECK_EQ(hosting_count(&h, "overdue"), 0);
    CHECK_EQ(hosting_count(&h, "unseen"), 0);
    hosting_close(&h);
}

TEST_MAIN
