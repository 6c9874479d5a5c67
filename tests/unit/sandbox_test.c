// What a script can reach: every value, by every way there is, against a reviewed list. A test
// inside the sandbox would see only what the sandbox admits; this one walks from outside, with
// the real lua_getmetatable, lua_getfenv and lua_getupvalue.
#include "script/sandbox.h"

#include <lauxlib.h>

#include "script/script_internal.h"
#include "script_scene.h"

enum { MAX_DEPTH = 12, TEXT_MAX_BYTES = 1 << 20 };

typedef struct walk {
    lua_State *L;
    int observe_ref; // the script's function
    int seen;        // stack index: value -> true
    peri_buf *out;
    char path[512];
    size_t len;
} walk;

static void visit(walk *w, int depth);

// Visits the value on top of the stack as `name` of what is being visited, and pops it.
static void visit_as(walk *w, int depth, const char *separator, const char *name) {
    size_t before = w->len;
    int wrote = snprintf(w->path + before, sizeof w->path - before, "%s%s", separator, name);
    if (wrote < 0 || (size_t)wrote >= sizeof w->path - before)
        TEST_FAIL("too long: %s", w->path);
    w->len += (size_t)wrote;
    visit(w, depth + 1);
    w->len = before;
    w->path[before] = '\0';
    lua_pop(w->L, 1);
}

static const char *key_text(lua_State *L, int index, char *buf, size_t size) {
    if (lua_type(L, index) == LUA_TSTRING) return lua_tostring(L, index);
    if (lua_type(L, index) == LUA_TNUMBER) {
        snprintf(buf, size, "[%g]", lua_tonumber(L, index));
    } else {
        snprintf(buf, size, "[%s]", luaL_typename(L, index));
    }
    return buf;
}

static void visit_keys(walk *w, int table, int depth) {
    char buf[64];
    for (lua_pushnil(w->L); lua_next(w->L, table);) {
        const char *name = key_text(w->L, -2, buf, sizeof buf);
        if (lua_istable(w->L, -2) || lua_isfunction(w->L, -2) || lua_isuserdata(w->L, -2)) {
            lua_pushvalue(w->L, -2);
            visit_as(w, depth, ".", "(key)");
        }
        visit_as(w, depth, ".", name);
    }
}

static void visit_function(walk *w, int function, int depth) {
    lua_getfenv(w->L, function);
    visit_as(w, depth, "", "(env)");
    char name[32];
    for (int i = 1; lua_getupvalue(w->L, function, i); i++) {
        snprintf(name, sizeof name, "(upvalue %d)", i);
        visit_as(w, depth, "", name);
    }
}

// One line for the value on top of the stack, and what it leads to.
static void visit(walk *w, int depth) {
    lua_State *L = w->L;
    int at = lua_gettop(L), type = lua_type(L, at);
    luaL_checkstack(L, 8, "depth");
    if (depth > MAX_DEPTH) TEST_FAIL("deeper than %d: %s", MAX_DEPTH, w->path);
    peri_buf_addf(w->out, "%s %s\n", w->path, lua_typename(L, type));
    if (type != LUA_TTABLE && type != LUA_TFUNCTION && type != LUA_TUSERDATA &&
        type != LUA_TLIGHTUSERDATA)
        return;
    lua_pushvalue(L, at);
    lua_rawget(L, w->seen);
    bool known = !lua_isnil(L, -1);
    lua_pop(L, 1);
    if (known) return;
    lua_pushvalue(L, at);
    lua_pushboolean(L, true);
    lua_rawset(L, w->seen);
    if (lua_getmetatable(L, at)) visit_as(w, depth, "", "(meta)");
    if (type == LUA_TTABLE) visit_keys(w, at, depth);
    if (type == LUA_TFUNCTION) visit_function(w, at, depth);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// The lines in order: pairs of a table come in another one in every process.
static void print_sorted(peri_buf *lines, peri_buf *out) {
    const char *list[4096];
    size_t count = 0;
    peri_buf_add_byte(lines, '\0');
    for (char *line = strtok(lines->ptr, "\n"); line; line = strtok(NULL, "\n")) {
        if (count == sizeof list / sizeof list[0]) TEST_FAIL("more lines than %zu", count);
        list[count++] = line;
    }
    qsort(list, count, sizeof list[0], by_text);
    for (size_t i = 0; i < count; i++) peri_buf_addf(out, "%s\n", list[i]);
}

// What is given to a script stands on the walked state: its function, a text, and its arguments.
static void walk_all(lua_State *L, peri__pack *pack, void *frame) {
    walk *w = frame;
    w->L = L;
    lua_newtable(L);
    w->seen = lua_gettop(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, w->observe_ref);
    visit_as(w, 0, "", "observe");
    lua_pushliteral(L, "");
    if (lua_getmetatable(L, -1)) visit_as(w, 0, "", "text(meta)");
    peri__view_push(L, pack, PERI__TURN, 0);
    visit_as(w, 0, "", "turn");
    peri__view_push(L, pack, PERI__ITEMS, 0);
    visit_as(w, 0, "", "turn.items");
    peri__view_push(L, pack, PERI__ITEM, 0);
    visit_as(w, 0, "", "item");
    peri__view_push(L, pack, PERI__CALL, 0);
    visit_as(w, 0, "", "call");
}

IT("C50 lets a script reach exactly the values of the reviewed list") {
    scene *s = scene_new();
    peri_str error = {0};
    peri_buf lines, got;
    peri_buf_init(&lines, TEXT_MAX_BYTES);
    peri_buf_init(&got, TEXT_MAX_BYTES);
    const peri_observer *observer = scene_load(
        s, "pack", "return { name = 'o', on = 'turn_end', observe = function() return x end }");
    CHECK(observer);
    peri__unit *unit = &((peri__scripted *)observer->owner)->unit;
    walk w = {.out = &lines, .observe_ref = unit->refs[PERI__FN_OBSERVE]};
    peri__live live = {.arena = &s->arena, .turn = &s->turn};
    if (peri__pack_call(unit->pack, walk_all, &w, &live, &error) < 0) {
        TEST_FAIL("%.*s", PERI_FMT(error));
    }
    print_sorted(&lines, &got);
    peri_str want = peri_test_read(PERI_TESTS_DIR "/fault/reachable.txt");
    if (!peri_str_eq(peri_buf_str(&got), want)) {
        TEST_FAIL("tests/fault/reachable.txt is to be reviewed; reachable is:\n%.*s",
                  PERI_FMT(peri_buf_str(&got)));
    }
    free((char *)(uintptr_t)want.ptr);
    peri_buf_deinit(&lines);
    peri_buf_deinit(&got);
    scene_free(s);
}

TEST_MAIN
