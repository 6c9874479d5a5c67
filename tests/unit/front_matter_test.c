// The promises of peri_front_matter() (yaml.h).
#include "base/yaml.h"
#include "test.h"

typedef struct parts {
    int status;
    peri_str header, body;
    uint32_t line;
    size_t reported;
    peri_diag first; // its texts are gone
} parts;

static parts split(peri_str text) {
    parts p = {.header = PERI_STR("untouched"), .line = 77};
    peri_diag_list diags;
    peri_diag_list_init(&diags);
    p.status = peri_front_matter(text, PERI_STR("o.md"), &diags, &p.header, &p.line, &p.body);
    p.reported = diags.count;
    if (diags.count) p.first = diags.items[0];
    peri_diag_list_deinit(&diags);
    return p;
}

static void check_parts(const char *text, const char *header, const char *body) {
    parts p = split(peri_str_c(text));
    CHECK_OK(p.status);
    CHECK_STR(p.header, header);
    CHECK_STR(p.body, body);
    CHECK_EQ(p.line, 2);
    CHECK_EQ(p.reported, 0);
}

IT("splits at the second line of three dashes and keeps the body as it is") {
    check_parts("---\na: 1\n---\nbody\n---\nmore\n", "a: 1\n", "body\n---\nmore\n");
    check_parts("---\na: 1\n---", "a: 1\n", "");
    check_parts("---\n---\n", "", "");
    check_parts("---\n\n---\n\nbody", "\n", "\nbody");
}

IT("takes a BOM, CRLF and blanks behind the dashes") {
    check_parts("\xEF\xBB\xBF---\r\na: 1\r\n---\r\nbody\r\n", "a: 1\r\n", "body\r\n");
    check_parts("--- \t\na: 1\n---  \nbody", "a: 1\n", "body");
}

IT("takes only whole lines of three dashes for fences") {
    check_parts("---\na: --- x\n----\n ---\n--- y\n---\nb", "a: --- x\n----\n ---\n--- y\n",
                "b");
}

IT("C63 says that there is no header, and gives the whole text as body") {
    static const char *const texts[] = {"",
                                        "no front matter at all\n",
                                        "\n---\na: 1\n---\n",
                                        "----\na\n----\n",
                                        " ---\na\n---\n",
                                        "--\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        parts p = split(peri_str_c(texts[i]));
        CHECK_EQ(p.status, PERI_ENOENT);
        CHECK_STR(p.body, texts[i]);
        CHECK_STR(p.header, "untouched");
        CHECK_EQ(p.reported, 0);
    }
    CHECK_STR(split(PERI_STR("\xEF\xBB\xBFtext")).body, "text");
    CHECK_EQ(split((peri_str){0}).status, PERI_ENOENT);
}

IT("C63 refuses a header that is not closed, with its place") {
    static const char *const texts[] = {
        "---", "---\n", "---\nname: open\non: turn_end\nbody without end\n", "---\na\n--- b\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        parts p = split(peri_str_c(texts[i]));
        CHECK_EQ(p.status, PERI_EPARSE);
        CHECK_EQ(p.reported, 1);
        CHECK_EQ(p.first.line, 1);
        CHECK_EQ(p.first.column, 1);
        CHECK(p.first.hint.len > 0);
        CHECK_STR(p.header, "untouched");
        CHECK_EQ(p.line, 77);
    }
}

IT("C64 takes a header of 64 KiB and refuses a longer one") {
    for (size_t more = 0; more <= 1; more++) {
        peri_buf text;
        peri_buf_init(&text, 1 << 17);
        peri_buf_add_c(&text, "---\n");
        peri_buf_add_repeat(&text, 'x', PERI_YAML_MAX_BYTES - 1 + more);
        peri_buf_add_c(&text, "\n---\nbody");
        parts p = split(peri_buf_str(&text));
        CHECK_EQ(p.status, more ? PERI_ELIMIT : PERI_OK);
        CHECK_EQ(p.reported, more);
        if (!more) CHECK_EQ(p.header.len, PERI_YAML_MAX_BYTES);
        peri_buf_deinit(&text);
    }
}

TEST_MAIN
