// Numbers of number.h. The C library does the hard part, correct rounding, but its radix
// character follows the locale. So it is only ever handed, and only ever asked for, digits and
// an exponent: "314e-2" reads alike everywhere.
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// 767 significant digits settle any double; behind them only "was anything there" counts.
enum { DIGITS_MAX = 780, EXPONENT_MAX = 100000 };

static size_t digits_at(peri_str text, size_t at) {
    size_t end = at;
    while (end < text.len && text.ptr[end] >= '0' && text.ptr[end] <= '9') end++;
    return end - at;
}

size_t peri_number_span(peri_str text) {
    size_t at = text.len && text.ptr[0] == '-';
    size_t count = digits_at(text, at);
    if (count == 0 || (count > 1 && text.ptr[at] == '0')) return 0;
    at += count;
    if (at < text.len && text.ptr[at] == '.') {
        count = digits_at(text, at + 1);
        if (count == 0) return 0;
        at += 1 + count;
    }
    if (at < text.len && (text.ptr[at] | 0x20) == 'e') {
        at++;
        if (at < text.len && (text.ptr[at] == '+' || text.ptr[at] == '-')) at++;
        count = digits_at(text, at);
        if (count == 0) return 0;
        at += count;
    }
    return at;
}

static int64_t clamp(int64_t value, int64_t limit) {
    return value > limit ? limit : value < -limit ? -limit : value;
}

// The exponent written behind "e", which may be more than any integer holds.
static int64_t written_exponent(peri_str text) {
    bool negative = text.len && text.ptr[0] == '-';
    if (text.len && text.ptr[0] == '+') text = peri_str_sub(text, 1, text.len);
    int64_t value = 0;
    if (peri_str_int(text, &value) == PERI_ELIMIT) value = negative ? INT64_MIN : INT64_MAX;
    return clamp(value, INT64_C(1) << 40); // more than a text's digits could outweigh
}

int peri_number_parse(peri_str text, double *out) {
    if (text.len == 0 || peri_number_span(text) != text.len) return PERI_EPARSE;
    char digits[DIGITS_MAX + 32];
    size_t len = 0, at = text.ptr[0] == '-';
    int64_t exponent = 0;
    bool fraction = false, more = false;
    for (; at < text.len && (text.ptr[at] | 0x20) != 'e'; at++) {
        char c = text.ptr[at];
        if (c == '.') {
            fraction = true;
            continue;
        }
        exponent -= fraction;
        if (len == 0 && c == '0') continue;
        if (len < DIGITS_MAX) {
            digits[len++] = c;
        } else {
            exponent++;
            more |= c != '0';
        }
    }
    if (at < text.len) exponent += written_exponent(peri_str_sub(text, at + 1, text.len));
    if (len == 0) digits[len++] = '0';
    if (more) {
        digits[len++] = '1';
        exponent--;
    }
    snprintf(digits + len, sizeof digits - len, "e%d", (int)clamp(exponent, EXPONENT_MAX));
    double value = strtod(digits, NULL);
    *out = text.ptr[0] == '-' ? -value : value;
    return PERI_OK;
}

enum { SHORTEST_MAX = 17 };
static const double WHOLE_MAX = 9007199254740992; // whole numbers below it are exact

// The fewest digits that read back as the positive `value` = 0.DIGITS * 10^point; returns how
// many. `digits` has room for SHORTEST_MAX and a NUL.
static int shortest(double value, char *digits, int *point) {
    int count = 0;
    for (int want = 1; want <= SHORTEST_MAX; want++) {
        char text[64], again[64];
        snprintf(text, sizeof text, "%.*e", want - 1, value);
        const char *c = text;
        count = 0;
        for (; *c != 'e'; c++) { // whatever is no digit is the locale's radix character
            if (*c >= '0' && *c <= '9' && count < SHORTEST_MAX) digits[count++] = *c;
        }
        digits[count] = '\0';
        int exponent = (int)strtol(c + 1, NULL, 10);
        *point = exponent + 1;
        snprintf(again, sizeof again, "%se%d", digits, exponent - (count - 1));
        if (strtod(again, NULL) == value) break;
    }
    return count;
}

void peri_number_add(peri_buf *out, double value) {
    static const char zeros[] = "00000000000000000000000";
    if (!isfinite(value) || value == 0) {
        peri_buf_add_c(out, value == 0 ? "0" : "null");
        return;
    }
    if (fabs(value) < WHOLE_MAX && value == trunc(value)) {
        peri_buf_add_int(out, (int64_t)value);
        return;
    }
    char digits[SHORTEST_MAX + 1];
    int point, count = shortest(fabs(value), digits, &point);
    const char *sign = value < 0 ? "-" : "";
    if (point >= count && point <= 21) {
        peri_buf_addf(out, "%s%s%.*s", sign, digits, point - count, zeros);
    } else if (point > 0 && point <= 21) {
        peri_buf_addf(out, "%s%.*s.%s", sign, point, digits, digits + point);
    } else if (point > -6 && point <= 0) {
        peri_buf_addf(out, "%s0.%.*s%s", sign, -point, zeros, digits);
    } else {
        peri_buf_addf(out, "%s%.1s%s%se%+d", sign, digits, count > 1 ? "." : "", digits + 1,
                      point - 1);
    }
}
