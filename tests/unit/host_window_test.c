// What is judged together, and how long a window is: proposals of one trigger are one batch,
// and limits count anew at each prompt and whenever the agent has settled.
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
#define END LINE("turn_ended", ",\"reason\":\"end_turn\"")

#define SPEAKER(name, print)                                                                   \
    "-- perilune-api: 1\n"                                                                     \
    "return { name = '" name "', description = 'd', on = 'turn_end', can = { 'advise' },\n"    \
    "  deliver = 'steer', observe = function(turn, ctx)\n"                                     \
    "    ctx.state.n = (ctx.state.n or 0) + 1\n"                                               \
    "    return { advise = '" name " found number ' .. ('x'):rep(ctx.state.n * 7),\n"          \
    "      fingerprint = " print " .. ctx.state.n } end }\n"

static size_t told(const char *part) {
    return times(peri_buf_str(&h.records), part);
}

static void feed(peri_source *source, const char *lines) {
    hosting_feed(&h, source, peri_str_c(lines));
}

IT("PI-8 what several observers propose at one trigger is one batch") {
    const hosting_files files = {.observer = SPEAKER("probe", "'same'"),
                                 .other = SPEAKER("other", "'same'")};
    hosting_open_files(&h, PERI_MODE_LIVE, &files);
    peri_source *source = hosting_stream(&h, "activity");
    feed(source, USER("go") STEP("a") STEP("b"));
    CHECK_EQ(told("\"record\":\"proposal\""), 4); // two at each of two steps
    CHECK_EQ(told("\"state\":\"drop\",\"reason\":\"same as another in the batch\""), 2);
    CHECK_EQ(told("\"state\":\"handed\""), 2);
    hosting_close(&h);
}

IT("PI-8 a window ends when the agent has settled, and with the next prompt") {
    const hosting_files files = {.observer = SPEAKER("probe", "'f'"),
                                 .config = "limits: { advisories_per_turn: 1 }\n"};
    hosting_open_files(&h, PERI_MODE_LIVE, &files);
    peri_source *source = hosting_stream(&h, "activity");
    feed(source, USER("go") STEP("a") STEP("b") STEP("c"));
    CHECK_EQ(told("\"state\":\"handed\""), 1); // one a window: a step more changes nothing
    size_t released = told("\"trigger\":\"released\"");
    CHECK_EQ(released, 0);
    feed(source, END);
    CHECK_EQ(told("\"trigger\":\"released\""), 1);
    feed(source, USER("on"));
    CHECK_EQ(told("\"trigger\":\"released\""), 2);
    hosting_close(&h);
}

TEST_MAIN
