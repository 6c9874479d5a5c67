// Ceilings over a session and a day: whole or not at all, and no way around them.
#include "policy/spend.h"

#include "test.h"

#define DAY_MS INT64_C(86400000)

static peri_ceilings none(void) {
    peri_ceilings ceilings;
    memset(&ceilings, 0xFF, sizeof ceilings);
    return ceilings;
}

IT("PE-3 spends up to the session's ceiling, then names it and spends nothing") {
    peri_ceilings ceilings = none();
    peri_spent session = {0}, day = {0};
    ceilings.session[PERI_SPEND_WAKES] = 2;
    CHECK(!peri_spend_try(&ceilings, &session, &day, 0, PERI_SPEND_WAKES, 1));
    CHECK(peri_spend_try(&ceilings, &session, &day, 0, PERI_SPEND_WAKES, 2));
    CHECK(!peri_spend_try(&ceilings, &session, &day, 0, PERI_SPEND_WAKES, 1));
    const char *why = peri_spend_try(&ceilings, &session, &day, 0, PERI_SPEND_WAKES, 1);
    CHECK_STR(peri_str_c(why), "the session's ceiling of wakes is reached");
    CHECK_EQ(session.of[PERI_SPEND_WAKES], 2);
    CHECK_EQ(day.of[PERI_SPEND_WAKES], 2);
}

IT("PE-3 adds sessions up to the day's ceiling and starts anew the next day") {
    peri_ceilings ceilings = none();
    peri_spent first = {0}, second = {0}, day = {0};
    ceilings.day[PERI_SPEND_MONEY] = 100;
    CHECK(!peri_spend_try(&ceilings, &first, &day, DAY_MS, PERI_SPEND_MONEY, 60));
    const char *why =
        peri_spend_try(&ceilings, &second, &day, DAY_MS + 1, PERI_SPEND_MONEY, 60);
    CHECK_STR(peri_str_c(why), "the day's ceiling of money is reached");
    CHECK(!peri_spend_try(&ceilings, &second, &day, 2 * DAY_MS, PERI_SPEND_MONEY, 60));
}

IT("refunds nothing to a clock that jumps back") {
    peri_ceilings ceilings = none();
    peri_spent session = {0}, day = {0};
    ceilings.day[PERI_SPEND_WAKES] = 1;
    CHECK(!peri_spend_try(&ceilings, &session, &day, 5 * DAY_MS, PERI_SPEND_WAKES, 1));
    CHECK(peri_spend_try(&ceilings, &session, &day, 4 * DAY_MS, PERI_SPEND_WAKES, 1));
    CHECK(peri_spend_try(&ceilings, &session, &day, -DAY_MS, PERI_SPEND_WAKES, 1));
}

IT("counts without a ceiling too, and never turns around") {
    peri_ceilings ceilings = none();
    peri_spent session = {0}, day = {0};
    CHECK(!peri_spend_try(&ceilings, &session, &day, 0, PERI_SPEND_TOKENS, UINT64_MAX - 1));
    CHECK(!peri_spend_try(&ceilings, &session, &day, 0, PERI_SPEND_TOKENS, UINT64_MAX - 1));
    CHECK(session.of[PERI_SPEND_TOKENS] == UINT64_MAX);
    ceilings.session[PERI_SPEND_TOKENS] = 10;
    CHECK(peri_spend_try(&ceilings, &session, &day, 0, PERI_SPEND_TOKENS, 1));
    CHECK(peri_spend_try(&ceilings, &session, &day, 0, PERI_SPEND_TOKENS, UINT64_MAX));
}

IT("has a word for all it counts, and defaults for what costs") {
    peri_ceilings ceilings = peri_ceilings_default();
    for (peri_spend what = 0; what < PERI_SPEND_COUNT; what++) CHECK(peri_spend_word(what).len);
    CHECK_EQ(ceilings.session[PERI_SPEND_MODEL_CALLS], 200);
    CHECK_EQ(ceilings.day[PERI_SPEND_MONEY], 5000000);
}

TEST_MAIN
