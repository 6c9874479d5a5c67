// Describes thrown values. The handler runs inside Lua, where anything may throw again, so it
// writes to a buffer the VM owns; the clean-up for people happens outside. A value's __tostring
// is foreign code: it is called protected, within the budget, and never for values that only
// pass by.
#include "script/thrown.h"

#include <lauxlib.h>

#include "base/utf8.h"

enum { TEXT_MAX_BYTES = 1400, MAX_CALLERS = 10 };

static peri_str text_at(lua_State *L, int index) {
    size_t len;
    const char *ptr = lua_tolstring(L, index, &len);
    return (peri_str){ptr, ptr ? len : 0};
}

// Appends what the value at `index` says of itself. Stack unchanged.
static void add_value(lua_State *L, int index, peri_buf *out) {
    int type = lua_type(L, index);
    if (type == LUA_TSTRING) {
        peri_buf_add(out, peri_str_sub(text_at(L, index), 0, TEXT_MAX_BYTES));
        return;
    }
    bool article = type != LUA_TNIL;
    peri_buf_addf(out, "threw %s%s", article ? "a " : "", lua_typename(L, type));
    if (type == LUA_TNUMBER || luaL_getmetafield(L, index, "__tostring")) {
        lua_pushvalue(L, index);
        bool said = type == LUA_TNUMBER || peri__meter_pcall(L, 1, 1) == 0;
        if (said && lua_isstring(L, -1)) {
            peri_buf_add_c(out, ": ");
            peri_buf_add(out, peri_str_sub(text_at(L, -1), 0, TEXT_MAX_BYTES));
        } else {
            peri_buf_add_c(out, " whose __tostring failed");
        }
        lua_pop(L, 1);
    } else if (type == LUA_TBOOLEAN) {
        peri_buf_add_c(out, lua_toboolean(L, index) ? ": true" : ": false");
    }
}

// "FILE:LINE: " in front, unless the text has it already (error() puts it there).
static void add_place(peri_vm *vm, lua_State *L, int index, peri_buf *out) {
    char place[PERI_METER_PLACE_BYTES];
    if (!peri__place_of(L, 1, place, sizeof place)) strcpy(place, vm->entered);
    char *colon = strrchr(place, ':');
    peri_str file = peri_str_of(place, colon ? (size_t)(colon - place) + 1 : 0);
    peri_str said = lua_type(L, index) == LUA_TSTRING ? text_at(L, index) : (peri_str){0};
    if (file.len && !peri_str_starts(said, file)) peri_buf_addf(out, "%s: ", place);
}

static void add_callers(lua_State *L, peri_buf *out) {
    lua_Debug ar;
    int shown = 0;
    for (int level = 1; shown < MAX_CALLERS && lua_getstack(L, level, &ar); level++) {
        if (!lua_getinfo(L, "Sln", &ar) || ar.currentline <= 0) continue;
        peri_buf_addf(out, "\n  at %s:%d", ar.short_src, ar.currentline);
        if (ar.name) peri_buf_addf(out, " in %.40s", ar.name);
        shown++;
    }
}

// Stack: the thrown value, which is also the result.
int peri__thrown_handler(lua_State *L) {
    peri_vm *vm = peri_vm_of(L);
    if (vm->meter.stopped != PERI_OK) return 1;
    peri_buf_clear(&vm->thrown);
    if (vm->thrown_status != PERI_EPARSE) add_place(vm, L, 1, &vm->thrown);
    add_value(L, 1, &vm->thrown);
    add_callers(L, &vm->thrown);
    return 1;
}

peri_str peri__thrown_printable(peri_str raw, peri_arena *arena) {
    peri_buf valid, out;
    peri_buf_init(&valid, raw.len * 3 + 1);
    peri_buf_init(&out, raw.len * 12 + 1);
    peri_utf8_repair(&valid, raw);
    for (size_t i = 0; i < valid.len; i++) {
        unsigned char byte = (unsigned char)valid.ptr[i];
        bool plain = (byte >= 0x20 && byte != 0x7F) || byte == '\n' || byte == '\t';
        if (plain) {
            peri_buf_add_byte(&out, (char)byte);
        } else {
            peri_buf_addf(&out, "\\x%02x", byte);
        }
    }
    peri_str text = peri_buf_str(&out);
    text.len = peri_utf8_cut_bytes(text, PERI_THROWN_MAX_BYTES);
    peri_str copy = peri_arena_copy(arena, text);
    peri_buf_deinit(&valid);
    peri_buf_deinit(&out);
    return copy;
}

peri_str peri__thrown_text(peri_vm *vm, int status, peri_arena *arena) {
    peri_buf *out = &vm->thrown;
    if (vm->meter.stopped == PERI_ETIMEOUT) {
        peri_buf_clear(out);
        const char *place = vm->meter.place[0] ? vm->meter.place : vm->entered;
        peri_buf_addf(out, "out of time%s%s", place[0] ? ": " : "", place);
    } else if (vm->meter.stopped == PERI_ELIMIT) {
        peri_buf_clear(out);
        peri_buf_addf(out, "out of memory: over the limit of %zu MiB for a script's state",
                      vm->meter.max_memory_bytes >> 20);
    } else if (vm->meter.stopped != PERI_OK || status == LUA_ERRMEM) {
        peri_buf_clear(out);
        peri_buf_add_c(out, "out of memory");
    } else if (out->len == 0) { // thrown where not even the handler could run
        bool text = lua_type(vm->L, -1) == LUA_TSTRING;
        if (vm->entered[0]) peri_buf_addf(out, "%s: ", vm->entered);
        peri_buf_add(out, text ? peri_str_sub(text_at(vm->L, -1), 0, TEXT_MAX_BYTES)
                               : PERI_STR("error in error handling"));
    }
    return peri__thrown_printable(peri_buf_str(out), arena);
}
