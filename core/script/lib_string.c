// The string functions a sandbox does not take from LuaJIT as they are: those that search with
// patterns (over pattern.h); rep and format, whose work and results need a bound; and those
// that LuaJIT has in assembler and that make a text. When memory ends in one of these,
// LuaJIT 2.1 writes its error to wherever the stack last ended, which may be within a live
// frame: a script at its memory limit would take the process with it. Buffers are Lua's own
// memory, so that any throw leaves nothing behind.
#include <lauxlib.h>

#include "script/lib.h"
#include "script/pattern.h"

enum { SMALL_BYTES = 512 };

static peri_str check_text(lua_State *L, int arg) {
    size_t len;
    const char *ptr = luaL_checklstring(L, arg, &len);
    return (peri_str){ptr, len};
}

// The 0-based offset a script means by `arg`, within the text;
// negative ones count from its end.
static size_t start_offset(lua_State *L, int arg, size_t len) {
    ptrdiff_t at = luaL_optinteger(L, arg, 1);
    if (at < 0) at += (ptrdiff_t)len + 1;
    if (at <= 1) return 0;
    return (size_t)at - 1 > len ? len : (size_t)at - 1;
}

// The 0-based offset behind the last byte a script means by `arg`, of a text of `len` bytes.
static size_t end_offset(lua_State *L, int arg, size_t len) {
    ptrdiff_t at = luaL_optinteger(L, arg, -1);
    if (at < 0) at += (ptrdiff_t)len + 1;
    if (at <= 0) return 0;
    return (size_t)at > len ? len : (size_t)at;
}

int peri__lib_sub(lua_State *L) {
    peri_str text = check_text(L, 1);
    luaL_checkinteger(L, 2);
    size_t from = start_offset(L, 2, text.len), to = end_offset(L, 3, text.len);
    peri_str part = peri_str_sub(text, from, to > from ? to - from : 0);
    lua_pushlstring(L, part.ptr, part.len);
    return 1;
}

// Room for `len` bytes: `small` if they fit, or a userdata.
static char *make_room(lua_State *L, char small[static SMALL_BYTES], size_t len) {
    return len <= SMALL_BYTES ? small : lua_newuserdata(L, len);
}

int peri__lib_char(lua_State *L) {
    char small[SMALL_BYTES];
    int count = lua_gettop(L);
    char *out = make_room(L, small, (size_t)count);
    for (int i = 1; i <= count; i++) {
        lua_Integer byte = luaL_checkinteger(L, i);
        luaL_argcheck(L, byte >= 0 && byte <= 255, i, "invalid value");
        out[i - 1] = (char)byte;
    }
    lua_pushlstring(L, out, (size_t)count);
    return 1;
}

static int push_cased(lua_State *L, char first, char last) {
    char small[SMALL_BYTES];
    peri_str text = check_text(L, 1);
    peri_vm_tick(L, text.len / 16 + 1);
    char *out = make_room(L, small, text.len);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        out[i] = c >= first && c <= last ? (char)(c ^ 0x20) : c;
    }
    lua_pushlstring(L, out, text.len);
    return 1;
}

int peri__lib_lower(lua_State *L) {
    return push_cased(L, 'A', 'Z');
}

int peri__lib_upper(lua_State *L) {
    return push_cased(L, 'a', 'z');
}

int peri__lib_reverse(lua_State *L) {
    char small[SMALL_BYTES];
    peri_str text = check_text(L, 1);
    peri_vm_tick(L, text.len / 16 + 1);
    char *out = make_room(L, small, text.len);
    for (size_t i = 0; i < text.len; i++) out[i] = text.ptr[text.len - 1 - i];
    lua_pushlstring(L, out, text.len);
    return 1;
}

static int find_plain(lua_State *L, peri_str text, peri_str what, size_t from) {
    peri_vm_tick(L, (text.len - from) / 16 + 1);
    size_t at = peri_str_find(peri_str_sub(text, from, text.len), what);
    if (at == PERI_NPOS) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushinteger(L, (lua_Integer)(from + at + 1));
    lua_pushinteger(L, (lua_Integer)(from + at + what.len));
    return 2;
}

