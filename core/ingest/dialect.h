// A dialect: how one agent's records become observations. Lua says it once as a table of rules;
// script/ compiles that table into these structs; ingest executes them on every record, so that
// no script stands on the byte path.
#ifndef PERI_INGEST_DIALECT_H
#define PERI_INGEST_DIALECT_H

#include "ingest/paths.h"
#include "model/lanes.h"
#include "model/observation.h"

enum {
    PERI_DIALECT_MAX_RULES = 128,
    PERI_DIALECT_MAX_EMITS = 32,
    PERI_DIALECT_MAX_TESTS = 16,
    PERI_DIALECT_MAX_KEYS = 6, // names in one path
    PERI_DETECT_RECORDS = 20,
};

/// Where a path begins: at the current element of `each`, at the record ("^" in Lua), or at the
/// whole line ("@"), which differs from the record where the dialect has a `root`.
typedef enum peri_rule_from {
    PERI_FROM_ELEMENT,
    PERI_FROM_RECORD,
    PERI_FROM_LINE
} peri_rule_from;

/// The values that paths begin at.
typedef struct peri_rule_scope {
    peri_json element, record, line;
    peri_paths *paths; // remembers what was found; NULL: nothing does
    uint32_t stamp;    // of `paths`, if this is the record it remembers
} peri_rule_scope;

typedef struct peri_rule_path {
    peri_str keys[PERI_DIALECT_MAX_KEYS]; // member names
    uint8_t count;                        // 0: where it begins, itself
    uint8_t from;                         // peri_rule_from
    uint16_t id;                          // of `keys` in the dialect's paths; 0: none
} peri_rule_path;

typedef enum peri_test_op {
    PERI_TEST_WORD,    // a string equal to one of `words`, or a number or boolean so spelt
    PERI_TEST_PREFIX,  // a string that begins with one of `words`
    PERI_TEST_PRESENT, // there and not null
    PERI_TEST_ABSENT,  // not there, or null
    PERI_TEST_TRUE,    // true
    PERI_TEST_FALSE,   // not true: false, null or absent
    PERI_TEST_TYPE,    // of a type named in `words`: string number boolean array object
    PERI_TEST_EMPTY,   // an empty array, object or string; or absent
    PERI_TEST_FILLED,  // an array, object or string that is not empty
} peri_test_op;

typedef struct peri_rule_test {
    peri_rule_path path, other; // `other` where `path` leads to nothing; "a|b" in Lua
    bool has_other, negate;
    peri_test_op op;
    const peri_str *words; // ended by an absent text
    uint64_t bits;         // PERI_TEST_WORD without `other`: `words` as bits of `path`; 0: none
} peri_rule_test;

/// Tests that must all hold.
typedef struct peri_rule_when {
    const peri_rule_test *tests;
    size_t test_count;
} peri_rule_when;

/// Where a value comes from: `yes` if one of `any` holds, else the first path that leads to
/// something, else the constant.
typedef struct peri_rule_pick {
    const peri_rule_when *any;
    size_t any_count;
    peri_json yes; // like `constant` in a document of the loader's
    const peri_rule_path *paths;
    size_t path_count;
    peri_json constant; // absent: none
    peri_str after; // take the whole number that stands behind this text at the value's start
    peri_str begin, end; // take what stands between these within the value's head
    peri_str prefix;     // put before a string value
    peri_str join;       // a text of all paths that lead to one, with this between them
    bool json;           // a string that holds a JSON object or array counts as that
} peri_rule_pick;

