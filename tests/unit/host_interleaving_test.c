// What may befall a note, in any order: proposals, decisions, hand-overs that succeed, wait or
// fail, a frame that is seen, the user's stop, windows, turns that pass, a host that ends and
// another that goes on with its ledger. Also what that other one must remember.
#include "base/clock.h"
#include "hosting.h"

static hosting h;
static peri_source *source;
static char ledger[320];
static peri_random rng;

enum { MAX_NOTES = 4096, RUNS = 4, STEPS = 250 };

typedef struct note {
    char id[11], nonce[9];
    int ruled, let_through, queued, taken, held, handed, seen, expired;
} note;

static note notes[MAX_NOTES];
static size_t note_count, restarts, stops;
static bool stopped, draws;
static int number;

#define LINE(kind, more) "{\"session\":\"s\",\"kind\":\"" kind "\"" more "}\n"

// Says something else each time, and holds every stop.
static const char restless[] =
    "-- perilune-api: 1\n"
    "local words = { 'foxes', 'owls', 'cats', 'dogs', 'emus', 'gnus', 'hens', 'jays', 'kites' }\n"
    "return { name = 'probe', description = 'a probe', on = 'turn_end', can = { 'advise', 'veto' },\n"
    "  deliver = 'steer', observe = function(turn, ctx)\n"
    "    local n = (ctx.state.n or 0) + 1\n"
    "    ctx.state.n = n\n"
    "    local text = words[n % 9 + 1] .. ' before ' .. words[n % 7 + 1] .. ' and ' .. words[n % 5 + 1]\n"
    "    if turn.ending then return { veto = text, fingerprint = words[n % 3 + 1] } end\n"
    "    return { advise = text, fingerprint = 'f' .. n,\n"
    "      severity = n % 4 == 0 and 'blocker' or 'concern' }\n"
    "  end }\n";

static note *note_of(peri_str id) {
    for (size_t i = note_count; i-- > 0;) {
        if (peri_str_eq(id, peri_str_c(notes[i].id))) return &notes[i];
    }
    CHECK(note_count < MAX_NOTES && id.len < sizeof notes[0].id);
    note *one = &notes[note_count++];
    *one = (note){.ruled = 0};
    memcpy(one->id, id.ptr, id.len);
    return one;
}

static bool is(peri_str text, const char *word) {
    return peri_str_eq(text, peri_str_c(word));
}

static void on_decision(note *one, peri_str verdict) {
    CHECK(!one->ruled); // deliver and drop are the last word
    one->ruled += !is(verdict, "defer");
    one->let_through += is(verdict, "deliver");
}

static void on_delivery(note *one, const peri_record *r) {
    CHECK(one->let_through == 1);
    if (is(r->state, "queued")) {
        CHECK(one->queued++ == 0);
        snprintf(one->nonce, sizeof one->nonce, "%.*s", PERI_FMT(r->nonce));
    } else if (is(r->state, "handed")) {
        CHECK(one->queued == 1 && one->taken == 1 && !one->expired && one->handed++ == 0);
    } else if (is(r->state, "seen")) {
        CHECK(one->handed == 1 && one->seen++ == 0);
    } else if (is(r->state, "expired")) {
        CHECK(one->queued == 1 && !one->handed && one->expired++ == 0);
    } else { // what the agent did about it
        CHECK(one->handed == 1);
    }
}

static void on_record(void *user, const peri_record *r) {
    (void)user;
    if (r->kind == PERI_RECORD_DECISION) on_decision(note_of(r->id), r->state);
    if (r->kind == PERI_RECORD_DELIVERY) on_delivery(note_of(r->id), r);
    if (r->kind == PERI_RECORD_OBSERVATION && is(r->state, "prompt")) stopped = false;
    if (r->kind == PERI_RECORD_OBSERVATION && is(r->state, "stopped")) stopped = true;
}

static int sink(void *user, const peri_delivery *d) {
    static const int answers[] = {PERI_OK, PERI_OK, PERI_EAGAIN, PERI_EAGAIN, PERI_EIO};
    int answer = draws ? answers[peri_random_next(&rng) % 5] : PERI_OK;
    note *one = note_of(d->id);
    (void)user;
    CHECK(!one->taken && !one->expired); // nothing twice
    CHECK(!stopped || is(d->lane, "user"));
    one->taken += answer == PERI_OK;
    one->held += answer == PERI_OK && is(d->lane, "hold");
    return answer;
}

static void start(const char *observer) {
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.mode = PERI_MODE_LIVE;
    options.ledger_path = ledger;
    hosting_open_with(&h, options, observer);
    CHECK_OK(peri_host_subscribe(h.host, on_record, NULL));
    peri_host_set_sink(h.host, sink, NULL);
    source = hosting_stream(&h, "activity");
}

static void begin(uint64_t seed, const char *observer) {
    const char *above = getenv("TMPDIR");
    snprintf(ledger, sizeof ledger, "%s/peri-notes-XXXXXX", above ? above : P_tmpdir);
    CHECK(mkdtemp(ledger) != NULL);
    strcat(ledger, "/ledger.db");
    note_count = 0;
    stopped = false;
    draws = seed != 0;
    peri_random_seed(&rng, seed);
    start(observer);
}

static void end(void) {
    hosting_close(&h);
    *strrchr(ledger, '/') = '\0';
    nftw(ledger, hosting_remove, 8, FTW_DEPTH | FTW_PHYS);
}

static void restart(const char *observer) {
    hosting_close(&h);
    restarts++;
    start(observer);
}

static void feed(const char *format) {
    char lines[1024];
    number++;
    snprintf(lines, sizeof lines, format, number, number, number);
    hosting_feed(&h, source, peri_str_c(lines));
}

