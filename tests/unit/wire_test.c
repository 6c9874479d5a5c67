// The command protocol at both ends: a request is read as the turn it was written from, and an
// answer is what it says or a failure with its reason.
#include "runtime/wire.h"

#include "test.h"

static const peri_wire_clean nothing_hidden = {0};

typedef struct ends {
    peri_item items[4];
    const peri_item *refs[4];
    peri_turn turn;
    peri_observer observer;
    peri_run_request request;
    peri_buf line;
    peri_json_doc doc;
    peri_arena arena;
    peri_wire_request got;
} ends;

static peri_item item(peri_item_kind kind, uint64_t seq, uint32_t turn, const char *text) {
    peri_str whole = peri_str_c(text);
    return (peri_item){.kind = kind,
                       .exit_code = PERI_OBS_NO_EXIT,
                       .seq = seq,
                       .step = 2,
                       .turn = turn,
                       .hash = peri_str_hash(whole, PERI_HASH_SEED),
                       .text = peri_text_of(whole, (peri_text_caps){1000, 0})};
}

static ends *ends_new(void) {
    ends *e = calloc(1, sizeof *e);
    if (!e) TEST_FAIL("out of memory");
    e->items[0] = item(PERI_ITEM_USER_MESSAGE, 3, 2, "do \"it\"\n\xC3\xA9");
    e->items[1] = item(PERI_ITEM_TOOL_CALL, 4, 2, "{\"command\":\"make\",\"n\":[1,2]}");
    e->items[1].name = PERI_STR("Bash");
    e->items[1].call_id = PERI_STR("c1");
    e->items[2] = item(PERI_ITEM_TOOL_RESULT, 5, 2, "failed");
    e->items[2].call_id = PERI_STR("c1");
    e->items[2].is_error = true;
    e->items[2].exit_code = 2;
    e->items[3] = item(PERI_ITEM_ASSISTANT_TEXT, 6, 2, "");
    for (size_t i = 0; i < 4; i++) e->refs[i] = &e->items[i];
    e->turn = (peri_turn){.session = PERI_STR("s"),
                          .agent = PERI_STR("main"),
                          .agent_name = PERI_STR("coder"),
                          .cwd = PERI_STR("/work"),
                          .trigger = PERI_TRIGGER_AGENT_SETTLED,
                          .step = 2,
                          .turn = 2,
                          .items = e->refs + 2,
                          .item_count = 2,
                          .dropped_count = 7,
                          .log = e->refs,
                          .log_count = 4,
                          .last_user = PERI_STR("do it"),
                          .usage = {.input = 10, .cached = 4, .output = 3},
                          .last_usage = {.cache_created = 5},
                          .ending = true};
    e->observer = (peri_observer){.name = PERI_STR("o"), .source_hash = PERI_STR("ab")};
    e->request =
        (peri_run_request){.observer = &e->observer,
                           .turn = &e->turn,
                           .digest = PERI_STR("<d>"),
                           .saved_state = PERI_STR("{\"n\":1}"),
                           .last = {.text = PERI_STR("t"), .verdict = PERI_STR("drop")}};
    peri_buf_init(&e->line, 1 << 20);
    peri_json_doc_init(&e->doc);
    peri_arena_init(&e->arena, 1 << 20);
    return e;
}

static void ends_free(ends *e) {
    peri_buf_deinit(&e->line);
    peri_json_doc_deinit(&e->doc);
    peri_arena_deinit(&e->arena);
    free(e);
}

static void across(ends *e, const peri_wire_clean *clean) {
    peri_wire_put_request(&e->line, &e->request, 9, clean);
    CHECK_OK(e->line.status);
    peri_str line = peri_buf_str(&e->line);
    CHECK_EQ(peri_str_find_byte(line, '\n', 0), line.len - 1);
    CHECK_OK(peri_wire_read_request(peri_str_sub(line, 0, line.len - 1), &e->doc, &e->arena,
                                    &e->got));
}

