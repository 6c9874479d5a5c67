// Where bytes come from: streams that the caller feeds, files and trees that the host reads itself. Files
// of one session are read side by side in the order of their records' times; sessions follow each other
// in the order in which they began.
#include <stdlib.h>

#include "host/internal.h"

static void on_observation(void *user, peri_obs *obs) {
    peri_source *source = user;
    host_observe(source->host, source, obs);
}

void host_quarantine(peri_host *host, const char *what) {
    char **slot = &host->quarantined[host->counts.quarantined++ % HOST_MAX_QUARANTINED];
    free(*slot);
    *slot = strdup(what);
}

static void on_problem(void *user, peri_ingest_problem problem, uint64_t line, uint64_t offset,
                       peri_str message) {
    peri_source *source = user;
    peri_host *host = source->host;
    if (host->warming) return; // told by the run that read it
    peri_buf text;
    peri_buf_init(&text, 4096);
    peri_buf_addf(&text, "%s:%llu: byte %llu: %.*s", source->name, (unsigned long long)line,
                  (unsigned long long)offset, PERI_FMT(message));
    host_logf(host, "warning", "%.*s", PERI_FMT(peri_buf_str(&text)));
    peri_str id = peri_ingest_problem_word(problem);
    host_warn(host, id.ptr, peri_str_c(source->name), peri_buf_str(&text), (peri_str){0});
    host_quarantine(host, peri_buf_c(&text));
    peri_buf_deinit(&text);
}

void host_source_free(peri_source *source) {
    peri_reader_deinit(&source->reader);
    peri_file_close(&source->file);
    peri_buf_deinit(&source->pending);
    peri_arena_deinit(&source->sidecar_arena);
    free((char *)source->last_session.ptr);
    free((char *)source->last_agent.ptr);
    free(source->name);
    free(source);
}

int host_source_new(peri_host *host, const char *name, const peri_dialect *dialect,
                    peri_source **out) {
    peri_source *source = calloc(1, sizeof *source);
    if (!source) return PERI_ENOMEM;
    source->name = strdup(name);
    if (!source->name) {
        free(source);
        return PERI_ENOMEM;
    }
    source->host = host;
    source->number = ++host->source_count;
    source->file.fd = -1;
    source->next_at = INT64_MIN;
    peri_buf_init(&source->pending, HOST_FEED_BYTES);
    peri_arena_init(&source->sidecar_arena, 64 * 1024);
    peri_ingest_events events = {source, on_observation, on_problem};
    peri_reader_init(&source->reader, host->dialects, host->dialect_count, dialect,
                     host->max_line_bytes, events);
    *out = source;
    return PERI_OK;
}

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

// What the first records of a file tell: format, session, time.
typedef struct sniff {
    host_file *file;
    bool known;
} sniff;

static void sniff_observation(void *user, peri_obs *obs) {
    sniff *s = user;
    if (!s->file->session.ptr && obs->session.len) {
        if (peri_own(&s->file->session, obs->session) < 0) return;
    }
    if (obs->has_at && s->file->first_at == INT64_MAX) s->file->first_at = obs->at_wall_ms;
}

enum { SNIFF_LINES = PERI_DETECT_RECORDS + 4 };

// Only what unpacks a file finds its bytes wrong.
static const char *failure_message(int status) {
    return status == PERI_EPARSE ? "the compressed file is damaged or cut off"
                                 : peri_status_message(status);
}

