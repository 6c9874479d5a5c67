// What a definition says of itself, read without running it: a file that nobody trusts yet may
// be shown, and may not be evaluated for that (case C65).
#ifndef PERI_SCRIPT_OUTLINE_H
#define PERI_SCRIPT_OUTLINE_H

#include "base/str.h"

enum { PERI_OUTLINE_WORDS = 16 };

/// The value of one key of `return { ... }`. Words are borrowed from the file's text.
typedef struct peri_outline_value {
    bool given;   // the key is there
    bool written; // as one string or a list of strings; otherwise only running it would tell
    peri_str words[PERI_OUTLINE_WORDS];
    size_t count;
} peri_outline_value;

typedef struct peri_outline {
    bool plain; // the file ends in `return { NAME = VALUE, ... }`; if not, nothing below is set
    peri_outline_value name, description, on, can, sees, agents, deliver, command;
    bool has_observe, has_wake;
} peri_outline;

/// Reads a Lua definition. Never fails: what cannot be told is not `plain` or not `written`.
void peri_outline_read(peri_str text, peri_outline *out);

/// The name that the definition `file`, Lua or Markdown, seems to have; absent if it tells
/// none. Borrowed from `text`. Good for messages only: a file with a mistake may still show its
/// name.
peri_str peri_outline_name(peri_str file, peri_str text);

#endif
