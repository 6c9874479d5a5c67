// The ledger of a host: opened by its first step, written by each, and begun anew where its
// file was taken away or replaced under the host: what people do from then on (a stop, an
// enable) is noted in the file that is there, and another host would take this one's sessions
// for its own.
#include "host/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/admit/admit.h"
#include "host/status/status.h"
#include "host/told/told.h"

// A ledger that cannot be had is said once; the host goes on without (design D11).
static void tell_none(peri_host *host, const char *error) {
    peri_buf text;
    peri_buf_init(&text, 8192);
    peri_buf_addf(&text, "%s: %s; nothing is remembered of this run", host->ledger_path, error);
    host_logf(host, "warning", "%s", peri_buf_c(&text));
    host_warn(host, "no-ledger", peri_str_c(host->ledger_path), peri_buf_str(&text),
              PERI_STR("make the folder writable, or name another with --state"));
    peri_buf_deinit(&text);
}

// The path of what SQLite keeps beside an open file, "-wal" and "-shm"; owned, NULL: no memory.
static char *beside(const peri_host *host, const char *suffix) {
    char *path;
    return asprintf(&path, "%s%s", host->ledger_path, suffix) < 0 ? NULL : path;
}

static peri_file_id journal_of(const peri_host *host) {
    char *path = beside(host, "-wal");
    peri_file_id id = {0};
    if (path) (void)!peri_path_id_of(path, &id);
    free(path);
    return id;
}

static int open_file(peri_host *host) {
    const char *error = NULL;
    peri_ledger_options how = {.replace = host->ledger_replace,
                               .days = host->config.ledger_days,
                               .max_bytes = host->config.ledger_max_bytes};
    int status = peri_ledger_open(host->ledger_path, &how, &host->ledger, &error);
    if (status < 0) {
        tell_none(host, error ? error : peri_status_message(status));
    } else if (host->mode == PERI_MODE_LIVE) {
        host_presence_open(host, host->ledger_path);
        host->ledger_known = peri_path_id_of(host->ledger_path, &host->ledger_file) == PERI_OK;
        host->ledger_journal = journal_of(host);
    }
    return status;
}

void host_store_open(peri_host *host) {
    host->ledger_asked = true;
    int status = open_file(host);
    if (status == PERI_OK && host->mode == PERI_MODE_LIVE) host_spend_resume_day(host);
}

// ---- A file that is another

static bool is_same(const peri_file_id *a, const peri_file_id *b) {
    return a->device == b->device && a->inode == b->inode;
}

static bool is_another(const peri_host *host) {
    peri_file_id now;
    if (!host->ledger_known) return false;
    int status = peri_path_id_of(host->ledger_path, &now);
    return status == PERI_ENOENT || (status == PERI_OK && !is_same(&now, &host->ledger_file));
}

// The journal of a file that is gone stays where it was. SQLite would take it for that of the
// file which is there now, and write the old content over the new. To be called while it is
// open: its number is its own.
static void remove_journal(const peri_host *host) {
    static const char *const suffixes[] = {"-wal", "-shm"};
    peri_file_id now = journal_of(host);
    if (now.inode == 0 || !is_same(&now, &host->ledger_journal)) return;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        char *path = beside(host, suffixes[i]);
        if (path) (void)unlink(path);
        free(path);
    }
}

// All that a host after this one, or the status, would ask for.
static void save_all(peri_host *host) {
    for (const peri_session *session = host->registry.first; session; session = session->next) {
        for (const peri_agent *agent = session->agents; agent; agent = agent->next) {
            for (size_t i = 0; i < agent->pairing_count; i++) {
                host_resume_save(host, agent->pairings[i]);
                host_standing_touch(host, agent->pairings[i]);
            }
        }
    }
    host_spend_renew(host);
}

static void begin_anew(peri_host *host) {
    host_logf(host, "warning", "%s: it was taken away or replaced; the ledger is begun anew",
              host->ledger_path);
    host_warn(host, "ledger-replaced", peri_str_c(host->ledger_path),
              PERI_STR("the ledger was taken away or replaced, and is begun anew"),
              PERI_STR("what was in it is no more known; let it be while a perilune runs"));
    remove_journal(host);
    peri_ledger_close(host->ledger);
    host->ledger = NULL;
    host->ledger_known = false;
    peri_claims_close(&host->claims);
    if (open_file(host) < 0) return;
    for (const peri_session *session = host->registry.first; session; session = session->next) {
        host_session *kept = session->attached;
        if (!kept->claimed) continue;
        kept->claimed = false;
        (void)host_claim_session(host, session); // tells if another was quicker
    }
    save_all(host);
}

// ---- Writing

// What may fail at every commit is said once; the summary and status count it.
static void tell_trouble(peri_host *host, int status) {
    if (status >= 0 || status == PERI_EAGAIN || host->ledger_trouble) return;
    host->ledger_trouble = true;
    const char *what = status == PERI_ELIMIT
                           ? "its disk is full, or ledger.max_bytes is reached"
                           : peri_status_message(status);
    host_logf(host, "warning", "ledger: %s; what cannot be stored is counted", what);
    host_warn(host, "ledger-trouble", (peri_str){0}, peri_str_c(what),
              PERI_STR("make room on its disk; observers go on meanwhile"));
}

bool host_store(peri_host *host, bool ended) {
    if (!host->ledger) return true;
    if (host->ledger_dirty && is_another(host)) begin_anew(host);
    if (!host->ledger) return true;
    host_standing_save(host);
    host_spend_save(host);
    host_tell_self(host, ended);
    if (!host->ledger_dirty) return true;
    int status = peri_ledger_commit(host->ledger, host_wall_ms(host));
    host->ledger_dirty = status == PERI_EAGAIN;
    tell_trouble(host, status);
    return status != PERI_EAGAIN;
}
