// Loading all that people wrote, once and anew.
#ifndef PERI_HOST_LOAD_H
#define PERI_HOST_LOAD_H

#include "host/types.h"

// host/load.c
PERI_MUST_USE int host_load(peri_host *host, const peri_host_options *options);
void host_unload(peri_host *host);

// host/reload.c
/// At most once a second, between two batches: loads what changed beside what is there, and
/// takes its place if it is good.
void host_reload(peri_host *host);

#endif
