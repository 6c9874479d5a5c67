// Lua 5.1's patterns, with every step charged to the running call (design D4). The matcher
// only; find, match, gmatch and gsub over it are in lib_string.c.
#ifndef PERI_SCRIPT_PATTERN_H
#define PERI_SCRIPT_PATTERN_H

#include <lua.h>

#include "base/str.h"

enum {
    PERI_PATTERN_MAX_CAPTURES = 32,
    PERI_PATTERN_MAX_DEPTH = 200,
    PERI_PATTERN_KEPT_SETS = 4,
};

/// The characters that an item of the pattern takes, a bit each.
typedef struct peri__charset {
    const char *item; // where it stands in the pattern; NULL: not read yet
    uint64_t bits[4];
} peri__charset;

/// One matching of `pattern` against `text`, both borrowed from Lua strings (a NUL stands
/// behind each). Holds no memory: any call may throw, for a malformed pattern or a used-up
/// budget.
typedef struct peri__match {
    lua_State *L;
    const char *text, *text_end, *pattern, *pattern_end;
    int captures, depth;
    uint32_t steps;                             // not charged yet
    peri__charset sets[PERI_PATTERN_KEPT_SETS]; // of the last items asked for
    struct {
        const char *start;
        ptrdiff_t len; // or CAPTURE_OPEN, CAPTURE_POSITION (pattern.c)
    } capture[PERI_PATTERN_MAX_CAPTURES];
} peri__match;

void peri__match_init(peri__match *m, lua_State *L, peri_str text, peri_str pattern);

/// Matches from exactly `at`, with the pattern from `pattern` on (behind a "^" that the caller
/// has seen to). The end of the match, or NULL.
const char *peri__match_at(peri__match *m, const char *at, const char *pattern);

/// The first place from `at` on, up to the end of the text, where the unanchored `pattern` may
/// match, told by the one character it begins with; `at` itself where that tells nothing.
const char *peri__match_skip(peri__match *m, const char *at, const char *pattern);

/// Pushes the captures of the match [start, end), or, if the pattern has none, all of it when
/// `whole` is set. Returns how many.
int peri__match_push(peri__match *m, const char *start, const char *end, bool whole);

/// Pushes capture `index` (0-based); 0 is the whole match of a pattern without captures.
void peri__match_push_one(peri__match *m, int index, const char *start, const char *end);

/// True if no byte of `pattern` has a special meaning.
bool peri__pattern_plain(peri_str pattern);

#endif
