// Watching folders for change without looking at them: one kernel watch a folder tells of every
// file directly in it, so idle files cost nothing. Where the kernel will not watch (its limit
// is reached, a network file system), the folder is looked at every POLL_MS instead; nothing
// else polls.
#ifndef PERI_IO_WATCH_H
#define PERI_IO_WATCH_H

#include "io/loop.h"

typedef struct peri_watch peri_watch;

/// Something about `path` changed: it appeared, grew, shrank, vanished, was renamed. Folders
/// are told like files. A polled folder is told itself: look at all in it.
typedef void (*peri_watch_fn)(void *user, const char *path);

/// Changes are told inside peri_loop_run(). At most `max_folders` are watched.
PERI_MUST_USE int peri_watch_new(peri_loop *loop, size_t max_folders, peri_watch_fn fn,
                                 void *user, peri_watch **out);
/// Ends all watching; the loop is run until it has let go. NULL is fine.
void peri_watch_free(peri_watch *watch);

/// Watches a folder; one that is watched already stays so. PERI_ELIMIT,
/// PERI_ENOMEM, PERI_ENOENT.
PERI_MUST_USE int peri_watch_add(peri_watch *watch, const char *folder);
/// Ends the watch of a folder that is gone.
void peri_watch_del(peri_watch *watch, const char *folder);

typedef struct peri_watch_counts {
    size_t watched, polled; // folders
} peri_watch_counts;
peri_watch_counts peri_watch_counts_of(const peri_watch *watch);

#endif
