// A Markdown observer: a YAML header that says when and how, a body that is the
// model's prompt, and perhaps a Lua file of the same stem beside it. That file may hold `wake`,
// which spares the paid call, and `observe`, which stands in where there is no model. Nothing
// in a header widens to a default by being wrong: each mistake is a diagnostic with its place,
// and the file is left out alone. Called by script.c.
#include <lauxlib.h>

#include "base/utf8.h"
#include "base/yaml.h"
#include "script/definition_words.h"
#include "script/script_internal.h"

enum {
    PROMPT_MAX_BYTES = 64 * 1024,
    MODEL_MAX_BYTES = 256,
    FALLBACK_MAX = 16,
    PRIORITY_MAX = 100,
    TIMEOUT_MS_MAX = 120000,
};

typedef struct loader {
    peri__scripted *observer;
    const peri_markdown *from;
    peri_yaml_doc doc;
    peri_diag_list *diags;
    bool failed;
    int wake; // the header's word on a wake in Lua: -1 none, 0 not wanted, 1 demanded
} loader;

#define WORD(name, word) {word, sizeof(word) - 1},
static const peri_str layout_words[] = {PERI_LAYOUT_LIST(WORD){0}};
static const peri_str tool_words[] = {PERI_TOOL_LIST(WORD){0}};
static const peri_str thinking_words[] = {PERI_THINKING_LIST(WORD){0}};
#undef WORD

static void report(loader *l, const peri_yaml *node, const char *id, const char *hint,
                   const char *message) {
    uint32_t line = node ? node->line : 1, column = node ? node->column : 1;
    peri_diag_addf(l->diags, PERI_ERROR, id, l->from->file, line, column, hint, "%s", message);
    l->failed = true;
}

// True if the reader took a value; one that is wrong was reported by it.
static bool took(loader *l, int status) {
    if (status < 0 && status != PERI_ENOENT) l->failed = true;
    return status >= 0;
}

static peri_str keep(loader *l, peri_str text) {
    peri_str kept = peri_arena_copy(&l->observer->unit.arena, text);
    if (text.ptr && !kept.ptr) l->failed = true;
    return kept;
}

// ---- Values of one kind

static void read_text(loader *l, const peri_yaml *node, size_t max_bytes, peri_str *out) {
    peri_str text;
    if (!took(l, peri_yaml_str(&l->doc, node, &text))) return;
    if (peri_str_trim(text).len == 0 || text.len > max_bytes) {
        report(l, node, "bad-value", NULL, "the text is blank or too long");
        return;
    }
    *out = keep(l, peri_str_trim(text));
}

static void read_count(loader *l, const peri_yaml *node, int64_t max, uint32_t *out) {
    int64_t number;
    if (took(l, peri_yaml_int(&l->doc, node, 1, max, &number))) *out = (uint32_t)number;
}

typedef void (*take_index)(peri_observer *def, size_t index);

static void read_one(loader *l, const peri_yaml *node, const peri_str *words, take_index take) {
    size_t index;
    if (took(l, peri_yaml_word(&l->doc, node, words, &index))) take(&l->observer->def, index);
}

// Each word of a list, or of a text with commas.
static void read_each(loader *l, const peri_yaml *node, const peri_str *words,
                      take_index take) {
    const peri_str *parts;
    size_t count;
    if (!took(l, peri_yaml_list(&l->doc, node, &parts, &count))) return;
    if (node->type == PERI_YAML_LIST) {
        for (const peri_yaml *one = node->first; one; one = one->next) {
            peri_yaml entry = *one;
            entry.key = node->key; // for the message
            read_one(l, &entry, words, take);
        }
        return;
    }
    for (size_t i = 0; i < count; i++) {
        peri_yaml part = *node;
        part.text = parts[i];
        read_one(l, &part, words, take);
    }
}

static void take_trigger(peri_observer *def, size_t index) {
    def->triggers = UINT32_C(1) << index;
}

