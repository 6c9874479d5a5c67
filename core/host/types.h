// The types that the files of the host share: the host itself and what it keeps of sources,
// agents, files and work that is due. What each folder of the host offers to the others stands
// in its own header:
//
//   told/      what is told of what happens        calls nothing else of the host
//   written/   what people wrote                   calls told/
//   admit/     who may be shown what               calls told/ and written/
//   run/       digest -> run -> delivery           calls all of these
//   read/      bytes -> observation -> due work    calls all of these
//   status/    what is said when somebody asks     calls all of these
//   load.c, reload.c, and doors for the CLI's author verbs stand over them, core/host.c over
//   all.
//
// tools/check_layers.lua keeps that order, and that no files of
// one folder call each other in a circle.
#ifndef PERI_HOST_TYPES_H
#define PERI_HOST_TYPES_H

#include <pthread.h>

#include "base/clock.h"
#include "base/diag.h"
#include "delivery/outbox.h"
#include "digest/digest.h"
#include "digest/scrub.h"
#include "host/admit/permissions.h"
#include "host/written/agents.h"
#include "host/written/layers.h"
#include "host/written/project.h"
#include "ingest/source.h"
#include "ingest/usage.h"
#include "io/claims.h"
#include "io/command_runtime.h"
#include "io/files.h"
#include "io/loop.h"
#include "ledger/ledger.h"
#include "pairing/registry.h"
#include "perilune/host.h"
#include "policy/desk.h"
#include "policy/spend.h"
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
    HOST_LOG_BYTES = 1023,          // of one message
    HOST_CLEAN_BYTES = 1024 * 1024, // of a text whose secrets are replaced
    HOST_MAX_LISTED = 200,          // files not read, by name
    HOST_MAX_UNRECOGNISED = 20,
    HOST_UNKNOWN_PERCENT = 50,
    HOST_QUIET_MS = 60 * 1000, // of an agent, before it is idle
    HOST_UNKNOWN_RECORDS = 20, // before so many a growing stream is not judged
    HOST_CONFIG_MAX_BYTES = 64 * 1024,
    HOST_SCRIPT_MAX_BYTES = 256 * 1024,
    HOST_LAST_USER_CP = 16000,
    HOST_MAX_QUARANTINED = 64, // records set aside, the last ones, with place and reason
    HOST_MAX_WATCHED = 512,
    HOST_MAX_NOTES = 16,  // of one agent, whose effect is looked for; the oldest is given up
    HOST_NOTE_STEPS = 64, // behind a note, then it is given up
    HOST_RELOAD_MS = 1000,
    HOST_WAY_BYTES = 256,         // EVENT.ANSWER, in a record
    HOST_MAX_LANES = 4,           // dialects of one agent that state lanes
    HOST_MAX_CHANNELS = 256,      // that the configs speak of
    HOST_UNTIMED_WALL_MS = 10000, // of a script for which no agent waits: a backstop (D17)
};

/// What a config knows better of one channel of a dialect.
typedef struct host_channel {
    peri_str dialect, file;
    uint32_t line, column;
    peri_channel channel;
} host_channel;

/// What config.yaml said. Texts live in the arena.
typedef struct host_config {
    peri_arena arena;
    bool observers_enabled;
    const char *off_by;          // what says that they are not, and where; NULL: nothing does
    const peri_str *disabled;    // names, ended by an absent text
    const peri_str *disabled_by; // of each: "disabled in FILE:LINE", ended by NUL
    size_t disabled_count;
    const peri_str *shadowed;
    size_t shadowed_count;
    const peri_str *enabled; // switched on by name
    size_t enabled_count;
    const peri_str *unscrubbed; // shown secrets
    size_t unscrubbed_count;
    const peri_str *policies; // names in order
    size_t policy_count;
    peri_policy_limits limits;
    peri_ceilings ceilings;
    int64_t ledger_days, ledger_max_bytes;
    bool verbose;            // payloads of model requests and responses are kept
    int64_t idle_ms;         // nothing heard of an agent for so long: it is idle
    int64_t unknown_percent; // of a source's records: more of unknown kinds is reported
    bool scrub;
    const peri_str *patterns; // more secrets
    size_t pattern_count;
    const peri_str *kind_files; // Lua files of more kinds of secrets
    size_t kind_file_count;
    peri_goal goal;
    const peri_str *memory_folders; // more notes and skills than the user's own
    size_t memory_folder_count;
    const peri_str *skill_folders;
    size_t skill_folder_count;
    const host_channel *channels; // later ones count
    size_t channel_count;
} host_config;

/// What observers may remind an agent of (host/written/recall.c). Texts live in the arena.
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
    peri_str vacated; // name of an observer taken out: one that it replaced may come back
} host_layers;

