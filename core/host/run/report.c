// Reports of observers (spec CC-9): their conditions, and whom one is for. A runtime that has a
// report, in whatever form, asks this file. An accepted one is a proposal like any other and
// goes the way of all proposals. Called by host/run/propose.c and host/run/report_tool.c.
#include "host/run/run.h"

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