IT("gives the turn's own facts again at the other end") {
    ends *e = ends_new();
    across(e, &nothing_hidden);
    const peri_turn *turn = &e->got.turn;
    CHECK_EQ(e->got.run, 9);
    CHECK_STR(e->got.observer.name, "o");
    CHECK_STR(e->got.observer.source_hash, "ab");
    CHECK_STR(e->got.request.digest, "<d>");
    CHECK_STR(e->got.request.saved_state, "{\"n\":1}");
    CHECK_STR(e->got.request.last.verdict, "drop");
    CHECK_STR(turn->session, "s");
    CHECK_STR(turn->agent_name, "coder");
    CHECK_STR(turn->cwd, "/work");
    CHECK_STR(turn->last_user, "do it");
    CHECK_EQ(turn->trigger, PERI_TRIGGER_AGENT_SETTLED);
    CHECK_EQ(turn->dropped_count, 7);
    CHECK_EQ(turn->usage.cached, 4);
    CHECK_EQ(turn->last_usage.cache_created, 5);
    CHECK(turn->ending && !turn->goal);
    ends_free(e);
}

IT("gives every item once, and the log and the new ones again as they were") {
    ends *e = ends_new();
    across(e, &nothing_hidden);
    const peri_turn *turn = &e->got.turn;
    CHECK_EQ(turn->log_count, 4);
    CHECK_EQ(turn->item_count, 2);
    CHECK(turn->log[2] == turn->items[0]);
    for (size_t i = 0; i < 4; i++) {
        const peri_item *a = turn->log[i], *b = &e->items[i];
        CHECK_EQ(a->kind, b->kind);
        CHECK_EQ(a->seq, b->seq);
        CHECK_EQ(a->exit_code, b->exit_code);
        CHECK_EQ(a->is_error, b->is_error);
        CHECK(peri_str_eq(a->call_id, b->call_id));
        CHECK(peri_str_eq(a->text.head, b->text.head));
        CHECK_EQ(a->text.cp, b->text.cp);
    }
    peri_call call;
    CHECK_EQ(peri_turn_calls(turn, &call, 1), 1);
    CHECK_STR(call.result->text.head, "failed");
    ends_free(e);
}

IT("C09 gives a record of an unknown kind as JSON, and a cut one as text") {
    ends *e = ends_new();
    e->items[3] = item(PERI_ITEM_RAW, 6, 2, "{\"type\":\"galaxy\"}");
    across(e, &nothing_hidden);
    CHECK_HAS(peri_buf_str(&e->line), "{\"kind\":\"raw\",\"input\":{\"type\":\"galaxy\"},");
    CHECK_STR(e->got.turn.log[3]->text.head, "{\"type\":\"galaxy\"}");
    CHECK(!e->got.turn.log[3]->text.cut);
    e->items[3].text.cut = true;
    peri_buf_clear(&e->line);
    across(e, &nothing_hidden);
    CHECK_HAS(peri_buf_str(&e->line), "{\"kind\":\"raw\",\"text\":\"{\\\"type");
    CHECK(e->got.turn.log[3]->text.cut);
    ends_free(e);
}

IT("leaves items of an earlier turn out of the log, not out of the new ones") {
    ends *e = ends_new();
    e->items[0].turn = 1;
    e->turn.items = e->refs;
    e->turn.item_count = 4;
    e->turn.log = e->refs + 1;
    e->turn.log_count = 3;
    across(e, &nothing_hidden);
    CHECK_EQ(e->got.turn.item_count, 4);
    CHECK_EQ(e->got.turn.log_count, 3);
    CHECK_EQ(e->got.turn.log[0]->seq, 4);
    ends_free(e);
}

IT("knows repeated content again where the text is cut, without giving it away") {
    ends *e = ends_new();
    const peri_wire_clean clean = {.key = 77};
    e->items[2].hash = e->items[3].hash = 12345;
    across(e, &clean);
    CHECK_EQ(e->got.turn.log[2]->hash, e->got.turn.log[3]->hash);
    CHECK(e->got.turn.log[2]->hash != e->got.turn.log[0]->hash);
    CHECK(e->got.turn.log[2]->hash != 12345);
    ends_free(e);
}

