// Files and folders through the C library. A walk lists one folder at a time, sorted, so that
// it is the same on every machine.
#include "io/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/unpack.h"

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

static int open_regular(const char *path, int flags, int *out) {
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
    if (fd < 0) return peri_status_of_errno(errno);
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(fd);
        return PERI_EINVAL;
    }
    *out = fd;
    return PERI_OK;
}

long peri_file_peek(const peri_file *file, uint64_t offset, char *to, size_t size) {
    ssize_t got;
    do {
        got = pread(file->fd, to, size, (off_t)offset);
    } while (got < 0 && errno == EINTR);
    return got < 0 ? peri_status_of_errno(errno) : (long)got;
}

int peri_file_open(peri_file *file, const char *path) {
    peri_file opened = {.fd = -1};
    int status = open_regular(path, 0, &opened.fd);
    if (status < 0) return status;
    char start[PERI_PACKING_BYTES];
    long got = peri_file_peek(&opened, 0, start, sizeof start);
    peri_packing packing = peri_packing_of(start, got > 0 ? (size_t)got : 0);
    if (packing != PERI_PACKING_NONE) status = peri_unpack_new(packing, &opened.unpack);
    if (status < 0) {
        close(opened.fd);
        return status;
    }
    *file = opened;
    return PERI_OK;
}

int peri_file_open_raw(peri_file *file, const char *path) {
    peri_file opened = {.fd = -1};
    int status = open_regular(path, O_NOFOLLOW, &opened.fd);
    if (status == PERI_OK) *file = opened;
    return status;
}

int peri_file_seek(peri_file *file, uint64_t offset) {
    return lseek(file->fd, (off_t)offset, SEEK_SET) < 0 ? PERI_EIO : PERI_OK;
}

static long read_plain(void *user, char *to, size_t size) {
    const peri_file *file = user;
    ssize_t got;
    do {
        got = read(file->fd, to, size);
    } while (got < 0 && errno == EINTR);
    return got < 0 ? peri_status_of_errno(errno) : (long)got;
}

long peri_file_take(peri_file *file, char *to, size_t size) {
    long got = file->unpack ? peri_unpack_take(file->unpack, read_plain, file, to, size)
                            : read_plain(file, to, size);
    if (got > 0) file->read_bytes += (uint64_t)got;
    return got;
}

void peri_file_close(peri_file *file) {
    if (file->fd >= 0) close(file->fd);
    peri_unpack_free(file->unpack);
    file->fd = -1;
    file->unpack = NULL;
}

static peri_file_id id_of(const struct stat *info) {
    return (peri_file_id){
        .device = (uint64_t)info->st_dev,
        .inode = (uint64_t)info->st_ino,
        .size = (uint64_t)info->st_size,
        .changed_wall_ms =
            (int64_t)info->st_mtim.tv_sec * 1000 + (int64_t)info->st_mtim.tv_nsec / 1000000,
    };
}

int peri_file_id_of(const peri_file *file, peri_file_id *out) {
    struct stat info;
    if (fstat(file->fd, &info) != 0) return peri_status_of_errno(errno);
    *out = id_of(&info);
    return PERI_OK;
}

int peri_path_id_of(const char *path, peri_file_id *out) {
    struct stat info;
    if (lstat(path, &info) != 0) return peri_status_of_errno(errno);
    if (!S_ISREG(info.st_mode)) return PERI_EINVAL;
    *out = id_of(&info);
    return PERI_OK;
}

bool peri_path_is_folder(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

enum { PRINT_HEAD_BYTES = 1024, PRINT_TAIL_BYTES = 256 };

// FNV, since the value is stored and must not change with the program.
static int print_part(const peri_file *file, uint64_t from, size_t len, uint64_t *hash) {
    char bytes[PRINT_HEAD_BYTES];
    long got = peri_file_peek(file, from, bytes, len);
    if (got < 0) return (int)got;
    if ((size_t)got < len) return PERI_ENOENT;
    *hash = peri_str_hash(peri_str_of(bytes, len), *hash);
    return PERI_OK;
}

int peri_file_print(const peri_file *file, uint64_t offset, uint64_t *out) {
    size_t head = offset < PRINT_HEAD_BYTES ? (size_t)offset : PRINT_HEAD_BYTES;
    size_t tail = offset < PRINT_TAIL_BYTES ? (size_t)offset : PRINT_TAIL_BYTES;
    uint64_t hash = PERI_HASH_SEED;
    int status = print_part(file, 0, head, &hash);
    if (status == PERI_OK) status = print_part(file, offset - tail, tail, &hash);
    if (status == PERI_OK) *out = hash;
    return status;
}

uint64_t peri_file_stamp(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0) return 0;
    const int64_t parts[] = {(int64_t)info.st_ino, (int64_t)info.st_size,
                             (int64_t)info.st_mtim.tv_sec, (int64_t)info.st_mtim.tv_nsec};
    uint64_t stamp =
        peri_str_hash(peri_str_of((const char *)parts, sizeof parts), PERI_HASH_SEED);
    return stamp ? stamp : 1;
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

uint64_t peri_path_stamp(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0) {
        return peri_status_of_errno(errno) == PERI_ENOENT ? 0 : (uint64_t)errno | 1;
    }
    const uint64_t facts[] = {(uint64_t)info.st_dev,          (uint64_t)info.st_ino,
                              (uint64_t)info.st_size,         (uint64_t)info.st_mtim.tv_sec,
                              (uint64_t)info.st_mtim.tv_nsec, (uint64_t)info.st_ctim.tv_nsec};
    return peri_str_hash(peri_str_of((const char *)facts, sizeof facts), PERI_HASH_SEED) | 1;
}

typedef struct walk {
    const peri_walk_events *events;
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
    int status = w->events->folder ? w->events->folder(w->user, folder) : PERI_OK;
    if (status < 0) return status;
    int count = scandir(folder, &names, not_dots, by_bytes);
    if (count < 0) {
        if (w->events->error) w->events->error(w->user, folder, peri_status_of_errno(errno));
        return PERI_OK;
    }
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
    if (S_ISDIR(info.st_mode)) {
        return w->depth < PERI_TREE_MAX_DEPTH ? walk_folder(w, path) : PERI_OK;
    }
    if (!S_ISREG(info.st_mode)) return PERI_OK;
    if (++w->count > PERI_TREE_MAX_FILES) return PERI_ELIMIT;
    return w->events->file ? w->events->file(w->user, path) : PERI_OK;
}

int peri_tree_walk(const char *folder, const peri_walk_events *events, void *user) {
    walk w = {.events = events, .user = user};
    return walk_folder(&w, folder);
}

int peri_folder_walk(const char *folder, int (*fn)(void *user, const char *path),
                     void (*on_error)(void *user, const char *path, int status), void *user) {
    return peri_tree_walk(folder, &(peri_walk_events){.file = fn, .error = on_error}, user);
}

int peri_folder_list(const char *folder, const char *suffix,
                     int (*fn)(void *user, const char *path), void *user) {
    struct dirent **names;
    int count = scandir(folder, &names, not_dots, by_bytes);
    if (count < 0) return peri_status_of_errno(errno);
    int status = PERI_OK;
    for (int i = 0; i < count; i++) {
        if (status == PERI_OK &&
            peri_str_ends(peri_str_c(names[i]->d_name), peri_str_c(suffix))) {
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
