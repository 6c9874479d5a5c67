// Steps and turns out of observations. Each test feeds a few and reads the whole story that the
// stepper tells: "user:1.1" is an item of step 1 in turn 1, "[" a turn's start ("[h" a
// person's), "r" a kept result, "d" a kept denial, "|1" a step's end ("!" if the agent is about
// to stop), "]why" the end of a turn.
#include "tap/step.h"

#include "test.h"

static peri_stepper stepper;
static peri_buf story;

static void on_item(void *user, const peri_item *item) {
    (void)user;
    static const char *const words[] = {"text",  "call",   "result", "denied", "user", "note",
                                        "guide", "skills", "task",   "end",    "raw"};
    peri_buf_addf(&story, "%s:%u.%u ", words[item->kind], item->step, item->turn);
}
static void on_turn_start(void *user, uint32_t turn, bool human) {
    (void)user;
    (void)turn;
    peri_buf_addf(&story, "[%s ", human ? "h" : "");
}
static void on_result(void *user, bool denied) {
    (void)user;
    peri_buf_addf(&story, "%s ", denied ? "d" : "r");
}
static void on_step_end(void *user, uint32_t step, bool ending) {
    (void)user;
    peri_buf_addf(&story, "|%u%s ", step, ending ? "!" : "");
}
static void on_settled(void *user, peri_str reason) {
    (void)user;
    peri_buf_addf(&story, "]%.*s ", PERI_FMT(reason));
}
static const peri_step_events events = {on_item, on_turn_start, on_result, on_step_end,
                                        on_settled};

static void start(void) {
    peri_stepper_init(&stepper);
    peri_buf_deinit(&story);
    peri_buf_init(&story, 1 << 16);
}

static void put(peri_obs *obs, peri_obs_field field, const char *text) {
    peri_obs_add(obs, field)->text = peri_text_of(peri_str_c(text), (peri_text_caps){1000, 0});
}

static peri_obs of(peri_obs_kind kind) {
    peri_obs obs;
    peri_obs_init(&obs, kind);
    return obs;
}

static void feed(const peri_obs *obs) {
    peri_stepper_feed(&stepper, obs, &events, NULL);
}

static void prompt_of(const char *origin, bool mid_turn, bool continues) {
    peri_obs obs = of(PERI_OBS_PROMPT);
    put(&obs, PERI_OBS_F_TEXT, "words");
    obs.x.origin = peri_str_c(origin);
    obs.x.mid_turn = mid_turn;
    obs.x.continues = continues;
    feed(&obs);
}
static void prompt(void) {
    prompt_of(NULL, false, false);
}
static void say(const char *answer) {
    peri_obs obs = of(PERI_OBS_TEXT);
    put(&obs, PERI_OBS_F_TEXT, "answer");
    obs.x.answer = peri_str_c(answer);
    feed(&obs);
}
static void call(const char *answer, const char *id) {
    peri_obs obs = of(PERI_OBS_TOOL);
    put(&obs, PERI_OBS_F_NAME, "Bash");
    put(&obs, PERI_OBS_F_CALL_ID, id);
    put(&obs, PERI_OBS_F_INPUT, "{}");
    obs.x.answer = peri_str_c(answer);
    feed(&obs);
}
static void result(const char *id) {
    peri_obs obs = of(PERI_OBS_TOOL_RESULT);
    put(&obs, PERI_OBS_F_CALL_ID, id);
    put(&obs, PERI_OBS_F_PREVIEW, "done");
    feed(&obs);
}
static void finished(bool maybe) {
    peri_obs obs = of(PERI_OBS_FINISHED);
    obs.x.maybe = maybe;
    feed(&obs);
}
static void stopped(const char *reason) {
    peri_obs obs = of(PERI_OBS_STOPPED);
    put(&obs, PERI_OBS_F_REASON, reason);
    feed(&obs);
}

static void is(const char *want) {
    CHECK_STR(peri_buf_str(&story), want);
}

IT("makes one step of an answer with its results, whose id says which") {
    start();
    prompt();
    say("m1");
    call("m1", "a");
    result("a");
    say("m2");
    finished(false);
    is("user:1.1 [h text:1.1 call:1.1 result:1.1 r |1 text:2.1 end:2.1 |2! ]completed ");
}

IT("begins a step at an answer behind a result where answers have no ids") {
    start();
    prompt();
    say(NULL);
    call(NULL, "a");
    call(NULL, "b");
    result("b");
    result("a");
    call(NULL, "c");
    finished(false);
    is("user:1.1 [h text:1.1 call:1.1 call:1.1 result:1.1 r result:1.1 r |1 call:2.1 end:2.1 |2! "
       "]completed ");
}

