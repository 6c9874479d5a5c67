// One source of an agent's bytes, a stream or a file: they are read a line at a time, what a
// line tells goes to host/read/observe.c, what is wrong with one is said and set aside. Which
// source is read next is decided in host/read/input.c, for followed files in
// host/read/follow.c.
#include <stdlib.h>

#include "host/read/read.h"
#include "host/told/told.h"
#include "host/written/written.h"

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

void host_read_sidecar(peri_host *host, peri_source *source, const host_file *file) {
    source->has_sidecar = host_sidecar_read(host, file->dialect, file->path,
                                            &source->sidecar_arena, &source->sidecar);
}

// ---- Reading

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
        host_logf(source->host, "error", "%s: %s", source->name, host_file_problem((int)got));
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
        host_tell_refusal(source->host, source->name, status, source->reader.counts.bytes);
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
int64_t host_source_peek_at(peri_source *source) {
    if (source->next_at != INT64_MIN) return source->next_at;
    while (source->file.fd >= 0 && !has_line(source)) {
        if (unread(source).len >= HOST_CHUNK_BYTES || !refill(source)) break;
    }
    peri_str rest = unread(source);
    peri_str line = peri_str_sub(rest, 0, peri_str_find_byte(rest, '\n', 0));
    source->next_at = peri_reader_peek_at(&source->reader, line);
    return source->next_at;
}

bool host_source_has_bytes(const peri_source *source) {
    return unread(source).len > 0;
}

// ---- What was read

void host_count_file(peri_host *host, const peri_dialect *dialect) {
    for (size_t i = 0; i < host->dialect_count; i++) {
        if (host->dialects[i] == dialect) host->by_dialect[i].files++;
    }
}

static void count_dialect(peri_host *host, const peri_source *source) {
    const peri_ingest_counts *from = &source->reader.counts;
    for (size_t i = 0; i < host->dialect_count; i++) {
        if (host->dialects[i] != source->reader.dialect) continue;
        host->by_dialect[i].records += from->records;
        host->by_dialect[i].observations += from->observations;
        host->by_dialect[i].raw += from->raw;
    }
}

void host_count_source(peri_host *host, const peri_source *source) {
    const peri_ingest_counts *from = &source->reader.counts;
    peri_ingest_counts *to = &host->ingested;
    to->lines += from->lines;
    to->blank += from->blank;
    to->records += from->records;
    to->observations += from->observations;
    to->raw += from->raw;
    to->invalid += from->invalid;
    to->failed_maps += from->failed_maps;
    to->malformed += from->malformed;
    to->torn += from->torn;
    to->welded += from->welded;
    to->repaired += from->repaired;
    to->oversized += from->oversized;
    to->unfinished += from->unfinished;
    to->bytes += from->bytes;
    count_dialect(host, source);
}
