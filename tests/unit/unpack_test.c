// Compressed recordings: what is in them comes out, whole or cut off, and no more memory is
// taken than a reader may.
#include "io/unpack.h"

#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "io/files.h"
#include "scratch.h"

enum { TEXT_BYTES = 300 * 1000 };

static scratch s;
static char text[TEXT_BYTES];
static peri_buf packed, seen;

static void start(void) {
    scratch_open(&s);
    peri_buf_init(&packed, 1 << 22);
    peri_buf_init(&seen, 1 << 22);
    uint64_t random = 1;
    for (size_t i = 0; i < TEXT_BYTES; i++) {
        random = random * UINT64_C(6364136223846793005) + 1;
        text[i] = "etaoin shrdlu\n"[random >> 60 < 14 ? random >> 60 : 0];
    }
}

static void stop(void) {
    peri_buf_deinit(&packed);
    peri_buf_deinit(&seen);
    scratch_close(&s);
}

static void add_gzip(const char *from, size_t len) {
    z_stream z = {0};
    CHECK(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    size_t room = deflateBound(&z, len);
    z.next_in = (Bytef *)from;
    z.avail_in = (uInt)len;
    z.next_out = (Bytef *)peri_buf_reserve(&packed, room);
    z.avail_out = (uInt)room;
    CHECK(z.next_out && deflate(&z, Z_FINISH) == Z_STREAM_END);
    packed.len += room - z.avail_out;
    deflateEnd(&z);
}

static void add_zstd(const char *from, size_t len, int window_log) {
    ZSTD_CCtx *context = ZSTD_createCCtx();
    if (window_log) ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
    size_t room = ZSTD_compressBound(len);
    char *to = peri_buf_reserve(&packed, room);
    CHECK(to != NULL);
    ZSTD_outBuffer out = {to, room, 0};
    ZSTD_inBuffer in = {from, len, 0};
    if (window_log)
        CHECK(!ZSTD_isError(ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush)));
    CHECK(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end) == 0);
    packed.len += out.pos;
    ZSTD_freeCCtx(context);
}

// Reads a file of the packed bytes; returns how it ended.
static long unpack(size_t take) {
    FILE *out = fopen(scratch_path(&s, "f"), "wb");
    CHECK(out && fwrite(packed.ptr, 1, packed.len, out) == packed.len);
    fclose(out);
    peri_file file;
    CHECK_OK(peri_file_open(&file, scratch_path(&s, "f")));
    long got;
    peri_buf_clear(&seen);
    for (;;) {
        char *to = peri_buf_reserve(&seen, take);
        CHECK(to != NULL);
        got = peri_file_take(&file, to, take);
        if (got <= 0) break;
        seen.len += (size_t)got;
    }
    CHECK_EQ(file.read_bytes, seen.len);
    peri_file_close(&file);
    return got;
}

static void check_text(size_t len) {
    CHECK_EQ(seen.len, len);
    CHECK(len == 0 || memcmp(seen.ptr, text, len) == 0);
}

IT("tells a packed file by its first bytes") {
    CHECK_EQ(peri_packing_of("\x1F\x8B\x08\x00", 4), PERI_PACKING_GZIP);
    CHECK_EQ(peri_packing_of("\x28\xB5\x2F\xFD", 4), PERI_PACKING_ZSTD);
    CHECK_EQ(peri_packing_of("\x28\xB5\x2F", 3), PERI_PACKING_NONE);
    CHECK_EQ(peri_packing_of("{\"a\"", 4), PERI_PACKING_NONE);
    CHECK_EQ(peri_packing_of("", 0), PERI_PACKING_NONE);
}

IT("unpacks gzip and Zstandard, whatever the pieces") {
    start();
    add_gzip(text, TEXT_BYTES);
    CHECK_EQ(unpack(100000), 0);
    check_text(TEXT_BYTES);
    CHECK_EQ(unpack(7), 0);
    check_text(TEXT_BYTES);
    peri_buf_clear(&packed);
    add_zstd(text, TEXT_BYTES, 0);
    CHECK_EQ(unpack(100000), 0);
    check_text(TEXT_BYTES);
    CHECK_EQ(unpack(7), 0);
    check_text(TEXT_BYTES);
    stop();
}

IT("goes on behind the first member or frame") {
    start();
    add_gzip(text, 1000);
    add_gzip("", 0);
    add_gzip(text + 1000, TEXT_BYTES - 1000);
    CHECK_EQ(unpack(4096), 0);
    check_text(TEXT_BYTES);
    peri_buf_clear(&packed);
    add_zstd(text, 1000, 0);
    add_zstd(text + 1000, TEXT_BYTES - 1000, 0);
    CHECK_EQ(unpack(4096), 0);
    check_text(TEXT_BYTES);
    stop();
}

IT("gives what stands before the place where a file is cut off, and says so") {
    start();
    add_gzip(text, TEXT_BYTES);
    packed.len /= 2;
    CHECK_EQ(unpack(4096), PERI_EPARSE);
    CHECK(seen.len > TEXT_BYTES / 4);
    check_text(seen.len);
    peri_buf_clear(&packed);
    add_zstd(text, TEXT_BYTES, 0);
    packed.len /= 2;
    CHECK_EQ(unpack(4096), PERI_EPARSE);
    check_text(seen.len);
    stop();
}

IT("stops at damage, also behind a whole member") {
    start();
    add_gzip(text, TEXT_BYTES);
    packed.ptr[packed.len / 2] ^= 0x55;
    CHECK_EQ(unpack(4096), PERI_EPARSE);
    peri_buf_clear(&packed);
    add_gzip(text, 1000);
    peri_buf_add_c(&packed, "{\"plain\":1}\n");
    CHECK_EQ(unpack(4096), PERI_EPARSE);
    check_text(1000);
    stop();
}

IT("refuses a window that would take more memory than a reader may") {
    start();
    add_zstd(text, TEXT_BYTES, 27);
    CHECK_EQ(unpack(4096), PERI_ELIMIT);
    CHECK_EQ(seen.len, 0);
    stop();
}

IT("reads a packed file raw where it is asked to") {
    start();
    add_gzip(text, 1000);
    (void)unpack(4096);
    peri_file file;
    char start_of[4];
    CHECK_OK(peri_file_open_raw(&file, scratch_path(&s, "f")));
    CHECK_EQ(peri_file_take(&file, start_of, 4), 4);
    CHECK(memcmp(start_of, packed.ptr, 4) == 0);
    CHECK_OK(peri_file_seek(&file, 2));
    CHECK_EQ(peri_file_take(&file, start_of, 1), 1);
    CHECK(start_of[0] == packed.ptr[2]);
    peri_file_close(&file);
    stop();
}

IT("knows a file's content up to an offset again, and another's not") {
    uint64_t before, same, other;
    peri_file file;
    start();
    scratch_write(&s, "f", "0123456789");
    CHECK_OK(peri_file_open_raw(&file, scratch_path(&s, "f")));
    CHECK_OK(peri_file_print(&file, 5, &before));
    CHECK_EQ(peri_file_print(&file, 11, &same), PERI_ENOENT);
    peri_file_close(&file);
    scratch_write(&s, "f", "01234xxxxxxxx");
    CHECK_OK(peri_file_open_raw(&file, scratch_path(&s, "f")));
    CHECK_OK(peri_file_print(&file, 5, &same));
    CHECK_OK(peri_file_print(&file, 6, &other));
    CHECK(before == same);
    CHECK(before != other);
    peri_file_close(&file);
    stop();
}

TEST_MAIN
