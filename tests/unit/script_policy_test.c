// Policies: what a fold is given, what it may answer, and that a fold that fails changes
// nothing.
#include "script_scene.h"

#define API "-- perilune-api: 1\n"

enum { MAX_BATCH = 8 };

typedef struct table {
    scene *s;
    peri_policy_engine engine;
    peri_policy_facts facts;
    peri_proposal proposals[MAX_BATCH];
    const peri_proposal *all[MAX_BATCH];
    peri_policy_batch batch;
    uint32_t order[MAX_BATCH];
    peri_str drop_reason[MAX_BATCH];
    peri_decision decision;
    peri_str error;
} table;

static uint32_t age(void *user, const peri_proposal *p) {
    return p->step + 1;
}

static double similar(void *user, const peri_proposal *p) {
    return p->priority / 100.0;
}

static bool new_input(void *user, const peri_proposal *p) {
    return p->kind == PERI_PROPOSAL_VETO;
}

static bool overtaken(void *user, const peri_proposal *p) {
    return p->turn == 0;
}

static bool taken(void *user, peri_str fingerprint) {
    return peri_str_eq(fingerprint, PERI_STR("f1"));
}

static peri_veto_counts vetoes(void *user, peri_str observer, peri_str fingerprint) {
    return (peri_veto_counts){(uint32_t)observer.len, (uint32_t)fingerprint.len, 9};
}

static void table_add(table *t, const char *id, peri_proposal_kind kind, uint32_t priority) {
    size_t at = t->batch.count;
    t->proposals[at] = (peri_proposal){.id = peri_str_c(id),
                                       .observer = PERI_STR("guard"),
                                       .kind = kind,
                                       .severity = PERI_WEIGHT_CONCERN,
                                       .lane = PERI_LANE_STEER,
                                       .priority = priority,
                                       .text = PERI_STR("mind the gap"),
                                       .fingerprint = PERI_STR("f1"),
                                       .data = PERI_STR("{\"n\":[1,2]}"),
                                       .evidence = {4, 7},
                                       .evidence_count = 2,
                                       .step = 3,
                                       .turn = 2};
    t->all[at] = &t->proposals[at];
    t->order[at] = (uint32_t)at;
    t->batch.count = t->batch.kept = at + 1;
}

static table *table_new(void) {
    table *t = calloc(1, sizeof *t);
    if (!t) TEST_FAIL("out of memory");
    t->s = scene_new();
    t->engine = peri_script_policies(t->s->script);
    // 2026-03-01 22:30 UTC, read one hour further east.
    t->facts = (peri_policy_facts){.left = {2, 1},
                                   .limits = {2, 3},
                                   .phase = PERI_PHASE_RUNNING,
                                   .wall_ms = INT64_C(1772404200000),
                                   .zone_min = 60,
                                   .age = age,
                                   .similar = similar,
                                   .new_input = new_input,
                                   .overtaken = overtaken,
                                   .taken = taken,
                                   .vetoes = vetoes};
    t->batch =
        (peri_policy_batch){.all = t->all, .order = t->order, .drop_reason = t->drop_reason};
    t->decision = (peri_decision){PERI_VERDICT_DELIVER, PERI_LANE_STEER,
                                  PERI_STR("within budget"), PERI_STR("core"), 0};
    table_add(t, "p0", PERI_PROPOSAL_ADVISORY, 10);
    table_add(t, "p1", PERI_PROPOSAL_VETO, 90);
    table_add(t, "p2", PERI_PROPOSAL_ADVISORY, 50);
    return t;
}

static void table_free(table *t) {
    scene_free(t->s);
    free(t);
}

static int load_as(table *t, const char *name, const char *text) {
    return peri_script_add_policy(t->s->script, peri_str_c(name), PERI_STR("q.lua"),
                                  peri_str_c(text), &t->s->diags);
}

// Loads a policy that holds one fold.
static void load(table *t, const char *fold) {
    char text[4096];
    snprintf(text, sizeof text, API "return { name = 'q', %s }", fold);
    if (load_as(t, "q", text) < 0) TEST_FAIL("%.*s", PERI_FMT(t->s->diags.items[0].message));
}

