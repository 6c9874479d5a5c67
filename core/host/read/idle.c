// The trigger `idle`: a live agent of whom nothing was heard for `idle_ms`. It fires
// once; only what the agent does next makes it idle again. No agent has a timer: where an
// observer listens to the trigger, all agents are looked at every quarter of that time, else
// never. Called by host.c, and by host/read/observe.c for what is heard.
#include "host/read/read.h"

enum { LOOKS = 4 }; // in the time that makes an agent idle

static bool listens(const peri_observer *observer) {
    return observer->enabled && (observer->triggers >> PERI_TRIGGER_IDLE & 1);
}

static bool anyone_listens(const peri_host *host) {
    for (size_t i = 0; i < host->observer_count; i++) {
        if (listens(&host->defs[i])) return true;
    }
    return false;
}

static bool is_listened_to(const peri_agent *agent) {
    for (size_t i = 0; i < agent->pairing_count; i++) {
        if (listens(agent->pairings[i]->observer)) return true;
    }
    return false;
}

static void look(peri_host *host, host_agent *of, int64_t now_ms) {
    if (of->finished || of->agent->ended || !is_listened_to(of->agent)) return;
    if (of->stirred) {
        of->stirred = false;
        of->idle = false;
        of->heard_ms = now_ms;
    } else if (!of->idle && now_ms - of->heard_ms >= host->config.idle_ms) {
        of->idle = true;
        host_trigger(host, of, PERI_TRIGGER_IDLE, false);
    }
}

int host_idle_timeout_ms(const peri_host *host) {
    if (host->mode == PERI_MODE_REPLAY || host->finishing || !anyone_listens(host)) return -1;
    int64_t passed_ms = host->clock.now_ms(host->clock.user) - host->looked_ms;
    int64_t left_ms = host->config.idle_ms / LOOKS - passed_ms;
    return left_ms > 0 ? (int)left_ms : 0;
}

void host_idle(peri_host *host) {
    if (host_idle_timeout_ms(host) != 0) return;
    host->looked_ms = host->clock.now_ms(host->clock.user);
    for (peri_session *session = host->registry.first; session; session = session->next) {
        for (peri_agent *agent = session->agents; agent; agent = agent->next) {
            if (agent->attached) look(host, agent->attached, host->looked_ms);
        }
    }
}
