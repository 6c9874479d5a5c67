// Reading files and folders. Synchronous and bounded; a walk follows no symbolic link.
#ifndef PERI_IO_FILES_H
#define PERI_IO_FILES_H

#include "base/buf.h"

/// Appends the whole file to `out`, within its maximum. PERI_ENOENT, PERI_EACCES, PERI_ELIMIT,
/// PERI_EINVAL (not a regular file), PERI_EIO.
PERI_MUST_USE int peri_file_read(const char *path, peri_buf *out);

/// A number that changes when the file does (its identity, size
/// and time of change); 0 if there is none.
uint64_t peri_file_stamp(const char *path);

/// A file read in pieces, unpacked on the way if it is compressed (unpack.h).
typedef struct peri_file {
    int fd; // -1: closed
    uint64_t read_bytes;
    struct peri_unpack *unpack; // NULL: read as it is
} peri_file;
/// PERI_ENOENT, PERI_EACCES, PERI_EINVAL (not a regular file), PERI_ENOMEM, PERI_EIO.
PERI_MUST_USE int peri_file_open(peri_file *file, const char *path);
/// The same, but a link is refused and what is compressed is read as it is.
PERI_MUST_USE int peri_file_open_raw(peri_file *file, const char *path);
/// Where the next peri_file_take() of a file opened raw begins.
PERI_MUST_USE int peri_file_seek(peri_file *file, uint64_t offset);
/// Reads at `offset` without moving: how many bytes, 0 behind the end, PERI_EIO.
PERI_MUST_USE long peri_file_peek(const peri_file *file, uint64_t offset, char *to,
                                  size_t size);
/// Reads up to `size` bytes: how many, 0 at the end, PERI_EIO, or of a compressed file
/// PERI_EPARSE (damaged or cut off), PERI_ELIMIT and PERI_ENOMEM.
PERI_MUST_USE long peri_file_take(peri_file *file, char *to, size_t size);
void peri_file_close(peri_file *file);

/// Which file a name stands for at the moment, and how large it is.
typedef struct peri_file_id {
    uint64_t device, inode, size;
    int64_t changed_wall_ms; // when its content was changed last
} peri_file_id;
PERI_MUST_USE int peri_file_id_of(const peri_file *file, peri_file_id *out);
/// PERI_ENOENT, PERI_EINVAL (not a regular file; links are not followed).
PERI_MUST_USE int peri_path_id_of(const char *path, peri_file_id *out);
/// A folder itself, not a link to one.
bool peri_path_is_folder(const char *path);

/// A fingerprint of what stands before `offset`: of its first KiB and its last 256 bytes.
/// PERI_ENOENT if the file is shorter.
PERI_MUST_USE int peri_file_print(const peri_file *file, uint64_t offset, uint64_t *out);

typedef enum peri_path_type {
    PERI_PATH_NONE,
    PERI_PATH_FILE,
    PERI_PATH_FOLDER,
    PERI_PATH_OTHER
} peri_path_type;

/// What `path` is, links followed.
peri_path_type peri_path_type_of(const char *path);

/// Another number when the file at `path` was written or replaced; 0 if there is none, and no 0
/// where that cannot be told.
uint64_t peri_path_stamp(const char *path);

enum { PERI_TREE_MAX_FILES = 100000, PERI_TREE_MAX_DEPTH = 32 };

/// What a walk tells; each may be NULL. `file` and `folder` (before what is in it) stop the
/// walk by a negative status.
typedef struct peri_walk_events {
    int (*file)(void *user, const char *path);
    int (*folder)(void *user, const char *path);
    void (*error)(void *user, const char *path, int status); // unreadable, and passed over
} peri_walk_events;

/// Visits `folder` and all below it, folders and names in byte order, hidden ones too; of files
/// the regular ones. Returns what stopped it, or PERI_ELIMIT past PERI_TREE_MAX_FILES.
PERI_MUST_USE int peri_tree_walk(const char *folder, const peri_walk_events *events,
                                 void *user);

/// The same for files alone.
PERI_MUST_USE int peri_folder_walk(const char *folder, int (*fn)(void *user, const char *path),
                                   void (*on_error)(void *user, const char *path, int status),
                                   void *user);

/// Calls `fn` for every regular file directly in `folder` whose name ends in `suffix`, in byte
/// order. Links to files count as files: people link their observers. PERI_ENOENT if there is
/// no such folder.
PERI_MUST_USE int peri_folder_list(const char *folder, const char *suffix,
                                   int (*fn)(void *user, const char *path), void *user);

/// `path` from the root, without links; owned; NULL if there is nothing of that name.
char *peri_path_resolve(const char *path);

/// The status for the current errno of a file operation.
int peri_status_of_errno(int error);

#endif
