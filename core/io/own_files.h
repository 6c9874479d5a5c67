// Files that belong to the user: written whole, never through a symbolic link, and trusted only
// where nobody else could have put them.
#ifndef PERI_IO_OWN_FILES_H
#define PERI_IO_OWN_FILES_H

#include "base/buf.h"

typedef enum peri_own_kind { PERI_OWN_FILE, PERI_OWN_FOLDER } peri_own_kind;

/// Why `path` is not to be relied on, as the end of a sentence ("is a symbolic link", "may be
/// written by everyone", ...); NULL if nothing is wrong with it or it is not there. Static
/// text.
const char *peri_own_problem(const char *path, peri_own_kind kind);

/// True if `path`, links followed, may be written by everyone.
bool peri_path_open_to_all(const char *path);

/// True if the folder that `path` stands in may be written by everyone: whoever likes can put
/// another file in its place. True also where memory runs out.
bool peri_path_in_open_folder(const char *path);

/// Makes `path` and the folders above it, readable by their owner only, where they are missing.
PERI_MUST_USE int peri_own_make_folder(const char *path);

/// Replaces the file at `path` as a whole: a reader sees the old text or the new one. Missing
/// folders are made, readable by their owner only, and so is the file. PERI_EDENIED if `path`
/// is a symbolic link; PERI_EACCES, PERI_EIO, PERI_ENOMEM.
PERI_MUST_USE int peri_own_write(const char *path, peri_str text);

typedef enum peri_own_how { PERI_OWN_REPLACE, PERI_OWN_CREATE } peri_own_how;

/// Writes `relative` below the folder `root`, making the folders between. No part of `relative`
/// may be a symbolic link: PERI_EDENIED. PERI_OWN_CREATE: PERI_EDUP if the file is there. Other
/// statuses as above.
PERI_MUST_USE int peri_own_write_below(const char *root, const char *relative, peri_str text,
                                       peri_own_how how);

/// Removes a file below `root`, in the same way. PERI_ENOENT if there is none.
PERI_MUST_USE int peri_own_remove_below(const char *root, const char *relative);

#endif
