// Values across the border, as JSON text. Outwards by raw access only: nothing here may call
// into the script, throw, or trust its tables to be finite (cases C18, C51). Inwards the parsed
// document and its texts belong to the VM, so that a throw leaks nothing.
#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/utf8.h"
#include "script/thrown.h"

enum {
    MAX_DEPTH_OUT = 32,
    MAX_DEPTH_IN = 64,
    MAX_NODES_IN = 1 << 16,
    KEPT_NODES = 4096,       // of a document, between two calls
    PATH_KEY_MAX_BYTES = 24, // so that 32 of them and the reason fit
    PATH_MAX_BYTES = 1024,
};

// One table on the way from the value to where the writer is.
typedef struct table_level {
    const struct table_level *up;
    const void *table;
    peri_str key; // of the member being written; absent: element `index`
    int index;
} table_level;

typedef struct writer {
    lua_State *L;
    peri_buf out;
    peri_buf why; // on failure: what does not fit, and where
} writer;

static int write_value(writer *w, const table_level *up, int depth);

static void add_path(peri_buf *out, const table_level *at) {
    if (!at) {
        peri_buf_add_c(out, "value");
        return;
    }
    add_path(out, at->up);
    if (at->key.ptr) {
        peri_buf_addf(out, ".%.*s", PERI_FMT(peri_str_sub(at->key, 0, PATH_KEY_MAX_BYTES)));
    } else if (at->index) {
        peri_buf_addf(out, "[%d]", at->index);
    }
}

static int fail(writer *w, const table_level *at, int status, const char *what) {
    add_path(&w->why, at);
    peri_buf_addf(&w->why, ": %s", what);
    return status;
}

static int write_string(writer *w, peri_str text) {
    if (text.len > w->out.max) return PERI_ELIMIT;
    if (peri_utf8_valid(text)) {
        peri_json_add_string(&w->out, text);
        return w->out.status;
    }
    peri_buf valid;
    peri_buf_init(&valid, text.len * 3);
    peri_utf8_repair(&valid, text);
    peri_json_add_string(&w->out, peri_buf_str(&valid));
    int status = valid.status < 0 ? valid.status : w->out.status;
    peri_buf_deinit(&valid);
    return status;
}

typedef struct shape {
    size_t texts, numbers, others; // kinds of keys
} shape;

static shape shape_of(lua_State *L) {
    shape s = {0};
    size_t count = lua_objlen(L, -1);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        lua_Number number = lua_type(L, -2) == LUA_TNUMBER ? lua_tonumber(L, -2) : 0;
        if (lua_type(L, -2) == LUA_TSTRING) {
            s.texts++;
        } else if (number >= 1 && number <= (lua_Number)count && number == floor(number)) {
            s.numbers++;
        } else {
            s.others++;
        }
    }
    if (s.numbers != count) s.others++; // a hole
    return s;
}

static int write_array(writer *w, table_level *here, size_t count, int depth) {
    peri_buf_add_byte(&w->out, '[');
    for (size_t i = 1; i <= count; i++) {
        here->index = (int)i;
        if (i > 1) peri_buf_add_byte(&w->out, ',');
        lua_rawgeti(w->L, -1, (int)i);
        int status = write_value(w, here, depth);
        lua_pop(w->L, 1);
        if (status < 0) return status;
    }
    peri_buf_add_byte(&w->out, ']');
    return w->out.status;
}

// One written member of an object: its key and the span of its text in `out`.
typedef struct member {
    peri_str key;
    size_t start, len;
} member;

static int by_key(const void *a, const void *b) {
    return peri_str_compare(((const member *)a)->key, ((const member *)b)->key);
}

// Puts the spans that stand from `start` to the end of `out` into the order of `members`, with
// commas between them.
static int reorder(peri_buf *out, size_t start, const member *members, size_t count) {
    peri_buf unordered;
    peri_buf_init(&unordered, out->max);
    peri_buf_add(&unordered, peri_str_sub(peri_buf_str(out), start, out->len));
    peri_buf_truncate(out, start);
    for (size_t i = 0; i < count && unordered.status >= 0; i++) {
        if (i > 0) peri_buf_add_byte(out, ',');
        peri_buf_add(out, peri_str_sub(peri_buf_str(&unordered), members[i].start - start,
                                       members[i].len));
    }
    int status = unordered.status < 0 ? unordered.status : out->status;
    peri_buf_deinit(&unordered);
    return status;
}

