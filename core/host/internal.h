// What the files of the host share. The host owns everything; stages are wired here and nowhere else.
// core/host.c is its life and one step of its loop. A file calls only files that stand before it in this
// list (tools/check_layers.lua):
//
//   what is told of what happens
//     subscribers       who hears the records             records           the record stream
//     standing          what status is told from          moves             a pairing's moves
//   what people wrote
//     file_names        which files are definitions       shipped           files inside the library
//     watch             files that may change             dialects          agents' formats, and sidecars
//     config            config.yaml                       narrow            a project's config and goal
//     switches          off switches of the environment   trust             what a person agreed to
//     project           what a project folder holds       project_layer     what of it counts
//     privacy           what is hidden on the way out     recall            notes and skills
//     observers         the observers in use              agents            definitions that name observers
//     commands          observers in processes            define            one definition taken, or not
//     layers            observers, layer by layer
//   who may be shown it
//     work              the queue of what is due          presence          other hosts of the ledger
//     spend             ceilings of a session and a day   accepted          what was let through before
//     permissions_check what a config says of permissions permissions       settings files, read again
//     gate              asking the gate, with hooks       resume            what outlives a host
//     pairing           arming, and what is let through
//   digest -> run -> proposal -> ruling -> delivery
//     overrun           who runs out of time again and againreport            conditions of reports
//     propose           what a run emits, checked         stale             is advice overtaken?
//     lanes             which ways lead to an agent       handing           hand-over of deliveries
//     notes             deliveries, and their effect      policies          the chain of policies
//     judge             the batch before the policies     runs              digest -> run
//     report_tool       ObserverReport
//   bytes -> observation -> activity -> work that is due
//     observe           observation -> activity -> due    idle              who has not been heard of?
//     sniff             what a file is                    source            one source, line by line
//     tails             which files are followed          tail              one followed file
//     follow            live files and trees              input             files and streams, in order
//   what is said when somebody asks
//     counts            what this host has counted        summary           what it says of itself
//     lag               are the sources read?             history           what the ledger remembers
//     states            why is it silent?                 states_json       the same as JSON
//     status            the status document
//   the whole of it
//     load              all that people wrote, in order   reload            what a change does
//     author            doors for the CLI's author verbs  names             what a config may name
//     check             `perilune check`                  worker            `perilune worker`, the other end
#ifndef PERI_HOST_INTERNAL_H
#define PERI_HOST_INTERNAL_H

#include "host/types.h"

// host/subscribers.c
void host_subscribers_hear(peri_host *host, const peri_record *record);
/// Offers what waits once more.
void host_subscribers_drain(peri_host *host);
int host_subscribers_timeout_ms(
    const peri_host *host); // until the next offer; -1: nothing waits
void host_subscribers_write_status(const peri_host *host, peri_buf *out);
void host_subscribers_free(peri_host *host);