static peri_str hide(void *user, peri_str text, peri_buf *room) {
    const char *secret = user;
    size_t at = peri_str_find(text, peri_str_c(secret));
    if (at == PERI_NPOS) return text;
    peri_buf_clear(room);
    peri_buf_add(room, peri_str_sub(text, 0, at));
    peri_buf_add_c(room, "[hidden]");
    peri_buf_add(room, peri_str_sub(text, at + strlen(secret), text.len));
    return peri_buf_str(room);
}

IT("cleans every text before it goes out, inputs too") {
    ends *e = ends_new();
    const peri_wire_clean clean = {.fn = hide, .user = (void *)(uintptr_t) "make"};
    across(e, &clean);
    CHECK_STR(e->got.turn.log[1]->text.head, "{\"command\":\"[hidden]\",\"n\":[1,2]}");
    CHECK(peri_str_find(peri_buf_str(&e->line), PERI_STR("make")) == PERI_NPOS);
    ends_free(e);
}

IT("C08 sends one line, also to a child that ends lines at Unicode separators") {
    ends *e = ends_new();
    e->items[0] = item(PERI_ITEM_USER_MESSAGE, 3, 2, "a\xE2\x80\xA8z\xC2\x85");
    e->request.digest = PERI_STR("<d>\xE2\x80\xA9");
    across(e, &nothing_hidden);
    CHECK_STR(e->got.turn.log[0]->text.head, "a\xE2\x80\xA8z\xC2\x85");
    CHECK_HAS(peri_buf_str(&e->line), "<d>\\u2029");
    CHECK(peri_str_find(peri_buf_str(&e->line), PERI_STR("\xE2\x80")) == PERI_NPOS);
    CHECK(peri_str_find(peri_buf_str(&e->line), PERI_STR("\xC2\x85")) == PERI_NPOS);
    ends_free(e);
}

IT("sends an input as text where cleaning breaks it as JSON") {
    ends *e = ends_new();
    const peri_wire_clean clean = {.fn = hide, .user = (void *)(uintptr_t) "\"make\""};
    across(e, &clean);
    CHECK_STR(e->got.turn.log[1]->text.head, "{\"command\":[hidden],\"n\":[1,2]}");
    CHECK(e->got.turn.log[1]->text.cut); // so that nobody reads it as an input
    ends_free(e);
}

IT("refuses a line that is no request") {
    ends *e = ends_new();
    CHECK(peri_wire_read_request(PERI_STR("{}"), &e->doc, &e->arena, &e->got) < 0);
    CHECK(peri_wire_read_request(PERI_STR("{\"observer\":\"o\"} x"), &e->doc, &e->arena,
                                 &e->got) < 0);
    CHECK(peri_wire_read_request(PERI_STR("nonsense"), &e->doc, &e->arena, &e->got) < 0);
    ends_free(e);
}

// ---- Answers

static peri_run_result read_answer(const char *line) {
    static peri_arena arena;
    peri_run_result result;
    peri_arena_reset(&arena);
    arena.max_bytes = 1 << 20;
    peri_wire_read_answer(peri_str_c(line), 9, &arena, &result);
    return result;
}

static void is_bad(const char *line, const char *why) {
    peri_run_result result = read_answer(line);
    if (result.state != PERI_RUN_FAILED) TEST_FAIL("%s was taken", line);
    CHECK_HAS(result.error, why);
    CHECK(!result.draft.advise.ptr && !result.saved_state.ptr);
}

