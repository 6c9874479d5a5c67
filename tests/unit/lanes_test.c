// Lanes and the ways that lead into them: what a dialect states, what a config knows better,
// and which channel an event offers.
#include "model/lanes.h"

#include "reading.h"

#define HEAD "return dialect { name = 't', api = 1, rules = { { when = {} } }, "

static peri_dialect_file *file;

static const peri_lanes *state(const char *members) {
    char text[2048];
    snprintf(text, sizeof text, HEAD "lanes = { %s } }", members);
    file = compile(peri_str_c(text), NULL);
    return &peri_dialect_file_get(file)->lanes;
}

static void refuses(const char *members, const char *word) {
    char text[2048], *said;
    snprintf(text, sizeof text, HEAD "lanes = { %s } }", members);
    CHECK(compile(peri_str_c(text), &said) == NULL);
    CHECK_HAS(peri_str_c(said), "d.lua");
    CHECK_HAS(peri_str_c(said), word);
    free(said);
}

static void expect(const peri_lanes *lanes, peri_lane lane, const char *event, const char *tool,
                   const char *version, const char *answer) {
    const peri_channel *channel =
        peri_lanes_at(lanes, lane, peri_str_c(event), tool ? peri_str_c(tool) : (peri_str){0},
                      peri_version_of(peri_str_c(version)));
    if (!answer && channel) TEST_FAIL("%s offers %.*s", event, PERI_FMT(channel->answer));
    if (answer && !channel) TEST_FAIL("%s offers nothing", event);
    if (answer) CHECK_STR(channel->answer, answer);
}

#define TABLE                                                                                  \
    "event = 'ev', tool = 'tool', checked = '2.0', steer = { 'After.a', 'After.b', 'Odd.a' }," \
    "prompt = 'Prompt.a', channels = { After = { a = 'ok', b = 'ok' },"                        \
    "['After:Agent'] = { a = 'dropped' }, Odd = { a = 'since 2.1.9' }, Prompt = { a = 'ignored' } }"

IT("PE-6 a dialect states by which event and answer each lane reaches the model") {
    const peri_lanes *lanes = state(TABLE);
    CHECK(lanes->stated);
    CHECK_STR(lanes->checked, "2.0");
    expect(lanes, PERI_LANE_STEER, "After", NULL, "", "a");
    expect(lanes, PERI_LANE_STEER, "After", "Bash", "", "a");
    expect(lanes, PERI_LANE_STEER, "After", "Agent", "", "b");
    expect(lanes, PERI_LANE_STEER, "Before", "Bash", "", NULL);
    expect(lanes, PERI_LANE_PROMPT, "Prompt", NULL, "", NULL);
    expect(lanes, PERI_LANE_HOLD, "After", NULL, "", NULL);
    peri_dialect_file_free(file);
}

IT("PE-7 a channel that works since a version is no way for an older or an untold one") {
    const peri_lanes *lanes = state(TABLE);
    expect(lanes, PERI_LANE_STEER, "Odd", NULL, "", NULL);
    expect(lanes, PERI_LANE_STEER, "Odd", NULL, "2.1.8", NULL);
    expect(lanes, PERI_LANE_STEER, "Odd", NULL, "2.1.9", "a");
    expect(lanes, PERI_LANE_STEER, "Odd", NULL, "2.1.10 (Claude Code)", "a");
    expect(lanes, PERI_LANE_STEER, "Odd", NULL, "3", "a");
    peri_dialect_file_free(file);
}

IT("PE-6 orders versions by their numbers, and takes what is none for none") {
    CHECK(peri_version_of(PERI_STR("2.1.99")) < peri_version_of(PERI_STR("2.1.100")));
    CHECK(peri_version_of(PERI_STR("0.171.0")) < peri_version_of(PERI_STR("1")));
    CHECK(peri_version_of(PERI_STR("99999999999999999999.1")) <
          peri_version_of(PERI_STR("99999999999999999999.2")));
    CHECK_EQ(peri_version_of(PERI_STR("latest")), 0);
    CHECK_EQ(peri_version_of((peri_str){0}), 0);
}