static void take_slice(peri_observer *def, size_t index) {
    for (uint32_t i = 0; i < def->sees_count; i++) {
        if (def->sees[i] == (peri_slice)index) return;
    }
    if (def->sees_count < PERI_OBSERVER_MAX_SEES) {
        def->sees[def->sees_count++] = (peri_slice)index;
    }
}

static void take_tool(peri_observer *def, size_t index) {
    def->tools |= UINT32_C(1) << index;
}

static void take_can(peri_observer *def, size_t index) {
    def->can |= UINT32_C(1) << index;
}

static void take_lane(peri_observer *def, size_t index) {
    def->lane = peri_lane_find(lane_words[index]);
}

static void take_thinking(peri_observer *def, size_t index) {
    def->thinking = (peri_thinking)index;
}

static void take_severity(peri_observer *def, size_t index) {
    def->severity = (peri_weight)index;
}

static void take_layout(peri_observer *def, size_t index) {
    def->layout = (peri_layout)index;
}

// ---- Keys

static void read_name(loader *l, const peri_yaml *node) {
    peri_observer *def = &l->observer->def;
    read_text(l, node, 4 * PERI_OBSERVER_NAME_MAX, &def->name);
    if (!def->name.ptr || peri_observer_name_ok(def->name)) return;
    report(l, node, "bad-value", NULL,
           "the name is not [a-z0-9][a-z0-9_-]* of at most 64 characters");
}

static void read_description(loader *l, const peri_yaml *node) {
    read_text(l, node, 1024, &l->observer->def.description);
}

static void read_on(loader *l, const peri_yaml *node) {
    if (node->type == PERI_YAML_LIST && node->first && !node->first->next) node = node->first;
    if (node->type != PERI_YAML_SCALAR) {
        report(l, node, "bad-value", "a Lua observer may list several",
               "a Markdown observer has one trigger");
        return;
    }
    read_one(l, node, trigger_words, take_trigger);
}

static void read_enabled(loader *l, const peri_yaml *node) {
    took(l, peri_yaml_bool(&l->doc, node, &l->observer->def.enabled));
}

static void read_sees(loader *l, const peri_yaml *node) {
    read_each(l, node, slice_words, take_slice);
}

static void read_tools(loader *l, const peri_yaml *node) {
    read_each(l, node, tool_words, take_tool);
}

static void read_can(loader *l, const peri_yaml *node) {
    l->observer->def.can = 0;
    read_each(l, node, can_words, take_can);
    if (l->observer->def.can || l->failed) return;
    report(l, node, "bad-value", NULL, "an observer that may do nothing has nothing to say");
}

static void read_deliver(loader *l, const peri_yaml *node) {
    read_one(l, node, lane_words, take_lane);
}

static void read_model(loader *l, const peri_yaml *node) {
    read_text(l, node, MODEL_MAX_BYTES, &l->observer->def.model);
}

static void read_fallback(loader *l, const peri_yaml *node) {
    const peri_str *models;
    size_t count;
    if (!took(l, peri_yaml_list(&l->doc, node, &models, &count))) return;
    peri_str *kept = peri_arena_zero(&l->observer->unit.arena, (count + 1) * sizeof *kept);
    if (!kept || count > FALLBACK_MAX) {
        report(l, node, "bad-value", NULL, "more than 16 models to fall back to");
        return;
    }
    for (size_t i = 0; i < count; i++) kept[i] = keep(l, models[i]);
    l->observer->def.fallback = kept;
    l->observer->def.fallback_count = count;
}

static void read_thinking(loader *l, const peri_yaml *node) {
    read_one(l, node, thinking_words, take_thinking);
}

static void read_priority(loader *l, const peri_yaml *node) {
    read_count(l, node, PRIORITY_MAX, &l->observer->def.priority);
}

