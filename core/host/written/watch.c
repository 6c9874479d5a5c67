// Which files are watched for changes, and how each was when it was last looked at. What a
// change does is decided in host/reload.c. Called by all that loads.
#include <stdlib.h>

#include "host/told/told.h"
#include "host/written/written.h"

// Of an observer both of its files count.
uint64_t host_watched_stamp(host_watched_kind kind, const char *path) {
    uint64_t stamp = peri_file_stamp(path);
    char *lua = kind == WATCHED_OBSERVER ? host_sibling(peri_str_c(path)) : NULL;
    if (lua) stamp = stamp * 31 + peri_file_stamp(lua);
    free(lua);
    return stamp;
}

static void add(peri_host *host, host_watched_kind kind, peri_str layer, const char *path,
                uint64_t stamp) {
    for (size_t i = 0; i < host->watched_count; i++) {
        if (strcmp(host->watched[i].path, path) == 0) return;
    }
    if (!host->watched) host->watched = calloc(HOST_MAX_WATCHED, sizeof *host->watched);
    char *copy = strdup(path);
    if (!host->watched || !copy || host->watched_count == HOST_MAX_WATCHED) {
        free(copy);
        host_logf(host, "warning", "%s is not watched for changes: there are too many files",
                  path);
        return;
    }
    host->watched[host->watched_count++] =
        (host_watched){.path = copy, .kind = kind, .layer = layer, .stamp = stamp};
}

void host_watch(peri_host *host, host_watched_kind kind, peri_str layer, const char *path) {
    if (host->mode == PERI_MODE_REPLAY) return;
    add(host, kind, layer, path, host_watched_stamp(kind, path));
}

void host_watch_free(peri_host *host) {
    for (size_t i = 0; i < host->watched_count; i++) free(host->watched[i].path);
    free(host->watched);
    host->watched = NULL;
    host->watched_count = 0;
}

void host_watch_new(peri_host *host, peri_str layer, const char *path) {
    add(host, WATCHED_OBSERVER, layer, path, 0);
}
