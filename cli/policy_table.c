// `policy table`: asks the chain itself instead of reading a table, so that it prints what is
// true of the policies at hand. Each cell has a desk and a session of its own: none knows of
// another.
#include "policy_table.h"

#include "base/json.h"

#define NOON_WALL_MS INT64_C(1767268800000) // 2026-01-01T12:00:00Z: no quiet hour

typedef struct cell {
    peri_weight severity;
    peri_run_phase phase;
    peri_lane lane;
    peri_verdict verdict; // the answer
    peri_lane to;
    char reason[160];
} cell;

static void on_ruling(void *user, const peri_proposal *p, const peri_decision *d,
                      bool released) {
    cell *c = user;
    (void)p;
    (void)released;
    c->verdict = d->verdict;
    c->to = d->lane;
    snprintf(c->reason, sizeof c->reason, "%.*s", PERI_FMT(d->reason));
}

static void on_policy_error(void *user, peri_str policy, peri_str error, bool disabled) {
    (void)user;
    (void)disabled;
    fprintf(stderr, "policy %.*s failed: %.*s\n", PERI_FMT(policy), PERI_FMT(error));
}

static void ask(const peri_chain *chain, cell *c, peri_arena *arena) {
    char session[32];
    snprintf(session, sizeof session, "%d %d %d", (int)c->severity, (int)c->phase,
             (int)c->lane);
    peri_proposal proposal = {
        .id = PERI_STR("cell"),
        .observer = PERI_STR("observer"),
        .kind = c->lane == PERI_LANE_HOLD ? PERI_PROPOSAL_VETO : PERI_PROPOSAL_ADVISORY,
        .severity = c->severity,
        .lane = c->lane,
        .priority = 50,
        .text = PERI_STR("The lock is not released on the error path."),
        .fingerprint = PERI_STR("cell"),
        .turn = 1,
    };
    peri_desk_env env = {.session = peri_str_c(session),
                         .phase = c->phase,
                         .wall_ms = NOON_WALL_MS,
                         .turn = 1,
                         .on_ruling = on_ruling,
                         .on_policy_error = on_policy_error,
                         .user = c};
    const peri_proposal *batch = &proposal;
    peri_policy_health health = {0};
    peri_veto_book book;
    peri_desk desk;
    peri_veto_book_init(&book, PERI_HASH_SEED);
    peri_desk_init(&desk, chain->limits, &book, PERI_HASH_SEED);
    peri_desk_decide(&desk, &chain->engine, &health, &env, &batch, 1, arena);
    peri_desk_deinit(&desk);
    peri_veto_book_deinit(&book);
    peri_arena_reset(arena);
}

static peri_str answer(const cell *c) {
    return c->verdict == PERI_VERDICT_DELIVER ? peri_lane_word(c->to)
                                              : peri_verdict_word(c->verdict);
}

static void print_json(FILE *out, const cell *c) {
    peri_buf line;
    peri_buf_init(&line, 4096);
    peri_buf_addf(&line, "{\"severity\":\"%.*s\",\"state\":\"%.*s\",\"lane\":\"%.*s\",",
                  PERI_FMT(peri_weight_word(c->severity)),
                  PERI_FMT(peri_run_phase_word(c->phase)), PERI_FMT(peri_lane_word(c->lane)));
    peri_buf_addf(&line, "\"action\":\"%.*s\",\"reason\":", PERI_FMT(answer(c)));
    peri_json_add_string(&line, peri_str_c(c->reason));
    fprintf(out, "%s}\n", peri_buf_c(&line));
    peri_buf_deinit(&line);
}

static void print_row(const peri_chain *chain, cell *c, peri_arena *arena, bool json,
                      FILE *out) {
    if (!json) {
        fprintf(out, "%-9.*s %-9.*s", PERI_FMT(peri_weight_word(c->severity)),
                PERI_FMT(peri_run_phase_word(c->phase)));
    }
    for (c->lane = 0; c->lane < PERI_LANE_COUNT; c->lane++) {
        ask(chain, c, arena);
        if (json) {
            print_json(out, c);
        } else {
            fprintf(out, c->lane + 1 < PERI_LANE_COUNT ? " %-10.*s" : " %.*s\n",
                    PERI_FMT(answer(c)));
        }
    }
}

void policy_table(const peri_chain *chain, bool json, FILE *out) {
    static const peri_run_phase phases[] = {PERI_PHASE_RUNNING, PERI_PHASE_SETTLED,
                                            PERI_PHASE_IDLE,    PERI_PHASE_PLAN,
                                            PERI_PHASE_STOPPED, PERI_PHASE_ENDED};
    peri_arena arena;
    peri_arena_init(&arena, 1024 * 1024);
    if (!json) {
        fprintf(out, "severity  agent     asks for\n%19s", "");
        for (peri_lane lane = 0; lane < PERI_LANE_COUNT; lane++) {
            fprintf(out, lane + 1 < PERI_LANE_COUNT ? " %-10.*s" : " %.*s\n",
                    PERI_FMT(peri_lane_word(lane)));
        }
    }
    for (peri_weight severity = 0; severity < PERI_WEIGHT_COUNT; severity++) {
        for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) {
            cell c = {.severity = severity, .phase = phases[i]};
            print_row(chain, &c, &arena, json, out);
        }
    }
    peri_arena_deinit(&arena);
}
