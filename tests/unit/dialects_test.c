// The shipped dialects from bytes to digests: cases of golden/cases/, and what two recordings
// of the same run have in common.
#include "hosting.h"

#define CASES PERI_TESTS_DIR "/golden/cases/"
#define CAPTURES PERI_TESTS_DIR "/golden/captures/"

static hosting h;

static void start_in(peri_mode mode) {
    hosting_open(&h, mode, NULL);
    hosting_watch(&h, 1u << PERI_TRIGGER_TURN_END);
}

static void start(void) {
    start_in(PERI_MODE_REPLAY);
}

static void tell(peri_source *source, const char *path) {
    peri_str text = peri_test_read(path);
    hosting_feed(&h, source, text);
    if (text.len && text.ptr[text.len - 1] != '\n') hosting_feed(&h, source, PERI_STR("\n"));
    free((char *)text.ptr);
}

static peri_source *stream(const char *dialect, const char *path) {
    peri_source *source = hosting_stream(&h, dialect);
    if (path) tell(source, path);
    return source;
}

static size_t observations(const char *kind) {
    char part[64];
    snprintf(part, sizeof part, "\"kind\":\"%s\"", kind);
    return times(peri_buf_str(&h.records), part);
}

static void has(const char *part) {
    CHECK_HAS(hosting_digests(&h), part);
}

static void has_not(const char *part) {
    CHECK_EQ(times(hosting_digests(&h), part), 0);
}

IT("C09 reads both spellings, passes on what it does not know, and ends a failed turn") {
    start();
    (void)stream(NULL, CASES "C09.jsonl");
    hosting_finish(&h);
    has("name=\"command_execution\" id=\"i0\"");
    has("error=\"true\" exit=\"1\">\n2 failed");
    has("old spelling of the type field");
    has("reason=\"failed\" message=\"rate limit reached\"");
    has_not("galaxy");
    CHECK_EQ(observations("raw"), 2);
    CHECK_EQ(observations("failure"), 1);
    CHECK_HAS(peri_buf_str(&h.records), "rate limit reached");
    CHECK_EQ(hosting_count(&h, "unrecognised"), 0);
    hosting_close(&h);
}

IT("C09 lets a Lua observer see the records that are unknown, and how a turn failed") {
    hosting_open(&h, PERI_MODE_REPLAY,
                 "-- perilune-api: 1\n"
                 "return { name = 'probe', description = 'd', on = 'agent_settled',\n"
                 "  observe = function(turn)\n"
                 "    local told = {}\n"
                 "    for _, item in ipairs(turn.items) do\n"
                 "      local input = item.kind == 'raw' and item.input or {}\n"
                 "      told[#told + 1] = input.type\n"
                 "      if item.kind == 'turn_ended' then told[#told + 1] = item.text end\n"
                 "    end\n"
                 "    return { advise = table.concat(told, ', ') }\n"
                 "  end }\n");
    (void)stream(NULL, CASES "C09.jsonl");
    hosting_finish(&h);
    CHECK_HAS(peri_buf_str(&h.records),
              "\"text\":\"item.updated, galaxy.event, rate limit reached\"");
    hosting_close(&h);
}

IT("C09 says that a format is not recognised when most records are of unknown kinds") {
    start();
    peri_source *source = stream("codex-exec", CASES "C09.jsonl");
    for (int i = 0; i < 30; i++) {
        hosting_feed(&h, source, PERI_STR("{\"type\":\"galaxy.event\",\"n\":1}\n"));
    }
    CHECK_EQ(hosting_count(&h, "unrecognised"), 1);
    CHECK_EQ(times(peri_buf_str(&h.records), "format-not-recognised"), 1);
    CHECK_HAS(peri_buf_str(&h.log), "format not recognised");
    hosting_close(&h);
}

IT("C12 OB-7 links a child to its parent's call and gives each its own text") {
    start();
    (void)stream(NULL, CASES "C12.jsonl");
    hosting_finish(&h);
    peri_str records = peri_buf_str(&h.records);
    CHECK_EQ(times(records, "\"parentCallId\":\"t1\""), 4); // call, result, text, usage of ag-1
    CHECK_EQ(times(records, "\"subagentId\":\"ag-1\""), 5);
    has("<explorer-activity");
    CHECK_EQ(times(hosting_digests(&h), "SUBAGENT DONE"), 1);
    hosting_close(&h);
}

