// Raw reading of tables that came back from a script: no metamethod runs, every wrong type
// names its field, every size has a cap, every text becomes valid UTF-8. Called inside
// protected calls by the loaders, the runtime and the policy engine.
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "script/script_internal.h"

enum {
    PROBLEM_MAX_BYTES = 512,
    QUOTED_MAX_BYTES = 48,
    // How much of an over-long ctx.state is encoded to be able to name its size.
    STATE_MEASURED_BYTES = 16 * PERI_STATE_MAX_BYTES,
};

void peri__problem(peri__reader *reader, const char *format, ...) {
    if (reader->problem.ptr) return;
    char text[PROBLEM_MAX_BYTES];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t used = len < 0 ? 0 : (size_t)len < sizeof text ? (size_t)len : sizeof text - 1;
    used = peri_utf8_valid_prefix(peri_str_of(text, used));
    reader->problem = peri_arena_copy(reader->arena, peri_str_of(text, used));
    if (!reader->problem.ptr) reader->problem = PERI_STR("out of memory");
}

peri_str peri__quoted(peri_str text) {
    text.len = peri_utf8_valid_prefix(peri_str_sub(text, 0, QUOTED_MAX_BYTES));
    return text;
}

static peri_str raw_text(lua_State *L, int index) {
    size_t len;
    const char *ptr = lua_tolstring(L, index, &len);
    return peri_str_of(ptr, len);
}

peri_str peri__text_at(lua_State *L, int index, peri_arena *arena) {
    peri_str raw = peri_str_sub(raw_text(L, index), 0, PERI__MAX_TEXT_BYTES);
    if (peri_utf8_valid(raw)) return peri_arena_copy(arena, raw);
    peri_buf mended; // no lua_* call while it holds memory
    peri_buf_init(&mended, PERI__MAX_TEXT_BYTES * 3);
    peri_utf8_repair(&mended, raw);
    peri_str text = peri_buf_str(&mended);
    text.len = peri_utf8_cut_bytes(text, PERI__MAX_TEXT_BYTES);
    text = peri_arena_copy(arena, text);
    peri_buf_deinit(&mended);
    return text;
}

bool peri__count_at(lua_State *L, int index, uint64_t max, uint64_t *out) {
    if (lua_type(L, index) != LUA_TNUMBER) return false;
    double number = lua_tonumber(L, index);
    if (!(number >= 0 && number <= (double)max) || number != floor(number)) return false;
    *out = (uint64_t)number;
    return true;
}

static void unknown_key(peri__reader *reader, peri_str key, const peri_str *words) {
    peri_str near = peri_diag_nearest(key, words);
    key = peri__quoted(key);
    if (near.len) {
        peri__problem(reader, "unknown key \"%.*s\", did you mean \"%.*s\"?", PERI_FMT(key),
                      PERI_FMT(near));
    } else {
        peri__problem(reader, "unknown key \"%.*s\"", PERI_FMT(key));
    }
}

bool peri__is_word(peri_str text, const peri_str *words) {
    for (; words->len; words++) {
        if (peri_str_eq(text, *words)) return true;
    }
    return false;
}

// Tells of the first in the order of texts: LuaJIT's order of keys differs from run to run, and
// what is told stands in records.
bool peri__read_keys(peri__reader *reader, const peri_str *words) {
    lua_State *L = reader->L;
    peri_str unknown = {0};
    const char *other = NULL; // the type of a key that is no name
    for (lua_pushnil(L); lua_next(L, reader->index); lua_pop(L, 1)) { // key value
        if (lua_type(L, -2) != LUA_TSTRING) {
            const char *type = luaL_typename(L, -2);
            if (!other || strcmp(type, other) < 0) other = type;
            continue;
        }
        peri_str key = raw_text(L, -2);
        if (peri__is_word(key, words)) continue;
        if (!unknown.ptr || peri_str_compare(key, unknown) < 0) unknown = key;
    }
    if (unknown.ptr) {
        unknown_key(reader, unknown, words);
    } else if (other) {
        peri__problem(reader, "a key is a %s, not a name", other);
    }
    return !unknown.ptr && !other;
}

bool peri__read_value(const peri__reader *reader, const char *key) {
    lua_pushstring(reader->L, key);
    lua_rawget(reader->L, reader->index);
    if (!lua_isnil(reader->L, -1)) return true;
    lua_pop(reader->L, 1);
    return false;
}

