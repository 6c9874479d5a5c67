// Rules executed on records: which rule takes a record, what an emit sets, what is refused and
// what becomes of it. The dialects here are written for the test; shipped ones have specs.
#include "ingest/apply.h"

#include "reading.h"

static peri_dialect_file *file;
static peri_json_doc doc;
static peri_arena arena;
static heard h;
static peri_apply_result result;

static void on_obs(void *user, peri_obs *obs) {
    hear_observation(user, obs);
}

// Applies the dialect `rules` stands in to `record`; what it emitted, a line each.
static peri_str apply(const char *rules, const char *record) {
    char text[4096];
    snprintf(text, sizeof text,
             "return dialect { name = 't', api = 1, session = 's', at = 'at', seq = 'n', %s }",
             rules);
    peri_dialect_file_free(file);
    peri_json_doc_deinit(&doc);
    peri_arena_deinit(&arena);
    heard_deinit(&h);
    file = compile(peri_str_c(text), NULL);
    peri_json_doc_init(&doc);
    peri_arena_init(&arena, 1 << 24);
    heard_init(&h);
    CHECK_OK(peri_json_parse(&doc, peri_str_c(record)));
    result = peri_dialect_apply(peri_dialect_file_get(file), peri_json_root(&doc), &arena,
                                on_obs, &h);
    return peri_buf_str(&h.observations);
}

IT("takes the first rule that matches, and no other") {
    peri_str out =
        apply("rules = { { when = { a = 'x' }, emit = { kind = 'text', text = 'a' } },"
              "{ when = { a = 'x' }, emit = { kind = 'prompt', text = 'a' } } }",
              "{\"a\":\"x\",\"s\":\"S\"}");
    CHECK_HAS(out, "{\"kind\":\"text\",\"text\":\"x\",\"pass\":1");
    CHECK_HAS(out, "\"session\":\"S\"");
    CHECK_EQ(h.observation_count, 1);
    CHECK_EQ(result.state, PERI_APPLY_MATCHED);
}

IT("runs emits for each element of an array, and `after` once behind them") {
    peri_str out = apply("rules = { { when = {}, each = 'list', emit = {"
                         "{ when = { t = 'a' }, kind = 'text', text = 'v' },"
                         "{ when = { t = 'b' }, kind = 'reasoning', text = '^top' } },"
                         "after = { { kind = 'finished' } } } }",
                         "{\"top\":\"T\",\"list\":[{\"t\":\"a\",\"v\":\"1\"},{\"t\":\"z\"},"
                         "{\"t\":\"b\"}]}");
    CHECK_STR(out, "{\"kind\":\"text\",\"text\":\"1\",\"pass\":1}\n"
                   "{\"kind\":\"reasoning\",\"text\":\"T\",\"pass\":1}\n"
                   "{\"kind\":\"finished\",\"pass\":1}\n");
}

IT("runs emits once on a value of `each` that is no array, and not at all on an absent one") {
    const char *rules =
        "rules = { { when = {}, each = 'v', emit = { kind = 'text', text = '.' } } }";
    CHECK_STR(apply(rules, "{\"v\":\"only\"}"),
              "{\"kind\":\"text\",\"text\":\"only\",\"pass\":1}\n");
    CHECK_EQ(apply(rules, "{\"v\":null}").len, 0);
    CHECK_EQ(result.state, PERI_APPLY_MATCHED);
}

IT("goes on with the next emit only behind `more`") {
    peri_str out =
        apply("rules = { { when = {}, emit = { { kind = 'text', text = 'a', more = true },"
              "{ kind = 'prompt', text = 'a' }, { kind = 'finished' } } } }",
              "{\"a\":\"x\"}");
    CHECK_EQ(h.observation_count, 2);
    CHECK_HAS(out, "\"kind\":\"prompt\"");
}

