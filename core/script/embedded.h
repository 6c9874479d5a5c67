// The Lua and Markdown files that ship inside the library: lua/, policies/, observers/. Made at
// build time by tools/embed.c from the tree; the rules of its dialects by tools/precompile.c.
#ifndef PERI_SCRIPT_EMBEDDED_H
#define PERI_SCRIPT_EMBEDDED_H

#include "base/str.h"

typedef struct peri_embedded {
    const char
        *path; // relative to the project, such as "policies/default.lua"; NULL ends the list
    peri_str text;
} peri_embedded;

extern const peri_embedded peri_embedded_files[];

/// What each shipped dialect says, as peri_dialect_vm_read() has it.
extern const peri_embedded peri_embedded_rules[];

/// The content of `path`, or the absent text.
peri_str peri_embedded_find(peri_str path);

/// The rules of the dialect file `path`, or the absent text.
peri_str peri_embedded_rules_of(peri_str path);

#endif