bool peri__read_text(peri__reader *reader, const char *key, peri_str *out) {
    lua_State *L = reader->L;
    if (!peri__read_value(reader, key)) return true;
    if (lua_type(L, -1) == LUA_TSTRING) {
        peri_str text = peri__text_at(L, -1, reader->arena);
        if (text.ptr) *out = text;
        if (!text.ptr) peri__problem(reader, "out of memory");
    } else {
        peri__problem(reader, "%s is a %s, not text", key, luaL_typename(L, -1));
    }
    lua_pop(L, 1);
    return !reader->problem.ptr;
}

bool peri__read_count(peri__reader *reader, const char *key, uint64_t max, uint64_t *out) {
    lua_State *L = reader->L;
    if (!peri__read_value(reader, key)) return true;
    if (lua_type(L, -1) != LUA_TNUMBER) {
        peri__problem(reader, "%s is a %s, not a whole number", key, luaL_typename(L, -1));
    } else if (!peri__count_at(L, -1, max, out)) {
        peri__problem(reader, "%s is not a whole number from 0 to %llu", key,
                      (unsigned long long)max);
    }
    lua_pop(L, 1);
    return !reader->problem.ptr;
}

// Encodes the table at the top of the stack. The bytes grow in the pack's scratch, so that a
// throw leaks nothing.
static bool encode_top(peri__reader *reader, const char *what, size_t max_bytes,
                       peri_str *out) {
    peri_buf *json = &reader->pack->scratch;
    peri_buf_clear(json);
    peri_str error = {0};
    int status = peri_vm_to_json(reader->pack->vm, lua_gettop(reader->L), max_bytes, json,
                                 reader->arena, &error);
    if (status >= 0) {
        *out = peri_arena_copy(reader->arena, peri_buf_str(json));
        if (!out->ptr) status = PERI_ENOMEM;
    }
    if (status == PERI_ELIMIT) {
        peri__problem(reader, "%s is over %zu bytes as JSON", what, max_bytes);
    } else if (status < 0) {
        if (!error.len) error = peri_str_c(peri_status_message(status));
        peri__problem(reader, "%s: %.*s", what, PERI_FMT(error));
    }
    return status >= 0;
}

bool peri__read_json(peri__reader *reader, const char *key, size_t max_bytes, peri_str *out) {
    lua_State *L = reader->L;
    if (!peri__read_value(reader, key)) return true;
    bool ok = false;
    if (lua_istable(L, -1)) {
        ok = encode_top(reader, key, max_bytes, out);
    } else {
        peri__problem(reader, "%s is a %s, not a table", key, luaL_typename(L, -1));
    }
    lua_pop(L, 1);
    return ok;
}

void peri__state_push(lua_State *L, peri_str saved) {
    int top = lua_gettop(L);
    if (saved.len && peri_vm_push_json(L, saved) >= 0 && lua_istable(L, -1)) return;
    lua_settop(L, top);
    lua_newtable(L);
}

static bool is_empty(lua_State *L, int table) {
    lua_pushnil(L);
    if (!lua_next(L, table)) return true;
    lua_pop(L, 2);
    return false;
}

bool peri__state_read(peri__reader *reader, peri_str saved, peri_str *out) {
    lua_State *L = reader->L;
    if (!saved.len && lua_istable(L, reader->index) && is_empty(L, reader->index)) return true;
    if (!lua_istable(L, reader->index) && !lua_isnil(L, reader->index)) {
        peri__problem(reader, "ctx.state is a %s, not a table",
                      luaL_typename(L, reader->index));
        return false;
    }
    peri_str now = PERI_STR("{}");
    if (lua_istable(L, reader->index)) {
        lua_pushvalue(L, reader->index);
        bool ok = encode_top(reader, "ctx.state", STATE_MEASURED_BYTES, &now);
        lua_pop(L, 1);
        if (!ok) return false;
    }
    if (now.len > PERI_STATE_MAX_BYTES) {
        peri__problem(reader, "ctx.state is %zu bytes as JSON, at most %d are kept", now.len,
                      PERI_STATE_MAX_BYTES);
        return false;
    }
    bool same = saved.len ? peri_str_eq(now, saved) : peri_str_eq(now, PERI_STR("{}"));
    if (!same) *out = now;
    return true;
}
