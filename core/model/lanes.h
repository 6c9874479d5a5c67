// How a client can be told something: its lanes, and the ways that lead into them. A way is a
// member of the answer to one of the client's events ("PostToolUse.additionalContext"), or a
// command of the client's own that it takes at any moment ("*.steer"). Its channels say which
// of them reach the model, on which tool, and from which version on (case C57). Plain data: a
// dialect states it, a config may know better, the host asks.
#ifndef PERI_MODEL_LANES_H
#define PERI_MODEL_LANES_H

#include "model/proposal.h"

enum {
    PERI_LANES_MAX_WAYS = 16, // of one lane
    PERI_LANES_MAX_CHANNELS = 128,
};

/// What is known of a channel. Only `ok` counts as a way.
#define PERI_REACH_LIST(X)                                                                     \
    X(OK, "ok")                                                                                \
    X(UNKNOWN, "unknown")                                                                      \
    X(IGNORED, "ignored")                                                                      \
    X(DROPPED, "dropped")

typedef enum peri_reach {
#define PERI_REACH_ENUM(name, word) PERI_REACH_##name,
    PERI_REACH_LIST(PERI_REACH_ENUM)
#undef PERI_REACH_ENUM
        PERI_REACH_COUNT
} peri_reach;

typedef struct peri_channel {
    peri_str event;  // "*": none is needed
    peri_str tool;   // the event on this tool; absent: on any without a channel of its own
    peri_str answer; // member of the answer, or the command
    peri_reach reach;
    peri_str since; // the first version in which it reaches; absent: any
} peri_channel;

typedef struct peri_way {
    peri_str event, answer;
} peri_way;

typedef struct peri_lane_ways {
    const peri_way *ways; // of one event the first that works is taken
    size_t count;
    peri_lane instead[PERI_LANE_COUNT]; // where none works, the first of these that has one
    size_t instead_count;
} peri_lane_ways;

typedef struct peri_lanes {
    bool stated;      // false: whoever takes deliveries finds the way
    peri_str checked; // with which version; may be absent
    peri_channel *channels;
    size_t channel_count;
    peri_lane_ways of[PERI_LANE_COUNT];
} peri_lanes;

/// Whether a lane leads to an agent.
typedef bool (*peri_lane_leads)(void *user, peri_lane lane);

peri_str peri_reach_word(peri_reach reach);

/// Reads "ok", "ignored", "dropped", "unknown" or "since VERSION" into `reach` and `since`.
bool peri_channel_read(peri_channel *channel, peri_str word);

/// Splits "EVENT" or "EVENT:TOOL".
void peri_channel_place(peri_channel *channel, peri_str place);

/// A version as a number that grows with it: of "2.1.332" three
/// parts below 2^20. 0 if there is none.
uint64_t peri_version_of(peri_str text);

/// The channel that `event` on `tool` (absent: none) offers to a note in `lane`; NULL if none
/// is known to reach the model of a client of `version` (0: unknown). The event "*" asks for
/// what needs none.
const peri_channel *peri_lanes_at(const peri_lanes *lanes, peri_lane lane, peri_str event,
                                  peri_str tool, uint64_t version);

/// True if some way of `lane` reaches the model. A way that needs
/// no event leads to the main agent alone.
bool peri_lanes_lead(const peri_lanes *lanes, peri_lane lane, bool to_main, uint64_t version);

/// Where a note goes of a lane that does not lead: the first of `ways->instead` that does, else
/// to the user.
peri_lane peri_lanes_instead(const peri_lane_ways *ways, peri_lane_leads leads, void *user);

/// The channel of exactly this place, or NULL.
peri_channel *peri_lanes_find(const peri_lanes *lanes, const peri_channel *place);

/// True if a way goes by this event and answer.
bool peri_lanes_use(const peri_lanes *lanes, const peri_channel *channel);

/// True for the lanes that lead to an agent: not to the user, nor into the log.
bool peri_lane_is_agents(peri_lane lane);

#endif
