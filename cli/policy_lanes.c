// `policy lanes`: of each dialect the ways of each lane in the order in which they are taken,
// with what is known of their channels, and what stands in for a lane that has none.
#include "policy_lanes.h"

#include "base/json.h"

typedef struct printing {
    FILE *out;
    bool json;
    const peri_lanes *lanes;
    peri_str dialect;
} printing;

static const uint64_t latest = UINT64_MAX; // every version that a channel may wait for has come

static bool leads(void *user, peri_lane lane) {
    return peri_lanes_lead(((const printing *)user)->lanes, lane, true, latest);
}

static void begin_json(const printing *p, peri_buf *line, const char *key, peri_str value) {
    peri_buf_init(line, 4096);
    peri_buf_add_c(line, "{\"dialect\":");
    peri_json_add_string(line, p->dialect);
    if (key) {
        peri_buf_addf(line, ",\"%s\":", key);
        peri_json_add_string(line, value);
    }
}

static void add_member(peri_buf *line, const char *key, peri_str value) {
    if (!value.ptr) return;
    peri_buf_addf(line, ",\"%s\":", key);
    peri_json_add_string(line, value);
}

static void end_json(const printing *p, peri_buf *line) {
    fprintf(p->out, "%s}\n", peri_buf_c(line));
    peri_buf_deinit(line);
}

static void print_channel(const printing *p, peri_lane lane, const peri_channel *channel) {
    if (p->json) {
        peri_buf line;
        begin_json(p, &line, "lane", peri_lane_word(lane));
        add_member(&line, "event", channel->event);
        add_member(&line, "tool", channel->tool);
        add_member(&line, "answer", channel->answer);
        add_member(&line, "reach", peri_reach_word(channel->reach));
        add_member(&line, "since", channel->since);
        end_json(p, &line);
        return;
    }
    char way[128];
    snprintf(way, sizeof way, "%.*s%s%.*s.%.*s", PERI_FMT(channel->event),
             channel->tool.len ? ":" : "", PERI_FMT(channel->tool), PERI_FMT(channel->answer));
    fprintf(p->out, "  %-10.*s %-40s ", PERI_FMT(peri_lane_word(lane)), way);
    if (channel->since.len) {
        fprintf(p->out, "since %.*s\n", PERI_FMT(channel->since));
    } else {
        fprintf(p->out, "%.*s\n", PERI_FMT(peri_reach_word(channel->reach)));
    }
}

static void print_lane(printing *p, peri_lane lane) {
    const peri_lane_ways *of = &p->lanes->of[lane];
    for (size_t i = 0; i < of->count; i++) {
        for (size_t at = 0; at < p->lanes->channel_count; at++) {
            const peri_channel *channel = &p->lanes->channels[at];
            if (peri_str_eq(channel->event, of->ways[i].event) &&
                peri_str_eq(channel->answer, of->ways[i].answer))
                print_channel(p, lane, channel);
        }
    }
    if (leads(p, lane)) return;
    peri_str instead = peri_lane_word(peri_lanes_instead(of, leads, p));
    if (p->json) {
        peri_buf line;
        begin_json(p, &line, "lane", peri_lane_word(lane));
        add_member(&line, "instead", instead);
        end_json(p, &line);
    } else {
        fprintf(p->out, "  %-10.*s none: %.*s instead\n", PERI_FMT(peri_lane_word(lane)),
                PERI_FMT(instead));
    }
}

static void print_dialect(void *user, peri_str dialect, const peri_lanes *lanes) {
    printing *p = user;
    p->dialect = dialect;
    p->lanes = lanes;
    if (p->json && !lanes->stated) {
        peri_buf line;
        begin_json(p, &line, NULL, (peri_str){0});
        peri_buf_add_c(&line, ",\"stated\":false");
        end_json(p, &line);
        return;
    }
    if (!p->json) {
        fprintf(p->out, "%.*s", PERI_FMT(dialect));
        if (lanes->checked.len) fprintf(p->out, ", tried with %.*s", PERI_FMT(lanes->checked));
        fputs(lanes->stated ? "\n" : ": no table; whoever takes the deliveries finds the way\n",
              p->out);
    }
    if (!lanes->stated) return;
    for (peri_lane lane = 0; lane < PERI_LANE_COUNT; lane++) {
        if (peri_lane_is_agents(lane)) print_lane(p, lane);
    }
}

static const char legend[] =
    "How a note of each lane reaches the agent: in the answer to which event of its\n"
    "client (EVENT.ANSWER), or by a command at any moment (*.COMMAND); the first that\n"
    "comes is taken. ok: the model reads it; since V: from version V of the client.\n\n";

void policy_lanes(peri_host *host, bool json, FILE *out) {
    printing p = {.out = out, .json = json};
    if (!json) fputs(legend, out);
    peri_host_each_lanes(host, print_dialect, &p);
}
