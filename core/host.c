// The host: everything one embedder's observers need, wired together. The data path is one
// direction, and a step walks it a little further:
//
//   bytes -> line -> record -> observation -> activity -> due work      host/read/
//   due work -> digest -> run -> proposal -> ruling -> delivery         host/run/
//   every step of it -> record -> subscribers, ledger                   host/told/
//
// No globals, no threads, no signals; all of it happens inside the owner's own calls.
#include <sodium.h>
#include <stdlib.h>

#include "host/admit/admit.h"
#include "host/load.h"
#include "host/read/read.h"
#include "host/run/run.h"
#include "host/status/status.h"
#include "host/store.h"
#include "host/told/told.h"
#include "host/written/written.h"

// The part of the options that a caller built against an older header has.
static int take_options(const peri_host_options *given, peri_host_options *out) {
    if (!given || given->struct_size < offsetof(peri_host_options, seed)) return PERI_EINVAL;
    if (given->struct_size > sizeof *out) return PERI_EINVAL;
    memset(out, 0, sizeof *out);
    memcpy(out, given, given->struct_size);
    return PERI_OK;
}

// A NULL stays NULL; a text that memory cannot hold fails the host, since without it the host
// would do something else.
static int copy_of(char **slot, const char *text) {
    *slot = text ? strdup(text) : NULL;
    return text && !*slot ? PERI_ENOMEM : PERI_OK;
}

static int check_lua_dir(peri_host *host) {
    if (!host->lua_dir || peri_path_type_of(host->lua_dir) == PERI_PATH_FOLDER) return PERI_OK;
    host_logf(host, "error", "%s: there is no such folder of Lua", host->lua_dir);
    return PERI_EINVAL;
}

static int copy_texts(peri_host *host, const peri_host_options *options) {
    int status = copy_of(&host->observer_only, options->observer_only);
    if (status == PERI_OK) status = copy_of(&host->lua_dir, options->lua_dir);
    if (status == PERI_OK) status = copy_of(&host->ledger_path, options->ledger_path);
    return status;
}

static int take_layout(peri_host *host, const char *layout) {
    host->layout = -1;
    if (!layout) return PERI_OK;
    peri_layout found = peri_layout_find(peri_str_c(layout));
    if (found == PERI_LAYOUT_COUNT) {
        host_logf(host, "error",
                  "unknown layout '%s'; the known ones: rich, claude-2.1.332, "
                  "claude-2.1.215",
                  layout);
        return PERI_EINVAL;
    }
    host->layout = (int)found;
    return PERI_OK;
}

static int seed_random(peri_host *host, const peri_host_options *options) {
    host->seed = options->seed ? options->seed : UINT64_C(0x7065726953656564);
    if (host->mode == PERI_MODE_REPLAY) {
        peri_random_seed(&host->random, host->seed);
        return PERI_OK;
    }
    int status = peri_random_seed_system(&host->random);
    host->seed = peri_random_next(&host->random);
    return status;
}

static void init_parts(peri_host *host) {
    host->clock = host->mode == PERI_MODE_REPLAY ? peri_clock_of(&host->replay_clock)
                                                 : peri_clock_system();
    host->last_source = &host->sources;
    peri_joiner_init(&host->joiner);
    peri_registry_init(&host->registry, host->seed, host_agent_free, host_session_free);
    peri_outbox_init(&host->outbox, host_on_delivery, host);
    host->outbox.before = host_begin_handing;
    host->outbox.kept = host_end_handing;
    host->claims.fd = -1;
    peri_arena_init(&host->run_arena, 16 * 1024 * 1024);
    peri_arena_init(&host->record_arena, 4 * 1024 * 1024);
    peri_diag_list_init(&host->diags);
    peri_buf_init(&host->json, 4 * (size_t)PERI_LINE_CAP_BYTES);
    peri_buf_init(&host->event, 4 * (size_t)PERI_LINE_CAP_BYTES);
    peri_buf_init(&host->scratch, 4 * (size_t)PERI_LINE_CAP_BYTES);
    peri_buf_init(&host->status_json, 64 * 1024 * 1024);
    peri_buf_init(&host->dialect_names, 4096);
    peri_buf_init(&host->digest, PERI_DIGEST_CAP_BYTES);
}

