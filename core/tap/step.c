// The state machine of steps and turns. Its one hard question is when a turn is over: a
// transcript's last answer says `end_turn`, but a stop hook may hold it, which only a later
// record shows. Until then the end is kept as `may_end`. Where the record is the stop itself
// and the agent waits for an answer, its last step ends at once: a veto must come before the
// answer.
#include "tap/step.h"

typedef struct feed {
    peri_stepper *s;
    const peri_obs *obs;
    const peri_step_events *events;
    void *user;
} feed;

void peri_stepper_init(peri_stepper *stepper) {
    *stepper = (peri_stepper){0};
}

static void push(const feed *f, peri_item *item) {
    peri_stepper *s = f->s;
    if (s->muted) return;
    if (!s->filled) {
        s->step++;
        s->filled = true;
    }
    item->step = s->step;
    item->turn = s->turn;
    f->events->on_item(f->user, item);
}

static void close_step(const feed *f) {
    peri_stepper *s = f->s;
    bool ending = s->may_end || s->held, filled = s->filled;
    s->answer = 0;
    s->answered = s->called = s->resulted = s->filled = s->held = s->asked = false;
    if (filled && !s->muted) f->events->on_step_end(f->user, s->step, ending);
}

static peri_str reason_of(const peri_stepper *s) {
    return (peri_str){s->reason, s->reason_len};
}

// The turn is over for sure: its last step carries the end, then closes, then the turn settles.
static void settle(const feed *f) {
    peri_stepper *s = f->s;
    peri_item end = {.kind = PERI_ITEM_TURN_ENDED,
                     .name = reason_of(s),
                     .seq = f->obs ? f->obs->seq : 0,
                     .at_wall_ms = f->obs && f->obs->has_at ? f->obs->at_wall_ms : 0,
                     .exit_code = PERI_OBS_NO_EXIT};
    const peri_obs_value *message = f->obs ? peri_obs_get(f->obs, PERI_OBS_F_MESSAGE) : NULL;
    if (message) end.text = message->text;
    s->may_end = true;
    bool ended = s->asked && !s->filled; // its last step did; the end still belongs to it
    s->filled |= ended;
    push(f, &end);
    if (ended) s->filled = false;
    close_step(f);
    s->may_end = false;
    s->turn_open = false;
    bool muted = s->muted;
    s->muted = false;
    if (!muted) f->events->on_settled(f->user, reason_of(s));
}

static void remember_reason(peri_stepper *s, peri_str reason) {
    if (!reason.len) reason = PERI_STR("unknown");
    s->reason_len = peri_utf8_cut_bytes(reason, sizeof s->reason);
    memcpy(s->reason, reason.ptr, s->reason_len);
}

bool peri_reason_is_stop(peri_str reason) {
    static const peri_str words[] = {
        {"interrupted", 11}, {"aborted", 7}, {"cancelled", 9}, {"canceled", 8}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (peri_str_eq(reason, words[i])) return true;
    }
    return false;
}

// The caller announces the turn, a prompt's after its item is kept.
static void open_turn(const feed *f) {
    f->s->turn_open = true;
    f->s->turn++;
    f->s->raw_count = 0;
}

static void announce_turn(const feed *f, bool human) {
    if (!f->s->muted) f->events->on_turn_start(f->user, f->s->turn, human);
}

// An answer or a result without a prompt: some formats have none.
static void ensure_turn(const feed *f) {
    if (f->s->turn_open) return;
    open_turn(f);
    announce_turn(f, false);
}

// What was a turn ends before another can begin. One that did not say so just stops.
static void leave_turn(const feed *f) {
    peri_stepper *s = f->s;
    if (!s->turn_open) return;
    if (s->may_end) {
        settle(f);
        return;
    }
    close_step(f);
    s->turn_open = s->muted = false;
}

static void feed_echo(const feed *f) {
    peri_stepper *s = f->s;
    if (f->obs->x.mid_turn || (s->turn_open && !s->may_end)) return;
    leave_turn(f);
    s->muted = true;
    open_turn(f);
}

static void feed_prompt(const feed *f) {
    peri_stepper *s = f->s;
    peri_item item;
    if (peri_origin_is_echo(f->obs->x.origin)) {
        feed_echo(f);
        return;
    }
    if (!peri_item_of(f->obs, &item)) return;
    // A stop hook's feedback: the stop is held. A stream need not have said that it was one.
    bool at_stop = s->may_end || (s->answered && !s->called && !s->resulted);
    if (f->obs->x.continues && s->turn_open && at_stop) {
        s->may_end = false;
        s->held = s->filled;
        push(f, &item);
        return;
    }
    bool running = f->obs->x.mid_turn && !s->may_end; // else there is nothing to fold into
    bool folded = running || f->obs->x.continues || f->obs->kind == PERI_OBS_STEER;
    bool more_of_prompt = !s->answered && !s->resulted && !s->muted && !s->may_end;
    // A person who speaks into a turn that a report opened makes it a turn like any other.
    bool unmutes = s->muted && item.kind == PERI_ITEM_USER_MESSAGE;
    bool opens = !s->turn_open || unmutes || !(folded || more_of_prompt);
    if (opens) {
        leave_turn(f);
        open_turn(f);
    } else if (s->answered && !s->called && !s->resulted) {
        close_step(f); // an answer without calls waits for nothing: the prompt is behind it
    }
    push(f, &item);
    if (opens) announce_turn(f, item.kind == PERI_ITEM_USER_MESSAGE);
}