/// A definition as it was found, whatever its layer. All texts are lent.
typedef struct host_found {
    peri_str layer, file, text;
    peri_str lua_file, lua_text; // beside a Markdown file; absent: none
    bool lenient;                // one of pi's
} host_found;

/// A note on its way to an agent, or one that would be, until it
/// is known what the agent did about it.
typedef struct host_note {
    peri_proposal *proposal; // owned
    peri_lane lane;
    peri_delivery_state state; // of its delivery
    bool stands;               // before the agent: what follows counts
    uint64_t log_from;         // number of the first item of the turn it was made in,
    uint64_t from;             // and of the first one behind the note
    uint32_t from_step;        // the last step before it
} host_note;

/// What all agents of a session share, attached to its peri_session.
typedef struct host_session {
    peri_veto_book book, shadow_book;
    bool has_past; // a host before this one let something through
    peri_spent spent;
    peri_spent unsaved;   // of it, what the ledger does not know
    uint32_t told;        // bit (1 << peri_spend): that this ceiling was met has been said
    const char *off;      // the switch of its agent's environment that is off; NULL: none
    bool claimed;         // no other host observes it
    bool refused;         // another does, and that was said
    bool spending;        // in the list of the host
    bool stopping;        // a subagent of it is
    bool client_observes; // the client runs the observers that its own definitions name
    uint64_t version;     // of the client, as a number; 0: nobody told
    struct host_session *next_spending;
    const peri_session *session;
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
    peri_desk shadow_desk; // of observers in shadow: they take nothing from the others
    peri_run_phase phase;
    int64_t settled_wall_ms; // when it last settled
    int mode;                // peri_permission_mode that its stream told last; -1: it did not
    host_note *notes;        // owned; HOST_MAX_NOTES, oldest first; NULL until the first
    size_t note_count;
    uint64_t first;        // fingerprint of its first item; 0: none yet
    uint64_t turn_first;   // number of the first item of the current turn
    uint64_t work;         // tool calls so far
    peri_str last_user;    // owned
    uint64_t last_user_at; // the number of its item
    peri_str user_before;  // owned; the one before: a step may be shown late
    peri_meter meter;      // of its tokens
    peri_proposal **fresh; // owned; proposals of the running trigger
    size_t fresh_count;
    bool finished;
    bool stopping; // a subagent whose stop nobody has held so far
    bool left;     // its session was left, session_end has fired; until it is resumed
    bool stirred,
        idle; // heard of since it was last looked at; `idle` has fired (host/read/idle.c)
    int64_t heard_ms;
    bool touched; // in the list of the host: its number of items is to be stored
    struct host_agent *next_touched;
    const peri_lanes *lanes[HOST_MAX_LANES]; // of the dialects that tell of it, where stated
    size_t lanes_count;
    const peri_channel *open[PERI_LANE_COUNT]; // what the event under way offers each lane
    bool end_due; // it ended while runs were in flight: WORK_END comes behind the last of them
} host_agent;

typedef enum host_work_kind {
    WORK_WINDOW, // a window opened: deferred proposals are judged again
    WORK_RUN,    // one observer's run
    WORK_BATCH,  // the proposals of one trigger are judged
    WORK_NOTES,  // what did the agent do about the notes it was given?
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
    bool again; // WORK_RUN: of a batch whose observer had lost its state
    bool late;  // WORK_BATCH of a run that outlasted its trigger: the turn went on meanwhile
} host_work;

/// A run in flight.
typedef struct host_run {
    struct host_run *next;
    peri_host *host;
    host_work work;
    char id[11];                     // of its digest
    const peri_runtime *other;       // asked if Lua leaves the run to it
    const peri_run_request *request; // NULL once the wake is over
    peri_str digest;                 // owned; kept for `other` where Lua answers later
    bool outlasted;                  // its wake
    bool kicked;                     // a wake came meanwhile, `again`
    host_work again;
} host_run;

