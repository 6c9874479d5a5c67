// From a digest to a delivery: an observer runs, what it emits is checked, the policies rule on
// it, and what they let through is handed over and looked after.
//
//   overrun            who runs out of time again and again
//   report             conditions of reports
//   propose            what a run emits, checked
//   stale              is advice overtaken?
//   lanes              which ways lead to an agent
//   handing            hand-over of deliveries
//   notes              deliveries, and their effect
//   policies           the chain of policies
//   judge              the batch before the policies
//   runs               digest -> run
//   report_tool        ObserverReport
#ifndef PERI_HOST_RUN_H
#define PERI_HOST_RUN_H

#include "host/types.h"

// host/run/overrun.c
/// Notes how a run of the observer ended.
void host_overrun_note(peri_host *host, const peri_observer *observer, peri_run_state state);
/// True if a replay goes on without the observer, since it runs out of time in session after
/// session; the pairing is disabled then, and that is told.
bool host_overrun_ends(peri_host *host, peri_pairing *pairing);

// host/run/report.c
/// Why a report of this pairing is refused now; NULL if it is not. `pairing` may be NULL.
const char *host_report_refusal(const peri_pairing *pairing);
/// Whom it is for: the observed agent, or the coordinator of an inherited observer.
host_agent *host_report_receiver(const peri_pairing *pairing);
/// The lane it goes in.
peri_lane host_report_lane(const peri_pairing *pairing);
/// The text, in `room` with the observed agent in front where somebody else reads it.
peri_str host_report_text(const peri_pairing *pairing, peri_str report, peri_buf *room);

// host/run/propose.c
/// A short hash of (session, agent, observer, step, ordinal): the same in every replay.
void host_make_id(char out[11], const host_work *work, const char *kind, uint64_t ordinal);
/// A ceiling is reached: told once, until it is a new one by itself.
void host_go_without(peri_host *host, peri_pairing *pairing, const char *reached);
/// Makes a proposal of a draft, to be judged with the batch of whom it is for. PERI_EDENIED (a
/// ceiling, or a report's conditions), PERI_EINVAL (the draft), PERI_ENOMEM, with the reason.
PERI_MUST_USE int host_propose(peri_host *host, const host_work *work, const peri_draft *draft,
                               const peri_proposal **out, const char **reason);
/// Tells the proposal to the record stream.
void host_record_proposal(peri_host *host, const host_work *work, const peri_proposal *p);

// host/run/stale.c
/// True if what `p` cites has changed since it was said: the same call has another result now,
/// or the file was written again.
bool host_overtaken(const host_agent *of, const peri_proposal *p);

// host/run/lanes.c
/// Takes what `config` knows better of the dialects' channels;
/// what names none is told. PERI_ENOMEM.
PERI_MUST_USE int host_lanes_configure(peri_host *host, const host_config *config,
                                       peri_diag_list *diags);
/// Notes what the record of `dialect` behind an observation tells of the ways to its agent.
void host_lanes_hear(peri_host *host, const peri_dialect *dialect, host_agent *of,
                     const peri_obs *obs);
/// The lane that stands in for one that does not lead to the agent; `lane` itself if it does.
peri_lane host_lane_for(host_agent *of, peri_lane lane);
/// PERI_OK, with the event and answer it goes by, if a delivery may be handed over now;
/// PERI_EAGAIN: not yet; PERI_ECLOSED: never, its agent has ended.
PERI_MUST_USE int host_lane_open(const peri_host *host, peri_delivery *delivery);

// host/run/handing.c
/// Expires what waits for the sink of observers that the user has stopped.
void host_expire_stopped(peri_host *host);
/// Ends the deliveries that a host before this one left unfinished.
void host_resume_deliveries(peri_host *host);
/// Around the sink: 0, and the delivery may be handed over; and that it was, or was not.
int host_begin_handing(void *user, peri_delivery *delivery);
void host_end_handing(void *user, const peri_delivery *delivery);

// host/run/notes.c
void host_on_delivery(void *user, const peri_delivery *delivery, peri_delivery_state state,
                      peri_str reason);
/// Loads the judge of notes. PERI_ENOMEM; a faulty one is a diagnostic, and nothing is judged.
PERI_MUST_USE int host_notes_load(peri_host *host);
/// Takes up what was let through in a lane that leads to the agent.
void host_note_take(peri_host *host, host_agent *of, const peri_proposal *p, peri_lane lane);
/// A turn began: what was to come with it stands before the agent.
void host_notes_open(host_agent *of);
/// Notes that what stands before the agent is to be judged.
void host_notes_due(peri_host *host, host_agent *of, peri_trigger trigger);
void host_do_notes(peri_host *host, const host_work *work);
/// Number of the first item that a judgement may need; UINT64_MAX: none.
uint64_t host_notes_need(const host_agent *of);
void host_notes_free(host_agent *of);

// host/run/policies.c
PERI_MUST_USE int host_policies_load(peri_host *host, const peri_host_options *options);
void host_policies_unload(peri_host *host);
/// Loads the chain into a new VM; what is wrong goes to `diags`. PERI_EINVAL if one that the
/// options name cannot be used, PERI_ENOMEM.
PERI_MUST_USE int host_policies_build(peri_host *host, peri_diag_list *diags,
                                      peri_script **out);

// host/run/judge.c
void host_do_batch(peri_host *host, const host_work *work);
void host_do_window(peri_host *host, const host_work *work);
/// Drops what the agent's desk has deferred.
void host_drop_deferred(peri_host *host, const host_work *work, const char *reason);

// host/run/runs.c
/// Does the first piece of work that is due; there must be one.
void host_do_work(peri_host *host);
/// Ends the runs in flight, each with its record.
void host_runs_abandon(peri_host *host);

#endif
