// The promises of text.h.
#include "base/text.h"
#include "test.h"

static void check_text(const char *whole, uint32_t head, uint32_t tail, const char *want) {
    peri_text text = peri_text_of(peri_str_c(whole), (peri_text_caps){head, tail});
    peri_buf out;
    peri_buf_init(&out, 256);
    peri_text_add(&out, &text);
    CHECK_STR(peri_buf_str(&out), want);
    peri_buf_deinit(&out);
}

IT("keeps a text whole that its caps allow") {
    peri_str whole = PERI_STR("aé中😀");
    peri_text text = peri_text_of(whole, (peri_text_caps){3, 1});
    CHECK(text.head.ptr == whole.ptr && !text.cut);
    CHECK_STR(text.head, "aé中😀");
    CHECK_EQ(text.tail.len, 0);
    CHECK_EQ(text.cp, 4);
    CHECK_EQ(text.u16, 5);
}

IT("keeps both ends of a longer one and its true size") {
    peri_text text = peri_text_of(PERI_STR("aé中😀bß"), (peri_text_caps){2, 3});
    CHECK(text.cut);
    CHECK_STR(text.head, "aé");
    CHECK_STR(text.tail, "😀bß");
    CHECK_EQ(text.cp, 6);
    CHECK_EQ(text.u16, 7);
}

IT("says how much is left out") {
    check_text("abcdef", 6, 0, "abcdef");
    check_text("abcdefgh", 2, 3, "ab\n… [3 characters left out] …\nfgh");
    check_text("😀😀😀", 1, 0, "😀\n… [2 characters left out] …\n");
    check_text("ééé", 0, 1, "\n… [2 characters left out] …\né");
    check_text("abc", 0, 0, "\n… [3 characters left out] …\n");
    check_text("", 0, 0, "");
}

IT("takes the greatest caps without overflow") {
    check_text("abc", UINT32_MAX, UINT32_MAX, "abc");
}

IT("tells an absent text from an empty one") {
    peri_text absent = {0}, empty = peri_text_of(PERI_STR(""), (peri_text_caps){1, 1});
    CHECK(peri_text_absent(&absent) && !peri_text_absent(&empty));
}

IT("finds the last code points of a text of any length and width") {
    static const char *const pieces[] = {"a", "é", "日", "🙂", "some plain words "};
    char text[512];
    for (unsigned round = 0; round < 3000; round++) {
        size_t len = 0;
        for (unsigned i = 0, random = round * 2654435761u; i < round % 60; i++) {
            random = random * 1664525u + 1013904223u;
            const char *piece = pieces[(random >> 24) % 5];
            if (len + strlen(piece) > sizeof text) break;
            memcpy(text + len, piece, strlen(piece));
            len += strlen(piece);
        }
        peri_str s = {text, len};
        size_t all = peri_utf8_count(s).cp, want = round % 150;
        size_t skipped = peri_utf8_cut_cp(s, all > want ? all - want : 0).bytes;
        CHECK_EQ(peri_text_tail(s, want).len, len - skipped);
    }
}

TEST_MAIN
