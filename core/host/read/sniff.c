// What a file is, before it is read: its dialect, its session and when that began; and what is
// said of one that is not read. Called by all that open files.
#include <stdlib.h>

#include "host/read/read.h"
#include "host/told/told.h"

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

// ---- What is not read

// Only what unpacks a file finds its bytes wrong.
const char *host_file_problem(int status) {
    if (status == PERI_ENOENT) return "there is no such file or folder";
    return status == PERI_EPARSE ? "the compressed file is damaged or cut off"
                                 : peri_status_message(status);
}

void host_tell_refusal(peri_host *host, const char *path, int status, uint64_t size) {
    if (status == PERI_EFORMAT && size == 0) {
        host_logf(host, "error", "%s: the file is empty", path);
    } else if (status == PERI_EFORMAT) {
        host_logf(host, "error", "%s: not in a format that perilune knows (%.*s)", path,
                  PERI_FMT(peri_buf_str(&host->dialect_names)));
    } else if (status == PERI_EINVAL) {
        host_logf(host, "error",
                  "%s: neither a file nor a folder; a pipe is read by `perilune run`", path);
    } else {
        host_logf(host, "error", "%s: %s", path, host_file_problem(status));
    }
}

void host_list_other(peri_host *host, const char *path) {
    host->counts.other_files++;
    if (host->listed_count == HOST_MAX_LISTED) return;
    char *copy = strdup(path);
    if (copy) host->listed[host->listed_count++] = copy;
}