// LuaJIT's order of keys differs from run to run. Written as they come and sorted afterwards,
// because finding a value again by its key may throw.
static int write_members(writer *w, table_level *here, member *members, size_t count,
                         int depth) {
    size_t start = w->out.len, at = 0;
    int status = PERI_OK;
    for (lua_pushnil(w->L); status >= 0 && lua_next(w->L, -2); lua_pop(w->L, 1)) {
        member *m = &members[at++];
        m->key.ptr = lua_tolstring(w->L, -2, &m->key.len);
        m->start = w->out.len;
        here->key = m->key;
        status = write_string(w, m->key);
        peri_buf_add_byte(&w->out, ':');
        if (status >= 0) status = write_value(w, here, depth);
        m->len = w->out.len - m->start;
    }
    if (status < 0) return status; // the key stays on the stack: peri_vm_to_json clears it
    qsort(members, count, sizeof *members, by_key);
    return reorder(&w->out, start, members, count);
}

static int write_object(writer *w, table_level *here, size_t count, int depth) {
    if (count > w->out.max / 4) return PERI_ELIMIT; // "k":v takes more than 4 bytes
    member *members = malloc((count + 1) * sizeof *members);
    if (!members) return PERI_ENOMEM;
    peri_buf_add_byte(&w->out, '{');
    int status = write_members(w, here, members, count, depth);
    peri_buf_add_byte(&w->out, '}');
    free(members);
    return status < 0 ? status : w->out.status;
}

static int write_table(writer *w, const table_level *up, int depth) {
    table_level here = {.up = up, .table = lua_topointer(w->L, -1)};
    for (const table_level *at = up; at; at = at->up) {
        if (at->table == here.table)
            return fail(w, up, PERI_EDEPTH, "a table that contains itself");
    }
    if (depth >= MAX_DEPTH_OUT)
        return fail(w, up, PERI_EDEPTH, "deeper than the limit of 32 levels");
    if (!lua_checkstack(w->L, 4)) return PERI_ENOMEM;
    int status = peri_vm_try_tick(w->L, 1); // one table may stand in many places, and be large
    if (status < 0) return status;
    shape s = shape_of(w->L);
    if (s.others == 0 && s.texts == 0 && s.numbers > 0) {
        return write_array(w, &here, s.numbers, depth + 1);
    }
    if (s.others > 0 || s.numbers > 0) {
        return fail(w, up, PERI_EINVAL,
                    "a table whose keys are neither all texts nor 1, 2, 3, ...");
    }
    return write_object(w, &here, s.texts, depth + 1);
}

// Writes the value on top of the stack.
static int write_value(writer *w, const table_level *up, int depth) {
    lua_State *L = w->L;
    peri_str text = {0};
    switch (lua_type(L, -1)) {
    case LUA_TNIL:
        peri_buf_add_c(&w->out, "null");
        return w->out.status;
    case LUA_TBOOLEAN:
        peri_buf_add_c(&w->out, lua_toboolean(L, -1) ? "true" : "false");
        return w->out.status;
    case LUA_TNUMBER:
        peri_number_add(&w->out, lua_tonumber(L, -1));
        return w->out.status;
    case LUA_TSTRING:
        text.ptr = lua_tolstring(L, -1, &text.len);
        return write_string(w, text);
    case LUA_TTABLE:
        return write_table(w, up, depth);
    default:
        return fail(w, up, PERI_EINVAL, lua_typename(L, lua_type(L, -1)));
    }
}

