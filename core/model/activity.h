// The digest vocabulary: what an observer is shown of an agent. An item owns its bytes (one
// block), so that it can outlive the line it came from.
#ifndef PERI_MODEL_ACTIVITY_H
#define PERI_MODEL_ACTIVITY_H

#include "model/observation.h"

#define PERI_ITEM_KIND_LIST(X)                                                                 \
    X(ASSISTANT_TEXT, "assistant_text")                                                        \
    X(TOOL_CALL, "tool_call")                                                                  \
    X(TOOL_RESULT, "tool_result")                                                              \
    X(TOOL_DENIED, "tool_denied")                                                              \
    X(USER_MESSAGE, "user_message")                                                            \
    X(NON_USER_MESSAGE, "non_user_message")                                                    \
    X(GUIDANCE_LOADED, "guidance_loaded")                                                      \
    X(SKILLS_DISCOVERED, "skills_discovered")                                                  \
    X(COORDINATOR_TASK, "coordinator_task")                                                    \
    X(TURN_ENDED, "turn_ended")                                                                \
    X(RAW, "raw")

typedef enum peri_item_kind {
#define PERI_ITEM_ENUM(name, word) PERI_ITEM_##name,
    PERI_ITEM_KIND_LIST(PERI_ITEM_ENUM)
#undef PERI_ITEM_ENUM
        PERI_ITEM_KIND_COUNT
} peri_item_kind;

peri_str peri_item_kind_word(peri_item_kind kind);

/// One entry of activity. Texts point into the item's own block.
typedef struct peri_item {
    peri_item_kind kind;
    bool is_error;        // tool_result
    bool unpaired;        // tool_result whose call was never seen
    int32_t exit_code;    // tool_result; PERI_OBS_NO_EXIT if unknown
    uint32_t step, turn;  // 1-based, of the agent
    uint64_t seq;         // of the observation it came from
    int64_t at_wall_ms;   // 0 unknown
    uint64_t hash;        // of the whole text or input; equal content gives equal hashes
    uint64_t record;      // hash of the id of the record it came from; 0: none
    uint32_t duration_ms; // tool_result; 0 unknown
    peri_str call_id;     // tool_call, tool_result, tool_denied; may be absent
    peri_str name;  // tool; source of a non_user_message; reason of a turn_ended; path, folder
    peri_text text; // text; tool_call: compact JSON of the input; tool_denied: the reason;
                    // turn_ended: the message of a failure; raw: the record
    peri_str bounded;  // tool_call: see peri_obs_value.bounded; absent where text is whole
    size_t size_bytes; // of the whole block
} peri_item;

/// True for kinds whose text is JSON: the input of a tool_call, a raw record.
static inline bool peri_item_has_input(const peri_item *item) {
    return item->kind == PERI_ITEM_TOOL_CALL || item->kind == PERI_ITEM_RAW;
}

/// A copy of `item` with all its texts in one block; NULL when memory ran out. Free with
/// free().
peri_item *peri_item_copy(const peri_item *item);

#endif
