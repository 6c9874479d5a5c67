// What the files of the host share. The host owns everything; stages are wired here and nowhere else.
//   host.c          life, the loop, one step        host_config.c   config.yaml
//   host_load.c     dialects, configs, their order  host_input.c    files and streams, in order
//   host_observe.c  observation -> activity -> due  host_runs.c     digest -> run -> proposal -> ruling
//   host_records.c  the record stream               host_status.c   status and summary
//   host_layers.c   observers, layer by layer       host_define.c   one definition taken, or not
//   host_narrow.c   a project's config and goal     host_project.c  what a project may add, and narrow
//   host_switches.c off switches of the environment host_check.c    files validated, for `check`
//   host_commands.c observers in processes of their own
//   host_judge.c    the batch before the policies  host_spend.c    ceilings over a session and a day
//   host_reload.c   files that change while it runs
//   host_subscribers.c  who hears the records
//   host_follow.c   live files and trees: what is read next, and how far
//   host_gate.c     asking the gate, with hooks    host_permissions.c settings files, read again
//   host_pairing.c  arming, and what is let through host_agents.c  definitions that name observers
//   host_report.c   reports                        host_resume.c   what outlives a host
//   host_states.c   why is it silent?
//   host_stale.c    is advice overtaken?          host_policies.c the chain of policies
//   host_recall.c   notes and skills                host_author.c   doors for the CLI's author verbs
#ifndef PERI_HOST_INTERNAL_H
#define PERI_HOST_INTERNAL_H

#include <pthread.h>

#include "base/clock.h"
#include "base/diag.h"
#include "delivery/outbox.h"
#include "digest/digest.h"
#include "digest/scrub.h"
#include "ingest/source.h"
#include "ingest/usage.h"
#include "io/command_runtime.h"
#include "io/files.h"
#include "io/loop.h"
#include "host_agents.h"
#include "host_permissions.h"
#include "layers.h"
#include "ledger/ledger.h"
#include "pairing/registry.h"
#include "perilune/host.h"
#include "policy/desk.h"
#include "policy/spend.h"
#include "project.h"
#include "script/dialect_load.h"
#include "script/script.h"
#include "tap/join.h"
#include "tap/names.h"
#include "tap/step.h"
#include "tap/tap.h"
#include "tap/trail.h"

#define HOST_MANAGED_PATH "/etc/perilune/managed.yaml"

enum {
    HOST_MAX_DIALECTS = 64,
    HOST_MAX_OBSERVERS = 256,
    HOST_MAX_ENTRIES = 1024, // definitions found, in use or not
    HOST_MAX_SUBSCRIBERS = 16,
    HOST_MAX_WORK = 65536,
    HOST_FEED_BYTES = 1024 * 1024, // a stream's bytes waiting to be read
    HOST_CHUNK_BYTES = 256 * 1024, // read from a file at a time
    HOST_LINES_PER_STEP = 256,
    HOST_MAX_LISTED = 200, // files not read, by name
    HOST_MAX_UNRECOGNISED = 20,
    HOST_UNKNOWN_PERCENT = 50,
    HOST_UNKNOWN_RECORDS = 20, // before so many a growing stream is not judged
    HOST_CONFIG_MAX_BYTES = 64 * 1024,
    HOST_SCRIPT_MAX_BYTES = 256 * 1024,
    HOST_LAST_USER_CP = 16000,
    HOST_MAX_QUARANTINED = 64, // records set aside, the last ones, with place and reason
    HOST_MAX_WATCHED = 512,
    HOST_RELOAD_MS = 1000,
};

/// What config.yaml said. Texts live in the arena.
typedef struct host_config {
    peri_arena arena;
    bool observers_enabled;
    const peri_str *disabled; // names, ended by an absent text
    size_t disabled_count;
    const peri_str *shadowed;
    size_t shadowed_count;
    const peri_str *enabled; // switched on by name
    size_t enabled_count;
    const peri_str *policies; // names in order
    size_t policy_count;
    peri_policy_limits limits;
    peri_ceilings ceilings;
    int64_t ledger_days, ledger_max_bytes;
    bool verbose; // payloads of model requests and responses are kept
    int64_t unknown_percent; // of a source's records: more of unknown kinds is reported
    bool scrub;
    const peri_str *patterns; // more secrets
    size_t pattern_count;
    peri_goal goal;
    const peri_str *memory_folders; // more notes and skills than the user's own
    size_t memory_folder_count;
    const peri_str *skill_folders;
    size_t skill_folder_count;
} host_config;

