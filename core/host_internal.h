// What the files of the host share. The host owns everything; stages are wired here and nowhere else.
//   host.c          life, the loop, one step        host_config.c   config.yaml
//   host_load.c     dialects, observers, policies   host_input.c    files and streams, in order
//   host_observe.c  observation -> activity -> due  host_runs.c     digest -> run -> proposal -> ruling
//   host_records.c  the record stream               host_status.c   status and summary
//   host_author.c   doors for the CLI's author verbs
#ifndef PERI_HOST_INTERNAL_H
#define PERI_HOST_INTERNAL_H

#include <pthread.h>

#include "base/clock.h"
#include "base/diag.h"
#include "delivery/outbox.h"
#include "digest/digest.h"
#include "digest/scrub.h"
#include "ingest/source.h"
#include "io/files.h"
#include "io/loop.h"
#include "ledger/ledger.h"
#include "pairing/registry.h"
#include "perilune/host.h"
#include "policy/desk.h"
#include "script/dialect_load.h"
#include "script/script.h"
#include "tap/step.h"
#include "tap/tap.h"

enum {
    HOST_MAX_DIALECTS = 64,
    HOST_MAX_OBSERVERS = 256,
    HOST_MAX_SUBSCRIBERS = 16,
    HOST_MAX_WORK = 65536,
    HOST_FEED_BYTES = 1024 * 1024, // a stream's bytes waiting to be read
    HOST_CHUNK_BYTES = 256 * 1024, // read from a file at a time
    HOST_LINES_PER_STEP = 256,
    HOST_MAX_LISTED = 200, // files not read, by name
    HOST_CONFIG_MAX_BYTES = 64 * 1024,
    HOST_SCRIPT_MAX_BYTES = 256 * 1024,
    HOST_LAST_USER_CP = 16000,
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
    int64_t ledger_days, ledger_max_bytes;
    bool scrub;
    const peri_str *patterns; // more secrets
    size_t pattern_count;
    peri_goal goal;
} host_config;

/// One agent's data, attached to its peri_agent.
typedef struct host_agent {
    peri_agent *agent;
    peri_tap tap;
    peri_stepper stepper;
    peri_desk desk;
    peri_run_phase phase;
    uint64_t turn_first;   // number of the first item of the current turn
    uint64_t work;         // tool calls so far
    peri_str last_user;    // owned
    peri_usage usage;      // of the agent's answers so far
    uint64_t usage_answer; // hash of the message whose usage was added last,
    peri_usage usage_last; // and what it was
    peri_proposal **fresh; // owned; proposals of the running trigger
    size_t fresh_count;
    bool trim_due, finished;
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
} host_work;

typedef struct host_counts {
    uint64_t observations, records, digests, runs, proposals, delivered, deferred, dropped,
        vetoes;
    uint64_t failed_runs, sink_expired,
        lost; // lost: observations beyond a maximum or out of memory
    uint64_t other_files, unread_files;
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
    peri_reader reader;
    peri_file file;   // fd -1 for a stream
    peri_buf pending; // bytes not read yet
    size_t pending_at;
    bool ended; // nothing more will come
    bool done;  // and everything was read
    bool from_file;
    int64_t next_at; // time of the next record, for merging; INT64_MIN unknown
    peri_sidecar_facts sidecar;
    peri_arena sidecar_arena;
    bool has_sidecar;
    peri_str last_session, last_agent; // owned; of the last observation that named them
    host_agent *last;                  // agent of those
};

typedef struct host_subscriber {
    peri_record_fn fn;
    void *user;
} host_subscriber;

/// A shipped file replaced from `lua_dir`, kept as long as the host.
typedef struct host_shipped_file {
    struct host_shipped_file *next;
    char *path; // owned
    peri_buf text;
} host_shipped_file;

struct peri_host {
    pthread_t owner;
    peri_mode mode;
    bool no_observers, quiet_observations;
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
    peri_runtime runtime;
    peri_policy_engine engine;
    bool has_policies;
    peri_policy_health health;

    peri_registry registry;
    peri_outbox outbox;
    char *ledger_path; // owned; until the first step opens it
    peri_ledger *ledger;
    bool ledger_replace, ledger_dirty;

    host_subscriber subscribers[HOST_MAX_SUBSCRIBERS];
    size_t subscriber_count;
    uint64_t seq;
    peri_buf json, scratch, status_json; // reused
    peri_arena record_arena;             // scrubbed texts of the record being sent
    bool in_record;

    peri_source *sources, **last_source;
    host_file *files;
    size_t file_count, file_cap, file_next;
    bool files_sorted;
    char *listed[HOST_MAX_LISTED]; // owned: files of no known format
    size_t listed_count;

    host_work *work; // owned ring
    size_t work_first, work_count, work_cap;
    peri_arena run_arena;
    peri_buf digest;
    host_counts counts;
    peri_ingest_counts ingested;                    // of the sources that are done
    uint64_t dialect_files_read[HOST_MAX_DIALECTS]; // files read, by dialect
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

// host_load.c
PERI_MUST_USE int host_load(peri_host *host, const peri_host_options *options);
void host_unload(peri_host *host);
const peri_dialect *host_dialect_find(const peri_host *host, const char *name);
/// Source of a `perilune.*` module; `user` is the host.
peri_str host_find_module(void *user, peri_str name);

// host_input.c
PERI_MUST_USE int host_read(peri_host *host); // 1: something was read, 0: nothing to read
bool host_has_input(const peri_host *host);
void host_sources_free(peri_host *host);

// host_observe.c
void host_observe(peri_host *host, peri_source *source, peri_obs *obs);
/// Ends every agent that has not ended: unfinished steps are closed, session_end triggers are due.
void host_finish_agents(peri_host *host);
void host_agent_free(void *attached);
void host_session_free(void *attached);
void host_push_work(peri_host *host, host_work work);

// host_runs.c
void host_do_work(peri_host *host); // the first of host->work
void host_on_delivery(void *user, const peri_delivery *delivery, peri_delivery_state state,
                      peri_str reason);

// host_records.c
/// Sends a record; `seq`, time and json are filled in.
void host_record(peri_host *host, peri_record *record);
void host_record_observation(peri_host *host, const peri_obs *obs);
void host_warn(peri_host *host, const char *id, peri_str file, peri_str text, peri_str hint);
void host_logf(peri_host *host, const char *severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void host_diags_flush(peri_host *host);
int64_t host_wall_ms(const peri_host *host);
/// `text` with its secrets replaced, in host->scratch if any were; raw where scrubbing is off.
peri_str host_scrubbed(peri_host *host, peri_str text, peri_buf *room);

// host_status.c
void host_summary(peri_host *host);
/// Adds what a source counted to the host's totals, once, when it is done.
void host_count_source(peri_host *host, const peri_source *source);

#endif
