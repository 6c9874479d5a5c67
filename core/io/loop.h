// The host's event loop: libuv, driven only from inside the embedder's calls. Installs no
// signal handler and starts no thread.
#ifndef PERI_IO_LOOP_H
#define PERI_IO_LOOP_H

#include "perilune/base.h"

typedef struct peri_loop peri_loop;

/// PERI_EIO where too few files may be open; PERI_ENOMEM.
PERI_MUST_USE int peri_loop_new(peri_loop **out);
/// NULL is fine.
void peri_loop_free(peri_loop *loop);

/// Answers what is ready, after waiting at most `timeout_ms` for it (0: not at all; -1: without
/// end, but not where nothing could come).
void peri_loop_run(peri_loop *loop, int timeout_ms);

/// A descriptor that is readable when something is ready.
int peri_loop_fd(const peri_loop *loop);

/// Milliseconds until a timer is due; -1: there is none.
int peri_loop_timeout_ms(const peri_loop *loop);

#endif
