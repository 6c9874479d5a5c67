// Writing what belongs to the user. Folders are walked one by one with O_NOFOLLOW, so a
// repository that ships a link in place of a folder cannot make a verb write elsewhere. Called
// by the trust store and the verbs that write: goal, remember, enable, new.
#include "io/own_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files.h"

enum {
    OPEN_FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
    MODE_SHARED_FOLDER = 0755, // inside a project
    MODE_OWN_FOLDER = 0700,    // in the user's state
    MODE_SHARED_FILE = 0644,
    MODE_OWN_FILE = 0600,
};

const char *peri_own_problem(const char *path, peri_own_kind kind) {
    struct stat info;
    if (lstat(path, &info) != 0) {
        return errno == ENOENT || errno == ENOTDIR ? NULL : "cannot be looked at";
    }
    if (S_ISLNK(info.st_mode)) return "is a symbolic link";
    if (kind == PERI_OWN_FOLDER && !S_ISDIR(info.st_mode)) return "is not a folder";
    if (kind == PERI_OWN_FILE && !S_ISREG(info.st_mode)) return "is not a regular file";
    return info.st_mode & S_IWOTH ? "may be written by everyone" : NULL;
}

bool peri_path_open_to_all(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && (info.st_mode & S_IWOTH);
}

bool peri_path_in_open_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    bool open = !folder || peri_path_open_to_all(folder);
    free(folder);
    return open;
}

static int status_of_errno(void) {
    return errno == ELOOP ? PERI_EDENIED : peri_status_of_errno(errno);
}

static bool is_link(int folder, const char *name) {
    struct stat info;
    return fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
}

// Opens the folder `name` of `folder`, making it if `mode` is not 0. A descriptor or a status.
static int open_folder(int folder, const char *name, mode_t mode) {
    int fd = openat(folder, name, OPEN_FOLDER);
    if (fd < 0 && errno == ENOENT && mode && mkdirat(folder, name, mode) == 0) {
        fd = openat(folder, name, OPEN_FOLDER);
    }
    if (fd >= 0) return fd;
    return is_link(folder, name) ? PERI_EDENIED : status_of_errno();
}

// Opens the folder that holds the last part of `relative`, which `*name` then points to.
static int open_parent(int root, char *relative, mode_t mode, const char **name) {
    int fd = dup(root);
    char *part = relative;
    for (char *slash; fd >= 0 && (slash = strchr(part, '/')); part = slash + 1) {
        *slash = '\0';
        if (!*part) continue; // "a//b"
        int next = open_folder(fd, part, mode);
        close(fd);
        fd = next;
    }
    *name = part;
    return fd;
}

static int write_all(int fd, peri_str text) {
    while (text.len) {
        ssize_t put = write(fd, text.ptr, text.len);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return status_of_errno();
        text = peri_str_sub(text, (size_t)put, text.len);
    }
    return fsync(fd) == 0 ? PERI_OK : status_of_errno();
}

static int create_at(int folder, const char *name, peri_str text, mode_t mode) {
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0) return errno == EEXIST ? PERI_EDUP : status_of_errno();
    int status = write_all(fd, text);
    close(fd);
    if (status < 0) unlinkat(folder, name, 0);
    return status;
}

// Written under a name of its own first, then put in place by one rename.
static int write_at(int folder, const char *name, peri_str text, peri_own_how how,
                    mode_t mode) {
    if (is_link(folder, name)) return PERI_EDENIED;
    if (how == PERI_OWN_CREATE) return create_at(folder, name, text, mode);
    char temporary[64];
    snprintf(temporary, sizeof temporary, ".perilune-%ld.tmp", (long)getpid());
    unlinkat(folder, temporary, 0); // left by a crash of a process of the same number
    int status = create_at(folder, temporary, text, mode);
    if (status == PERI_OK && renameat(folder, temporary, folder, name) != 0) {
        status = status_of_errno();
        unlinkat(folder, temporary, 0);
    }
    return status;
}

// Folders of a state path may be links: they are the user's own arrangement.
static int make_folders(const char *path) {
    char *copy = strdup(path);
    if (!copy) return PERI_ENOMEM;
    int status = PERI_OK;
    for (char *slash = strchr(copy + 1, '/'); slash && status == PERI_OK;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, MODE_OWN_FOLDER) != 0 && errno != EEXIST) status = status_of_errno();
        *slash = '/';
    }
    free(copy);
    return status;
}

int peri_own_make_folder(const char *path) {
    int status = make_folders(path);
    if (status < 0 || mkdir(path, MODE_OWN_FOLDER) == 0 || errno == EEXIST) return status;
    return status_of_errno();
}

int peri_own_write(const char *path, peri_str text) {
    int status = make_folders(path);
    if (status < 0) return status;
    const char *slash = strrchr(path, '/');
    char *parent = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    if (!parent) return PERI_ENOMEM;
    int folder = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    status = folder < 0 ? status_of_errno()
                        : write_at(folder, slash ? slash + 1 : path, text, PERI_OWN_REPLACE,
                                   MODE_OWN_FILE);
    if (folder >= 0) close(folder);
    free(parent);
    return status;
}

int peri_own_write_below(const char *root, const char *relative, peri_str text,
                         peri_own_how how) {
    char *parts = strdup(relative);
    if (!parts) return PERI_ENOMEM;
    const char *name = NULL;
    int base = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int folder =
        base < 0 ? status_of_errno() : open_parent(base, parts, MODE_SHARED_FOLDER, &name);
    int status = folder < 0 ? folder : write_at(folder, name, text, how, MODE_SHARED_FILE);
    if (folder >= 0) close(folder);
    if (base >= 0) close(base);
    free(parts);
    return status;
}

int peri_own_remove_below(const char *root, const char *relative) {
    char *parts = strdup(relative);
    if (!parts) return PERI_ENOMEM;
    const char *name = NULL;
    int base = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int folder = base < 0 ? status_of_errno() : open_parent(base, parts, 0, &name);
    int status = folder < 0 ? folder : is_link(folder, name) ? PERI_EDENIED : PERI_OK;
    if (status == PERI_OK && unlinkat(folder, name, 0) != 0) status = status_of_errno();
    if (folder >= 0) close(folder);
    if (base >= 0) close(base);
    free(parts);
    return status;
}
