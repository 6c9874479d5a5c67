/// @file host.h
/// The host: feed it an agent's events, step it, and hear what its observers propose.
///
/// Part of the perilune C API; include <perilune/perilune.h>.
///
/// A host belongs to the thread that made it; calls from another return PERI_ESTATE. It has no
/// globals, installs no signal handlers, prints nothing and never exits; any number of hosts
/// may live in one process, each on a thread of its own if you like. It does not live on in a
/// child of fork(): there, neither step nor free it, and make another. Its descriptors are
/// closed by exec. Nothing runs but inside the caller's own calls: wait for peri_host_fd() to
/// become readable or for peri_host_timeout_ms() to pass, then call peri_host_step().
///
/// @code
/// #include <perilune/perilune.h>
/// #include <stdio.h>
///
/// static int hear(void *user, const peri_delivery *d) {
///     (void)user;
///     printf("%.*s: ", (int)d->observer.len, d->observer.ptr);
///     printf("%.*s\n", (int)d->text.len, d->text.ptr);
///     return PERI_OK; // handed over
/// }
///
/// int main(void) {
///     peri_host_options options = PERI_HOST_OPTIONS_INIT;
///     peri_host *host;
///     if (peri_host_new(&options, &host) < 0) return 1;
///     peri_host_set_sink(host, hear, NULL);
///     static const char line[] =
///         "{\"session\":\"s\",\"kind\":\"user_message\",\"text\":\"hi\"}\n";
///     peri_source *source;
///     if (peri_host_open_stream(host, NULL, "activity", &source) < 0) return 1;
///     size_t used;
///     if (peri_source_feed(source, line, sizeof line - 1, &used) < 0) return 1;
///     if (peri_source_end(source) < 0) return 1;
///     while (peri_host_step(host, 0) > 0) {}
///     peri_host_free(host);
///     return 0;
/// }
/// @endcode
#ifndef PERILUNE_HOST_H
#define PERILUNE_HOST_H

#include "perilune/record.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A host. Made by peri_host_new(), ended by peri_host_free().
typedef struct peri_host peri_host;

/// One stream of an agent's bytes into a host. Owned by the host.
typedef struct peri_source peri_source;

/// How a host treats time and delivery.
typedef enum peri_mode {
    PERI_MODE_LIVE,   ///< system clock, deliveries go to the sink
    PERI_MODE_REPLAY, ///< the recording's clock, seeded randomness, nothing is delivered
} peri_mode;

/// Takes one line of log: severity is "error", "warning" or "note". Lent for the call.
typedef void (*peri_log_fn)(void *user, const char *severity, peri_str message);

/// Options for peri_host_new(). Start from PERI_HOST_OPTIONS_INIT. Texts are copied.
typedef struct peri_host_options {
    size_t struct_size; ///< sizeof(peri_host_options), set by PERI_HOST_OPTIONS_INIT
    peri_mode mode;
    uint64_t seed;             ///< for nonces in a replay; ignored live
    bool no_observers;         ///< read and count only
    bool no_policies;          ///< the core's safe default decides
    const char *config_path;   ///< one more config.yaml, over the user's; NULL: none
    const char *lua_dir;       ///< replaces the built-in lua/ policies/ observers/; NULL: none
    const char *observer_dir;  ///< one more folder of observers, over all others; NULL: none
    const char *policies;      ///< comma list, over the config's; NULL: the config's
    const char *ledger_path;   ///< SQLite file, opened by the first step; NULL: no ledger
    bool ledger_replace;       ///< remove an older file at ledger_path first (replay.db)
    bool use_user_config;      ///< read $XDG_CONFIG_HOME/perilune/ and PERILUNE_* switches
    const char *observer_only; ///< pair only the observer of this name; NULL: all
    const char *layout;        ///< digest layout, over each definition's; NULL: theirs
    peri_log_fn on_log;        ///< may be NULL
    void *log_user;
    size_t max_line_bytes;   ///< 0: 8 MiB; at most 64 MiB
    bool quiet_observations; ///< no observation records; they are still counted and numbered
    const char *project_dir; ///< folder whose .perilune/ and .pi/observers/ may add; NULL: none
    const char *trust_path; ///< the trust store (`perilune trust`); NULL: no project is trusted
    const char *exec_path;  ///< perilune-exec, which starts the programs of observers that are
                            ///< commands; NULL: sought beside the running program. The program
    ///< perilune, which runs Lua observers in a worker, is sought beside
    ///< perilune-exec. Without them such runs end as no-runtime
    bool all_sources; ///< a replay reads every source of a session, not only its best kind
    const char *const *settings_paths; ///< more settings files for the gate, ended by NULL;
                                       ///< NULL: none
    const char *managed_path; ///< one more managed.yaml, which may only restrict; NULL: none
    const char
        *agents_dir; ///< one more folder of agent definitions, over the user's; NULL: none
} peri_host_options;

