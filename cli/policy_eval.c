// `policy eval`: a desk without an agent. Each line is one batch; it is checked like what an
// observer proposes, judged by the chain, and answered by one line. Proposals carry
// "LINE:INDEX" as their id, by which one that waited is known again when it is released.
#include "policy_eval.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_tree.h"
#include "cli.h"
#include "runtime/runtime.h"

enum { MAX_LINE_BYTES = 8 * 1024 * 1024, ARENA_BYTES = 64 * 1024 * 1024, ID_BYTES = 48 };

#define NOON_WALL_MS INT64_C(1767268800000) // 2026-01-01T12:00:00Z, where no line says "at"

typedef struct eval {
    const char *name;
    const peri_chain *chain;
    FILE *out;
    peri_desk desk;
    peri_veto_book book;
    peri_policy_health health;
    peri_desk_env env;
    peri_arena arena;
    peri_buf decisions, released, expired; // lists of the line at hand, without brackets
    peri_decision *ruled;                  // by index; reason absent: not ruled on yet
    size_t count;
    uint64_t line;
    bool started;
} eval;

// ---- what the desk says

static void add_text(peri_buf *out, const char *key, peri_str text) {
    peri_buf_addf(out, ",\"%s\":", key);
    peri_json_add_string(out, text);
}

static void add_entry(peri_buf *list, const char *id, const peri_decision *d) {
    char *colon;
    unsigned long long line = strtoull(id, &colon, 10);
    peri_buf_addf(list, "%s{\"line\":%llu,\"index\":%s", list->len ? "," : "", line, colon + 1);
    if (d->verdict == PERI_VERDICT_DELIVER) add_text(list, "lane", peri_lane_word(d->lane));
    add_text(list, "reason", d->reason);
    peri_buf_add_byte(list, '}');
}

static void on_ruling(void *user, const peri_proposal *p, const peri_decision *d,
                      bool released) {
    eval *e = user;
    char id[ID_BYTES] = {0};
    memcpy(id, p->id.ptr, p->id.len < sizeof id ? p->id.len : sizeof id - 1);
    if (released) {
        add_entry(d->verdict == PERI_VERDICT_DELIVER ? &e->released : &e->expired, id, d);
        return;
    }
    size_t index = strtoull(strchr(id, ':') + 1, NULL, 10);
    e->ruled[index] = *d;
    e->ruled[index].reason = peri_arena_copy(&e->arena, d->reason);
    e->ruled[index].policy = peri_arena_copy(&e->arena, d->policy);
}

static void on_policy_error(void *user, peri_str policy, peri_str error, bool disabled) {
    const eval *e = user;
    fprintf(stderr, "%s:%llu: policy %.*s %s: %.*s\n", e->name, (unsigned long long)e->line + 1,
            PERI_FMT(policy),
            disabled ? "is disabled after three failures in a row"
                     : "failed and was passed over",
            PERI_FMT(error));
}

// ---- reading a line

static int malformed(const eval *e, const char *what) {
    fprintf(stderr, "%s:%llu: %s\n", e->name, (unsigned long long)e->line + 1, what);
    return PERI_EXIT_USAGE;
}

static const peri_tree *member(const peri_tree *object, const char *key) {
    const peri_tree *found = peri_tree_get(object, peri_str_c(key));
    return peri_tree_type(found) == PERI_JSON_NULL ? NULL : found;
}

// A count, if it is there; false if it is there and none.
static bool read_count(const peri_tree *object, const char *key, uint64_t *out) {
    const peri_tree *found = member(object, key);
    int64_t value = 0;
    if (!found) return true;
    if (peri_tree_int(found, &value) < 0 || value < 0) return false;
    *out = (uint64_t)value;
    return true;
}

