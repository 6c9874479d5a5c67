// A pack of Lua observers behind the command protocol: what `perilune worker` does with each
// line it reads. Not part of the public promise.
#ifndef PERI_HOST_WORKER_H
#define PERI_HOST_WORKER_H

#include "base/buf.h"
#include "base/diag.h"
#include "perilune/host.h"

typedef struct peri_worker peri_worker;

/// Loads the Lua observers of `pack`, a folder or one file; a Markdown file with the Lua beside
/// it. Those that cannot be used are left out; `diags` says why. Commands in it are never run.
/// `on_log` (may be NULL) takes what the observers print. With a `content` (may be NULL) only
/// files whose SHA-256 it is are looked at. PERI_ENOENT if there is no such file or folder;
/// PERI_ENOMEM.
PERI_MUST_USE int peri_worker_new(const char *pack, const char *content, peri_log_fn on_log,
                                  void *user, peri_diag_list *diags, peri_worker **out);
/// NULL is fine.
void peri_worker_free(peri_worker *worker);

/// Observers that were loaded.
size_t peri_worker_count(const peri_worker *worker);

/// Runs what `line` asks for and appends the answer with its line end. A line that is no
/// request gets an answer that says so. PERI_ENOMEM.
PERI_MUST_USE int peri_worker_answer(peri_worker *worker, peri_str line, peri_buf *out);

#endif
