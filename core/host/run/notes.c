// What becomes of a note once it was let through: what its delivery comes to, which its
// observer is told (ctx.last), and what the agent did about it, which
// lua/perilune/precision.lua judges by the agent's next steps (spec PE-8). The judge is a Lua
// observer like any other, asked about one note at a time: the turn it sees begins behind the
// note, its ctx.state tells the note, and its report is the verdict. Called by
// host/run/judge.c, host/read/observe.c and the outbox.
#include <stdio.h>
#include <stdlib.h>

#include "host/admit/admit.h"
#include "host/run/run.h"
#include "host/told/told.h"
#include "host/written/written.h"

enum { NOTE_TEXT_CP = 500, NOTE_MAX_BYTES = 4 * 1024 };

int host_notes_load(peri_host *host) {
    const peri_str file = PERI_STR("lua/perilune/precision.lua");
    peri_str text = host_shipped(host, file);
    if (!text.ptr) return PERI_OK;
    int status =
        peri_script_add_observer(host->script, PERI_STR("precision"), PERI_STR("precision"),
                                 file, text, NULL, &host->diags, &host->precision);
    return status == PERI_ENOMEM ? status : PERI_OK;
}

// ---- Notes of one agent

static void free_note(host_agent *of, size_t at) {
    free(of->notes[at].proposal);
    of->note_count--;
    memmove(of->notes + at, of->notes + at + 1, (of->note_count - at) * sizeof *of->notes);
}

void host_notes_free(host_agent *of) {
    while (of->note_count) free_note(of, of->note_count - 1);
    free(of->notes);
    of->notes = NULL;
}

static bool leads_to_agent(peri_lane lane) {
    return lane != PERI_LANE_USER && lane != PERI_LANE_LOG;
}

void host_note_take(peri_host *host, host_agent *of, const peri_proposal *p, peri_lane lane) {
    if (!host->precision || !leads_to_agent(lane)) return;
    if (!of->notes) of->notes = calloc(HOST_MAX_NOTES, sizeof *of->notes);
    peri_proposal *copy = of->notes ? peri_proposal_copy(p) : NULL;
    if (!copy) return; // it will have been delivered, and not judged
    if (of->note_count == HOST_MAX_NOTES) free_note(of, 0);
    of->notes[of->note_count++] = (host_note){
        .proposal = copy,
        .lane = lane,
        .state = PERI_DELIVERY_QUEUED,
        .log_from = of->turn_first,
    };
}

static void stand(const host_agent *of, host_note *note) {
    note->stands = true;
    note->from = of->tap.last_number + 1;
    note->from_step = of->stepper.step;
}

void host_notes_open(host_agent *of) {
    for (size_t i = 0; i < of->note_count; i++) {
        host_note *note = &of->notes[i];
        if (!note->stands && note->state != PERI_DELIVERY_QUEUED) stand(of, note);
    }
}

uint64_t host_notes_need(const host_agent *of) {
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < of->note_count; i++) {
        if (of->notes[i].log_from < first) first = of->notes[i].log_from;
    }
    return first;
}

// ---- What its delivery comes to

static void tell_observer(const host_agent *of, const peri_delivery *delivery, peri_str state,
                          peri_str reason) {
    for (size_t i = 0; i < of->agent->pairing_count; i++) {
        peri_pairing *pairing = of->agent->pairings[i];
        if (!peri_str_eq(pairing->last[PERI_LAST_ID], delivery->id)) continue;
        peri_try_own(&pairing->last[PERI_LAST_STATE], state);
        if (reason.len) peri_try_own(&pairing->last[PERI_LAST_REASON], reason);
        pairing->last_due = true;
    }
}