IT("C15 observes only what is new after a fork, under its own session") {
    start();
    (void)stream(NULL, CASES "C15.parent.jsonl");
    hosting_finish(&h);
    CHECK_EQ(times(hosting_digests(&h), "do X"), 1);
    (void)stream("claude-transcript", CASES "C15.child.jsonl");
    hosting_finish(&h);
    CHECK_EQ(times(hosting_digests(&h), "do X"), 1);
    CHECK_EQ(times(hosting_digests(&h), "did X"), 1);
    CHECK_EQ(times(hosting_digests(&h), "now do Y"), 1);
    CHECK_HAS(peri_buf_str(&h.records), "\"parent\":\"C15.parent.jsonl\"");
    CHECK_EQ(hosting_count(&h, "repeats"), 2);
    hosting_close(&h);
}

IT("C16 judges the turn just finished: the hook's last answer once, the late line not again") {
    start_in(PERI_MODE_LIVE);
    peri_source *transcript = stream("claude-transcript", CASES "C16.transcript.jsonl");
    peri_source *hooks = stream("claude-hooks", CASES "C16.hook.json");
    CHECK_OK(peri_source_end(hooks));
    hosting_settle(&h);
    tell(transcript, CASES "C16.late_line.jsonl");
    hosting_finish(&h);
    CHECK_EQ(times(hosting_digests(&h), "FINAL ANSWER"), 1);
    CHECK_EQ(h.digest_count, 3); // at the Stop itself; no second turn with the late line
    size_t last = peri_str_find(hosting_digests(&h), PERI_STR("FINAL ANSWER"));
    size_t before = peri_str_find(hosting_digests(&h), PERI_STR("PREVIOUS ANSWER"));
    CHECK(before < last);
    hosting_close(&h);
}

IT("C16 gives an empty but valid digest where no answer was written yet") {
    start_in(PERI_MODE_LIVE);
    peri_source *transcript = hosting_stream(&h, "claude-transcript");
    hosting_feed(
        &h, transcript,
        PERI_STR("{\"type\":\"user\",\"uuid\":\"u-1\",\"sessionId\":\"s-100\",\"timestamp\":"
                 "\"2026-10-01T10:00:01.000Z\",\"message\":{\"role\":\"user\",\"content\":"
                 "\"go\"}}\n"));
    (void)stream("claude-hooks", CASES "C16.hook.json");
    hosting_finish(&h);
    CHECK_EQ(h.digest_count, 1);
    has("FINAL ANSWER");
    hosting_close(&h);
}

IT("C21 marks the open call of a run as another's, in one block") {
    start();
    (void)stream(NULL, CASES "C21.jsonl");
    hosting_finish(&h);
    CHECK_EQ(times(hosting_digests(&h), "id=\"p\" state=\"in progress, not yours\""), 1);
    CHECK_EQ(times(hosting_digests(&h), "<main-activity"),
             times(hosting_digests(&h), "</main-activity>"));
    hosting_close(&h);
}

// What becomes of a report on that run.
static size_t dropped_of(const char *report) {
    char teller[512];
    snprintf(teller, sizeof teller,
             "-- perilune-api: 1\n"
             "return { name = 'probe', description = 'd', on = 'agent_settled',\n"
             "  can = { 'report' }, observe = function() return { report = '%s' } end }\n",
             report);
    hosting_open(&h, PERI_MODE_LIVE, teller);
    peri_source *source = stream("activity", CASES "C21.jsonl");
    hosting_feed(&h, source, PERI_STR("{\"session\":\"s-1\",\"kind\":\"turn_ended\"}\n"));
    hosting_finish(&h);
    peri_str records = peri_buf_str(&h.records);
    CHECK_EQ(times(records, "\"record\":\"decision\""), 1);
    size_t count = times(records, "\"state\":\"drop\",\"reason\":\"invents a call's outcome\"");
    CHECK_EQ(times(peri_buf_str(&h.deliveries), "\n"), 1 - count);
    hosting_close(&h);
    return count;
}

