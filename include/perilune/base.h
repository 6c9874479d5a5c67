/// @file base.h
/// Status codes, borrowed text and version: what every other public header stands on.
///
/// Part of the perilune C API; include <perilune/perilune.h>. C11 and C++ clean; nothing here
/// allocates, and every symbol may be used from any thread.
#ifndef PERILUNE_BASE_H
#define PERILUNE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(PERI_STATIC) || !defined(__GNUC__)
#define PERI_API
#else
#define PERI_API __attribute__((visibility("default")))
#endif

#if defined(__GNUC__)
#define PERI_MUST_USE __attribute__((warn_unused_result))
#else
#define PERI_MUST_USE
#endif

/// The version of this header. Compare with peri_version() to find a mismatched library.
#define PERI_VERSION_MAJOR 0
#define PERI_VERSION_MINOR 1
#define PERI_VERSION_PATCH 0

/// Every status a perilune function returns: 0 or positive is success, negative is one of
/// these. One list gives enum, name and message; nothing else in the project defines a status.
#define PERI_STATUS_LIST(X)                                                                    \
    X(ENOMEM, 1, "out of memory")                                                              \
    X(EINVAL, 2, "invalid argument")                                                           \
    X(ELIMIT, 3, "a configured limit was reached")                                             \
    X(EPARSE, 4, "the text is not well-formed")                                                \
    X(EDEPTH, 5, "nested deeper than the limit")                                               \
    X(EDUP, 6, "a key or name occurs twice")                                                   \
    X(EIO, 7, "reading or writing failed")                                                     \
    X(ENOENT, 8, "not found")                                                                  \
    X(EACCES, 9, "permission denied by the system")                                            \
    X(EAGAIN, 10, "not now: step the host and try again")                                      \
    X(EDENIED, 11, "refused by a rule")                                                        \
    X(ECLOSED, 12, "already closed or ended")                                                  \
    X(ESCRIPT, 13, "a script failed")                                                          \
    X(ETIMEOUT, 14, "a deadline passed")                                                       \
    X(EFORMAT, 15, "the format is not recognised")                                             \
    X(ESTATE, 16, "not allowed in this state")                                                 \
    X(EUNSUPPORTED, 17, "not supported by this build")                                         \
    X(EINTERNAL, 18, "internal error: please report it")

/// Status values. `PERI_OK` is 0; each error is the negative of its number in the list.
typedef enum peri_status {
    PERI_OK = 0,
#define PERI_STATUS_ENUM(name, number, message) PERI_##name = -(number),
    PERI_STATUS_LIST(PERI_STATUS_ENUM)
#undef PERI_STATUS_ENUM
} peri_status;

/// The name of a status, such as "PERI_ENOMEM"; "PERI_OK" for 0 and above; never NULL.
PERI_API const char *peri_status_name(int status);

/// One English clause for a status, without a full stop; never NULL.
PERI_API const char *peri_status_message(int status);

/// Borrowed text: `len` bytes at `ptr`, not necessarily ended by NUL, possibly holding NULs.
/// An absent text has `ptr` NULL and `len` 0. Who owns the bytes, and until when, is said where
/// the text is handed over.
typedef struct peri_str {
    const char *ptr;
    size_t len;
} peri_str;

/// The library's version as "MAJOR.MINOR.PATCH"; static storage.
PERI_API const char *peri_version(void);

#ifdef __cplusplus
}
#endif

#endif