int peri_vm_to_json(peri_vm *vm, int index, size_t max_bytes, peri_buf *out, peri_arena *arena,
                    peri_str *error) {
    writer w = {.L = vm->L};
    int top = lua_gettop(vm->L);
    if (!lua_checkstack(vm->L, 4)) return PERI_ENOMEM;
    peri_buf_init(&w.out, max_bytes);
    peri_buf_init(&w.why, PATH_MAX_BYTES);
    lua_pushvalue(vm->L, index);
    int status = write_value(&w, NULL, 0);
    lua_settop(vm->L, top);
    if (status >= 0) {
        peri_buf_add(out, peri_buf_str(&w.out));
        status = out->status;
    } else {
        if (w.why.len == 0) peri_buf_addf(&w.why, "value: %s", peri_status_message(status));
        *error = peri__thrown_printable(peri_buf_str(&w.why), arena);
    }
    peri_buf_deinit(&w.out);
    peri_buf_deinit(&w.why);
    return status;
}

static int push_value(lua_State *L, peri_vm *vm, peri_json v);

// A whole number that a double cannot hold stays text, digit for digit.
static void push_number(lua_State *L, peri_json v) {
    peri_str raw = peri_json_raw(v);
    double number;
    int64_t whole;
    bool fits = peri_json_int(v, &whole) == PERI_OK;
    bool exact =
        fits && whole <= INT64_C(9007199254740992) && whole >= -INT64_C(9007199254740992);
    bool has_point = false;
    for (size_t i = 0; i < raw.len; i++) has_point |= strchr(".eE", raw.ptr[i]) != NULL;
    if ((!exact && !has_point) || peri_json_double(v, &number) < 0) {
        lua_pushlstring(L, raw.ptr, raw.len);
    } else {
        lua_pushnumber(L, number);
    }
}

static int push_text(lua_State *L, peri_vm *vm, peri_json v) {
    peri_arena_reset(&vm->scratch);
    peri_str text = peri_json_str(v, &vm->scratch);
    if (!text.ptr) return PERI_ENOMEM;
    lua_pushlstring(L, text.ptr, text.len);
    return PERI_OK;
}

static int push_table(lua_State *L, peri_vm *vm, peri_json v) {
    int status = PERI_OK, index = 0;
    luaL_checkstack(L, 4, "value too deep");
    lua_newtable(L);
    for (peri_json_iter it = peri_json_begin(v); status >= 0 && peri_json_more(&it);) {
        peri_vm_tick(L, 4);
        index++;
        if (peri_json_type_of(it.value) == PERI_JSON_NULL) continue;
        if (!it.object) {
            status = push_value(L, vm, it.value);
            if (status >= 0) lua_rawseti(L, -2, index);
            continue;
        }
        status = push_text(L, vm, (peri_json){it.value.doc, it.value.node - 1}); // its key
        if (status >= 0) status = push_value(L, vm, it.value);
        if (status >= 0) lua_rawset(L, -3);
    }
    return status;
}

static int push_value(lua_State *L, peri_vm *vm, peri_json v) {
    switch (peri_json_type_of(v)) {
    case PERI_JSON_BOOL:
        lua_pushboolean(L, peri_json_is_true(v));
        return PERI_OK;
    case PERI_JSON_NUMBER:
        push_number(L, v);
        return PERI_OK;
    case PERI_JSON_STRING:
        return push_text(L, vm, v);
    case PERI_JSON_ARRAY:
    case PERI_JSON_OBJECT:
        return push_table(L, vm, v);
    default:
        lua_pushnil(L);
        return PERI_OK;
    }
}

int peri_vm_push_json(lua_State *L, peri_str json) {
    peri_vm *vm = peri_vm_of(L);
    int top = lua_gettop(L);
    if (!peri_utf8_valid(json)) return PERI_EPARSE;
    vm->doc.max_depth = MAX_DEPTH_IN;
    vm->doc.max_nodes = MAX_NODES_IN;
    int status = peri_json_parse(&vm->doc, json);
    if (status >= 0 && vm->doc.end != json.len) status = PERI_EPARSE;
    if (status >= 0) status = push_value(L, vm, peri_json_root(&vm->doc));
    if (status < 0) lua_settop(L, top);
    if (vm->doc.cap > KEPT_NODES) peri_json_doc_deinit(&vm->doc);
    return status < 0 ? status : PERI_OK;
}
