// What observers cost, held to the ceilings of the config before it is spent (spec PE-3). Who
// asks: host/run/runs.c, before a wake, a model's call, a proposal and a veto. Live, what was
// spent lies in the ledger, with what it was spent on: neither a restart nor a second host
// refills a ceiling.
#include "host/admit/admit.h"
#include "host/told/told.h"
#include "ledger/spent.h"

static void tell_once(peri_host *host, host_session *session, peri_str name, peri_spend what,
                      const char *reached) {
    if (session->told >> what & 1) return;
    session->told |= 1u << what;
    host_logf(host, "warning", "session %.*s: %s", PERI_FMT(name), reached);
    host_warn(host, "ceiling", (peri_str){0}, peri_str_c(reached),
              PERI_STR("observers go on without; limits.session and limits.day set it"));
}

static bool is_kept(const peri_host *host) {
    return host->ledger && host->mode == PERI_MODE_LIVE;
}

// ---- What was spent before

static void take_spent(void *user, peri_str what, uint64_t amount) {
    peri_spent *spent = user;
    for (int i = 0; i < PERI_SPEND_COUNT; i++) {
        if (peri_str_eq(peri_spend_word((peri_spend)i), what)) spent->of[i] = amount;
    }
}

static void resume(peri_host *host, peri_str session, int64_t day, peri_spent *to) {
    if (!is_kept(host)) return;
    int status = peri_ledger_get_spent(host->ledger, session, day, take_spent, to);
    if (status < 0) host_logf(host, "warning", "ledger: %s", peri_status_message(status));
}

void host_spend_resume_session(peri_host *host, host_session *kept, peri_str session) {
    resume(host, session, 0, &kept->spent);
}

void host_spend_resume_day(peri_host *host) {
    host->spent_today = (peri_spent){.day = peri_spend_day(host_wall_ms(host))};
    resume(host, PERI_STR(""), host->spent_today.day, &host->spent_today);
}

// ---- What is spent now

static void save(peri_host *host, peri_str session, int64_t day, peri_spent *unsaved) {
    for (int i = 0; i < PERI_SPEND_COUNT && is_kept(host); i++) {
        if (!unsaved->of[i]) continue;
        if (peri_ledger_add_spent(host->ledger, session, day, peri_spend_word((peri_spend)i),
                                  unsaved->of[i], host_wall_ms(host)) == PERI_OK) {
            host->ledger_dirty = true;
            unsaved->of[i] = 0;
        }
    }
}

// Other hosts of the ledger spend of the same day.
static void hear_of_others(peri_host *host) {
    peri_spent all = {0};
    resume(host, PERI_STR(""), host->spent_today.day, &all);
    for (int i = 0; i < PERI_SPEND_COUNT; i++) {
        uint64_t total = all.of[i] + host->unsaved_today.of[i];
        if (total > host->spent_today.of[i]) host->spent_today.of[i] = total;
    }
}

void host_spend_save(peri_host *host) {
    if (!host->spending) return;
    hear_of_others(host);
    for (host_session *one = host->spending; one; one = one->next_spending) {
        save(host, one->session->id, 0, &one->unsaved);
        one->spending = false;
    }
    host->spending = NULL;
    save(host, PERI_STR(""), host->unsaved_today.day, &host->unsaved_today);
}

static void queue(peri_host *host, host_session *kept) {
    if (kept->spending) return;
    kept->spending = true;
    kept->next_spending = host->spending;
    host->spending = kept;
}

void host_spend_renew(peri_host *host) {
    host->unsaved_today = host->spent_today;
    for (const peri_session *session = host->registry.first; session; session = session->next) {
        host_session *kept = session->attached;
        kept->unsaved = kept->spent;
        queue(host, kept);
    }
}

int64_t host_spend_until(const peri_host *host, const char *reached) {
    enum { DAY_MS = 24 * 60 * 60 * 1000 };
    bool of_day = peri_str_starts(peri_str_c(reached), PERI_STR("the day's"));
    return of_day ? (host->spent_today.day + 1) * DAY_MS : 0;
}

static void note(peri_host *host, host_session *kept, peri_spend what, uint64_t amount) {
    if (!is_kept(host)) return;
    if (host->unsaved_today.day != host->spent_today.day) { // midnight was between
        host_spend_save(host);
        host->unsaved_today = (peri_spent){.day = host->spent_today.day};
    }
    kept->unsaved.of[what] += amount;
    host->unsaved_today.of[what] += amount;
    queue(host, kept);
}

const char *host_spend_try(peri_host *host, const host_agent *of, peri_spend what,
                           uint64_t amount) {
    const peri_session *session = of->agent->session;
    host_session *kept = session->attached;
    const char *reached = peri_spend_try(&host->config.ceilings, &kept->spent,
                                         &host->spent_today, host_wall_ms(host), what, amount);
    if (reached) {
        tell_once(host, kept, session->id, what, reached);
    } else {
        note(host, kept, what, amount);
    }
    return reached;
}
