// What the gate costs: a judgement over 10, 100 and 1,000 rules, beside one strcmp() of each
// rule's text with a copy of it; 10,000 armed pairings in memory.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "gate/gate.h"
#include "pairing/registry.h"
#include "tap/tap.h"

enum { ROUNDS = 2000, RULE_BYTES = 64, MAX_SCANS = 100, MAX_MIB = 96 };

static int write_rule(char *text, size_t number) {
    return snprintf(text, RULE_BYTES, "Agent(type-%zu)", number);
}

static double judge_us(size_t rules) {
    peri_permissions permissions;
    peri_permissions_init(&permissions);
    for (size_t i = 0; i < rules; i++) {
        char text[RULE_BYTES];
        int len = write_rule(text, i);
        peri_str rule = peri_str_of(text, (size_t)len);
        if (peri_permissions_add_rules(&permissions, PERI_SETTINGS_USER, PERI_RULE_DENY,
                                       PERI_STR("bench"), &rule, 1, NULL) < 0) {
            return -1;
        }
    }
    const peri_gate_question question = {.request = {PERI_STR("main"), PERI_STR("reviewer"),
                                                     PERI_STR("Observe main"),
                                                     PERI_STR("prompt")}};
    peri_gate_trace trace;
    double start = bench_now_ns();
    for (int i = 0; i < ROUNDS; i++) peri_gate_judge(&permissions, &question, &trace);
    double us = (bench_now_ns() - start) / 1e3 / ROUNDS;
    peri_permissions_deinit(&permissions);
    return us;
}

static double scan_us(size_t rules) {
    char(*texts)[RULE_BYTES] = calloc(2 * rules, RULE_BYTES);
    if (!texts) return -1;
    for (size_t i = 0; i < 2 * rules; i++) write_rule(texts[i], i % rules);
    int (*volatile compare)(const char *, const char *) = strcmp; // not to be left out
    int differ = 0;
    double start = bench_now_ns();
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < rules; i++) differ |= compare(texts[i], texts[rules + i]);
    }
    double us = (bench_now_ns() - start) / 1e3 / ROUNDS;
    free(texts);
    return differ ? -1 : us;
}

static long resident_kib(void) {
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
    if (file) fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

// Each of its own agent, with a tap of 4 KiB.
static long pairings_kib(size_t count) {
    static const peri_observer observer = {.name = {"reviewer", 8}, .enabled = true};
    static char text[3900];
    memset(text, 'x', sizeof text);
    peri_registry registry;
    peri_registry_init(&registry, 1, NULL, NULL);
    peri_tap *taps = calloc(count, sizeof *taps);
    long before = resident_kib();
    for (size_t i = 0; taps && i < count; i++) {
        char id[32];
        int len = snprintf(id, sizeof id, "session-%zu", i);
        peri_agent *agent;
        bool made;
        if (peri_registry_agent(&registry, peri_str_of(id, (size_t)len), PERI_STR("main"),
                                &agent, &made) < 0 ||
            peri_registry_pair(&registry, agent, &observer, NULL, NULL) < 0) {
            break;
        }
        peri_tap_init(&taps[i]);
        peri_item item = {.kind = PERI_ITEM_ASSISTANT_TEXT,
                          .text = {.head = peri_str_of(text, sizeof text)}};
        peri_item *copy = peri_item_copy(&item);
        if (!copy || peri_tap_push_take(&taps[i], copy) < 0) break;
    }
    long used = resident_kib() - before;
    for (size_t i = 0; taps && i < count; i++) peri_tap_deinit(&taps[i]);
    free(taps);
    peri_registry_deinit(&registry);
    return used;
}

int main(void) {
    double ten = judge_us(10), hundred = judge_us(100), thousand = judge_us(1000);
    printf("gate: a judgement over 10, 100, 1,000 rules: %.2f, %.2f, %.2f us (x%.1f, x%.1f)\n",
           ten, hundred, thousand, hundred / ten, thousand / hundred);
    double scans = hundred / scan_us(100), mib = (double)pairings_kib(10000) / 1024;
    printf("gate: 100 rules cost %.1f scans of their text (at most %d)\n", scans, MAX_SCANS);
    printf("gate: 10,000 armed pairings with 4 KiB of tap each: %.1f MiB (floor %d, goal 64)\n",
           mib, MAX_MIB);
    return scans > 0 && scans <= MAX_SCANS && mib <= MAX_MIB ? EXIT_SUCCESS : EXIT_FAILURE;
}
