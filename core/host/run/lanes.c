// Which way leads to an agent, and is it open now? What the dialects of an agent's sources
// state of their lanes (model/lanes.h) is asked twice: when a proposal is judged, so that no
// decision names a lane that leads nowhere; and when a delivery is to be handed over, which
// waits for an event whose answer the model is known to read (case C57). An agent of whose
// dialects none states lanes takes everything at any moment: whoever takes the deliveries finds
// the way. Called by host/read/observe.c, host/run/judge.c and the outbox.
#include <stdio.h>

#include "host/run/run.h"

static void take_lanes(host_agent *of, const peri_lanes *lanes) {
    for (size_t i = 0; i < of->lanes_count; i++) {
        if (of->lanes[i] == lanes) return;
    }
    if (of->lanes_count < HOST_MAX_LANES) of->lanes[of->lanes_count++] = lanes;
}

static uint64_t version_of(const host_agent *of) {
    const host_session *kept = of->agent->session->attached;
    return kept->version;
}

void host_lanes_hear(peri_host *host, const peri_dialect *dialect, host_agent *of,
                     const peri_obs *obs) {
    host_session *kept = of->agent->session->attached;
    if (obs->x.version.len) kept->version = peri_version_of(obs->x.version);
    if (!dialect || !dialect->lanes.stated) return;
    take_lanes(of, &dialect->lanes);
    if (!obs->x.event.len || !host->outbox.sink) return;
    for (size_t lane = 0; lane < PERI_LANE_COUNT; lane++) {
        of->open[lane] = peri_lanes_at(&dialect->lanes, (peri_lane)lane, obs->x.event,
                                       obs->x.event_tool, version_of(of));
        host->way_opened |= of->open[lane] && host->outbox.count;
    }
}

static bool leads(void *user, peri_lane lane) {
    const host_agent *of = user;
    bool to_main = peri_str_eq(of->agent->key, PERI_STR("main"));
    for (size_t i = 0; i < of->lanes_count; i++) {
        if (peri_lanes_lead(of->lanes[i], lane, to_main, version_of(of))) return true;
    }
    return false;
}

peri_lane host_lane_for(host_agent *of, peri_lane lane) {
    if (!peri_lane_is_agents(lane) || of->lanes_count == 0 || leads(of, lane)) return lane;
    // The order is the same in all dialects.
    return peri_lanes_instead(&of->lanes[0]->of[lane], leads, of);
}

// What the agent takes at any moment, else what its event offers.
static const peri_channel *open_channel(const host_agent *of, peri_lane lane) {
    bool to_main = peri_str_eq(of->agent->key, PERI_STR("main"));
    for (size_t i = 0; to_main && i < of->lanes_count; i++) {
        const peri_channel *channel =
            peri_lanes_at(of->lanes[i], lane, PERI_STR("*"), (peri_str){0}, version_of(of));
        if (channel) return channel;
    }
    return of->open[lane];
}

int host_lane_open(const peri_host *host, peri_delivery *delivery) {
    peri_lane lane = peri_lane_find(delivery->lane);
    const peri_agent *agent =
        peri_registry_find(&host->registry, delivery->session, delivery->agent);
    const host_agent *of = agent ? agent->attached : NULL;
    if (!of || of->lanes_count == 0 || !peri_lane_is_agents(lane)) return PERI_OK;
    const peri_channel *channel = open_channel(of, lane);
    if (!channel) return of->left || of->finished ? PERI_ECLOSED : PERI_EAGAIN;
    delivery->event = channel->event;
    delivery->answer = channel->answer;
    return PERI_OK;
}

// ---- What the config knows better

static void unknown_dialect(const peri_host *host, const host_channel *said,
                            peri_diag_list *diags) {
    peri_str names[HOST_MAX_DIALECTS + 1] = {{0}};
    for (size_t i = 0; i < host->dialect_count; i++) names[i] = host->dialects[i]->name;
    peri_str near = peri_diag_nearest(said->dialect, names);
    char hint[96] = "perilune policy lanes lists the dialects";
    if (near.len) snprintf(hint, sizeof hint, "did you mean '%.*s'?", PERI_FMT(near));
    peri_diag_addf(diags, PERI_WARNING, "unknown-dialect", said->file, said->line, said->column,
                   hint, "channels: there is no dialect '%.*s'", PERI_FMT(said->dialect));
}

int host_lanes_configure(peri_host *host, const host_config *config, peri_diag_list *diags) {
    for (size_t i = 0; i < config->channel_count; i++) {
        const host_channel *said = &config->channels[i];
        size_t at = 0;
        while (at < host->dialect_count &&
               !peri_str_eq(host->dialects[at]->name, said->dialect))
            at++;
        if (at == host->dialect_count) {
            unknown_dialect(host, said, diags);
            continue;
        }
        int status = peri_dialect_file_say(host->dialect_files[at], &said->channel);
        if (status == PERI_ENOMEM) return status;
        if (status < 0) {
            peri_diag_addf(diags, PERI_WARNING, "unused-channel", said->file, said->line,
                           said->column, "perilune policy lanes lists the ways of each lane",
                           "channels: no lane of %.*s goes by %.*s.%.*s",
                           PERI_FMT(said->dialect), PERI_FMT(said->channel.event),
                           PERI_FMT(said->channel.answer));
        }
    }
    return PERI_OK;
}
