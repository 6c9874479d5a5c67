// Agent definitions that name their observers (spec CC-2): Claude Code's own files and the
// `agents` of a config. Read once; what is resolved lives as long as the host.
#ifndef PERI_HOST_AGENTS_H
#define PERI_HOST_AGENTS_H

#include "model/observer.h"

enum {
    HOST_MAX_AGENT_DEFS = 512,
    HOST_MAX_NAMED = 4, // observers of one definition
};

typedef struct host_agent_def {
    peri_str name, file, layer; // layer: user, project, config, given
    peri_str prompt, model, description;
    bool tools_known;
    const peri_str *tools, *refused_tools;
    size_t tool_count, refused_tool_count;
    const peri_str *observers; // as declared
    size_t observer_count;
    peri_str message;
    bool observe_subagents, observe_results;
    bool of_client;       // one of Claude Code's files
    peri_observer *named; // those that were found, made for this agent; in the order declared
    size_t named_count;
} host_agent_def;

typedef struct host_agents {
    peri_arena arena; // owns every text
    host_agent_def *defs;
    size_t count;
    bool full; // some were left out, which has been said
} host_agents;

/// The definition of the agent type `name`, the latest of several; NULL if there is none.
const host_agent_def *host_agents_find(const host_agents *agents, peri_str name);

#endif