IT("OB-1 keeps a record of an unknown kind as raw with its value") {
    peri_str out = apply("rules = { { when = { a = 'x' } } }", "{\"a\": \"y\", \"s\":\"S\"}");
    CHECK_HAS(out, "{\"kind\":\"raw\",\"value\":{\"a\":\"y\",\"s\":\"S\"},\"pass\":1");
    CHECK_EQ(result.state, PERI_APPLY_UNKNOWN);
}

IT("OB-1 keeps a record that lacks a required field as raw, and names the field") {
    peri_str out =
        apply("rules = { { when = {}, emit = { kind = 'steer', text = 'a', mode = 'm' } } }",
              "{\"a\":\"x\"}");
    CHECK_HAS(out, "\"kind\":\"raw\"");
    CHECK_EQ(result.state, PERI_APPLY_INVALID);
    CHECK_EQ(result.invalid_kind, PERI_OBS_STEER);
    CHECK_EQ(result.invalid_field, PERI_OBS_F_MODE);
}

IT("knows a record that says nothing: a rule without emits") {
    CHECK_EQ(apply("skip = { { a = 'x' } }, rules = {}", "{\"a\":\"x\"}").len, 0);
    CHECK_EQ(result.state, PERI_APPLY_MATCHED);
}

static bool matches(const char *test, const char *record) {
    char rules[512];
    snprintf(rules, sizeof rules, "rules = { { when = { %s } } }", test);
    apply(rules, record);
    return result.state == PERI_APPLY_MATCHED;
}

IT("tests words, prefixes, types, presence and emptiness") {
    CHECK(matches("a = { 'x', 'y' }", "{\"a\":\"\\u0079\"}"));
    CHECK(!matches("a = { 'x', 'y' }", "{\"a\":\"xy\"}"));
    CHECK(matches("a = '7'", "{\"a\":7}"));
    CHECK(matches("a = { prefix = 'ab' }", "{\"a\":\"abc\"}"));
    CHECK(!matches("a = { prefix = 'ab' }", "{\"a\":1}"));
    CHECK(matches("a = { ['not'] = 'x' }", "{\"a\":\"y\"}"));
    CHECK(matches("a = true", "{\"a\":true}"));
    CHECK(!matches("a = true", "{\"a\":\"true\"}"));
    CHECK(matches("a = false", "{}"));
    CHECK(matches("a = { present = false }", "{\"a\":null}"));
    CHECK(!matches("a = { present = true }", "{\"a\":null}"));
    CHECK(matches("a = { type = 'array' }", "{\"a\":[]}"));
    CHECK(matches("a = { empty = true }", "{\"a\":{}}"));
    CHECK(matches("a = { empty = true }", "{}"));
    CHECK(!matches("a = { empty = true }", "{\"a\":0}"));
    CHECK(matches("['a.b.c'] = '1'", "{\"a\":{\"b\":{\"c\":1}}}"));
}

IT("takes the first path that leads somewhere, then the default") {
    const char *rules = "rules = { { when = {}, emit = { kind = 'text',"
                        "text = { 'a', 'b.c', default = 'none' } } } }";
    CHECK_HAS(apply(rules, "{\"a\":null,\"b\":{\"c\":\"deep\"}}"), "\"text\":\"deep\"");
    CHECK_HAS(apply(rules, "{}"), "\"text\":\"none\"");
}

IT("joins the text of content blocks and names the others") {
    peri_str out =
        apply("rules = { { when = {}, emit = { kind = 'text', text = 'a' } } }",
              "{\"a\":[{\"type\":\"text\",\"text\":\"o\\u006ee\"},{\"type\":\"image\","
              "\"data\":\"AAAA\"},\"two\",7]}");
    CHECK_HAS(out, "\"text\":\"one\\n[image]\\ntwo\\n[block]\"");
}

