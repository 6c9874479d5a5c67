// Where bytes come from: streams that the caller feeds, files and trees that the host reads
// itself. Files of one session are read side by side in the order of their records' times;
// sessions follow each other in the order in which they began.
#include <stdlib.h>

#include "host/read/read.h"
#include "host/told/told.h"
#include "host/written/written.h"

// One that is read in turn with the others of its kind.
static int new_source(peri_host *host, const char *name, const peri_dialect *dialect,
                      peri_source **out) {
    int status = host_source_new(host, name, dialect, out);
    if (status < 0) return status;
    *host->last_source = *out;
    host->last_source = &(*out)->next;
    return PERI_OK;
}

void host_sources_free(peri_host *host) {
    while (host->sources) {
        peri_source *source = host->sources;
        host->sources = source->next;
        host_source_free(source);
    }
    host->last_source = &host->sources;
    for (size_t i = 0; i < host->file_count; i++) {
        free(host->files[i].path);
        free((char *)host->files[i].session.ptr);
    }
    free(host->files);
    for (size_t i = 0; i < host->listed_count; i++) free(host->listed[i]);
    for (size_t i = 0; i < HOST_MAX_UNRECOGNISED; i++) free(host->unrecognised[i]);
    for (size_t i = 0; i < HOST_MAX_QUARANTINED; i++) free(host->quarantined[i]);
}

int peri_host_open_stream(peri_host *host, const char *name, const char *dialect,
                          peri_source **out) {
    HOST_CHECK(host);
    const peri_dialect *known = dialect ? host_dialect_find(host, dialect) : NULL;
    if (dialect && !known) return PERI_ENOENT;
    return new_source(host, name ? name : "stream", known, out);
}

int peri_source_feed(peri_source *source, const char *bytes, size_t len, size_t *used) {
    if (!source) return PERI_EINVAL;
    HOST_CHECK(source->host);
    if (source->ended) return PERI_ECLOSED;
    if (source->pending_at == source->pending.len) {
        peri_buf_clear(&source->pending);
        source->pending_at = 0;
    }
    size_t room = HOST_FEED_BYTES - source->pending.len;
    size_t some = len < room ? len : room;
    *used = 0;
    if (some == 0) return len ? PERI_EAGAIN : PERI_OK;
    peri_buf_add(&source->pending, peri_str_of(bytes, some));
    if (source->pending.status < 0) return source->pending.status;
    *used = some;
    return PERI_OK;
}

int peri_source_end(peri_source *source) {
    if (!source) return PERI_EINVAL;
    HOST_CHECK(source->host);
    source->ended = true;
    return PERI_OK;
}

static int add_file(peri_host *host, host_file file) {
    if (host->file_count == host->file_cap) {
        size_t cap = host->file_cap ? host->file_cap * 2 : 16;
        host_file *files = realloc(host->files, cap * sizeof *files);
        if (!files) return PERI_ENOMEM;
        host->files = files;
        host->file_cap = cap;
    }
    file.order = host->file_count;
    host->files[host->file_count++] = file;
    host->files_sorted = false;
    return PERI_OK;
}

typedef struct opening {
    peri_host *host;
    const peri_dialect *dialect; // NULL: found out
    bool in_tree;
    uint64_t size; // read while sniffing
} opening;

static int open_file(void *user, const char *path) {
    opening *o = user;
    if (o->in_tree && host_is_sidecar(o->host, path)) return PERI_OK;
    host_file file = {.path = strdup(path), .first_at = INT64_MAX};
    if (!file.path) return PERI_ENOMEM;
    int status = host_sniff(o->host, &file, o->dialect, &o->size);
    if (status == PERI_OK) status = add_file(o->host, file);
    if (status == PERI_OK) return PERI_OK;
    free(file.path);
    free((char *)file.session.ptr);
    if (!o->in_tree || status == PERI_ENOMEM) return status;
    if (status == PERI_EFORMAT) {
        host_list_other(o->host, path);
    } else {
        o->host->counts.unread_files++;
        host_logf(o->host, "warning", "%s: %s", path, host_file_problem(status));
    }
    return PERI_OK;
}

static void on_folder_error(void *user, const char *path, int status) {
    opening *o = user;
    o->host->counts.unread_files++;
    host_logf(o->host, "warning", "%s: %s", path, peri_status_message(status));
}

int peri_host_open_path(peri_host *host, const char *path, const char *dialect) {
    HOST_CHECK(host);
    if (!path) return PERI_EINVAL;
    opening o = {.host = host};
    if (dialect) {
        o.dialect = host_dialect_find(host, dialect);
        if (!o.dialect) {
            host_logf(host, "error", "unknown dialect '%s'; the known ones: %.*s", dialect,
                      PERI_FMT(peri_buf_str(&host->dialect_names)));
            return PERI_ENOENT;
        }
    }
    int status;
    if (peri_path_type_of(path) == PERI_PATH_FOLDER) {
        o.in_tree = true;
        status = peri_folder_walk(path, open_file, on_folder_error, &o);
    } else {
        status = open_file(&o, path);
        if (status < 0) host_tell_refusal(host, path, status, o.size);
    }
    return status;
}

