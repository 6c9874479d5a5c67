// What observers cost, held to the ceilings of the config before it is spent (spec PE-3). Who asks:
// host_runs.c, before a wake, a model's call, a proposal and a veto.
#include "host_internal.h"

static void tell_once(peri_host *host, host_session *session, peri_str name, peri_spend what,
                      const char *reached) {
    if (session->told >> what & 1) return;
    session->told |= 1u << what;
    host_logf(host, "warning", "session %.*s: %s", PERI_FMT(name), reached);
    host_warn(host, "ceiling", (peri_str){0}, peri_str_c(reached),
              PERI_STR("observers go on without; limits.session and limits.day set it"));
}

const char *host_spend_try(peri_host *host, const host_agent *of, peri_spend what,
                           uint64_t amount) {
    peri_session *session = of->agent->session;
    host_session *kept = session->attached;
    const char *reached = peri_spend_try(&host->config.ceilings, &kept->spent,
                                         &host->spent_today, host_wall_ms(host), what, amount);
    if (reached) tell_once(host, kept, session->id, what, reached);
    return reached;
}
