// A Lua table becomes a peri_observer: one table of keys says what a definition may hold and
// who reads it. Everything that is wrong is reported at once, with the line where its key
// stands. Called by script.c.
#include <lauxlib.h>

#include "script/definition_words.h"
#include "script/script_internal.h"

enum {
    MAX_WORDS = 64, // in one list
    WORD_MAX_BYTES = 128,
    COMMAND_WORD_MAX_BYTES = 4096,
    PRIORITY_MAX = 100,
    TIMEOUT_MS_MAX = 120000,
};

// The definition stands at 1 of the stack; `reader` collects the problem of one key at a time.
typedef struct loader {
    peri__reader reader;
    peri__scripted *observer;
    peri_diag_list *diags;
    const char *key;           // being read
    peri_str words[MAX_WORDS]; // of a list that is kept as it is
    size_t word_count;
    size_t max_word_bytes;
    bool failed;
} loader;

static void unknown_word(loader *l, peri_str word, const peri_str *words) {
    peri_str near = peri_diag_nearest(word, words);
    word = peri__quoted(word);
    if (near.len) {
        peri__problem(&l->reader, "%s: unknown word \"%.*s\", did you mean \"%.*s\"?", l->key,
                      PERI_FMT(word), PERI_FMT(near));
    } else {
        peri__problem(&l->reader, "%s: unknown word \"%.*s\"", l->key, PERI_FMT(word));
    }
}

// Index of `word` in `words`; on an unknown one the problem is noted and 0 returned.
static uint32_t word_index(loader *l, peri_str word, const peri_str *words) {
    for (uint32_t i = 0; words[i].len; i++) {
        if (peri_str_eq(word, words[i])) return i;
    }
    unknown_word(l, word, words);
    return 0;
}

// ---- Lists: one word, or a sequence of them

typedef void (*take_word)(loader *l, peri_str word, uint32_t at);

static void read_word(loader *l, take_word take, uint32_t at) {
    lua_State *L = l->reader.L;
    if (lua_type(L, -1) != LUA_TSTRING) {
        peri__problem(&l->reader, "%s: entry %u is a %s, not text", l->key, at + 1,
                      luaL_typename(L, -1));
        return;
    }
    peri_str word = peri__text_at(L, -1, l->reader.arena);
    if (word.len == 0 || word.len > l->max_word_bytes) {
        peri__problem(&l->reader, "%s: entry %u is empty or over %zu bytes", l->key, at + 1,
                      l->max_word_bytes);
        return;
    }
    take(l, word, at);
}

static void read_words(loader *l, take_word take) {
    lua_State *L = l->reader.L;
    if (lua_type(L, -1) == LUA_TSTRING) {
        read_word(l, take, 0);
        return;
    }
    if (!lua_istable(L, -1)) {
        peri__problem(&l->reader, "%s is a %s, not text or a list of texts", l->key,
                      luaL_typename(L, -1));
        return;
    }
    size_t count = lua_objlen(L, -1);
    if (count == 0 || count > MAX_WORDS) {
        peri__problem(&l->reader, "%s holds no list of 1 to %d texts", l->key, MAX_WORDS);
        return;
    }
    for (uint32_t i = 0; i < count && !l->reader.problem.ptr; i++) {
        lua_rawgeti(L, -1, (int)i + 1);
        read_word(l, take, i);
        lua_pop(L, 1);
    }
}

static void take_trigger(loader *l, peri_str word, uint32_t at) {
    l->observer->def.triggers |= UINT32_C(1) << word_index(l, word, trigger_words);
}

static void take_slice(loader *l, peri_str word, uint32_t at) {
    peri_observer *def = &l->observer->def;
    peri_slice slice = (peri_slice)word_index(l, word, slice_words);
    for (uint32_t i = 0; i < def->sees_count; i++) {
        if (def->sees[i] == slice) return;
    }
    if (def->sees_count < PERI_OBSERVER_MAX_SEES) def->sees[def->sees_count++] = slice;
}

static void take_can(loader *l, peri_str word, uint32_t at) {
    l->observer->def.can |= UINT32_C(1) << word_index(l, word, can_words);
}

static void take_any(loader *l, peri_str word, uint32_t at) {
    l->words[at] = word;
    l->word_count = at + 1;
}

static void read_on(loader *l) {
    read_words(l, take_trigger);
}

static void read_sees(loader *l) {
    l->observer->def.sees_count = 0;
    read_words(l, take_slice);
}

static void read_can(loader *l) {
    l->observer->def.can = 0;
    read_words(l, take_can);
}

// A list of words of the author's own, kept with the definition.
static void keep_words(loader *l, const peri_str **list, size_t *count) {
    l->word_count = 0;
    read_words(l, take_any);
    size_t bytes = l->word_count * sizeof *l->words;
    peri_str *kept = peri_arena_alloc(l->reader.arena, bytes ? bytes : 1);
    if (!kept) {
        peri__problem(&l->reader, "out of memory");
        return;
    }
    memcpy(kept, l->words, bytes);
    *list = kept;
    *count = l->word_count;
}

