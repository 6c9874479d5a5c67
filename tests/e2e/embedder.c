// Somebody else's program: reads an agent's events from standard input and prints what its
// observers tell the agent. embed_test.sh builds it against the installed library alone.
#include <perilune/perilune.h>
#include <stdio.h>

static int hear(void *user, const peri_delivery *d) {
    (void)user;
    printf("%.*s -> %.*s\n", (int)d->observer.len, d->observer.ptr, (int)d->lane.len,
           d->lane.ptr);
    return PERI_OK;
}

static bool feed(peri_host *host, peri_source *source, const char *bytes, size_t len) {
    for (size_t at = 0, used = 0; at < len; at += used, used = 0) {
        int status = peri_source_feed(source, bytes + at, len - at, &used);
        if (status < 0 && status != PERI_EAGAIN) return false;
        while (peri_host_step(host, 0) > 0) {}
    }
    return true;
}

int main(int argc, char **argv) {
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.config_path = argc > 1 ? argv[1] : NULL;
    peri_host *host;
    peri_source *source;
    if (peri_host_new(&options, &host) < 0) return 1;
    peri_host_set_sink(host, hear, NULL);
    if (peri_host_open_stream(host, "stdin", NULL, &source) < 0) return 1;
    char bytes[4096];
    for (size_t len; (len = fread(bytes, 1, sizeof bytes, stdin)) > 0;) {
        if (!feed(host, source, bytes, len)) return 1;
    }
    if (peri_source_end(source) < 0 || peri_host_finish(host) < 0) return 1;
    while (peri_host_step(host, 0) > 0) {}
    peri_host_free(host);
    return 0;
}