/// What observers may remind an agent of (host_recall.c). Texts live in the arena.
typedef struct host_recall {
    peri_arena arena;
    peri_recall *memory, *skills; // PERI_RECALL_MAX each
    size_t memory_count, skill_count;
} host_recall;

/// Every definition that was found (layers.h).
typedef struct host_layers {
    peri_arena arena;
    peri_entry *entries; // owned; HOST_MAX_ENTRIES
    size_t count;
} host_layers;

/// What all agents of a session share, attached to its peri_session.
typedef struct host_session {
    peri_veto_book book;
    peri_spent spent;
    uint32_t told; // bit (1 << peri_spend): that this ceiling was met has been said
} host_session;

/// One agent's data, attached to its peri_agent.
typedef struct host_agent {
    peri_agent *agent;
    peri_tap tap;
    peri_join join;
    peri_names names; // of its calls
    peri_trail trail;
    bool unpaired; // a result came before its call
    peri_stepper stepper;
    peri_desk desk;
    peri_run_phase phase;
    uint64_t first;        // fingerprint of its first item; 0: none yet
    uint64_t turn_first;   // number of the first item of the current turn
    uint64_t work;         // tool calls so far
    peri_str last_user;    // owned
    peri_meter meter;      // of its tokens
    peri_proposal **fresh; // owned; proposals of the running trigger
    size_t fresh_count;
    bool trim_due, finished;
    bool end_due; // it ended while runs were in flight: WORK_END comes behind the last of them
} host_agent;

typedef enum host_work_kind {
    WORK_WINDOW, // a window opened: deferred proposals are judged again
    WORK_RUN,    // one observer's run
    WORK_BATCH,  // the proposals of one trigger are judged
    WORK_END,    // the agent's session ended: what waits is dropped
} host_work_kind;

/// Something due for an agent, with the state it refers to, since more may have come since.
typedef struct host_work {
    host_work_kind kind;
    host_agent *of;
    peri_pairing *pairing;
    peri_trigger trigger;
    uint64_t upto; // first item number not to be seen
    uint64_t turn_first;
    uint32_t step, turn;
    bool ending;
    bool late; // WORK_BATCH of a run that outlasted its trigger: the turn went on meanwhile
} host_work;

/// A run in flight.
typedef struct host_run {
    struct host_run *next;
    peri_host *host;
    host_work work;
    char id[11];                     // of its digest
    const peri_runtime *other;       // asked if Lua leaves the run to it
    const peri_run_request *request; // NULL once the wake is over
    bool kicked;                     // a wake came meanwhile, `again`
    host_work again;
} host_run;

typedef struct host_counts {
    uint64_t observations, records, digests, runs, proposals, delivered, deferred, dropped,
        vetoes;
    uint64_t failed_runs, sink_expired,
        lost; // lost: observations beyond a maximum or out of memory
    uint64_t other_files, unread_files;
    uint64_t quarantined;
    uint64_t same_session; // files of a session that is read from a better kind of source
    uint64_t unrecognised; // sources of mostly unknown records
    uint64_t model_calls;
} host_counts;

/// A file that waits for its turn, or is being read.
typedef struct host_file {
    char *path; // owned
    const peri_dialect *dialect;
    peri_str session;   // owned; absent if its first records name none
    int64_t first_at;   // wall ms; INT64_MAX unknown
    int64_t session_at; // the earliest first_at of its session
    size_t order;       // as found
} host_file;

struct peri_source {
    peri_host *host;
    peri_source *next;
    char *name; // owned; as shown
    uint32_t number; // 1-based, of the host's sources
    peri_reader reader;
    peri_file file;   // fd -1 for a stream
    peri_buf pending; // bytes not read yet
    size_t pending_at;
    bool ended; // nothing more will come
    bool unrecognised; // and said so
    bool done;  // and everything was read
    bool from_file;
    bool followed; // its file may grow (host_follow.c)
    int64_t next_at; // time of the next record, for merging; INT64_MIN unknown
    peri_sidecar_facts sidecar;
    peri_arena sidecar_arena;
    bool has_sidecar;
    peri_str last_session, last_agent; // owned; of the last observation that named them
    host_agent *last;                  // agent of those
};

