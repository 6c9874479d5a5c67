// A folder of its own for a test that reads or writes files; gone at its end.
#ifndef PERI_SCRATCH_H
#define PERI_SCRATCH_H

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

typedef struct scratch {
    char root[64];
    char path[4096]; // of the last scratch_path()
} scratch;

static inline void scratch_open(scratch *s) {
    strcpy(s->root, "/tmp/perilune-test-XXXXXX");
    if (!mkdtemp(s->root)) TEST_FAIL("no scratch folder");
}

static inline int scratch_remove_one(const char *path, const struct stat *info, int type,
                                     struct FTW *at) {
    (void)info;
    (void)type;
    (void)at;
    return remove(path);
}

static inline void scratch_close(scratch *s) {
    nftw(s->root, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static scratch *scratch_last; // of scratch_renew()

static inline void scratch_close_last(void) {
    scratch_close(scratch_last);
}

/// An empty folder in place of the last one of `s`; gone when
/// the program ends. One `s` a program.
static inline void scratch_renew(scratch *s) {
    if (scratch_last) {
        scratch_close_last();
    } else {
        atexit(scratch_close_last);
    }
    scratch_last = s;
    scratch_open(s);
}

/// The absolute path of `name`; valid until the next call.
static inline const char *scratch_path(scratch *s, const char *name) {
    snprintf(s->path, sizeof s->path, "%s/%s", s->root, name);
    return s->path;
}

/// Writes `text` to `name`, with the folders above it.
static inline void scratch_write(scratch *s, const char *name, const char *text) {
    char *path = strdup(scratch_path(s, name));
    for (char *at = path + strlen(s->root) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(path, 0755);
        *at = '/';
    }
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(text, 1, strlen(text), out) != strlen(text)) {
        TEST_FAIL("cannot write %s", path);
    }
    fclose(out);
    free(path);
}

/// True if `name` holds exactly `text`.
static inline bool scratch_holds(scratch *s, const char *name, const char *text) {
    peri_str got = peri_test_read(scratch_path(s, name));
    bool same = peri_str_eq(got, peri_str_c(text));
    free((void *)(uintptr_t)got.ptr);
    return same;
}

#endif
