// What the files that run observers and policies share. A pack is one VM with its single entry;
// a unit is one script loaded into it; a view is a read-only value that dies with the call it
// was made for; a reader looks into a table that came back from a script.
#ifndef PERI_SCRIPT_SCRIPT_INTERNAL_H
#define PERI_SCRIPT_SCRIPT_INTERNAL_H

#include <lua.h>

#include "base/json.h"
#include "base/map.h"
#include "script/script.h"

enum {
    PERI__MAX_PACKS = 64,
    PERI__MAX_OBSERVERS = 256,
    PERI__MAX_POLICIES = 32,
    PERI__MAX_SOURCE_BYTES = 256 * 1024,
    PERI__MAX_TEXT_BYTES = 16 * 1024, // of one returned text; the later checks' caps are lower
    PERI__UNIT_FUNCTIONS = 3,
    PERI__PRIORITY_DEFAULT = 50, // of an observer
    PERI__TIMEOUT_MS_DEFAULT = 20000,
};

typedef struct peri__pack peri__pack;

// ---- Packs and units (pack.c)

/// Runs inside a protected call and its budget, so it may throw: it holds no memory, lock or
/// descriptor of its own across a lua_* call.
typedef void (*peri__body)(lua_State *L, peri__pack *pack, void *frame);

/// What the running call's views look at; all of it borrowed for the call.
typedef struct peri__live {
    peri_arena *arena;
    const peri_turn *turn;                 // observers
    const peri_policy_facts *facts;        // policies
    const peri_proposal *const *proposals; // policies
    size_t proposal_count;
    peri_str state;         // policies: saved ctx.state; absent: none
    const peri_call *calls; // of the turn; NULL until somebody asks
    size_t call_count;
} peri__live;

typedef enum peri__noun_id {
    PERI__TURN,
    PERI__ITEMS,
    PERI__ITEM,
    PERI__CALL,
    PERI__CTX,
    PERI__NOUN_COUNT,
} peri__noun_id;

enum { PERI__MAX_FIELDS = 24 }; // of a noun

struct peri__pack {
    peri_script *script;
    char *name;         // owned
    peri_vm *vm;        // NULL until its first use, and after one that could not be built
    uint64_t vm_number; // of the VM in use: references into another one are worthless
    int cache_ref, loaded_ref, maker_ref;
    const char *field_names[PERI__NOUN_COUNT][PERI__MAX_FIELDS]; // the VM's own texts
    peri_str speaker;     // whose print it is; borrowed during a call
    uint32_t call_number; // of the running call, or the last one, in this VM
    bool in_call;
    peri__body body; // of the running call
    void *frame;
    peri__live live;
    peri_json_doc doc; // scratch for bindings: kept here so that a throw leaks nothing
    peri_buf scratch;
};

/// `name` is copied. PERI_ENOMEM. The VM is built on first use.
PERI_MUST_USE int peri__pack_new(peri_script *script, peri_str name, peri__pack **out);
/// NULL is fine.
void peri__pack_free(peri__pack *pack);

/// Runs `body` within the budget. The VM is ready: peri__unit_ready or peri__unit_load came
/// before. Views made inside die at its end.
PERI_MUST_USE int peri__pack_call(peri__pack *pack, peri__body body, void *frame,
                                  const peri__live *live, peri_str *error);

typedef struct peri__unit {
    peri__pack *pack;
    peri_arena arena; // owns every text of the unit
    peri_str name, file, text;
    const char *const *function_names; // ended by NULL, at most PERI__UNIT_FUNCTIONS
    int refs[PERI__UNIT_FUNCTIONS];    // LUA_NOREF: the script has no such function
    uint64_t vm_number;                // of the VM that `refs` point into; 0: none yet
} peri__unit;

/// Copies `file` and `text`. PERI_ENOMEM; deinit it in any case.
PERI_MUST_USE int peri__unit_init(peri__unit *unit, peri__pack *pack, peri_str file,
                                  peri_str text, const char *const *function_names);
void peri__unit_deinit(peri__unit *unit);
/// Lets the VM have back what the unit's functions took.
void peri__unit_release(peri__unit *unit);