#ifdef __cplusplus
#define PERI_HOST_OPTIONS_INIT                                                                 \
    peri_host_options {                                                                        \
        sizeof(peri_host_options)                                                              \
    }
#else
#define PERI_HOST_OPTIONS_INIT                                                                 \
    { .struct_size = sizeof(peri_host_options) }
#endif

/// Makes a host and loads its config, policies and observers. Files that cannot be used are
/// left out, each with a warning record and a line of log; the host works with the rest.
/// @param options  borrowed for the call.
/// @param[out] out the host, owned by the caller; untouched on failure.
/// @return PERI_OK; PERI_EINVAL for options of an unknown size or an unknown policy or layout
/// named in them; PERI_ENOMEM; PERI_EIO if the ledger cannot be opened.
PERI_API PERI_MUST_USE int peri_host_new(const peri_host_options *options, peri_host **out);

/// Ends the host: pairings are retired, the ledger is closed, every source dies. NULL is fine.
/// Not from a callback, nor from another thread: there it does nothing.
PERI_API void peri_host_free(peri_host *host);

/// Does what is due: answers the loop, then reads input or makes one script call. A replay
/// whose command observers have not answered waits for them, 50 ms a step at most, whatever
/// `timeout_ms` says.
/// @param timeout_ms  how long to wait for something to do: 0 not at all, -1 without end.
/// Without an end it does not wait where nothing could come: feed a stream or open a path
/// first.
/// @return 1 if more work is ready now, 0 if the host is idle; PERI_ESTATE from one of the
/// host's own callbacks.
PERI_API PERI_MUST_USE int peri_host_step(peri_host *host, int timeout_ms);

/// A descriptor that is readable when the host wants a step. Owned by the host; never read it.
PERI_API int peri_host_fd(const peri_host *host);

/// Milliseconds until the host wants a step even if its descriptor
/// stays quiet; 0: now; -1: never.
PERI_API int peri_host_timeout_ms(const peri_host *host);

/// Opens a stream that the caller feeds.
/// @param name     shown in messages; NULL: "stream".
/// @param dialect  its format; NULL: found out from the first records.
/// @return PERI_OK; PERI_ENOENT if there is no such dialect; PERI_ENOMEM.
PERI_API PERI_MUST_USE int peri_host_open_stream(peri_host *host, const char *name,
                                                 const char *dialect, peri_source **out);

/// Attaches a file, or all files of a directory tree, to be read to the end by the host's
/// steps. In a tree, files of no known format are counted and listed (peri_host_status_json),
/// not an error.
/// @return PERI_OK; PERI_ENOENT, PERI_EACCES, PERI_EIO, or PERI_EFORMAT if a file named
/// directly is empty, binary or in no known format. A line of log says which and why.
PERI_API PERI_MUST_USE int peri_host_open_path(peri_host *host, const char *path,
                                               const char *dialect);

/// Follows a file, or all files of a directory tree, from where an earlier run stopped reading
/// (the ledger knows), else from the start: as they grow, are cut short, renamed, replaced or
/// made new. The host's steps read what is new; peri_host_fd() becomes readable when a file
/// changes. Only whole records count as read. Files of no known format are left alone,
/// compressed ones too: they are recordings, to be replayed. Links inside a tree are not
/// followed. At most 64 calls a host; live hosts only.
/// @param path     must exist.
/// @param dialect  the files' format; NULL: found out from each one's first records.
/// @return PERI_OK; PERI_ENOENT (no such path or dialect); PERI_ESTATE in a replay;
/// PERI_ELIMIT; PERI_EACCES, PERI_ENOMEM, PERI_EIO. A line of log says which and why.
PERI_API PERI_MUST_USE int peri_host_follow_path(peri_host *host, const char *path,
                                                 const char *dialect);