IT("PE-6 knows which lanes lead to an agent, and that a command leads to the main one alone") {
    const peri_lanes *lanes =
        state("steer = '*.steer', event = 'ev', hold = 'Stop.decision',"
              "channels = { ['*'] = { steer = 'ok' }, Stop = { decision = 'ok' } }");
    CHECK(peri_lanes_lead(lanes, PERI_LANE_STEER, true, 0));
    CHECK(!peri_lanes_lead(lanes, PERI_LANE_STEER, false, 0));
    CHECK(peri_lanes_lead(lanes, PERI_LANE_HOLD, false, 0));
    CHECK(!peri_lanes_lead(lanes, PERI_LANE_PROMPT, true, 0));
    CHECK_EQ(lanes->of[PERI_LANE_FOLLOW_UP].instead_count, 2);
    CHECK_EQ(lanes->of[PERI_LANE_FOLLOW_UP].instead[0], PERI_LANE_STEER);
    CHECK_EQ(lanes->of[PERI_LANE_HOLD].instead_count, 0);
    peri_dialect_file_free(file);
}

IT("PE-6 a dialect without lanes states nothing; one with none has none") {
    file = compile(PERI_STR(HEAD "}"), NULL);
    CHECK(!peri_dialect_file_get(file)->lanes.stated);
    peri_dialect_file_free(file);
    const peri_lanes *lanes = state("");
    CHECK(lanes->stated);
    CHECK(!peri_lanes_lead(lanes, PERI_LANE_PROMPT, true, UINT64_MAX));
    peri_dialect_file_free(file);
}

IT("PE-6 refuses bad lanes with a word on what to do") {
    refuses("steerr = 'A.a', channels = { A = { a = 'ok' } }", "did you mean 'steer'?");
    refuses("user = 'A.a', channels = { A = { a = 'ok' } }", "there is no 'user'");
    refuses("steer = 'Stop', channels = { Stop = { a = 'ok' } }", "write EVENT.ANSWER");
    refuses("steer = { 7 }, channels = {}", "not a way: '7'");
    refuses("steer = 'Stop.a'", "nothing tells what reaches the model by 'Stop.a'");
    refuses("steer = 'Stop.a', channels = { Stop = { a = 'ignord' } }",
            "did you mean 'ignored'?");
    refuses("steer = 'Stop.a', channels = { Stop = { a = 'since ever' } }", "since VERSION");
    refuses("steer = 'Stop.a', channels = { Stop = { a = 'since 2banana' } }", "since VERSION");
    refuses("steer = 'Stop.a', channels = { Stop = { a = 'since 2 or later' } }",
            "since VERSION");
    refuses("steer = 'Stop.a', channels = { Stop = { a = true } }", "a channel is not 'true'");
    refuses("steer = 'A.a', channels = { A = { a = 'ok' }, B = { a = 'ok' } }",
            "no lane goes by the channel 'B'");
    refuses("steer = 7, channels = 'x'", "lanes");
}

static int say(const char *place, const char *answer, const char *reach) {
    peri_channel channel = {.answer = peri_str_c(answer)};
    peri_channel_place(&channel, peri_str_c(place));
    CHECK(peri_channel_read(&channel, peri_str_c(reach)));
    return peri_dialect_file_say(file, &channel);
}

IT("C57 a channel is what was said of it last, of one tool or of all") {
    const peri_lanes *lanes = state(TABLE);
    CHECK_OK(say("After", "a", "ignored"));
    expect(lanes, PERI_LANE_STEER, "After", "Bash", "", "b");
    CHECK_OK(say("After:Bash", "b", "dropped"));
    expect(lanes, PERI_LANE_STEER, "After", "Bash", "", NULL);
    expect(lanes, PERI_LANE_STEER, "After", "Read", "", "b");
    CHECK_OK(say("Prompt", "a", "since 2.1"));
    expect(lanes, PERI_LANE_PROMPT, "Prompt", NULL, "2.1", "a");
    CHECK_EQ(say("Nowhere", "a", "ok"), PERI_ENOENT);
    CHECK_EQ(say("After", "c", "ok"), PERI_ENOENT);
    peri_dialect_file_free(file);
}

IT("C57 takes no more channels than there may be") {
    (void)state(TABLE);
    int status = PERI_OK;
    for (int i = 0; i < PERI_LANES_MAX_CHANNELS + 1 && status == PERI_OK; i++) {
        char place[32];
        snprintf(place, sizeof place, "After:tool%d", i);
        status = say(place, "a", "ok");
    }
    CHECK_EQ(status, PERI_ELIMIT);
    peri_dialect_file_free(file);
}

TEST_MAIN