typedef struct host_counts {
    uint64_t observations, records, digests, runs, proposals, delivered, deferred, dropped,
        vetoes;
    uint64_t shadowed; // notes of observers in shadow that would have been delivered
    uint64_t followed, ignored, contradicted;
    uint64_t failed_runs;
    uint64_t known_runs; // not made again: a host before this one was shown their items
    uint64_t lost;       // observations, work and deliveries beyond a maximum or out of memory
    uint64_t other_files, unread_files;
    uint64_t quarantined;
    uint64_t same_session; // files of a session that is read from a better kind of source
    uint64_t unrecognised; // sources of mostly unknown records
    uint64_t model_calls;
    uint64_t handed, seen, expired, lost_handing; // deliveries, since the host began
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
    char *name;      // owned; as shown
    uint32_t number; // 1-based, of the host's sources
    peri_reader reader;
    peri_file file;   // fd -1 for a stream
    peri_buf pending; // bytes not read yet
    size_t pending_at;
    bool ended;        // nothing more will come
    bool unrecognised; // and said so
    bool done;         // and everything was read
    bool from_file;
    bool followed;   // its file may grow (host/read/follow.c)
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

typedef enum host_watched_kind {
    WATCHED_CONFIG,
    WATCHED_POLICY,
    WATCHED_FOLDER,  // of observers: files may come
    WATCHED_OBSERVER // and change, and go; the path ends in .md, and stands for the .lua beside
                     // it too
} host_watched_kind;

/// A file that is loaded anew when it changes (host/reload.c).
typedef struct host_watched {
    char *path; // owned
    host_watched_kind kind;
    peri_str layer; // of a folder or observer
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
    uint32_t overruns[HOST_MAX_OBSERVERS]; // in a row, of a replay (host/run/overrun.c)
    host_shipped_file *shipped;            // owned
    host_recall recall;
    host_layers layers;
    peri_project project;     // what it brings along, until loading ends
    const char *switched_off; // the switch that keeps every observer from running; NULL: none
    peri_runtime runtimes[PERI_RUN_COMMAND + 1]; // by peri_runtime_kind; Lua is asked first
    const peri_observer *precision; // judges what agents did about notes; NULL: nobody does
    uint32_t precision_failures;    // in a row
    peri_commands *commands;
    peri_arena command_arena;      // folders and words of commands
    peri_str exec_folder;          // of perilune-exec, with the slash at its end
    host_run *runs;                // owned: in flight
    host_permissions *permissions; // what the gate judges by; NULL: it is not asked
    host_agents agents;            // definitions that name their observers
    bool client_observes;          // Claude Code runs the observers that its definitions name
    struct host_check *checks;     // owned: questions to it whose hooks have not answered
    peri_script *policies;         // the chain's own VM
    char *policy_list;             // owned; over the config's; NULL: the config's
    bool user_policies;            // the user's folder is looked at
    host_watched *watched;         // owned; files that are loaded anew when they change
    size_t watched_count;
    int64_t watch_at_ms; // when to look at them next
    peri_policy_engine engine;
    bool has_policies;
    peri_policy_health health;
    peri_spent spent_today, unsaved_today; // the second: of it, what the ledger does not know
    host_session *spending;                // sessions with something unsaved

    peri_registry registry;
    peri_joiner joiner;
    peri_outbox outbox;
    bool way_opened;   // an event came that may take what waits
    char *ledger_path; // owned
    peri_ledger *ledger;
    bool ledger_unread; // the status said that it cannot be read
    bool ledger_replace, ledger_dirty;
    bool ledger_asked; // the first step has tried to open it
    bool ledger_known; // `ledger_file` is the file it was opened as
    peri_file_id ledger_file, ledger_journal;
    bool ledger_trouble;        // a commit failed, and that was said
    peri_claims claims;         // on sessions, against other hosts of the ledger
    uint64_t claim;             // its own, by which others know that it lives
    int64_t started_wall_ms;    // when it opened the ledger
    int64_t told_ms;            // when its state was stored last, on the monotonic clock
    uint64_t told_seq;          // `seq` then
    peri_pairing *touched;      // pairings whose standing is to be stored
    host_agent *touched_agents; // agents whose number of items is

    host_subscriber subscribers[HOST_MAX_SUBSCRIBERS];
    size_t subscriber_count;
    uint64_t seq;
    peri_buf json, event, scratch, status_json; // reused
    peri_arena record_arena;                    // scrubbed texts of the record being sent
    bool in_record, in_step;

    peri_source *sources, **last_source;
    uint32_t source_count; // ever
    host_file *files;
    size_t file_count, file_cap, file_next;
    bool files_sorted;
    struct host_follow *follow; // owned; NULL: nothing is followed
    bool warming; // what is read was read by an earlier run: it is known, not told
    char *quarantined[HOST_MAX_QUARANTINED]; // owned; a ring
    char *listed[HOST_MAX_LISTED];           // owned: files of no known format
    size_t listed_count;
    char *unrecognised[HOST_MAX_UNRECOGNISED]; // owned: sources of mostly unknown records

    host_work *work;                         // owned ring
    size_t work_first, work_count, work_cap; // a ring; the capacity is a power of two
    peri_arena run_arena;
    peri_buf digest;
    host_counts counts;
    peri_ingest_counts ingested;                       // of the sources that are done
    host_dialect_counts by_dialect[HOST_MAX_DIALECTS]; // of files
    void *watching;                                    // owned; of peri_host_watch_digests
    peri_session *unfinished; // first session whose agents may still be going
    bool finishing, summed;
    int64_t looked_ms; // when it was last looked who is idle
    bool abandoned;    // nothing is read, started or waited for any more
};

#define HOST_CHECK(host)                                                                       \
    do {                                                                                       \
        if (!(host) || !pthread_equal((host)->owner, pthread_self())) return PERI_ESTATE;      \
    } while (0)

#endif