// host/records.c
/// A record about a piece of work; more is filled in by the caller.
peri_record host_record_of(peri_record_kind kind, const host_work *work);
/// Sends a record; `seq`, time and json are filled in.
void host_record(peri_host *host, peri_record *record);
void host_record_observation(peri_host *host, const peri_obs *obs);
void host_warn(peri_host *host, const char *id, peri_str file, peri_str text, peri_str hint);
void host_logf(peri_host *host, const char *severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void host_diags_flush(peri_host *host);
int64_t host_wall_ms(const peri_host *host);
/// `text` with its secrets replaced, in `room` if any were; raw where scrubbing is off.
peri_str host_scrubbed(peri_host *host, peri_str text, peri_buf *room);
/// The same of a JSON value; empty if it would be none any more.
peri_str host_scrubbed_json(peri_host *host, peri_str json, peri_buf *room);

// host/standing.c
/// Notes that something about the pairing changed that status tells.
void host_standing_touch(peri_host *host, peri_pairing *pairing);
/// The same for the number of an agent's items.
void host_standing_heard(peri_host *host, host_agent *of);
/// Why proposals of an observer were dropped.
void host_standing_drop(peri_host *host, peri_pairing *pairing, peri_str reason);
/// What hosts before this one counted.
void host_standing_resume(peri_host *host, peri_pairing *pairing);
/// Stores all of it for the commit that follows.
void host_standing_save(peri_host *host);

// host/moves.c
/// Moves a pairing as the table allows (peri_pairing_move()); a move it has not is refused and recorded.
int host_pairing_move(peri_host *host, peri_pairing *pairing, peri_cause cause);
/// Tells a pairing's state to the record stream. `trace`: the gate's judgement behind it, or NULL.
void host_pairing_tell(peri_host *host, peri_pairing *pairing, peri_str state, peri_str reason,
                       const peri_gate_trace *trace);
/// Ends the pairings of an agent that ended; each is recorded.
void host_retire(peri_host *host, const peri_agent *agent);

// host/file_names.c
bool host_is_markdown(peri_str file);
/// `path` with the other of the endings .lua and .md; owned; NULL when memory ran out.
char *host_sibling(peri_str path);

// host/shipped.c
/// $XDG_CONFIG_HOME/perilune/NAME, or ~/.config/perilune/NAME; owned; NULL if neither is set.
char *host_user_path(const char *name);
/// Source of a `perilune.*` module; `user` is the host.
peri_str host_find_module(void *user, peri_str name);
/// The shipped file `path`: from lua_dir if it is there, else from the library. Absent if neither.
peri_str host_shipped(peri_host *host, peri_str path);
/// Visits the shipped files `folder`*`suffix`, those of lua_dir where it is set.
void host_each_shipped(peri_host *host, const char *folder, const char *suffix,
                       void (*fn)(peri_host *host, peri_str path, peri_str text));
/// How every script of the host runs.
peri_script_options host_script_options(peri_host *host);
void host_shipped_free(peri_host *host);

// host/watch.c
/// Notes a file, or a folder of them, to be loaded anew when it changes; not in a replay. `layer` stays
/// the caller's, for good; absent for what is no observer. An observer counts with the Lua beside it.
void host_watch(peri_host *host, host_watched_kind kind, peri_str layer, const char *path);
/// Notes an observer's file that came while the host runs: as one that has changed.
void host_watch_new(peri_host *host, peri_str layer, const char *path);
/// Changes when what is watched does.
uint64_t host_watched_stamp(host_watched_kind kind, const char *path);
void host_watch_free(peri_host *host);

// host/dialects.c
/// Loads all of them into an initialised host; one that cannot be used is a diagnostic.
void host_dialects_load(peri_host *host);
void host_dialects_unload(peri_host *host);
/// The dialect called `name`; NULL if there is none.
const peri_dialect *host_dialect_find(const peri_host *host, const char *name);
/// What stands beside the recording `file` of its agent; texts go to `arena`. False if there is nothing.
bool host_sidecar_read(peri_host *host, const peri_dialect *dialect, const char *file,
                       peri_arena *arena, peri_sidecar_facts *out);
/// True for a file that belongs to a recording beside it and is read with it.
bool host_is_sidecar(const peri_host *host, const char *path);

// host/config.c
void host_config_init(host_config *config);
void host_config_deinit(host_config *config);
/// Reads `path` over what is there. PERI_ENOENT if there is none; mistakes are diagnostics and
/// PERI_EINVAL, and then nothing of the file counts.
PERI_MUST_USE int host_config_read(host_config *config, const char *path,
                                   peri_diag_list *diags);
/// The same for a text that was read from `path`.
PERI_MUST_USE int host_config_parse(host_config *config, peri_str text, peri_str path,
                                    peri_diag_list *diags);
/// "[x] text" is done, "[ ] text" and plain text are not. `item->text` is a part of `text`.
void host_goal_item_read(peri_goal_item *item, peri_str text);

// host/narrow.c
/// The same, but of what it says only what narrows counts: switching off, shadowing, lower limits,
/// more scrubbing, a goal. The rest is reported.
PERI_MUST_USE int host_config_narrow(host_config *config, peri_str text, peri_str path,
                                     peri_diag_list *diags);
/// Takes over what `said` has in shadow; nothing leaves it. False if `said` would let one out.
bool host_config_shadow(host_config *to, const host_config *said);
/// Reads a goal file: text, `check: COMMAND`, `- [ ]` lines. PERI_ENOMEM.
PERI_MUST_USE int host_goal_parse(host_config *config, peri_str text);

// host/switches.c
/// Reads PERILUNE_RESTRICTED and PERILUNE_OBSERVERS (spec CC-1). PERI_EINVAL, with a line of log that
/// names it, if one is neither true nor false.
PERI_MUST_USE int host_switches_read(peri_host *host);
/// Keeps every observer from running: `why`, and the file `path` that is why.
void host_switch_off(peri_host *host, const char *why, const char *path);
/// Takes what an observation tells of the environment of its session's agent.
void host_switches_hear(peri_host *host, const peri_session *session, const peri_obs *obs);
/// Takes what /etc/perilune/managed.yaml and the file `more` (NULL: none) restrict, over every other
/// config. PERI_ENOMEM.
PERI_MUST_USE int host_switches_managed(peri_host *host, const char *more);

// host/project_layer.c
/// Reads the project of the options and names what of it is not trusted. PERI_ENOENT if there is no such
/// folder; PERI_ENOMEM.
PERI_MUST_USE int host_project_open(peri_host *host, const peri_host_options *options);
/// Takes its trusted config and, live, its trusted goal.
PERI_MUST_USE int host_project_configure(peri_host *host);

// host/privacy.c
/// Adds the secrets that configs and Lua files describe to the host's scrubber; what is wrong with them
/// is told and switches every observer off. PERI_ENOMEM.
PERI_MUST_USE int host_privacy_load(peri_host *host, bool use_user_config);

// host/recall.c
/// Reads notes and skills: the user's where `use_user_config`, then those of the config.
PERI_MUST_USE int host_recall_load(peri_host *host, bool use_user_config);
void host_recall_unload(peri_host *host);

// host/observers.c
/// The switch that keeps `def` from running; NULL if none does.
const char *host_off_by(const peri_host *host, const peri_observer *def);

// host/agents.c
/// Reads the definitions and finds the observers they name, after the layers were loaded. PERI_ENOMEM.
PERI_MUST_USE int host_agents_load(peri_host *host, const peri_host_options *options);
void host_agents_unload(host_agents *agents);
/// What definitions made of the observer `name` follows its new definition.
void host_agents_renew(peri_host *host, peri_str name);
/// Reports what is unknown or of another type under `agents` of a config. PERI_EINVAL if anything is.
PERI_MUST_USE int host_agents_check(peri_yaml_doc *doc, const peri_yaml *map);

// host/commands.c
/// Makes the runtime of command observers. PERI_ENOMEM; that perilune-exec is missing is told by
/// the runs that need it.
PERI_MUST_USE int host_commands_open(peri_host *host, const char *exec_path);
/// Kills what runs.
void host_commands_close(peri_host *host);
/// Decides where the definition called `name` runs that was read from `from`: in this process, as its
/// own command, or in a worker.
void host_commands_route(peri_host *host, peri_str name, const host_found *from);
/// SHA-256 of a definition's text and of the Lua beside it (absent: none), as workers are told it.
/// PERI_ENOMEM.
PERI_MUST_USE int host_content_hash(peri_str text, peri_str lua_text,
                                    char hash[PERI_TRUST_HASH_CHARS + 1]);
/// The runtime in which the definition's Lua runs.
const peri_runtime *host_lua_of(const peri_host *host, const peri_observer *observer);
/// What idles for the observer's next run may go: its agent has ended, or it is another one now.
void host_rest(peri_host *host, const peri_observer *observer);

// host/define.c
/// Takes a definition, or reports why not. What is of the project was trusted before. One whose file was
/// taken before takes that one's place; if it cannot be used, the one before goes on.
void host_define(peri_host *host, const host_found *from);
/// Takes out what the file gave, after it is gone.
void host_undefine(peri_host *host, peri_str layer, peri_str file);
/// The latest definition called `name` that another one replaced, but a project's; NULL if there is none.
const peri_entry *host_latest_replaced(const peri_host *host, peri_str name);
/// The observer that `file`, or the file of the other ending beside it, gave; NULL if none is in use.
const peri_observer *host_defined_by(const peri_host *host, peri_str layer, peri_str file);
/// Switches off, and shadows, what the config says now; never the other way.
void host_narrow_observers(peri_host *host);
/// Lists a definition that nobody has agreed to. Nothing of it is run.
void host_define_untrusted(peri_host *host, const host_found *from);

// host/layers.c
PERI_MUST_USE int host_layers_load(peri_host *host, const peri_host_options *options);
void host_layers_unload(peri_host *host);
/// Reads one definition anew, or takes it out if its files are gone. `path` is of either ending. True: it
/// was read.
bool host_layers_refresh(peri_host *host, peri_str layer, peri_str path);
/// Appends `"observers":[...]`.
void host_layers_add_json(const peri_host *host, peri_buf *out);

// host/work.c
/// Notes work behind all that is due. Beyond HOST_MAX_WORK, or out of memory, it is dropped and counted.
void host_push_work(peri_host *host, host_work work);
/// The same in front of it.
void host_push_work_first(peri_host *host, host_work work);
/// Work that refers to what the agent has done up to now.
host_work host_work_now(const host_agent *of, host_work_kind kind);
/// Takes the first piece; there must be one.
host_work host_take_work(peri_host *host);

// host/presence.c
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

// host/spend.c
/// Asks for `amount` of `what` for the agent's session and the day. NULL, and it is spent, or the ceiling
/// that is reached; that is said once a session.
const char *host_spend_try(peri_host *host, const host_agent *of, peri_spend what,
                           uint64_t amount);
/// When a ceiling that was reached is a new one by itself; 0: not in this session.
int64_t host_spend_until(const peri_host *host, const char *reached);
/// What hosts before this one, or beside it, spent; live only.
void host_spend_resume_day(peri_host *host);
void host_spend_resume_session(peri_host *host, host_session *kept, peri_str session);
/// Stores what was spent since the last time, for the commit that follows.
void host_spend_save(peri_host *host);

// host/accepted.c
/// Keeps the policies' states in the ledger, live.
void host_accepted_keep_states(peri_host *host, peri_script *policies);
/// Takes back what a host before this one let through in a session, and then for each of its agents.
void host_accepted_resume_session(peri_host *host, host_session *kept, peri_str session);
void host_accepted_resume(peri_host *host, host_agent *of, const host_session *kept);

// host/gate.c
/// Hears the judgement on one question, once: at once or from a later turn of the loop; NULL if the host
/// ends before it is made.
typedef void (*host_gate_done)(void *user, const peri_gate_trace *trace);
/// Judges whether an observer of `type` may be started for an agent, or fed. `folder` is where the agent
/// works. PERI_ENOMEM, and nothing is heard.
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

// host/resume.c
/// What a host before this one left of the pairing: task, state, how far it has read, the user's stop.
void host_resume(peri_host *host, peri_pairing *pairing);
/// An `observer-ref` of the agent's own recording: the client had an observer of this type watch it, as
/// that task. A pairing whose observer still has the type goes on as it while the client keeps the
/// observer's recording, else anew with a note; the last reference counts.
void host_resume_reference(peri_host *host, const peri_source *source, const peri_agent *agent,
                           peri_str type, peri_str task_id);
/// True if the user has enabled the observer since the gate denied the pairing: it is armed then, and
/// that is told.
bool host_enabled(peri_host *host, peri_pairing *pairing);
/// Stores all of that, in the transaction of what changed it.
void host_resume_save(peri_host *host, const peri_pairing *pairing);
/// A fresh task for the pairing, which knows nothing of the one before; its next digest says so.
void host_resume_anew(peri_host *host, peri_pairing *pairing);
/// True if the user has stopped the observer; the pairing is stopped then, and that is told.
bool host_stopped(peri_host *host, peri_pairing *pairing);
/// True if a host before this one has woken the observer for what this batch holds; the pairing's cursor
/// is put where it was then.
bool host_resume_has_seen(const host_work *work);

// host/pairing.c
/// Arms the observers of an agent, those its definition names first.
void host_arm(peri_host *host, peri_agent *agent);
/// May this batch be shown to its observer now? False: it was dropped, or it waits for hooks and is due
/// again when they have answered.
bool host_admit(peri_host *host, const host_work *work);
/// True while a run or a question to the gate is on its way for one of the agent's observers.
bool host_is_busy(const peri_agent *agent);
/// What waits for the last of them.
void host_end_if_idle(peri_host *host, host_agent *of);

// host/overrun.c
/// Notes how a run of the observer ended.
void host_overrun_note(peri_host *host, const peri_observer *observer, peri_run_state state);
/// True if a replay goes on without the observer, since it runs out of time in session after session; the
/// pairing is disabled then, and that is told.
bool host_overrun_ends(peri_host *host, peri_pairing *pairing);

// host/report.c
/// Why a report of this pairing is refused now; NULL if it is not. `pairing` may be NULL.
const char *host_report_refusal(const peri_pairing *pairing);
/// Whom it is for: the observed agent, or the coordinator of an inherited observer.
host_agent *host_report_receiver(const peri_pairing *pairing);
/// The lane it goes in.
peri_lane host_report_lane(const peri_pairing *pairing);
/// The text, in `room` with the observed agent in front where somebody else reads it.
peri_str host_report_text(const peri_pairing *pairing, peri_str report, peri_buf *room);

// host/propose.c
/// A short hash of (session, agent, observer, step, ordinal): the same in every replay.
void host_make_id(char out[11], const host_work *work, const char *kind, uint64_t ordinal);
/// A ceiling is reached: told once, until it is a new one by itself.
void host_go_without(peri_host *host, peri_pairing *pairing, const char *reached);
/// Makes a proposal of a draft, to be judged with the batch of whom it is for. PERI_EDENIED (a ceiling, or
/// a report's conditions), PERI_EINVAL (the draft), PERI_ENOMEM, with the reason.
PERI_MUST_USE int host_propose(peri_host *host, const host_work *work, const peri_draft *draft,
                               const peri_proposal **out, const char **reason);
/// Tells the proposal to the record stream.
void host_record_proposal(peri_host *host, const host_work *work, const peri_proposal *p);

// host/stale.c
/// True if what `p` cites has changed since it was said: the same call has another result now, or the
/// file was written again.
bool host_overtaken(const host_agent *of, const peri_proposal *p);

// host/lanes.c
/// Takes what the config knows better of the dialects' channels; what names none is told. PERI_ENOMEM.
PERI_MUST_USE int host_lanes_configure(peri_host *host);
/// Notes what the record of `dialect` behind an observation tells of the ways to its agent.
void host_lanes_hear(peri_host *host, const peri_dialect *dialect, host_agent *of,
                     const peri_obs *obs);
/// The lane that stands in for one that does not lead to the agent; `lane` itself if it does.
peri_lane host_lane_for(const host_agent *of, peri_lane lane);
/// PERI_OK, with the event and answer it goes by, if a delivery may be handed over now; PERI_EAGAIN: not yet.
PERI_MUST_USE int host_lane_open(const peri_host *host, peri_delivery *delivery);

// host/handing.c
/// Expires what waits for the sink of observers that the user has stopped.
void host_expire_stopped(peri_host *host);
/// Ends the deliveries that a host before this one left unfinished.
void host_resume_deliveries(peri_host *host);
/// Around the sink: 0, and the delivery may be handed over; and that it was, or was not.
int host_begin_handing(void *user, peri_delivery *delivery);
void host_end_handing(void *user, const peri_delivery *delivery);

// host/notes.c
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

// host/policies.c
PERI_MUST_USE int host_policies_load(peri_host *host, const peri_host_options *options);
void host_policies_unload(peri_host *host);
/// Loads the chain into a new VM; what is wrong goes to `diags`. PERI_EINVAL if one that the options
/// name cannot be used, PERI_ENOMEM.
PERI_MUST_USE int host_policies_build(peri_host *host, peri_diag_list *diags,
                                      peri_script **out);

// host/judge.c
void host_do_batch(peri_host *host, const host_work *work);
void host_do_window(peri_host *host, const host_work *work);
/// Drops what the agent's desk has deferred.
void host_drop_deferred(peri_host *host, const host_work *work, const char *reason);

// host/runs.c
/// Does the first piece of work that is due; there must be one.
void host_do_work(peri_host *host);
/// Ends the runs in flight, each with its record.
void host_runs_abandon(peri_host *host);

// host/observe.c
/// Takes one observation of a source: what is new of it is recorded, kept, and its work noted.
void host_observe(peri_host *host, peri_source *source, peri_obs *obs);
/// Ends every agent that has not ended: unfinished steps are closed, session_end triggers are due.
void host_finish_agents(peri_host *host);
/// Notes the runs of every pairing that listens to `trigger`, and the judging of what they propose.
void host_trigger(peri_host *host, host_agent *of, peri_trigger trigger, bool ending);
/// For the registry: what the host attached to an agent and to a session.
void host_agent_free(void *attached);
void host_session_free(void *attached);

// host/idle.c
/// Fires `idle` for the agents that are, if it is time to look.
void host_idle(peri_host *host);
int host_idle_timeout_ms(const peri_host *host); // until the next look; -1: nobody wants one

// host/sniff.c
/// Reads the start of a file: its dialect, session and time. PERI_EFORMAT if no dialect knows it;
/// `*size` is what was read of it.
PERI_MUST_USE int host_sniff(peri_host *host, host_file *file, const peri_dialect *dialect,
                             uint64_t *size);
/// Counts and lists a file that is in no known format.
void host_list_other(peri_host *host, const char *path);
/// Why a file cannot be read, for people.
const char *host_file_problem(int status);
/// Says why a file that was named directly is not read; `size` is what was read of it.
void host_tell_refusal(peri_host *host, const char *path, int status, uint64_t size);

// host/source.c
/// A source that is in no list of the host's.
PERI_MUST_USE int host_source_new(peri_host *host, const char *name,
                                  const peri_dialect *dialect, peri_source **out);
void host_source_free(peri_source *source);
/// Reads one line of a source. 1 if something was read.
PERI_MUST_USE int host_source_read(peri_source *source);
/// True while bytes that came are not read yet.
bool host_source_has_bytes(const peri_source *source);
/// The time of the next record, so that several files of one session can be read in order; INT64_MIN + 1 if
/// it tells none.
int64_t host_source_peek_at(peri_source *source);
/// Reads what stands beside the file, if its dialect knows of such a thing.
void host_read_sidecar(peri_host *host, peri_source *source, const host_file *file);
/// Counts a file that is read, by its dialect.
void host_count_file(peri_host *host, const peri_dialect *dialect);
/// Notes a record that was set aside, with its place and the reason.
void host_quarantine(peri_host *host, const char *what);
/// Adds what a source counted to the host's totals and to its dialect's, once, when it is done.
void host_count_source(peri_host *host, const peri_source *source);

// host/follow.c
PERI_MUST_USE int host_follow_read(peri_host *host); // as host_read()
bool host_follow_due(const peri_host *host);
/// Notes how far the followed files were read, for the commit that follows. Only when all that their
/// records caused is done.
void host_follow_save(peri_host *host);
void host_follow_add_counts(peri_host *host); // to host->ingested
void host_follow_write_status(const peri_host *host, peri_buf *out);
void host_follow_free(peri_host *host);

// host/input.c
PERI_MUST_USE int host_read(peri_host *host); // 1: something was read, 0: nothing to read
bool host_has_input(const peri_host *host);
void host_sources_free(peri_host *host);

// host/counts.c
/// What was read so far: what is done, and what is still open.
typedef struct host_read_counts {
    peri_ingest_counts all;
    host_dialect_counts by_dialect[HOST_MAX_DIALECTS];
} host_read_counts;
host_read_counts host_counts_read(peri_host *host);
/// Sessions that are observed, and how many agents they have; observers' own are not among them.
size_t host_counts_sessions(const peri_host *host, size_t *agents);
/// Appends members of a JSON object, without braces and commas around them: the totals,
void host_counts_add_totals(const peri_host *host, peri_buf *out);
/// `"ingest":{...}`,
void host_counts_add_ingest(const peri_ingest_counts *c, peri_buf *out);
/// `"outbox":{...}`,
void host_counts_add_outbox(const peri_host *host, peri_buf *out);
/// and all of them, with what else this host alone knows.
void host_counts_add_json(peri_host *host, peri_buf *out);

// host/summary.c
/// The summary record, once: the last of a stream.
void host_summary(peri_host *host);
/// Stores what the host says of itself, once a second at most and if it has said something since, for the
/// commit that follows. `ended`: the last time, and at once.
void host_tell_self(peri_host *host, bool ended);
/// How long until it will; -1: it has nothing to tell.
int host_tell_timeout_ms(const peri_host *host);

// host/lag.c
/// As peri_host_source_lag(), of that ledger.
PERI_MUST_USE int host_source_lag(peri_host *host, peri_ledger *ledger, peri_source_lag *out);

// host/states_json.c
/// Appends `,"states":[...],"hosts":[...],"sourceLag":{...}`.
void host_states_add_json(peri_host *host, peri_buf *out);

// host/load.c
PERI_MUST_USE int host_load(peri_host *host, const peri_host_options *options);
void host_unload(peri_host *host);

// host/reload.c
/// At most once a second, between two batches: loads what changed beside what is there, and takes its
/// place if it is good.
void host_reload(peri_host *host);

// host/names.c
/// Names that a config may use; `words` is ended by an empty text, NULL before the first.
typedef struct host_name_list {
    peri_str *words;
    size_t count;
} host_name_list;
typedef struct host_names {
    peri_arena arena; // owns every text
    host_name_list observers, agents, policies;
} host_names;
/// The names of what is shipped, the user's, and the project's in this folder. PERI_ENOMEM.
PERI_MUST_USE int host_names_open(host_names *names);
void host_names_deinit(host_names *names);
/// Adds what `path` defines, an observer or a policy; any other file adds nothing. `user` is the names.
/// PERI_OK.
PERI_MUST_USE int host_names_add_file(void *user, const char *path);
/// Adds what stands in observers/ and policies/ beside the config.
void host_names_add_beside(host_names *names, const char *config);
/// Warns of each name in a valid config that is none of them, with the nearest.
void host_names_check(host_names *names, peri_yaml_doc *doc);

#endif
