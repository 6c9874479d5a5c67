// The backtracking matcher of pattern.h, with the results and messages of Lua 5.1 in the C
// locale; unlike 5.1, a NUL in a pattern is a character like any other. Backtracking can take
// exponential time inside one C call, where no hook fires: every character looked at is a step.
// Called by lib_string.c only.
#include "script/pattern.h"

#include <lauxlib.h>

#include "script/vm.h"

enum { CAPTURE_OPEN = -1, CAPTURE_POSITION = -2, STEPS_A_TICK = 64, ESCAPE = '%' };

typedef unsigned char byte;

static const char *match(peri__match *m, const char *s, const char *p);

void peri__match_init(peri__match *m, lua_State *L, peri_str text, peri_str pattern) {
    m->L = L;
    m->text = text.ptr;
    m->text_end = text.ptr + text.len;
    m->pattern = pattern.ptr;
    m->pattern_end = pattern.ptr + pattern.len;
    m->captures = m->depth = 0;
    m->steps = 0;
}

static void charge(peri__match *m, size_t steps) {
    m->steps += (uint32_t)steps;
    if (m->steps < STEPS_A_TICK) return;
    steps = m->steps;
    m->steps = 0;
    peri_vm_tick(m->L, steps);
}

static bool between(byte c, byte first, byte last) {
    return c >= first && c <= last;
}

static bool is_letter(byte c) {
    return between(c | 0x20, 'a', 'z');
}

static bool in_class(byte c, byte class) {
    bool in;
    switch (class | 0x20) {
    case 'a':
        in = is_letter(c);
        break;
    case 'c':
        in = c < 0x20 || c == 0x7F;
        break;
    case 'd':
        in = between(c, '0', '9');
        break;
    case 'g':
        in = between(c, 0x21, 0x7E);
        break;
    case 'l':
        in = between(c, 'a', 'z');
        break;
    case 'p':
        in = between(c, 0x21, 0x7E) && !is_letter(c) && !between(c, '0', '9');
        break;
    case 's':
        in = c == ' ' || between(c, '\t', '\r');
        break;
    case 'u':
        in = between(c, 'A', 'Z');
        break;
    case 'w':
        in = is_letter(c) || between(c, '0', '9');
        break;
    case 'x':
        in = between(c, '0', '9') || between(c | 0x20, 'a', 'f');
        break;
    case 'z':
        in = c == 0;
        break;
    default:
        return class == c;
    }
    return between(class, 'A', 'Z') ? !in : in;
}

// The end of the single item (character, escape, class or set) that starts at `p`.
static const char *item_end(peri__match *m, const char *p) {
    char first = *p++;
    if (first == ESCAPE) {
        if (p >= m->pattern_end) luaL_error(m->L, "malformed pattern (ends with '%%')");
        return p + 1;
    }
    if (first != '[') return p;
    if (p < m->pattern_end && *p == '^') p++;
    do { // a "]" right at the start is part of the set
        if (p >= m->pattern_end) luaL_error(m->L, "malformed pattern (missing ']')");
        if (*p++ == ESCAPE && p < m->pattern_end) p++;
    } while (p >= m->pattern_end || *p != ']');
    return p + 1;
}

// Is `c` in the set whose "[" is at `p` and whose "]" is at `last`?
static bool in_set(peri__match *m, byte c, const char *p, const char *last) {
    bool found = true;
    charge(m, (size_t)(last - p));
    if (*++p == '^') {
        found = false;
        p++;
    }
    for (; p < last; p++) {
        if (*p == ESCAPE) {
            if (in_class(c, (byte) * ++p)) return found;
        } else if (p + 2 < last && p[1] == '-') {
            if (between(c, (byte)p[0], (byte)p[2])) return found;
            p += 2;
        } else if ((byte)*p == c) {
            return found;
        }
    }
    return !found;
}

// Does the item [p, end) take the character at `s`?
static bool takes(peri__match *m, const char *s, const char *p, const char *end) {
    charge(m, 1);
    if (s >= m->text_end) return false;
    switch (*p) {
    case '.':
        return true;
    case ESCAPE:
        return in_class((byte)*s, (byte)p[1]);
    case '[':
        return in_set(m, (byte)*s, p, end - 1);
    default:
        return *p == *s;
    }
}

// "%bxy": the end of the balanced text at `s`.
static const char *match_balance(peri__match *m, const char *s, const char *p) {
    if (m->pattern_end - p < 2) luaL_error(m->L, "unbalanced pattern");
    if (s >= m->text_end || *s != *p) return NULL;
    size_t open = 1;
    while (++s < m->text_end) {
        charge(m, 1);
        if (*s == p[1]) {
            if (--open == 0) return s + 1;
        } else if (*s == *p) {
            open++;
        }
    }
    return NULL;
}

// "%f[set]": `s` itself if the set takes the character there but not the one before; both ends
// of the text count as NUL.
static bool at_frontier(peri__match *m, const char *s, const char *set, const char *set_end) {
    byte before = s == m->text ? 0 : (byte)s[-1];
    byte here = s < m->text_end ? (byte)*s : 0;
    return !in_set(m, before, set, set_end - 1) && in_set(m, here, set, set_end - 1);
}

// As many of the item as there are, then fewer, until the rest matches.
static const char *match_most(peri__match *m, const char *s, const char *p, const char *end) {
    ptrdiff_t count = 0;
    while (takes(m, s + count, p, end)) count++;
    for (; count >= 0; count--) {
        const char *found = match(m, s + count, end + 1);
        if (found) return found;
    }
    return NULL;
}

// As few of the item as it takes for the rest to match.
static const char *match_least(peri__match *m, const char *s, const char *p, const char *end) {
    for (;;) {
        const char *found = match(m, s, end + 1);
        if (found) return found;
        if (!takes(m, s, p, end)) return NULL;
        s++;
    }
}