// Finds the first match at or after `at`; `*end` is its end. NULL if there is none.
static const char *find_match(peri__match *m, const char *at, const char **end) {
    bool anchored = m->pattern < m->pattern_end && *m->pattern == '^';
    const char *pattern = m->pattern + anchored;
    do {
        if (!anchored) at = peri__match_skip(m, at, pattern);
        *end = peri__match_at(m, at, pattern);
        if (*end) return at;
    } while (at++ < m->text_end && !anchored);
    return NULL;
}

static int search(lua_State *L, bool find) {
    peri_str text = check_text(L, 1), pattern = check_text(L, 2);
    size_t from = start_offset(L, 3, text.len);
    if (find && (lua_toboolean(L, 4) || peri__pattern_plain(pattern))) {
        return find_plain(L, text, pattern, from);
    }
    peri__match m;
    peri__match_init(&m, L, text, pattern);
    const char *end, *start = find_match(&m, text.ptr + from, &end);
    if (!start) {
        lua_pushnil(L);
        return 1;
    }
    if (!find) return peri__match_push(&m, start, end, true);
    lua_pushinteger(L, start - text.ptr + 1);
    lua_pushinteger(L, end - text.ptr);
    return 2 + peri__match_push(&m, start, end, false);
}

int peri__lib_find(lua_State *L) {
    return search(L, true);
}

int peri__lib_match(lua_State *L) {
    return search(L, false);
}

// Upvalues: text, pattern, offset of the next attempt. A "^" has no special meaning here.
static int next_match(lua_State *L) {
    peri_str text = check_text(L, lua_upvalueindex(1)),
             pattern = check_text(L, lua_upvalueindex(2));
    peri__match m;
    peri__match_init(&m, L, text, pattern);
    const char *at = text.ptr + lua_tointeger(L, lua_upvalueindex(3));
    for (; at <= m.text_end; at++) {
        at = peri__match_skip(&m, at, m.pattern);
        const char *end = peri__match_at(&m, at, m.pattern);
        if (!end) continue;
        lua_pushinteger(L, end - text.ptr + (end == at));
        lua_replace(L, lua_upvalueindex(3));
        return peri__match_push(&m, at, end, true);
    }
    return 0;
}

int peri__lib_gmatch(lua_State *L) {
    check_text(L, 1);
    check_text(L, 2);
    lua_settop(L, 2);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next_match, 3);
    return 1;
}

// Text that grows in a userdata at stack index `slot`.
typedef struct piece_buf {
    lua_State *L;
    int slot;
    char *ptr;
    size_t len, cap;
} piece_buf;

static void piece_init(piece_buf *b, lua_State *L, size_t cap) {
    *b = (piece_buf){.L = L, .cap = cap < 256 ? 256 : cap};
    b->ptr = lua_newuserdata(L, b->cap);
    b->slot = lua_gettop(L);
}

static void piece_add(piece_buf *b, const char *ptr, size_t len) {
    if (len > b->cap - b->len) {
        size_t cap = b->cap * 2 > b->len + len ? b->cap * 2 : b->len + len;
        char *grown = lua_newuserdata(b->L, cap);
        memcpy(grown, b->ptr, b->len);
        lua_replace(b->L, b->slot);
        b->ptr = grown;
        b->cap = cap;
    }
    if (len) memcpy(b->ptr + b->len, ptr, len);
    b->len += len;
}

// Expands "%0" to "%9" of the replacement at stack index 3; any other "%x" is x.
static void add_template(peri__match *m, piece_buf *b, const char *start, const char *end) {
    peri_str with = check_text(m->L, 3);
    peri_vm_tick(m->L, with.len / 16 + 1);
    for (size_t i = 0; i < with.len; i++) {
        char c = with.ptr[i];
        bool escaped = c == '%' && i + 1 < with.len;
        if (escaped) c = with.ptr[++i];
        if (!escaped || c < '0' || c > '9') {
            piece_add(b, &c, 1);
        } else if (c == '0') {
            piece_add(b, start, (size_t)(end - start));
        } else {
            peri__match_push_one(m, c - '1', start, end);
            size_t len;
            const char *ptr = lua_tolstring(m->L, -1, &len);
            piece_add(b, ptr, len);
            lua_pop(m->L, 1);
        }
    }
}