IT("OB-2 OB-7 takes pass and subagent from the scope where only that tells them") {
    start();
    peri_source *source = hosting_stream(&h, "observations");
    hosting_feed(&h, source,
                 PERI_STR("{\"kind\":\"text\",\"text\":\"a\"}\n"
                          "{\"kind\":\"text\",\"text\":\"b\",\"scope\":{\"pass\":4,"
                          "\"subagentId\":\"k\"},\"at\":\"2026-01-02T03:04:05.000Z\"}\n"));
    peri_str records = peri_buf_str(&h.records);
    CHECK_HAS(records, "\"text\":\"a\",\"pass\":1,\"at\":\"");
    CHECK_HAS(records, "\"agent\":\"k\",\"kind\":\"text\",\"text\":\"b\",\"subagentId\":\"k\","
                       "\"pass\":4,\"at\":\"2026-01-02T03:04:05.000Z\"");
    CHECK_HAS(records, "\"scope\":{\"pass\":4,\"subagentId\":\"k\"}");
    hosting_close(&h);
}

IT("C21 drops a report that tells the exit code of a call its digest does not hold") {
    CHECK_EQ(dropped_of("k21: exit code 0, build successful"), 1);
    CHECK_EQ(dropped_of("p: exit code 0, it is deployed"), 1);
    CHECK_EQ(dropped_of("k3 ended with exit code 0, yet the deployment still runs"), 0);
}

#define RAN(id)                                                                                \
    "{\"type\":\"item.completed\",\"item\":{\"id\":\"" id                                      \
    "\",\"type\":\"command_execution\",\"command\":\"make\",\"aggregated_output\":\"\","       \
    "\"exit_code\":1,\"status\":\"failed\"}}\n"

IT("C21 knows a call of a turn before in a followed file, whose ids are good there alone") {
    char path[300];
    hosting_open(&h, PERI_MODE_LIVE,
                 "-- perilune-api: 1\n"
                 "return { name = 'probe', description = 'd', on = 'agent_settled',\n"
                 "  can = { 'report' }, observe = function(turn)\n"
                 "    local id = turn.turn == 2 and 'item_0' or 'item_7'\n"
                 "    return { report = id .. ' exited with code 1' } end }\n");
    hosting_write(&h, path, "run.jsonl",
                  "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n" RAN(
                      "item_0") "{\"type\":\"turn.completed\"}\n" RAN("item_1")
                      RAN("item_2") "{\"type\":\"turn.completed\"}\n");
    CHECK_OK(peri_host_follow_path(h.host, path, "codex-exec"));
    while (peri_host_step(h.host, 0) > 0) {}
    peri_str records = peri_buf_str(&h.records);
    CHECK_EQ(times(records, "\"record\":\"decision\""), 2);
    CHECK_EQ(times(records, "\"reason\":\"invents a call's outcome\""), 1); // item_7
    hosting_close(&h);
}

IT("C26 knows observers by a reference record, before and after they speak") {
    static const char lines[] =
        "{\"type\":\"observer-ref\",\"observerTaskId\":\"ob1\",\"observerAgentType\":\"watcher\","
        "\"sessionId\":\"s\"}\n"
        "{\"type\":\"user\",\"uuid\":\"u-1\",\"sessionId\":\"s\",\"agentId\":\"ob1\",\"timestamp\":"
        "\"2026-10-01T10:00:01.000Z\",\"message\":{\"role\":\"user\",\"content\":\"watch it\"}}\n"
        "{\"type\":\"user\",\"uuid\":\"u-2\",\"sessionId\":\"s\",\"timestamp\":"
        "\"2026-10-01T10:00:02.000Z\",\"message\":{\"role\":\"user\",\"content\":\"main task\"}}\n";
    start();
    peri_source *source = hosting_stream(&h, "claude-transcript");
    hosting_feed(&h, source, peri_str_c(lines));
    hosting_finish(&h);
    has("main task");
    has_not("watch it");
    hosting_close(&h);
}