static int reconcile(table *t) {
    return t->engine.reconcile(t->engine.user, 0, PERI_STR("s1"), &t->facts, &t->batch,
                               &t->s->arena, &t->error);
}

static int budget(table *t, peri_budget *left) {
    return t->engine.budget(t->engine.user, 0, PERI_STR("s1"), &t->facts, left, &t->s->arena,
                            &t->error);
}

static int deliver_in(table *t, const char *session) {
    return t->engine.deliver(t->engine.user, 0, peri_str_c(session), &t->facts,
                             &t->proposals[0], &t->decision, &t->s->arena, &t->error);
}

static int deliver(table *t) {
    return deliver_in(t, "s1");
}

// The value of a Lua expression over `p` and `ctx`, as the reason of a verdict.
static void shows(const char *expression, const char *value) {
    table *t = table_new();
    char fold[2048];
    snprintf(fold, sizeof fold,
             "deliver = function(v, p, ctx) v.reason = tostring(%s) return v end", expression);
    load(t, fold);
    int status = deliver(t);
    peri_str got = status < 0 ? t->error : t->decision.reason;
    if (peri_str_find(got, peri_str_c(value)) == PERI_NPOS) {
        TEST_FAIL("%s is \"%.*s\", not \"%s\"", expression, PERI_FMT(got), value);
    }
    table_free(t);
}

// A fold that must fail with `message` and change nothing.
static void fails(const char *fold, const char *message) {
    table *t = table_new();
    load(t, fold);
    peri_budget left = {2, 1};
    int status = strncmp(fold, "recon", 5) == 0    ? reconcile(t)
                 : strncmp(fold, "budget", 6) == 0 ? budget(t, &left)
                                                   : deliver(t);
    if (status >= 0) TEST_FAIL("%s gives %d", fold, status);
    CHECK_HAS(t->error, message);
    CHECK_EQ(left.advisories, 2);
    CHECK_EQ(left.vetoes, 1);
    CHECK_EQ(t->batch.kept, 3);
    CHECK_EQ(t->order[2], 2);
    CHECK(!t->drop_reason[0].ptr && !t->drop_reason[1].ptr);
    CHECK_EQ(t->decision.verdict, PERI_VERDICT_DELIVER);
    CHECK_STR(t->decision.reason, "within budget");
    table_free(t);
}

IT("PE-2 names its policies in the order of loading") {
    table *t = table_new();
    CHECK_EQ(t->engine.count(t->engine.user), 0);
    CHECK_OK(load_as(t, "b", API "return { name = 'b', budget = function(b) return b end }"));
    CHECK_OK(load_as(t, "a", API "return { name = 'a', budget = function(b) return b end }"));
    CHECK_EQ(t->engine.count(t->engine.user), 2);
    CHECK_STR(t->engine.name(t->engine.user, 0), "b");
    CHECK_STR(t->engine.name(t->engine.user, 1), "a");
    CHECK(!t->engine.name(t->engine.user, 2).ptr);
    table_free(t);
}

IT("answers 0 for a fold the policy does not have") {
    table *t = table_new();
    load(t, "budget = function(b) return b end");
    CHECK_EQ(reconcile(t), 0);
    CHECK_EQ(deliver(t), 0);
    peri_budget left = {2, 1};
    CHECK_EQ(budget(t, &left), 1);
    table_free(t);
}