/// What a pick fills besides the fields of the kind: header and `x` of the observation.
#define PERI_TARGET_LIST(X)                                                                    \
    X(SESSION, "session")                                                                      \
    X(OWNER, "agentKey")                                                                       \
    X(SUBAGENT_ID, "subagentId")                                                               \
    X(AT, "at")                                                                                \
    X(SEQ, "seq")                                                                              \
    X(PASS, "pass")                                                                            \
    X(SCOPE, "scope")                                                                          \
    X(PRODUCER, "source")                                                                      \
    X(AGENT_NAME, "x.agentName")                                                               \
    X(ORIGIN, "x.origin")                                                                      \
    X(ANSWER, "x.answer")                                                                      \
    X(RECORD, "x.record")                                                                      \
    X(ORDINAL, "x.ordinal")                                                                    \
    X(ENTRY, "x.entry")                                                                        \
    X(FOLLOWS, "x.follows")                                                                    \
    X(PARENT, "x.parent")                                                                      \
    X(CWD, "x.cwd")                                                                            \
    X(LABEL, "x.source")                                                                       \
    X(VERSION, "x.version")                                                                    \
    X(PERMISSION_MODE, "x.permissionMode")                                                     \
    X(OBSERVERS, "x.observers")                                                                \
    X(RESTRICTED, "x.restricted")                                                              \
    X(OUTPUT, "x.output")                                                                      \
    X(EXIT_CODE, "x.exitCode")                                                                 \
    X(MAYBE, "x.maybe")                                                                        \
    X(MID_TURN, "x.midTurn")                                                                   \
    X(CONTINUES, "x.continues")                                                                \
    X(OBSERVER, "x.observer")                                                                  \
    X(ENDS_STEP, "x.endsStep")                                                                 \
    X(ENDS_SESSION, "x.endsSession")                                                           \
    X(MENDS, "x.mends")                                                                        \
    X(REPEATS, "x.repeats")                                                                    \
    X(PARTIAL, "x.partial")                                                                    \
    X(ASSEMBLE, "x.assemble")                                                                  \
    X(CLIENT_OBSERVES, "x.clientObserves")                                                     \
    X(UNSPAWNED, "x.unspawned")                                                                \
    X(ROLLBACK, "x.rollback")                                                                  \
    X(DURATION, "x.durationMs")                                                                \
    X(RETRACTS, "x.retracts")                                                                  \
    X(OBSERVER_TASK, "x.observerTask")                                                         \
    X(OBSERVER_TYPE, "x.observerType")                                                         \
    X(CHILD, "x.child")                                                                        \
    X(EVENT, "x.event")                                                                        \
    X(EVENT_TOOL, "x.eventTool")                                                               \
    X(PARENT_RECORD, "x.parentRecord")                                                         \
    X(WHOLE, "x.whole")                                                                        \
    X(TOKENS_INPUT, "tokens.input")                                                            \
    X(TOKENS_CACHED, "tokens.cached")                                                          \
    X(TOKENS_CREATED, "tokens.cacheCreated")                                                   \
    X(TOKENS_OUTPUT, "tokens.output")

typedef enum peri_rule_target {
#define PERI_TARGET_ENUM(name, word) PERI_TARGET_##name,
    PERI_TARGET_LIST(PERI_TARGET_ENUM)
#undef PERI_TARGET_ENUM
        PERI_TARGET_FIELD // and above: PERI_TARGET_FIELD + peri_obs_field
} peri_rule_target;

/// The target called `word` in a dialect file, or -1.
int peri_rule_target_find(peri_str word);

typedef struct peri_rule_set {
    int target; // peri_rule_target
    peri_rule_pick pick;
} peri_rule_set;

typedef struct peri_rule_emit {
    const peri_rule_test *tests;
    size_t test_count;
    peri_obs_kind kind;
    const peri_rule_set *sets;
    size_t set_count;
    bool more; // go on with the next emit after this one fired; else it is the last for its
               // element
} peri_rule_emit;

typedef struct peri_dialect_rule {
    const peri_rule_test *tests;
    size_t test_count;
    bool has_each;
    peri_rule_path
        each; // an array: emits run for each element; for another value once, on itself
    const peri_rule_emit *emits;
    size_t emit_count;                    // 0: the record is known and says nothing
    const peri_rule_emit *before, *after; // run once, on the record, around `emits`
    size_t before_count, after_count;
    uint32_t map; // 1-based: the function that reads this record instead; 0: none
} peri_dialect_rule;

/// The functions of a dialect for records that no rule can describe. script/ runs them.
typedef void (*peri_map_emit_fn)(void *user, peri_str kind, peri_json fields);
typedef struct peri_dialect_maps {
    void *user; // NULL: there are none
    /// Runs function `map` (as in peri_dialect_rule) on `record` and then calls `emit` for each
    /// observation it asked for. After a failure `emit` was not called, and `*error` (from
    /// `arena`) says why.
    int (*run)(void *user, uint32_t map, peri_json record, peri_arena *arena,
               peri_map_emit_fn emit, void *emit_user, peri_str *error);
} peri_dialect_maps;

typedef struct peri_detect {
    const peri_rule_test *tests;
    size_t test_count; // the more, the more specific
} peri_detect;

/// What a file beside the recording says of its agent (claude: agent-ID.meta.json).
typedef struct peri_sidecar {
    peri_str suffix; // replaces the recording's last extension; absent: no sidecar
    peri_rule_path agent_name, observer, stopped, parent;
} peri_sidecar;

/// All texts and arrays live in the loader's memory as long as the dialect.
typedef struct peri_dialect {
    peri_str name;
    const peri_detect *detects;
    size_t detect_count;
    const peri_rule_set *common; // set on every observation of a record before its own
    size_t common_count;
    const peri_dialect_rule *rules; // the first that matches a record is the only one
    size_t rule_count;
    peri_str
        observer_origin; // prompts of this origin show that their session is an observer's own
    peri_str
        observer_file; // of an observer's own recording, behind the observed one's path without
                       // its extension; `*` stands for its task; absent: it has none
    peri_sidecar sidecar;
    peri_str root;     // the member of a line that holds the record; absent: the line is it
    peri_paths *paths; // of all rules; NULL: they are followed name by name
    uint32_t rank;     // of the sources of one session a replay reads those of lowest rank
    bool local_ids;    // call ids are unique in one stream only
    peri_dialect_maps maps;
    peri_lanes lanes; // how its agent is answered
} peri_dialect;

#endif