static void read_agents(loader *l) {
    keep_words(l, &l->observer->def.agents, &l->observer->def.agent_count);
}

static void check_command_word(loader *l, peri_str word) {
    if (peri_str_find_byte(word, '\0', 0) == PERI_NPOS) return;
    peri__problem(&l->reader, "%s: a NUL stands in an entry", l->key);
}

static void read_command(loader *l) {
    peri_observer *def = &l->observer->def;
    l->max_word_bytes = COMMAND_WORD_MAX_BYTES;
    keep_words(l, &def->command, &def->command_count);
    l->max_word_bytes = WORD_MAX_BYTES;
    for (size_t i = 0; i < def->command_count; i++) check_command_word(l, def->command[i]);
    if (def->command_count > PERI_OBSERVER_MAX_COMMAND) {
        peri__problem(&l->reader, "command has over %d entries", PERI_OBSERVER_MAX_COMMAND);
    }
    def->runtime = PERI_RUN_COMMAND;
}

static void read_env(loader *l) {
    peri_observer *def = &l->observer->def;
    keep_words(l, &def->env, &def->env_count);
    for (size_t i = 0; i < def->env_count; i++) check_command_word(l, def->env[i]);
}

// ---- Single values

static peri_str read_text(loader *l) {
    peri_str text = {0};
    (void)peri__read_text(&l->reader, l->key, &text);
    return text;
}

static void read_name(loader *l) {
    peri_str name = read_text(l);
    if (name.ptr && !peri_observer_name_ok(name)) {
        name = peri__quoted(name);
        peri__problem(&l->reader,
                      "name \"%.*s\" is not [a-z0-9][a-z0-9_-]* of at most %d characters",
                      PERI_FMT(name), PERI_OBSERVER_NAME_MAX);
    }
    l->observer->def.name = name;
}

static void read_description(loader *l) {
    l->observer->def.description = read_text(l);
}

static bool read_flag(loader *l) {
    lua_State *L = l->reader.L;
    if (!lua_isboolean(L, -1)) {
        peri__problem(&l->reader, "%s is a %s, not true or false", l->key,
                      luaL_typename(L, -1));
    }
    return lua_toboolean(L, -1);
}

static void read_enabled(loader *l) {
    l->observer->def.enabled = read_flag(l);
}

static void read_once(loader *l) {
    l->observer->def.once = read_flag(l);
}

static void read_isolation(loader *l) {
    peri_str word = read_text(l);
    if (word.ptr) l->observer->def.isolated = word_index(l, word, isolation_words) == 1;
}

static void read_deliver(loader *l) {
    peri_str word = read_text(l);
    if (!word.ptr) return;
    (void)word_index(l, word, lane_words);
    l->observer->def.lane = peri_lane_find(word);
}

static void read_severity(loader *l) {
    peri_str word = read_text(l);
    if (word.ptr) l->observer->def.severity = (peri_weight)word_index(l, word, severity_words);
}

static void read_positive(loader *l, uint32_t max, uint32_t *out) {
    uint64_t value = 0;
    if (!peri__read_count(&l->reader, l->key, max, &value)) return;
    if (value == 0) peri__problem(&l->reader, "%s is not from 1 to %u", l->key, max);
    *out = (uint32_t)value;
}

static void read_priority(loader *l) {
    read_positive(l, PRIORITY_MAX, &l->observer->def.priority);
}

static void read_max_advisory(loader *l) {
    read_positive(l, PERI_PROPOSAL_TEXT_MAX_CP, &l->observer->def.max_advisory_cp);
}

static void read_timeout(loader *l) {
    read_positive(l, TIMEOUT_MS_MAX, &l->observer->def.timeout_ms);
}

static void read_function(loader *l) {
    lua_State *L = l->reader.L;
    if (lua_isfunction(L, -1)) return;
    peri__problem(&l->reader, "%s is a %s, not a function", l->key, luaL_typename(L, -1));
}

static void read_observe(loader *l) {
    read_function(l);
    if (l->reader.problem.ptr) return;
    lua_Debug info;
    lua_pushvalue(l->reader.L, -1);
    lua_getinfo(l->reader.L, ">S", &info);
    if (info.linedefined > 0) l->observer->line = (uint32_t)info.linedefined;
}

static void read_wake(loader *l) {
    read_function(l);
    l->observer->def.has_wake = true;
}

typedef enum need { OPTIONAL, EXPECTED, REQUIRED } need; // EXPECTED: a warning if missing