IT("refuses a policy file that is not well-formed, and says why") {
    static const struct {
        const char *text, *id;
    } cases[] = {
        {API "return 7", "no-definition"},
        {API "return { name = 'q', delivr = function() end }", "unknown-key"},
        {API "return { name = 'q', deliver = true }", "bad-value"},
        {API "return { name = 7, deliver = print }", "bad-value"},
        {API "return {", "syntax"},
        {API "error('no')", "load-error"},
        {"-- perilune-api: 9\nreturn { name = 'q' }", "unknown-api"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        table *t = table_new();
        CHECK_EQ(load_as(t, "q", cases[i].text), PERI_EINVAL);
        CHECK_STR(t->s->diags.items[0].id, cases[i].id);
        CHECK_EQ(t->engine.count(t->engine.user), 0);
        table_free(t);
    }
}

IT("refuses the same policy twice, and warns of one that does nothing") {
    table *t = table_new();
    CHECK_OK(load_as(t, "q", API "return { name = 'q' }"));
    CHECK_STR(t->s->diags.items[0].id, "empty-policy");
    CHECK_EQ(load_as(t, "q", API "return { name = 'q' }"), PERI_EINVAL);
    CHECK_STR(t->s->diags.items[1].id, "duplicate-name");
    table_free(t);
}

IT("shows a proposal with all its fields") {
    shows("p.id .. p.observer .. p.kind", "p0guardadvisory");
    shows("p.text .. p.fingerprint .. p.severity .. p.priority", "mind the gapf1concern10");
    shows("p.deliver .. p.step .. p.turn", "steer32");
    shows("#p.evidence .. p.evidence[2] .. p.data.n[2]", "272");
}

IT("shows the facts of ctx") {
    shows("ctx.left.advisories .. ctx.left.vetoes", "21");
    shows("ctx.limits.advisories_per_turn .. ctx.limits.veto_budget", "23");
    shows("ctx.run_state", "running");
    shows("ctx.age(p) .. ' ' .. ctx.similar(p)", "4 0.1");
    shows("tostring(ctx.new_input(p)) .. tostring(ctx.overtaken(p))", "falsefalse");
    shows("tostring(ctx.taken('f1')) .. tostring(ctx.taken('f2'))", "truefalse");
    shows("(function() local v = ctx.vetoes('guard', 'abc') return v.key .. v.observer .. "
          "v.session end)()",
          "539");
}

IT("shows local time in the recorded zone") {
    shows(
        "(function() local t = ctx.local_time return t.year .. '-' .. t.month .. '-' .. t.day "
        ".. ' ' .. t.hour .. ':' .. t.min .. ' ' .. t.wday end)()",
        "2026-3-1 23:30 1");
}

IT("knows the dates around leap days and before 1970") {
    static const struct {
        int64_t wall_ms;
        const char *date;
    } cases[] = {
        {INT64_C(951782400000), "2000-2-29 3"},  {INT64_C(951868800000), "2000-3-1 4"},
        {INT64_C(4107542400000), "2100-3-1 2"},  {INT64_C(0), "1970-1-1 5"},
        {INT64_C(-1), "1969-12-31 4"},           {INT64_C(1735603200000), "2024-12-31 3"},
        {INT64_C(-2203891200000), "1900-3-1 5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        table *t = table_new();
        load(t,
             "deliver = function(v, p, ctx) local d = ctx.local_time v.reason = d.year .. '-' "
             ".. d.month .. '-' .. d.day .. ' ' .. d.wday return v end");
        t->facts.zone_min = 0;
        t->facts.wall_ms = cases[i].wall_ms;
        CHECK_EQ(deliver(t), 1);
        CHECK_STR(t->decision.reason, cases[i].date);
        table_free(t);
    }
}

IT("refuses wrong questions to ctx, naming what is right") {
    shows("ctx.runstate", "ctx has no field \"runstate\", did you mean \"run_state\"?");
    shows("ctx.age({})", "age wants a proposal of this batch, not a table");
    shows("ctx.age()", "age wants a proposal of this batch, not a no value");
    shows("ctx.taken(p)", "taken wants text as argument 1, not a table");
    shows("ctx.vetoes('guard')", "vetoes wants text as argument 2");
    shows("(function() ctx.left = { advisories = 99 } end)()", "read-only: ctx");
    shows("(function() ctx.left.advisories = 99 return ctx.left.advisories end)()", "99");
}

IT("keeps, reorders and drops by the identity of the tables") {
    table *t = table_new();
    load(t, "reconcile = function(batch, ctx) return { batch[3], batch[1] }, "
            "{ { proposal = batch[2], reason = 'one is enough' } } end");
    CHECK_EQ(reconcile(t), 1);
    CHECK_EQ(t->batch.kept, 2);
    CHECK_EQ(t->order[0], 2);
    CHECK_EQ(t->order[1], 0);
    CHECK_STR(t->drop_reason[1], "one is enough");
    CHECK(!t->drop_reason[0].ptr && !t->drop_reason[2].ptr);
    table_free(t);
}

IT("passes over copies, inventions and repetitions of a proposal") {
    table *t = table_new();
    load(t, "reconcile = function(batch)\n"
            "local copy = {} for k, v in pairs(batch[2]) do copy[k] = v end\n"
            "return { batch[1], batch[1], copy, { id = 'p2' }, 7, 'x', batch[1] }, { copy, 5, "
            "{ proposal = copy, reason = 'no' }, { proposal = 'p2', reason = 'no' } } end");
    CHECK_EQ(reconcile(t), 1);
    CHECK_EQ(t->batch.kept, 1);
    CHECK_EQ(t->order[0], 0);
    for (size_t i = 0; i < 3; i++) CHECK(!t->drop_reason[i].ptr);
    table_free(t);
}

IT("leaves a dropped proposal without a reason to the core") {
    table *t = table_new();
    load(t, "reconcile = function(b) return {}, { { proposal = b[1] }, { proposal = b[2], "
            "reason = ' \\n' }, { proposal = b[3], reason = 7 } } end");
    CHECK_EQ(reconcile(t), 1);
    CHECK_EQ(t->batch.kept, 0);
    for (size_t i = 0; i < 3; i++) CHECK(!t->drop_reason[i].ptr);
    table_free(t);
}

IT("drops what a policy both keeps and drops") {
    table *t = table_new();
    load(t, "reconcile = function(b) return b, { { proposal = b[2], reason = 'no' } } end");
    CHECK_EQ(reconcile(t), 1);
    CHECK_EQ(t->batch.kept, 2);
    CHECK_STR(t->drop_reason[1], "no");
    table_free(t);
}

IT("shows only what the policy before has kept, in its order") {
    table *t = table_new();
    load(t, "reconcile = function(b) return { b[2], b[1] } end");
    t->order[0] = 2;
    t->order[1] = 0;
    t->batch.kept = 2;
    t->drop_reason[1] = PERI_STR("before");
    CHECK_EQ(reconcile(t), 1);
    CHECK_EQ(t->batch.kept, 2);
    CHECK_EQ(t->order[0], 0);
    CHECK_EQ(t->order[1], 2);
    CHECK_STR(t->drop_reason[1], "before");
    table_free(t);
}

IT("is not misled by what a policy writes into a proposal") {
    table *t = table_new();
    load(t, "reconcile = function(b) b[1].id, b[2].id = b[2].id, b[1].id return { b[1] } end");
    CHECK_EQ(reconcile(t), 1);
    CHECK_EQ(t->order[0], 0);
    table_free(t);
}

IT("cuts a long reason and mends one that is no UTF-8") {
    table *t = table_new();
    load(t,
         "reconcile = function(b) return {}, { { proposal = b[1], reason = ('é'):rep(1e5) }, "
         "{ proposal = b[2], reason = 'a\\255' } } end");
    CHECK_EQ(reconcile(t), 1);
    CHECK_EQ(t->drop_reason[0].len, 512);
    CHECK(peri_utf8_valid(t->drop_reason[0]));
    CHECK_STR(t->drop_reason[1], "a\xEF\xBF\xBD");
    table_free(t);
}

IT("takes a whole budget") {
    table *t = table_new();
    load(t,
         "budget = function(b, ctx) return { advisories = b.advisories + 5, vetoes = 0 } end");
    peri_budget left = {2, 1};
    CHECK_EQ(budget(t, &left), 1);
    CHECK_EQ(left.advisories, 7);
    CHECK_EQ(left.vetoes, 0);
    table_free(t);
}

IT("takes a verdict with lane, reason and time to live") {
    table *t = table_new();
    load(t, "deliver = function(v, p, ctx) return { verdict = 'defer', lane = 'prompt', "
            "reason = 'later: ' .. v.reason, ttl_turns = 2 } end");
    CHECK_EQ(deliver(t), 1);
    CHECK_EQ(t->decision.verdict, PERI_VERDICT_DEFER);
    CHECK_EQ(t->decision.lane, PERI_LANE_PROMPT);
    CHECK_STR(t->decision.reason, "later: within budget");
    CHECK_EQ(t->decision.ttl_turns, 2);
    CHECK_STR(t->decision.policy, "core"); // whose word it was is the core's to say
    table_free(t);
}

IT("keeps the lane of a verdict that names none") {
    table *t = table_new();
    load(t, "deliver = function(v) return { verdict = 'defer', reason = 'quiet hours' } end");
    CHECK_EQ(deliver(t), 1);
    CHECK_EQ(t->decision.lane, PERI_LANE_STEER);
    CHECK_EQ(t->decision.verdict, PERI_VERDICT_DEFER);
    table_free(t);
}

IT("C51 fails a fold that answers with anything but what was agreed, and changes nothing") {
    fails("reconcile = function() end", "reconcile returned a nil, not the list it keeps");
    fails("reconcile = function(b) return 'all' end", "reconcile returned a string");
    fails("reconcile = function(b) return b, 'none' end", "not the list it drops");
    fails("reconcile = function(b) error('lost') end", "lost");
    fails("budget = function(b) end", "budget returned a nil, not a table");
    fails("budget = function(b) return { advisories = 1 } end", "budget returned no vetoes");
    fails("budget = function(b) return { advisories = '1', vetoes = 1 } end",
          "advisories is a string, not a whole number");
    fails("budget = function(b) return { advisories = 0/0, vetoes = 1 } end",
          "advisories is not");
    fails("budget = function(b) return { advisories = -1, vetoes = 1 } end",
          "advisories is not");
    fails("budget = function(b) return { advisories = 1/0, vetoes = 1 } end",
          "advisories is not");
    fails("budget = function(b) return { advisories = 1, veto = 1 } end",
          "unknown key \"veto\"");
    fails("deliver = function(v) end", "deliver returned a nil, not a table");
    fails(
        "deliver = function(v) return { verdict = 'deliver', lane = 'later', reason = 'r' } end",
        "unknown lane \"later\"");
    fails("deliver = function(v) return { verdict = 'send', reason = 'r' } end",
          "unknown verdict \"send\"");
    fails("deliver = function(v) return { reason = 'r' } end", "unknown verdict \"\"");
    fails("deliver = function(v) return { verdict = 'drop' } end", "the verdict has no reason");
    fails("deliver = function(v) return { verdict = 'drop', reason = '' } end", "no reason");
    fails("deliver = function(v) v.lanes = 'x' return v end", "did you mean \"lane\"?");
    fails("deliver = function(v) v.ttl_turns = 1.5 return v end", "ttl_turns is not");
    fails("deliver = function(v) return setmetatable({}, { __index = v }) end", "verdict \"\"");
}

IT("C46 C49 ends a fold that loops or fills memory; the next call works") {
    fails("deliver = function() while true do end end", "out of time");
    fails("deliver = function() return ('x'):rep(1e10) end", "out of memory");
    table *t = table_new();
    load(
        t,
        "deliver = function(v, p) if p.priority == 10 then while true do end end return v end");
    CHECK_EQ(deliver(t), PERI_ETIMEOUT);
    t->proposals[0].priority = 11;
    CHECK_EQ(deliver(t), 1);
    table_free(t);
}

IT("walks half a million kept entries within the budget") {
    table *t = table_new();
    load(t,
         "reconcile = function(b) local t = {} for i = 1, 5e5 do t[i] = b[1] end return t end");
    int status = reconcile(t);
    CHECK(status == 1 || status == PERI_ETIMEOUT);
    CHECK(t->batch.kept == (status == 1 ? 1 : 3));
    table_free(t);
}

static const char counting[] =
    "deliver = function(v, p, ctx) ctx.state.n = (ctx.state.n or 0) + 1 "
    "v.reason = 'n=' .. ctx.state.n return v end";

IT("keeps ctx.state apart for each session") {
    table *t = table_new();
    load(t, counting);
    CHECK_EQ(deliver_in(t, "s1"), 1);
    CHECK_EQ(deliver_in(t, "s1"), 1);
    CHECK_STR(t->decision.reason, "n=2");
    CHECK_EQ(deliver_in(t, "s2"), 1);
    CHECK_STR(t->decision.reason, "n=1");
    CHECK_EQ(deliver_in(t, "s1"), 1);
    CHECK_STR(t->decision.reason, "n=3");
    table_free(t);
}

// A policy whose state found no room would fail there, and be given up after some failures.
IT("keeps ctx.state of thousands of sessions") {
    table *t = table_new();
    load(t, counting);
    for (int round = 1; round <= 2; round++) {
        for (int i = 0; i < 5000; i++) {
            char session[16];
            snprintf(session, sizeof session, "s%d", i);
            peri_arena_reset(&t->s->arena);
            CHECK_EQ(deliver_in(t, session), 1);
            CHECK_STR(t->decision.reason, round == 1 ? "n=1" : "n=2");
        }
    }
    table_free(t);
}

IT("keeps ctx.state over the end of a VM, and not that of a fold that failed") {
    table *t = table_new();
    load(t, "deliver = function(v, p, ctx) ctx.state = { n = (ctx.state.n or 0) + 1 } "
            "if p.priority == 1 then while true do end end v.reason = 'n=' .. ctx.state.n "
            "return v end");
    CHECK_EQ(deliver(t), 1);
    t->proposals[0].priority = 1;
    CHECK_EQ(deliver(t), PERI_ETIMEOUT);
    t->proposals[0].priority = 2;
    CHECK_EQ(deliver(t), 1);
    CHECK_STR(t->decision.reason, "n=2");
    table_free(t);
}

IT("shares ctx.state between the folds of one policy, not between policies") {
    table *t = table_new();
    load(t,
         "budget = function(b, ctx) ctx.state.seen = 'yes' return b end, deliver = function(v, "
         "p, ctx) v.reason = tostring(ctx.state.seen) return v end");
    CHECK_OK(load_as(t, "other",
                     API "return { name = 'other', deliver = function(v, p, ctx) v.reason = "
                         "tostring(ctx.state.seen) return v end }"));
    peri_budget left = {2, 1};
    CHECK_EQ(budget(t, &left), 1);
    CHECK_EQ(deliver(t), 1);
    CHECK_STR(t->decision.reason, "yes");
    CHECK_EQ(t->engine.deliver(t->engine.user, 1, PERI_STR("s1"), &t->facts, &t->proposals[0],
                               &t->decision, &t->s->arena, &t->error),
             1);
    CHECK_STR(t->decision.reason, "nil");
    table_free(t);
}

IT("fails a fold whose ctx.state is over 4 KiB or no table") {
    fails("deliver = function(v, p, ctx) ctx.state.x = ('y'):rep(5000) return v end",
          "ctx.state is 5008 bytes as JSON, at most 4096");
    fails("deliver = function(v, p, ctx) ctx.state = 5 return v end",
          "ctx.state must be a table");
    fails("deliver = function(v, p, ctx) ctx.state.p = ctx return v end", "ctx.state");
}

IT("ends ctx with its call") {
    table *t = table_new();
    load(t,
         "deliver = (function() local old return function(v, p, ctx) if old then v.reason = "
         "select(2, pcall(function() return old.left end)) end old = ctx return v end end)()");
    CHECK_EQ(deliver(t), 1);
    CHECK_EQ(deliver(t), 1);
    CHECK_HAS(t->decision.reason, "expired: ctx views live only during the call");
    table_free(t);
}

IT("tells who printed") {
    table *t = table_new();
    load(t, "deliver = function(v) print(v.lane) return v end");
    CHECK_EQ(deliver(t), 1);
    CHECK_STR(peri_str_c(t->s->printed), "q: steer");
    table_free(t);
}

TEST_MAIN
