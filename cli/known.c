// The observers of the user and the project, as the verbs that name one see them.
#include "known.h"

#include <stdlib.h>

#include "base/diag.h"
#include "cli.h"
#include "host/author.h"
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

bool peri_known_has(const peri_host *host, peri_str name) {
    return peri_known_find(host, name) || peri_host_knows_agent(host, name);
}

// The names of the entries in use, ended by an absent one; the caller frees. NULL: no memory.
static peri_str *known_names(const peri_host *host) {
    size_t count;
    const peri_entry *entries = peri_host_entries(host, &count);
    peri_str *words = calloc(count + 1, sizeof *words);
    size_t known = 0;
    for (size_t i = 0; words && i < count; i++) {
        if (entries[i].state <= PERI_ENTRY_OFF) words[known++] = entries[i].name;
    }
    return words;
}

peri_str peri_known_near(const peri_host *host, peri_str name) {
    peri_str *words = known_names(host);
    peri_str near = words ? peri_diag_nearest(name, words) : (peri_str){0};
    free(words);
    return near;
}

int peri_known_deny(const peri_host *host, const char *verb, peri_str name) {
    peri_str *words = known_names(host);
    int code = peri_name_deny(verb, "observer", name, words, "`perilune observers` lists them");
    free(words);
    return code;
}

int peri_known_check(const char *verb, peri_str name) {
    peri_host *host;
    int status = peri_known_open(".", NULL, &host);
    if (status < 0) return status == PERI_ENOMEM ? PERI_EXIT_INTERNAL : PERI_EXIT_USAGE;
    int code = peri_known_has(host, name) ? PERI_EXIT_OK : peri_known_deny(host, verb, name);
    peri_host_free(host);
    return code;
}
