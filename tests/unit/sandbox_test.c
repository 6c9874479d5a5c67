// What a script can reach: every value, by every way there is, against a reviewed list. A test
// inside the sandbox would see only what the sandbox admits; this one walks from outside, with
// the real lua_getmetatable, lua_getfenv and lua_getupvalue.
#include "script/sandbox.h"

#include <dirent.h>
#include <lauxlib.h>

#include "script/script_internal.h"
#include "script_scene.h"

enum { MAX_DEPTH = 40, TEXT_MAX_BYTES = 1 << 20, MAX_MODULES = 64, SCRIPT_BYTES = 8192 };

typedef struct walk {
    lua_State *L;
    int observe_ref; // the script's function
    int other_ref;   // of another script of the pack
    int seen;        // stack index: value -> true
    bool only_own;   // what a script itself can reach: no environments, nothing of C functions
    void (*each)(struct walk *w,
                 int at); // called for what is seen for the first time; may be NULL
    int known;            // for `each`
    peri_buf *out;
    char path[2048];
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

// The keys of `table` as an array, by their texts: what two fields hold is listed under the one
// that is visited first, and pairs of a table come in another order in every process.
static int push_keys_sorted(lua_State *L, int table) {
    char one[64], other[64];
    lua_newtable(L);
    int keys = lua_gettop(L), count = 0;
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        const char *name = key_text(L, keys + 1, one, sizeof one);
        int at = ++count;
        for (; at > 1; at--) {
            lua_rawgeti(L, keys, at - 1);
            if (strcmp(key_text(L, -1, other, sizeof other), name) <= 0) break;
            lua_rawseti(L, keys, at);
        }
        lua_settop(L, keys + 2);
        lua_pushvalue(L, keys + 1);
        lua_rawseti(L, keys, at);
    }
    return count;
}

