// One permission rule of Claude Code, as far as it can speak of the Agent request that arms an
// observer (spec CC-3): `Tool`, `Tool(*)`, `Agent(type)`, its alias `Task`, `Agent(name:value)`
// and names with `*`. Rules of other tools are read too; they never match.
#ifndef PERI_GATE_RULE_H
#define PERI_GATE_RULE_H

#include "base/str.h"

typedef enum peri_rule_effect {
    PERI_RULE_DENY,
    PERI_RULE_ASK,
    PERI_RULE_ALLOW,
    PERI_RULE_EFFECT_COUNT
} peri_rule_effect;

enum { PERI_RULE_MAX_BYTES = 1024 };

typedef struct peri_permission_rule {
    peri_str text;    // as written
    peri_str tool;    // the name in front of the bracket; part of `text`
    peri_str content; // in the brackets; absent: every call of the tool
    peri_str source;  // of the file it stands in
    bool managed;     // that file is the administrator's
} peri_permission_rule;

/// The background Agent request that would start one observer: what gate and hooks judge.
typedef struct peri_agent_request {
    peri_str observed; // name of the agent that is to be observed
    peri_str type;     // of the observer: `subagent_type`
    peri_str description, prompt;
} peri_agent_request;

/// What a rule says of a request.
typedef enum peri_rule_reach {
    PERI_REACH_NONE,
    PERI_REACH_TOOL,      // the whole tool
    PERI_REACH_TYPE,      // this observer's type
    PERI_REACH_PARAMETER, // a parameter of the request
} peri_rule_reach;

/// Reads one rule; parts are borrowed from `text`. PERI_EPARSE for a name that no tool can have
/// and for a bracket that is not closed at the end. In a rule that may speak of agents every
/// bracket has its partner, no control character stands, and PERI_ELIMIT tells of more than
/// PERI_RULE_MAX_BYTES.
PERI_MUST_USE int peri_rule_parse(peri_str text, peri_permission_rule *out);

/// How `rule`, standing in the list of `effect`, reaches `request`. An allow rule has to name
/// the tool and the type as they are; a deny or ask rule may use `*`, a list of types, or a
/// parameter.
peri_rule_reach peri_rule_match(const peri_permission_rule *rule, peri_rule_effect effect,
                                const peri_agent_request *request);

/// True if the rule can speak of starting an agent at all.
bool peri_rule_is_of_agent(const peri_permission_rule *rule, peri_rule_effect effect);

/// True for Agent and its older name Task.
bool peri_tool_is_agent(peri_str name);

/// Takes the next entry of a comma list in which brackets hold commas of their own; trimmed,
/// blank ones are passed over. False at the end.
bool peri_tool_list_take(peri_str *list, peri_str *out);

#endif