/// Evaluates the unit's text in a healthy VM, hands what it returned to `check` (may be NULL)
/// at index 1, then looks up the functions. Statuses of peri_vm_load.
PERI_MUST_USE int peri__unit_load(peri__unit *unit, peri__body check, void *frame,
                                  peri_arena *arena, peri_str *error);

/// Loads the unit anew if its VM was replaced since. Does nothing otherwise.
PERI_MUST_USE int peri__unit_ready(peri__unit *unit, peri_arena *arena, peri_str *error);

// ---- What loading an observer and a policy share (definition.c)

/// Every key of the table at 1 is one of `words` (ended by an
/// empty one); reports those that are not.
bool peri__definition_check_keys(lua_State *L, const peri__unit *unit, const peri_str *words,
                                 peri_diag_list *diags);
/// An error with the line on which `key` is first assigned.
void peri__definition_report(const peri__unit *unit, const char *id, peri_str key,
                             peri_str problem, peri_diag_list *diags);
/// Checks the api line (missing: a warning; not 1: an error), then loads the unit as
/// peri__unit_load does and reports why that failed. PERI_EINVAL, PERI_ENOMEM.
PERI_MUST_USE int peri__definition_load(peri__unit *unit, peri__body check, void *frame,
                                        peri_diag_list *diags);

// ---- Raw reading of returned tables (read.c)

/// `problem` gets the first thing that is wrong, in one clause; absent: all is well.
typedef struct peri__reader {
    lua_State *L;
    peri__pack *pack;
    int index; // of the table, from the bottom of the stack
    peri_arena *arena;
    peri_str problem;
} peri__reader;