static int by_time(const void *a, const void *b) {
    const host_file *x = a, *y = b;
    if (x->session_at != y->session_at) return x->session_at < y->session_at ? -1 : 1;
    int order = peri_str_compare(x->session, y->session);
    if (order != 0) return order;
    return x->order < y->order ? -1 : 1;
}

// Sorts what is left to read: sessions by their first time, their files as found.
static void sort_files(peri_host *host) {
    size_t count = host->file_count - host->file_next;
    host->files_sorted = true;
    if (!count) return;
    host_file *files = host->files + host->file_next;
    peri_map first; // session -> the file with the earliest time
    peri_map_init(&first, count + 1, host->seed);
    for (size_t i = 0; i < count; i++) {
        host_file *earliest = peri_map_get(&first, files[i].session);
        if (!earliest || files[i].first_at < earliest->first_at) {
            if (peri_map_set(&first, files[i].session, &files[i]) < 0) break;
        }
    }
    for (size_t i = 0; i < count; i++) {
        const host_file *earliest = peri_map_get(&first, files[i].session);
        bool own = !earliest || !files[i].session.ptr;
        files[i].session_at = own ? files[i].first_at : earliest->first_at;
    }
    peri_map_deinit(&first);
    qsort(files, count, sizeof *files, by_time);
}

static void open_source(peri_host *host, const host_file *file) {
    peri_source *source;
    int status = new_source(host, file->path, file->dialect, &source);
    if (status == PERI_OK) {
        status = peri_file_open(&source->file, file->path);
        source->from_file = true;
        // What comes before the first record that names it is of the same session.
        if (file->session.ptr && peri_own(&source->last_session, file->session) < 0)
            host->counts.lost++;
        source->done = status < 0; // swept with the next one that is
    }
    if (status < 0) {
        host->counts.unread_files++;
        host_logf(host, "error", "%s: %s", file->path, peri_status_message(status));
        return;
    }
    host_read_sidecar(host, source, file);
    host_count_file(host, file->dialect);
}

// One past the files of the session that `first` belongs to, and the lowest rank among them.
static size_t session_end(const peri_host *host, size_t first, uint32_t *rank) {
    peri_str session = host->files[first].session;
    size_t end = first;
    *rank = host->files[first].dialect->rank;
    do {
        uint32_t one = host->files[end++].dialect->rank;
        if (one < *rank) *rank = one;
    } while (session.ptr && end < host->file_count &&
             peri_str_eq(host->files[end].session, session));
    return end;
}

// Opens the files of the next session; in a replay those of the kind that tells most of it
// (transcript, rollout or session file before hook log before stream).
static bool open_next_session(peri_host *host) {
    if (!host->files_sorted) sort_files(host);
    if (host->file_next == host->file_count) return false;
    uint32_t rank;
    size_t end = session_end(host, host->file_next, &rank);
    bool best_only = host->mode == PERI_MODE_REPLAY && !host->all_sources;
    for (; host->file_next < end; host->file_next++) {
        const host_file *file = &host->files[host->file_next];
        if (best_only && file->dialect->rank > rank) {
            host->counts.same_session++;
        } else {
            open_source(host, file);
        }
    }
    return true;
}

static peri_source *earliest(peri_host *host) {
    peri_source *best = NULL, *only = NULL;
    size_t open = 0;
    for (peri_source *source = host->sources; source; source = source->next) {
        if (!source->from_file || source->done) continue;
        only = source;
        open++;
    }
    if (open < 2) return only;
    for (peri_source *source = host->sources; source; source = source->next) {
        if (!source->from_file || source->done) continue;
        if (!best || host_source_peek_at(source) < host_source_peek_at(best)) best = source;
    }
    return best;
}

// Ended files give their memory back.
static void sweep(peri_host *host) {
    for (peri_source **at = &host->sources; *at;) {
        peri_source *source = *at;
        if (!source->done || !source->from_file) {
            at = &source->next;
            continue;
        }
        host_count_source(host, source);
        *at = source->next;
        host_source_free(source);
    }
    host->last_source = &host->sources;
    while (*host->last_source) host->last_source = &(*host->last_source)->next;
}

static int read_streams(peri_host *host) {
    for (peri_source *source = host->sources; source; source = source->next) {
        if (source->from_file || source->done) continue;
        if (host_source_read(source) > 0) return 1;
    }
    return 0;
}

static int read_files(peri_host *host) {
    peri_source *source = earliest(host);
    if (source) {
        if (host_source_read(source) > 0 && source->done) sweep(host);
        return 1;
    }
    if (host->mode == PERI_MODE_REPLAY) { // the session read last is over
        host_finish_agents(host);
        if (host->work_count) return 1;
    }
    return open_next_session(host) ? 1 : 0;
}

int host_read(peri_host *host) {
    if (host->abandoned) return 0;
    int read = read_streams(host);
    if (!read) read = read_files(host);
    return read ? read : host_follow_read(host);
}

bool host_has_input(const peri_host *host) {
    if (host->abandoned) return false;
    for (const peri_source *source = host->sources; source; source = source->next) {
        if (!source->done &&
            (source->from_file || source->ended || host_source_has_bytes(source)))
            return true;
    }
    return host->file_next < host->file_count || host_follow_due(host);
}
