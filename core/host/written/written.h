// What people wrote: configs, definitions of observers and agents, dialects, what a project
// brings along. It is loaded before a stream is read, and anew when it changes.
//
//   file_names         which files are definitions
//   shipped            files inside the library
//   watch              files that may change
//   dialects           agents' formats, and sidecars
//   config             config.yaml
//   narrow             a project's config and goal
//   switches           off switches of the environment
//   trust              what a person agreed to
//   project            what a project folder holds
//   project_layer      what of it counts
//   privacy            what is hidden on the way out
//   recall             notes and skills
//   observers          the observers in use
//   agents             definitions that name observers
//   commands           observers in processes
//   define             one definition taken, or not
//   layers             observers, layer by layer
#ifndef PERI_HOST_WRITTEN_H
#define PERI_HOST_WRITTEN_H

#include "host/types.h"

// host/written/file_names.c
bool host_is_markdown(peri_str file);
/// `path` with the other of the endings .lua and .md; owned; NULL when memory ran out.
char *host_sibling(peri_str path);

// host/written/shipped.c
/// $XDG_CONFIG_HOME/perilune/NAME, or ~/.config/perilune/NAME; owned; NULL if neither is set.
char *host_user_path(const char *name);
/// Source of a `perilune.*` module; `user` is the host.
peri_str host_find_module(void *user, peri_str name);
/// The shipped file `path`: from lua_dir if it is there, else
/// from the library. Absent if neither.
peri_str host_shipped(peri_host *host, peri_str path);
/// Visits the shipped files `folder`*`suffix`, those of lua_dir where it is set.
void host_each_shipped(peri_host *host, const char *folder, const char *suffix,
                       void (*fn)(peri_host *host, peri_str path, peri_str text));
/// How every script of the host runs.
peri_script_options host_script_options(peri_host *host);
void host_shipped_free(peri_host *host);

// host/written/watch.c
/// Notes a file, or a folder of them, to be loaded anew when it changes; not in a replay.
/// `layer` stays the caller's, for good; absent for what is no observer. An observer counts
/// with the Lua beside it.
void host_watch(peri_host *host, host_watched_kind kind, peri_str layer, const char *path);
/// Notes an observer's file that came while the host runs: as one that has changed.
void host_watch_new(peri_host *host, peri_str layer, const char *path);
/// Changes when what is watched does.
uint64_t host_watched_stamp(host_watched_kind kind, const char *path);
void host_watch_free(peri_host *host);

// host/written/dialects.c
/// Loads all of them into an initialised host; one that cannot be used is a diagnostic.
void host_dialects_load(peri_host *host);
void host_dialects_unload(peri_host *host);
/// The dialect called `name`; NULL if there is none.
const peri_dialect *host_dialect_find(const peri_host *host, const char *name);
/// What stands beside the recording `file` of its agent; texts go
/// to `arena`. False if there is nothing.
bool host_sidecar_read(peri_host *host, const peri_dialect *dialect, const char *file,
                       peri_arena *arena, peri_sidecar_facts *out);
/// True for a file that belongs to a recording beside it and is read with it.
bool host_is_sidecar(const peri_host *host, const char *path);

// host/written/config.c
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

// host/written/narrow.c
/// The same, but of what it says only what narrows counts: switching off, shadowing, lower
/// limits, more scrubbing, a goal. The rest is reported.
PERI_MUST_USE int host_config_narrow(host_config *config, peri_str text, peri_str path,
                                     peri_diag_list *diags);
/// Takes over what `said` has in shadow; nothing leaves it. False if `said` would let one out.
bool host_config_shadow(host_config *to, const host_config *said);
/// Reads a goal file: text, `check: COMMAND`, `- [ ]` lines. PERI_ENOMEM.
PERI_MUST_USE int host_goal_parse(host_config *config, peri_str text);

// host/written/switches.c
/// Reads PERILUNE_RESTRICTED and PERILUNE_OBSERVERS (spec CC-1). PERI_EINVAL, with a line of
/// log that names it, if one is neither true nor false.
PERI_MUST_USE int host_switches_read(peri_host *host);
/// Keeps every observer from running: `why`, and the file `path` that is why.
void host_switch_off(peri_host *host, const char *why, const char *path);
/// Takes what an observation tells of the environment of its session's agent.
void host_switches_hear(peri_host *host, const peri_session *session, const peri_obs *obs);
/// Takes what /etc/perilune/managed.yaml and the file `more` (NULL: none) restrict, over every
/// other config. PERI_ENOMEM.
PERI_MUST_USE int host_switches_managed(peri_host *host, const char *more);