// Appends what replaces the match [start, end): stack index 3 is a text, a table or a function.
static void add_replacement(peri__match *m, piece_buf *b, const char *start, const char *end) {
    lua_State *L = m->L;
    int type = lua_type(L, 3);
    if (type == LUA_TNUMBER || type == LUA_TSTRING) {
        add_template(m, b, start, end);
        return;
    }
    if (type == LUA_TTABLE) {
        lua_pushcfunction(L, peri__lib_index);
        lua_pushvalue(L, 3);
        peri__match_push_one(m, 0, start, end);
        peri_vm_nest(L, 2, 1);
    } else {
        lua_pushvalue(L, 3);
        peri_vm_nest(L, peri__match_push(m, start, end, true), 1);
    }
    if (!lua_toboolean(L, -1)) {
        piece_add(b, start, (size_t)(end - start));
    } else {
        size_t len;
        const char *ptr = lua_tolstring(L, -1, &len);
        if (!ptr) luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
        piece_add(b, ptr, len);
    }
    lua_pop(L, 1);
}

int peri__lib_gsub(lua_State *L) {
    peri_str text = check_text(L, 1), pattern = check_text(L, 2);
    int type = lua_type(L, 3);
    luaL_argcheck(L,
                  type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TTABLE ||
                      type == LUA_TFUNCTION,
                  3, "string/function/table expected");
    bool anchored = pattern.len && pattern.ptr[0] == '^';
    lua_Integer left = luaL_optinteger(L, 4, (lua_Integer)text.len + 1), count = 0;
    peri__match m;
    peri__match_init(&m, L, text, pattern);
    piece_buf out;
    piece_init(&out, L, text.len);
    const char *at = text.ptr;
    while (count < left) {
        const char *next = anchored ? at : peri__match_skip(&m, at, m.pattern);
        piece_add(&out, at, (size_t)(next - at));
        at = next;
        const char *end = peri__match_at(&m, at, m.pattern + anchored);
        if (end) {
            count++;
            add_replacement(&m, &out, at, end);
        }
        if (end && end > at) {
            at = end;
        } else if (at < m.text_end) {
            piece_add(&out, at++, 1);
        } else {
            break;
        }
        if (anchored) break;
    }
    piece_add(&out, at, (size_t)(m.text_end - at));
    lua_pushlstring(L, out.ptr, out.len);
    lua_pushinteger(L, count);
    return 2;
}

// Upvalue 1: LuaJIT's rep, which wraps around for sizes it cannot hold.
int peri__lib_rep(lua_State *L) {
    peri_str text = check_text(L, 1);
    lua_Number count = luaL_checknumber(L, 2);
    size_t gap = 0;
    luaL_optlstring(L, 3, "", &gap);
    if (text.len + gap == 0 || !(count >= 1)) {
        lua_pushliteral(L, "");
        return 1;
    }
    lua_Number size = count * (lua_Number)(text.len + gap);
    if (size > (lua_Number)peri__meter_of(L)->max_memory_bytes) peri__meter_refuse(L);
    peri_vm_tick(L, (uint64_t)size / 16 + 1);
    lua_settop(L, 3);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, 3, 1);
    return 1;
}

// Upvalue 1: LuaJIT's format. Values of %s become texts here, so that it calls nothing back and
// shows no address.
int peri__lib_format(lua_State *L) {
    peri_str format = check_text(L, 1);
    int arg = 1, top = lua_gettop(L);
    peri_vm_tick(L, format.len / 16 + 1);
    for (size_t i = 0; i < format.len; i++) {
        if (format.ptr[i] != '%') continue;
        if (++i < format.len && format.ptr[i] == '%') continue;
        while (i < format.len && format.ptr[i] && strchr("-+ #.0123456789", format.ptr[i])) i++;
        arg++;
        if (i >= format.len || arg > top) break;
        if (format.ptr[i] == 'p') return luaL_error(L, "invalid option '%%p' to 'format'");
        if (format.ptr[i] != 's') continue;
        peri__lib_push_text(L, arg);
        lua_replace(L, arg);
    }
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, top, 1);
    return 1;
}
