// Deliveries as lines of JSON. A line counts as handed over once the system has taken it whole:
// what a full disk took of it is cut off again, so that whoever reads the file never meets half
// a line.
#include "sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json_line.h"

bool sink_open(sink *to, const char *path) {
    *to = (sink){.path = path};
    to->fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (to->fd >= 0) return true;
    fprintf(stderr, "perilune run: %s: %s\n", path, strerror(errno));
    return false;
}

void sink_close(sink *to) {
    if (to->fd >= 0) close(to->fd);
    to->fd = -1;
}

static bool make_line(const peri_delivery *d, char **line, size_t *len) {
    const struct {
        const char *key;
        peri_str value;
    } members[] = {
        {"id", d->id},       {"session", d->session},   {"agent", d->agent},
        {"lane", d->lane},   {"observer", d->observer}, {"text", d->text},
        {"nonce", d->nonce}, {"event", d->event},       {"answer", d->answer},
    };
    FILE *out = open_memstream(line, len);
    if (!out) return false;
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (!members[i].value.ptr) continue; // the dialect does not say by which way
        fprintf(out, "%c\"%s\":", i ? ',' : '{', members[i].key);
        json_line_string(out, members[i].value);
    }
    fputs("}\n", out);
    return fclose(out) == 0;
}

// 0 or the errno of what failed.
static int write_whole(int fd, const char *line, size_t len) {
    struct stat before;
    bool regular = fstat(fd, &before) == 0 && S_ISREG(before.st_mode);
    for (size_t at = 0; at < len;) {
        ssize_t wrote = write(fd, line + at, len - at);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) {
            int failure = errno;
            if (at && regular && ftruncate(fd, before.st_size) != 0) return EIO;
            return failure;
        }
        at += (size_t)wrote;
    }
    return 0;
}

static bool is_full(int failure) {
    return failure == ENOSPC || failure == EDQUOT || failure == EFBIG || failure == EAGAIN;
}

static void tell(sink *to, int failure) {
    if (failure == to->trouble) return;
    to->trouble = failure;
    if (failure == 0) {
        fprintf(stderr, "perilune run: %s: it can be written again\n", to->path);
    } else {
        fprintf(stderr, "perilune run: %s: %s; %s\n", to->path, strerror(failure),
                is_full(failure) ? "deliveries wait for room" : "deliveries are lost");
    }
}

int sink_write(void *user, const peri_delivery *delivery) {
    sink *to = user;
    char *line = NULL;
    size_t len = 0;
    int failure = make_line(delivery, &line, &len) ? write_whole(to->fd, line, len) : ENOMEM;
    free(line);
    tell(to, failure);
    if (failure == 0) return PERI_OK;
    return is_full(failure) ? PERI_EAGAIN : PERI_EIO;
}
