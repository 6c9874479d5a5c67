// The backtest: each replay leaves a list of proposals with the last word on each; a proposal
// is known again by its id, which is the same in every replay. Only what an agent would notice,
// or a reason a person would read, is a difference.
#include "backtest.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "json_line.h"
#include "plain.h"

typedef struct verdict {
    char *state, *lane, *reason, *policy; // owned; NULL: none
    bool shadow;                          // of an observer in shadow: what would have been
} verdict;

typedef struct proposal {
    char *id, *session, *agent, *observer, *text; // owned
    unsigned long long turn, step;
    verdict last;
} proposal;

/// One replay: its proposals as they came, and what it cost.
typedef struct side {
    proposal *all;
    size_t count, cap;
    const proposal **sorted; // by id, once it is over
    unsigned long long runs, delivered, vetoes, model_calls;
    bool out_of_memory;
} side;

typedef enum change { SAME, NEW, GONE, LANE, REASON, CHANGE_COUNT } change;
static const char *const change_words[] = {"same", "new", "gone", "lane", "reason"};

// ---- one replay

static char *copy_of(side *s, peri_str text) {
    if (!text.ptr) return NULL;
    char *copy = strndup(text.ptr, text.len);
    if (!copy) s->out_of_memory = true;
    return copy;
}

static void add_proposal(side *s, const peri_record *r) {
    if (s->count == s->cap) {
        size_t cap = s->cap ? s->cap * 2 : 64;
        proposal *grown = realloc(s->all, cap * sizeof *grown);
        if (!grown) {
            s->out_of_memory = true;
            return;
        }
        s->all = grown;
        s->cap = cap;
    }
    s->all[s->count++] = (proposal){.id = copy_of(s, r->id),
                                    .session = copy_of(s, r->session),
                                    .agent = copy_of(s, r->agent),
                                    .observer = copy_of(s, r->observer),
                                    .text = copy_of(s, r->text),
                                    .turn = r->turn,
                                    .step = r->step};
}

static bool is(const char *have, peri_str text) {
    return have && strlen(have) == text.len && memcmp(have, text.ptr, text.len) == 0;
}

static void free_verdict(verdict *v) {
    free(v->state);
    free(v->lane);
    free(v->reason);
    free(v->policy);
}

// The last word on a proposal, which is most often one of the latest.
static void decide(side *s, const peri_record *r) {
    for (size_t i = s->count; i-- > 0;) {
        proposal *p = &s->all[i];
        if (!is(p->id, r->id) || !is(p->session, r->session)) continue;
        free_verdict(&p->last);
        p->last = (verdict){copy_of(s, r->state), copy_of(s, r->lane), copy_of(s, r->reason),
                            copy_of(s, r->policy), is("shadow", r->name)};
        return;
    }
}

static void on_record(void *user, const peri_record *r) {
    side *s = user;
    if (r->kind == PERI_RECORD_RUN) s->runs++;
    if (r->kind == PERI_RECORD_PROPOSAL) add_proposal(s, r);
    if (r->kind == PERI_RECORD_DECISION) decide(s, r);
}

static bool delivers(const proposal *p) {
    return p && p->last.state && strcmp(p->last.state, "deliver") == 0;
}

static int by_id(const void *a, const void *b) {
    const proposal *x = *(const proposal *const *)a, *y = *(const proposal *const *)b;
    int order = strcmp(x->id, y->id);
    return order ? order : strcmp(x->session, y->session);
}

static int finish_side(side *s) {
    s->sorted = calloc(s->count + 1, sizeof *s->sorted);
    if (!s->sorted || s->out_of_memory) {
        fputs("perilune replay: out of memory\n", stderr);
        return PERI_EXIT_INTERNAL;
    }
    for (size_t i = 0; i < s->count; i++) {
        const proposal *p = s->sorted[i] = &s->all[i];
        bool told = delivers(p) && !p->last.shadow;
        s->delivered += told;
        s->vetoes += told && p->last.lane && strcmp(p->last.lane, "hold") == 0;
    }
    qsort(s->sorted, s->count, sizeof *s->sorted, by_id);
    return PERI_EXIT_OK;
}

static void free_side(side *s) {
    for (size_t i = 0; i < s->count; i++) {
        proposal *p = &s->all[i];
        free(p->id);
        free(p->session);
        free(p->agent);
        free(p->observer);
        free(p->text);
        free_verdict(&p->last);
    }
    free(s->all);
    free(s->sorted);
}