static void read_max_advisory(loader *l, const peri_yaml *node) {
    read_count(l, node, PERI_PROPOSAL_TEXT_MAX_CP, &l->observer->def.max_advisory_cp);
}

static void read_timeout(loader *l, const peri_yaml *node) {
    read_count(l, node, TIMEOUT_MS_MAX, &l->observer->def.timeout_ms);
}

static void read_layout(loader *l, const peri_yaml *node) {
    read_one(l, node, layout_words, take_layout);
}

static void read_severity(loader *l, const peri_yaml *node) {
    read_one(l, node, severity_words, take_severity);
}

static void read_wake(loader *l, const peri_yaml *node) {
    bool wanted;
    if (took(l, peri_yaml_bool(&l->doc, node, &wanted))) l->wake = wanted;
}

static void read_isolation(loader *l, const peri_yaml *node) {
    size_t index;
    if (!took(l, peri_yaml_word(&l->doc, node, isolation_words, &index)) || index == 0) return;
    l->observer->def.isolated = true;
    if (l->from->lua_text.ptr) return;
    report(l, node, "no-lua", "add NAME.lua with a wake or an observe, or leave the line out",
           "isolation is where the Lua beside this file runs, and there is none");
}

static const struct {
    const char *name;
    void (*read)(loader *l, const peri_yaml *node);
} keys[] = {
    {"name", read_name},
    {"description", read_description},
    {"on", read_on},
    {"enabled", read_enabled},
    {"sees", read_sees},
    {"tools", read_tools},
    {"can", read_can},
    {"deliver", read_deliver},
    {"model", read_model},
    {"fallback", read_fallback},
    {"thinking", read_thinking},
    {"priority", read_priority},
    {"max_advisory_chars", read_max_advisory},
    {"timeout_ms", read_timeout},
    {"layout", read_layout},
    {"wake", read_wake},
    {"severity", read_severity},
    {"isolation", read_isolation},
};

enum { KEY_COUNT = sizeof keys / sizeof *keys };

static void check_missing(loader *l) {
    static const char *const required[] = {"name", "description", "on"};
    for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
        if (peri_yaml_get(l->doc.root, peri_str_c(required[i]))) continue;
        bool excused = l->from->lenient && i == 1;
        if (!excused) l->failed = true;
        peri_diag_addf(l->diags, excused ? PERI_WARNING : PERI_ERROR, "missing-key",
                       l->from->file, 1, 1, NULL, "\"%s\" is missing", required[i]);
    }
}

static void read_header(loader *l) {
    peri_str words[KEY_COUNT + 1] = {{0}};
    for (size_t i = 0; i < KEY_COUNT; i++) words[i] = peri_str_c(keys[i].name);
    if (peri_yaml_check_keys(&l->doc, l->doc.root, words)) l->failed = true;
    if (l->doc.root && l->doc.root->type != PERI_YAML_MAP) return;
    for (size_t i = 0; i < KEY_COUNT; i++) {
        const peri_yaml *node = peri_yaml_get(l->doc.root, words[i]);
        if (node) keys[i].read(l, node);
    }
    check_missing(l);
    const peri_observer *def = &l->observer->def;
    if (def->lane == PERI_LANE_HOLD && def->can != PERI_CAN_VETO) {
        report(l, peri_yaml_get(l->doc.root, PERI_STR("deliver")), "bad-value", NULL,
               "only vetoes hold: name the lane of advisories or reports");
    }
}

static void read_body(loader *l, peri_str body) {
    body = peri_str_trim(body);
    if (body.len > PROMPT_MAX_BYTES) {
        report(l, NULL, "prompt-too-long", NULL, "the body is longer than the limit of 64 KiB");
    } else if (body.len == 0) {
        report(l, NULL, "no-prompt", "write the prompt below the header", "the body is empty");
    } else if (!peri_utf8_valid(body)) {
        report(l, NULL, "not-utf8", NULL, "the body is not valid UTF-8");
    } else {
        l->observer->def.prompt = keep(l, body);
    }
}

