// Clocks, the seeded generator, and ISO 8601 without the C library's locale or time zone.
#include "base/clock.h"

#include <sys/random.h>
#include <time.h>

static int64_t system_ms(clockid_t id) {
    struct timespec now;
    if (clock_gettime(id, &now) != 0) return 0;
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t system_now(void *user) {
    (void)user;
    return system_ms(CLOCK_MONOTONIC);
}

static int64_t system_wall(void *user) {
    (void)user;
    return system_ms(CLOCK_REALTIME);
}

// By the zone's rules at that moment: they change with daylight saving.
static int32_t system_zone(int64_t wall_ms) {
    time_t at = (time_t)(wall_ms / 1000);
    struct tm local;
    return localtime_r(&at, &local) ? (int32_t)(local.tm_gmtoff / 60) : 0;
}

peri_clock peri_clock_system(void) {
    return (peri_clock){system_now, system_wall, NULL, system_zone};
}

static int64_t manual_ms(void *user) {
    return ((peri_clock_manual *)user)->at_wall_ms;
}

peri_clock peri_clock_of(peri_clock_manual *manual) {
    return (peri_clock){manual_ms, manual_ms, manual, NULL};
}

// splitmix64, the seeding recommended for xoshiro.
static uint64_t mix(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void peri_random_seed(peri_random *random, uint64_t seed) {
    for (size_t i = 0; i < 4; i++) random->s[i] = mix(&seed);
}

int peri_random_seed_system(peri_random *random) {
    uint64_t seed;
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed) return PERI_EIO;
    peri_random_seed(random, seed);
    return PERI_OK;
}

static uint64_t rotate(uint64_t x, int by) {
    return x << by | x >> (64 - by);
}

uint64_t peri_random_next(peri_random *random) {
    uint64_t *s = random->s;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

void peri_random_token(peri_random *random, char *out, size_t len) {
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (size_t i = 0; i < len; i++) out[i] = alphabet[peri_random_next(random) >> 58];
}

// Days from 1970-01-01 to a civil date (Howard Hinnant's algorithm).
static int64_t days_from_civil(int64_t year, int64_t month, int64_t day) {
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

static void civil_from_days(int64_t days, int64_t *year, int64_t *month, int64_t *day) {
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t doe = days - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153;
    *day = doy - (153 * mp + 2) / 5 + 1;
    *month = mp < 10 ? mp + 3 : mp - 9;
    *year = yoe + era * 400 + (*month <= 2);
}

// Reads `digits` digits and the expected byte behind them (0: none); false if they are not
// there.
static bool take(peri_str *s, int digits, char behind, int64_t *out) {
    *out = 0;
    if (s->len < (size_t)digits + (behind != 0)) return false;
    for (int i = 0; i < digits; i++) {
        unsigned digit = (unsigned)(unsigned char)s->ptr[i] - '0';
        if (digit > 9) return false;
        *out = *out * 10 + digit;
    }
    if (behind && s->ptr[digits] != behind) return false;
    size_t used = (size_t)digits + (behind != 0);
    *s = (peri_str){s->ptr + used, s->len - used};
    return true;
}

static bool take_fraction(peri_str *s, int64_t *ms) {
    if (!s->len || (s->ptr[0] != '.' && s->ptr[0] != ',')) return true;
    int64_t unit = 100;
    size_t at = 1;
    for (; at < s->len && s->ptr[at] >= '0' && s->ptr[at] <= '9'; at++, unit /= 10) {
        *ms += (s->ptr[at] - '0') * unit;
    }
    *s = peri_str_sub(*s, at, s->len);
    return at > 1;
}

static bool take_zone(peri_str s, int64_t *offset_min) {
    *offset_min = 0;
    if (s.len == 0 || (s.len == 1 && (s.ptr[0] == 'Z' || s.ptr[0] == 'z'))) return true;
    if (s.ptr[0] != '+' && s.ptr[0] != '-') return false;
    bool west = s.ptr[0] == '-';
    int64_t hours, minutes = 0;
    s = peri_str_sub(s, 1, s.len);
    if (!take(&s, 2, 0, &hours)) return false;
    bool colon = s.len && s.ptr[0] == ':';
    if (colon) s = peri_str_sub(s, 1, s.len);
    if ((colon || s.len) && !take(&s, 2, 0, &minutes)) return false;
    *offset_min = (hours * 60 + minutes) * (west ? -1 : 1);
    return s.len == 0 && hours < 24 && minutes < 60;
}

static int64_t days_in_month(int64_t year, int64_t month) {
    static const int64_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

int peri_time_parse(peri_str text, int64_t *out_wall_ms) {
    int64_t year, month, day, hour, minute, second, ms = 0, offset;
    if (!take(&text, 4, '-', &year) || !take(&text, 2, '-', &month) ||
        !take(&text, 2, 0, &day)) {
        return PERI_EPARSE;
    }
    if (!text.len || (text.ptr[0] != 'T' && text.ptr[0] != 't' && text.ptr[0] != ' ')) {
        return PERI_EPARSE;
    }
    text = peri_str_sub(text, 1, text.len);
    if (!take(&text, 2, ':', &hour) || !take(&text, 2, ':', &minute) ||
        !take(&text, 2, 0, &second)) {
        return PERI_EPARSE;
    }
    if (!take_fraction(&text, &ms) || !take_zone(text, &offset)) return PERI_EPARSE;
    if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) {
        return PERI_EPARSE;
    }
    if (hour > 23 || minute > 59 || second > 60) return PERI_EPARSE; // 60: a leap second
    int64_t days = days_from_civil(year, month, day);
    *out_wall_ms = ((days * 24 + hour) * 60 + minute - offset) * 60000 + second * 1000 + ms;
    return PERI_OK;
}

// `value` in `count` digits from `to` on.
static void put_digits(char *to, int count, int64_t value) {
    for (int i = count; i-- > 0; value /= 10) to[i] = (char)('0' + value % 10);
}

void peri_time_format(peri_buf *out, int64_t wall_ms) {
    int64_t days = wall_ms / 86400000 - (wall_ms % 86400000 < 0);
    int64_t rest = wall_ms - days * 86400000;
    int64_t year, month, day;
    civil_from_days(days, &year, &month, &day);
    if (year < 0 || year > 9999) { // more or less than four digits
        peri_buf_addf(out, "%04lld", (long long)year);
    } else {
        char digits[4];
        put_digits(digits, 4, year);
        peri_buf_add(out, peri_str_of(digits, sizeof digits));
    }
    char text[] = "-00-00T00:00:00.000Z";
    put_digits(text + 1, 2, month);
    put_digits(text + 4, 2, day);
    put_digits(text + 7, 2, rest / 3600000);
    put_digits(text + 10, 2, rest / 60000 % 60);
    put_digits(text + 13, 2, rest / 1000 % 60);
    put_digits(text + 16, 3, rest % 1000);
    peri_buf_add_c(out, text);
}
