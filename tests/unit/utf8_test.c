// The promises of utf8.h.
#include "base/utf8.h"
#include "test.h"

IT("takes exactly the valid sequences of RFC 3629") {
    static const char *const good[] = {"",
                                       "ascii",
                                       "\xC2\x80",
                                       "\xDF\xBF",
                                       "\xE0\xA0\x80",
                                       "\xED\x9F\xBF",
                                       "\xEE\x80\x80",
                                       "\xEF\xBF\xBF",
                                       "\xF0\x90\x80\x80",
                                       "\xF4\x8F\xBF\xBF"};
    static const char *const bad[] = {"\x80",
                                      "\xBF",
                                      "\xC0\x80",
                                      "\xC1\xBF",
                                      "\xC2",
                                      "\xC2x",
                                      "\xE0\x9F\xBF",
                                      "\xED\xA0\x80",
                                      "\xED\xBF\xBF",
                                      "\xE2\x82",
                                      "\xF0\x8F\xBF\xBF",
                                      "\xF4\x90\x80\x80",
                                      "\xF5\x80\x80\x80",
                                      "\xFF",
                                      "\xF0\x9F\x98"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        CHECK(peri_utf8_valid(peri_str_c(good[i])));
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (peri_utf8_valid(peri_str_c(bad[i]))) TEST_FAIL("bad[%zu] passed", i);
        CHECK_EQ(peri_utf8_valid_prefix(peri_str_c(bad[i])), 0);
    }
    CHECK_EQ(peri_utf8_valid_prefix(PERI_STR("0123456789é\xFFx")), 12);
    CHECK(peri_utf8_valid((peri_str){0}));
}

IT("sees a byte over 0x7F wherever it stands") {
    char text[33];
    memset(text, 'x', sizeof text);
    for (size_t at = 0; at < sizeof text; at++) {
        text[at] = '\x80';
        CHECK_EQ(peri_utf8_valid_prefix(peri_str_of(text, sizeof text)), at);
        text[at] = 'x';
    }
}

static void check_repaired(const char *text, const char *want, size_t count) {
    peri_buf out;
    peri_buf_init(&out, 256);
    CHECK_EQ(peri_utf8_repair(&out, peri_str_c(text)), count);
    CHECK_STR(peri_buf_str(&out), want);
    CHECK(peri_utf8_valid(peri_buf_str(&out)));
    peri_buf_deinit(&out);
}

IT("D5 replaces each maximal invalid sequence by one U+FFFD") {
    check_repaired("fine é", "fine é", 0);
    check_repaired("a\xFFz", "a\uFFFDz", 1);
    check_repaired("\xE2\x82", "\uFFFD", 1);
    check_repaired("\xE2\x82x", "\uFFFDx", 1);
    check_repaired("\xF0\x9F\x98", "\uFFFD", 1);
    check_repaired("\xC0\xAF", "\uFFFD\uFFFD", 2);
    check_repaired("\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD", 3);
    // The example of the Unicode standard, table 3-8.
    check_repaired("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64",
                   "a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd", 6);
}

IT("decodes what it encoded, for every code point") {
    for (uint32_t cp = 0; cp <= 0x10FFFF; cp++) {
        char bytes[4];
        size_t len = peri_utf8_encode(bytes, cp), read;
        uint32_t want = cp >= 0xD800 && cp <= 0xDFFF ? 0xFFFD : cp;
        CHECK(peri_utf8_valid(peri_str_of(bytes, len)));
        CHECK_EQ(peri_utf8_decode(peri_str_of(bytes, len), &read), want);
        CHECK_EQ(read, len);
    }
    char bytes[4];
    CHECK_EQ(peri_utf8_encode(bytes, 0x110000), 3);
    CHECK_STR(peri_str_of(bytes, 3), "\uFFFD");
}

IT("counts bytes, code points and UTF-16 units") {
    peri_utf8_size size = peri_utf8_count(PERI_STR("aé中😀 and a long run of ascii"));
    CHECK_EQ(size.bytes, 10 + 24);
    CHECK_EQ(size.cp, 4 + 24);
    CHECK_EQ(size.u16, 5 + 24);
    CHECK_EQ(peri_utf8_count((peri_str){0}).cp, 0);
}

IT("cuts on code points, never inside one") {
    peri_str text = PERI_STR("aé中😀b");
    static const size_t ends[] = {0, 1, 3, 6, 10, 11, 11};
    for (size_t max = 0; max < 7; max++) {
        CHECK_EQ(peri_utf8_cut_cp(text, max).bytes, ends[max]);
        CHECK_EQ(peri_utf8_cut_cp(text, max).cp, max < 5 ? max : 5);
    }
    CHECK_EQ(peri_utf8_cut_cp(PERI_STR("0123456789abcdef"), 11).bytes, 11);
}

IT("cuts on UTF-16 units and keeps a pair whole") {
    peri_str text = PERI_STR("aé中😀b");
    static const size_t ends[] = {0, 1, 3, 6, 6, 10, 11, 11};
    static const size_t units[] = {0, 1, 2, 3, 3, 5, 6, 6};
    for (size_t max = 0; max < 8; max++) {
        CHECK_EQ(peri_utf8_cut_u16(text, max).bytes, ends[max]);
        CHECK_EQ(peri_utf8_cut_u16(text, max).u16, units[max]);
    }
}

IT("cuts bytes from both sides between code points") {
    peri_str text = PERI_STR("é中😀");
    static const size_t heads[] = {0, 0, 2, 2, 2, 5, 5, 5, 5, 9, 9};
    static const size_t skips[] = {9, 9, 9, 9, 5, 5, 5, 2, 2, 0, 0};
    for (size_t max = 0; max < 11; max++) {
        CHECK_EQ(peri_utf8_cut_bytes(text, max), heads[max]);
        CHECK_EQ(peri_utf8_skip_to_tail(text, max), skips[max]);
    }
}

IT("PI-5 calls a text blank if nothing in it prints") {
    CHECK(peri_utf8_blank(PERI_STR("")));
    CHECK(peri_utf8_blank(PERI_STR(" \t\r\n\x7F")));
    CHECK(peri_utf8_blank(
        PERI_STR("\u00A0\u00AD\u034F\u061C\u115F\u1680\u180E\u2003\u200B\u200D")));
    CHECK(peri_utf8_blank(
        PERI_STR("\u2028\u202E\u2060\u2066\u2800\u3000\u3164\uFE0F\uFEFF\uFFA0")));
    CHECK(peri_utf8_blank(PERI_STR("\U000E0001\U000E0041\U000E0100\U0001D173\U0001BCA0")));
    CHECK(!peri_utf8_blank(PERI_STR("\u200Bx")));
    CHECK(!peri_utf8_blank(PERI_STR(".")));
    CHECK(!peri_utf8_blank(PERI_STR("\uFFFD")));
    CHECK(!peri_utf8_blank(PERI_STR("\u00A1")) && !peri_utf8_blank(PERI_STR("中")));
}

TEST_MAIN
