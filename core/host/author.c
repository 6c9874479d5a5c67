// The doors of host/author.h: digests shown instead of run, a policy chain without a stream.
#include "host/author.h"

#include <stdlib.h>

#include "host/run/run.h"
#include "host/told/told.h"

typedef struct watch {
    peri_digest_fn fn;
    void *user;
} watch;

// A runtime that runs nothing: it shows the document and is silent.
static void show(void *user, const peri_run_request *request, peri_arena *arena,
                 peri_run_done done, void *done_user) {
    const watch *w = user;
    (void)arena;
    w->fn(w->user, request->turn, request->observer, request->digest);
    done(done_user, &(peri_run_result){.state = PERI_RUN_SILENT});
}

int peri_host_watch_digests(peri_host *host, const peri_observer *observer, bool raw,
                            peri_digest_fn fn, void *user) {
    HOST_CHECK(host);
    watch *w = malloc(sizeof *w);
    if (!w) return PERI_ENOMEM;
    *w = (watch){fn, user};
    free(host->watching);
    host->watching = w;
    host->no_observers = false;
    host->defs[0] = *observer;
    host->defs[0].enabled = true;
    host->observers[0] = &host->defs[0];
    host->observer_count = 1;
    if (raw) host->config.scrub = false;
    host->runtimes[PERI_RUN_LUA] = (peri_runtime){.user = w, .start = show};
    host->has_policies = false;
    return PERI_OK;
}

peri_str peri_host_scrub(peri_host *host, peri_str text, peri_buf *room) {
    return host_scrubbed(host, text, room);
}

int peri_host_open_chain(peri_host *host, const peri_host_options *options, peri_chain *out) {
    HOST_CHECK(host);
    int status = host_policies_load(host, options);
    host_diags_flush(host);
    if (status < 0) return status;
    *out = (peri_chain){.engine = host->engine, .limits = host->config.limits};
    return PERI_OK;
}

void peri_host_each_lanes(peri_host *host, peri_lanes_fn fn, void *user) {
    host_diags_flush(host);
    for (size_t i = 0; i < host->dialect_count; i++)
        fn(user, host->dialects[i]->name, &host->dialects[i]->lanes);
}

bool peri_host_knows_agent(const peri_host *host, peri_str name) {
    return host_agents_find(&host->agents, name) != NULL;
}
