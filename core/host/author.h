// Doors of the host for author verbs of the CLI (digest, check):
// not part of the public promise.
#ifndef PERI_HOST_AUTHOR_H
#define PERI_HOST_AUTHOR_H

#include "base/diag.h"
#include "model/lanes.h"
#include "model/turn.h"
#include "perilune/host.h"
#include "policy/desk.h"

/// Takes one framed document instead of an observer's run. All lent for the call.
typedef void (*peri_digest_fn)(void *user, const peri_turn *turn, const peri_observer *observer,
                               peri_str text);

/// Turns a host that was made with `no_observers` into one that frames digests for `observer`
/// (borrowed, must outlive the host) and hands each to `fn`; `raw` leaves secrets in.
PERI_MUST_USE int peri_host_watch_digests(peri_host *host, const peri_observer *observer,
                                          bool raw, peri_digest_fn fn, void *user);

/// `text` with its secrets replaced as the host's config says: borrowed as it is, or in `room`.
peri_str peri_host_scrub(peri_host *host, peri_str text, peri_buf *room);

/// True if an agent definition is called `name`: others may name it as their observer.
bool peri_host_knows_agent(const peri_host *host, peri_str name);

/// A host's policies and limits. Lives as long as the host.
typedef struct peri_chain {
    peri_policy_engine engine;
    peri_policy_limits limits;
} peri_chain;

/// Loads the policies that `options` ask for into a host that was made with `no_observers`.
/// PERI_EINVAL if one named there cannot be used; PERI_ENOMEM. What is wrong was logged.
PERI_MUST_USE int peri_host_open_chain(peri_host *host, const peri_host_options *options,
                                       peri_chain *out);

/// Tells each dialect's lanes, as the config has them, in the order of their names. What the
/// config says of one that is not there was logged.
typedef void (*peri_lanes_fn)(void *user, peri_str dialect, const peri_lanes *lanes);
void peri_host_each_lanes(peri_host *host, peri_lanes_fn fn, void *user);

typedef enum peri_file_kind {
    PERI_KIND_UNKNOWN,
    PERI_KIND_CONFIG,
    PERI_KIND_OBSERVER,
    PERI_KIND_POLICY,
    PERI_KIND_DIALECT,
    PERI_KIND_SECRETS,
    PERI_KIND_SETTINGS,
} peri_file_kind;

/// What a file was taken for.
typedef struct peri_checked {
    peri_file_kind kind;           // PERI_KIND_UNKNOWN: none of these, with a diagnostic
    const peri_observer *observer; // what it resolved to; NULL unless it is a valid observer
} peri_checked;

/// Validates files, those of one folder together: two observers of one name are an error.
typedef struct peri_checker peri_checker;
PERI_MUST_USE int peri_checker_new(peri_checker **out);
void peri_checker_free(peri_checker *checker); // NULL is fine

/// Takes note of a definition that is checked along with others: a config may name it. `user`
/// is the checker. PERI_ENOMEM; what cannot be read is none.
PERI_MUST_USE int peri_checker_know(void *user, const char *path);

/// Validates one file: a config (.yaml), an agent's settings (.json), a Markdown observer, or
/// Lua by what it returns. Problems go to `diags`. What `observer` points to is borrowed until
/// the next call.
peri_checked peri_checker_file(peri_checker *checker, const char *path, peri_diag_list *diags);

#endif