static unsigned long long model_calls_of(peri_host *host) {
    static const char key[] = "\"modelCalls\":";
    peri_str status;
    if (peri_host_status_json(host, &status) < 0) return 0;
    const char *at = memmem(status.ptr, status.len, key, sizeof key - 1);
    return at ? strtoull(at + sizeof key - 1, NULL, 10) : 0;
}

static int run_side(const peri_host_options *how, const char *dialect, const char *const *paths,
                    size_t count, side *s) {
    peri_host *host;
    int status = peri_host_new(how, &host);
    if (status < 0) return session_exit_code(status);
    timeline none;
    timeline_init(&none, stdout, false, true, false);
    none.emit = true; // says nothing
    status = peri_host_subscribe(host, on_record, s);
    if (status == PERI_OK) status = peri_host_subscribe(host, timeline_record, &none);
    for (size_t i = 0; i < count && status == PERI_OK; i++) {
        status = peri_host_open_path(host, paths[i], dialect);
    }
    int code = session_exit_code(status == PERI_EIO ? PERI_ENOENT : status);
    if (code == PERI_EXIT_OK) {
        (void)session_settle(host, &none);
        code = session_end(host, &none);
    }
    s->model_calls = model_calls_of(host);
    peri_host_free(host);
    timeline_deinit(&none);
    return code == PERI_EXIT_OK ? finish_side(s) : code;
}

// ---- the comparison

static const proposal *counterpart(const side *s, const proposal *p) {
    const proposal *const *found =
        s->count ? bsearch(&p, s->sorted, s->count, sizeof *s->sorted, by_id) : NULL;
    return found ? *found : NULL;
}

static bool same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static change compare(const proposal *before, const proposal *after) {
    if (delivers(after) != delivers(before)) return delivers(after) ? NEW : GONE;
    if (delivers(after) && (!same_text(before->last.lane, after->last.lane) ||
                            before->last.shadow != after->last.shadow)) {
        return LANE;
    }
    if (!before || !after) return REASON;
    return same_text(before->last.reason, after->last.reason) ? SAME : REASON;
}

static void print_text(const char *text) {
    if (text) plain_print(stdout, (peri_str){text, strlen(text)});
}

static void print_verdict(const char *label, const proposal *p) {
    printf("        %s  ", label);
    if (!p) {
        puts("not proposed");
        return;
    }
    const verdict *v = &p->last;
    printf("%s%s%s%s: ", v->shadow ? "in shadow, would " : "",
           v->state ? v->state : "undecided", v->lane ? ", " : "", v->lane ? v->lane : "");
    print_text(v->reason);
    fputs(" (", stdout);
    print_text(v->policy);
    puts(")");
}

static void print_heading(const proposal *p, const proposal *last) {
    bool same =
        last && strcmp(p->session, last->session) == 0 && same_text(p->agent, last->agent);
    if (same) return;
    fputs(last ? "\nsession " : "session ", stdout);
    print_text(p->session);
    if (p->agent && strcmp(p->agent, "main") != 0) {
        fputs(", agent ", stdout);
        print_text(p->agent);
    }
    putchar('\n');
}

static void print_change(change kind, const proposal *before, const proposal *after) {
    const proposal *p = after ? after : before;
    printf("%-6s  turn %llu, step %llu  ", change_words[kind], p->turn, p->step);
    print_text(p->observer);
    printf("   %s\n", p->id);
    if (p->text) plain_print_words(stdout, (peri_str){p->text, strlen(p->text)}, 8, INT_MAX);
    print_verdict("before", before);
    print_verdict("after ", after);
}

static void json_member(const char *key, const char *text) {
    if (!text) return;
    printf(",\"%s\":", key);
    json_line_string(stdout, (peri_str){text, strlen(text)});
}

static void json_verdict(const char *key, const proposal *p) {
    if (!p) return;
    printf(",\"%s\":{\"proposed\":true", key);
    json_member("state", p->last.state);
    json_member("lane", p->last.lane);
    json_member("reason", p->last.reason);
    json_member("policy", p->last.policy);
    if (p->last.shadow) fputs(",\"shadow\":true", stdout);
    fputs("}", stdout);
}