static const char *open_capture(peri__match *m, const char *s, const char *p, ptrdiff_t kind) {
    if (m->captures >= PERI_PATTERN_MAX_CAPTURES) luaL_error(m->L, "too many captures");
    m->capture[m->captures].start = s;
    m->capture[m->captures].len = kind;
    m->captures++;
    const char *found = match(m, s, p);
    if (!found) m->captures--;
    return found;
}

static const char *close_capture(peri__match *m, const char *s, const char *p) {
    int open = m->captures - 1;
    while (open >= 0 && m->capture[open].len != CAPTURE_OPEN) open--;
    if (open < 0) luaL_error(m->L, "invalid pattern capture");
    m->capture[open].len = s - m->capture[open].start;
    const char *found = match(m, s, p);
    if (!found) m->capture[open].len = CAPTURE_OPEN;
    return found;
}

// "%1": the end of a repetition of what the capture took.
static const char *match_back(peri__match *m, const char *s, byte digit) {
    int index = digit - '1';
    if (index < 0 || index >= m->captures || m->capture[index].len == CAPTURE_OPEN) {
        luaL_error(m->L, "invalid capture index");
    }
    ptrdiff_t len = m->capture[index].len;
    if (len < 0 || len > m->text_end - s) return NULL; // a position capture repeats nowhere
    charge(m, (size_t)len / 16 + 1);
    return memcmp(m->capture[index].start, s, (size_t)len) == 0 ? s + len : NULL;
}

// One step of match(): either a verdict (false, `*s` the end or NULL), or the rest is to be
// matched from the new `*s` and `*p` (true).
static bool advance_item(peri__match *m, const char **s, const char **p) {
    const char *end = item_end(m, *p);
    char suffix = end < m->pattern_end ? *end : '\0';
    if (suffix == '*') {
        *s = match_most(m, *s, *p, end);
        return false;
    }
    if (suffix == '+') {
        *s = takes(m, *s, *p, end) ? match_most(m, *s + 1, *p, end) : NULL;
        return false;
    }
    if (suffix == '-') {
        *s = match_least(m, *s, *p, end);
        return false;
    }
    bool taken = takes(m, *s, *p, end);
    if (suffix == '?') {
        const char *found = taken ? match(m, *s + 1, end + 1) : NULL;
        *p = end + 1;
        if (found) *s = found;
        return !found;
    }
    *p = end;
    *s = taken ? *s + 1 : NULL;
    return taken;
}

static bool advance_escape(peri__match *m, const char **s, const char **p) {
    byte kind = *p + 1 < m->pattern_end ? (byte)(*p)[1] : 0;
    if (kind == 'b') {
        *s = match_balance(m, *s, *p + 2);
        *p += 4;
    } else if (kind == 'f') {
        const char *set = *p + 2;
        if (set >= m->pattern_end || *set != '[') {
            luaL_error(m->L, "missing '[' after '%%f' in pattern");
        }
        *p = item_end(m, set);
        if (!at_frontier(m, *s, set, *p)) *s = NULL;
    } else if (between(kind, '0', '9')) {
        *s = match_back(m, *s, kind);
        *p += 2;
    } else {
        return advance_item(m, s, p);
    }
    return *s != NULL;
}

static bool advance(peri__match *m, const char **s, const char **p) {
    switch (**p) {
    case '(': {
        bool position = *p + 1 < m->pattern_end && (*p)[1] == ')';
        *s = position ? open_capture(m, *s, *p + 2, CAPTURE_POSITION)
                      : open_capture(m, *s, *p + 1, CAPTURE_OPEN);
        return false;
    }
    case ')':
        *s = close_capture(m, *s, *p + 1);
        return false;
    case '$':
        if (*p + 1 == m->pattern_end) {
            if (*s != m->text_end) *s = NULL;
            return false;
        }
        return advance_item(m, s, p);
    case ESCAPE:
        return advance_escape(m, s, p);
    default:
        return advance_item(m, s, p);
    }
}

static const char *match(peri__match *m, const char *s, const char *p) {
    if (++m->depth > PERI_PATTERN_MAX_DEPTH) luaL_error(m->L, "pattern too complex");
    charge(m, 1);
    while (p < m->pattern_end && advance(m, &s, &p)) {}
    m->depth--;
    return s;
}

const char *peri__match_at(peri__match *m, const char *at, const char *pattern) {
    m->captures = m->depth = 0;
    return match(m, at, pattern);
}

void peri__match_push_one(peri__match *m, int index, const char *start, const char *end) {
    if (index >= m->captures) {
        if (index != 0) luaL_error(m->L, "invalid capture index");
        lua_pushlstring(m->L, start, (size_t)(end - start));
        return;
    }
    ptrdiff_t len = m->capture[index].len;
    if (len == CAPTURE_OPEN) luaL_error(m->L, "unfinished capture");
    if (len == CAPTURE_POSITION) {
        lua_pushinteger(m->L, m->capture[index].start - m->text + 1);
    } else {
        lua_pushlstring(m->L, m->capture[index].start, (size_t)len);
    }
}

int peri__match_push(peri__match *m, const char *start, const char *end, bool whole) {
    int count = m->captures == 0 && whole ? 1 : m->captures;
    luaL_checkstack(m->L, count, "too many captures");
    for (int i = 0; i < count; i++) peri__match_push_one(m, i, start, end);
    return count;
}

bool peri__pattern_plain(peri_str pattern) {
    for (size_t i = 0; i < pattern.len; i++) {
        if (pattern.ptr[i] && strchr("^$*+?.([%-", pattern.ptr[i])) return false;
    }
    return true;
}
