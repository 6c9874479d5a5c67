// The promises of clock.h.
#include "base/clock.h"

#include "test.h"
#include <time.h>

static void check_time(const char *text, int64_t want) {
    int64_t at = 77;
    int status = peri_time_parse(peri_str_c(text), &at);
    if (status < 0 || at != want) TEST_FAIL("%s is %lld", text, (long long)at);
}

IT("reads ISO 8601 with blanks, fractions and zones") {
    check_time("1970-01-01T00:00:00Z", 0);
    check_time("2026-11-30T10:00:00.000Z", INT64_C(1796032800000));
    check_time("2026-11-30t10:00:00z", INT64_C(1796032800000));
    check_time("2026-11-30 10:00:00", INT64_C(1796032800000));
    check_time("2026-11-30T12:00:00+02:00", INT64_C(1796032800000));
    check_time("2026-11-30T06:30:00-0330", INT64_C(1796032800000));
    check_time("2026-11-30T12:00:00+02", INT64_C(1796032800000));
    check_time("1970-01-01T00:00:00.1Z", 100);
    check_time("1970-01-01T00:00:00,123456789Z", 123);
    check_time("1969-12-31T23:59:59.999Z", -1);
    check_time("2000-02-29T00:00:00Z", INT64_C(951782400000));
    check_time("2016-12-31T23:59:60Z", INT64_C(1483228800000));
}

IT("refuses what is no time and leaves the result alone") {
    static const char *const bad[] = {"",
                                      "2026-11-30",
                                      "2026-11-30T10:00",
                                      "2026-11-30T10:00:00.Z",
                                      "2026-11-30T10:00:00X",
                                      "2026-11-30T10:00:00Zx",
                                      "2026-11-30T10:00:00+",
                                      "2026-11-30T10:00:00+1",
                                      "2026-11-30T10:00:00+01:",
                                      "2026-11-30T10:00:00+24:00",
                                      "2026-11-30T10:00:00+01:60",
                                      "2026-13-01T00:00:00Z",
                                      "2026-00-01T00:00:00Z",
                                      "2026-02-30T00:00:00Z",
                                      "2026-02-29T00:00:00Z",
                                      "2100-02-29T00:00:00Z",
                                      "2026-04-31T00:00:00Z",
                                      "2026-11-30T24:00:00Z",
                                      "2026-11-30T10:60:00Z",
                                      "2026-11-30T10:00:61Z",
                                      "26-11-30T10:00:00Z",
                                      "2026-11-30T1:00:00Z",
                                      "2026/11/30T10:00:00Z",
                                      "+026-11-30T10:00:00Z"};
    int64_t at = 77;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (peri_time_parse(peri_str_c(bad[i]), &at) != PERI_EPARSE) TEST_FAIL("%s", bad[i]);
    }
    CHECK_EQ(at, 77);
}

IT("writes what it reads, before 1970 and across leap days") {
    for (int64_t at = -5000000000000; at < 8000000000000; at += 86399999 * 7) {
        peri_buf out;
        int64_t again = 0;
        peri_buf_init(&out, 64);
        peri_time_format(&out, at);
        CHECK_EQ(out.len, 24);
        CHECK_OK(peri_time_parse(peri_buf_str(&out), &again));
        CHECK_EQ(again, at);
        peri_buf_deinit(&out);
    }
}

IT("D10 a manual clock stands where it was told, both hands together") {
    peri_clock_manual manual = {.at_wall_ms = 5};
    peri_clock clock = peri_clock_of(&manual);
    CHECK_EQ(clock.now_ms(clock.user), 5);
    manual.at_wall_ms = 9;
    CHECK_EQ(clock.now_ms(clock.user), 9);
    CHECK_EQ(clock.wall_ms(clock.user), 9);
}

IT("the system's clocks run") {
    peri_clock clock = peri_clock_system();
    int64_t now = clock.now_ms(clock.user);
    CHECK(clock.now_ms(clock.user) >= now);
    CHECK(clock.wall_ms(clock.user) > INT64_C(1700000000000));
}

IT("D10 the seeded generator is xoshiro256** and repeats itself") {
    peri_random random;
    peri_random_seed(&random, 0);
    CHECK(random.s[0] == UINT64_C(0xe220a8397b1dcdaf)); // splitmix64 of 0
    CHECK(peri_random_next(&random) == UINT64_C(0x99ec5f36cb75f2b4));
    char a[33] = {0}, b[33] = {0};
    peri_random_token(&random, a, 32);
    CHECK_EQ(strlen(a), 32);
    CHECK_EQ(strspn(a, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"), 32);
    peri_random_seed(&random, 0);
    (void)peri_random_next(&random);
    peri_random_token(&random, b, 32);
    CHECK_STR(peri_str_c(a), b);
}

IT("seeds from the kernel differ") {
    peri_random a, b;
    CHECK_OK(peri_random_seed_system(&a));
    CHECK_OK(peri_random_seed_system(&b));
    CHECK(peri_random_next(&a) != peri_random_next(&b));
}

IT("tells the zone of a moment by its rules: daylight saving begins and ends") {
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    peri_clock clock = peri_clock_system();
    int64_t march, october;
    CHECK_OK(peri_time_parse(PERI_STR("2026-03-29T01:00:00Z"), &march));
    CHECK_OK(peri_time_parse(PERI_STR("2026-10-25T01:00:00Z"), &october));
    CHECK_EQ(clock.zone_min(march - 1000), 60);
    CHECK_EQ(clock.zone_min(march), 120);
    CHECK_EQ(clock.zone_min(october - 1000), 120);
    CHECK_EQ(clock.zone_min(october), 60);
    setenv("TZ", "UTC0", 1);
    tzset();
    CHECK_EQ(clock.zone_min(march), 0);
    peri_clock_manual manual = {march};
    CHECK(!peri_clock_of(&manual).zone_min);
}

TEST_MAIN
