// Doors of the host for author verbs of the CLI (digest, check): not part of the public promise.
#ifndef PERI_HOST_AUTHOR_H
#define PERI_HOST_AUTHOR_H

#include "base/diag.h"
#include "model/turn.h"
#include "perilune/host.h"

/// Takes one framed document instead of an observer's run. All lent for the call.
typedef void (*peri_digest_fn)(void *user, const peri_turn *turn, const peri_observer *observer,
                               peri_str text);

/// Turns a host that was made with `no_observers` into one that frames digests for `observer` (borrowed,
/// must outlive the host) and hands each to `fn`; `raw` leaves secrets in.
PERI_MUST_USE int peri_host_watch_digests(peri_host *host, const peri_observer *observer,
                                          bool raw, peri_digest_fn fn, void *user);

/// The loaded definition called `name`, or NULL.
const peri_observer *peri_host_find_observer(const peri_host *host, peri_str name);

typedef enum peri_file_kind {
    PERI_KIND_UNKNOWN,
    PERI_KIND_CONFIG,
    PERI_KIND_OBSERVER,
    PERI_KIND_POLICY,
    PERI_KIND_DIALECT,
} peri_file_kind;

/// Validates one file of a person's: a config (.yaml), or Lua by what it returns. Problems go to `diags`.
/// Returns what it took the file for; PERI_KIND_UNKNOWN with a diagnostic if it is none of these.
peri_file_kind peri_check_file(const char *path, peri_diag_list *diags);

#endif