int host_sniff(peri_host *host, host_file *file, const peri_dialect *dialect, uint64_t *size) {
    peri_file in;
    int status = peri_file_open(&in, file->path);
    if (status < 0) return status;
    sniff s = {.file = file};
    peri_reader reader;
    peri_reader_init(&reader, host->dialects, host->dialect_count, dialect,
                     host->max_line_bytes, (peri_ingest_events){&s, sniff_observation, NULL});
    char *chunk = malloc(HOST_CHUNK_BYTES);
    long got = chunk ? 1 : PERI_ENOMEM;
    while (got > 0 && reader.counts.lines < SNIFF_LINES && !reader.refused) {
        got = peri_file_take(&in, chunk, HOST_CHUNK_BYTES);
        peri_str rest = {chunk, got > 0 ? (size_t)got : 0};
        while (rest.len && reader.counts.lines < SNIFF_LINES && !reader.refused) {
            if (peri_reader_step(&reader, &rest) < 0) break;
        }
    }
    // What stands before a damaged place is read, and the damage told then.
    status = got < 0 && !reader.dialect ? (int)got : PERI_OK;
    if (got == 0) status = peri_reader_finish(&reader);
    if (status == PERI_OK &&
        (reader.refused || !reader.dialect || reader.counts.malformed == reader.counts.lines)) {
        status = PERI_EFORMAT;
    }
    *size = in.read_bytes;
    file->dialect = reader.dialect;
    free(chunk);
    peri_reader_deinit(&reader);
    peri_file_close(&in);
    return status;
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

void host_list_other(peri_host *host, const char *path) {
    host->counts.other_files++;
    if (host->listed_count == HOST_MAX_LISTED) return;
    char *copy = strdup(path);
    if (copy) host->listed[host->listed_count++] = copy;
}

bool host_is_sidecar(const peri_host *host, const char *path) {
    for (size_t i = 0; i < host->dialect_count; i++) {
        peri_str suffix = host->dialects[i]->sidecar.suffix;
        if (suffix.len && peri_str_ends(peri_str_c(path), suffix)) return true;
    }
    return false;
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
        host_logf(o->host, "warning", "%s: %s", path, failure_message(status));
    }
    return PERI_OK;
}

static void on_folder_error(void *user, const char *path, int status) {
    opening *o = user;
    o->host->counts.unread_files++;
    host_logf(o->host, "warning", "%s: %s", path, peri_status_message(status));
}