static uint32_t cap(uint64_t value) {
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static int read_limits(eval *e, const peri_tree *limits) {
    uint64_t advisories = e->chain->limits.advisories_per_turn;
    uint64_t vetoes = e->chain->limits.veto_budget;
    if (!read_count(limits, "advisories_per_turn", &advisories) ||
        !read_count(limits, "veto_budget", &vetoes))
        return malformed(e, "limits must be whole numbers from 0");
    peri_desk_limit(&e->desk, (peri_policy_limits){cap(advisories), cap(vetoes)});
    return PERI_EXIT_OK;
}

static int read_restore(eval *e, const peri_tree *restore) {
    const peri_tree *one = peri_tree_first(member(restore, "accepted"));
    for (; one; one = peri_tree_next(one)) {
        peri_str fingerprint = peri_tree_str(one);
        if (peri_tree_type(one) != PERI_JSON_STRING)
            return malformed(e, "restore.accepted must be a list of fingerprints");
        peri_desk_restore(&e->desk, fingerprint);
    }
    for (one = peri_tree_first(member(restore, "vetoes")); one; one = peri_tree_next(one)) {
        peri_str observer = peri_tree_str(member(one, "observer"));
        peri_str fingerprint = peri_tree_str(member(one, "fingerprint"));
        uint64_t count = 0;
        if (!observer.ptr || !fingerprint.ptr || !read_count(one, "count", &count))
            return malformed(e, "restore.vetoes wants observer, fingerprint and count");
        peri_veto_book_restore(&e->book, observer, fingerprint, count,
                               e->desk.limits.veto_budget);
    }
    return PERI_EXIT_OK;
}

// What holds for the whole input stands in its first object.
static int read_start(eval *e, const peri_tree *line) {
    const peri_tree *limits = member(line, "limits"), *restore = member(line, "restore");
    if (e->started && (limits || restore))
        return malformed(e, "limits and restore belong on the first line");
    e->started = true;
    int code = limits ? read_limits(e, limits) : PERI_EXIT_OK;
    if (code == PERI_EXIT_OK && restore) code = read_restore(e, restore);
    return code;
}

static peri_run_phase find_phase(peri_str word) {
    peri_run_phase phase = PERI_PHASE_IDLE;
    while (phase < PERI_PHASE_COUNT && !peri_str_eq(peri_run_phase_word(phase), word)) phase++;
    return phase;
}

// The moment of judging: `at`, `run_state` and `work` are ours, for trying a policy out.
static int read_moment(eval *e, const peri_tree *line) {
    const peri_tree *at = member(line, "at"), *state = member(line, "run_state");
    uint64_t work = 0;
    if (at && peri_time_parse(peri_tree_str(at), &e->env.wall_ms) < 0)
        return malformed(e, "`at` is no time such as 2026-01-31T22:00:00Z");
    e->env.phase = state ? find_phase(peri_tree_str(state)) : PERI_PHASE_RUNNING;
    if (e->env.phase == PERI_PHASE_COUNT)
        return malformed(e, "`run_state` is idle, running, settled, plan, stopped or ended");
    if (!read_count(line, "work", &work)) return malformed(e, "`work` is no count");
    e->env.work += work;
    e->env.step = cap(e->line);
    return PERI_EXIT_OK;
}

// ---- proposals

// The kind's text goes where an observer would have put it.
static bool set_text(peri_draft *draft, peri_str kind, peri_str text) {
    switch (peri_proposal_kind_find(kind)) {
    case PERI_PROPOSAL_ADVISORY:
        draft->advise = text;
        return true;
    case PERI_PROPOSAL_VETO:
        draft->veto = text;
        return true;
    case PERI_PROPOSAL_REPORT:
        draft->report = text;
        return true;
    default:
        return false;
    }
}

// Owned, or NULL with the reason why it is none.
static peri_proposal *make_proposal(const eval *e, const peri_tree *one, size_t index,
                                    const char **reason) {
    uint64_t priority = 50;
    peri_observer by = {
        .name = peri_tree_str(member(one, "observer")),
        .can = PERI_CAN_ADVISE | PERI_CAN_VETO | PERI_CAN_REPORT,
        .severity = PERI_WEIGHT_CONCERN,
        .max_advisory_cp = PERI_PROPOSAL_TEXT_MAX_CP,
    };
    peri_draft draft = {.fingerprint = peri_tree_str(member(one, "fingerprint")),
                        .severity = peri_tree_str(member(one, "severity"))};
    const peri_tree *lane = member(one, "deliver");
    by.lane = lane ? peri_lane_find(peri_tree_str(lane)) : PERI_LANE_STEER;
    *reason = NULL;
    if (!set_text(&draft, peri_tree_str(member(one, "kind")),
                  peri_tree_str(member(one, "text"))))
        *reason = "the kind is unknown: advisory, veto and report are known";
    if (peri_utf8_blank(by.name)) *reason = "the observer has no name";
    if (!read_count(one, "priority", &priority) || priority < 1 || priority > 100)
        *reason = "the priority is no number from 1 to 100";
    if (by.lane == PERI_LANE_COUNT) *reason = "the lane is unknown";
    if (!draft.fingerprint.ptr && !draft.report.ptr) *reason = "the fingerprint is missing";
    if (*reason) return NULL;
    by.priority = (uint32_t)priority;
    char id[ID_BYTES];
    snprintf(id, sizeof id, "%llu:%zu", (unsigned long long)e->line, index);
    peri_proposal *proposal = NULL;
    *reason = "out of memory";
    (void)!peri_draft_check(&by, &draft, peri_str_c(id), &proposal, reason);
    if (!proposal) return NULL;
    proposal->step = e->env.step;
    proposal->turn = e->env.turn;
    proposal->at_wall_ms = e->env.wall_ms;
    return proposal;
}

static void judge(eval *e, const peri_tree *list) {
    peri_proposal **made = calloc(e->count + 1, sizeof *made);
    size_t count = 0, index = 0;
    for (const peri_tree *one = peri_tree_first(list); made && one; one = peri_tree_next(one)) {
        const char *reason;
        peri_proposal *proposal = make_proposal(e, one, index, &reason);
        if (proposal) {
            made[count++] = proposal;
        } else {
            e->ruled[index] = (peri_decision){.verdict = PERI_VERDICT_DROP,
                                              .reason = peri_str_c(reason),
                                              .policy = PERI_STR("core")};
        }
        index++;
    }
    peri_desk_decide(&e->desk, &e->chain->engine, &e->health, &e->env,
                     (const peri_proposal *const *)made, count, &e->arena);
    for (size_t i = 0; i < count; i++) free(made[i]);
    free(made);
}

static void add_decision(eval *e, size_t index) {
    peri_buf *out = &e->decisions;
    const peri_decision *d = &e->ruled[index];
    peri_buf_addf(out, "%s{\"index\":%zu", index ? "," : "", index);
    add_text(out, "verdict", peri_verdict_word(d->verdict));
    if (d->verdict != PERI_VERDICT_DROP) add_text(out, "lane", peri_lane_word(d->lane));
    add_text(out, "reason", d->reason);
    add_text(out, "policy", d->policy);
    peri_buf_add_byte(out, '}');
}

static int print_line(eval *e) {
    for (size_t i = 0; i < e->count; i++) {
        if (!e->ruled[i].reason.len) return PERI_EXIT_INTERNAL; // memory ran out
        add_decision(e, i);
    }
    if (e->decisions.status < 0 || e->released.status < 0 || e->expired.status < 0)
        return PERI_EXIT_INTERNAL;
    fprintf(e->out, "{\"decisions\":[%s],\"released\":[%s]", peri_buf_c(&e->decisions),
            peri_buf_c(&e->released));
    if (e->expired.len) fprintf(e->out, ",\"expired\":[%s]", peri_buf_c(&e->expired));
    fputs("}\n", e->out);
    return PERI_EXIT_OK;
}

// `{}` is a step without proposals; an object of other things
// alone was meant to be something else.
static bool is_batch(const peri_tree *line) {
    static const char *const known[] = {"proposals", "window",    "limits", "restore",
                                        "at",        "run_state", "work"};
    bool found = !peri_tree_first(line);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        found |= peri_tree_get(line, peri_str_c(known[i])) != NULL;
    return found;
}

static int run_line(eval *e, const peri_tree *line) {
    const peri_tree *list = member(line, "proposals"), *window = member(line, "window");
    if (peri_tree_type(line) != PERI_JSON_OBJECT) return malformed(e, "not an object");
    if (!is_batch(line)) return malformed(e, "`proposals` is missing");
    if (list && peri_tree_type(list) != PERI_JSON_ARRAY)
        return malformed(e, "`proposals` is no list");
    if (window && !peri_str_eq(peri_tree_str(window), PERI_STR("new")))
        return malformed(e, "`window` can only be \"new\"");
    int code = read_start(e, line);
    if (code == PERI_EXIT_OK) code = read_moment(e, line);
    if (code != PERI_EXIT_OK) return code;
    e->count = peri_tree_count(list);
    e->ruled = calloc(e->count + 1, sizeof *e->ruled);
    if (!e->ruled) return PERI_EXIT_INTERNAL;
    if (window) {
        e->env.turn++;
        peri_desk_open_window(&e->desk, &e->chain->engine, &e->health, &e->env, &e->arena);
    }
    judge(e, list);
    code = print_line(e);
    free(e->ruled);
    return code;
}

static int eval_text(eval *e, peri_str text) {
    peri_diag_list diags;
    peri_diag_list_init(&diags);
    peri_tree *line = NULL;
    int status = peri_tree_parse(text, (peri_tree_limits){.max_bytes = MAX_LINE_BYTES},
                                 (peri_str){0}, &diags, NULL, &line);
    int code = PERI_EXIT_OK;
    if (status == PERI_ENOMEM) {
        code = PERI_EXIT_INTERNAL;
    } else if (status < 0) {
        code = malformed(e, diags.count ? diags.items[0].message.ptr : "not JSON");
    } else {
        code = run_line(e, line);
    }
    peri_tree_free(line);
    peri_diag_list_deinit(&diags);
    peri_arena_reset(&e->arena);
    peri_buf_clear(&e->decisions);
    peri_buf_clear(&e->released);
    peri_buf_clear(&e->expired);
    return code;
}

int policy_eval(FILE *in, const char *name, const peri_chain *chain, FILE *out) {
    eval e = {.name = name, .chain = chain, .out = out};
    e.env = (peri_desk_env){.session = PERI_STR("eval"),
                            .wall_ms = NOON_WALL_MS,
                            .turn = 1,
                            .on_ruling = on_ruling,
                            .on_policy_error = on_policy_error,
                            .user = &e};
    peri_veto_book_init(&e.book, PERI_HASH_SEED);
    peri_desk_init(&e.desk, chain->limits, &e.book, PERI_HASH_SEED);
    peri_arena_init(&e.arena, ARENA_BYTES);
    peri_buf_init(&e.decisions, ARENA_BYTES);
    peri_buf_init(&e.released, ARENA_BYTES);
    peri_buf_init(&e.expired, ARENA_BYTES);
    int code = PERI_EXIT_OK;
    char *text = NULL;
    size_t room = 0;
    for (ssize_t len; code == PERI_EXIT_OK && (len = getline(&text, &room, in)) >= 0;
         e.line++) {
        peri_str trimmed = peri_str_trim(peri_str_of(text, (size_t)len));
        if (trimmed.len) code = eval_text(&e, trimmed);
    }
    if (code == PERI_EXIT_OK && ferror(in)) code = malformed(&e, strerror(errno));
    free(text);
    peri_buf_deinit(&e.decisions);
    peri_buf_deinit(&e.released);
    peri_buf_deinit(&e.expired);
    peri_arena_deinit(&e.arena);
    peri_desk_deinit(&e.desk);
    peri_veto_book_deinit(&e.book);
    return code;
}
