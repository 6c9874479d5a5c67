// Who may be shown what: which observers are paired with an agent, and whether each may still
// be fed. What is due waits in the queue of work.
//
//   work               the queue of what is due
//   presence           other hosts of the ledger
//   spend              ceilings of a session and a day
//   accepted           what was let through before
//   permissions_check  what a config says of permissions
//   permissions        settings files, read again
//   gate               asking the gate, with hooks
//   resume             what outlives a host
//   pairing            arming, and what is let through
#ifndef PERI_HOST_ADMIT_H
#define PERI_HOST_ADMIT_H

#include "host/types.h"

// host/admit/work.c
/// Notes work behind all that is due. Beyond HOST_MAX_WORK, or out
/// of memory, it is dropped and counted.
void host_push_work(peri_host *host, host_work work);
/// The same in front of it.
void host_push_work_first(peri_host *host, host_work work);
/// Work that refers to what the agent has done up to now.
host_work host_work_now(const host_agent *of, host_work_kind kind);
/// Takes the first piece; there must be one.
host_work host_take_work(peri_host *host);

// host/admit/presence.c
/// Opens the claims beside the ledger; live only. Without them the host goes on alone.
void host_presence_open(peri_host *host, const char *ledger_path);
/// True if the session is this host's to observe; that it is another's is told once.
bool host_claim_session(peri_host *host, const peri_session *session);
/// True if this host observes the session.
bool host_observes(const peri_host *host, peri_str session);
/// True if a host other than the holder of `claims` does.
bool host_presence_observes(const peri_claims *claims, peri_str session);
/// Opens the claims of a ledger to ask by; closed by peri_claims_close().
void host_presence_ask(const char *ledger_path, peri_claims *out);
/// True if another live host observes it.
bool host_is_elsewhere(const peri_host *host, peri_str session);

// host/admit/spend.c
/// Asks for `amount` of `what` for the agent's session and the day. NULL, and it is spent, or
/// the ceiling that is reached; that is said once a session.
const char *host_spend_try(peri_host *host, const host_agent *of, peri_spend what,
                           uint64_t amount);
/// When a ceiling that was reached is a new one by itself; 0: not in this session.
int64_t host_spend_until(const peri_host *host, const char *reached);
/// What hosts before this one, or beside it, spent; live only.
void host_spend_resume_day(peri_host *host);
void host_spend_resume_session(peri_host *host, host_session *kept, peri_str session);
/// Stores what was spent since the last time, for the commit that follows.
void host_spend_save(peri_host *host);
/// All that was spent is to be stored again: the ledger is a new one.
void host_spend_renew(peri_host *host);

// host/admit/accepted.c
/// Keeps the policies' states in the ledger, live.
void host_accepted_keep_states(peri_host *host, peri_script *policies);
/// Takes back what a host before this one let through in a session,
/// and then for each of its agents.
void host_accepted_resume_session(peri_host *host, host_session *kept, peri_str session);
void host_accepted_resume(peri_host *host, host_agent *of, const host_session *kept);

// host/admit/gate.c
/// Hears the judgement on one question, once: at once or from a later turn of the loop; NULL if
/// the host ends before it is made.
typedef void (*host_gate_done)(void *user, const peri_gate_trace *trace);
/// Judges whether an observer of `type` may be started for an agent, or fed. `folder` is where
/// the agent works. PERI_ENOMEM, and nothing is heard.
typedef struct host_gate_question {
    peri_str session, agent, name; // of the observed agent: its key, and its type
    peri_str type, folder;
    peri_permission_mode mode;
    bool mode_known; // else the mode of the settings
    bool named, tools_known;
    const peri_str *tools, *refused_tools;
    size_t tool_count, refused_tool_count;
} host_gate_question;
PERI_MUST_USE int host_gate_ask(peri_host *host, const host_gate_question *question,
                                host_gate_done done, void *user);
/// What `def` (may be NULL) says of the observed agent's tools.
void host_gate_know_tools(host_gate_question *question, const host_agent_def *def);
/// Kills the hooks that run.
void host_gate_close(peri_host *host);

// host/admit/resume.c
/// What a host before this one left of the pairing: task, state,
/// how far it has read, the user's stop.
void host_resume(peri_host *host, peri_pairing *pairing);
/// An `observer-ref` of the agent's own recording: the client had an observer of this type
/// watch it, as that task. A pairing whose observer still has the type goes on as it while the
/// client keeps the observer's recording, else anew with a note; the last reference counts.
void host_resume_reference(peri_host *host, const peri_source *source, const peri_agent *agent,
                           peri_str type, peri_str task_id);
/// True if the user has enabled the observer since the gate denied the pairing: it is armed
/// then, and that is told.
bool host_enabled(peri_host *host, peri_pairing *pairing);
/// Stores all of that, in the transaction of what changed it.
void host_resume_save(peri_host *host, const peri_pairing *pairing);
/// A fresh task for the pairing, which knows nothing of the
/// one before; its next digest says so.
void host_resume_anew(peri_host *host, peri_pairing *pairing);
/// True if the user has stopped the observer; the pairing is stopped then, and that is told.
bool host_stopped(peri_host *host, peri_pairing *pairing);
/// True if a host before this one has woken the observer for what this batch holds; the
/// pairing's cursor is put where it was then.
bool host_resume_has_seen(const host_work *work);

// host/admit/pairing.c
/// Arms the observers of an agent, those its definition names first.
void host_arm(peri_host *host, peri_agent *agent);
/// May this batch be shown to its observer now? False: it was dropped, or it waits for hooks
/// and is due again when they have answered.
bool host_admit(peri_host *host, const host_work *work);
/// True while a run or a question to the gate is on its way for one of the agent's observers.
bool host_is_busy(const peri_agent *agent);
/// What waits for the last of them.
void host_end_if_idle(peri_host *host, host_agent *of);

#endif
