// Live files and trees: folders are watched, files that changed queue up and are read in turn,
// a bounded number of lines each, until their ends. An idle file costs a name in memory and
// nothing else. How far each was read goes into the ledger with what its records caused.
#include <stdlib.h>

#include "host/read/read.h"
#include "host/read/tail.h"
#include "host/told/told.h"
#include "host/written/written.h"
#include "io/watch.h"

enum { MAX_FOLDERS = 65536, TURN_LINES = 64 };

static void enqueue(host_follow *f, host_tail *tail) {
    if (tail->queued) return;
    tail->queued = true;
    tail->next = NULL;
    if (f->last) f->last->next = tail;
    if (!f->first) f->first = tail;
    f->last = tail;
}

static host_tail *dequeue(host_follow *f) {
    host_tail *tail = f->first;
    f->first = tail->next;
    if (!f->first) f->last = NULL;
    tail->queued = false;
    tail->lines = 0;
    return tail;
}

static void touch(host_follow *f, host_tail *tail) {
    if (tail->touched) return;
    tail->touched = true;
    tail->next_touched = f->touched;
    f->touched = tail;
}

// A file that changed is read again, even if its size did not.
static void file_changed(peri_host *host, const char *path) {
    if (!host_tails_want(host, path)) return;
    host_tail *tail = host_tails_add(host, path);
    if (tail) enqueue(host->follow, tail);
}

// A file found on a walk: read if it is new or its size is not what was read.
static int file_found(void *user, const char *path) {
    peri_host *host = user;
    peri_file_id id;
    const host_tail *tail = host_tails_find(host, path);
    bool unchanged = tail && tail->known && peri_path_id_of(path, &id) == PERI_OK &&
                     id.inode == tail->at.id.inode && id.size == tail->read_at;
    if (!unchanged) file_changed(host, path);
    return PERI_OK;
}

static int folder_found(void *user, const char *path) {
    peri_host *host = user;
    int status = peri_watch_add(host->follow->watch, path);
    if (status < 0) {
        host_logf(host, "warning", "%s: not watched: %s", path, peri_status_message(status));
    }
    return PERI_OK;
}

static void on_walk_error(void *user, const char *path, int status) {
    peri_host *host = user;
    host->counts.unread_files++;
    host_logf(host, "warning", "%s: %s", path, peri_status_message(status));
}

// Watches a folder and all below it before looking at what is there: nothing falls in between.
static int add_tree(peri_host *host, const char *path) {
    const peri_walk_events events = {file_found, folder_found, on_walk_error};
    return peri_tree_walk(path, &events, host);
}

static void on_change(void *user, const char *path) {
    peri_host *host = user;
    peri_file_id id;
    int status = peri_path_id_of(path, &id);
    if (status == PERI_OK) {
        file_changed(host, path);
    } else if (status == PERI_ENOENT) {
        peri_watch_del(host->follow->watch, path);
    } else if (peri_path_is_folder(path)) {
        const host_root *r = host_tails_root(host->follow, path);
        if (r) {
            (void)add_tree(host, path); // what stops a walk is counted
        } else {
            for (size_t i = 0; i < host->follow->root_count; i++) { // a folder that is polled
                file_changed(host, host->follow->roots[i].path);
            }
        }
    }
}

static int start(peri_host *host) {
    if (host->follow) return PERI_OK;
    host_follow *f = calloc(1, sizeof *f);
    if (!f) return PERI_ENOMEM;
    peri_map_init(&f->tails, PERI_TREE_MAX_FILES, host->seed);
    peri_map_init(&f->owners, PERI_TREE_MAX_FILES, host->seed);
    int status = peri_watch_new(host->loop, MAX_FOLDERS, on_change, host, &f->watch);
    if (status < 0) {
        free(f);
        return status;
    }
    host->follow = f;
    return PERI_OK;
}

// A file is watched through its folder, which sees it replaced.
static int add_file(peri_host *host, char *path) {
    char *slash = strrchr(path, '/');
    char *folder = strndup(path, slash == path ? 1 : (size_t)(slash - path));
    int status = folder ? peri_watch_add(host->follow->watch, folder) : PERI_ENOMEM;
    free(folder);
    if (status == PERI_OK) file_changed(host, path);
    return status;
}

