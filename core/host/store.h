// The ledger of a host, from its first step to its end.
#ifndef PERI_HOST_STORE_H
#define PERI_HOST_STORE_H

#include "host/types.h"

/// By the first step, so that a call that fails on its way there replaces nothing. One that
/// cannot be had is told.
void host_store_open(peri_host *host);
/// Commits what is to be stored. False if another program writes now: all of it waits.
bool host_store(peri_host *host, bool ended);

#endif
