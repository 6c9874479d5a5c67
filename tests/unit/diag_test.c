// The promises of diag.h.
#include "base/diag.h"
#include "base/utf8.h"
#include "test.h"

static void check_format(peri_diag diag, const char *want) {
    peri_buf out;
    peri_buf_init(&out, 4096);
    peri_diag_format(&out, &diag);
    CHECK_STR(peri_buf_str(&out), want);
    peri_buf_deinit(&out);
}

IT("formats what is known and leaves out the rest") {
    peri_diag diag = {PERI_ERROR, PERI_STR("unknown-key"), PERI_STR("a.md"),           3,
                      7,          PERI_STR("m"),           PERI_STR("did you mean n?")};
    check_format(diag, "a.md:3:7: error: m [unknown-key]\n    hint: did you mean n?\n");
    diag.column = 0;
    diag.severity = PERI_WARNING;
    diag.hint = (peri_str){0};
    check_format(diag, "a.md:3: warning: m [unknown-key]\n");
    diag.line = 0;
    diag.severity = PERI_NOTE;
    check_format(diag, "a.md: note: m [unknown-key]\n");
    diag.file = (peri_str){0};
    diag.line = 4;
    check_format(diag, "note: m [unknown-key]\n");
}

IT("lets no control character of a hostile file reach the terminal") {
    peri_diag_list list;
    peri_diag_list_init(&list);
    peri_diag_addf(&list, PERI_ERROR, "x", PERI_STR("a\x1b]0;.md"), 0, 0, "h\ri", "%s",
                   "k\x1b[2J\x07\n\xC2\x9b \xE0\x1b[2J é");
    check_format(list.items[0], "a?]0;.md: error: k?[2J??? \uFFFD?[2J é [x]\n    hint: h?i\n");
    peri_diag_list_deinit(&list);
}

IT("owns its texts") {
    peri_diag_list list;
    peri_diag_list_init(&list);
    char text[] = "message";
    peri_diag_add(&list, (peri_diag){.severity = PERI_WARNING,
                                     .id = PERI_STR("i"),
                                     .message = peri_str_c(text)});
    text[0] = 'X';
    CHECK_STR(list.items[0].message, "message");
    CHECK(!list.items[0].hint.ptr && !list.items[0].file.ptr);
    CHECK_EQ(list.warning_count, 1);
    CHECK_EQ(list.error_count, 0);
    peri_diag_list_deinit(&list);
    CHECK_EQ(list.count, 0);
    peri_diag_list_deinit(NULL);
}

IT("keeps 256 and counts the rest") {
    peri_diag_list list;
    peri_diag_list_init(&list);
    for (int i = 0; i < PERI_DIAG_MAX + 5; i++) {
        peri_diag_addf(&list, PERI_ERROR, "id", PERI_STR("f"), 1, 1, NULL, "number %d", i);
    }
    CHECK_EQ(list.count, PERI_DIAG_MAX);
    CHECK_EQ(list.dropped_count, 5);
    CHECK_EQ(list.error_count, PERI_DIAG_MAX + 5);
    CHECK_STR(list.items[PERI_DIAG_MAX - 1].message, "number 255");
    peri_diag_list_deinit(&list);
    peri_diag_add(NULL, (peri_diag){0});
}

IT("cuts a long text at 1 KiB, between two code points") {
    peri_diag_list list;
    peri_diag_list_init(&list);
    peri_buf text;
    peri_buf_init(&text, 4096);
    peri_buf_add_byte(&text, 'x');
    for (int i = 0; i < 1000; i++) peri_buf_add_c(&text, "é");
    peri_diag_addf(&list, PERI_NOTE, "id", peri_buf_str(&text), 0, 0, NULL, "%s",
                   peri_buf_c(&text));
    CHECK_EQ(list.items[0].message.len, PERI_DIAG_TEXT_MAX_BYTES - 1);
    CHECK_EQ(list.items[0].file.len, PERI_DIAG_TEXT_MAX_BYTES - 1);
    CHECK(peri_utf8_valid(list.items[0].message) && peri_utf8_valid(list.items[0].file));
    peri_buf_deinit(&text);
    peri_diag_list_deinit(&list);
}

static void check_place(const char *text, size_t at, uint32_t line, uint32_t column) {
    uint32_t got_line, got_column;
    peri_diag_place(peri_str_c(text), at, &got_line, &got_column);
    CHECK_EQ(got_line, line);
    CHECK_EQ(got_column, column);
}

IT("places a byte by line and code point") {
    check_place("", 0, 1, 1);
    check_place("ab\nc", 1, 1, 2);
    check_place("ab\nc", 2, 1, 3);
    check_place("ab\nc", 3, 2, 1);
    check_place("\n\néx", 4, 3, 2);
    check_place("ab", 99, 1, 3);
}

IT("C36 names the nearest known word: two edits, or one for short words") {
    static const peri_str words[] = {PERI_STR("turn_end"),
                                     PERI_STR("on"),
                                     PERI_STR("model"),
                                     PERI_STR("last_user_message"),
                                     {0}};
    CHECK_STR(peri_diag_nearest(PERI_STR("trun_end"), words), "turn_end");
    CHECK_STR(peri_diag_nearest(PERI_STR("modle"), words), "model");
    CHECK_STR(peri_diag_nearest(PERI_STR("last_user_mesage"), words), "last_user_message");
    CHECK_STR(peri_diag_nearest(PERI_STR("turned"), words), "turn_end");
    CHECK_STR(peri_diag_nearest(PERI_STR("om"), words), "on");
    CHECK(!peri_diag_nearest(PERI_STR("ab"), words).ptr);
    CHECK(!peri_diag_nearest(PERI_STR("priority"), words).ptr);
    CHECK(!peri_diag_nearest(PERI_STR("x"), words + 4).ptr);
}

TEST_MAIN