IT("C26 CC-8 observes no observer of a hook log, and shows none of its reports") {
    start();
    (void)stream(NULL, CAPTURES "claude-code-2.1.332/obs_main_332/hooks.jsonl");
    hosting_finish(&h);
    has("<worker-activity");
    has_not("<watcher-activity");
    has_not("MARK_REPORT1");
    has_not("ObserverReport");
    CHECK_HAS(peri_buf_str(&h.records), "MARK_REPORT1"); // told, and by whom
    CHECK_HAS(peri_buf_str(&h.records), "\"origin\":\"observer:watcher\"");
    hosting_close(&h);
}

static void join_case(const char *const paths[2], const char *const dialects[2]) {
    start();
    for (int i = 0; i < 2; i++) (void)stream(dialects[i], paths[i]);
    CHECK_EQ(observations("tool"), 1);
    CHECK_EQ(observations("tool-result"), 1);
    hosting_finish(&h);
    hosting_close(&h);
}

IT("C69 tells a call and its result once from hook and transcript, in either order") {
    static const char *const paths[] = {CASES "C69.hook.json", CASES "C69.line.jsonl",
                                        CASES "C69.hook.json"};
    static const char *const dialects[] = {"claude-hooks", "claude-transcript", "claude-hooks"};
    join_case(paths, dialects);
    join_case(paths + 1, dialects + 1);
}

IT("C69 takes the agent's own text over a hook's rendering, without a second result") {
    start();
    (void)stream("claude-hooks", CASES "C69.hook.json");
    (void)stream("claude-transcript", CASES "C69.line.jsonl");
    hosting_finish(&h);
    CHECK_EQ(times(hosting_digests(&h), "<tool-result"), 1);
    CHECK_EQ(times(hosting_digests(&h), "<tool-call"), 1);
    has("exit=\"0\">\nok\n"); // the hook knew how it ended
    CHECK_EQ(observations("tool-output"), 1);
    hosting_close(&h);
}

IT("OB-2 reads AgentObservation as it is, and numbers it anew") {
    static const char lines[] =
        "{\"kind\":\"prompt\",\"text\":\"go\",\"pass\":3,\"at\":\"2026-11-30T10:00:00.000Z\",\"seq\":41,"
        "\"source\":\"agent\",\"scope\":{\"dispatchId\":\"d1\",\"pass\":3}}\n"
        "{\"kind\":\"tool-result\",\"callId\":\"toolu_1\",\"name\":\"Bash\",\"isError\":true,"
        "\"preview\":\"Exit code 2\",\"characters\":11,\"pass\":1,\"at\":\"2026-11-30T10:00:01.000Z\","
        "\"seq\":42,\"source\":\"agent\",\"scope\":{\"dispatchId\":\"d1\"}}\n"
        "{\"kind\":\"brand-new\",\"pass\":1,\"at\":\"2026-11-30T10:00:02.000Z\",\"scope\":{}}\n";
    start();
    peri_source *source = hosting_stream(&h, NULL);
    hosting_feed(&h, source, peri_str_c(lines));
    hosting_finish(&h);
    peri_str records = peri_buf_str(&h.records);
    CHECK_HAS(records, "\"pass\":3");
    CHECK_HAS(records, "\"sourceSeq\":41");
    CHECK_HAS(records, "\"sourceSeq\":42");
    CHECK_HAS(records, "\"scope\":{\"dispatchId\":\"d1\",\"pass\":3}");
    CHECK_HAS(records, "\"session\":\"d1\"");
    CHECK_EQ(observations("raw"), 1);
    has("error=\"true\" unpaired=\"true\">\nExit code 2");
    hosting_close(&h);
}

static const char payloads[] =
    "{\"kind\":\"model-request\",\"request\":{\"system\":\"PRIVATE\"},\"pass\":1,\"at\":"
    "\"2026-11-30T10:00:00.000Z\",\"scope\":{\"dispatchId\":\"d1\"}}\n"
    "{\"kind\":\"model-response\",\"response\":{\"text\":\"PRIVATE\"},\"pass\":1,\"at\":"
    "\"2026-11-30T10:00:01.000Z\",\"scope\":{\"dispatchId\":\"d1\"}}\n";