static void unknown(void) {
    peri_obs obs = of(PERI_OBS_RAW);
    put(&obs, PERI_OBS_F_VALUE, "{\"type\":\"galaxy\"}");
    feed(&obs);
}

IT("C09 keeps an unknown record with the step it comes in or before, and opens none for it") {
    start();
    unknown(); // of no turn
    prompt();
    unknown();
    say("m1");
    call("m1", "a");
    result("a");
    unknown();
    say("m2");
    finished(false);
    unknown();
    prompt();
    is("user:1.1 [h raw:1.1 text:1.1 call:1.1 result:1.1 r raw:1.1 |1 text:2.1 end:2.1 |2! "
       "]completed raw:3.1 user:3.2 [h ");
}

IT("C09 keeps 32 unknown records of a turn, so that they do not crowd it out") {
    start();
    prompt();
    for (int i = 0; i < 40; i++) unknown();
    CHECK_EQ(stepper.raw_count, PERI_TURN_MAX_RAW);
    prompt_of(NULL, false, false);
    CHECK_EQ(stepper.turn, 1);
    say("m1");
    finished(false);
    prompt();
    unknown();
    CHECK_EQ(stepper.raw_count, 1);
}

IT("waits with an end that is only possible, and settles it at the next prompt") {
    start();
    prompt();
    say("m1");
    finished(true);
    is("user:1.1 [h text:1.1 ");
    prompt();
    is("user:1.1 [h text:1.1 end:1.1 |1! ]completed user:2.2 [h ");
}

IT("CC-7 goes on with a turn whose stop a hook held: the step ends, the turn does not") {
    start();
    prompt();
    say("m1");
    finished(true);
    prompt_of("unattributed", false, true);
    say("m2");
    finished(true);
    peri_stepper_finish(&stepper, &events, NULL);
    is("user:1.1 [h text:1.1 note:1.1 |1! text:2.1 end:2.1 |2! ]completed ");
}

IT("takes a stop-prevented as the same") {
    start();
    prompt();
    say("m1");
    finished(true);
    peri_obs held = of(PERI_OBS_STOP_PREVENTED);
    feed(&held);
    say("m2");
    is("user:1.1 [h text:1.1 |1! text:2.1 ");
}

// A stop at which the agent waits for an answer.
static void stop_asked(void) {
    peri_obs obs = of(PERI_OBS_FINISHED);
    obs.x.maybe = obs.x.ends_step = true;
    feed(&obs);
}

IT("contracts 1: a live stop ends its step at once, ending; what becomes of it follows") {
    start();
    stepper.live = true;
    prompt();
    say("m1");
    stop_asked();
    is("user:1.1 [h text:1.1 |1! ");
    prompt();
    is("user:1.1 [h text:1.1 |1! end:1.1 ]completed user:2.2 [h ");
}

IT("contracts 1: a live stop that is held ends its step once; the turn goes on with the next") {
    start();
    stepper.live = true;
    prompt();
    say(NULL);
    stop_asked();
    call(NULL, "a");
    result("a");
    peri_obs held = of(PERI_OBS_STOP_PREVENTED);
    feed(&held);
    say(NULL);
    stop_asked();
    peri_stepper_finish(&stepper, &events, NULL);
    is("user:1.1 [h text:1.1 |1! call:2.1 result:2.1 r |2 text:3.1 |3! end:3.1 ]completed ");
    start();
    stepper.live = true;
    prompt();
    say("m1");
    stop_asked();
    prompt_of("unattributed", false, true);
    say("m2");
    call("m2", "a");
    say("m3");
    is("user:1.1 [h text:1.1 |1! note:2.1 text:2.1 call:2.1 |2 text:3.1 ");
}

IT("a replay knows what came of a stop: the step ends with it") {
    start();
    prompt();
    say("m1");
    stop_asked();
    is("user:1.1 [h text:1.1 ");
    peri_stepper_finish(&stepper, &events, NULL);
    is("user:1.1 [h text:1.1 end:1.1 |1! ]completed ");
}

IT("takes a second end as the same end") {
    start();
    prompt();
    say("m1");
    finished(true);
    finished(false);
    finished(false);
    is("user:1.1 [h text:1.1 end:1.1 |1! ]completed ");
}

IT("folds a message into the running turn, and opens a turn with one between turns") {
    start();
    prompt();
    call("m1", "a");
    prompt_of(NULL, true, false);
    result("a");
    is("user:1.1 [h call:1.1 user:1.1 result:1.1 r ");
    finished(false);
    prompt_of(NULL, true, false);
    is("user:1.1 [h call:1.1 user:1.1 result:1.1 r end:1.1 |1! ]completed user:2.2 [h ");
}