static const struct {
    const char *name;
    void (*read)(loader *l);
    need need;
} keys[] = {
    {"name", read_name, REQUIRED},
    {"description", read_description, EXPECTED},
    {"on", read_on, REQUIRED},
    {"sees", read_sees, OPTIONAL},
    {"can", read_can, OPTIONAL},
    {"deliver", read_deliver, OPTIONAL},
    {"priority", read_priority, OPTIONAL},
    {"severity", read_severity, OPTIONAL},
    {"agents", read_agents, OPTIONAL},
    {"enabled", read_enabled, OPTIONAL},
    {"max_advisory_chars", read_max_advisory, OPTIONAL},
    {"wake", read_wake, OPTIONAL},
    {"observe", read_observe, OPTIONAL},
    {"command", read_command, OPTIONAL},
    {"once", read_once, OPTIONAL},
    {"env", read_env, OPTIONAL},
    {"timeout_ms", read_timeout, OPTIONAL},
    {"isolation", read_isolation, OPTIONAL},
};

enum { KEY_COUNT = sizeof keys / sizeof *keys };

static void read_key(loader *l, size_t i) {
    const peri__unit *unit = &l->observer->unit;
    l->key = keys[i].name;
    l->reader.problem = (peri_str){0};
    if (peri__read_value(&l->reader, l->key)) {
        keys[i].read(l);
        lua_pop(l->reader.L, 1);
        if (!l->reader.problem.ptr) return;
        l->failed = true;
        peri__definition_report(unit, "bad-value", peri_str_c(l->key), l->reader.problem,
                                l->diags);
    } else if (keys[i].need != OPTIONAL) {
        bool required = keys[i].need == REQUIRED;
        l->failed |= required;
        peri_diag_addf(l->diags, required ? PERI_ERROR : PERI_WARNING, "missing-key",
                       unit->file, 0, 0, NULL, "\"%s\" is missing", l->key);
    }
}

static void reject(loader *l, const char *id, const char *key, peri_str problem) {
    l->failed = true;
    peri__definition_report(&l->observer->unit, id, peri_str_c(key), problem, l->diags);
}

// What no single key can tell.
static void check_whole(loader *l) {
    const peri_observer *def = &l->observer->def;
    bool is_command = def->runtime == PERI_RUN_COMMAND;
    bool has_observe = peri__read_value(&l->reader, "observe");
    if (has_observe) lua_pop(l->reader.L, 1);
    if (!is_command && !has_observe) {
        reject(l, "missing-key", "", PERI_STR("\"observe\" is missing"));
    }
    if (is_command && has_observe) {
        reject(l, "bad-value", "command",
               PERI_STR("an observer has either observe or command, not both"));
    }
    if (!is_command && (def->once || def->env_count)) {
        reject(l, "bad-value", def->once ? "once" : "env",
               PERI_STR("once and env belong to a command"));
    }
    if (is_command && def->isolated) {
        reject(l, "bad-value", "isolation",
               PERI_STR("a command runs in a process of its own anyway"));
    }
    if (def->lane == PERI_LANE_HOLD && def->can != PERI_CAN_VETO) {
        reject(l, "bad-value", "deliver",
               PERI_STR("only vetoes hold: name the lane of advisories or reports"));
    }
}

static void check_definition(lua_State *L, peri__pack *pack, void *frame) {
    loader *l = frame;
    const peri__unit *unit = &l->observer->unit;
    l->reader =
        (peri__reader){.L = L, .pack = pack, .index = 1, .arena = &l->observer->unit.arena};
    if (!lua_istable(L, 1)) {
        l->failed = true;
        peri_diag_addf(l->diags, PERI_ERROR, "no-definition", unit->file, 0, 0,
                       "end the file with `return { name = ..., on = ..., observe = ... }`",
                       "the file returns a %s, not a table", luaL_typename(L, 1));
        return;
    }
    peri_str words[KEY_COUNT + 1] = {{0}};
    for (size_t i = 0; i < KEY_COUNT; i++) words[i] = peri_str_c(keys[i].name);
    if (!peri__definition_check_keys(L, unit, words, l->diags)) l->failed = true;
    for (size_t i = 0; i < KEY_COUNT; i++) read_key(l, i);
    check_whole(l);
}

int peri__observer_load(peri__scripted *observer, peri_diag_list *diags) {
    peri__unit *unit = &observer->unit;
    observer->def = (peri_observer){
        .file = unit->file,
        .layer = observer->def.layer,
        .runtime = PERI_RUN_LUA,
        .enabled = true,
        .sees = {PERI_SLICE_ACTIVITY},
        .sees_count = 1,
        .can = PERI_CAN_ADVISE,
        .lane = PERI_LANE_STEER,
        .severity = PERI_WEIGHT_CONCERN,
        .priority = PERI__PRIORITY_DEFAULT,
        .max_advisory_cp = PERI_PROPOSAL_TEXT_CP,
        .timeout_ms = PERI__TIMEOUT_MS_DEFAULT,
        .owner = observer,
    };
    loader l = {.observer = observer, .diags = diags, .max_word_bytes = WORD_MAX_BYTES};
    int status = peri__definition_load(unit, check_definition, &l, diags);
    if (status < 0) return status;
    unit->name = observer->def.name;
    return l.failed ? PERI_EINVAL : PERI_OK;
}