static void explain_refusal(peri_host *host, const char *path, int status, uint64_t size) {
    if (status == PERI_EFORMAT && size == 0) {
        host_logf(host, "error", "%s: the file is empty", path);
    } else if (status == PERI_EFORMAT) {
        host_logf(host, "error", "%s: not in a format that perilune knows (%.*s)", path,
                  PERI_FMT(peri_buf_str(&host->dialect_names)));
    } else if (status == PERI_EINVAL) {
        host_logf(host, "error",
                  "%s: neither a file nor a folder; a pipe is read by `perilune run`", path);
    } else {
        host_logf(host, "error", "%s: %s", path, failure_message(status));
    }
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
        if (status < 0) explain_refusal(host, path, status, o.size);
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

// "dir/agent-1.jsonl" has its sidecar at "dir/agent-1.meta.json".
bool host_sidecar_read(peri_host *host, const peri_dialect *dialect, const char *file,
                       peri_arena *arena, peri_sidecar_facts *out) {
    const peri_sidecar *sidecar = &dialect->sidecar;
    if (!sidecar->suffix.len) return false;
    peri_str path = peri_str_c(file);
    size_t dot = path.len;
    while (dot > 0 && path.ptr[dot - 1] != '.' && path.ptr[dot - 1] != '/') dot--;
    if (dot == 0 || path.ptr[dot - 1] != '.') return false;
    peri_buf name, text;
    peri_buf_init(&name, 8192);
    peri_buf_init(&text, 64 * 1024);
    peri_buf_add(&name, peri_str_sub(path, 0, dot - 1));
    peri_buf_add(&name, sidecar->suffix);
    int status = peri_file_read(peri_buf_c(&name), &text);
    if (status == PERI_OK) {
        status = peri_sidecar_read(sidecar, peri_buf_str(&text), arena, out);
    }
    if (status < 0 && status != PERI_ENOENT) {
        host_logf(host, "warning", "%s: %s", peri_buf_c(&name), peri_status_message(status));
    }
    peri_buf_deinit(&name);
    peri_buf_deinit(&text);
    return status == PERI_OK;
}

void host_read_sidecar(peri_host *host, peri_source *source, const host_file *file) {
    source->has_sidecar = host_sidecar_read(host, file->dialect, file->path,
                                            &source->sidecar_arena, &source->sidecar);
}

void host_count_file(peri_host *host, const peri_dialect *dialect) {
    for (size_t i = 0; i < host->dialect_count; i++) {
        if (host->dialects[i] == dialect) host->by_dialect[i].files++;
    }
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

// Fills `pending` from the source's file. False at its end.
static bool refill(peri_source *source) {
    peri_buf *pending = &source->pending;
    if (source->file.fd < 0) return false;
    peri_buf_drop_front(pending, source->pending_at);
    source->pending_at = 0;
    char *to = peri_buf_reserve(pending, HOST_CHUNK_BYTES);
    long got = to ? peri_file_take(&source->file, to, HOST_CHUNK_BYTES) : PERI_ENOMEM;
    if (got > 0) {
        pending->len += (size_t)got;
        return true;
    }
    if (got == 0 && source->followed)
        return false; // it may grow, and is closed by who follows it
    if (got < 0) {
        host_logf(source->host, "error", "%s: %s", source->name, failure_message((int)got));
    }
    peri_file_close(&source->file);
    source->ended = !source->followed;
    return false;
}

static peri_str unread(const peri_source *source) {
    peri_str all = peri_buf_str(&source->pending);
    return peri_str_sub(all, source->pending_at, all.len);
}

static bool has_line(const peri_source *source) {
    return peri_str_find_byte(unread(source), '\n', 0) != PERI_NPOS;
}

static void finish_source(peri_source *source) {
    int status = peri_reader_finish(&source->reader);
    if (status == PERI_EFORMAT) {
        explain_refusal(source->host, source->name, status, source->reader.counts.bytes);
        host_warn(source->host, "format-not-recognised", peri_str_c(source->name),
                  PERI_STR("no dialect knows these records"), (peri_str){0});
    }
    peri_reader_deinit(&source->reader); // its counts stay; a stream's handle does, too
    source->done = true;
}

// A format that changed without a word is noticed, not read as nothing (case C09).
static void check_recognised(peri_source *source) {
    peri_host *host = source->host;
    const peri_ingest_counts *c = &source->reader.counts;
    bool judged = source->done || c->records >= HOST_UNKNOWN_RECORDS;
    uint64_t percent = (uint64_t)host->config.unknown_percent;
    if (source->unrecognised || !judged || c->raw * 100 <= percent * c->records) return;
    source->unrecognised = true;
    if (host->counts.unrecognised < HOST_MAX_UNRECOGNISED) {
        host->unrecognised[host->counts.unrecognised] = strdup(source->name);
    }
    host->counts.unrecognised++;
    host_logf(host, "warning",
              "%s: format not recognised: %llu of %llu records are of unknown kinds",
              source->name, (unsigned long long)c->raw, (unsigned long long)c->records);
    host_warn(host, "format-not-recognised", peri_str_c(source->name),
              PERI_STR("format not recognised: most of its records are of unknown kinds"),
              (peri_str){0});
}

int host_source_read(peri_source *source) {
    if (source->file.fd >= 0 && unread(source).len == 0) (void)refill(source);
    peri_str rest = unread(source);
    if (rest.len == 0) {
        if (source->ended && !source->done) {
            finish_source(source);
            check_recognised(source);
            return 1;
        }
        return 0;
    }
    size_t before = rest.len;
    int status = peri_reader_step(&source->reader, &rest);
    source->pending_at += before - rest.len;
    if (status < 0) {
        source->host->counts.lost++;
        host_logf(source->host, "error", "%s: %s", source->name, peri_status_message(status));
    }
    source->next_at = INT64_MIN;
    check_recognised(source);
    return 1;
}

// The time of the next record, so that several files of one session can be read in order.
static int64_t peek_time(peri_source *source) {
    if (source->next_at != INT64_MIN) return source->next_at;
    while (source->file.fd >= 0 && !has_line(source)) {
        if (unread(source).len >= HOST_CHUNK_BYTES || !refill(source)) break;
    }
    peri_str rest = unread(source);
    peri_str line = peri_str_sub(rest, 0, peri_str_find_byte(rest, '\n', 0));
    source->next_at = peri_reader_peek_at(&source->reader, line);
    return source->next_at;
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
        if (!best || peek_time(source) < peek_time(best)) best = source;
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
        if (!source->done && (source->from_file || source->ended || unread(source).len))
            return true;
    }
    return host->file_next < host->file_count || host_follow_due(host);
}
