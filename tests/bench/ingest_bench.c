// Reads one file through the whole pipeline without observers, as an embedder would, and prints
// the milliseconds it took, start-up not counted, the observations made and the allocations
// that took (the linker routes them here, see tests/CMakeLists.txt). Usage: ingest_bench FILE.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "perilune/perilune.h"

static unsigned long long allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size) {
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    allocations++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size) {
    allocations++;
    return __real_realloc(old, size);
}

int main(int argc, char **argv) {
    peri_host *host;
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.no_observers = true;
    options.quiet_observations = true;
    if (argc != 2 || peri_host_new(&options, &host) < 0) {
        fputs("usage: ingest_bench FILE\n", stderr);
        return EXIT_FAILURE;
    }
    allocations = 0;
    double begin = bench_now_ns();
    int status = peri_host_open_path(host, argv[1], NULL);
    while (status >= 0 && (status = peri_host_step(host, 0)) > 0) {}
    double took = (bench_now_ns() - begin) / 1e6;
    unsigned long long made = allocations;
    printf("%.0f %llu %llu\n", took, bench_status_count(host, "\"observations\":"), made);
    peri_host_free(host);
    return status < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
