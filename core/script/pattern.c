// The backtracking matcher of pattern.h, with the results and messages of Lua 5.1 in the C
// locale; unlike 5.1, a NUL in a pattern is a character like any other. Backtracking can take
// exponential time inside one C call, where no hook fires: every character looked at is a step.
// Called by lib_string.c only.
#include "script/pattern.h"

#include <lauxlib.h>

#include "script/vm.h"

enum {
    CAPTURE_OPEN = -1,
    CAPTURE_POSITION = -2,
    STEPS_A_TICK = 64,
    RUN_BYTES = 4096, // looked at between two charges
    ESCAPE = '%',
};

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
    for (int i = 0; i < PERI_PATTERN_KEPT_SETS; i++) m->sets[i].item = NULL;
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

// The classes by their letter: which of the first 128 characters are in them. None of the
// others is, and a class in upper case is the rest.
static const uint64_t class_bits['z' - 'a' + 1][2] = {
    ['a' - 'a'] = {0, 0x07fffffe07fffffe},
    ['c' - 'a'] = {0x00000000ffffffff, 0x8000000000000000},
    ['d' - 'a'] = {0x03ff000000000000, 0},
    ['g' - 'a'] = {0xfffffffe00000000, 0x7fffffffffffffff},
    ['l' - 'a'] = {0, 0x07fffffe00000000},
    ['p' - 'a'] = {0xfc00fffe00000000, 0x78000001f8000001},
    ['s' - 'a'] = {0x0000000100003e00, 0},
    ['u' - 'a'] = {0, 0x0000000007fffffe},
    ['w' - 'a'] = {0x03ff000000000000, 0x07fffffe07fffffe},
    ['x' - 'a'] = {0x03ff000000000000, 0x0000007e0000007e},
    ['z' - 'a'] = {0x0000000000000001, 0},
};

// The bits of a class; NULL if `class` is a character that stands for itself.
static const uint64_t *bits_of_class(byte class) {
    byte letter = class | 0x20;
    if (!between(letter, 'a', 'z')) return NULL;
    const uint64_t *bits = class_bits[letter - 'a'];
    return bits[0] || bits[1] ? bits : NULL;
}

static bool has(const uint64_t bits[4], byte c) {
    return bits[c >> 6] >> (c & 63) & 1;
}

static void add_range(uint64_t bits[4], unsigned first, unsigned last) {
    for (unsigned word = 0; word < 4 && first <= last; word++) {
        unsigned low = word * 64, high = low + 63;
        if (first > high || last < low) continue;
        uint64_t from = UINT64_MAX << (first > low ? first - low : 0);
        uint64_t to = UINT64_MAX >> (last < high ? high - last : 0);
        bits[word] |= from & to;
    }
}

static void add_class(uint64_t bits[4], byte class) {
    const uint64_t *known = bits_of_class(class);
    if (!known) {
        add_range(bits, class, class);
        return;
    }
    bool rest = between(class, 'A', 'Z');
    for (int i = 0; i < 4; i++) {
        uint64_t word = i < 2 ? known[i] : 0;
        bits[i] |= rest ? ~word : word;
    }
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

// The set whose "[" is at `p` and whose "]" is at `last`.
static void add_set(uint64_t bits[4], const char *p, const char *last) {
    bool rest = *++p == '^';
    p += rest;
    for (; p < last; p++) {
        if (*p == ESCAPE) {
            add_class(bits, (byte) * ++p);
        } else if (p + 2 < last && p[1] == '-') {
            add_range(bits, (byte)p[0], (byte)p[2]);
            p += 2;
        } else {
            add_range(bits, (byte)*p, (byte)*p);
        }
    }
    for (int i = 0; rest && i < 4; i++) bits[i] = ~bits[i];
}

// The characters that the item [p, end) takes, read once as long as it is among the last ones.
static const uint64_t *bits_of(peri__match *m, const char *p, const char *end) {
    peri__charset *set = &m->sets[(size_t)(p - m->pattern) % PERI_PATTERN_KEPT_SETS];
    if (set->item == p) return set->bits;
    charge(m, (size_t)(end - p));
    memset(set->bits, 0, sizeof set->bits);
    set->item = p;
    if (*p == '.') {
        add_range(set->bits, 0, 255);
    } else if (*p == ESCAPE) {
        add_class(set->bits, (byte)p[1]);
    } else if (*p == '[') {
        add_set(set->bits, p, end - 1);
    } else {
        add_range(set->bits, (byte)*p, (byte)*p);
    }
    return set->bits;
}

// Does the item [p, end) take the character at `s`?
static bool takes(peri__match *m, const char *s, const char *p, const char *end) {
    charge(m, 1);
    if (s >= m->text_end) return false;
    if (*p == '.') return true;
    if (*p == ESCAPE || *p == '[') return has(bits_of(m, p, end), (byte)*s);
    return *p == *s;
}

// The end of the run, from `s` on, of characters that are in `bits`, or are not.
static const char *run_end(peri__match *m, const char *s, const uint64_t bits[4], bool in) {
    for (;;) {
        const char *from = s, *stop = m->text_end;
        if (stop - s > RUN_BYTES) stop = s + RUN_BYTES;
        while (s < stop && has(bits, (byte)*s) == in) s++;
        charge(m, (size_t)(s - from) + 1);
        if (s < stop || s == m->text_end) return s;
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
    const uint64_t *bits = bits_of(m, set, set_end);
    return !has(bits, before) && has(bits, here);
}

// As many of the item as there are, then fewer, until the rest matches.
static const char *match_most(peri__match *m, const char *s, const char *p, const char *end) {
    ptrdiff_t count = run_end(m, s, bits_of(m, p, end), true) - s;
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

// Behind opening parentheses a single item that has to be there begins the pattern.
const char *peri__match_skip(peri__match *m, const char *at, const char *pattern) {
    enum { MAX_OPEN = 8 };
    const char *p = pattern;
    while (p < m->pattern_end && *p == '(' && p - pattern < MAX_OPEN) p++;
    if (p >= m->pattern_end || *p == '(' || *p == ')' || *p == '$') return at;
    if (*p == ESCAPE && p + 1 < m->pattern_end && strchr("bf0123456789", p[1])) return at;
    const char *end = item_end(m, p);
    if (end < m->pattern_end && strchr("*?-", *end)) return at;
    return run_end(m, at, bits_of(m, p, end), false);
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