int peri_host_follow_path(peri_host *host, const char *path, const char *dialect) {
    HOST_CHECK(host);
    if (!path) return PERI_EINVAL;
    if (host->mode == PERI_MODE_REPLAY) return PERI_ESTATE;
    const peri_dialect *known = dialect ? host_dialect_find(host, dialect) : NULL;
    if (dialect && !known) {
        host_logf(host, "error", "unknown dialect '%s'; the known ones: %.*s", dialect,
                  PERI_FMT(peri_buf_str(&host->dialect_names)));
        return PERI_ENOENT;
    }
    char *resolved = peri_path_resolve(path);
    if (!resolved) {
        host_logf(host, "error", "%s: %s", path, peri_status_message(PERI_ENOENT));
        return PERI_ENOENT;
    }
    int status = start(host);
    if (status == PERI_OK && host->follow->root_count == HOST_MAX_ROOTS) status = PERI_ELIMIT;
    if (status < 0) {
        free(resolved);
        return status;
    }
    bool folder = peri_path_is_folder(resolved);
    host->follow->roots[host->follow->root_count++] = (host_root){resolved, folder, known};
    status = folder ? add_tree(host, resolved) : add_file(host, resolved);
    if (status < 0) host_logf(host, "error", "%s: %s", path, peri_status_message(status));
    return status;
}

bool host_follow_due(const peri_host *host) {
    return host->follow && host->follow->first &&
           !host->finishing; // what is left waits in its file
}

// Told once, until the file could be opened or fails in another way.
static void open_failed(peri_host *host, host_tail *tail, int status) {
    if (tail->refusal == status) return;
    if (!tail->refusal) host->counts.unread_files++;
    tail->refusal = status;
    host_logf(host, "warning", "%s: %s", tail->path, peri_status_message(status));
}

// True if its turn is not yet: what it waits for goes first.
static bool steps_back(host_follow *f, host_tail *tail) {
    if (tail->behind && tail->behind->queued) {
        enqueue(f, dequeue(f));
        return true;
    }
    tail->behind = NULL;
    return false;
}

int host_follow_read(peri_host *host) {
    host_follow *f = host->follow;
    if (!host_follow_due(host)) return 0;
    host_tail *tail = f->first;
    if (steps_back(f, tail)) return 1;
    if (!tail->source || tail->source->file.fd < 0) {
        int status = host_tail_open(host, tail);
        if (status < 0) {
            open_failed(host, tail, status);
        } else {
            tail->refusal = PERI_OK;
        }
        if (status <= 0) dequeue(f);
        if (tail->behind) {
            enqueue(f, tail->behind);
            enqueue(f, tail);
        }
        return 1;
    }
    touch(f, tail);
    if (host_tail_read(host, tail) > 0) {
        if (tail->careful) return 0; // the step ends here, and with it the position is saved
        if (++tail->lines >= TURN_LINES) enqueue(f, dequeue(f));
        return 1;
    }
    dequeue(f);
    if (host_tail_rest(host, tail)) enqueue(f, tail);
    return 1;
}

void host_follow_save(peri_host *host) {
    host_follow *f = host->follow;
    if (!f) return;
    for (host_tail *tail = f->touched; tail; tail = tail->next_touched) {
        host_tail_save(host, tail);
        tail->touched = false;
    }
    f->touched = NULL;
}

void host_follow_add_counts(peri_host *host) {
    size_t at = 0;
    if (!host->follow) return;
    for (peri_map_slot *slot; (slot = peri_map_next(&host->follow->tails, &at));) {
        const host_tail *tail = slot->value;
        if (tail->source) host_count_source(host, tail->source);
    }
}

void host_follow_write_status(const peri_host *host, peri_buf *out) {
    const host_follow *f = host->follow;
    size_t at = 0, foreign = 0, waiting = 0;
    if (!f) return;
    for (peri_map_slot *slot; (slot = peri_map_next(&f->tails, &at));) {
        const host_tail *tail = slot->value;
        foreign += tail->foreign;
        waiting += !tail->foreign && !tail->source;
    }
    peri_watch_counts folders = peri_watch_counts_of(f->watch);
    peri_buf_addf(out,
                  ",\"follow\":{\"files\":%zu,\"waiting\":%zu,\"foreign\":%zu,\"folders\":%zu,"
                  "\"polledFolders\":%zu}",
                  f->tails.len, waiting, foreign, folders.watched, folders.polled);
}

void host_follow_free(peri_host *host) {
    host_follow *f = host->follow;
    if (!f) return;
    peri_watch_free(f->watch);
    size_t at = 0;
    for (peri_map_slot *slot; (slot = peri_map_next(&f->tails, &at));) {
        host_tail_free(host, slot->value);
    }
    for (size_t i = 0; i < f->root_count; i++) free(f->roots[i].path);
    peri_map_deinit(&f->tails);
    peri_map_deinit(&f->owners);
    free(f);
    host->follow = NULL;
}
