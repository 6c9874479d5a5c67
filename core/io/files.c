// Files and folders through the C library. A walk lists one folder at a time, sorted, so that it is the
// same on every machine.
#include "io/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int peri_status_of_errno(int error) {
    switch (error) {
    case ENOENT:
    case ENOTDIR:
        return PERI_ENOENT;
    case EACCES:
    case EPERM:
        return PERI_EACCES;
    case ENOMEM:
        return PERI_ENOMEM;
    default:
        return PERI_EIO;
    }
}

int peri_file_open(peri_file *file, const char *path) {
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return peri_status_of_errno(errno);
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(fd);
        return PERI_EINVAL;
    }
    *file = (peri_file){.fd = fd};
    return PERI_OK;
}

long peri_file_take(peri_file *file, char *to, size_t size) {
    ssize_t got;
    do {
        got = read(file->fd, to, size);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return peri_status_of_errno(errno);
    file->read_bytes += (uint64_t)got;
    return (long)got;
}

void peri_file_close(peri_file *file) {
    if (file->fd >= 0) close(file->fd);
    file->fd = -1;
}

enum { READ_BYTES = 64 * 1024 };

int peri_file_read(const char *path, peri_buf *out) {
    peri_file file;
    int status = peri_file_open(&file, path);
    if (status < 0) return status;
    char *chunk = malloc(READ_BYTES);
    long got = chunk ? peri_file_take(&file, chunk, READ_BYTES) : PERI_ENOMEM;
    while (got > 0) {
        peri_buf_add(out, peri_str_of(chunk, (size_t)got));
        got = out->status < 0 ? out->status : peri_file_take(&file, chunk, READ_BYTES);
    }
    free(chunk);
    peri_file_close(&file);
    return got < 0 ? (int)got : out->status;
}

char *peri_path_resolve(const char *path) {
    return realpath(path, NULL);
}

peri_path_type peri_path_type_of(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0) return PERI_PATH_NONE;
    if (S_ISREG(info.st_mode)) return PERI_PATH_FILE;
    return S_ISDIR(info.st_mode) ? PERI_PATH_FOLDER : PERI_PATH_OTHER;
}

typedef struct walk {
    int (*fn)(void *user, const char *path);
    void (*on_error)(void *user, const char *path, int status);
    void *user;
    size_t count;
    int depth;
} walk;

static int by_bytes(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int not_dots(const struct dirent *entry) {
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static char *join(const char *folder, const char *name) {
    size_t a = strlen(folder), b = strlen(name);
    if (a && folder[a - 1] == '/') a--;
    char *path = malloc(a + b + 2);
    if (!path) return NULL;
    memcpy(path, folder, a);
    path[a] = '/';
    memcpy(path + a + 1, name, b + 1);
    return path;
}

static int visit(walk *w, const char *path);

static int walk_folder(walk *w, const char *folder) {
    struct dirent **names;
    int count = scandir(folder, &names, not_dots, by_bytes);
    if (count < 0) {
        if (w->on_error) w->on_error(w->user, folder, peri_status_of_errno(errno));
        return PERI_OK;
    }
    int status = PERI_OK;
    w->depth++;
    for (int i = 0; i < count; i++) {
        char *path = status < 0 ? NULL : join(folder, names[i]->d_name);
        if (path) status = visit(w, path);
        if (!path && status == PERI_OK) status = PERI_ENOMEM;
        free(path);
        free(names[i]);
    }
    free(names);
    w->depth--;
    return status;
}

static int visit(walk *w, const char *path) {
    struct stat info;
    if (lstat(path, &info) != 0) return PERI_OK; // gone since it was listed
    if (S_ISDIR(info.st_mode)) return w->depth < PERI_TREE_MAX_DEPTH ? walk_folder(w, path) : PERI_OK;
    if (!S_ISREG(info.st_mode)) return PERI_OK;
    if (++w->count > PERI_TREE_MAX_FILES) return PERI_ELIMIT;
    return w->fn(w->user, path);
}

int peri_folder_walk(const char *folder, int (*fn)(void *user, const char *path),
                     void (*on_error)(void *user, const char *path, int status), void *user) {
    walk w = {.fn = fn, .on_error = on_error, .user = user};
    return walk_folder(&w, folder);
}

int peri_folder_list(const char *folder, const char *suffix,
                     int (*fn)(void *user, const char *path), void *user) {
    struct dirent **names;
    int count = scandir(folder, &names, not_dots, by_bytes);
    if (count < 0) return peri_status_of_errno(errno);
    int status = PERI_OK;
    for (int i = 0; i < count; i++) {
        if (status == PERI_OK && peri_str_ends(peri_str_c(names[i]->d_name), peri_str_c(suffix))) {
            char *path = join(folder, names[i]->d_name);
            struct stat info;
            bool regular = path && stat(path, &info) == 0 && S_ISREG(info.st_mode);
            status = !path ? PERI_ENOMEM : regular ? fn(user, path) : PERI_OK;
            free(path);
        }
        free(names[i]);
    }
    free(names);
    return status;
}