/// What was read in one dialect.
typedef struct host_dialect_counts {
    uint64_t files, records, observations, raw;
} host_dialect_counts;

/// One of `fn` and `try_fn` is set.
typedef struct host_subscriber {
    peri_record_fn fn;
    peri_record_try_fn try_fn;
    void *user;
    struct host_queued *first, *last; // owned; records it was too busy for
    size_t queued, queued_bytes;
    uint64_t taken, failed, dropped_full, dropped_memory;
} host_subscriber;

typedef enum host_watched_kind { WATCHED_CONFIG, WATCHED_POLICY, WATCHED_OBSERVER } host_watched_kind;

/// A file that is loaded anew when it changes (host_reload.c).
typedef struct host_watched {
    char *path; // owned
    host_watched_kind kind;
    uint64_t stamp;
} host_watched;

/// A shipped file replaced from `lua_dir`, kept as long as the host.
typedef struct host_shipped_file {
    struct host_shipped_file *next;
    char *path; // owned
    peri_buf text;
} host_shipped_file;

struct peri_host {
    pthread_t owner;
    peri_mode mode;
    bool no_observers, quiet_observations, all_sources;
    size_t max_line_bytes;
    char *observer_only, *lua_dir; // owned; may be NULL
    int layout;                    // peri_layout, or -1: the definitions'
    peri_log_fn on_log;
    void *log_user;

    peri_clock_manual replay_clock;
    peri_clock clock;
    peri_random random;
    uint64_t seed;
    peri_loop *loop;
    host_config config;
    peri_diag_list diags; // of loading
    peri_scrub *scrub;

    peri_dialect_file *dialect_files[HOST_MAX_DIALECTS];
    const peri_dialect *dialects[HOST_MAX_DIALECTS];
    size_t dialect_count;
    peri_buf dialect_names;
    peri_script *script;
    peri_observer defs[HOST_MAX_OBSERVERS]; // as loaded, with what the config changes of them
    const peri_observer *observers[HOST_MAX_OBSERVERS]; // the same, for pairing
    size_t observer_count;
    host_shipped_file *shipped; // owned
    host_recall recall;
    host_layers layers;
    peri_project project;     // what it brings along, until loading ends
    const char *switched_off; // the switch that keeps every observer from running; NULL: none
    peri_runtime runtimes[PERI_RUN_COMMAND + 1]; // by peri_runtime_kind; Lua is asked first
    peri_commands *commands;
    peri_arena command_arena; // folders and words of commands
    peri_str exec_folder;     // of perilune-exec, with the slash at its end
    host_run *runs;           // owned: in flight
    host_permissions *permissions; // what the gate judges by; NULL: it is not asked
    host_agents agents;            // definitions that name their observers
    bool client_observes;          // Claude Code runs the observers that its definitions name
    struct host_check *checks;     // owned: questions to it whose hooks have not answered
    peri_script *policies;    // the chain's own VM
    char *policy_list;        // owned; over the config's; NULL: the config's
    bool user_policies;       // the user's folder is looked at
    host_watched *watched; // owned; files that are loaded anew when they change
    size_t watched_count;
    int64_t watch_at_ms; // when to look at them next
    peri_policy_engine engine;
    bool has_policies;
    peri_policy_health health;
    peri_spent spent_today;

    peri_registry registry;
    peri_joiner joiner;
    peri_outbox outbox;
    char *ledger_path; // owned; until the first step opens it
    peri_ledger *ledger;
    bool ledger_replace, ledger_dirty;

    host_subscriber subscribers[HOST_MAX_SUBSCRIBERS];
    size_t subscriber_count;
    uint64_t seq;
    peri_buf json, event, scratch, status_json; // reused
    peri_arena record_arena;             // scrubbed texts of the record being sent
    bool in_record, in_step;

    peri_source *sources, **last_source;
    uint32_t source_count; // ever
    host_file *files;
    size_t file_count, file_cap, file_next;
    bool files_sorted;
    struct host_follow *follow; // owned; NULL: nothing is followed
    bool warming; // what is read was read by an earlier run: it is known, not told
    char *quarantined[HOST_MAX_QUARANTINED]; // owned; a ring
    char *listed[HOST_MAX_LISTED]; // owned: files of no known format
    size_t listed_count;
    char *unrecognised[HOST_MAX_UNRECOGNISED]; // owned: sources of mostly unknown records

