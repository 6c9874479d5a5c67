// The promises of base/slug.h.
#include "base/slug.h"

#include "test.h"

static void check_slug(const char *text, const char *want) {
    peri_buf out;
    peri_buf_init(&out, 1024);
    peri_slug_add(&out, peri_str_c(text));
    peri_str got = peri_buf_str(&out);
    bool same = peri_str_eq(got, peri_str_c(want));
    if (!same) printf("  \"%.*s\" for \"%s\"\n", PERI_FMT(got), text);
    peri_buf_deinit(&out);
    CHECK(same);
}

IT("PI-12 makes a slug of the first six words, small and joined by dashes") {
    check_slug("Always run make lint before pushing to main",
               "always-run-make-lint-before-pushing");
    check_slug("  Tabs,  not   spaces!  ", "tabs-not-spaces");
    check_slug("Don't use C++17 here", "dont-use-c-17-here");
    check_slug("one", "one");
}

IT("PI-12 keeps letters of any script") {
    check_slug("日本語の設定を使う。次", "日本語の設定を使う-次");
    check_slug("Используй пробелы, не табы", "Используй-пробелы-не-табы");
    check_slug("naïve café — “déjà vu”", "naïve-café-déjà-vu");
    check_slug("हमेशा परीक्षण चलाएँ", "हमेशा-परीक्षण-चलाएँ");
}

IT("never lets a path through, and has a name for what holds no letter") {
    check_slug("../../etc/passwd", "etc-passwd");
    check_slug("a/b\\c.md", "a-b-c-md");
    check_slug("..", "note");
    check_slug("", "note");
    check_slug("—!?…", "note");
    check_slug("🎉🎉", "note");
}

IT("keeps a slug within 80 bytes and every character whole") {
    char long_word[400];
    memset(long_word, 'x', sizeof long_word - 1);
    long_word[sizeof long_word - 1] = '\0';
    peri_buf out;
    peri_buf_init(&out, 1024);
    peri_slug_add(&out, peri_str_c(long_word));
    CHECK_EQ(out.len, 80);
    peri_buf_clear(&out);
    for (int i = 0; i < 60; i++) peri_buf_add_c(&out, "é");
    char text[200];
    memcpy(text, out.ptr, out.len);
    peri_str wide = peri_str_of(text, out.len);
    peri_buf_clear(&out);
    peri_slug_add(&out, wide);
    CHECK_EQ(out.len, 80);
    peri_buf_deinit(&out);
}

IT("PI-12 describes by the first sentence, at most 100 code points") {
    CHECK_STR(peri_slug_sentence(PERI_STR(" Use v1.2 of it. Not v2. ")), "Use v1.2 of it.");
    CHECK_STR(peri_slug_sentence(PERI_STR("one line\nand another")), "one line");
    CHECK_STR(peri_slug_sentence(PERI_STR("最初の文。次の文。")), "最初の文。");
    CHECK_STR(peri_slug_sentence(PERI_STR("no end")), "no end");
    char text[300];
    memset(text, 'a', sizeof text);
    CHECK_EQ(peri_slug_sentence(peri_str_of(text, sizeof text)).len, 100);
}

TEST_MAIN
