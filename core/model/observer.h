// A loaded observer definition, whatever its runtime, and the goal it may
// judge.
#ifndef PERI_MODEL_OBSERVER_H
#define PERI_MODEL_OBSERVER_H

#include "model/proposal.h"

#define PERI_TRIGGER_LIST(X)                                                                   \
    X(BEFORE_AGENT_START, "before_agent_start")                                                \
    X(TOOL_EXECUTION_END, "tool_execution_end")                                                \
    X(TOOL_DENIED, "tool_denied")                                                              \
    X(TURN_END, "turn_end")                                                                    \
    X(AGENT_SETTLED, "agent_settled")                                                          \
    X(SESSION_END, "session_end")                                                              \
    X(IDLE, "idle")

typedef enum peri_trigger {
#define PERI_TRIGGER_ENUM(name, word) PERI_TRIGGER_##name,
    PERI_TRIGGER_LIST(PERI_TRIGGER_ENUM)
#undef PERI_TRIGGER_ENUM
        PERI_TRIGGER_COUNT
} peri_trigger;

#define PERI_SLICE_LIST(X)                                                                     \
    X(ACTIVITY, "activity")                                                                    \
    X(LAST_USER_MESSAGE, "last_user_message")                                                  \
    X(LAST_ASSISTANT_MESSAGE, "last_assistant_message")                                        \
    X(TOOL_CALLS_THIS_TURN, "tool_calls_this_turn")                                            \
    X(TRANSCRIPT, "transcript")                                                                \
    X(SKILLS, "skills")

typedef enum peri_slice {
#define PERI_SLICE_ENUM(name, word) PERI_SLICE_##name,
    PERI_SLICE_LIST(PERI_SLICE_ENUM)
#undef PERI_SLICE_ENUM
        PERI_SLICE_COUNT
} peri_slice;

#define PERI_LAYOUT_LIST(X)                                                                    \
    X(RICH, "rich")                                                                            \
    X(CLAUDE_332, "claude-2.1.332")                                                            \
    X(CLAUDE_215, "claude-2.1.215")

typedef enum peri_layout {
#define PERI_LAYOUT_ENUM(name, word) PERI_LAYOUT_##name,
    PERI_LAYOUT_LIST(PERI_LAYOUT_ENUM)
#undef PERI_LAYOUT_ENUM
        PERI_LAYOUT_COUNT
} peri_layout;

// What a Markdown observer's model may read with, and how hard it may think.
#define PERI_TOOL_LIST(X)                                                                      \
    X(READ, "read")                                                                            \
    X(GREP, "grep")                                                                            \
    X(FIND, "find")                                                                            \
    X(LS, "ls")

typedef enum peri_tool {
#define PERI_TOOL_ENUM(name, word) PERI_TOOL_##name,
    PERI_TOOL_LIST(PERI_TOOL_ENUM)
#undef PERI_TOOL_ENUM
        PERI_TOOL_COUNT
} peri_tool;

#define PERI_THINKING_LIST(X)                                                                  \
    X(OFF, "off")                                                                              \
    X(MINIMAL, "minimal")                                                                      \
    X(LOW, "low")                                                                              \
    X(MEDIUM, "medium")                                                                        \
    X(HIGH, "high")                                                                            \
    X(XHIGH, "xhigh")                                                                          \
    X(MAX, "max")

typedef enum peri_thinking {
#define PERI_THINKING_ENUM(name, word) PERI_THINKING_##name,
    PERI_THINKING_LIST(PERI_THINKING_ENUM)
#undef PERI_THINKING_ENUM
        PERI_THINKING_COUNT
} peri_thinking;

typedef enum peri_runtime_kind {
    PERI_RUN_LUA,
    PERI_RUN_MODEL,
    PERI_RUN_COMMAND
} peri_runtime_kind;

enum {
    PERI_CAN_ADVISE = 1,
    PERI_CAN_VETO = 2,
    PERI_CAN_REPORT = 4,
    PERI_OBSERVER_MAX_SEES = 8,
    PERI_OBSERVER_NAME_MAX = 64,
    PERI_OBSERVER_MAX_COMMAND = 32, // words
};

/// Owned by whoever loaded it; texts live as long as it does.
typedef struct peri_observer {
    peri_str name, description;
    peri_str file;  // where it was read, for messages
    peri_str layer; // builtin, user, project, or a pack's name
    peri_runtime_kind runtime;
    bool enabled, shadow;
    bool unscrubbed;   // it is shown secrets, as the user's config says
    uint32_t triggers; // bit (1 << peri_trigger)
    peri_slice sees[PERI_OBSERVER_MAX_SEES];
    uint32_t sees_count;
    uint32_t can; // PERI_CAN_*
    peri_lane lane;
    peri_weight severity;
    uint32_t priority;        // 1-100
    uint32_t max_advisory_cp; // code points
    uint32_t timeout_ms;
    peri_layout layout;
    const peri_str *agents; // types or "main"; NULL: every agent
    size_t agent_count;
    bool no_results;  // observeToolResults is false
    peri_str message; // appended to each digest (observerMessage); may be absent
    bool has_wake;
    bool has_lua_form;        // PERI_RUN_MODEL: Lua can stand in for the model
    peri_str prompt;          // PERI_RUN_MODEL: the body of its file
    peri_str model;           // absent: the configured default
    const peri_str *fallback; // models to try next
    size_t fallback_count;
    peri_thinking thinking;
    uint32_t tools;          // bit (1 << peri_tool)
    const peri_str *command; // PERI_RUN_COMMAND: program and arguments
    size_t command_count;
    const peri_str *env; // variables of the host's environment that it sees besides the usual
    size_t env_count;
    peri_str folder; // where it runs; absent: where the host does
    bool once;       // it is started for each run and gets an end of file behind the request
    bool isolated;   // its Lua wants to run in a worker
    peri_str source_hash; // its Lua runs in a worker: of what that is to load; else absent
    void *owner;          // the runtime's own, e.g. its VM
} peri_observer;

/// The declared goal.
typedef struct peri_goal_item {
    peri_str text;
    bool done;
} peri_goal_item;

typedef struct peri_goal {
    peri_str text;  // absent: no goal
    peri_str check; // a command sought among the agent's own calls, never run; may be absent
    const peri_goal_item *items;
    size_t item_count;
} peri_goal;

peri_str peri_trigger_word(peri_trigger trigger);
peri_trigger peri_trigger_find(peri_str word);
peri_str peri_slice_word(peri_slice slice);
peri_str peri_layout_word(peri_layout layout);
peri_layout peri_layout_find(peri_str word);

/// True for [a-z0-9][a-z0-9_-]*, at most PERI_OBSERVER_NAME_MAX bytes.
bool peri_observer_name_ok(peri_str name);

#endif
