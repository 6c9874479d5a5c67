// Where an assignment's value comes from, and what a test asks (core/ingest/pick.c, match.c).
#include "ingest/pick.h"

#include "ingest/apply.h"
#include "reading.h"

static heard h;

static void on_obs(void *user, peri_obs *obs) {
    hear_observation(user, obs);
}

// What a dialect with these members makes of `record`.
static peri_str apply(const char *members, const char *record) {
    char text[4096];
    peri_json_doc doc;
    peri_arena arena;
    snprintf(text, sizeof text, "return dialect { name = 't', api = 1, session = 's', %s }",
             members);
    peri_dialect_file *file = compile(peri_str_c(text), NULL);
    peri_json_doc_init(&doc);
    peri_arena_init(&arena, 1 << 22);
    heard_deinit(&h);
    heard_init(&h);
    CHECK_OK(peri_json_parse(&doc, peri_str_c(record)));
    (void)peri_dialect_apply(peri_dialect_file_get(file), peri_json_root(&doc), &arena, on_obs,
                             &h);
    peri_json_doc_deinit(&doc);
    peri_arena_deinit(&arena);
    peri_dialect_file_free(file);
    return peri_buf_str(&h.observations);
}

#define RULE(emit) "rules = { { when = {}, emit = " emit " } }"
#define CALL(input) RULE("{ kind = 'tool', name = { const = 'x' }, input = " input " }")
#define RESULT(sets)                                                                           \
    RULE("{ kind = 'tool-result', callId = 'id', preview = { const = 'p' }, " sets " }")

IT("reads JSON inside a string where the string holds nothing else") {
    const char *call = CALL("{ 'a', json = true }");
    CHECK_HAS(apply(call, "{\"a\":\" {\\\"cmd\\\":\\\"ls \\\\u00e9\\\"} \"}"),
              "\"input\":{\"cmd\":\"ls é\"}");
    CHECK_HAS(apply(call, "{\"a\":\"[1,2]\"}"), "\"input\":[1,2]");
    CHECK_HAS(apply(call, "{\"a\":\"{\\\"cmd\\\":\"}"), "\"input\":\"{\\\"cmd\\\":\"");
    CHECK_HAS(apply(call, "{\"a\":\"{} {}\"}"), "\"input\":\"{} {}\"");
    CHECK_HAS(apply(call, "{\"a\":\"12\"}"), "\"input\":\"12\"");
    CHECK_HAS(apply(call, "{\"a\":{\"b\":1}}"), "\"input\":{\"b\":1}");
}

IT("leaves JSON in a string alone where it is too large to be read twice") {
    peri_json_doc doc, inner;
    peri_arena arena;
    size_t size = PERI_PICK_INNER_BYTES + 100;
    char *text = malloc(size + 1);
    memset(text, ' ', size);
    memcpy(text, "\"{", 2);
    memcpy(text + size - 2, "}\"", 3);
    peri_json_doc_init(&doc);
    peri_json_doc_init(&inner);
    peri_arena_init(&arena, 1 << 22);
    CHECK_OK(peri_json_parse(&doc, peri_str_c(text)));
    CHECK(!peri_pick_inner(peri_json_root(&doc), &inner, &arena));
    peri_json_doc_deinit(&doc);
    peri_json_doc_deinit(&inner);
    peri_arena_deinit(&arena);
    free(text);
}

IT("takes a flag from whether one of several tests holds") {
    const char *rule = RESULT("isError = { any = { { status = { 'failed', 'declined' } }, "
                              "{ code = { present = true, ['not'] = 0 } } } }");
    CHECK_HAS(apply(rule, "{\"id\":\"c\",\"status\":\"failed\"}"), "\"isError\":true");
    CHECK_HAS(apply(rule, "{\"id\":\"c\",\"code\":2,\"status\":\"completed\"}"),
              "\"isError\":true");
    CHECK_HAS(apply(rule, "{\"id\":\"c\",\"code\":0}"), "\"isError\":false");
    CHECK_HAS(apply(rule, "{\"id\":\"c\",\"code\":null}"), "\"isError\":false");
}

