// Values across the border of the sandbox: bounded, by raw access, the same bytes in every run.
#include <lauxlib.h>

#include "base/utf8.h"
#include "script/vm.h"
#include "test.h"

typedef struct box {
    peri_vm *vm;
    peri_arena arena;
    peri_str error;
    peri_buf out;
} box;

static void open_box(box *b) {
    peri_vm_options options = {.limits.wall_ms = 5000};
    *b = (box){0};
    peri_arena_init(&b->arena, 1 << 20);
    peri_buf_init(&b->out, 1 << 20);
    CHECK_OK(peri_vm_new(&options, &b->vm));
}

static void close_box(box *b) {
    peri_vm_free(b->vm);
    peri_arena_deinit(&b->arena);
    peri_buf_deinit(&b->out);
}

// Runs `source` and writes its result as JSON.
static int write_result(box *b, const char *source, size_t max_bytes) {
    int status =
        peri_vm_load(b->vm, peri_str_c(source), PERI_STR("v.lua"), &b->arena, &b->error);
    if (status < 0) TEST_FAIL("%s: %.*s", source, PERI_FMT(b->error));
    peri_buf_clear(&b->out);
    status = peri_vm_to_json(b->vm, -1, max_bytes, &b->out, &b->arena, &b->error);
    lua_pop(peri_vm_lua(b->vm), 1);
    CHECK_EQ(lua_gettop(peri_vm_lua(b->vm)), 0);
    return status;
}

static void check_json(const char *source, const char *want) {
    box b;
    open_box(&b);
    int status = write_result(&b, source, 1 << 16);
    if (status < 0) TEST_FAIL("%s: %.*s", source, PERI_FMT(b.error));
    CHECK_STR(peri_buf_str(&b.out), want);
    close_box(&b);
}

static void check_refused(const char *source, int want, const char *error) {
    box b;
    open_box(&b);
    CHECK_EQ(write_result(&b, source, 1 << 16), want);
    CHECK_STR(b.error, error);
    CHECK_EQ(b.out.len, 0);
    close_box(&b);
}

IT("writes plain values as JSON") {
    check_json("return nil", "null");
    check_json("return true", "true");
    check_json("return 12", "12");
    check_json("return -0.5", "-0.5");
    check_json("return 0.1", "0.1");
    check_json("return 1e21", "1e+21");
    check_json("return 2^53 - 1", "9007199254740991");
    check_json("return 0/0", "null");
    check_json("return { 1/0, -1/0 }", "[null,null]");
    check_json("return 'a\"b\\n\\0'", "\"a\\\"b\\n\\u0000\"");
    check_json("return {}", "{}");
    check_json("return { 1, { 2 }, 'x', false }", "[1,[2],\"x\",false]");
}

IT("writes members in the byte order of their keys, in every run") {
    for (int i = 0; i < 8; i++) {
        check_json("return { zeta = 1, alpha = { y = 1, x = { 2 } }, ['a b'] = 'c', Z = 0 }",
                   "{\"Z\":0,\"a b\":\"c\",\"alpha\":{\"x\":[2],\"y\":1},\"zeta\":1}");
    }
}

IT("repairs texts and keys that are not UTF-8") {
    check_json("return 'a\\255b'", "\"a\xef\xbf\xbd"
                                   "b\"");
    check_json("return { ['\\200'] = 1 }", "{\"\xef\xbf\xbd\":1}");
}

IT("C51 runs no metamethod of a value") {
    check_json(
        "return setmetatable({ a = 1 }, { __index = error, __pairs = error, __len = error, "
        "__tostring = error })",
        "{\"a\":1}");
}

IT("C18 refuses cycles and values deeper than 32 levels, and says which") {
    check_refused("local t = {} t.self = t return t", PERI_EDEPTH,
                  "value.self: a table that contains itself");
    check_refused("local t = { a = { {} } } t.a[1].b = t.a return t", PERI_EDEPTH,
                  "value.a[1].b: a table that contains itself");
    box b;
    open_box(&b);
    CHECK_EQ(write_result(&b,
                          "local t = {} local r = t for i = 1, 100000 do local n = {} r[1] = n "
                          "r = n end return t",
                          1 << 16),
             PERI_EDEPTH);
    CHECK_HAS(b.error, "deeper than the limit of 32 levels");
    CHECK_OK(write_result(&b, "local t = 1 for i = 1, 32 do t = { t } end return t", 1 << 16));
    CHECK_EQ(write_result(&b, "local t = 1 for i = 1, 33 do t = { t } end return t", 1 << 16),
             PERI_EDEPTH);
    CHECK_OK(write_result(&b, "local t = { 1 } return { t, t, x and t }", 1 << 16)); // no cycle
    CHECK_STR(peri_buf_str(&b.out), "[[1],[1]]");
    close_box(&b);
}