// From when on it stands before the agent: once it was seen there, or by its lane.
static void move_note(host_agent *of, peri_str id, peri_delivery_state state) {
    size_t at = 0;
    while (at < of->note_count && !peri_str_eq(of->notes[at].proposal->id, id)) at++;
    if (at == of->note_count) return;
    host_note *note = &of->notes[at];
    note->state = state;
    bool at_once = note->lane == PERI_LANE_STEER || note->lane == PERI_LANE_HOLD;
    if (state == PERI_DELIVERY_EXPIRED) {
        free_note(of, at);
    } else if (state == PERI_DELIVERY_SEEN || (at_once && state != PERI_DELIVERY_QUEUED)) {
        stand(of, note);
    }
}

void host_on_delivery(void *user, const peri_delivery *delivery, peri_delivery_state state,
                      peri_str reason) {
    peri_host *host = user;
    peri_record record = {
        .kind = PERI_RECORD_DELIVERY,
        .session = delivery->session,
        .agent = delivery->agent,
        .id = delivery->id,
        .observer = delivery->observer,
        .lane = delivery->lane,
        .text = delivery->text,
        .nonce = delivery->nonce,
        .state = peri_delivery_state_word(state),
        .reason = reason,
    };
    char way[HOST_WAY_BYTES];
    if (state == PERI_DELIVERY_HANDED && delivery->event.len) {
        int len = snprintf(way, sizeof way, "%.*s.%.*s", PERI_FMT(delivery->event),
                           PERI_FMT(delivery->answer));
        if (len > 0 && (size_t)len < sizeof way) record.name = peri_str_of(way, (size_t)len);
    }
    host_record(host, &record);
    host->counts.handed += state == PERI_DELIVERY_HANDED;
    host->counts.seen += state == PERI_DELIVERY_SEEN;
    host->counts.expired += state == PERI_DELIVERY_EXPIRED;
    const peri_agent *agent =
        peri_registry_find(&host->registry, delivery->session, delivery->agent);
    host_agent *of = agent ? agent->attached : NULL;
    if (of) {
        tell_observer(of, delivery, peri_delivery_state_word(state), reason);
        move_note(of, delivery->id, state);
        bool holds = peri_str_eq(delivery->lane, peri_lane_word(PERI_LANE_HOLD));
        if (holds && state == PERI_DELIVERY_HANDED) of->stopping = false;
    }
    bool ended = state == PERI_DELIVERY_HANDED || state == PERI_DELIVERY_EXPIRED;
    if (ended) host_end_handing(host, delivery);
}

// ---- What the agent did about it

void host_notes_due(peri_host *host, host_agent *of, peri_trigger trigger) {
    bool due = false;
    for (size_t i = 0; i < of->note_count; i++) due |= of->notes[i].stands;
    if (!due && trigger != PERI_TRIGGER_SESSION_END) return;
    host_work work = host_work_now(of, WORK_NOTES);
    work.trigger = trigger;
    work.ending = trigger == PERI_TRIGGER_SESSION_END;
    host_push_work(host, work);
}

static peri_turn turn_behind(const host_work *work, const host_note *note) {
    const host_agent *of = work->of;
    const peri_agent *agent = of->agent;
    peri_turn turn = {
        .session = agent->session->id,
        .agent = agent->key,
        .agent_name = agent->name.len ? agent->name : agent->key,
        .cwd = agent->cwd,
        .trigger = work->trigger,
        .step = work->step,
        .turn = work->turn,
        .last_user = of->last_user,
        .ending = work->ending,
    };
    turn.items =
        peri_tap_range(&of->tap, note->from, work->upto, &turn.item_count, &turn.dropped_count);
    turn.log = peri_tap_range(&of->tap, note->log_from, work->upto, &turn.log_count,
                              &turn.log_dropped_count);
    return turn;
}

static void add_text(peri_buf *out, const char *key, peri_str text) {
    peri_buf_addf(out, ",\"%s\":", key);
    peri_json_add_string(out, text);
}

