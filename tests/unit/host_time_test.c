// Time that does not run as one thinks: a wall clock that jumps,
// midnight, and a zone whose rules change.
#include "host/types.h"
#include "hosting.h"

static hosting h;
static peri_clock_manual hands;

#define LINE(kind, more) "{\"session\":\"s\",\"kind\":\"" kind "\"" more "}\n"
#define USER(text) LINE("user_message", ",\"text\":\"" text "\"")
#define STEP(id)                                                                               \
    LINE("tool_call",                                                                          \
         ",\"name\":\"Read\",\"call_id\":\"" id "\",\"input\":{\"p\":\"" id "\"}")             \
    LINE("tool_result", ",\"call_id\":\"" id "\",\"text\":\"fine\"")                           \
    LINE("assistant_text", ",\"text\":\"so " id "\"")
#define END LINE("turn_ended", ",\"reason\":\"end_turn\"")
#define HOUR_MS INT64_C(3600000)

static const char speaker[] =
    "-- perilune-api: 1\n"
    "return { name = 'probe', description = 'a probe', on = 'turn_end', can = { 'advise' },\n"
    "  severity = 'nit', deliver = 'steer', observe = function(turn, ctx)\n"
    "    ctx.state.n = (ctx.state.n or 0) + 1\n"
    "    return { advise = 'finding number ' .. ('x'):rep(ctx.state.n * 7), fingerprint = 'f' .. ctx.state.n }\n"
    "  end }\n";

static const char teller[] = // the hour is its reason
    "-- perilune-api: 1\n"
    "return { name = 'last', deliver = function(verdict, p, ctx)\n"
    "  local t = ctx.local_time\n"
    "  return { verdict = 'deliver', lane = 'log',\n"
    "    reason = ('%02d:%02d on day %d'):format(t.hour, t.min, t.day) } end }\n";

static int64_t at(const char *time) {
    int64_t wall_ms;
    CHECK_OK(peri_time_parse(peri_str_c(time), &wall_ms));
    return wall_ms;
}

static int32_t zone(int64_t wall_ms) { // one whose daylight saving began on 2026-03-29
    return wall_ms < INT64_C(1774746000000) ? 60 : 120;
}

static peri_source *open_at(const char *time, const hosting_files *files) {
    hosting_open_files(&h, PERI_MODE_LIVE, files);
    hands.at_wall_ms = at(time);
    h.host->clock = peri_clock_of(&hands);
    h.host->clock.zone_min = zone;
    return hosting_stream(&h, "activity");
}

static void feed(peri_source *source, const char *lines) {
    hosting_feed(&h, source, peri_str_c(lines));
}

static size_t told(const char *part) {
    return times(peri_buf_str(&h.records), part);
}

IT("PE-2 tells policies the hour of the zone, also when its rules change between two steps") {
    const hosting_files files = {.observer = speaker, .policy = teller};
    peri_source *source = open_at("2026-03-29T00:59:00Z", &files);
    feed(source, USER("go") STEP("a") STEP("b"));
    CHECK(told("01:59 on day 29") > 0);
    hands.at_wall_ms += 60 * 1000;
    feed(source, STEP("c"));
    CHECK(told("03:00 on day 29") > 0); // an hour is left out
    CHECK_EQ(told("02:00"), 0);
    hosting_close(&h);
}

IT("PE-2 tells policies the new day at local midnight, and the old one when the clock goes back") {
    const hosting_files files = {.observer = speaker, .policy = teller};
    peri_source *source = open_at("2026-03-10T22:59:30Z", &files);
    feed(source, USER("go") STEP("a") STEP("b"));
    CHECK(told("23:59 on day 10") > 0);
    hands.at_wall_ms += 30 * 1000;
    feed(source, STEP("c"));
    CHECK(told("00:00 on day 11") > 0);
    hands.at_wall_ms -= HOUR_MS;
    feed(source, STEP("d"));
    CHECK(told("23:00 on day 10") > 0);
    hosting_close(&h);
}

static const char quiet[] = "policies: [default, quiet]\n";

IT("PE-2 quiet hours end by the clock on the wall, an hour earlier once daylight saving began") {
    const hosting_files files = {.observer = speaker, .config = quiet};
    peri_source *source = open_at("2026-03-28T05:30:00Z", &files); // 06:30
    feed(source, USER("go") STEP("a") STEP("b"));
    CHECK(told("quiet hours") > 0);
    CHECK_EQ(told("\"state\":\"handed\""), 0);
    hands.at_wall_ms = at("2026-03-29T05:30:00Z"); // 07:30
    feed(source, END USER("on"));
    CHECK(told("\"state\":\"handed\"") > 0);
    hosting_close(&h);
}

IT("PE-3 a day's ceiling holds over a clock that goes back across midnight, and is new the day after") {
    const hosting_files files = {.observer = speaker,
                                 .config =
                                     "limits: { day: { wakes: 2 }, advisories_per_turn: 9 }\n"};
    peri_source *source = open_at("2026-03-11T00:10:00Z", &files);
    feed(source, USER("go") STEP("a") STEP("b") STEP("c"));
    CHECK_EQ(told("\"record\":\"proposal\""), 2);
    hands.at_wall_ms -= HOUR_MS; // yesterday again
    feed(source, STEP("d") STEP("e"));
    CHECK_EQ(told("\"record\":\"proposal\""), 2);
    hands.at_wall_ms += 25 * HOUR_MS;
    feed(source, STEP("f") STEP("g"));
    CHECK(told("\"record\":\"proposal\"") > 2);
    hosting_close(&h);
}

IT("PE-7 what waits is dated by turns: no jump of the clock expires or releases it") {
    const hosting_files files = {.observer = speaker};
    peri_source *source = open_at("2026-03-11T12:00:00Z", &files);
    feed(source, USER("go") STEP("a") STEP("b") STEP("c") STEP("d"));
    size_t handed = told("\"state\":\"handed\""), deferred = told("\"state\":\"defer\"");
    CHECK_EQ(handed, 2);
    CHECK(deferred > 0);
    hands.at_wall_ms += 24 * HOUR_MS;
    hosting_settle(&h);
    hands.at_wall_ms -= 48 * HOUR_MS;
    hosting_settle(&h);
    CHECK_EQ(told("\"state\":\"handed\""), handed);
    CHECK_EQ(told("waited too long"), 0);
    feed(source, END USER("on"));
    CHECK(told("\"trigger\":\"released\"") > 0);
    CHECK(told("\"state\":\"handed\"") > handed);
    hosting_close(&h);
}

TEST_MAIN
