// The six steps of gate.h. One function a step; the first that says no decides, and the steps
// behind it are not asked.
#include "gate/gate.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/json.h"
#include "base/utf8.h"

#define WORD(name, word) {word, sizeof(word) - 1},

peri_str peri_gate_step_word(peri_gate_step step) {
    static const peri_str words[] = {PERI_GATE_STEP_LIST(WORD)};
    return words[step];
}

peri_str peri_gate_verdict_word(peri_gate_verdict verdict) {
    static const peri_str words[] = {PERI_GATE_VERDICT_LIST(WORD)};
    return words[verdict];
}

#undef WORD

// A reason is one line that splits no character.
__attribute__((format(printf, 4, 5))) static bool say(peri_gate_trace *out, peri_gate_step step,
                                                      peri_gate_verdict verdict,
                                                      const char *format, ...) {
    char text[2 * PERI_GATE_REASON_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t len = peri_utf8_cut_bytes(peri_str_c(text), PERI_GATE_REASON_BYTES - 1);
    for (size_t i = 0; i < len; i++) {
        out->steps[step].reason[i] = (unsigned char)text[i] < 0x20 ? '?' : text[i];
    }
    out->steps[step].reason[len] = '\0';
    out->steps[step].verdict = verdict;
    if (verdict < PERI_GATE_VERDICT_DENY) return true;
    out->verdict = verdict;
    out->decided_by = step;
    return false;
}

#define PASS PERI_GATE_VERDICT_ALLOW
#define DENY PERI_GATE_VERDICT_DENY
#define SKIP PERI_GATE_VERDICT_SKIPPED

// ---- The request

int peri_agent_request_make(peri_str observed, peri_str type, peri_arena *arena,
                            peri_agent_request *out) {
    peri_buf text;
    peri_buf_init(&text, 4096);
    peri_buf_addf(&text, "Observe %.*s", PERI_FMT(observed));
    peri_str description = peri_arena_copy(arena, peri_buf_str(&text));
    peri_buf_clear(&text);
    peri_buf_addf(&text,
                  "[observer auto-spawn] Watch agent %.*s and report via ObserverReport.",
                  PERI_FMT(observed));
    peri_str prompt = peri_arena_copy(arena, peri_buf_str(&text));
    peri_buf_deinit(&text);
    *out = (peri_agent_request){peri_arena_copy(arena, observed), peri_arena_copy(arena, type),
                                description, prompt};
    return description.ptr && prompt.ptr && out->type.ptr ? PERI_OK : PERI_ENOMEM;
}

void peri_agent_request_add_json(const peri_agent_request *request, peri_buf *out) {
    peri_buf_add_c(out, "{\"description\":");
    peri_json_add_string(out, request->description);
    peri_buf_add_c(out, ",\"prompt\":");
    peri_json_add_string(out, request->prompt);
    peri_buf_add_c(out, ",\"subagent_type\":");
    peri_json_add_string(out, request->type);
    peri_buf_add_c(out, ",\"run_in_background\":true}");
}

// ---- Step 1

static const char not_named[] = "only for an observer that the agent's definition names";

static bool names_agent(peri_str entry) {
    size_t open = peri_str_find_byte(entry, '(', 0);
    return peri_tool_is_agent(peri_str_trim(peri_str_sub(entry, 0, open)));
}

static bool check_tools(const peri_gate_question *q, peri_gate_trace *out) {
    if (!q->named) {
        return say(out, PERI_GATE_TOOLS, SKIP, not_named);
    }
    for (size_t i = 0; i < q->refused_tool_count; i++) {
        peri_str entry = q->refused_tools[i];
        peri_permission_rule rule;
        bool all = peri_rule_parse(entry, &rule) < 0 || !rule.content.ptr;
        if (names_agent(entry) && all) {
            return say(out, PERI_GATE_TOOLS, DENY, "the agent's disallowedTools name %.*s",
                       PERI_FMT(entry));
        }
    }
    if (!q->tools_known) {
        return say(out, PERI_GATE_TOOLS, PASS, "the agent's tool list is not known");
    }
    for (size_t i = 0; i < q->tool_count; i++) {
        if (names_agent(q->tools[i]) || peri_str_eq(q->tools[i], PERI_STR("*"))) {
            return say(out, PERI_GATE_TOOLS, PASS, "the agent's tool list holds %.*s",
                       PERI_FMT(q->tools[i]));
        }
    }
    return say(out, PERI_GATE_TOOLS, DENY,
               "the agent's tool list holds neither Agent nor Task");
}

// ---- Step 2

static const peri_permission_rule *find_rule(const peri_permissions *permissions,
                                             peri_rule_effect effect,
                                             const peri_agent_request *request,
                                             peri_rule_reach *reach) {
    const peri_rule_list *list = &permissions->rules[effect];
    bool managed_only = effect == PERI_RULE_ALLOW && permissions->managed_rules_only;
    for (size_t i = 0; i < list->count; i++) {
        const peri_permission_rule *rule = &list->items[i];
        *reach = peri_rule_match(rule, effect, request);
        if (*reach != PERI_REACH_NONE && (!managed_only || rule->managed)) return rule;
    }
    return NULL;
}

static bool check_deny_rules(const peri_permissions *permissions, const peri_gate_question *q,
                             const peri_permission_rule **of_parameter, peri_gate_trace *out) {
    peri_rule_reach reach;
    const peri_rule_list *list = &permissions->rules[PERI_RULE_DENY];
    *of_parameter = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const peri_permission_rule *rule = &list->items[i];
        reach = peri_rule_match(rule, PERI_RULE_DENY, &q->request);
        if (reach == PERI_REACH_PARAMETER && !*of_parameter) *of_parameter = rule;
        if (reach != PERI_REACH_TOOL && reach != PERI_REACH_TYPE) continue;
        return say(out, PERI_GATE_DENY_RULES, DENY, "deny rule %.*s of %.*s",
                   PERI_FMT(rule->text), PERI_FMT(rule->source));
    }
    return say(out, PERI_GATE_DENY_RULES, PASS,
               list->count ? "no deny rule names the tool or the type" : "no deny rules");
}