/// Hands bytes to a stream. They are copied.
/// @param[out] used  bytes taken; fewer than `len` when the host must be stepped first.
/// @return PERI_OK, PERI_EAGAIN if nothing was taken: step, then feed again; PERI_ECLOSED after
/// the end.
PERI_API PERI_MUST_USE int peri_source_feed(peri_source *source, const char *bytes, size_t len,
                                            size_t *used);

/// Ends a stream; what was fed is still read by later steps, a last line without LF included.
PERI_API PERI_MUST_USE int peri_source_end(peri_source *source);

/// Takes every record in order. Lent for the call; must not call the host.
typedef void (*peri_record_fn)(void *user, const peri_record *record);

/// Adds a subscriber that is never busy; at most 16 of both kinds. It is called inside the
/// host's steps and inside peri_host_free(), which tells how everything ended, so it lives
/// longer than the host: what may block belongs behind peri_host_subscribe_try().
/// @return PERI_OK or PERI_ELIMIT.
PERI_API PERI_MUST_USE int peri_host_subscribe(peri_host *host, peri_record_fn fn, void *user);

/// Takes a record or says that it cannot now. Lent for the call; must not call the host.
/// @return PERI_OK: taken; PERI_EAGAIN: busy; anything else: failed on this record.
typedef int (*peri_record_try_fn)(void *user, const peri_record *record);

/// Adds a subscriber that may be busy. What it was too busy for waits in a queue of its own
/// (4,096 records, 4 MiB) and is offered again, in order, at later steps, every 50 ms at the
/// latest. Beyond the queue new records are dropped for this subscriber alone, as is one it
/// failed on: its own numbers have a gap there. Neither delays another subscriber or the agent;
/// peri_host_status_json() counts both. What still waits at peri_host_free() is offered once
/// more.
/// @return PERI_OK or PERI_ELIMIT.
PERI_API PERI_MUST_USE int peri_host_subscribe_try(peri_host *host, peri_record_try_fn fn,
                                                   void *user);

/// One decision on its way to the agent. Texts are lent for the call.
typedef struct peri_delivery {
    size_t struct_size;
    peri_str id, session, agent, observer, lane;
    peri_str text;  ///< the proposal inside its frame: what the agent is to read
    peri_str nonce; ///< stands in the frame; found again in the agent's stream it proves "seen"
    peri_str origin;   ///< "observer:TYPE", for agents that keep where a message comes from
    peri_str priority; ///< "next": before anything else that waits for the agent
    bool is_meta;      ///< true: not the user's words
    peri_str event;    ///< the agent's event whose answer carries it; "*": a command of any
                       ///< moment; absent: its dialect does not say
    peri_str answer;   ///< the member of that answer, or the command; absent with `event`
} peri_delivery;

/// Takes a delivery; must not step or free the host. @return PERI_OK: handed over; PERI_EAGAIN:
/// keep it queued and ask again at the next step; anything else: expired, with the status as
/// its reason.
typedef int (*peri_sink_fn)(void *user, const peri_delivery *delivery);

/// Sets where deliveries go. Without a sink, and always in a
/// replay, their state is would-deliver.
PERI_API void peri_host_set_sink(peri_host *host, peri_sink_fn fn, void *user);

/// What ObserverReport answers to the observer that called it.
typedef struct peri_report_answer {
    bool is_error;
    char text[256]; ///< ends in NUL: for whom the report is queued, or why it is not
} peri_report_answer;

/// A call of the tool ObserverReport by an observer whose own program runs it, and not this
/// host: its report goes the way of all proposals. Refused are a call from the main session,
/// and one whose pairing is not armed or whose observed agent is not running.
/// @param session  id of the observed session, as records name it.
/// @param caller   the observer's task: `id` of its pairing's records. Absent or "main": the
/// main session.
/// @param report   UTF-8; held to the limits of every proposal.
/// @param[out] out the answer, a refusal too.
/// @return PERI_OK, whatever the answer; PERI_ENOMEM; PERI_ESTATE from another thread.
PERI_API PERI_MUST_USE int peri_host_report(peri_host *host, peri_str session, peri_str caller,
                                            peri_str report, peri_report_answer *out);

/// The host's state as one JSON object: sources, sessions, observers, counters.
/// @param[out] out  borrowed until the next call on this host.
PERI_API PERI_MUST_USE int peri_host_status_json(peri_host *host, peri_str *out);