IT("OB-4 drops the payloads of model requests and responses") {
    start();
    hosting_feed(&h, hosting_stream(&h, NULL), peri_str_c(payloads));
    CHECK_EQ(observations("model-request"), 1);
    CHECK_EQ(observations("model-response"), 1);
    CHECK_EQ(times(peri_buf_str(&h.records), "PRIVATE"), 0);
    hosting_close(&h);
}

IT("OB-4 keeps them with verbose: true") {
    hosting_open_files(&h, PERI_MODE_REPLAY,
                       &(hosting_files){.observer =
                                            "return { name = 'probe', on = 'turn_end',\n"
                                            "  observe = function() end }\n",
                                        .config = "verbose: true\n"});
    hosting_feed(&h, hosting_stream(&h, NULL), peri_str_c(payloads));
    CHECK_EQ(times(peri_buf_str(&h.records), "\"request\":{\"system\":\"PRIVATE\"}"), 1);
    CHECK_EQ(times(peri_buf_str(&h.records), "\"response\":{\"text\":\"PRIVATE\"}"), 1);
    hosting_close(&h);
}

IT("OB-5 shows running totals as increments, and a message's usage once") {
    start();
    (void)stream(NULL, CAPTURES "codex-0.171.0/codex1/rollout.jsonl");
    (void)stream(NULL, CAPTURES "claude-code-2.1.332/basic332/stream-json.jsonl");
    hosting_finish(&h);
    peri_str records = peri_buf_str(&h.records);
    CHECK_EQ(times(records, "\"cumulative\""), 0);
    CHECK_EQ(times(records, "\"kind\":\"usage\",\"tokens\":{\"input\":100,"), 5);
    hosting_close(&h);
}

IT("withdraws what a stream takes back before an observer sees it") {
    static const char lines[] =
        "{\"type\":\"user\",\"uuid\":\"u1\",\"session_id\":\"s\",\"message\":{\"role\":\"user\","
        "\"content\":\"go\"},\"parent_tool_use_id\":null}\n"
        "{\"type\":\"assistant\",\"uuid\":\"u2\",\"session_id\":\"s\",\"message\":{\"id\":\"m1\","
        "\"content\":[{\"type\":\"text\",\"text\":\"REFUSED\"}]},\"parent_tool_use_id\":null}\n"
        "{\"type\":\"system\",\"subtype\":\"model_refusal_fallback\",\"uuid\":\"u3\",\"session_id\":"
        "\"s\",\"original_model\":\"a\",\"fallback_model\":\"b\",\"retracted_message_uuids\":[\"u2\"]}\n"
        "{\"type\":\"assistant\",\"uuid\":\"u4\",\"session_id\":\"s\",\"message\":{\"id\":\"m2\","
        "\"content\":[{\"type\":\"text\",\"text\":\"ANSWER\"}]},\"parent_tool_use_id\":null}\n"
        "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"uuid\":\"u5\","
        "\"session_id\":\"s\",\"result\":\"ANSWER\",\"terminal_reason\":\"completed\"}\n";
    start();
    hosting_feed(&h, hosting_stream(&h, NULL), peri_str_c(lines));
    hosting_finish(&h);
    has_not("REFUSED");
    CHECK_EQ(times(hosting_digests(&h), "ANSWER"), 1);
    CHECK_EQ(hosting_count(&h, "withdrawn"), 1);
    hosting_close(&h);
}

// A tag from its id on, but for a subagent's exit codes, which no stream tells.
static peri_str told_by_both(peri_str tag, const char *agent) {
    tag = peri_str_sub(tag, peri_str_find(tag, PERI_STR(" id=\"")), tag.len);
    bool child = agent && strcmp(agent, "main") != 0;
    size_t exit = child ? peri_str_find(tag, PERI_STR(" exit=")) : PERI_NPOS;
    return peri_str_sub(tag, 0, exit == PERI_NPOS ? tag.len - 1 : exit); // without its ">"
}

