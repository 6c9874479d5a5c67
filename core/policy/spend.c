// Counting against ceilings: saturating, so that no number a
// model reports can turn a count around.
#include "policy/spend.h"

enum { DAY_MS = 24 * 60 * 60 * 1000 };

peri_str peri_spend_word(peri_spend what) {
    static const peri_str words[] = {
#define SPEND_WORD(name, word) {word, sizeof(word) - 1},
        PERI_SPEND_LIST(SPEND_WORD)
#undef SPEND_WORD
    };
    return words[what];
}

peri_ceilings peri_ceilings_default(void) {
    return (peri_ceilings){
        .session = {[PERI_SPEND_PROPOSALS] = 5000,
                    [PERI_SPEND_VETOES] = PERI_SPEND_NO_CEILING, // veto_budget bounds them
                    [PERI_SPEND_WAKES] = 100000,
                    [PERI_SPEND_MODEL_CALLS] = 200,
                    [PERI_SPEND_TOKENS] = 2000000,
                    [PERI_SPEND_MONEY] = 2000000},
        .day = {[PERI_SPEND_PROPOSALS] = PERI_SPEND_NO_CEILING,
                [PERI_SPEND_VETOES] = PERI_SPEND_NO_CEILING,
                [PERI_SPEND_WAKES] = PERI_SPEND_NO_CEILING,
                [PERI_SPEND_MODEL_CALLS] = PERI_SPEND_NO_CEILING,
                [PERI_SPEND_TOKENS] = PERI_SPEND_NO_CEILING,
                [PERI_SPEND_MONEY] = 5000000},
    };
}

int64_t peri_spend_day(int64_t wall_ms) {
    return wall_ms / DAY_MS - (wall_ms % DAY_MS < 0);
}

static void turn_day(peri_spent *day, int64_t wall_ms) {
    int64_t now = peri_spend_day(wall_ms);
    if (now > day->day)
        *day = (peri_spent){.day = now}; // a clock that jumps back refunds nothing
}

static bool fits(uint64_t spent, uint64_t amount, uint64_t ceiling) {
    return ceiling == PERI_SPEND_NO_CEILING || (spent <= ceiling && amount <= ceiling - spent);
}

static void add(uint64_t *spent, uint64_t amount) {
    *spent = amount > UINT64_MAX - *spent ? UINT64_MAX : *spent + amount;
}

const char *peri_spend_try(const peri_ceilings *ceilings, peri_spent *session, peri_spent *day,
                           int64_t wall_ms, peri_spend what, uint64_t amount) {
    static const char *const reached[][2] = {
#define REACHED(name, word)                                                                    \
    {"the session's ceiling of " word " is reached",                                           \
     "the day's ceiling of " word " is reached"},
        PERI_SPEND_LIST(REACHED)
#undef REACHED
    };
    turn_day(day, wall_ms);
    if (!fits(session->of[what], amount, ceilings->session[what])) return reached[what][0];
    if (!fits(day->of[what], amount, ceilings->day[what])) return reached[what][1];
    add(&session->of[what], amount);
    add(&day->of[what], amount);
    return NULL;
}