/// Proposals of an observer that were dropped for one reason.
typedef struct peri_drop_count {
    peri_str reason;
    uint64_t count;
} peri_drop_count;

/// How one observer fares, from what was loaded and what the ledger
/// holds. Texts are lent for the call.
typedef struct peri_observer_state {
    size_t struct_size;
    peri_str name, layer;
    peri_str
        state; ///< healthy, healthy and silent, cooling down, out of budget, denied, stopped by
               ///< user, disabled after failures, waiting for trust, failed to load, never
               ///< triggered, format not recognised, behind, no runtime; off, replaced
    int64_t since_wall_ms; ///< 0: nothing happened yet
    peri_str cause, next;  ///< why, and what to do; may be absent
    uint64_t runs, failures, proposed, delivered, dropped;
    peri_str last_drop;    ///< reason of the last one; may be absent
    int64_t until_wall_ms; ///< when the state ends by itself; 0: it does not
    peri_str model;        ///< "lua", "command", or the model it names; absent if not loaded
    peri_str waits_for;    ///< its triggers, comma separated; absent if not loaded
    peri_str last_error;   ///< of its runs; may be absent
    uint64_t silent, deferred, tokens;
    uint64_t skipped,
        no_runtime;           ///< its wake() said no, or a ceiling; nothing here could run it
    uint64_t heard;           ///< items of the agents that it watches
    uint64_t lag;             ///< of those, in sessions that go on: not shown to it yet
    uint64_t digest_step;     ///< step of its last digest
    int64_t digest_wall_ms;   ///< 0: none yet
    uint64_t sessions, alike; ///< agents that it watches now, and those of them in this state
    const peri_drop_count *drops; ///< the most frequent reasons first
    size_t drop_count;
    bool shadow; ///< nothing of what it says now is delivered
} peri_observer_state;
typedef void (*peri_observer_state_fn)(void *user, const peri_observer_state *state);

/// Tells the state of every observer, in the order of the layers. Before the first step it
/// opens the ledger for reading only. @return PERI_OK; PERI_ENOMEM.
PERI_API PERI_MUST_USE int peri_host_observer_states(peri_host *host, peri_observer_state_fn fn,
                                                     void *user);

/// A live host of the same ledger, or one that was. Texts are lent for the call.
typedef struct peri_peer {
    size_t struct_size;
    int64_t pid, started_wall_ms, told_wall_ms; ///< told: when it said what follows
    bool alive, ended;                          ///< neither: it died without ending
    peri_str text; ///< what it read, decided and lost, in lines for people
    peri_str json; ///< the same as one JSON object: counters as in peri_host_status_json()
} peri_peer;
typedef void (*peri_peer_fn)(void *user, const peri_peer *peer);

/// Tells the hosts of the ledger, the latest 16, the latest first. As
/// peri_host_observer_states().
PERI_API PERI_MUST_USE int peri_host_peers(peri_host *host, peri_peer_fn fn, void *user);

/// Followed files that have grown since they were read last: bytes of whole lines not read yet,
/// of how many files, and since when; all 0 if there are none. What changed in the last ten
/// seconds is not late.
typedef struct peri_source_lag {
    uint64_t bytes, files;
    int64_t since_wall_ms;
} peri_source_lag;
PERI_API PERI_MUST_USE int peri_host_source_lag(peri_host *host, peri_source_lag *out);

/// The switch that keeps every observer from running, and where it is set; absent if none does,
/// or if none is wanted (`no_observers`). Borrowed until the host ends.
PERI_API peri_str peri_host_switched_off(const peri_host *host);

/// The known dialects, comma separated; borrowed until the host ends.
PERI_API peri_str peri_host_dialects(const peri_host *host);

/// Asks every observed session to end: unfinished steps are closed, session_end triggers fire
/// in the following steps. Used by a replay at the end of its input and by a clean stop. What
/// was fed or opened is still read, and observers at work are waited for, each up to its
/// deadline; the summary is the last record.
PERI_API PERI_MUST_USE int peri_host_finish(peri_host *host);

/// The same, but waits for nothing: what was not read yet stays unread, programs of observers
/// are killed and none is started any more. Each run in flight ends now, as abandoned. The
/// summary comes with the following steps.
/// @return PERI_OK; PERI_ESTATE from one of the host's own callbacks.
PERI_API PERI_MUST_USE int peri_host_abandon(peri_host *host);

#ifdef __cplusplus
}
#endif

#endif