static int read_markdown(loader *l) {
    peri_str header = {0}, body = {0};
    uint32_t line = 0;
    int status =
        peri_front_matter(l->from->text, l->from->file, l->diags, &header, &line, &body);
    if (status == PERI_ENOENT) {
        report(l, NULL, "no-header", "begin the file with a line ---, then `key: value` lines",
               "the file has no header");
    }
    if (status < 0) return PERI_EINVAL;
    status = peri_yaml_parse(&l->doc, header, l->from->file, line, l->diags);
    if (status >= 0) {
        read_header(l);
        read_body(l, body);
    }
    peri_yaml_doc_deinit(&l->doc);
    if (status == PERI_ENOMEM) return status;
    return status < 0 || l->failed ? PERI_EINVAL : PERI_OK;
}

// ---- The Lua file beside it

// What it returned stands at 1.
static void check_companion(lua_State *L, peri__pack *pack, void *frame) {
    static const peri_str words[] = {{"wake", 4}, {"observe", 7}, {0}};
    loader *l = frame;
    peri__unit *unit = &l->observer->unit;
    if (!lua_istable(L, 1)) {
        l->failed = true;
        peri_diag_addf(l->diags, PERI_ERROR, "no-definition", unit->file, 0, 0,
                       "end the file with `return { wake = ... }`",
                       "the file returns a %s, not a table", luaL_typename(L, 1));
        return;
    }
    if (!peri__definition_check_keys(L, unit, words, l->diags)) l->failed = true;
    bool *const found[] = {&l->observer->def.has_wake, &l->observer->def.has_lua_form};
    peri__reader reader = {.L = L, .pack = pack, .index = 1, .arena = &unit->arena};
    for (size_t i = 0; words[i].len; i++) {
        if (!peri__read_value(&reader, words[i].ptr)) continue;
        *found[i] = lua_isfunction(L, -1);
        if (!*found[i]) {
            l->failed = true;
            peri__definition_report(unit, "bad-value", words[i],
                                    PERI_STR("wake and observe are functions"), l->diags);
        }
        lua_pop(L, 1);
    }
}

static int load_companion(loader *l) {
    peri__scripted *observer = l->observer;
    if (observer->unit.text.ptr) {
        int status = peri__definition_load(&observer->unit, check_companion, l, l->diags);
        if (status < 0) return status;
    }
    if (l->wake == 1 && !observer->def.has_wake && !l->failed) {
        report(l, NULL, "no-wake",
               "add NAME.lua that returns { wake = function(turn) ... end }",
               "`wake: true` asks for a wake in a Lua file beside this one");
    }
    if (l->wake == 0) observer->def.has_wake = false;
    return l->failed ? PERI_EINVAL : PERI_OK;
}

int peri__markdown_load(peri__scripted *observer, const peri_markdown *from,
                        peri_diag_list *diags) {
    observer->def = (peri_observer){
        .layer = observer->def.layer,
        .runtime = PERI_RUN_MODEL,
        .enabled = true,
        .can = PERI_CAN_ADVISE,
        .lane = PERI_LANE_STEER,
        .severity = PERI_WEIGHT_CONCERN,
        .thinking = PERI_THINKING_LOW,
        .priority = PERI__PRIORITY_DEFAULT,
        .max_advisory_cp = PERI_PROPOSAL_TEXT_CP,
        .timeout_ms = PERI__TIMEOUT_MS_DEFAULT,
        .owner = observer,
    };
    loader l = {.observer = observer, .from = from, .diags = diags, .wake = -1};
    observer->def.file = keep(&l, from->file);
    if (l.failed) return PERI_ENOMEM;
    int status = read_markdown(&l);
    if (status < 0) return status;
    observer->unit.name = observer->def.name;
    return load_companion(&l);
}