    host_work *work; // owned ring
    size_t work_first, work_count, work_cap;
    peri_arena run_arena;
    peri_buf digest;
    host_counts counts;
    peri_ingest_counts ingested;                    // of the sources that are done
    host_dialect_counts by_dialect[HOST_MAX_DIALECTS]; // of files
    void *watching;                                 // owned; of peri_host_watch_digests
    peri_session *unfinished; // first session whose agents may still be going
    bool finishing, summed;
};

#define HOST_CHECK(host)                                                                       \
    do {                                                                                       \
        if (!(host) || !pthread_equal((host)->owner, pthread_self())) return PERI_ESTATE;      \
    } while (0)

// host_config.c
void host_config_init(host_config *config);
void host_config_deinit(host_config *config);
/// Reads `path` over what is there. PERI_ENOENT if there is none; mistakes are diagnostics and
/// PERI_EINVAL, and then nothing of the file counts.
PERI_MUST_USE int host_config_read(host_config *config, const char *path,
                                   peri_diag_list *diags);
/// The same for a text that was read from `path`.
PERI_MUST_USE int host_config_parse(host_config *config, peri_str text, peri_str path,
                                    peri_diag_list *diags);
/// The same, but of what it says only what narrows counts: switching off, shadowing, lower limits,
/// more scrubbing, a goal. The rest is reported.
PERI_MUST_USE int host_config_narrow(host_config *config, peri_str text, peri_str path,
                                     peri_diag_list *diags);
/// Reads a goal file (contracts.md 6): text, `check: COMMAND`, `- [ ]` lines. PERI_ENOMEM.
PERI_MUST_USE int host_goal_parse(host_config *config, peri_str text);
/// "[x] text" is done, "[ ] text" and plain text are not. `item->text` is a part of `text`.
void host_goal_item_read(peri_goal_item *item, peri_str text);

// host_load.c
PERI_MUST_USE int host_load(peri_host *host, const peri_host_options *options);
void host_unload(peri_host *host);
/// $XDG_CONFIG_HOME/perilune/NAME, or ~/.config/perilune/NAME; owned; NULL if neither is set.
char *host_user_path(const char *name);
const peri_dialect *host_dialect_find(const peri_host *host, const char *name);
/// Source of a `perilune.*` module; `user` is the host.
peri_str host_find_module(void *user, peri_str name);
/// The shipped file `path`: from lua_dir if it is there, else from the library. Absent if neither.
peri_str host_shipped(peri_host *host, peri_str path);
/// Visits the shipped files `folder`*`suffix`, those of lua_dir where it is set.
void host_each_shipped(peri_host *host, const char *folder, const char *suffix,
                       void (*fn)(peri_host *host, peri_str path, peri_str text));

/// How every script of the host runs.
peri_script_options host_script_options(peri_host *host);

// host_policies.c
PERI_MUST_USE int host_policies_load(peri_host *host, const peri_host_options *options);
void host_policies_unload(peri_host *host);
/// Loads the chain into a new VM; what is wrong goes to `diags`. PERI_EINVAL if one that the options
/// name cannot be used, PERI_ENOMEM.
PERI_MUST_USE int host_policies_build(peri_host *host, peri_diag_list *diags, peri_script **out);

// host_define.c
/// A definition as it was found, whatever its layer. All texts are lent.
typedef struct host_found {
    peri_str layer, file, text;
    peri_str lua_file, lua_text; // beside a Markdown file; absent: none
    bool lenient;                // one of pi's
} host_found;
/// Takes a definition, or reports why not. What is of the project was trusted before.
void host_define(peri_host *host, const host_found *from);
/// Lists a definition that nobody has agreed to. Nothing of it is run.
void host_define_untrusted(peri_host *host, const host_found *from);
bool host_is_markdown(peri_str file);

// host_reload.c
/// Notes a file to be loaded anew when it changes; not in a replay.
void host_watch(peri_host *host, host_watched_kind kind, const char *path);
/// At most once a second: loads what changed beside what is there, and takes its place if it is good.
void host_reload(peri_host *host);
void host_watch_free(peri_host *host);

// host_layers.c
PERI_MUST_USE int host_layers_load(peri_host *host, const peri_host_options *options);
void host_layers_unload(peri_host *host);
/// The switch that keeps `def` from running; NULL if none does.
const char *host_off_by(const peri_host *host, const peri_observer *def);
/// Appends `"observers":[...]`.
void host_layers_add_json(const peri_host *host, peri_buf *out);