// host/written/project_layer.c
/// Reads the project of the options and names what of it is not trusted. PERI_ENOENT if there
/// is no such folder; PERI_ENOMEM.
PERI_MUST_USE int host_project_open(peri_host *host, const peri_host_options *options);
/// Takes its trusted config and, live, its trusted goal.
PERI_MUST_USE int host_project_configure(peri_host *host);

// host/written/privacy.c
/// Adds the config's patterns to `scrub`. PERI_EINVAL: one is no pattern, which is told; the
/// others are added. PERI_ENOMEM.
PERI_MUST_USE int host_privacy_patterns(const host_config *config, peri_scrub *scrub,
                                        peri_diag_list *diags);
/// Adds the secrets that configs and Lua files describe to the host's scrubber; what is wrong
/// with them is told and switches every observer off. PERI_ENOMEM.
PERI_MUST_USE int host_privacy_load(peri_host *host, bool use_user_config);

enum { HOST_ALIAS_CHARS = 18 };
/// The key of a session: `id`, or a stable name in `room` where that is a secret, for keys are
/// stored, shown and typed.
peri_str host_session_alias(const peri_host *host, peri_str id,
                            char room[HOST_ALIAS_CHARS + 1]);

// host/written/recall.c
/// Reads notes and skills: the user's where `use_user_config`, then those of the config.
PERI_MUST_USE int host_recall_load(peri_host *host, bool use_user_config);
void host_recall_unload(peri_host *host);

// host/written/observers.c
/// The switch that keeps `def` from running; NULL if none does.
const char *host_off_by(const peri_host *host, const peri_observer *def);

// host/written/agents.c
/// Reads the definitions and finds the observers they name, after
/// the layers were loaded. PERI_ENOMEM.
PERI_MUST_USE int host_agents_load(peri_host *host, const peri_host_options *options);
void host_agents_unload(host_agents *agents);
/// What definitions made of the observer `name` follows its new definition.
void host_agents_renew(peri_host *host, peri_str name);
/// Reports what is unknown or of another type under `agents` of
/// a config. PERI_EINVAL if anything is.
PERI_MUST_USE int host_agents_check(peri_yaml_doc *doc, const peri_yaml *map);

// host/written/commands.c
/// Makes the runtime of command observers. PERI_ENOMEM; that perilune-exec is missing is told
/// by the runs that need it.
PERI_MUST_USE int host_commands_open(peri_host *host, const char *exec_path);
/// Kills what runs.
void host_commands_close(peri_host *host);
/// Decides where the definition called `name` runs that was read from `from`: in this process,
/// as its own command, or in a worker.
void host_commands_route(peri_host *host, peri_str name, const host_found *from);
/// SHA-256 of a definition's text and of the Lua beside it (absent: none), as workers are told
/// it. PERI_ENOMEM.
PERI_MUST_USE int host_content_hash(peri_str text, peri_str lua_text,
                                    char hash[PERI_TRUST_HASH_CHARS + 1]);
/// The runtime in which the definition's Lua runs.
const peri_runtime *host_lua_of(const peri_host *host, const peri_observer *observer);
/// What idles for the observer's next run may go: its agent
/// has ended, or it is another one now.
void host_rest(peri_host *host, const peri_observer *observer);

// host/written/define.c
/// Takes a definition, or reports why not. What is of the project was trusted before. One whose
/// file was taken before takes that one's place; if it cannot be used, the one before goes on.
void host_define(peri_host *host, const host_found *from);
/// Takes out what the file gave, after it is gone.
void host_undefine(peri_host *host, peri_str layer, peri_str file);
/// The latest definition called `name` that another one replaced,
/// but a project's; NULL if there is none.
const peri_entry *host_latest_replaced(const peri_host *host, peri_str name);
/// The observer that `file`, or the file of the other ending beside
/// it, gave; NULL if none is in use.
const peri_observer *host_defined_by(const peri_host *host, peri_str layer, peri_str file);
/// Switches off, and shadows, what the config says now; never the other way.
void host_narrow_observers(peri_host *host);
/// Lists a definition that nobody has agreed to. Nothing of it is run.
void host_define_untrusted(peri_host *host, const host_found *from);

// host/written/layers.c
PERI_MUST_USE int host_layers_load(peri_host *host, const peri_host_options *options);
void host_layers_unload(peri_host *host);
/// Reads one definition anew, or takes it out if its files are gone. `path` is of either
/// ending. True: it was read.
bool host_layers_refresh(peri_host *host, peri_str layer, peri_str path);
/// Appends `"observers":[...]`.
void host_layers_add_json(const peri_host *host, peri_buf *out);

#endif
