// The promises of number.h.
//
// The tests of LC_NUMERIC need a locale whose decimal point is a comma. Where the system has
// none, make one with
//     localedef -i de_DE -f UTF-8 DIR/de_DE.UTF-8
// and run with LOCPATH=DIR; without it they check what they can in the C locale and say so.
#include <locale.h>
#include <math.h>

#include "base/number.h"
#include "test.h"

static double read_number(const char *text) {
    double value = -1;
    CHECK_OK(peri_number_parse(peri_str_c(text), &value));
    return value;
}

static void check_written(double value, const char *want) {
    peri_buf out;
    peri_buf_init(&out, 64);
    peri_number_add(&out, value);
    CHECK_STR(peri_buf_str(&out), want);
    peri_buf_deinit(&out);
}

static const char *comma_locale(void) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
                                        "pt_BR.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (setlocale(LC_NUMERIC, names[i])) return names[i];
    }
    return NULL;
}

IT("reads the nearest double") {
    CHECK(read_number("0") == 0 && read_number("-0") == 0 && signbit(read_number("-0")));
    CHECK(read_number("0.1") == 0.1);
    CHECK(read_number("-12.5e-1") == -1.25);
    CHECK(read_number("1E+2") == 100);
    CHECK(read_number("9007199254740993") == 9007199254740992.0);
    CHECK(read_number("2.2250738585072011e-308") == 2.2250738585072011e-308);
    CHECK(read_number("8.41e21") == 8.41e21);
    CHECK(read_number("5e-324") == 5e-324 && read_number("2e-324") == 0);
    CHECK(read_number("0.000000000000000000000000000000000000001e39") == 1);
}

IT("settles a tie by a digit 2,000 places behind") {
    char text[2100];
    memset(text, '0', sizeof text);
    memcpy(text, "9007199254740993.", 17);
    CHECK(read_number("9007199254740993.0") == 9007199254740992.0);
    text[2050] = '1';
    text[2051] = '\0';
    CHECK(read_number(text) == 9007199254740994.0);
}

IT("is infinite past the range and zero below it, however long the exponent") {
    CHECK(isinf(read_number("1e309")) && read_number("-1e309") < 0);
    CHECK(isinf(read_number("1e99999999999999999999")));
    CHECK(read_number("1e-99999999999999999999") == 0);
    CHECK(read_number("0e99999999999999999999") == 0);
}

IT("refuses what JSON does not call a number and leaves the result alone") {
    static const char *const bad[] = {"",    "-",        "+1",   "01",  "1.", ".5",
                                      "1e",  "1e+",      "1,5",  "0x1", " 1", "1 ",
                                      "nan", "Infinity", "1e5x", "--1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double value = 7;
        CHECK_EQ(peri_number_parse(peri_str_c(bad[i]), &value), PERI_EPARSE);
        CHECK(value == 7);
    }
}

IT("measures the number at the start of a text") {
    CHECK_EQ(peri_number_span(PERI_STR("-1.5e+3,")), 7);
    CHECK_EQ(peri_number_span(PERI_STR("12]")), 2);
    CHECK_EQ(peri_number_span(PERI_STR("x")), 0);
    CHECK_EQ(peri_number_span(PERI_STR("00")), 0);
    CHECK_EQ(peri_number_span((peri_str){0}), 0);
}

IT("writes the shortest digits, laid out as JavaScript does") {
    check_written(0, "0");
    check_written(-0.0, "0");
    check_written(1, "1");
    check_written(-1234567, "-1234567");
    check_written(0.1, "0.1");
    check_written(0.1 + 0.2, "0.30000000000000004");
    check_written(1.0 / 3, "0.3333333333333333");
    check_written(123.456, "123.456");
    check_written(1e20, "100000000000000000000");
    check_written(1e21, "1e+21");
    check_written(1.5e300, "1.5e+300");
    check_written(1e-6, "0.000001");
    check_written(-1.25e-7, "-1.25e-7");
    check_written(5e-324, "5e-324");
    check_written(1.7976931348623157e308, "1.7976931348623157e+308");
    check_written(9007199254740991.0, "9007199254740991");
    check_written(9007199254740992.0, "9007199254740992");
    check_written(-9007199254740994.0, "-9007199254740994");
    check_written(NAN, "null");
    check_written(-INFINITY, "null");
}

IT("reads back every double it writes") {
    uint64_t bits = UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < 20000; i++) {
        bits = bits * UINT64_C(6364136223846793005) + 1442695040888963407u;
        double value, again = 0;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        peri_buf out;
        peri_buf_init(&out, 64);
        peri_number_add(&out, value);
        CHECK_OK(peri_number_parse(peri_buf_str(&out), &again));
        CHECK(value == again);
        peri_buf_deinit(&out);
    }
}

IT("reads and writes \".\" whatever LC_NUMERIC says") {
    const char *locale = comma_locale();
    if (!locale) printf("  no comma locale here (see the top of this file): C locale only\n");
    if (locale) CHECK_STR(peri_str_c(localeconv()->decimal_point), ",");
    check_written(1.5, "1.5");
    check_written(-1.25e-7, "-1.25e-7");
    CHECK(read_number("1.5") == 1.5 && read_number("2.5e-1") == 0.25);
    double value;
    CHECK_EQ(peri_number_parse(PERI_STR("1,5"), &value), PERI_EPARSE);
    setlocale(LC_NUMERIC, "C");
}

TEST_MAIN