static void write_note(const host_work *work, const host_note *note, peri_buf *out) {
    const peri_proposal *p = note->proposal;
    peri_buf_addf(out, "{\"shown\":%s,\"steps\":%u",
                  note->state == PERI_DELIVERY_WOULD_DELIVER ? "false" : "true",
                  work->step - note->from_step);
    add_text(out, "kind", peri_proposal_kind_word(p->kind));
    add_text(out, "lane", peri_lane_word(note->lane));
    add_text(out, "text",
             peri_str_sub(p->text, 0, peri_utf8_cut_cp(p->text, NOTE_TEXT_CP).bytes));
    peri_buf_add_c(out, ",\"evidence\":[");
    for (uint32_t i = 0; i < p->evidence_count; i++) {
        peri_buf_addf(out, i ? ",%llu" : "%llu", (unsigned long long)p->evidence[i]);
    }
    peri_buf_add_c(out, "]}");
}

static void record_verdict(peri_host *host, const host_work *work, const host_note *note,
                           peri_delivery_state verdict, peri_str reason) {
    peri_record record = host_record_of(PERI_RECORD_DELIVERY, work);
    record.id = note->proposal->id;
    record.observer = note->proposal->observer;
    record.lane = peri_lane_word(note->lane);
    record.state = peri_delivery_state_word(verdict);
    record.reason = reason;
    record.trigger = peri_delivery_state_word(note->state); // what the delivery had come to
    host_record(host, &record);
    host->counts.followed += verdict == PERI_DELIVERY_FOLLOWED;
    host->counts.ignored += verdict == PERI_DELIVERY_IGNORED;
    host->counts.contradicted += verdict == PERI_DELIVERY_CONTRADICTED;
}

// "followed: it read the file". False if it is no verdict.
static bool read_verdict(peri_str report, peri_delivery_state *verdict, peri_str *reason) {
    size_t colon = peri_str_find_byte(report, ':', 0);
    if (colon == PERI_NPOS) return false;
    peri_str word = peri_str_sub(report, 0, colon);
    *reason = peri_str_trim(peri_str_sub(report, colon + 1, report.len));
    for (*verdict = PERI_DELIVERY_FOLLOWED; *verdict < PERI_DELIVERY_STATE_COUNT;
         (*verdict)++) {
        if (peri_str_eq(word, peri_delivery_state_word(*verdict))) return true;
    }
    return false;
}

static void fail(peri_host *host, peri_str error) {
    bool out = ++host->precision_failures >= PERI_RUN_MAX_FAILURES;
    host_logf(host, "warning", "precision.lua %s: %.*s",
              out ? "judges no more after three failures in a row" : "could not judge a note",
              PERI_FMT(error));
    if (out) host->precision = NULL;
}

// True if the note is done with.
static bool judge_note(peri_host *host, const host_work *work, const host_note *note) {
    peri_buf state;
    peri_buf_init(&state, NOTE_MAX_BYTES);
    write_note(work, note, &state);
    peri_turn turn = turn_behind(work, note);
    peri_run_request request = {
        .observer = host->precision,
        .turn = &turn,
        .digest = PERI_STR(""),
        .saved_state = peri_buf_str(&state),
    };
    peri_run_result result;
    peri_script_run(&request, &host->run_arena, &result);
    peri_delivery_state verdict;
    peri_str reason;
    bool done = true;
    if (result.state == PERI_RUN_PROPOSED &&
        read_verdict(result.draft.report, &verdict, &reason)) {
        record_verdict(host, work, note, verdict, reason);
        host->precision_failures = 0;
    } else if (result.state == PERI_RUN_SILENT) {
        done = work->step - note->from_step >= HOST_NOTE_STEPS;
        host->precision_failures = 0;
    } else {
        fail(host, result.error.ptr ? result.error : PERI_STR("it gave no verdict"));
    }
    peri_buf_deinit(&state);
    peri_arena_reset(&host->run_arena);
    return done;
}

void host_do_notes(peri_host *host, const host_work *work) {
    host_agent *of = work->of;
    for (size_t i = 0; i < of->note_count;) {
        const host_note *note = &of->notes[i];
        bool due = host->precision && note->stands && note->from < work->upto;
        if (due && judge_note(host, work, note)) {
            free_note(of, i);
        } else {
            i++;
        }
    }
    if (work->ending) host_notes_free(of);
}