IT("C51 refuses what is no value and names where it stands") {
    check_refused("return print", PERI_EINVAL, "value: function");
    check_refused("return { a = { 1, 2, print } }", PERI_EINVAL, "value.a[3]: function");
    check_refused("return { co = coroutine.create(print) }", PERI_EINVAL, "value.co: thread");
    check_refused("return { 1, 2, x = 3 }", PERI_EINVAL,
                  "value: a table whose keys are neither all texts nor 1, 2, 3, ...");
    check_refused("return { list = { [1] = 1, [5] = 5 } }", PERI_EINVAL,
                  "value.list: a table whose keys are neither all texts nor 1, 2, 3, ...");
    check_refused("return { [true] = 1 }", PERI_EINVAL,
                  "value: a table whose keys are neither all texts nor 1, 2, 3, ...");
    check_refused("return { ['\\27[2J' .. ('k'):rep(100)] = print }", PERI_EINVAL,
                  "value.\\x1b[2Jkkkkkkkkkkkkkkkkkkkk: function");
}

IT("stops at the given size") {
    box b;
    open_box(&b);
    CHECK_OK(write_result(&b, "return ('x'):rep(98)", 100));
    CHECK_EQ(write_result(&b, "return ('x'):rep(99)", 100), PERI_ELIMIT);
    CHECK_EQ(b.out.len, 0);
    CHECK(b.error.len > 0);
    CHECK_EQ(write_result(&b, "return ('x'):rep(5e6)", 100), PERI_ELIMIT);
    CHECK_EQ(write_result(&b, "local t = {} for i = 1, 1e5 do t[i] = 1 end return t", 100),
             PERI_ELIMIT);
    CHECK_EQ(
        write_result(&b, "local t = {} for i = 1, 1e4 do t['k' .. i] = 1 end return t", 100),
        PERI_ELIMIT);
    CHECK_EQ(write_result(&b, "local t = 'x' for i = 1, 30 do t = { t, t } end return t", 4096),
             PERI_ELIMIT);
    close_box(&b);
}

// Writes the value kept in the registry from inside a call, where a budget runs.
static int write_entered(lua_State *L, void *user) {
    box *b = user;
    lua_rawgeti(L, LUA_REGISTRYINDEX, 1000);
    return peri_vm_to_json(b->vm, -1, 1 << 20, &b->out, &b->arena, &b->error) < 0;
}

IT("C18 looks at a table that stands in many places no longer than its call may take") {
    static const char source[] = "local big, some, many = {}, {}, {} "
                                 "for i = 1, 5000 do big[i + 0.5] = i end "
                                 "for i = 1, 5000 do big[i + 0.5] = nil end "
                                 "for i = 1, 400 do some[i] = big; many[i] = some end "
                                 "return many";
    peri_vm_options options = {.limits = {.instructions = 100000, .wall_ms = 60000}};
    box b = {0};
    peri_arena_init(&b.arena, 1 << 20);
    peri_buf_init(&b.out, 1 << 20);
    CHECK_OK(peri_vm_new(&options, &b.vm));
    CHECK_OK(peri_vm_load(b.vm, peri_str_c(source), PERI_STR("v.lua"), &b.arena, &b.error));
    lua_rawseti(peri_vm_lua(b.vm), LUA_REGISTRYINDEX, 1000);
    CHECK_EQ(peri_vm_run(b.vm, write_entered, &b, 1, &b.arena, &b.error), PERI_ETIMEOUT);
    CHECK_EQ(b.out.len, 0);
    CHECK_EQ(lua_gettop(peri_vm_lua(b.vm)), 0);
    close_box(&b);
}