IT("begins a step with a message behind an answer that waits for no result") {
    start();
    prompt();
    say("m1");
    prompt_of(NULL, true, false);
    say("m2");
    is("user:1.1 [h text:1.1 |1 user:2.1 text:2.1 ");
}

IT("takes several prompts before the first answer as one turn's") {
    start();
    prompt();
    prompt_of("task-notification", false, false);
    say("m1");
    is("user:1.1 [h note:1.1 text:1.1 ");
}

IT("closes a turn that did not say that it ended, without settling it") {
    start();
    prompt();
    say("m1");
    prompt();
    is("user:1.1 [h text:1.1 |1 user:2.2 [h ");
}

IT("opens a turn of nobody's for an answer without a prompt") {
    start();
    say("m1");
    finished(false);
    is("[ text:1.1 end:1.1 |1! ]completed ");
}

IT("tells results and denials, and ends nothing that is not open") {
    start();
    finished(false);
    stopped("interrupted");
    prompt();
    call("m1", "a");
    peri_obs denied = of(PERI_OBS_TOOL_DENIED);
    put(&denied, PERI_OBS_F_CALL_ID, "a");
    put(&denied, PERI_OBS_F_REASON, "no");
    feed(&denied);
    stopped("interrupted");
    is("user:1.1 [h call:1.1 denied:1.1 d end:1.1 |1! ]interrupted ");
}

IT("CC-8 keeps nothing of an observer's report that comes back, nor of a turn it opened") {
    start();
    prompt();
    prompt_of("observer:loop-guard", false, false); // within a turn
    say("m1");
    finished(false);
    prompt_of("observer:loop-guard", false, false); // opens one
    say("m2");
    call("m2", "a");
    result("a");
    finished(true);
    prompt_of("observer:loop-guard", true, false); // between turns
    prompt();
    say("m3");
    is("user:1.1 [h text:1.1 end:1.1 |1! ]completed user:2.3 [h text:2.3 ");
}

IT("CC-8 hears a person who speaks into a turn that a report opened") {
    start();
    prompt_of("observer:loop-guard", false, false);
    say("m1");
    prompt_of(NULL, true, false);
    say("m2");
    is("user:1.2 [h text:1.2 ");
}

IT("CC-8 stays deaf to machine text folded into a turn that a report opened") {
    start();
    prompt_of("observer:loop-guard", false, false);
    say("m1");
    prompt_of("task-notification", true, false);
    say("m2");
    finished(false);
    is("");
}

IT("CC-8 takes an echo behind a possible end for a new turn's opening") {
    start();
    prompt();
    say("m1");
    finished(true);
    prompt_of("observer:x", false, false);
    say("m2");
    peri_stepper_finish(&stepper, &events, NULL);
    is("user:1.1 [h text:1.1 end:1.1 |1! ]completed ");
}

IT("settles a possible end at the end of the stream, and closes an open step") {
    start();
    prompt();
    say("m1");
    peri_stepper_finish(&stepper, &events, NULL);
    is("user:1.1 [h text:1.1 |1 ");
    peri_stepper_finish(&stepper, &events, NULL);
    is("user:1.1 [h text:1.1 |1 ");
}

IT("cuts a long reason between characters, and has a word for none") {
    start();
    prompt();
    stopped("1234567890123456789012345678901234567890123456 \xE2\x82\xAC");
    CHECK_HAS(peri_buf_str(&story), "]1234567890123456789012345678901234567890123456 ");
    CHECK_EQ(stepper.reason_len, 47);
    start();
    prompt();
    stopped("");
    is("user:1.1 [h end:1.1 |1! ]unknown ");
}

IT("ends a turn by failure and quota") {
    start();
    prompt();
    peri_obs failure = of(PERI_OBS_FAILURE), quota = of(PERI_OBS_QUOTA);
    feed(&failure);
    prompt();
    feed(&quota);
    is("user:1.1 [h end:1.1 |1! ]failed user:2.2 [h end:2.2 |2! ]quota ");
}

IT("ignores blank prompts") {
    start();
    peri_obs obs = of(PERI_OBS_PROMPT);
    put(&obs, PERI_OBS_F_TEXT, " \n\xE2\x80\x8B");
    feed(&obs);
    is("");
}

IT("PI-8 knows a user's stop from other ends") {
    CHECK(peri_reason_is_stop(PERI_STR("interrupted")));
    CHECK(peri_reason_is_stop(PERI_STR("aborted")));
    CHECK(!peri_reason_is_stop(PERI_STR("max_tokens")));
    CHECK(!peri_reason_is_stop(PERI_STR("")));
    peri_buf_deinit(&story);
}

TEST_MAIN