// The activity of the digests of `agent`, or of all, without what only one kind of recording
// tells: nonces, names of the main agent, people's words, machine text, the order of an input's
// members.
static peri_str shared_facts(const char *path, const char *agent, peri_buf *out) {
    peri_buf_clear(out);
    start();
    h.only_agent = agent;
    (void)stream(NULL, path);
    hosting_finish(&h);
    bool inside = false;
    for (peri_str rest = hosting_digests(&h); rest.len;) {
        size_t lf = peri_str_find_byte(rest, '\n', 0);
        peri_str line = peri_str_sub(rest, 0, lf);
        rest = lf == PERI_NPOS ? (peri_str){0} : peri_str_sub(rest, lf + 1, rest.len);
        bool tool = peri_str_starts(line, PERI_STR("<tool-call ")) ||
                    peri_str_starts(line, PERI_STR("<tool-result "));
        if (tool) {
            inside = true;
            peri_buf_add(out, peri_str_sub(line, 0, 12));
            peri_buf_add(out, told_by_both(line, agent));
            peri_buf_add_byte(out, '\n');
        } else if (peri_str_starts(line, PERI_STR("</tool-"))) {
            inside = false;
        } else if (inside && line.len && line.ptr[0] != '{') {
            peri_buf_add(out, line);
            peri_buf_add_byte(out, '\n');
        } else if (peri_str_starts(line, PERI_STR("<turn-ended"))) {
            peri_buf_add_c(out, "turn ended\n");
        }
    }
    hosting_close(&h);
    return peri_buf_str(out);
}

static void same_facts(const char *run, const char *agent) {
    peri_buf hooks, lines;
    peri_buf_init(&hooks, 1 << 20);
    peri_buf_init(&lines, 1 << 20);
    char path[512];
    snprintf(path, sizeof path, CAPTURES "%s/hooks.jsonl", run);
    CHECK(shared_facts(path, agent, &hooks).len > 100);
    snprintf(path, sizeof path, CAPTURES "%s/stream-json.jsonl", run);
    CHECK_STR(shared_facts(path, agent, &lines), peri_buf_c(&hooks));
    peri_buf_deinit(&hooks);
    peri_buf_deinit(&lines);
}

IT("gives the same blocks from the hook log and the stream of one run") {
    static const char *const runs[] = {
        "claude-code-2.1.332/basic332",     "claude-code-2.1.332/ctx_332",
        "claude-code-2.1.332/fail_332",     "claude-code-2.1.332/hk_332",
        "claude-code-2.1.332/obs_main_332", "claude-code-2.1.332/resA_332",
        "claude-code-2.1.332/resB_332",     "claude-code-2.1.215/obs_main_215",
    };
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) same_facts(runs[i], NULL);
}

IT("OB-7 gives the same blocks of a run's main agent and of its subagent") {
    same_facts("claude-code-2.1.332/agent_332", "main");
    same_facts("claude-code-2.1.332/agent_332", "a0b94815076d6484f");
    same_facts("claude-code-2.1.215/agent_215", "main");
    same_facts("claude-code-2.1.215/agent_215", "a7cce3095b68419ee");
}

IT("tells no fact of a run twice when all its sources are read") {
    static const char *const files[] = {"transcript/cc1cbf17-7ede-4cbc-9874-48a882f19047.jsonl",
                                        "hooks.jsonl", "stream-json.jsonl"};
    size_t calls[2] = {0}, texts[2] = {0}, prompts[2] = {0};
    for (int all = 0; all < 2; all++) {
        start();
        for (int i = 0; i < (all ? 3 : 1); i++) {
            char path[512];
            snprintf(path, sizeof path, CAPTURES "claude-code-2.1.332/basic332/%s", files[i]);
            (void)stream(NULL, path);
        }
        hosting_finish(&h);
        calls[all] = observations("tool") + observations("tool-result");
        texts[all] = observations("text");
        prompts[all] = observations("prompt");
        hosting_close(&h);
    }
    CHECK_EQ(calls[1], calls[0]);
    CHECK_EQ(texts[1], texts[0]);
    CHECK_EQ(prompts[1], prompts[0]);
    CHECK(calls[0] >= 8);
}

TEST_MAIN