// A part of a model's answer. It opens a step if it belongs to
// another answer than the open step's.
static void feed_answer(const feed *f) {
    peri_stepper *s = f->s;
    peri_str id = f->obs->x.answer;
    uint64_t answer = id.len ? peri_str_hash(id, PERI_HASH_SEED) : 0;
    if (!answer && s->may_end) s->held = s->filled; // it did not stop there
    bool goes_on = s->marked || !s->resulted;
    bool same = answer ? answer == s->answer : goes_on && !s->held;
    if (s->answered && !same) close_step(f);
    s->may_end = false;
    ensure_turn(f);
    s->answer = answer;
    s->answered = true;
    s->called = s->called || f->obs->kind == PERI_OBS_TOOL;
    peri_item item;
    if (peri_item_of(f->obs, &item)) push(f, &item);
}

static void feed_result(const feed *f) {
    peri_stepper *s = f->s;
    peri_item item;
    if (!peri_item_of(f->obs, &item)) return;
    ensure_turn(f);
    s->resulted = true;
    push(f, &item);
    if (!s->muted) f->events->on_result(f->user, item.kind == PERI_ITEM_TOOL_DENIED);
}

static void feed_end(const feed *f, peri_str reason) {
    peri_stepper *s = f->s;
    if (!s->turn_open || (f->obs->x.repeats && !s->answered)) return;
    if (!s->may_end) remember_reason(s, reason);
    if (f->obs->x.maybe) {
        s->may_end = true;
        if (s->live && f->obs->x.ends_step && s->filled) {
            close_step(f);
            s->asked = true;
        }
    } else {
        settle(f);
    }
}

// A step's end, or, without the mark, the beginning of the next.
static void feed_step(const feed *f) {
    peri_stepper *s = f->s;
    s->marked = s->marked || f->obs->x.ends_step;
    if (s->turn_open && s->filled && (f->obs->x.ends_step || s->answered)) close_step(f);
}

static void feed_other(const feed *f) {
    peri_item item;
    if (peri_item_of(f->obs, &item) && f->s->turn_open) push(f, &item);
}

// Whatever an unknown record means, it opens no turn and no step: it is kept with the step it
// comes in, or the one before which it comes.
static void feed_raw(const feed *f) {
    peri_stepper *s = f->s;
    peri_item item;
    if (s->muted || !s->turn || s->raw_count == PERI_TURN_MAX_RAW) return;
    if (!peri_item_of(f->obs, &item)) return;
    s->raw_count++;
    item.step = s->filled ? s->step : s->step + 1;
    item.turn = s->turn;
    f->events->on_item(f->user, &item);
}

void peri_stepper_feed(peri_stepper *stepper, const peri_obs *obs,
                       const peri_step_events *events, void *user) {
    feed f = {stepper, obs, events, user};
    switch (obs->kind) {
    case PERI_OBS_PROMPT:
    case PERI_OBS_STEER:
        feed_prompt(&f);
        return;
    case PERI_OBS_STEP:
        feed_step(&f);
        return;
    case PERI_OBS_TEXT:
    case PERI_OBS_RESULT:
    case PERI_OBS_TOOL:
    case PERI_OBS_REASONING:
        feed_answer(&f);
        return;
    case PERI_OBS_TOOL_RESULT:
    case PERI_OBS_TOOL_DENIED:
        feed_result(&f);
        return;
    case PERI_OBS_STOP_PREVENTED:
        if (stepper->may_end) {
            stepper->may_end = false;
            stepper->held = stepper->filled;
        }
        return;
    case PERI_OBS_FINISHED:
        feed_end(&f, PERI_STR("completed"));
        return;
    case PERI_OBS_STOPPED:
        feed_end(&f, peri_obs_str(obs, PERI_OBS_F_REASON));
        return;
    case PERI_OBS_FAILURE:
        feed_end(&f, PERI_STR("failed"));
        return;
    case PERI_OBS_QUOTA:
        feed_end(&f, PERI_STR("quota"));
        return;
    case PERI_OBS_RAW:
        feed_raw(&f);
        return;
    default:
        feed_other(&f);
        return;
    }
}

void peri_stepper_finish(peri_stepper *stepper, const peri_step_events *events, void *user) {
    feed f = {stepper, NULL, events, user};
    leave_turn(&f);
}
