// Finding a file that ships inside the library.
#include "script/embedded.h"

static peri_str find(const peri_embedded *file, peri_str path) {
    while (file->path && !peri_str_eq(peri_str_c(file->path), path)) file++;
    return file->text;
}

peri_str peri_embedded_find(peri_str path) {
    return find(peri_embedded_files, path);
}

peri_str peri_embedded_rules_of(peri_str path) {
    return find(peri_embedded_rules, path);
}
