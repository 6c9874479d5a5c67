// The bounded byte buffer of buf.h. Grows by doubling; every growth is checked against `max`.
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>

// So far that doubling towards it cannot overflow.
static const size_t CEILING = SIZE_MAX / 4;

void peri_buf_init(peri_buf *buf, size_t max_bytes) {
    *buf = (peri_buf){.max = max_bytes < CEILING ? max_bytes : CEILING};
}

void peri_buf_deinit(peri_buf *buf) {
    if (!buf) return;
    free(buf->ptr);
    peri_buf_init(buf, buf->max);
}

void peri_buf_clear(peri_buf *buf) {
    buf->len = 0;
    buf->status = PERI_OK;
}

static bool grow(peri_buf *buf, size_t need) {
    size_t cap = buf->cap ? buf->cap : 64;
    while (cap < need) cap *= 2;
    if (cap > buf->max + 1) cap = buf->max + 1; // one spare byte for the NUL of peri_buf_c
    char *ptr = realloc(buf->ptr, cap);
    if (!ptr) {
        buf->status = PERI_ENOMEM;
        return false;
    }
    buf->ptr = ptr;
    buf->cap = cap;
    return true;
}

static char *make_room(peri_buf *buf, size_t more) {
    if (buf->status != PERI_OK) return NULL;
    if (buf->len > buf->max || more > buf->max - buf->len) {
        buf->status = PERI_ELIMIT;
        return NULL;
    }
    size_t need = buf->len + more + 1;
    if (need > buf->cap && !grow(buf, need)) return NULL;
    return buf->ptr + buf->len;
}

// Nearly every append finds room.
char *peri_buf_reserve(peri_buf *buf, size_t more) {
    bool fits = more < buf->cap - buf->len && buf->status == PERI_OK;
    return fits ? buf->ptr + buf->len : make_room(buf, more);
}

void peri_buf_add(peri_buf *buf, peri_str text) {
    char *to = peri_buf_reserve(buf, text.len);
    if (!to || text.len == 0) return;
    memcpy(to, text.ptr, text.len);
    buf->len += text.len;
}

void peri_buf_add_c(peri_buf *buf, const char *text) {
    peri_buf_add(buf, peri_str_c(text));
}

void peri_buf_add_byte(peri_buf *buf, char byte) {
    char *to = peri_buf_reserve(buf, 1);
    if (!to) return;
    *to = byte;
    buf->len++;
}

void peri_buf_add_repeat(peri_buf *buf, char byte, size_t count) {
    char *to = peri_buf_reserve(buf, count);
    if (!to) return;
    memset(to, byte, count);
    buf->len += count;
}

static void add_whole(peri_buf *buf, bool negative, uint64_t value) {
    char digits[21];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    if (negative) digits[--at] = '-';
    peri_buf_add(buf, peri_str_of(digits + at, sizeof digits - at));
}

void peri_buf_add_uint(peri_buf *buf, uint64_t value) {
    add_whole(buf, false, value);
}

void peri_buf_add_int(peri_buf *buf, int64_t value) {
    add_whole(buf, value < 0, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

// Written where there is room already; only what does not fit is written twice.
void peri_buf_addf(peri_buf *buf, const char *format, ...) {
    if (buf->status != PERI_OK) return;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t room = buf->cap - buf->len;
    int need = vsnprintf(room ? buf->ptr + buf->len : NULL, room, format, args);
    va_end(args);
    char *to = need < 0 ? NULL : peri_buf_reserve(buf, (size_t)need);
    if (to) {
        if ((size_t)need >= room) vsnprintf(to, (size_t)need + 1, format, again);
        buf->len += (size_t)need;
    }
    va_end(again);
}

void peri_buf_truncate(peri_buf *buf, size_t len) {
    if (len < buf->len) buf->len = len;
}

void peri_buf_drop_front(peri_buf *buf, size_t count) {
    if (count > buf->len) count = buf->len;
    if (count == 0) return;
    memmove(buf->ptr, buf->ptr + count, buf->len - count);
    buf->len -= count;
}

const char *peri_buf_c(peri_buf *buf) {
    if (!buf->ptr && !peri_buf_reserve(buf, 0)) return "";
    buf->ptr[buf->len] = '\0'; // grow() keeps one spare byte
    return buf->ptr;
}
