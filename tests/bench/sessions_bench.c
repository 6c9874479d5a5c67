// Many sessions in one host, five Lua observers each: what they cost in memory, whether all of
// them end whole, and what a step costs at 10, 1,000 and 10,000 of them. Floors: 200 MiB;
// nothing lost; twice the cost of ten.
#include <sys/resource.h>

#include "bench.h"
#include "crowd.h"

enum {
    SESSIONS = 10000,
    STEPS = 20000, // that are measured, spread over the sessions
    FLOOR_MIB = 200,
    FLOOR_TIMES = 2,
    SIZES = 3,
};

static void turn_each(crowd *c, size_t sessions) {
    for (size_t i = 0; i < sessions; i++) crowd_turn(c, i);
}

// What a step costs for each of its pairings once all sessions are there.
static double step_us(crowd *c, size_t sessions) {
    size_t rounds = STEPS / CROWD_STEPS / sessions;
    turn_each(c, sessions);
    double start = bench_cpu_ns();
    for (size_t i = 0; i < rounds; i++) turn_each(c, sessions);
    double us = (bench_cpu_ns() - start) / 1e3;
    return us / (double)(rounds * sessions * CROWD_STEPS * CROWD_OBSERVERS);
}

static double peak_mib(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss / 1024 : 0;
}

static bool ends_whole(crowd *c, size_t sessions) {
    const size_t pairings = sessions * CROWD_OBSERVERS;
    crowd_finish(c);
    long long lost = crowd_count(c, "lost");
    printf(
        "at the end: %zu of %zu pairings heard of it, %zu retired; %zu failed runs, %zu gaps "
        "in the records, %lld lost\n",
        c->last_runs, pairings, c->retired, c->failed, c->gaps, lost);
    return c->last_runs == pairings && c->retired == pairings && !c->failed && !c->gaps &&
           !lost;
}

int main(void) {
    static const size_t sizes[SIZES] = {10, 1000, SESSIONS};
    double us[SIZES], mib = 0;
    bool whole = true;
    for (size_t i = 0; i < SIZES; i++) { // the largest last: memory has a peak only once
        crowd c;
        crowd_open(&c);
        us[i] = step_us(&c, sizes[i]);
        mib = peak_mib();
        if (sizes[i] == SESSIONS) whole = ends_whole(&c, SESSIONS);
        crowd_close(&c);
    }
    printf("%d sessions of %d observers: %.0f MiB resident at most, %.0f with their end (floor "
           "%d)\n",
           SESSIONS, CROWD_OBSERVERS, mib, peak_mib(), FLOOR_MIB);
    printf("a step, for each pairing, at 10, 1,000, 10,000 sessions: %.1f us, x%.2f, x%.2f "
           "(floor %d)\n",
           us[0], us[1] / us[0], us[2] / us[0], FLOOR_TIMES);
    bool flat = us[1] <= FLOOR_TIMES * us[0] && us[2] <= FLOOR_TIMES * us[0];
    return whole && flat && peak_mib() < FLOOR_MIB ? EXIT_SUCCESS : EXIT_FAILURE;
}
