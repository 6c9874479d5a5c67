// Is what the agents write being read? Followed files that have grown past the position in the
// ledger, looked at from outside: so that a host which is stuck, or none at all, is seen by
// whoever asks.
#include "host/status/status.h"
#include "host/told/told.h"
#include "ledger/checkpoint.h"

enum { LOOK_AT_FILES = 1000, LATE_MS = 10 * 1000, PEEK_BYTES = 64 * 1024 };

typedef struct looking {
    peri_source_lag *out;
    int64_t now_wall_ms;
} looking;

// A line that is still being written is nobody's lag.
static bool has_whole_line(const char *path, uint64_t offset) {
    static const char lf = '\n';
    char bytes[PEEK_BYTES];
    peri_file file;
    if (peri_file_open_raw(&file, path) < 0) return false;
    long got = peri_file_peek(&file, offset, bytes, sizeof bytes);
    peri_file_close(&file);
    return got > 0 && memchr(bytes, lf, (size_t)got) != NULL;
}

static void look_at(void *user, const peri_checkpoint *checkpoint) {
    looking *l = user;
    peri_file_id id;
    char path[4096];
    if (checkpoint->path.len >= sizeof path) return;
    memcpy(path, checkpoint->path.ptr, checkpoint->path.len);
    path[checkpoint->path.len] = '\0';
    if (peri_path_id_of(path, &id) < 0 || id.inode != checkpoint->inode) return;
    bool late = id.size > checkpoint->offset && id.changed_wall_ms + LATE_MS < l->now_wall_ms;
    if (!late || !has_whole_line(path, checkpoint->offset)) return;
    l->out->bytes += id.size - checkpoint->offset;
    l->out->files++;
    if (!l->out->since_wall_ms || id.changed_wall_ms < l->out->since_wall_ms) {
        l->out->since_wall_ms = id.changed_wall_ms;
    }
}

int host_source_lag(peri_host *host, peri_ledger *ledger, peri_source_lag *out) {
    *out = (peri_source_lag){0};
    looking l = {out, host_wall_ms(host)};
    return ledger ? peri_ledger_checkpoints(ledger, LOOK_AT_FILES, look_at, &l) : PERI_OK;
}
