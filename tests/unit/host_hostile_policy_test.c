// Policies that mean no good, in a host that goes on: whatever one does, every proposal ends in
// one ruling with a reason, the ceilings hold, and the next chain decides as if nothing had
// been.
#include "host/types.h"
#include "hosting.h"

static hosting h;

#define LINE(kind, more) "{\"session\":\"s\",\"kind\":\"" kind "\"" more "}\n"
#define USER(text) LINE("user_message", ",\"text\":\"" text "\"")
#define STEP(id)                                                                               \
    LINE("tool_call",                                                                          \
         ",\"name\":\"Read\",\"call_id\":\"" id "\",\"input\":{\"p\":\"" id "\"}")             \
    LINE("tool_result", ",\"call_id\":\"" id "\",\"text\":\"fine\"")                           \
    LINE("assistant_text", ",\"text\":\"so " id "\"")

static const char speaker[] =
    "-- perilune-api: 1\n"
    "return { name = 'probe', description = 'a probe', on = 'turn_end', can = { 'advise' },\n"
    "  deliver = 'steer', observe = function(turn, ctx)\n"
    "    ctx.state.n = (ctx.state.n or 0) + 1\n"
    "    return { advise = 'finding number ' .. ('x'):rep(ctx.state.n * 7), fingerprint = 'f' .. ctx.state.n }\n"
    "  end }\n";

// Each a fold of one policy, and what is told of it; NULL: nothing, it does no harm.
static const struct {
    const char *fold, *said;
} hostile[] = {
    {"deliver = function() while true do end end", "out of time"},
    {"reconcile = function() while true do end end", "out of time"},
    {"budget = function() local t = {} for i = 1, 1e9 do t[i] = { i } end end", "last"},
    {"deliver = function() return ('x'):rep(2 ^ 40) end", "last"},
    {"deliver = function() error({ 'a table' }) end", "last"},
    {"deliver = function() error() end", "last"},
    {"deliver = function() coroutine.yield() end", "last"},
    {"deliver = function() return 7 end", "last"},
    {"deliver = function() end", "last"},
    {"deliver = function(v) v.lane = 'megaphone' return v end", "megaphone"},
    {"deliver = function(v) v.verdict = true return v end", "last"},
    {"deliver = function(v) v.reason = {} return v end", "last"},
    {"budget = function() return { advisories = 'all', vetoes = {} } end", "last"},
    {"budget = function() return { advisories = 1e300, vetoes = 1e300 } end", NULL},
    {"reconcile = function(batch) return 'all of them' end", "last"},
    {"reconcile = function(batch) for i = 1, 50 do batch[#batch + 1] = batch[1] end return batch, {} end",
     NULL},
    {"reconcile = function(batch) return { { text = 'mine' } }, {} end", NULL},
    {"reconcile = function() return {}, {} end", NULL},
    {"deliver = function(v, p, ctx) ctx.left = { advisories = 99 } return v end", "last"},
    {"deliver = function(v, p, ctx) ctx.limits.advisories_per_turn = 99 return v end", NULL},
    {"deliver = function(v, p) p.text = 'obey me' p.priority = 100 return v end", NULL},
    {"deliver = function(v, p, ctx) ctx.state.x = ('y'):rep(1e6) return v end", "last"},
    {"deliver = function(v, p, ctx) rawset(ctx, 'state', nil) return v end", NULL},
    {"deliver = function(v) v.lane = 'hold' return v end", NULL},
    {"deliver = function(v) setmetatable(v, { __index = function() while true do end end }) v.lane = nil\n"
     "  return v end",
     NULL},
};

static void write_policy(const char *fold) {
    char path[300], text[1024];
    snprintf(text, sizeof text, "-- perilune-api: 1\nreturn { name = 'last', %s }\n", fold);
    hosting_write(&h, path, "policies/last.lua", text);
}

static size_t told(const char *part) {
    return times(peri_buf_str(&h.records), part);
}

static size_t rulings(void) {
    return told("\"record\":\"decision\"") - told("\"trigger\":\"released\"");
}

IT("C46 C51 PE-2 whatever a policy does, each proposal has its ruling and no ceiling is passed") {
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text, "-- perilune-api: 1\nreturn { name = 'last', %s }\n",
                 hostile[i].fold);
        const hosting_files files = {.observer = speaker, .policy = text};
        hosting_open_files(&h, PERI_MODE_LIVE, &files);
        peri_source *source = hosting_stream(&h, "activity");
        hosting_feed(&h, source, PERI_STR(USER("go") STEP("a") STEP("b") STEP("c") STEP("d")));
        hosting_finish(&h);
        if (told("\"record\":\"proposal\"") < 4 || rulings() != told("\"record\":\"proposal\""))
            TEST_FAIL("%s: %zu proposals, %zu rulings", hostile[i].fold,
                      told("\"record\":\"proposal\""), rulings());
        if (told("\"state\":\"handed\"") > 2)
            TEST_FAIL("%s: passed the budget", hostile[i].fold);
        if (told("obey me") || told("mine")) TEST_FAIL("%s: put words in", hostile[i].fold);
        if (hostile[i].said && !told("\"state\":\"policy-failed\""))
            TEST_FAIL("%s: nothing was said", hostile[i].fold);
        if (hostile[i].said) CHECK_HAS(peri_buf_str(&h.log), hostile[i].said);
        CHECK(!h.gap);
        hosting_close(&h);
    }
}

static void reload(void) {
    h.host->watch_at_ms = 0;
    hosting_settle(&h);
}

IT("C46 PE-2 a hostile policy that comes and goes while the host runs leaves nothing behind") {
    const hosting_files files = {
        .observer = speaker,
        .policy =
            "-- perilune-api: 1\nreturn { name = 'last', deliver = function(v, p, ctx)\n"
            "  ctx.state.seen = (ctx.state.seen or 0) + 1 v.reason = 'seen ' .. ctx.state.seen\n"
            "  return v end }\n"};
    hosting_open_files(&h, PERI_MODE_LIVE, &files);
    peri_source *source = hosting_stream(&h, "activity");
    hosting_feed(&h, source, PERI_STR(USER("go") STEP("a") STEP("b")));
    CHECK_EQ(told("\"reason\":\"seen 1\""), 1);
    write_policy("deliver = function() while true do end end");
    reload();
    hosting_feed(&h, source, PERI_STR(STEP("c")));
    CHECK_EQ(told("\"state\":\"policy-failed\""), 1);
    write_policy("deliver = function(v"); // and one that is no Lua: the old one stays
    reload();
    hosting_feed(&h, source, PERI_STR(STEP("d") STEP("e")));
    CHECK_EQ(told("\"state\":\"policy-disabled\""), 1);
    write_policy(
        "deliver = function(v, p, ctx) v.reason = 'after ' .. (ctx.state.seen or 'all')\n"
        "  return v end");
    reload();
    hosting_feed(&h, source, PERI_STR(USER("on") STEP("f") STEP("g")));
    CHECK(told("\"reason\":\"after 2\"") > 0); // its state is what the good one left
    hosting_close(&h);
}

TEST_MAIN
