// One typed event of an agent: AgentObservation with its 36 kinds (spec OB-1), plus what our
// dialects know beyond it (`x`). Plain data; texts are borrowed from the batch that made it.
#ifndef PERI_MODEL_OBSERVATION_H
#define PERI_MODEL_OBSERVATION_H

#include "base/diag.h"
#include "base/json.h"

/// Kind and its word on the wire, in the order of the source document.
#define PERI_OBS_KIND_LIST(X)                                                                  \
    X(MODEL_ROUTE, "model-route")                                                              \
    X(SUBAGENT, "subagent")                                                                    \
    X(MESSAGE_USAGE, "message-usage")                                                          \
    X(STDERR, "stderr")                                                                        \
    X(STOPPED, "stopped")                                                                      \
    X(STEER, "steer")                                                                          \
    X(REASONING, "reasoning")                                                                  \
    X(FILE_CHANGE, "file-change")                                                              \
    X(MODEL_REQUEST, "model-request")                                                          \
    X(MODEL_RESPONSE, "model-response")                                                        \
    X(MODEL_RETRY, "model-retry")                                                              \
    X(MODEL_ERROR, "model-error")                                                              \
    X(HOOK, "hook")                                                                            \
    X(INSTRUCTIONS_LOADED, "instructions-loaded")                                              \
    X(SKILLS_LOADED, "skills-loaded")                                                          \
    X(TOOL_OUTPUT, "tool-output")                                                              \
    X(PHASE, "phase")                                                                          \
    X(SUMMARY, "summary")                                                                      \
    X(WARNING, "warning")                                                                      \
    X(TEXT, "text")                                                                            \
    X(TEXT_DELTA, "text-delta")                                                                \
    X(RESULT, "result")                                                                        \
    X(PROMPT, "prompt")                                                                        \
    X(TOOL, "tool")                                                                            \
    X(TOOL_RESULT, "tool-result")                                                              \
    X(STEP, "step")                                                                            \
    X(TOOL_DENIED, "tool-denied")                                                              \
    X(STOP_PREVENTED, "stop-prevented")                                                        \
    X(COMPACTION, "compaction")                                                                \
    X(CONVERSATION, "conversation")                                                            \
    X(USAGE, "usage")                                                                          \
    X(FAILURE, "failure")                                                                      \
    X(QUOTA, "quota")                                                                          \
    X(FALLBACK, "fallback")                                                                    \
    X(FINISHED, "finished")                                                                    \
    X(RAW, "raw")

typedef enum peri_obs_kind {
#define PERI_OBS_ENUM(name, word) PERI_OBS_##name,
    PERI_OBS_KIND_LIST(PERI_OBS_ENUM)
#undef PERI_OBS_ENUM
        PERI_OBS_KIND_COUNT
} peri_obs_kind;

