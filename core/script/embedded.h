// The Lua and Markdown files that ship inside the library: lua/, policies/, observers/. Made at
// build time by tools/embed.c from the tree.
#ifndef PERI_SCRIPT_EMBEDDED_H
#define PERI_SCRIPT_EMBEDDED_H

#include "base/str.h"

typedef struct peri_embedded {
    const char
        *path; // relative to the project, such as "policies/default.lua"; NULL ends the list
    peri_str text;
} peri_embedded;

extern const peri_embedded peri_embedded_files[];

/// The content of `path`, or the absent text.
peri_str peri_embedded_find(peri_str path);

#endif
