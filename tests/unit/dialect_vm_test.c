// Map functions: what a script makes of a record that no rule can describe, and what becomes of
// one that fails.
#include "script/dialect_vm.h"

#include "ingest/apply.h"
#include "reading.h"
#include "script/embedded.h"

static peri_dialect_file *file;
static heard h;
static peri_apply_result result;

static void on_obs(void *user, peri_obs *obs) {
    hear_observation(user, obs);
}

static void load(const char *body) {
    char text[4096];
    snprintf(text, sizeof text,
             "return dialect { name = 't', api = 1, session = 's', rules = {\n"
             "{ when = { odd = { present = true } }, map = 'odd' } },\n"
             "odd = function(record, emit) %s end }",
             body);
    peri_dialect_file_free(file);
    file = compile(peri_str_c(text), NULL);
}

static peri_str apply(const char *record) {
    peri_json_doc doc;
    peri_arena arena;
    peri_json_doc_init(&doc);
    peri_arena_init(&arena, 1 << 24);
    heard_deinit(&h);
    heard_init(&h);
    CHECK_OK(peri_json_parse(&doc, peri_str_c(record)));
    result = peri_dialect_apply(peri_dialect_file_get(file), peri_json_root(&doc), &arena,
                                on_obs, &h);
    peri_json_doc_deinit(&doc);
    peri_arena_deinit(&arena);
    return peri_buf_str(&h.observations);
}

IT("hands the record to the function and takes what it emits, header and extras included") {
    load("emit('text', { text = record.odd[2] .. '!', x = { answer = 'm1' } })\n"
         "emit('tool', { name = 'Bash', input = { command = record.odd[1] }, callId = 'c1' })");
    peri_str got = apply("{\"s\":\"s1\",\"odd\":[\"ls\",\"hé\"]}");
    CHECK_EQ(result.state, PERI_APPLY_MATCHED);
    CHECK_EQ(h.observation_count, 2);
    CHECK_HAS(got, "\"text\":\"hé!\"");
    CHECK_HAS(got, "\"session\":\"s1\"");
    CHECK_HAS(got, "\"answer\":\"m1\"");
    CHECK_HAS(got, "\"input\":{\"command\":\"ls\"}");
}

IT("may emit nothing; a kind nobody knows and a missing field are raw") {
    load("if record.odd ~= 0 then emit(record.odd, {}) end");
    CHECK_EQ(apply("{\"odd\":0}").len, 0);
    CHECK_HAS(apply("{\"odd\":\"no-such-kind\"}"), "\"kind\":\"raw\"");
    CHECK_HAS(apply("{\"odd\":\"text\"}"), "\"kind\":\"raw\"");
    CHECK_EQ(result.state, PERI_APPLY_INVALID);
}

IT("keeps the record as raw when the function fails, says why, and goes on") {
    load("if record.odd == 1 then error('odd indeed') end emit('text', { text = 'ok' })");
    CHECK_HAS(apply("{\"odd\":1}"), "\"kind\":\"raw\"");
    CHECK_EQ(result.state, PERI_APPLY_FAILED);
    CHECK_HAS(apply("{\"odd\":2}"), "\"text\":\"ok\"");
}

IT("emits nothing of a function that fails behind an emit") {
    load("emit('text', { text = 'half' }) error('no')");
    peri_str got = apply("{\"odd\":1}");
    CHECK_EQ(peri_str_find(got, PERI_STR("half")), PERI_NPOS);
    CHECK_EQ(h.observation_count, 1);
}

IT("ends a function that loops or hoards, and has a fresh sandbox for the next record") {
    load(
        "if record.odd == 1 then while true do end end\n"
        "if record.odd == 2 then local t = {} while true do t[#t + 1] = ('x'):rep(9999) .. #t end end\n"
        "emit('text', { text = 'ok' })");
    for (int i = 1; i <= 2; i++) {
        CHECK_HAS(apply(i == 1 ? "{\"odd\":1}" : "{\"odd\":2}"), "\"kind\":\"raw\"");
        CHECK_EQ(result.state, PERI_APPLY_FAILED);
        CHECK_HAS(apply("{\"odd\":3}"), "\"text\":\"ok\"");
    }
}

IT("bounds what goes in and what comes out") {
    char *record = malloc(700000);
    load("emit('text', { text = 'ok' })");
    strcpy(record, "{\"odd\":[1");
    size_t len = strlen(record);
    while (len < 600000) {
        memcpy(record + len, ",12345678", 9);
        len += 9;
    }
    strcpy(record + len, "]}");
    CHECK_HAS(apply(record), "\"kind\":\"raw\"");
    CHECK_EQ(result.state, PERI_APPLY_FAILED);
    free(record);
    load("for i = 1, 65 do emit('text', { text = 'ok' }) end");
    CHECK_HAS(apply("{\"odd\":1}"), "\"kind\":\"raw\"");
    CHECK_EQ(result.state, PERI_APPLY_FAILED);
    CHECK_EQ(h.observation_count, 1);
}

IT("refuses a rule that names a function which is not there") {
    char *said;
    CHECK(!compile(
        PERI_STR("return dialect { name = 't', rules = { { when = {}, map = 'f' } } }"),
        &said));
    CHECK_HAS(peri_str_c(said), "no function of the dialect");
    free(said);
    peri_dialect_file_free(file);
    heard_deinit(&h);
}

static peri_str find_shipped(void *user, peri_str name) {
    char path[128] = "lua/";
    for (size_t i = 0; i < name.len && i < 100; i++) {
        path[4 + i] = name.ptr[i] == '.' ? '/' : name.ptr[i];
    }
    size_t len = strlen(path);
    snprintf(path + len, sizeof path - len, ".lua");
    peri_str text = peri_embedded_find(peri_str_c(path));
    snprintf(path + len, sizeof path - len, "/init.lua");
    return text.ptr ? text : peri_embedded_find(peri_str_c(path));
}

IT("ships with the rules of its dialects as their files say them today") {
    size_t count = 0;
    for (const peri_embedded *rules = peri_embedded_rules; rules->path; rules++, count++) {
        peri_vm_options options = {.find_module = find_shipped, .limits.wall_ms = 60000};
        peri_str path = peri_str_c(rules->path), error = {0};
        peri_dialect_vm vm;
        peri_arena arena;
        peri_buf said;
        peri_arena_init(&arena, 1 << 20);
        peri_buf_init(&said, PERI_DIALECT_MAX_BYTES);
        peri_dialect_vm_init(&vm, path, peri_embedded_find(path), &options);
        CHECK_OK(peri_dialect_vm_read(&vm, &said, &arena, &error));
        CHECK(peri_str_eq(peri_buf_str(&said), rules->text));
        peri_dialect_vm_deinit(&vm);
        peri_buf_deinit(&said);
        peri_arena_deinit(&arena);
    }
    CHECK(count > 10);
}

TEST_MAIN