IT("takes a value of its own where a test holds, else what the paths lead to") {
    const char *rule =
        RULE("{ kind = 'text', text = { any = { { bad = true } }, yes = 'broken', "
             "'word', default = 'none' } }");
    CHECK_HAS(apply(rule, "{\"bad\":true,\"word\":\"fine\"}"), "\"text\":\"broken\"");
    CHECK_HAS(apply(rule, "{\"word\":\"fine\"}"), "\"text\":\"fine\"");
    CHECK_HAS(apply(rule, "{}"), "\"text\":\"none\"");
}

IT("takes how a command ended for an error where nothing else says whether it was one") {
    const char *rule = RESULT("x = { exitCode = 'code' }");
    CHECK_HAS(apply(rule, "{\"id\":\"c\",\"code\":1}"), "\"isError\":true");
    CHECK_HAS(apply(rule, "{\"id\":\"c\",\"code\":0}"), "\"isError\":false");
    CHECK_HAS(apply(rule, "{\"id\":\"c\"}"), "\"isError\":false");
}

IT("cuts numbers and names out of texts") {
    const char *rule =
        RESULT("x = { exitCode = { 'out', between = { 'with code ', '\\n' } } }");
    CHECK_HAS(apply(rule, "{\"id\":\"c\",\"out\":\"Wall\\nexited with code 12\\nOutput\"}"),
              "\"exitCode\":12");
    CHECK_EQ(peri_str_find(apply(rule, "{\"id\":\"c\",\"out\":\"exited with code x\"}"),
                           PERI_STR("exitCode")),
             PERI_NPOS);
    rule = RULE("{ kind = 'prompt', text = { 't', between = { '>', '</p>' } }, "
                "x = { origin = { 't', between = { 'from=\"', '\"' } } } }");
    peri_str got = apply(rule, "{\"t\":\"<p from=\\\"observer:w\\\">look</p>\"}");
    CHECK_HAS(got, "\"text\":\"look\"");
    CHECK_HAS(got, "\"origin\":\"observer:w\"");
}

IT("tests the beginning of a text as it reads, not as it is escaped") {
    const char *rule = "rules = { { when = { t = { prefix = '<m from=\"é' } }, emit = { "
                       "kind = 'text', text = { const = 'yes' } } } }";
    CHECK_HAS(apply(rule, "{\"t\":\"<m from=\\\"\\u00e9x\"}"), "\"yes\"");
    CHECK_HAS(apply(rule, "{\"t\":\"<m from=\\\"é\"}"), "\"yes\"");
    CHECK_HAS(apply(rule, "{\"t\":\"<m from=\\\"\"}"), "\"raw\"");
}

IT("tests the second path where the first leads to nothing") {
    const char *rule = "rules = { { when = { ['i.type|i.item_type'] = 'message' }, emit = { "
                       "kind = 'text', text = 'i.text' } } }";
    CHECK_HAS(apply(rule, "{\"i\":{\"type\":\"message\",\"text\":\"a\"}}"), "\"text\":\"a\"");
    CHECK_HAS(apply(rule, "{\"i\":{\"item_type\":\"message\",\"text\":\"b\"}}"),
              "\"text\":\"b\"");
    CHECK_HAS(apply(rule, "{\"i\":{\"type\":\"x\",\"item_type\":\"message\"}}"), "\"raw\"");
}

IT("reads the record that a line wraps, and still the line around it") {
    const char *rule =
        "root = 'payload', at = '@t', rules = { { when = { ['@done'] = true } }, "
        "{ when = { e = 'say' }, emit = { kind = 'text', text = 'm' } } }";
    CHECK_HAS(apply(rule, "{\"t\":1796044624176,\"payload\":{\"e\":\"say\",\"m\":\"hi\"}}"),
              "\"text\":\"hi\",\"pass\":1,\"at\":\"2026-11-30T13:17:04.176Z\"");
    CHECK_HAS(apply(rule, "{\"e\":\"say\",\"m\":\"bare\"}"), "\"text\":\"bare\"");
    CHECK_EQ(apply(rule, "{\"done\":true,\"payload\":{\"e\":\"say\"}}").len, 0);
    CHECK_HAS(apply(rule, "{\"payload\":{\"e\":\"?\"}}"),
              "\"value\":{\"payload\":{\"e\":\"?\"}}");
}

TEST_MAIN
