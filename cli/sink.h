// The sink of `run --sink FILE`: one delivery a line.
#ifndef PERI_CLI_SINK_H
#define PERI_CLI_SINK_H

#include <perilune/perilune.h>

typedef struct sink {
    const char *path;
    int fd;      // -1: closed
    int trouble; // errno of the last write, said once; 0: none
} sink;

/// Opens `path` to append to it. False after a line on stderr.
bool sink_open(sink *to, const char *path);
void sink_close(sink *to);

/// A peri_sink_fn whose `user` is the sink: a line is there whole or not at all. A full disk
/// keeps the delivery queued; whatever else fails expires it. Either is said once on stderr.
int sink_write(void *user, const peri_delivery *delivery);

#endif
