// Which names a config may use (host/names.c).
#ifndef PERI_HOST_NAMES_H
#define PERI_HOST_NAMES_H

#include "host/types.h"

// host/names.c
/// Names that a config may use; `words` is ended by an empty text, NULL before the first.
typedef struct host_name_list {
    peri_str *words;
    size_t count;
} host_name_list;
typedef struct host_names {
    peri_arena arena; // owns every text
    host_name_list observers, agents, policies;
} host_names;
/// The names of what is shipped, the user's, and the project's in this folder. PERI_ENOMEM.
PERI_MUST_USE int host_names_open(host_names *names);
void host_names_deinit(host_names *names);
/// Adds what `path` defines, an observer or a policy; any other file adds nothing. `user` is
/// the names. PERI_OK.
PERI_MUST_USE int host_names_add_file(void *user, const char *path);
/// Adds what stands in observers/ and policies/ beside the config.
void host_names_add_beside(host_names *names, const char *config);
/// Warns of each name in a valid config that is none of them, with the nearest.
void host_names_check(host_names *names, peri_yaml_doc *doc);

#endif