// host_project.c
/// Reads the project of the options and names what of it is not trusted. PERI_ENOENT if there is no such
/// folder; PERI_ENOMEM.
PERI_MUST_USE int host_project_open(peri_host *host, const peri_host_options *options);
/// Takes its trusted config and, live, its trusted goal.
PERI_MUST_USE int host_project_configure(peri_host *host);

// host_switches.c
/// Reads PERILUNE_RESTRICTED and PERILUNE_OBSERVERS (spec CC-1). PERI_EINVAL, with a line of log that
/// names it, if one is neither true nor false.
PERI_MUST_USE int host_switches_read(peri_host *host);

/// Takes what /etc/perilune/managed.yaml and the file `more` (NULL: none) restrict, over every other
/// config. PERI_ENOMEM.
PERI_MUST_USE int host_switches_managed(peri_host *host, const char *more);

// host_recall.c
/// Reads notes and skills: the user's where `use_user_config`, then those of the config.
PERI_MUST_USE int host_recall_load(peri_host *host, bool use_user_config);
void host_recall_unload(peri_host *host);

// host_input.c
PERI_MUST_USE int host_read(peri_host *host); // 1: something was read, 0: nothing to read
bool host_has_input(const peri_host *host);
void host_sources_free(peri_host *host);
/// A source that is in no list of the host's.
PERI_MUST_USE int host_source_new(peri_host *host, const char *name, const peri_dialect *dialect,
                                  peri_source **out);
void host_source_free(peri_source *source);
/// Reads one line of a source. 1 if something was read.
PERI_MUST_USE int host_source_read(peri_source *source);
/// Reads the start of a file: its dialect, session and time. PERI_EFORMAT if no dialect knows it;
/// `*size` is what was read of it.
PERI_MUST_USE int host_sniff(peri_host *host, host_file *file, const peri_dialect *dialect,
                             uint64_t *size);
void host_read_sidecar(peri_host *host, peri_source *source, const host_file *file);
/// True for a file that belongs to a recording beside it and is read with it.
bool host_is_sidecar(const peri_host *host, const char *path);
void host_list_other(peri_host *host, const char *path);
/// Counts a file that is read, by its dialect.
void host_count_file(peri_host *host, const peri_dialect *dialect);
/// Notes a record that was set aside, with its place and the reason.
void host_quarantine(peri_host *host, const char *what);

// host_subscribers.c
void host_subscribers_hear(peri_host *host, const peri_record *record);
/// Offers what waits once more.
void host_subscribers_drain(peri_host *host);
int host_subscribers_timeout_ms(const peri_host *host); // until the next offer; -1: nothing waits
void host_subscribers_write_status(const peri_host *host, peri_buf *out);
void host_subscribers_free(peri_host *host);

// host_follow.c
PERI_MUST_USE int host_follow_read(peri_host *host); // as host_read()
bool host_follow_due(const peri_host *host);
/// Notes how far the followed files were read, for the commit that follows. Only when all that their
/// records caused is done.
void host_follow_save(peri_host *host);
void host_follow_add_counts(peri_host *host); // to host->ingested
void host_follow_write_status(const peri_host *host, peri_buf *out);
void host_follow_free(peri_host *host);

// host_observe.c
void host_observe(peri_host *host, peri_source *source, peri_obs *obs);
/// Ends every agent that has not ended: unfinished steps are closed, session_end triggers are due.
void host_finish_agents(peri_host *host);
void host_agent_free(void *attached);
void host_session_free(void *attached);
void host_push_work(peri_host *host, host_work work);

// host_runs.c
void host_do_work(peri_host *host); // the first of host->work
void host_runs_free(peri_host *host);
/// Makes a proposal of a draft, to be judged with the batch of whom it is for. PERI_EDENIED (a ceiling, or
/// a report's conditions), PERI_EINVAL (the draft), PERI_ENOMEM, with the reason.
PERI_MUST_USE int host_propose(peri_host *host, const host_work *work, const peri_draft *draft,
                               const peri_proposal **out, const char **reason);
void host_record_proposal(peri_host *host, const host_work *work, const peri_proposal *p);
/// Ends the pairings of an agent that ended; each is recorded.
void host_retire(peri_host *host, const peri_agent *agent);
void host_on_delivery(void *user, const peri_delivery *delivery, peri_delivery_state state,
                      peri_str reason);