IT("counts what joined blocks leave out") {
    enum { BLOCK = 60000, BLOCKS = 30 };
    char *block = malloc(BLOCK + 1), *record = malloc(BLOCKS * (BLOCK + 16) + 32);
    memset(block, 'A', BLOCK);
    block[BLOCK] = '\0';
    size_t len = (size_t)sprintf(record, "{\"a\":[");
    for (int i = 0; i < BLOCKS; i++)
        len += (size_t)sprintf(record + len, "%s\"%s\"", i ? "," : "", block);
    sprintf(record + len, "]}");
    peri_str out = apply("rules = { { when = {}, emit = { kind = 'tool-result', callId = 'c',"
                         "x = { output = 'a' } } } }",
                         record);
    CHECK_HAS(out, "\"characters\":1800017"); // with the line feeds behind the seventeen kept
    free(block);
    free(record);
}

IT("OB-3 tells a result by its first 2,000 characters and its full length") {
    char record[8192] = "{\"a\":\"";
    size_t len = strlen(record);
    for (int i = 0; i < 1999; i++) record[len++] = 'x';
    len += (size_t)sprintf(record + len, "%s", "\xF0\x9F\x98\x80yz\"}"); // units 1999 and 2000
    peri_str out = apply("rules = { { when = {}, emit = { kind = 'tool-result', callId = 'c',"
                         "name = 'n', x = { output = 'a' } } } }",
                         record);
    CHECK_HAS(out, "\"characters\":2003");
    size_t from = peri_str_find(out, PERI_STR("\"preview\":\"")) + 11;
    CHECK_EQ(peri_str_find_byte(out, '"', from) - from, 1999); // the pair is not split
    CHECK_HAS(out, "\xF0\x9F\x98\x80yz");
}

IT("OB-3 cuts a preview that a stream tells longer, and keeps the length it tells") {
    char record[4096] = "{\"c\":5000,\"p\":\"";
    size_t len = strlen(record);
    for (int i = 0; i < 2500; i++) record[len++] = 'p';
    strcpy(record + len, "\"}");
    peri_str out =
        apply("rules = { { when = {}, emit = { kind = 'tool-result', preview = 'p',"
              "characters = 'c', name = { const = 'n' }, callId = { const = 'i' } } } }",
              record);
    size_t from = peri_str_find(out, PERI_STR("\"preview\":\"")) + 11;
    CHECK_EQ(peri_str_find_byte(out, '"', from) - from, 2000);
    CHECK_HAS(out, "\"characters\":5000");
}

IT("OB-3 keeps 2,000 characters of a large raw record, and says how large it was") {
    char record[6000] = "{\"a\":\"";
    size_t len = strlen(record);
    for (int i = 0; i < 5000; i++) record[len++] = 'r';
    strcpy(record + len, "\"}");
    peri_str out = apply("rules = {}", record);
    CHECK_HAS(out, "\"bytes\":5008");
    CHECK_HAS(out, "\"truncated\":true");
    CHECK(out.len < 2300);
}

IT("C17 keeps numbers digit for digit") {
    peri_str out =
        apply("rules = { { when = {}, emit = { kind = 'tool', name = 'k', input = 'i',"
              "callId = 'c' } } }",
              "{\"k\":\"q\",\"c\":1491926160718000001,\"n\":9007199254740993,"
              "\"i\":{\"id\":1849017011531812866,\"n\":1e400,\"r\":0.1}}");
    CHECK_HAS(out, "\"input\":{\"id\":1849017011531812866,\"n\":1e400,\"r\":0.1}");
    CHECK_HAS(out, "\"callId\":\"1491926160718000001\"");
    CHECK_HAS(out, "\"sourceSeq\":9007199254740993");
}

IT("takes an exit code out of a text, and none that no program can end with") {
    const char *rules = "rules = { { when = {}, emit = { kind = 'tool-result', callId = 'c',"
                        "x = { output = 'a', exitCode = { 'a', after = 'Exit code ' } } } } }";
    CHECK_HAS(apply(rules, "{\"a\":\"Exit code 2\\noops\"}"), "\"exitCode\":2");
    CHECK_HAS(apply(rules, "{\"a\":[{\"text\":\"Exit code -7\"}]}"), "\"exitCode\":-7");
    CHECK_EQ(
        peri_str_find(apply(rules, "{\"a\":\"Exit code 4294967298\"}"), PERI_STR("exitCode")),
        PERI_NPOS);
    CHECK_EQ(peri_str_find(apply(rules, "{\"a\":\"Exit code\"}"), PERI_STR("exitCode")),
             PERI_NPOS);
}

