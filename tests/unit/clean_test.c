// core/digest/clean.c: the only way of foreign text into a document.
#include "digest/clean.h"

#include "test.h"

static peri_text text_of(const char *s) {
    return peri_text_of(peri_str_c(s), (peri_text_caps){INT32_MAX, 0});
}

static peri_cleaner cleaner_of(bool utf16) {
    peri_cleaner cleaner;
    peri_cleaner_init(&cleaner, NULL, utf16);
    return cleaner;
}

#define CHECK_BODY(in, cap, utf16, want, missing)                                              \
    do {                                                                                       \
        peri_cleaner cleaner_ = cleaner_of(utf16);                                             \
        peri_text text_ = text_of(in);                                                         \
        peri_clean body_ = peri_clean_body(&cleaner_, &text_, cap);                            \
        CHECK_STR(body_.text, want);                                                           \
        CHECK_EQ(body_.left_out, missing);                                                     \
        peri_cleaner_deinit(&cleaner_);                                                        \
    } while (0)

IT("CC-7 puts a backslash behind the < of every tag of the family") {
    static const char *const names[] = {
        "tool-call",       "tool-result",      "user-message",      "non-user-message",
        "turn-ended",      "guidance-loaded",  "skills-discovered", "coordinator-task",
        "worker-activity", "Any_1-x-activity",
    };
    static const char *const shapes[] = {"<%s>", "</%s>", "< %s x=\"1\">", "< / %s",
                                         "<\t/\n%s />"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (size_t j = 0; j < sizeof shapes / sizeof shapes[0]; j++) {
            char in[96], want[128];
            snprintf(in, sizeof in, shapes[j], names[i]);
            snprintf(want, sizeof want, "<\\%s", in + 1);
            CHECK_BODY(in, 500, false, want, 0);
        }
    }
}

IT("CC-7 knows the tags in any case and with invisible characters inside") {
    CHECK_BODY("</TOOL-Result>", 99, false, "<\\/TOOL-Result>", 0);
    CHECK_BODY("<\xC2\xA0user-message>", 99, false, "<\\\xC2\xA0user-message>", 0);
    CHECK_BODY("<\xE2\x80\x8B/\xE2\x80\xA8tool-call>", 99, false,
               "<\\\xE2\x80\x8B/\xE2\x80\xA8tool-call>", 0);
    CHECK_BODY("<tool-call", 99, false, "<\\tool-call", 0);
    CHECK_BODY("<<tool-call><tool-call>", 99, false, "<<\\tool-call><\\tool-call>", 0);
}

IT("CC-7 touches nothing else") {
    static const char *const same[] = {"a < b && c > d",
                                       "<tool-calls>",
                                       "<my-tool-call>",
                                       "<-activity>",
                                       "<activity>",
                                       "<div>",
                                       "tool-call>",
                                       "<//tool-call>",
                                       "<tool_call>",
                                       "<x-activity-y>",
                                       "<",
                                       "</",
                                       "&lt;tool-call&gt;",
                                       "line \xE2\x80\xA8 separator",
                                       "`````====="};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        CHECK_BODY(same[i], 500, false, same[i], 0);
    }
}

IT("CC-7 counts what a backslash adds, so that a body never exceeds its cap") {
    CHECK_BODY("ab<tool-call>", 14, true, "ab<\\tool-call>", 0);
    CHECK_BODY("ab<tool-call>", 13, true, "ab<\\tool-call", 1);
}

IT("CC-7 counts UTF-16 units for claude and code points for rich, pairs whole") {
    CHECK_BODY("\xF0\x9F\x98\x80\xF0\x9F\x98\x80", 3, true, "\xF0\x9F\x98\x80", 2);
    CHECK_BODY("\xF0\x9F\x98\x80\xF0\x9F\x98\x80", 1, false, "\xF0\x9F\x98\x80", 1);
    CHECK_BODY("\xE6\xBC\xA2\xE6\xBC\xA2", 1, true, "\xE6\xBC\xA2", 1);
    CHECK_BODY("", 5, true, "", 0);
}

