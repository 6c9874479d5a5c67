// Replays a tree of recordings with every observer that ships, records included, and prints the
// milliseconds of processor time it took, start-up not counted, and the observer runs made.
// With LEDGER it keeps one, as `perilune replay` does. Usage: replay_bench PATH [LEDGER].
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "perilune/perilune.h"

static void hear(void *user, const peri_record *record) {
    *(size_t *)user += record->json.len;
}

int main(int argc, char **argv) {
    peri_host *host;
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.mode = PERI_MODE_REPLAY;
    options.all_sources = true;
    options.ledger_path = argc == 3 ? argv[2] : NULL;
    options.ledger_replace = true;
    size_t heard = 0;
    if (argc < 2 || argc > 3 || peri_host_new(&options, &host) < 0 ||
        peri_host_subscribe(host, hear, &heard) < 0) {
        fputs("usage: replay_bench PATH [LEDGER]\n", stderr);
        return EXIT_FAILURE;
    }
    double begin = bench_cpu_ns();
    int status = peri_host_open_path(host, argv[1], NULL);
    while (status >= 0 && (status = peri_host_step(host, 0)) > 0) {}
    if (status >= 0) status = peri_host_finish(host);
    while (status >= 0 && (status = peri_host_step(host, 0)) > 0) {}
    double took = (bench_cpu_ns() - begin) / 1e6;
    printf("%.1f %llu\n", took, bench_status_count(host, "\"runs\":"));
    peri_host_free(host);
    return status < 0 || !heard ? EXIT_FAILURE : EXIT_SUCCESS;
}
