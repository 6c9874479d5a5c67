// The promises of buf.h.

#include "base/buf.h"
#include "test.h"

IT("grows to its maximum and not a byte further") {
    peri_buf buf;
    peri_buf_init(&buf, 100);
    for (int i = 0; i < 100; i++) peri_buf_add_byte(&buf, 'x');
    CHECK_OK(buf.status);
    CHECK_EQ(buf.len, 100);
    peri_buf_add_byte(&buf, 'x');
    CHECK_EQ(buf.status, PERI_ELIMIT);
    CHECK_EQ(buf.len, 100);
    peri_buf_deinit(&buf);
}

// What `add` leaves in a buffer of `max` bytes that holds "ab" already.
#define CHECK_WHOLE(max, add)                                                                  \
    do {                                                                                       \
        peri_buf buf;                                                                          \
        peri_buf_init(&buf, (max));                                                            \
        peri_buf_add_c(&buf, "ab");                                                            \
        (add);                                                                                 \
        CHECK_EQ(buf.status, PERI_ELIMIT);                                                     \
        CHECK_STR(peri_buf_str(&buf), "ab");                                                   \
        peri_buf_deinit(&buf);                                                                 \
    } while (0)

IT("adds all or nothing, whatever the kind of append") {
    CHECK_WHOLE(4, peri_buf_add(&buf, PERI_STR("xyz")));
    CHECK_WHOLE(4, peri_buf_add_c(&buf, "xyz"));
    CHECK_WHOLE(4, peri_buf_add_repeat(&buf, 'x', 3));
    CHECK_WHOLE(4, peri_buf_add_int(&buf, -12));
    CHECK_WHOLE(4, peri_buf_add_uint(&buf, 123));
    CHECK_WHOLE(4, peri_buf_addf(&buf, "%d", 123));
}

IT("adds nothing after a failure until it is cleared") {
    peri_buf buf;
    peri_buf_init(&buf, 4);
    peri_buf_add_c(&buf, "toolong");
    peri_buf_add_c(&buf, "ok");
    CHECK_EQ(buf.len, 0);
    CHECK_EQ(buf.status, PERI_ELIMIT);
    CHECK(!peri_buf_reserve(&buf, 1));
    peri_buf_clear(&buf);
    peri_buf_add_c(&buf, "ok");
    CHECK_STR(peri_buf_str(&buf), "ok");
    CHECK_OK(buf.status);
    peri_buf_deinit(&buf);
}

IT("takes any maximum, the greatest too") {
    peri_buf buf;
    peri_buf_init(&buf, SIZE_MAX);
    peri_buf_add_c(&buf, "text");
    CHECK_STR(peri_buf_str(&buf), "text");
    CHECK(!peri_buf_reserve(&buf, SIZE_MAX));
    CHECK_EQ(buf.status, PERI_ELIMIT);
    peri_buf_deinit(&buf);
    peri_buf_init(&buf, 0);
    peri_buf_add(&buf, (peri_str){0});
    CHECK_OK(buf.status);
    CHECK_STR(peri_str_c(peri_buf_c(&buf)), "");
    peri_buf_add_byte(&buf, 'x');
    CHECK_EQ(buf.status, PERI_ELIMIT);
    peri_buf_deinit(&buf);
}

IT("writes whole numbers") {
    peri_buf buf;
    peri_buf_init(&buf, 200);
    peri_buf_add_int(&buf, 0);
    peri_buf_add_byte(&buf, ' ');
    peri_buf_add_int(&buf, INT64_MIN);
    peri_buf_add_byte(&buf, ' ');
    peri_buf_add_int(&buf, INT64_MAX);
    peri_buf_add_byte(&buf, ' ');
    peri_buf_add_uint(&buf, UINT64_MAX);
    CHECK_STR(peri_buf_str(&buf),
              "0 -9223372036854775808 9223372036854775807 18446744073709551615");
    peri_buf_deinit(&buf);
}

IT("formats, and ends its text with a NUL on demand") {
    peri_buf buf;
    peri_buf_init(&buf, 64);
    peri_buf_addf(&buf, "%s-%d-%.*s", "a", 7, 2, "xyz");
    CHECK_STR(peri_buf_str(&buf), "a-7-xy");
    CHECK_EQ(strlen(peri_buf_c(&buf)), 6);
    peri_buf_add_repeat(&buf, 'x', 58);
    CHECK_OK(buf.status);
    CHECK_EQ(strlen(peri_buf_c(&buf)), 64);
    peri_buf_deinit(&buf);
}

IT("lets the caller write behind its end") {
    peri_buf buf;
    peri_buf_init(&buf, 64);
    char *to = peri_buf_reserve(&buf, 3);
    CHECK(to != NULL);
    memcpy(to, "abc", 3);
    CHECK_EQ(buf.len, 0);
    buf.len += 3;
    CHECK_STR(peri_buf_str(&buf), "abc");
    peri_buf_deinit(&buf);
}

IT("cuts at its end and drops at its front") {
    peri_buf buf;
    peri_buf_init(&buf, 64);
    peri_buf_add_c(&buf, "abcdef");
    peri_buf_truncate(&buf, 9);
    CHECK_STR(peri_buf_str(&buf), "abcdef");
    peri_buf_truncate(&buf, 4);
    peri_buf_drop_front(&buf, 1);
    CHECK_STR(peri_buf_str(&buf), "bcd");
    peri_buf_drop_front(&buf, 99);
    CHECK_EQ(buf.len, 0);
    peri_buf_deinit(&buf);
    peri_buf_drop_front(&buf, 1);
    peri_buf_deinit(&buf);
    peri_buf_deinit(NULL);
}

TEST_MAIN
