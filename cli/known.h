// The observers of the user and the project, as the verbs that name one see them.
#ifndef PERI_CLI_KNOWN_H
#define PERI_CLI_KNOWN_H

#include "host/written/layers.h"
#include "perilune/perilune.h"

/// A host that knows the user's observers, those of `project` and those of the folder
/// `observers`, if given.
PERI_MUST_USE int peri_known_open(const char *project, const char *observers, peri_host **host);

/// The entry in use under `name`, or NULL.
const peri_entry *peri_known_find(const peri_host *host, peri_str name);

/// Whether an observer, or an agent definition that may observe, has this name.
bool peri_known_has(const peri_host *host, peri_str name);

/// The name in use that is nearest to one that is not, valid while the host lives; absent if
/// none is near.
peri_str peri_known_near(const peri_host *host, peri_str name);

/// Says that there is none, and the nearest name; an exit code.
int peri_known_deny(const peri_host *host, const char *verb, peri_str name);

/// PERI_EXIT_OK if an observer of this name is known here; else what is told of it.
int peri_known_check(const char *verb, peri_str name);

#endif