static int open_loop(peri_host *host) {
    int status = peri_loop_new(&host->loop);
    if (status == PERI_EIO)
        host_logf(host, "error",
                  "too few files may be open at once; `ulimit -n 256` is enough");
    return status;
}

int peri_host_new(const peri_host_options *given, peri_host **out) {
    peri_host_options options;
    int status = take_options(given, &options);
    if (status < 0 || !out) return PERI_EINVAL;
    peri_host *host = calloc(1, sizeof *host);
    if (!host) return PERI_ENOMEM;
    host->owner = pthread_self();
    host->mode = options.mode;
    host->no_observers = options.no_observers;
    host->quiet_observations = options.quiet_observations;
    host->all_sources = options.all_sources;
    host->max_line_bytes = options.max_line_bytes;
    host->on_log = options.on_log;
    host->log_user = options.log_user;
    host->ledger_replace = options.ledger_replace;
    init_parts(host);
    if (sodium_init() < 0)
        status = PERI_EIO; // once a process; picks the processor's own hashes
    if (status == PERI_OK) status = seed_random(host, &options);
    if (status == PERI_OK) status = copy_texts(host, &options);
    if (status == PERI_OK) status = check_lua_dir(host);
    if (status == PERI_OK) status = take_layout(host, options.layout);
    if (status == PERI_OK) status = open_loop(host);
    if (status == PERI_OK) status = host_load(host, &options);
    if (status < 0) {
        host_diags_flush(host);
        if (status == PERI_EIO || status == PERI_ENOMEM) // nobody's mistake, so no diagnostic
            host_logf(host, "error", "cannot start: %s", peri_status_message(status));
        peri_host_free(host);
        return status;
    }
    *out = host;
    return PERI_OK;
}

static void retire_all(peri_host *host) {
    for (const peri_session *session = host->registry.first; session; session = session->next) {
        for (const peri_agent *agent = session->agents; agent; agent = agent->next) {
            if (agent->attached) host_retire(host, agent);
        }
    }
}

void peri_host_free(peri_host *host) {
    if (!host || host->in_step || !pthread_equal(host->owner, pthread_self())) return;
    host_gate_close(host);
    host_runs_abandon(host);
    host_commands_close(host);
    peri_outbox_expire(&host->outbox, (peri_str){0}, (peri_str){0}, "the host ended");
    retire_all(host);
    host_store(host, true);
    host_follow_free(host);
    host_sources_free(host);
    peri_registry_deinit(&host->registry);
    peri_joiner_deinit(&host->joiner);
    host_subscribers_free(host);
    host_unload(host);
    peri_ledger_close(host->ledger);
    peri_claims_close(&host->claims);
    peri_outbox_deinit(&host->outbox);
    peri_loop_free(host->loop);
    peri_arena_deinit(&host->run_arena);
    peri_arena_deinit(&host->record_arena);
    peri_diag_list_deinit(&host->diags);
    peri_buf_deinit(&host->json);
    peri_buf_deinit(&host->event);
    peri_buf_deinit(&host->scratch);
    peri_buf_deinit(&host->status_json);
    peri_buf_deinit(&host->digest);
    free(host->watching);
    free(host->work);
    free(host->observer_only);
    free(host->lua_dir);
    free(host->ledger_path);
    free(host);
}

// A delivery is handed over only after its row is committed (design D8).
static void hand_over(peri_host *host) {
    if (host->follow && !host->work_count) host_follow_save(host);
    if (!host_store(host, false)) return; // the deliveries wait, the loop does not
    if (host->outbox.count) host_expire_stopped(host);
    if (host->outbox.count) (void)peri_outbox_flush(&host->outbox);
    host->way_opened = false;
}

static bool has_work(const peri_host *host) {
    return host->work_count || host_has_input(host);
}

static bool due(const peri_host *host) {
    return has_work(host) || (host->finishing && !host->summed && !host->runs && !host->checks);
}