IT("reads times as ISO 8601, seconds or milliseconds, and leaves out what is none") {
    const char *rules = "rules = { { when = {}, emit = { kind = 'finished' } } }";
    CHECK_HAS(apply(rules, "{\"at\":\"2026-10-01T10:00:01.500Z\"}"),
              "2026-10-01T10:00:01.500Z");
    CHECK_HAS(apply(rules, "{\"at\":1790848801}"), "2026-10-01T10:00:01.000Z");
    CHECK_HAS(apply(rules, "{\"at\":1790848801500}"), "2026-10-01T10:00:01.500Z");
    CHECK_EQ(peri_str_find(apply(rules, "{\"at\":-1}"), PERI_STR("\"at\"")), PERI_NPOS);
    CHECK_EQ(peri_str_find(apply(rules, "{\"at\":\"soon\"}"), PERI_STR("\"at\"")), PERI_NPOS);
}

IT("reads token counts as parts and as an object, and no negative ones") {
    CHECK_HAS(apply("rules = { { when = {}, emit = { kind = 'usage', ['tokens.input'] = 'i',"
                    "['tokens.output'] = 'o' } } }",
                    "{\"i\":3,\"o\":-4}"),
              "\"tokens\":{\"input\":3,\"cached\":0,\"output\":0}");
    CHECK_HAS(apply("rules = { { when = {}, emit = { kind = 'usage', tokens = 'u' } } }",
                    "{\"u\":{\"input\":1,\"cached\":2,\"cacheCreated\":3,\"output\":4,"
                    "\"complete\":true}}"),
              "{\"input\":1,\"cached\":2,\"cacheCreated\":3,\"output\":4,\"complete\":true}");
}

IT("loses texts, not the record, when the arena is full") {
    apply(
        "rules = { { when = {}, emit = { kind = 'tool', name = 'k', input = 'i', callId = 'c' } } }",
        "{\"k\":\"q\",\"c\":\"x\",\"i\":{\"deep\":[1,2,3]}}");
    peri_arena_deinit(&arena);
    peri_arena_init(&arena, 16);
    heard_deinit(&h);
    heard_init(&h);
    result = peri_dialect_apply(peri_dialect_file_get(file), peri_json_root(&doc), &arena,
                                on_obs, &h);
    CHECK_EQ(result.emitted, 1);
    CHECK_HAS(peri_buf_str(&h.observations), "\"name\":\"q\"");
}

IT("finds how specific a dialect's best detect entry is") {
    apply(
        "detect = { { has = { 'a' } }, { has = { 'a', 'b' }, when = { k = 'x' } } }, rules = {}",
        "{\"a\":1,\"b\":2,\"k\":\"x\"}");
    CHECK_EQ(peri_dialect_detects(peri_dialect_file_get(file), peri_json_root(&doc)), 3);
    apply(
        "detect = { { has = { 'a' } }, { has = { 'a', 'b' }, when = { k = 'x' } } }, rules = {}",
        "{\"a\":1,\"b\":2,\"k\":\"y\"}");
    CHECK_EQ(peri_dialect_detects(peri_dialect_file_get(file), peri_json_root(&doc)), 1);
    apply("detect = { { has = { 'z' } } }, rules = {}", "{\"a\":1}");
    CHECK_EQ(peri_dialect_detects(peri_dialect_file_get(file), peri_json_root(&doc)), 0);
}

IT("gives back all it took") {
    peri_dialect_file_free(file);
    peri_json_doc_deinit(&doc);
    peri_arena_deinit(&arena);
    heard_deinit(&h);
    file = NULL;
}

TEST_MAIN