/// Payload fields and the type of each: S text, N number, B boolean, J any JSON (kept compact),
/// U token counts {input, cached, cacheCreated?, output, complete?}.
#define PERI_OBS_FIELD_LIST(X)                                                                 \
    X(STEP, "step", N)                                                                         \
    X(CHOICE, "choice", S)                                                                     \
    X(MODEL, "model", J)                                                                       \
    X(REASON, "reason", S)                                                                     \
    X(CONFIDENCE, "confidence", N)                                                             \
    X(ID, "id", S)                                                                             \
    X(CALL_ID, "callId", S)                                                                    \
    X(NAME, "name", S)                                                                         \
    X(STATUS, "status", J)                                                                     \
    X(CONVERSATION, "conversation", S)                                                         \
    X(TOKENS, "tokens", U)                                                                     \
    X(MESSAGE_ID, "messageId", S)                                                              \
    X(PARENT_CALL_ID, "parentCallId", S)                                                       \
    X(TEXT, "text", S)                                                                         \
    X(TRUNCATED, "truncated", B)                                                               \
    X(MODE, "mode", J)                                                                         \
    X(CHANGES, "changes", J)                                                                   \
    X(REQUEST, "request", J)                                                                   \
    X(RESPONSE, "response", J)                                                                 \
    X(ATTEMPT, "attempt", N)                                                                   \
    X(MESSAGE, "message", S)                                                                   \
    X(PHASE, "phase", S)                                                                       \
    X(CHANGED, "changed", B)                                                                   \
    X(COUNT, "count", N)                                                                       \
    X(NAMES, "names", J)                                                                       \
    X(CHANNEL, "channel", S)                                                                   \
    X(AGENT, "agent", S)                                                                       \
    X(BRANCH, "branch", S)                                                                     \
    X(DIRECTORY, "directory", S)                                                               \
    X(DURATION_MS, "durationMs", N)                                                            \
    X(INPUT, "input", J)                                                                       \
    X(IS_ERROR, "isError", B)                                                                  \
    X(PREVIEW, "preview", S)                                                                   \
    X(CHARACTERS, "characters", N)                                                             \
    X(INDEX, "index", N)                                                                       \
    X(STRATEGY, "strategy", S)                                                                 \
    X(MESSAGES, "messages", N)                                                                 \
    X(CUMULATIVE, "cumulative", B)                                                             \
    X(RESET_AT, "resetAt", S)                                                                  \
    X(FROM, "from", J)                                                                         \
    X(TO, "to", J)                                                                             \
    X(FAILURE, "failure", S)                                                                   \
    X(VALUE, "value", J)                                                                       \
    X(BYTES, "bytes", N)

typedef enum peri_obs_field {
#define PERI_OBS_FIELD_ENUM(name, word, type) PERI_OBS_F_##name,
    PERI_OBS_FIELD_LIST(PERI_OBS_FIELD_ENUM)
#undef PERI_OBS_FIELD_ENUM
        PERI_OBS_FIELD_COUNT
} peri_obs_field;

typedef struct peri_usage {
    int64_t input, cached, cache_created, output; // tokens
    bool complete;
} peri_usage;

typedef struct peri_obs_value {
    uint8_t field;    // peri_obs_field
    bool flag;        // of a B
    double number;    // of an N; its digits are in text.head
    peri_text text;   // of an S; of a J: its compact JSON
    peri_str bounded; // of a J: the same with its long strings cut, so that it still parses;
                      // absent where `text` is whole or even this would be too large
    uint64_t hash;    // of an S or J: over the whole value as it stood in the stream
} peri_obs_value;

enum { PERI_OBS_MAX_VALUES = 12, PERI_OBS_PREVIEW_U16 = 2000 };

/// What a stream says that AgentObservation has no field for.
typedef struct peri_obs_x {
    peri_str agent_name; // the observed agent's type, the NAME of claude's envelopes
    peri_str
        origin; // of a prompt: human (or absent), observer:TYPE, perilune, or a machine's name
    peri_str answer;         // id of the model answer this belongs to: a new one begins a step
    peri_str record;         // id of the record it came from: the same record twice counts once
    peri_str entry, follows; // in a tree of entries: its own id, and that of the one before
    peri_str parent;         // id of the call that started this agent
    peri_str cwd;
    peri_str source;          // label of a non-user message
    peri_str version;         // of the client
    peri_str permission_mode; // that holds from here on: default, plan ...
    // PERILUNE_OBSERVERS and PERILUNE_RESTRICTED of its environment.
    peri_str observers, restricted;
    peri_text output;  // a tool-result's text beyond its preview
    int32_t exit_code; // PERI_OBS_NO_EXIT if unknown
    bool maybe;        // finished: the turn may still be continued (a stop hook may hold it)
    bool mid_turn;     // prompt: folded into the running turn
    bool continues;    // prompt: keeps a turn going that was about to end (stop hook feedback)
    bool observer;     // the agent is an observer itself: never observed
    bool ends_step;    // step: the model's answer and all its results were told
    bool ends_session; // finished: the client leaves the session, which may be resumed
    bool mends;        // tool-output: the text of a result that was told before
    // What the joining stage uses up (tap/join.h).
    bool repeats;  // the text may be one told before; finished: of the turn before, if one is
                   // open
    bool partial;  // the text is a makeshift until another record tells the agent's own
    bool assemble; // text-delta: the pieces are all there is of the text
    bool client_observes;   // the client runs the observers that its own definitions name
    bool unspawned;         // subagent: an observer's, unless a call is known that started it
    uint32_t rollback;      // turns that are void, the last ones
    uint32_t duration_ms;   // tool-result: 0 unknown
    peri_str retracts;      // JSON array of ids of records that are void
    peri_str observer_task; // key of another agent of the session that is an observer
    peri_str observer_type; // and its type, where it watches the agent that the record is about
    peri_str child;         // tool: type of the agent that the call starts
    peri_str event,
        event_tool; // the client's event that told it, and its tool (host/run/lanes.c)
    peri_str
        parent_record; // the record this one follows; names the call that started the agent
} peri_obs_x;