// ---- Step 3

// The types between the brackets of an entry; false if the entry allows every type.
static bool entry_allows(peri_str entry, peri_str type, bool *limited) {
    peri_permission_rule rule;
    if (!names_agent(entry) || peri_rule_parse(entry, &rule) < 0 || !rule.content.ptr) {
        return names_agent(entry) || peri_str_eq(entry, PERI_STR("*"));
    }
    *limited = true;
    peri_str list = rule.content, one;
    while (peri_tool_list_take(&list, &one)) {
        if (peri_str_eq(one, type)) return true;
    }
    return false;
}

static bool has_type(const peri_type_list *list, peri_str type) {
    for (size_t i = 0; i < list->count; i++) {
        if (peri_str_eq(list->types[i], type)) return true;
    }
    return false;
}

static bool check_types(const peri_permissions *permissions, const peri_gate_question *q,
                        peri_gate_trace *out) {
    const peri_gate_step step = PERI_GATE_ALLOWED_TYPES;
    peri_str type = q->request.type;
    if (!q->named) return say(out, step, SKIP, not_named);
    bool limited = false, allowed = false;
    for (size_t i = 0; i < q->tool_count; i++) {
        allowed |= entry_allows(q->tools[i], type, &limited);
    }
    if (limited && !allowed) {
        return say(out, step, DENY, "the agent's tool list allows other types than %.*s",
                   PERI_FMT(type));
    }
    for (size_t i = 0; i < permissions->allowed_count; i++) {
        const peri_type_list *list = &permissions->allowed[i];
        if (has_type(list, type)) continue;
        return say(out, step, DENY, "%.*s is not among the allowed types of %.*s",
                   PERI_FMT(type), PERI_FMT(list->source));
    }
    bool any = limited || permissions->allowed_count;
    return say(out, step, PASS, any ? "the type is allowed" : "no list of allowed types");
}

// ---- Step 5