typedef struct push {
    peri_str json;
    int status;
} push;

static int push_entered(lua_State *L, void *user) {
    push *p = user;
    int top = lua_gettop(L);
    p->status = peri_vm_push_json(L, p->json);
    if (p->status < 0 && lua_gettop(L) != top) return luaL_error(L, "something was pushed");
    if (p->status < 0) lua_pushnil(L);
    return 1;
}

// Pushes `json` into the sandbox and writes it again.
static int round_trip(box *b, peri_str json) {
    push p = {.json = json};
    CHECK_OK(peri_vm_run(b->vm, push_entered, &p, 1, &b->arena, &b->error));
    if (p.status < 0) return p.status;
    peri_buf_clear(&b->out);
    int status = peri_vm_to_json(b->vm, -1, 1 << 16, &b->out, &b->arena, &b->error);
    lua_settop(peri_vm_lua(b->vm), 0);
    return status;
}

IT("reads JSON as plain tables that write the same text again") {
    static const char *const texts[] = {
        "null",
        "true",
        "-1.5",
        "\"\"",
        "\"\xc3\xa9\\n\\u0000\"",
        "[1,[2,[3]],{\"a\":[]}]",
        "{\"a\":1,\"b\":{\"c\":\"d\"},\"e\\\"f\":false}",
    };
    box b;
    open_box(&b);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        CHECK_OK(round_trip(&b, peri_str_c(texts[i])));
        if (i == 5) { // an empty array is an empty table
            CHECK_STR(peri_buf_str(&b.out), "[1,[2,[3]],{\"a\":{}}]");
        } else {
            CHECK_STR(peri_buf_str(&b.out), texts[i]);
        }
    }
    close_box(&b);
}

IT("keeps big whole numbers digit for digit, as texts, and leaves null out") {
    box b;
    open_box(&b);
    CHECK_OK(
        round_trip(&b, PERI_STR("[9007199254740993,-9007199254740993,9007199254740992,1e3]")));
    CHECK_STR(peri_buf_str(&b.out),
              "[\"9007199254740993\",\"-9007199254740993\",9007199254740992,1000]");
    CHECK_OK(round_trip(&b, PERI_STR("[123456789012345678901234567890]")));
    CHECK_STR(peri_buf_str(&b.out), "[\"123456789012345678901234567890\"]");
    CHECK_OK(round_trip(&b, PERI_STR("{\"a\":null,\"b\":[1,null]}")));
    CHECK_STR(peri_buf_str(&b.out), "{\"b\":[1]}");
    close_box(&b);
}

IT("pushes nothing for text that is not one JSON value") {
    static const char *const texts[] = {"", "{", "[1,]", "1 2", "{}{}", "nul", "\"\xff\""};
    box b;
    open_box(&b);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        CHECK_EQ(round_trip(&b, peri_str_c(texts[i])), PERI_EPARSE);
    }
    CHECK_OK(round_trip(&b, PERI_STR(" [1]\n")));
    close_box(&b);
}

IT("C18 refuses JSON nested deeper than 64 levels") {
    char text[200];
    box b;
    open_box(&b);
    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    CHECK_EQ(round_trip(&b, peri_str_of(text, 130)), PERI_EDEPTH);
    close_box(&b);
}

IT("leaks nothing when the state runs out of memory half-way") {
    peri_buf json;
    peri_buf_init(&json, 1 << 20);
    peri_buf_add_c(&json, "[\"\"");
    for (int i = 0; i < 3000; i++) peri_buf_addf(&json, ",{\"k\\n%d\":\"v\\t%d\"}", i, i);
    peri_buf_add_c(&json, "]");
    for (size_t limit = 40000; limit < 400000; limit += 30011) {
        peri_vm_options options = {.limits = {.memory_bytes = limit, .wall_ms = 5000}};
        box b = {0};
        peri_arena_init(&b.arena, 1 << 20);
        CHECK_OK(peri_vm_new(&options, &b.vm));
        push p = {.json = peri_buf_str(&json)};
        CHECK_EQ(peri_vm_run(b.vm, push_entered, &p, 1, &b.arena, &b.error), PERI_ELIMIT);
        close_box(&b);
    }
    peri_buf_deinit(&json);
}

TEST_MAIN
