// Which files are definitions, by their names: an observer is a Lua file, a Markdown file, or
// both under one stem; what only tests one is none.
#include <stdio.h>

#include "host/written/written.h"

bool host_is_markdown(peri_str file) {
    return peri_str_ends(file, PERI_STR(".md"));
}

char *host_sibling(peri_str path) {
    bool lua = peri_str_ends(path, PERI_STR(".lua"));
    char *out = NULL;
    int stem = (int)(path.len - (lua ? 4 : 3));
    return asprintf(&out, "%.*s%s", stem, path.ptr, lua ? ".md" : ".lua") < 0 ? NULL : out;
}

bool peri_host_is_of_spec(peri_str file) {
    return peri_str_ends(file, PERI_STR("_spec.lua")) ||
           peri_str_ends(file, PERI_STR("_scene.lua"));
}