static void prompt(void) {
    feed(LINE("user_message", ",\"text\":\"part %d\""));
}

static void work(void) {
    feed(LINE("tool_call",
              ",\"name\":\"Read\",\"call_id\":\"c%d\",\"input\":{\"file_path\":\"f%d\"}")
             LINE("tool_result", ",\"call_id\":\"c%d\",\"text\":\"x\"")
                 LINE("assistant_text", ",\"text\":\"so\""));
}

static void finish(void) {
    feed(LINE("turn_ended", ",\"reason\":\"end_turn\""));
}

static void see(void) {
    char line[256];
    const note *one = note_count ? &notes[peri_random_next(&rng) % note_count] : NULL;
    if (!one || !one->nonce[0]) return;
    snprintf(line, sizeof line,
             LINE("assistant_text", ",\"text\":\"<observer-note nonce=\\\"%s\\\">\""),
             one->nonce);
    hosting_feed(&h, source, peri_str_c(line));
}

// An agent that was stopped, or whose host has ended, waits for its user.
static void random_step(bool *open) {
    uint64_t draw = peri_random_next(&rng) % 40;
    if (!*open || draw < 3) {
        prompt();
        *open = true;
    } else if (draw < 6) {
        finish();
        *open = false;
    } else if (draw < 8) {
        feed(LINE("turn_ended", ",\"reason\":\"interrupted\""));
        CHECK(stopped);
        *open = false;
        stops++;
    } else if (draw < 12) {
        see();
    } else if (draw < 13) {
        restart(restless);
        *open = false;
    } else if (draw < 18) {
        hosting_settle(&h);
    } else {
        work();
    }
    hosting_settle(&h);
}

IT("PI-8 C56 hands over nothing twice and nothing after a stop, whatever comes in between") {
    int handed = 0, seen = 0, expired = 0;
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        bool open = false;
        begin(seed, restless);
        for (int i = 0; i < STEPS; i++) random_step(&open);
        end();
        for (size_t i = 0; i < note_count; i++) {
            CHECK(notes[i].taken == notes[i].handed);
            handed += notes[i].handed;
            seen += notes[i].seen;
            expired += notes[i].expired;
        }
    }
    CHECK(handed > 50 && seen > 10 && expired > 20 && restarts > 10 && stops > 20);
}

// ---- What a host after it remembers

static const char stubborn[] =
    "return { name = 'probe', description = 'a probe', on = 'turn_end', can = { 'veto' },\n"
    "  observe = function(turn) return turn.ending and { veto = 'the goal is not met',\n"
    "    fingerprint = 'g' } or nil end }\n";

static void turn(void) {
    prompt();
    work();
    finish();
}

IT("C58 C59 counts vetoes over restarts: three for a fingerprint, whichever host grants them") {
    begin(0, stubborn);
    for (int i = 0; i < 6; i++) {
        turn();
        restart(stubborn);
    }
    size_t held = 0;
    for (size_t i = 0; i < note_count; i++) held += (size_t)notes[i].held;
    size_t taken = 0;
    for (size_t i = 0; i < note_count; i++) taken += (size_t)notes[i].taken;
    CHECK_EQ(note_count, 6);
    CHECK_EQ(held, 3);
    CHECK_EQ(taken, 4); // and its user is told once: ctx.state goes on, too
    end();
}

static const char same_again[] =
    "return { name = 'probe', description = 'a probe', on = 'turn_end', can = { 'advise' },\n"
    "  deliver = 'steer', observe = function(turn) return { fingerprint = 'f',\n"
    "    advise = 'look at part ' .. turn.last_user .. ' again' } end }\n";

IT("PI-7 remembers over a restart what it has delivered") {
    begin(0, same_again);
    turn();
    restart(same_again);
    turn();
    CHECK(note_count > 2);
    for (size_t i = 0; i < note_count; i++) CHECK_EQ(notes[i].taken, i == 0);
    CHECK_HAS(peri_buf_str(&h.records), "already delivered");
    end();
}

// ---- The degenerate advisor

static const char degenerate[] =
    "return { name = 'probe', description = 'a probe', on = 'turn_end', can = { 'report' },\n"
    "  severity = 'blocker', deliver = 'steer', observe = function(turn, ctx)\n"
    "    ctx.state.n = (ctx.state.n or 0) + 1\n"
    "    return { report = ('STOP! Violation number %d: stop what you do.'):format(ctx.state.n),\n"
    "      fingerprint = 'finding ' .. ctx.state.n } end }\n";

IT("C54 holds 1,000 reports of blockers to the session's ceiling, and explains each that is dropped") {
    begin(0, degenerate);
    for (int i = 0; i < 100; i++) {
        size_t before = note_count, taken = 0;
        prompt();
        for (int step = 0; step < 10; step++) work();
        finish();
        for (size_t k = before; k < note_count; k++) taken += (size_t)notes[k].taken;
        CHECK(taken <= 4); // two windows a turn
    }
    size_t told = 0, dropped = 0;
    for (size_t i = 0; i < note_count; i++) told += (size_t)notes[i].taken;
    for (size_t i = 0; i < note_count; i++)
        dropped += (size_t)(notes[i].ruled && !notes[i].let_through);
    CHECK(note_count >= 1000);
    CHECK(told >= 1 && told <= 50);
    CHECK_EQ(hosting_count(&h, "delivered") + hosting_count(&h, "dropped"), note_count);
    peri_str records = peri_buf_str(&h.records);
    CHECK_EQ(times(records, "\"state\":\"drop\",\"reason\":\""), dropped);
    CHECK_EQ(times(records, "\"state\":\"drop\",\"reason\":\"\""), 0);
    end();
}

TEST_MAIN
