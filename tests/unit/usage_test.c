// Tokens counted once: increments out of running totals, and nothing twice.
#include "ingest/usage.h"

#include "test.h"

static peri_meter meter;
static peri_obs obs;

static void take(peri_obs_kind kind, const char *message, int64_t input, int64_t output,
                 bool cumulative) {
    peri_obs_init(&obs, kind);
    peri_obs_add(&obs, PERI_OBS_F_TOKENS);
    obs.tokens = (peri_usage){.input = input, .output = output};
    if (message) {
        peri_obs_add(&obs, PERI_OBS_F_MESSAGE_ID)->text =
            peri_text_of(peri_str_c(message), (peri_text_caps){100, 0});
    }
    if (cumulative) peri_obs_add(&obs, PERI_OBS_F_CUMULATIVE)->flag = true;
    peri_meter_take(&meter, &obs);
}

static void is(int64_t input, int64_t output) {
    peri_usage total = peri_meter_total(&meter);
    CHECK_EQ(total.input, input);
    CHECK_EQ(total.output, output);
}

IT("OB-5 turns running totals into increments that consumers cannot tell from others") {
    meter = (peri_meter){0};
    take(PERI_OBS_USAGE, NULL, 100, 10, true);
    CHECK_EQ(obs.tokens.input, 100);
    take(PERI_OBS_USAGE, NULL, 150, 30, true);
    CHECK_EQ(obs.tokens.input, 50);
    CHECK_EQ(obs.tokens.output, 20);
    CHECK(peri_obs_get(&obs, PERI_OBS_F_CUMULATIVE) == NULL);
    CHECK(peri_obs_get(&obs, PERI_OBS_F_TOKENS) != NULL);
    take(PERI_OBS_USAGE, NULL, 150, 30, true); // told again
    CHECK_EQ(obs.tokens.input, 0);
    is(150, 30);
}

IT("OB-5 begins anew where a running total fell") {
    meter = (peri_meter){0};
    take(PERI_OBS_USAGE, NULL, 100, 10, true);
    take(PERI_OBS_USAGE, NULL, 40, 5, true);
    CHECK_EQ(obs.tokens.input, 40);
    is(140, 15);
}

IT("OB-5 leaves increments as they are") {
    meter = (peri_meter){0};
    take(PERI_OBS_USAGE, NULL, 7, 1, false);
    take(PERI_OBS_USAGE, NULL, 7, 1, false);
    CHECK_EQ(obs.tokens.input, 7);
    is(14, 2);
}

IT("OB-5 counts the usage of one message id once, the latest, also when others came between") {
    meter = (peri_meter){0};
    take(PERI_OBS_MESSAGE_USAGE, "m1", 100, 1, false);
    take(PERI_OBS_MESSAGE_USAGE, "m2", 200, 2, false);
    take(PERI_OBS_MESSAGE_USAGE, "m1", 100, 9, false);
    take(PERI_OBS_MESSAGE_USAGE, "m2", 200, 2, false);
    is(300, 11);
    CHECK_EQ(meter.last.input, 200);
}

IT("counts usages without a message id each") {
    meter = (peri_meter){0};
    take(PERI_OBS_MESSAGE_USAGE, NULL, 5, 1, false);
    take(PERI_OBS_MESSAGE_USAGE, NULL, 5, 1, false);
    is(10, 2);
}

IT("does not add what is told by message to what is told by increment") {
    meter = (peri_meter){0};
    take(PERI_OBS_MESSAGE_USAGE, "m1", 100, 10, false);
    take(PERI_OBS_MESSAGE_USAGE, "m2", 100, 10, false);
    take(PERI_OBS_USAGE, NULL, 200, 20, false);
    is(200, 20);
}

IT("saturates instead of overflowing") {
    meter = (peri_meter){0};
    for (int i = 0; i < 3; i++) take(PERI_OBS_USAGE, NULL, INT64_MAX, INT64_MAX - 1, false);
    is(INT64_MAX, INT64_MAX);
}

IT("leaves every other kind alone") {
    meter = (peri_meter){0};
    take(PERI_OBS_SUMMARY, NULL, 9, 9, true);
    CHECK(peri_obs_flag(&obs, PERI_OBS_F_CUMULATIVE));
    is(0, 0);
}

TEST_MAIN