static void visit_keys(walk *w, int table, int depth) {
    lua_State *L = w->L;
    char buf[64];
    int count = push_keys_sorted(L, table), keys = lua_gettop(L);
    for (int i = 1; i <= count; i++) {
        lua_rawgeti(L, keys, i);
        const char *name = key_text(L, -1, buf, sizeof buf);
        if (!lua_isstring(L, -1) && !lua_isboolean(L, -1)) {
            lua_pushvalue(L, -1);
            visit_as(w, depth, ".", "(key)");
        }
        lua_pushvalue(L, -1);
        lua_rawget(L, table);
        visit_as(w, depth, ".", name);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void visit_function(walk *w, int function, int depth) {
    if (w->only_own && lua_iscfunction(w->L, function)) return;
    if (!w->only_own) { // a script's own environment is its _G
        lua_getfenv(w->L, function);
        visit_as(w, depth, "", "(env)");
    }
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
    if (w->each) w->each(w, at);
    if (lua_getmetatable(L, at)) visit_as(w, depth, "", "(meta)");
    if (type == LUA_TTABLE) visit_keys(w, at, depth);
    if (type == LUA_TFUNCTION) visit_function(w, at, depth);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// The lines in order.
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

static void new_seen(walk *w) {
    lua_newtable(w->L);
    w->seen = lua_gettop(w->L);
}

static void visit_script(walk *w, int ref) {
    lua_rawgeti(w->L, LUA_REGISTRYINDEX, ref);
    visit_as(w, 0, "", "observe");
}

// What is given to a script stands on the walked state: its
// function, a text, and its arguments.
static void walk_all(lua_State *L, peri__pack *pack, void *frame) {
    walk *w = frame;
    w->L = L;
    new_seen(w);
    visit_script(w, w->observe_ref);
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

// ---- What `require` gives

static peri_str module_texts[MAX_MODULES];
static size_t module_count;

// The host's finder, with the files as they stand in the tree.
static peri_str find_module(void *user, peri_str name) {
    char path[512];
    (void)user;
    if (!peri_str_starts(name, PERI_STR("perilune.")) || module_count == MAX_MODULES) {
        return (peri_str){0};
    }
    name = peri_str_sub(name, sizeof "perilune." - 1, name.len);
    snprintf(path, sizeof path, PERI_SOURCE_DIR "/lua/perilune/%.*s.lua", PERI_FMT(name));
    return module_texts[module_count++] = peri_test_read(path);
}

static void free_modules(void) {
    while (module_count) free((char *)(uintptr_t)module_texts[--module_count].ptr);
}

// A script that holds all modules of the tree that load in a sandbox.
static void write_script(char *text, const char *name) {
    size_t len = (size_t)snprintf(text, SCRIPT_BYTES, "local m = {}\nfor _, name in ipairs({");
    DIR *folder = opendir(PERI_SOURCE_DIR "/lua/perilune");
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        const char *end = strstr(entry->d_name, ".lua");
        if (!end) continue;
        len += (size_t)snprintf(text + len, SCRIPT_BYTES - len, "'%.*s', ",
                                (int)(end - entry->d_name), entry->d_name);
    }
    if (folder) closedir(folder);
    snprintf(text + len, SCRIPT_BYTES - len,
             "}) do\nlocal ok, module = pcall(require, 'perilune.' .. name)\n"
             "m[name] = ok and module or nil\nend\n"
             "return { name = '%s', on = 'turn_end', observe = function() return m end }",
             name);
}

// Nothing but tables and functions; those in C are the sandbox's own, and no Lua function looks
// at another environment than a sandbox's. `w->known` holds what a script without modules
// reaches.
static void check_reached(walk *w, int at) {
    lua_State *L = w->L;
    int type = lua_type(L, at);
    if (type != LUA_TTABLE && type != LUA_TFUNCTION) TEST_FAIL("%s", w->path);
    if (type != LUA_TFUNCTION) return;
    lua_getfenv(L, at);
    bool global = lua_rawequal(L, -1, LUA_GLOBALSINDEX);
    lua_pop(L, 1);
    if (!lua_iscfunction(L, at)) {
        if (global) TEST_FAIL("%s sees the globals", w->path);
        return;
    }
    lua_pushvalue(L, at);
    lua_rawget(L, w->known);
    bool known = lua_toboolean(L, -1);
    lua_pop(L, 1);
    size_t len = strlen(w->path), tail = sizeof "(env).require" - 1;
    bool is_require = len > tail && strcmp(w->path + len - tail, "(env).require") == 0;
    if (!known && !is_require) TEST_FAIL("%s is no function of the sandbox", w->path);
}

static void check_own(walk *w, int at) {
    if (!lua_istable(w->L, at)) return;
    lua_pushvalue(w->L, at);
    lua_rawget(w->L, w->known);
    if (lua_toboolean(w->L, -1)) TEST_FAIL("%s is another script's, too", w->path);
    lua_pop(w->L, 1);
}

// The walk came by them.
static void check_modules(const walk *w) {
    static const char *const some[] = {"match", "shell", "wishes"};
    char line[64];
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        snprintf(line, sizeof line, "observe(upvalue 1).%s table\n", some[i]);
        CHECK(peri_str_find(peri_buf_str(w->out), peri_str_c(line)) != PERI_NPOS);
    }
}

// First a plain script, then what one with modules reaches beside that.
static void walk_modules(lua_State *L, peri__pack *pack, void *frame) {
    walk *w = frame;
    (void)pack;
    w->L = L;
    new_seen(w);
    w->known = w->seen;
    visit_script(w, w->observe_ref);
    peri_buf_clear(w->out);
    new_seen(w);
    w->each = check_reached;
    visit_script(w, w->other_ref);
    check_modules(w);
}

// Two scripts of one pack: no table of one is a table of the other.
static void walk_two(lua_State *L, peri__pack *pack, void *frame) {
    walk *w = frame;
    (void)pack;
    w->L = L;
    w->only_own = true;
    new_seen(w);
    w->known = w->seen;
    visit_script(w, w->observe_ref);
    w->each = check_own;
    new_seen(w);
    peri_buf_clear(w->out);
    visit_script(w, w->other_ref);
    check_modules(w);
}

static void walk_scripts(const char *first, const char *second,
                         void (*fn)(lua_State *L, peri__pack *pack, void *frame), walk *w) {
    scene *s = scene_new();
    peri_script_free(s->script);
    CHECK_OK(peri_script_new(
        &(peri_script_options){.find_module = find_module, .limits = {.wall_ms = 10000}},
        &s->script));
    peri_str error = {0};
    peri_buf lines;
    peri_buf_init(&lines, TEXT_MAX_BYTES);
    w->out = &lines;
    const char *const texts[] = {first, second};
    peri__unit *units[2];
    for (int i = 0; i < 2; i++) {
        const peri_observer *o = scene_load(s, "pack", texts[i]);
        if (!o) TEST_FAIL("%.*s", PERI_FMT(s->diags.items[0].message));
        units[i] = &((peri__scripted *)o->owner)->unit;
    }
    CHECK(units[0]->pack == units[1]->pack);
    w->observe_ref = units[0]->refs[PERI__FN_OBSERVE];
    w->other_ref = units[1]->refs[PERI__FN_OBSERVE];
    peri__live live = {.arena = &s->arena, .turn = &s->turn};
    if (peri__pack_call(units[0]->pack, fn, w, &live, &error) < 0) {
        TEST_FAIL("%.*s", PERI_FMT(error));
    }
    peri_buf_deinit(&lines);
    scene_free(s);
    free_modules();
}

IT("C50 gives a script through its modules no value that it could not have made itself") {
    char text[SCRIPT_BYTES];
    walk w = {0};
    write_script(text, "o");
    walk_scripts("return { name = 'p', on = 'turn_end', observe = function() return x end }",
                 text, walk_modules, &w);
}

IT("C50 shares no table, a module's neither, between two scripts of a pack") {
    char first[SCRIPT_BYTES], second[SCRIPT_BYTES];
    walk w = {0};
    write_script(first, "o");
    write_script(second, "p");
    walk_scripts(first, second, walk_two, &w);
}

TEST_MAIN
