// What the programs of tests/bench share: a clock, and what to keep of many rounds. A round is
// measured next to one of its yardstick; a busy machine only ever makes a round longer, so the
// shortest tells most.
#ifndef PERI_TEST_BENCH_H
#define PERI_TEST_BENCH_H

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "perilune/perilune.h"

static inline double bench_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/// The process's own time: what it waits for, a disk or other programs, does not count.
static inline double bench_cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline int bench_by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// The number that the host's status has first under `key`, given
/// as "\"name\":"; 0 if it has none.
static inline unsigned long long bench_status_count(peri_host *host, const char *key) {
    peri_str status;
    if (peri_host_status_json(host, &status) < 0) return 0;
    const char *at = memmem(status.ptr, status.len, key, strlen(key));
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/// The shortest of `count` values; sorts them.
static inline double bench_best(double *values, size_t count) {
    qsort(values, count, sizeof *values, bench_by_size);
    return values[0];
}

#endif