static bool check_permissions(const peri_permissions *permissions, const peri_gate_question *q,
                              const peri_permission_rule *denied, peri_gate_trace *out) {
    const peri_gate_step step = PERI_GATE_PERMISSIONS;
    peri_str mode = peri_permission_mode_word(q->mode);
    peri_rule_reach reach;
    if (denied) {
        return say(out, step, DENY, "deny rule %.*s of %.*s", PERI_FMT(denied->text),
                   PERI_FMT(denied->source));
    }
    const peri_permission_rule *rule =
        find_rule(permissions, PERI_RULE_ASK, &q->request, &reach);
    if (rule) {
        return say(out, step, DENY, "ask rule %.*s of %.*s, and nobody can be asked",
                   PERI_FMT(rule->text), PERI_FMT(rule->source));
    }
    rule = find_rule(permissions, PERI_RULE_ALLOW, &q->request, &reach);
    if (rule) {
        return say(out, step, PASS, "allow rule %.*s of %.*s", PERI_FMT(rule->text),
                   PERI_FMT(rule->source));
    }
    if (q->mode == PERI_PERMISSION_DONT_ASK) {
        return say(out, step, DENY, "no allow rule, which the mode dontAsk wants");
    }
    return say(out, step, PASS, "no rule matches in the mode %.*s", PERI_FMT(mode));
}

void peri_gate_judge(const peri_permissions *permissions, const peri_gate_question *q,
                     peri_gate_trace *out) {
    *out = (peri_gate_trace){.verdict = PERI_GATE_VERDICT_ALLOW,
                             .decided_by = PERI_GATE_STEP_COUNT,
                             .version = permissions->version,
                             .mode = q->mode};
    const peri_permission_rule *denied;
    if (!check_tools(q, out)) return;
    if (!check_deny_rules(permissions, q, &denied, out)) return;
    if (!check_types(permissions, q, out)) return;
    say(out, PERI_GATE_REQUEST, PASS, "would be made as \"%.*s\"",
        PERI_FMT(q->request.description));
    check_permissions(permissions, q, denied, out);
}

// ---- Step 6

void peri_gate_hear_hooks(peri_gate_trace *trace, const peri_hook *const *hooks,
                          const peri_hook_answer *answers, size_t count) {
    if (trace->verdict != PERI_GATE_VERDICT_ALLOW) return;
    const peri_hook_answer *answer = peri_hook_answers_merge(answers, count);
    if (!answer) {
        say(trace, PERI_GATE_HOOKS, PASS, "no managed hook is asked");
        return;
    }
    peri_str command = hooks[answer - answers]->command;
    command = peri_str_sub(command, 0, peri_utf8_cut_bytes(command, 120));
    if (answer->verdict > PERI_HOOK_ALLOW) {
        say(trace, PERI_GATE_HOOKS, DENY, "managed hook `%.*s`: %s", PERI_FMT(command),
            answer->cause);
    } else {
        say(trace, PERI_GATE_HOOKS, PASS, "%zu managed hook%s, none against it", count,
            count == 1 ? "" : "s");
    }
}

void peri_gate_fail(peri_gate_trace *trace, peri_gate_step step, const char *reason) {
    say(trace, step, PERI_GATE_VERDICT_ERROR, "%s", reason);
}

static void add_text(peri_buf *out, const char *key, peri_str text) {
    peri_buf_addf(out, "\"%s\":", key);
    peri_json_add_string(out, text);
}

void peri_gate_trace_add_json(const peri_gate_trace *trace, peri_buf *out) {
    add_text(out, "verdict", peri_gate_verdict_word(trace->verdict));
    if (trace->decided_by < PERI_GATE_STEP_COUNT) {
        peri_buf_add_byte(out, ',');
        add_text(out, "step", peri_gate_step_word(trace->decided_by));
        peri_buf_add_byte(out, ',');
        add_text(out, "reason", peri_str_c(trace->steps[trace->decided_by].reason));
    }
    peri_buf_add_byte(out, ',');
    add_text(out, "mode", peri_permission_mode_word(trace->mode));
    peri_buf_addf(out, ",\"version\":\"%016llx\",\"steps\":[",
                  (unsigned long long)trace->version);
    for (int i = 0; i < PERI_GATE_STEP_COUNT; i++) {
        peri_buf_add_c(out, i ? ",{" : "{");
        add_text(out, "step", peri_gate_step_word((peri_gate_step)i));
        peri_buf_add_byte(out, ',');
        add_text(out, "verdict", peri_gate_verdict_word(trace->steps[i].verdict));
        peri_buf_add_byte(out, ',');
        add_text(out, "reason", peri_str_c(trace->steps[i].reason));
        peri_buf_add_byte(out, '}');
    }
    peri_buf_add_byte(out, ']');
}