IT("says how much of a text is missing although only its ends were kept") {
    peri_cleaner c = cleaner_of(false);
    peri_text text = peri_text_of(PERI_STR("0123456789abcdef"), (peri_text_caps){8, 2});
    CHECK(text.cut);
    peri_clean got = peri_clean_body(&c, &text, 5);
    CHECK_STR(got.text, "01234");
    CHECK_EQ(got.left_out, 11);
    got = peri_clean_body(&c, &text, 100);
    CHECK_STR(got.text, "01234567");
    CHECK_EQ(got.left_out, 8);
    CHECK_EQ(c.counts.truncated, 2);
    peri_cleaner_deinit(&c);
}

IT("does not make a tag by cutting a longer word") {
    CHECK_BODY("x <tool-calling", 12, false, "x ", 13);
}

IT("CC-7 lets no text without a tag begin what the next one could end") {
    static const char *const ends[][2] = {{"a <", "a <\\"}, {"a </ \n", "a <\\/ \n"}};
    peri_cleaner c = cleaner_of(false);
    for (size_t i = 0; i < 2; i++) {
        peri_text text = text_of(ends[i][0]);
        CHECK_STR(peri_clean_bare(&c, &text, 100).text, ends[i][1]);
        CHECK_STR(peri_clean_body(&c, &text, 100).text, ends[i][0]);
    }
    peri_cleaner_deinit(&c);
}

IT("borrows a text that needs no change") {
    peri_cleaner c = cleaner_of(false);
    peri_text text = text_of("int main(void) { return 1 < 2; }");
    CHECK(peri_clean_body(&c, &text, 100).text.ptr == text.head.ptr);
    peri_cleaner_deinit(&c);
}

IT("CC-7 reduces names to [A-Za-z0-9_-], with a word where nothing is left") {
    peri_cleaner c = cleaner_of(true);
    CHECK_STR(peri_clean_name(&c, PERI_STR("Bash\"><x"), "unknown").text, "Bashx");
    CHECK_STR(peri_clean_name(&c, PERI_STR("mcp__a-b__c"), "unknown").text, "mcp__a-b__c");
    CHECK_STR(peri_clean_name(&c, PERI_STR("\xE6\xBC\xA2 <>"), "unknown").text, "unknown");
    CHECK_STR(peri_clean_name(&c, (peri_str){0}, "agent").text, "agent");
    char flood[1000];
    memset(flood, 'a', sizeof flood);
    CHECK_EQ(peri_clean_name(&c, peri_str_of(flood, sizeof flood), "x").text.len,
             PERI_CLEAN_NAME_BYTES);
    peri_cleaner_deinit(&c);
}

IT("CC-7 replaces what an attribute cannot hold") {
    peri_cleaner c = cleaner_of(true);
    peri_text path = text_of("/a b/\"x\">\n<tool-call>\xC2\x85\xC3\xA9\x7F");
    CHECK_STR(peri_clean_attr(&c, &path, 100).text, "/a b/_x____tool-call__\xC3\xA9_");
    CHECK_STR(peri_clean_attr(&c, &path, 4).text, "/a b");
    peri_cleaner_deinit(&c);
}

IT("C24 CC-7 takes secrets out before the cut, also one that reaches over it") {
    peri_scrub *scrub;
    CHECK_OK(peri_scrub_new(&scrub));
    peri_cleaner c;
    peri_cleaner_init(&c, scrub, false);
    peri_text text = text_of("key: ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfake1234 and more");
    peri_clean got = peri_clean_body(&c, &text, 12);
    CHECK_STR(got.text, "key: [github");
    CHECK_EQ(c.counts.scrubbed, 1);
    CHECK_EQ(got.left_out, strlen("-token redacted] and more"));
    got = peri_clean_body(&c, &text, 500);
    CHECK_STR(got.text, "key: [github-token redacted] and more");
    peri_cleaner_deinit(&c);
    peri_scrub_free(scrub);
}

IT("C24 shows no start of a secret where the kept part of a text ends inside it") {
    peri_scrub *scrub;
    CHECK_OK(peri_scrub_new(&scrub));
    peri_cleaner c;
    peri_cleaner_init(&c, scrub, false);
    peri_str all = PERI_STR("push with ghp_FAKEfakeFAKEfakeFAKEfakeFAKEfake1234 now");
    peri_text text = peri_text_of(all, (peri_text_caps){25, 2});
    peri_clean got = peri_clean_body(&c, &text, 500);
    CHECK_STR(got.text, "push with ");
    CHECK_EQ(got.left_out, all.len - 10);
    peri_cleaner_deinit(&c);
    peri_scrub_free(scrub);
}

TEST_MAIN
