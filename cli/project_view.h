// What `perilune trust` shows of a project's files before it asks.
#ifndef PERI_CLI_PROJECT_VIEW_H
#define PERI_CLI_PROJECT_VIEW_H

#include "host/written/project.h"

/// The layer that has an observer called `name` apart from the project; absent if none has.
/// `user` as given.
typedef peri_str (*peri_replaces_fn)(void *user, peri_str name);

/// Appends one paragraph on `file`: what it is, what it would do, what it replaces. Nothing of
/// the file is run for that.
void peri_project_view(peri_buf *out, const peri_project *project,
                       const peri_project_file *file, peri_replaces_fn replaces, void *user);

#endif
