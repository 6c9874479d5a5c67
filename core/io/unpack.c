// zlib and libzstd behind unpack.h. The packed side is read 64 KiB at a time; the window of a
// Zstandard frame is bounded, since a hostile header may ask for gigabytes.
#include "io/unpack.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
    PACKED_BYTES = 64 * 1024,
    ZSTD_WINDOW_LOG_MAX = 25,  // 32 MiB
    GZIP_WINDOW_BITS = 15 + 16 // zlib's word for: with a gzip header
};

struct peri_unpack {
    peri_packing packing;
    z_stream gzip;
    ZSTD_DStream *zstd;
    bool inside; // of a member or frame: its end has not been seen
    size_t at, len;
    char packed[PACKED_BYTES];
};

peri_packing peri_packing_of(const char *start, size_t len) {
    static const char gzip[] = {'\x1F', '\x8B'}, zstd[] = {'\x28', '\xB5', '\x2F', '\xFD'};
    if (len >= sizeof gzip && memcmp(start, gzip, sizeof gzip) == 0) return PERI_PACKING_GZIP;
    if (len >= sizeof zstd && memcmp(start, zstd, sizeof zstd) == 0) return PERI_PACKING_ZSTD;
    return PERI_PACKING_NONE;
}

static int set_up(peri_unpack *unpack) {
    if (unpack->packing == PERI_PACKING_GZIP) {
        int code = inflateInit2(&unpack->gzip, GZIP_WINDOW_BITS);
        return code == Z_OK ? PERI_OK : PERI_ENOMEM;
    }
    unpack->zstd = ZSTD_createDStream();
    if (!unpack->zstd) return PERI_ENOMEM;
    size_t code =
        ZSTD_DCtx_setParameter(unpack->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_MAX);
    return ZSTD_isError(code) ? PERI_EINTERNAL : PERI_OK;
}

int peri_unpack_new(peri_packing packing, peri_unpack **out) {
    if (packing == PERI_PACKING_NONE) return PERI_EINVAL;
    peri_unpack *unpack = calloc(1, sizeof *unpack);
    if (!unpack) return PERI_ENOMEM;
    unpack->packing = packing;
    int status = set_up(unpack);
    if (status < 0) {
        peri_unpack_free(unpack);
        return status;
    }
    *out = unpack;
    return PERI_OK;
}

void peri_unpack_free(peri_unpack *unpack) {
    if (!unpack) return;
    if (unpack->packing == PERI_PACKING_GZIP) inflateEnd(&unpack->gzip);
    ZSTD_freeDStream(unpack->zstd);
    free(unpack);
}

// Unpacks from what is at hand; the bytes made, maybe none.
static long inflate_some(peri_unpack *unpack, char *to, size_t size) {
    z_stream *z = &unpack->gzip;
    z->next_in = (Bytef *)unpack->packed + unpack->at;
    z->avail_in = (uInt)(unpack->len - unpack->at);
    z->next_out = (Bytef *)to;
    z->avail_out = (uInt)size;
    unpack->inside = true;
    int code = inflate(z, Z_NO_FLUSH);
    unpack->at = unpack->len - z->avail_in;
    if (code == Z_MEM_ERROR) return PERI_ENOMEM;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return PERI_EPARSE;
    if (code == Z_STREAM_END) {
        unpack->inside = false;
        if (inflateReset(z) != Z_OK) return PERI_EINTERNAL;
    }
    return (long)(size - z->avail_out);
}

static long decompress_some(peri_unpack *unpack, char *to, size_t size) {
    ZSTD_inBuffer in = {unpack->packed, unpack->len, unpack->at};
    ZSTD_outBuffer out = {to, size, 0};
    size_t code = ZSTD_decompressStream(unpack->zstd, &out, &in);
    unpack->at = in.pos;
    if (ZSTD_isError(code)) {
        ZSTD_ErrorCode error = ZSTD_getErrorCode(code);
        if (error == ZSTD_error_memory_allocation) return PERI_ENOMEM;
        return error == ZSTD_error_frameParameter_windowTooLarge ? PERI_ELIMIT : PERI_EPARSE;
    }
    unpack->inside = code != 0;
    return (long)out.pos;
}

long peri_unpack_take(peri_unpack *unpack, peri_unpack_source_fn source, void *user, char *to,
                      size_t size) {
    long made = 0;
    if (size > PACKED_BYTES) size = PACKED_BYTES;
    while (made == 0 && size) {
        if (unpack->at == unpack->len) {
            long got = source(user, unpack->packed, PACKED_BYTES);
            if (got < 0) return got;
            if (got == 0 && unpack->inside) return PERI_EPARSE; // cut off
            if (got == 0) return 0;
            unpack->at = 0;
            unpack->len = (size_t)got;
        }
        made = unpack->packing == PERI_PACKING_GZIP ? inflate_some(unpack, to, size)
                                                    : decompress_some(unpack, to, size);
    }
    return made;
}