enum { PERI_OBS_NO_EXIT = INT32_MIN };

typedef struct peri_obs {
    peri_obs_kind kind;
    uint8_t value_count;
    bool has_at, has_source_seq;
    uint32_t pass;                // 1-based
    uint32_t ordinal;             // 0-based, among those of its record
    int64_t at_wall_ms;           // valid if has_at
    uint64_t seq;                 // host-wide, set by the host
    uint64_t source_seq;          // valid if has_source_seq
    peri_str session, agent;      // the agent key; agent "main" or a task id
    peri_str subagent_id, source; // as in AgentObservation; may be absent
    peri_str scope;               // compact JSON object; may be absent
    peri_usage tokens;            // if the field TOKENS is present
    peri_obs_value values[PERI_OBS_MAX_VALUES];
    peri_obs_x x;
} peri_obs;

/// An observation of `kind` with nothing else set (pass 1, no exit code).
void peri_obs_init(peri_obs *obs, peri_obs_kind kind);

/// The value of `field`, or NULL.
const peri_obs_value *peri_obs_get(const peri_obs *obs, peri_obs_field field);
/// Its text (head); absent if the field is.
peri_str peri_obs_str(const peri_obs *obs, peri_obs_field field);
bool peri_obs_flag(const peri_obs *obs, peri_obs_field field);

/// Adds or replaces `field`; the slot to fill, or NULL if all PERI_OBS_MAX_VALUES are taken.
peri_obs_value *peri_obs_add(peri_obs *obs, peri_obs_field field);

/// Takes `field` off; nothing happens if it is not there.
void peri_obs_del(peri_obs *obs, peri_obs_field field);

/// Names on the wire, and back: PERI_OBS_KIND_COUNT / PERI_OBS_FIELD_COUNT if unknown.
peri_str peri_obs_kind_word(peri_obs_kind kind);
peri_obs_kind peri_obs_kind_find(peri_str word);
peri_str peri_obs_field_word(peri_obs_field field);
peri_obs_field peri_obs_field_find(peri_str word);
char peri_obs_field_type(peri_obs_field field); // 'S' 'N' 'B' 'J' 'U'

/// The schema: is `field` one of `kind`'s, and must it be there?
typedef enum peri_obs_need {
    PERI_OBS_NONE,
    PERI_OBS_OPTIONAL,
    PERI_OBS_REQUIRED
} peri_obs_need;
peri_obs_need peri_obs_needs(peri_obs_kind kind, peri_obs_field field);

/// The first required field that is missing and not one of `spared` (a bit for each field), or
/// PERI_OBS_FIELD_COUNT if none is.
peri_obs_field peri_obs_missing(const peri_obs *obs, uint64_t spared);

/// Appends the observation as one JSON object without a line end: its kind's fields, pass, at,
/// seq, sourceSeq, source, scope, subagentId, and `x` with what AgentObservation has no place
/// for. The dialect `observations` makes the same observation of it again: a value that is kept
/// only in part is written as it is kept, and `x.whole` tells the size of the whole.
void peri_obs_write(peri_buf *out, const peri_obs *obs);

#endif