void peri__problem(peri__reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/// Every key is one of `words` (ended by an empty one).
bool peri__read_keys(peri__reader *reader, const peri_str *words);
/// Text as valid UTF-8 in the arena, cut at PERI__MAX_TEXT_BYTES. Nil leaves `*out` alone.
bool peri__read_text(peri__reader *reader, const char *key, peri_str *out);
/// A whole number from 0 to `max`. Nil leaves `*out` alone.
bool peri__read_count(peri__reader *reader, const char *key, uint64_t max, uint64_t *out);
/// A table as JSON of at most `max_bytes`. Nil leaves `*out` alone.
bool peri__read_json(peri__reader *reader, const char *key, size_t max_bytes, peri_str *out);

/// True if `text` is one of `words` (ended by an empty one).
bool peri__is_word(peri_str text, const peri_str *words);
/// Pushes the value of `key`; false, and nothing pushed, if it is nil.
bool peri__read_value(const peri__reader *reader, const char *key);
/// The string at `index` as valid UTF-8 in `arena`, cut as above.
peri_str peri__text_at(lua_State *L, int index, peri_arena *arena);
/// The valid beginning of foreign text, short enough to be quoted in a message.
peri_str peri__quoted(peri_str text);
/// True and `*out` set if the value at `index` is a number, whole, and from 0 to `max`.
bool peri__count_at(lua_State *L, int index, uint64_t max, uint64_t *out);

/// Pushes a saved ctx.state as a table; an empty one if it is absent or cannot be read.
void peri__state_push(lua_State *L, peri_str saved);
/// Encodes the ctx.state at `reader->index`; `*out` stays absent if it equals `saved`.
bool peri__state_read(peri__reader *reader, peri_str saved, peri_str *out);

// ---- Views (view.c)

typedef struct peri__noun peri__noun;

/// What a view's value stands for, looked up anew at each access.
typedef struct peri__view {
    peri__pack *pack;
    peri__noun_id id;
    const peri_item *item;   // item, call
    const peri_item *result; // call: may be NULL
} peri__view;

/// Pushes the value of one field; the view itself stands at 1.
typedef void (*peri__push)(lua_State *L, const peri__view *view);

typedef struct peri__field {
    const char *name;
    peri__push push;
    bool cached; // one value for the whole call, kept under the field's name
} peri__field;

struct peri__noun {
    const char *name;
    const peri__field *fields; // ended by a NULL name; fewer than PERI__MAX_FIELDS
    const char *writable;      // the one (cached) field that may be set to a table; NULL: none
    size_t (*count)(const peri__view *view);                          // lists only
    void (*push_at)(lua_State *L, const peri__view *view, size_t at); // lists only; 0-based
};

extern const peri__noun peri__noun_turn, peri__noun_items, peri__noun_item, peri__noun_call,
    peri__noun_ctx;

enum {
    PERI__MAX_CALLS = (1 << 20) - 1,  // into one VM: then a view's value would come again
    PERI__MAX_VIEWED = (1 << 16) - 1, // items or calls of one turn
};

/// Makes the views' metatable in a new VM. May throw.
void peri__views_open(lua_State *L, peri__pack *pack);
/// Pushes a view of the running call; `at` is the index of an item or a call. Takes no memory.
void peri__view_push(lua_State *L, const peri__pack *pack, peri__noun_id noun, size_t at);
/// True and `*out` set if a living view of that noun stands at `index`.
bool peri__view_find(lua_State *L, int index, peri__noun_id noun, peri__view *out);
/// Pushes the call's cache table, where anything may be kept under a key of its own.
void peri__cache_push(lua_State *L, const peri__pack *pack);
/// Sees to the calls of the call's turn: pack->live.calls and their count.
void peri__calls_need(lua_State *L, peri__pack *pack);
/// Pushes `fn` as a method of the view at 1; peri__method_pack is its first statement and
/// raises if the view has expired.
void peri__method_push(lua_State *L, lua_CFunction fn);
peri__pack *peri__method_pack(lua_State *L);
/// Text, or nil if absent.
void peri__str_push(lua_State *L, peri_str text);

/// The JSON text that a tool_call's input is parsed from; absent if only a part of it is known.
peri_str peri__input_json(const peri_item *item);

/// Pushes the files that the turn's calls touched (bind_files.c).
void peri__files_push(lua_State *L, const peri__view *view);

/// Prepares a new VM for proposals (bind_facts.c). May throw.
void peri__proposals_open(lua_State *L, peri__pack *pack);
/// Pushes proposal `index` of the call as a plain table that the policy may change at will: it
/// is known again by its identity (bind_facts.c).
void peri__proposal_push(lua_State *L, peri__pack *pack, size_t index);
/// The proposal whose table stands at `at`; PERI_NPOS for any other value.
size_t peri__proposal_find(lua_State *L, const peri__pack *pack, int at);

// ---- The two kinds of units

typedef struct peri__scripted {
    peri__unit unit;
    peri_observer def; // def.owner is this struct
    uint32_t line;     // where `observe` begins
} peri__scripted;

enum { PERI__FN_OBSERVE, PERI__FN_WAKE };
enum { PERI__FN_RECONCILE, PERI__FN_BUDGET, PERI__FN_DELIVER };

typedef struct peri__policy {
    peri__unit unit;
    bool has[PERI__UNIT_FUNCTIONS];
    peri_map states; // session -> its saved ctx.state (policy_engine.c)
} peri__policy;

/// Loads and checks (observer_load.c, policy_load.c). PERI_EINVAL
/// after at least one error diagnostic.
PERI_MUST_USE int peri__observer_load(peri__scripted *observer, peri_diag_list *diags);
/// The same of a Markdown file; the unit holds the Lua text beside it, absent if there is none
/// (markdown_load.c).
PERI_MUST_USE int peri__markdown_load(peri__scripted *observer, const peri_markdown *from,
                                      peri_diag_list *diags);
PERI_MUST_USE int peri__policy_load(peri__policy *policy, peri_diag_list *diags);

void peri__policy_free(peri__policy *policy);

struct peri_script {
    peri_script_options options;
    peri__pack *packs[PERI__MAX_PACKS];
    size_t pack_count;
    peri__scripted *observers[PERI__MAX_OBSERVERS];
    size_t observer_count;
    peri__pack *policy_pack; // NULL until the first policy
    peri__policy *policies[PERI__MAX_POLICIES];
    size_t policy_count;
    peri_state_keeper keeper; // `save` NULL: none
};

#endif
