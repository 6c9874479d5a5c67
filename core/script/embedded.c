// Finding a file that ships inside the library.
#include "script/embedded.h"

peri_str peri_embedded_find(peri_str path) {
    for (const peri_embedded *file = peri_embedded_files; file->path; file++) {
        if (peri_str_eq(peri_str_c(file->path), path)) return file->text;
    }
    return (peri_str){0};
}
