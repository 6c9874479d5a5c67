// The unit tests' harness: one program a tested file.
//
//   IT("cuts on code points, never inside one") {
//       CHECK_EQ(peri_utf8_cut_cp(PERI_STR("aé"), 2).bytes, 3);
//   }
//   TEST_MAIN
//
// A failed check prints where and why and ends its test, not the program. The last line of a
// program is `N passed, N failed`. `PROGRAM WORD` runs only tests whose name holds WORD.
#ifndef PERI_TEST_H
#define PERI_TEST_H

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

typedef struct peri_test {
    const char *name;
    void (*run)(void);
    struct peri_test *next;
} peri_test;

static struct {
    peri_test *first, **last;
    jmp_buf out;
    int passed, failed;
} peri_tests;

static inline void peri_test_add(peri_test *test) {
    if (!peri_tests.last) peri_tests.last = &peri_tests.first;
    *peri_tests.last = test;
    peri_tests.last = &test->next;
}

#define TEST_JOIN_(a, b) a##b
#define TEST_JOIN(a, b) TEST_JOIN_(a, b)
#define IT(name) IT_(name, TEST_JOIN(test_, __LINE__))
#define IT_(promise, fn)                                                                       \
    static void fn(void);                                                                      \
    __attribute__((constructor)) static void TEST_JOIN(fn, _add)(void) {                       \
        static peri_test test = {.name = promise, .run = fn};                                  \
        peri_test_add(&test);                                                                  \
    }                                                                                          \
    static void fn(void)

#define TEST_FAIL(...)                                                                         \
    do {                                                                                       \
        printf("  %s:%d: ", __FILE__, __LINE__);                                               \
        printf(__VA_ARGS__);                                                                   \
        printf("\n");                                                                          \
        longjmp(peri_tests.out, 1);                                                            \
    } while (0)

#define CHECK(condition)                                                                       \
    do {                                                                                       \
        if (!(condition)) TEST_FAIL("%s is false", #condition);                                \
    } while (0)

/// Whole numbers.
#define CHECK_EQ(got, want)                                                                    \
    do {                                                                                       \
        long long got_ = (long long)(got), want_ = (long long)(want);                          \
        if (got_ != want_) TEST_FAIL("%s is %lld, not %lld", #got, got_, want_);               \
    } while (0)

/// A peri_str against a string literal or char pointer.
#define CHECK_STR(got, want)                                                                   \
    do {                                                                                       \
        peri_str got_ = (got), want_ = peri_str_c(want);                                       \
        if (!peri_str_eq(got_, want_)) {                                                       \
            TEST_FAIL("%s is \"%.*s\", not \"%s\"", #got, PERI_FMT(got_), want_.ptr);          \
        }                                                                                      \
    } while (0)

#define CHECK_OK(call)                                                                         \
    do {                                                                                       \
        int status_ = (call);                                                                  \
        if (status_ < 0) TEST_FAIL("%s: %s", #call, peri_status_name(status_));                \
    } while (0)

/// True if `whole` holds `part` somewhere.
#define CHECK_HAS(whole, part)                                                                 \
    do {                                                                                       \
        peri_str whole_ = (whole), part_ = peri_str_c(part);                                   \
        if (peri_str_find(whole_, part_) == PERI_NPOS) {                                       \
            TEST_FAIL("%s has no \"%s\" in \"%.*s\"", #whole, part_.ptr, PERI_FMT(whole_));    \
        }                                                                                      \
    } while (0)

#define TEST_MAIN                                                                              \
    int main(int argc, char **argv) {                                                          \
        for (peri_test *volatile t = peri_tests.first; t; t = t->next) {                       \
            if (argc > 1 && !strstr(t->name, argv[1])) continue;                               \
            if (setjmp(peri_tests.out) == 0) {                                                 \
                t->run();                                                                      \
                peri_tests.passed++;                                                           \
            } else {                                                                           \
                printf("not ok: %s\n", t->name);                                               \
                peri_tests.failed++;                                                           \
            }                                                                                  \
        }                                                                                      \
        printf("%d passed, %d failed\n", peri_tests.passed, peri_tests.failed);                \
        fflush(stdout); /* a leak checker may end the program first */                         \
        return peri_tests.failed ? EXIT_FAILURE : EXIT_SUCCESS;                                \
    }

/// Reads a whole file; the caller frees `ptr`. Fails the test if it cannot.
static inline peri_str peri_test_read(const char *path) {
    FILE *in = fopen(path, "rb");
    if (!in) TEST_FAIL("cannot open %s", path);
    fseek(in, 0, SEEK_END);
    long len = ftell(in);
    rewind(in);
    char *ptr = malloc((size_t)len + 1);
    if (!ptr || fread(ptr, 1, (size_t)len, in) != (size_t)len)
        TEST_FAIL("cannot read %s", path);
    ptr[len] = '\0';
    fclose(in);
    return peri_str_of(ptr, (size_t)len);
}

#endif