static void json_change(change kind, const proposal *before, const proposal *after) {
    const proposal *p = after ? after : before;
    printf("{\"record\":\"difference\",\"change\":\"%s\",\"turn\":%llu,\"step\":%llu",
           change_words[kind], p->turn, p->step);
    json_member("session", p->session);
    json_member("agent", p->agent);
    json_member("id", p->id);
    json_member("observer", p->observer);
    json_member("text", p->text);
    json_verdict("before", before);
    json_verdict("after", after);
    fputs("}\n", stdout);
}

static void json_cost(const char *key, const side *s) {
    printf(",\"%s\":{\"runs\":%llu,\"proposals\":%zu,\"delivered\":%llu,\"vetoes\":%llu,"
           "\"model_calls\":%llu}",
           key, s->runs, s->count, s->delivered, s->vetoes, s->model_calls);
}

static void print_sum(const size_t *counts, const side *before, const side *after,
                      const session_options *options) {
    if (options->json) {
        fputs("{\"record\":\"backtest\"", stdout);
        for (int kind = NEW; kind < CHANGE_COUNT; kind++) {
            printf(",\"%s\":%zu", change_words[kind], counts[kind]);
        }
        json_cost("before", before);
        json_cost("after", after);
        fputs("}\n", stdout);
        return;
    }
    size_t all = counts[NEW] + counts[GONE] + counts[LANE] + counts[REASON];
    printf("%s%zu new, %zu gone, %zu in another lane, %zu with another reason\n",
           all && !options->quiet ? "\n" : "", counts[NEW], counts[GONE], counts[LANE],
           counts[REASON]);
    printf("observer runs %llu -> %llu, proposals %zu -> %zu, deliveries %llu -> %llu,\n"
           "vetoes %llu -> %llu, model calls %llu -> %llu\n",
           before->runs, after->runs, before->count, after->count, before->delivered,
           after->delivered, before->vetoes, after->vetoes, before->model_calls,
           after->model_calls);
    if (all)
        puts("\nperilune explain ID tells the story of each; --against, that of `before`.");
}

static void print_sides(const session_options *options, const backtest_options *more) {
    const char *what = options->policy ? "--policy" : "--observers";
    printf("before  %s %s\nafter   %s %s\n\n", what, more->against, what,
           options->policy ? options->policy : options->observers);
}

// In the order of the candidate; what only the other one proposed comes last.
static size_t print_all(const side *before, const side *after, const session_options *options) {
    size_t counts[CHANGE_COUNT] = {0};
    const proposal *last = NULL;
    for (size_t i = 0; i < after->count + before->count; i++) {
        bool first = i < after->count;
        const proposal *now = first ? &after->all[i] : NULL;
        const proposal *then =
            first ? counterpart(before, now) : &before->all[i - after->count];
        if (!first && counterpart(after, then)) continue;
        change kind = compare(then, now);
        counts[kind]++;
        if (kind == SAME || options->quiet) continue;
        if (options->json) {
            json_change(kind, then, now);
            continue;
        }
        print_heading(first ? now : then, last);
        print_change(kind, then, now);
        last = first ? now : then;
    }
    print_sum(counts, before, after, options);
    return counts[NEW] + counts[GONE] + counts[LANE] + counts[REASON];
}

int backtest(const session_options *options, const peri_host_options *how,
             const backtest_options *more, const char *other_ledger, const char *const *paths,
             size_t count) {
    if (!options->policy && !options->observers) {
        fputs("perilune replay: --against goes with --policy or --observers\n", stderr);
        return PERI_EXIT_USAGE;
    }
    peri_host_options mine = *how, other = *how;
    mine.quiet_observations = other.quiet_observations = true;
    other.ledger_path = other_ledger;
    if (options->policy) {
        other.policies = more->against;
    } else {
        other.observer_dir = more->against;
    }
    side before = {0}, after = {0};
    int code = run_side(&other, options->dialect, paths, count, &before);
    if (code == PERI_EXIT_OK) code = run_side(&mine, options->dialect, paths, count, &after);
    if (code == PERI_EXIT_OK) {
        if (!options->json) print_sides(options, more);
        size_t changes = print_all(&before, &after, options);
        if (changes && more->fail_on_change) code = PERI_EXIT_NEGATIVE;
    }
    free_side(&before);
    free_side(&after);
    return code;
}
