// A growing byte buffer with a hard maximum. A failed append sets a sticky status, so that a
// long chain of appends is checked once, at its end.
#ifndef PERI_BASE_BUF_H
#define PERI_BASE_BUF_H

#include <stdarg.h>

#include "base/str.h"

typedef struct peri_buf {
    char *ptr;       // owned; NULL until the first append; not ended by NUL
    size_t len, cap; // bytes
    size_t max;      // never grows beyond this many bytes
    int status;      // PERI_OK, or the first failure: PERI_ENOMEM or PERI_ELIMIT
} peri_buf;

/// An empty buffer that may grow to `max_bytes`. Allocates nothing yet.
void peri_buf_init(peri_buf *buf, size_t max_bytes);

/// Frees the bytes; the buffer is empty and usable again. NULL is fine.
void peri_buf_deinit(peri_buf *buf);

/// Forgets content and status, keeps the memory.
void peri_buf_clear(peri_buf *buf);

/// Each append adds all or nothing. After a failure they add nothing until peri_buf_clear().
void peri_buf_add(peri_buf *buf, peri_str text);
void peri_buf_add_c(peri_buf *buf, const char *text);
void peri_buf_add_byte(peri_buf *buf, char byte);
void peri_buf_add_repeat(peri_buf *buf, char byte, size_t count);
void peri_buf_add_int(peri_buf *buf, int64_t value);
void peri_buf_add_uint(peri_buf *buf, uint64_t value);
/// printf-style; text and whole numbers only (a float's point would depend on the locale).
void peri_buf_addf(peri_buf *buf, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Room for at least `more` bytes behind `len`, or NULL with the sticky status set. The caller
/// writes there and then raises `len`.
char *peri_buf_reserve(peri_buf *buf, size_t more);

/// Cuts back to `len` bytes (no effect if shorter already).
void peri_buf_truncate(peri_buf *buf, size_t len);

/// Removes the first `count` bytes.
void peri_buf_drop_front(peri_buf *buf, size_t count);

/// The content, borrowed until the next call on the buffer.
static inline peri_str peri_buf_str(const peri_buf *buf) {
    return (peri_str){buf->ptr, buf->len};
}

/// The content ended by a NUL that is not counted in `len`; "" if that fails or nothing was
/// added.
const char *peri_buf_c(peri_buf *buf);

#endif
