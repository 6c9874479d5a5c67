// From bytes to work that is due: streams that are fed, files, and
// live files and trees that are followed.
//
//   observe            observation -> activity -> due
//   idle               who has not been heard of?
//   sniff              what a file is
//   source             one source, line by line
//   tails              which files are followed
//   tail               one followed file
//   follow             live files and trees
//   input              files and streams, in order
#ifndef PERI_HOST_READ_H
#define PERI_HOST_READ_H

#include "host/types.h"

// host/read/observe.c
/// Takes one observation of a source: what is new of it is recorded, kept, and its work noted.
void host_observe(peri_host *host, peri_source *source, peri_obs *obs);
/// Ends every agent that has not ended: unfinished steps are
/// closed, session_end triggers are due.
void host_finish_agents(peri_host *host);
/// Notes the runs of every pairing that listens to `trigger`,
/// and the judging of what they propose.
void host_trigger(peri_host *host, host_agent *of, peri_trigger trigger, bool ending);
/// For the registry: what the host attached to an agent and to a session.
void host_agent_free(void *attached);
void host_session_free(void *attached);

// host/read/idle.c
/// Fires `idle` for the agents that are, if it is time to look.
void host_idle(peri_host *host);
int host_idle_timeout_ms(const peri_host *host); // until the next look; -1: nobody wants one

// host/read/sniff.c
/// Reads the start of a file: its dialect, session and time. PERI_EFORMAT if no dialect knows
/// it;
/// `*size` is what was read of it.
PERI_MUST_USE int host_sniff(peri_host *host, host_file *file, const peri_dialect *dialect,
                             uint64_t *size);
/// Counts and lists a file that is in no known format.
void host_list_other(peri_host *host, const char *path);
/// Why a file cannot be read, for people.
const char *host_file_problem(int status);
/// Says why a file that was named directly is not read; `size` is what was read of it.
void host_tell_refusal(peri_host *host, const char *path, int status, uint64_t size);

// host/read/source.c
/// A source that is in no list of the host's.
PERI_MUST_USE int host_source_new(peri_host *host, const char *name,
                                  const peri_dialect *dialect, peri_source **out);
void host_source_free(peri_source *source);
/// Reads one line of a source. 1 if something was read.
PERI_MUST_USE int host_source_read(peri_source *source);
/// True while bytes that came are not read yet.
bool host_source_has_bytes(const peri_source *source);
/// The time of the next record, so that several files of one session can be read in order;
/// INT64_MIN + 1 if it tells none.
int64_t host_source_peek_at(peri_source *source);
/// Reads what stands beside the file, if its dialect knows of such a thing.
void host_read_sidecar(peri_host *host, peri_source *source, const host_file *file);
/// Counts a file that is read, by its dialect.
void host_count_file(peri_host *host, const peri_dialect *dialect);
/// Notes a record that was set aside, with its place and the reason.
void host_quarantine(peri_host *host, const char *what);
/// Adds what a source counted to the host's totals and to its dialect's, once, when it is done.
void host_count_source(peri_host *host, const peri_source *source);

// host/read/follow.c
PERI_MUST_USE int host_follow_read(peri_host *host); // as host_read()
bool host_follow_due(const peri_host *host);
/// Notes how far the followed files were read, for the commit that follows. Only when all that
/// their records caused is done.
void host_follow_save(peri_host *host);
void host_follow_add_counts(peri_host *host); // to host->ingested
void host_follow_write_status(const peri_host *host, peri_buf *out);
void host_follow_free(peri_host *host);

// host/read/input.c
PERI_MUST_USE int host_read(peri_host *host); // 1: something was read, 0: nothing to read
bool host_has_input(const peri_host *host);
void host_sources_free(peri_host *host);

#endif
