// Reading files and folders. Synchronous and bounded; a walk follows no symbolic link.
#ifndef PERI_IO_FILES_H
#define PERI_IO_FILES_H

#include "base/buf.h"

/// Appends the whole file to `out`, within its maximum. PERI_ENOENT, PERI_EACCES, PERI_ELIMIT,
/// PERI_EINVAL (not a regular file), PERI_EIO.
PERI_MUST_USE int peri_file_read(const char *path, peri_buf *out);

/// A file read in pieces.
typedef struct peri_file {
    int fd; // -1: closed
    uint64_t read_bytes;
} peri_file;
PERI_MUST_USE int peri_file_open(peri_file *file, const char *path);
/// Reads up to `size` bytes: how many, 0 at the end, or PERI_EIO.
PERI_MUST_USE long peri_file_take(peri_file *file, char *to, size_t size);
void peri_file_close(peri_file *file);

typedef enum peri_path_type { PERI_PATH_NONE, PERI_PATH_FILE, PERI_PATH_FOLDER, PERI_PATH_OTHER } peri_path_type;

/// What `path` is, links followed.
peri_path_type peri_path_type_of(const char *path);

enum { PERI_TREE_MAX_FILES = 100000, PERI_TREE_MAX_DEPTH = 32 };

/// Calls `fn` for every regular file below `folder`, folders and names in byte order, hidden ones too.
/// `fn` stops the walk by a negative status, which is returned. Unreadable folders go to `on_error` (may
/// be NULL) and are passed over. PERI_ELIMIT past PERI_TREE_MAX_FILES.
PERI_MUST_USE int peri_folder_walk(const char *folder, int (*fn)(void *user, const char *path),
                                   void (*on_error)(void *user, const char *path, int status),
                                   void *user);

/// Calls `fn` for every regular file directly in `folder` whose name ends in `suffix`, in byte order.
/// Links to files count as files: people link their observers. PERI_ENOENT if there is no such folder.
PERI_MUST_USE int peri_folder_list(const char *folder, const char *suffix,
                                   int (*fn)(void *user, const char *path), void *user);

/// `path` from the root, without links; owned; NULL if there is nothing of that name.
char *peri_path_resolve(const char *path);

/// The status for the current errno of a file operation.
int peri_status_of_errno(int error);

#endif
