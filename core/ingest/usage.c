// The meter of usage.h. Counts are foreign numbers: sums saturate instead of overflowing.
#include "ingest/usage.h"

static int64_t plus(int64_t a, int64_t b) {
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

// `to` gains what `now` is above `before`.
static void add(peri_usage *to, const peri_usage *now, const peri_usage *before) {
    to->input = plus(to->input, now->input - before->input);
    to->cached = plus(to->cached, now->cached - before->cached);
    to->cache_created = plus(to->cache_created, now->cache_created - before->cache_created);
    to->output = plus(to->output, now->output - before->output);
}

static bool fell(const peri_usage *now, const peri_usage *before) {
    return now->input < before->input || now->cached < before->cached ||
           now->cache_created < before->cache_created || now->output < before->output;
}

// A later record of a message replaces an earlier one: answers grow while they stream.
static void take_message(peri_meter *meter, const peri_obs *obs) {
    static const peri_usage none;
    peri_str id = peri_obs_str(obs, PERI_OBS_F_MESSAGE_ID);
    meter->last = obs->tokens;
    if (!id.len) {
        add(&meter->by_message, &obs->tokens, &none);
        return;
    }
    uint64_t hash = peri_str_hash(id, PERI_HASH_SEED) | 1;
    size_t at = 0;
    while (at < PERI_METER_MESSAGES && meter->messages[at].id != hash) at++;
    if (at == PERI_METER_MESSAGES) {
        at = meter->next++ % PERI_METER_MESSAGES;
        meter->messages[at].counted = none;
    }
    add(&meter->by_message, &obs->tokens, &meter->messages[at].counted);
    meter->messages[at].id = hash;
    meter->messages[at].counted = obs->tokens;
}

static void take_usage(peri_meter *meter, peri_obs *obs) {
    static const peri_usage none;
    peri_usage now = obs->tokens, before = none;
    if (peri_obs_flag(obs, PERI_OBS_F_CUMULATIVE)) {
        if (!fell(&now, &meter->running)) before = meter->running;
        meter->running = now;
        obs->tokens = (peri_usage){.complete = now.complete};
        add(&obs->tokens, &now, &before);
    }
    peri_obs_del(obs, PERI_OBS_F_CUMULATIVE);
    add(&meter->by_increment, &now, &before);
    if (!meter->messages[0].id) meter->last = obs->tokens;
}

void peri_meter_take(peri_meter *meter, peri_obs *obs) {
    if (obs->kind == PERI_OBS_MESSAGE_USAGE) take_message(meter, obs);
    if (obs->kind == PERI_OBS_USAGE) take_usage(meter, obs);
}

peri_usage peri_meter_total(const peri_meter *meter) {
    const peri_usage *a = &meter->by_message, *b = &meter->by_increment;
    return (peri_usage){
        .input = larger(a->input, b->input),
        .cached = larger(a->cached, b->cached),
        .cache_created = larger(a->cache_created, b->cache_created),
        .output = larger(a->output, b->output),
    };
}