IT("reads its own answers") {
    peri_buf out;
    peri_buf_init(&out, PERI_WIRE_ANSWER_BYTES);
    peri_run_result sent = {.state = PERI_RUN_PROPOSED,
                            .draft = {.veto = PERI_STR("no\n\"never\""),
                                      .severity = PERI_STR("nit"),
                                      .fingerprint = PERI_STR("f"),
                                      .data = PERI_STR("{\"a\":1}"),
                                      .evidence = {4, 5},
                                      .evidence_count = 2},
                            .saved_state = PERI_STR("{}")};
    peri_wire_put_answer(&out, 9, &sent);
    out.ptr[out.len - 1] = '\0';
    peri_run_result got = read_answer(out.ptr);
    CHECK_EQ(got.state, PERI_RUN_PROPOSED);
    CHECK_STR(got.draft.veto, "no\n\"never\"");
    CHECK_STR(got.draft.severity, "nit");
    CHECK_STR(got.draft.data, "{\"a\":1}");
    CHECK_EQ(got.draft.evidence[1], 5);
    CHECK_STR(got.saved_state, "{}");
    peri_buf_deinit(&out);
}

IT("tells silence, a skipped run, a failure and a timeout apart") {
    CHECK_EQ(read_answer("{}").state, PERI_RUN_SILENT);
    CHECK_EQ(read_answer("null").state, PERI_RUN_SILENT);
    CHECK_EQ(read_answer("{\"run\":9,\"state\":{}}").state, PERI_RUN_SILENT);
    CHECK_EQ(read_answer("{\"skipped\":true}").state, PERI_RUN_SKIPPED);
    CHECK_EQ(read_answer("{\"lost\":true}").state, PERI_RUN_LOST);
    CHECK_EQ(read_answer("{\"awake\":true}").state, PERI_RUN_NO_RUNTIME);
    CHECK_EQ(read_answer("{\"timeout\":\"t\"}").state, PERI_RUN_TIMEOUT);
    peri_run_result failed = read_answer("{\"failed\":\"o.lua:3: boom\",\"advise\":\"x\"}");
    CHECK_EQ(failed.state, PERI_RUN_FAILED);
    CHECK_STR(failed.error, "o.lua:3: boom");
    CHECK(!failed.draft.advise.ptr);
}

IT("C51 names what is wrong with an answer") {
    is_bad("hello", "not one JSON value: \"hello\"");
    is_bad("{\"advise\":\"a\"} {}", "not one JSON value");
    is_bad("{\"advise\":\"a\",\"advise\":\"b\"}", "not one JSON value");
    is_bad("[1]", "neither an object nor null");
    is_bad("{\"advice\":\"a\"}", "unknown key \"advice\", did you mean \"advise\"?");
    is_bad("{\"advise\":5}", "\"advise\" is no text");
    is_bad("{\"report\":\"r\",\"state\":[]}", "\"state\" is no object");
    is_bad("{\"report\":\"r\",\"evidence\":3}", "\"evidence\" is no list");
    is_bad("{\"report\":\"r\",\"evidence\":[1.5]}", "something else than whole numbers");
    is_bad("{\"report\":\"r\",\"evidence\":[1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7]}", "at most 16");
    is_bad("{\"run\":8,\"report\":\"r\"}", "another run than 9");
}

IT("keeps a state of 4 KiB and refuses a larger one") {
    char line[PERI_STATE_MAX_BYTES + 64];
    snprintf(line, sizeof line, "{\"state\":{\"s\":\"%0*d\"}}", PERI_STATE_MAX_BYTES - 8, 0);
    CHECK_EQ(read_answer(line).saved_state.len, PERI_STATE_MAX_BYTES);
    snprintf(line, sizeof line, "{\"state\":{\"s\":\"%0*d\"}}", PERI_STATE_MAX_BYTES - 7, 0);
    is_bad(line, "\"state\" is over 4096 bytes");
}

IT("mends text that is not UTF-8") {
    peri_run_result result = read_answer("{\"advise\":\"a\xFF\"}");
    CHECK_EQ(result.state, PERI_RUN_PROPOSED);
    CHECK_STR(result.draft.advise, "a\xEF\xBF\xBD");
}

TEST_MAIN