// host_commands.c
/// Makes the runtime of command observers. PERI_ENOMEM; that perilune-exec is missing is told by
/// the runs that need it.
PERI_MUST_USE int host_commands_open(peri_host *host, const char *exec_path);
/// Kills what runs.
void host_commands_close(peri_host *host);
/// Decides where the definition called `name`, read as `text`, runs: in this process, as its own
/// command, or in a worker.
void host_commands_route(peri_host *host, peri_str name, peri_str text);

// host_agents.c
/// Reads the definitions and finds the observers they name, after the layers were loaded. PERI_ENOMEM.
PERI_MUST_USE int host_agents_load(peri_host *host, const peri_host_options *options);
void host_agents_unload(host_agents *agents);

// host_gate.c
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

// host_pairing.c
/// Arms the observers of an agent, those its definition names first.
void host_arm(peri_host *host, peri_agent *agent);
/// Tells a pairing's state to the record stream. `trace`: the gate's judgement behind it, or NULL.
void host_pairing_tell(peri_host *host, peri_pairing *pairing, peri_str state, peri_str reason,
                       const peri_gate_trace *trace);
/// May this batch be shown to its observer now? False: it was dropped, or it waits for hooks and is due
/// again when they have answered.
bool host_admit(peri_host *host, const host_work *work);
/// True while a run or a question to the gate is on its way for one of the agent's observers.
bool host_is_busy(const peri_agent *agent);
/// What waits for the last of them.
void host_end_if_idle(peri_host *host, host_agent *of);

// host_report.c
/// Why a report of this pairing is refused now; NULL if it is not. `pairing` may be NULL.
const char *host_report_refusal(const peri_pairing *pairing);
/// Whom it is for: the observed agent, or the coordinator of an inherited observer.
host_agent *host_report_receiver(const peri_pairing *pairing);
peri_lane host_report_lane(const peri_pairing *pairing);
/// The text, in `room` with the observed agent in front where somebody else reads it.
peri_str host_report_text(const peri_pairing *pairing, peri_str report, peri_buf *room);

// host_resume.c
/// What a host before this one left of the pairing: task, state, how far it has read, the user's stop.
void host_resume(peri_host *host, peri_pairing *pairing);
/// An `observer-ref` of the agent's own stream: the client had an observer of this type watch it, as that
/// task. A pairing whose observer still has the type goes on as it; the last reference counts.
void host_resume_reference(peri_host *host, const peri_agent *agent, peri_str type,
                           peri_str task_id);
/// Stores all of that, in the transaction of what changed it.
void host_resume_save(peri_host *host, const peri_pairing *pairing);
/// True if the user has stopped the observer; the pairing is stopped then, and that is told.
bool host_stopped(peri_host *host, peri_pairing *pairing);
/// True if a host before this one has woken the observer for what this batch holds; the pairing's cursor
/// is put where it was then.
bool host_resume_has_seen(const host_work *work);
/// Ends the deliveries that a host before this one left unfinished.
void host_resume_deliveries(peri_host *host);
/// Around the sink: 0, and the delivery may be handed over.
int host_begin_handing(void *user, const peri_delivery *delivery);

// host_states.c
/// Appends `,"states":[...]`.
void host_states_add_json(peri_host *host, peri_buf *out);

// host_spend.c
/// Asks for `amount` of `what` for the agent's session and the day. NULL, and it is spent, or the ceiling
/// that is reached; that is said once a session.
const char *host_spend_try(peri_host *host, const host_agent *of, peri_spend what, uint64_t amount);

// host_judge.c
void host_do_batch(peri_host *host, const host_work *work);
void host_do_window(peri_host *host, const host_work *work);
/// Drops what the agent's desk has deferred.
void host_drop_deferred(peri_host *host, const host_work *work, const char *reason);

// host_stale.c
/// True if what `p` cites has changed since it was said: the same call has another result now, or the
/// file was written again.
bool host_overtaken(const host_agent *of, const peri_proposal *p);

// host_records.c
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

// host_status.c
void host_summary(peri_host *host);
/// Adds what a source counted to the host's totals, once, when it is done.
void host_count_source(peri_host *host, const peri_source *source);
/// The same for the totals of a file's dialect.
void host_count_dialect(peri_host *host, const peri_source *source);

#endif
