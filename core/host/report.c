// Reports of observers (host/report.h). Conditions first, all of them here: a runtime that has a report,
// in whatever form, asks this file. An accepted one is a proposal like any other and goes the way of all
// proposals; who it is for is decided here as well.
#include "host/report.h"

#include <stdio.h>
#include <stdlib.h>

#include "host/internal.h"

static bool is_main(const peri_agent *agent) {
    return peri_str_eq(agent->key, PERI_STR("main"));
}

static const peri_agent *receiver_of(const peri_pairing *pairing) {
    return pairing->reports_to ? pairing->reports_to : pairing->agent;
}

// A task that has settled is over; the main conversation waits for its user.
static bool is_running(const peri_agent *agent) {
    const host_agent *of = agent->attached;
    if (agent->ended || agent->session->ended || !of || of->finished) return false;
    return is_main(agent) || of->phase == PERI_PHASE_RUNNING;
}

const char *host_report_refusal(const peri_pairing *pairing) {
    if (!pairing || !peri_pairing_active(pairing)) {
        return "the observer's pairing is not armed: it was stopped, retired or never installed; "
               "nothing was delivered";
    }
    if (!is_running(receiver_of(pairing))) {
        return "the observed agent is not running; nothing was delivered";
    }
    return NULL;
}

peri_lane host_report_lane(const peri_pairing *pairing) {
    const host_agent *of = receiver_of(pairing)->attached;
    return of->phase == PERI_PHASE_RUNNING ? PERI_LANE_STEER : PERI_LANE_PROMPT;
}

host_agent *host_report_receiver(const peri_pairing *pairing) {
    return receiver_of(pairing)->attached;
}

peri_str host_report_text(const peri_pairing *pairing, peri_str report, peri_buf *room) {
    if (!pairing->reports_to) return report;
    const peri_agent *agent = pairing->agent;
    peri_buf_clear(room);
    peri_buf_addf(room, "[about %.*s] ", PERI_FMT(agent->name.len ? agent->name : agent->key));
    peri_buf_add(room, report);
    return room->status < 0 ? report : peri_buf_str(room);
}

// ---- The tool

static const peri_session *find_session(const peri_host *host, peri_str id) {
    return peri_map_get(&host->registry.sessions, id);
}

static peri_pairing *find_pairing(const peri_host *host, peri_str session_id, peri_str task) {
    const peri_session *session = find_session(host, session_id);
    for (const peri_agent *agent = session ? session->agents : NULL; agent;
         agent = agent->next) {
        for (size_t i = 0; i < agent->pairing_count; i++) {
            if (peri_str_eq(peri_str_c(agent->pairings[i]->task_id), task)) {
                return agent->pairings[i];
            }
        }
    }
    return NULL;
}

static void answer(peri_report_answer *out, bool is_error, const char *text) {
    out->is_error = is_error;
    snprintf(out->text, sizeof out->text, "%s", text);
}

static void say_queued(peri_report_answer *out, const peri_agent *receiver) {
    out->is_error = false;
    peri_str name = receiver->name.len ? receiver->name : receiver->key;
    if (is_main(receiver)) {
        answer(out, false, "report queued for the main conversation");
    } else {
        snprintf(out->text, sizeof out->text, "report queued for %.*s",
                 PERI_FMT(peri_str_sub(name, 0, peri_utf8_cut_bytes(name, 200))));
    }
}

int peri_host_report(peri_host *host, peri_str session, peri_str caller, peri_str report,
                     peri_report_answer *out) {
    HOST_CHECK(host);
    if (!caller.len || peri_str_eq(caller, PERI_STR("main"))) {
        answer(out, true,
               "ObserverReport is an observer's: the main session has no observed "
               "pairing; nothing was delivered");
        return PERI_OK;
    }
    peri_pairing *pairing = find_pairing(host, session, caller);
    if (pairing) (void)host_stopped(host, pairing); // the user may be in another program
    const char *reason = host_report_refusal(pairing);
    if (reason) {
        if (pairing) pairing->counts.refused_reports++;
        answer(out, true, reason);
        return PERI_OK;
    }
    host_agent *of = pairing->agent->attached;
    const host_work work = {.kind = WORK_BATCH,
                            .of = of,
                            .pairing = pairing,
                            .step = of->stepper.step,
                            .turn = of->stepper.turn};
    const peri_draft draft = {.report = report};
    const peri_proposal *proposal;
    int status = host_propose(host, &work, &draft, &proposal, &reason);
    if (status == PERI_ENOMEM) return status;
    if (status < 0) {
        answer(out, true, reason);
        return PERI_OK;
    }
    host_record_proposal(host, &work, proposal);
    host_push_work(host, work);
    say_queued(out, receiver_of(pairing));
    return PERI_OK;
}