// A replay goes on only when its runs have answered: so its output has one order.
static bool awaits_answers(const peri_host *host) {
    return host->mode == PERI_MODE_REPLAY && host->runs;
}

static void read_some(peri_host *host) {
    for (int i = 0; i < HOST_LINES_PER_STEP && !host->work_count && !host->way_opened; i++) {
        if (host_read(host) <= 0) return;
    }
}

enum { ANSWER_WAIT_MS = 50, LEDGER_RETRY_MS = 20 };

// A replay's ledger commits by the batch, and the rest at the end.
static bool commit_due(const peri_host *host) {
    // How far a followed file was read goes into one transaction
    // with all that its records caused.
    if (host->follow && host->work_count) return false;
    return host->mode == PERI_MODE_LIVE;
}

// Of two waits, where -1 has no end.
static int sooner(int a_ms, int b_ms) {
    if (a_ms < 0) return b_ms;
    return b_ms < 0 || a_ms < b_ms ? a_ms : b_ms;
}

// Until what waits on others is tried again; -1: nothing does.
static int retry_timeout_ms(const peri_host *host) {
    int ledger = host->ledger_dirty ? LEDGER_RETRY_MS : -1;
    int waits = sooner(host_tell_timeout_ms(host), host_idle_timeout_ms(host));
    return sooner(sooner(ledger, waits), host_subscribers_timeout_ms(host));
}

static void step(peri_host *host, int timeout_ms) {
    if (host->ledger_path && !host->ledger_asked) {
        host_store_open(host);
        host_resume_deliveries(host);
    }
    if (host->diags.count) host_diags_flush(host);
    if (awaits_answers(host)) {
        peri_loop_run(host->loop, ANSWER_WAIT_MS);
        return;
    }
    host_subscribers_drain(host);
    peri_loop_run(host->loop, due(host) ? 0 : sooner(timeout_ms, retry_timeout_ms(host)));
    host_reload(host);
    host_idle(host);
    if (host->abandoned) host_gate_close(host);
    if (host->work_count) {
        host_do_work(host);
    } else {
        read_some(host);
    }
    if (!has_work(host) && host->finishing && !host->runs && !host->checks) {
        host_finish_agents(host);
        if (!has_work(host)) host_summary(host);
    }
    // A run and what is decided of it are stored together: not while its batch is still due.
    if (!host->work_count && (!due(host) || commit_due(host))) hand_over(host);
}

int peri_host_step(peri_host *host, int timeout_ms) {
    HOST_CHECK(host);
    if (host->in_step) return PERI_ESTATE; // from a callback
    host->in_step = true;
    step(host, timeout_ms);
    host->in_step = false;
    return due(host) || awaits_answers(host) ? 1 : 0;
}

int peri_host_finish(peri_host *host) {
    HOST_CHECK(host);
    host->finishing = true;
    return PERI_OK;
}

int peri_host_abandon(peri_host *host) {
    HOST_CHECK(host);
    if (host->in_step) return PERI_ESTATE; // from a callback
    host->finishing = true;
    host->abandoned = true;
    host->in_step = true; // records are told
    host_gate_close(host);
    host_runs_abandon(host);
    host->in_step = false;
    return PERI_OK;
}

int peri_host_fd(const peri_host *host) {
    return host ? peri_loop_fd(host->loop) : -1;
}

int peri_host_timeout_ms(const peri_host *host) {
    if (!host) return -1;
    if (due(host)) return 0;
    return sooner(peri_loop_timeout_ms(host->loop), retry_timeout_ms(host));
}

void peri_host_set_sink(peri_host *host, peri_sink_fn fn, void *user) {
    if (!host || !pthread_equal(host->owner, pthread_self())) return;
    if (host->mode == PERI_MODE_REPLAY) return; // nothing of a replay is delivered
    host->outbox.sink = fn;
    host->outbox.sink_user = user;
}

peri_str peri_host_dialects(const peri_host *host) {
    return host ? peri_buf_str(&host->dialect_names) : (peri_str){0};
}
