// The observers of the user and the project, as the verbs that name one see them.
#include "known.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "cli.h"
#include "paths.h"
#include "tell.h"

int peri_known_open(const char *project, const char *observers, peri_host **host) {
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    peri_buf trust;
    peri_buf_init(&trust, PERI_PATH_MAX_BYTES);
    options.use_user_config = true;
    options.project_dir = project;
    options.observer_dir = observers;
    options.on_log = peri_tell_log;
    if (peri_path_trust(&trust, NULL) == PERI_OK) options.trust_path = peri_buf_c(&trust);
    int status = peri_host_new(&options, host);
    peri_buf_deinit(&trust);
    return status;
}

// The entry in use under `name`, or NULL.
const peri_entry *peri_known_find(const peri_host *host, peri_str name) {
    size_t count;
    const peri_entry *entries = peri_host_entries(host, &count);
    for (size_t i = 0; i < count; i++) {
        if (entries[i].state <= PERI_ENTRY_OFF && peri_str_eq(entries[i].name, name)) {
            return &entries[i];
        }
    }
    return NULL;
}

int peri_known_deny(const peri_host *host, const char *verb, peri_str name) {
    size_t count;
    const peri_entry *entries = peri_host_entries(host, &count);
    peri_str *words = calloc(count + 1, sizeof *words);
    size_t known = 0;
    for (size_t i = 0; words && i < count; i++) {
        if (entries[i].state <= PERI_ENTRY_OFF) words[known++] = entries[i].name;
    }
    peri_str near = words ? peri_diag_nearest(name, words) : (peri_str){0};
    fprintf(stderr, "perilune %s: there is no observer '%.*s'", verb, PERI_FMT(name));
    if (near.len) {
        fprintf(stderr, "; did you mean '%.*s'?\n", PERI_FMT(near));
    } else {
        fputs("; perilune observers lists them\n", stderr);
    }
    free(words);
    return PERI_EXIT_NEGATIVE;
}
