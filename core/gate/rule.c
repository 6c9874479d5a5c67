// The rules of rule.h. Everything is compared byte for byte and case counts, as in the client;
// the one loop over a pattern is bounded by the length of rule and name.
#include "gate/rule.h"

bool peri_tool_is_agent(peri_str name) {
    return peri_str_eq(name, PERI_STR("Agent")) || peri_str_eq(name, PERI_STR("Task"));
}

static bool has_controls(peri_str text) {
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] < 0x20) return true;
    }
    return false;
}

// Tools have ASCII names. What only looks like one would be passed over in silence.
static bool is_name(peri_str tool) {
    for (size_t i = 0; i < tool.len; i++) {
        if ((unsigned char)tool.ptr[i] > 0x7E || tool.ptr[i] == ')') return false;
    }
    return tool.len && tool.len <= PERI_RULE_MAX_BYTES && !has_controls(tool);
}

// True if every bracket has its partner.
static bool is_balanced(peri_str text) {
    size_t depth = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == ')' && depth-- == 0) return false;
        if (text.ptr[i] == '(') depth++;
    }
    return depth == 0;
}

// What stands in the brackets of another tool's rule is that
// tool's matter: whole scripts, at times.
static bool may_be_of_agent(peri_str tool) {
    return peri_tool_is_agent(tool) || peri_str_find_byte(tool, '*', 0) != PERI_NPOS;
}

int peri_rule_parse(peri_str text, peri_permission_rule *out) {
    text = peri_str_trim(text);
    size_t open = peri_str_find_byte(text, '(', 0);
    peri_permission_rule rule = {.text = text,
                                 .tool = peri_str_trim(peri_str_sub(text, 0, open))};
    bool ours = may_be_of_agent(rule.tool);
    if (!is_name(rule.tool)) return PERI_EPARSE;
    if (ours && text.len > PERI_RULE_MAX_BYTES) return PERI_ELIMIT;
    if (open != PERI_NPOS) {
        if (text.ptr[text.len - 1] != ')') return PERI_EPARSE;
        peri_str content = peri_str_trim(peri_str_sub(text, open + 1, text.len - open - 2));
        if (ours && (!is_balanced(content) || has_controls(content))) return PERI_EPARSE;
        bool all = content.len == 0 || peri_str_eq(content, PERI_STR("*"));
        if (!all) rule.content = content;
    }
    *out = rule;
    return PERI_OK;
}

// `*` stands for any run of bytes.
static bool is_like(peri_str pattern, peri_str text) {
    size_t p = 0, t = 0, star = PERI_NPOS, mark = 0;
    while (t < text.len) {
        if (p < pattern.len && pattern.ptr[p] == '*') {
            star = p++;
            mark = t;
        } else if (p < pattern.len && pattern.ptr[p] == text.ptr[t]) {
            p++;
            t++;
        } else if (star != PERI_NPOS) {
            p = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.ptr[p] == '*') p++;
    return p == pattern.len;
}

// An allow rule may use `*` behind `mcp__server__` only, which this tool is none of.
static bool is_tool(peri_str pattern, peri_rule_effect effect) {
    if (peri_tool_is_agent(pattern)) return true;
    if (effect == PERI_RULE_ALLOW || peri_str_find_byte(pattern, '*', 0) == PERI_NPOS)
        return false;
    return is_like(pattern, PERI_STR("Agent")) || is_like(pattern, PERI_STR("Task"));
}

bool peri_rule_is_of_agent(const peri_permission_rule *rule, peri_rule_effect effect) {
    return is_tool(rule->tool, effect);
}

// The parameters of the request that a rule can name.
static peri_str parameter(const peri_agent_request *request, peri_str name) {
    if (peri_str_eq(name, PERI_STR("subagent_type"))) return request->type;
    if (peri_str_eq(name, PERI_STR("description"))) return request->description;
    if (peri_str_eq(name, PERI_STR("prompt"))) return request->prompt;
    if (peri_str_eq(name, PERI_STR("run_in_background"))) return PERI_STR("true");
    return (peri_str){0};
}

// Agent(model:opus) and the like. A type may hold a colon as well
// (plugin:type), so this is asked last.
static bool is_parameter(peri_str content, const peri_agent_request *request) {
    size_t colon = peri_str_find_byte(content, ':', 0);
    if (colon == PERI_NPOS) return false;
    peri_str value = parameter(request, peri_str_trim(peri_str_sub(content, 0, colon)));
    peri_str wanted = peri_str_trim(peri_str_sub(content, colon + 1, content.len));
    return value.ptr && is_like(wanted, value);
}

bool peri_tool_list_take(peri_str *list, peri_str *out) {
    while (list->len) {
        size_t depth = 0, end = 0;
        for (; end < list->len; end++) {
            char byte = list->ptr[end];
            if (byte == '(') depth++;
            if (byte == ')' && depth) depth--;
            if (byte == ',' && depth == 0) break;
        }
        *out = peri_str_trim(peri_str_sub(*list, 0, end));
        *list = peri_str_sub(*list, end + 1, list->len);
        if (out->len) return true;
    }
    return false;
}

static bool names_type(peri_str content, peri_rule_effect effect, peri_str type) {
    if (effect == PERI_RULE_ALLOW) return peri_str_eq(content, type);
    peri_str one;
    while (peri_tool_list_take(&content, &one)) {
        if (is_like(one, type)) return true;
    }
    return false;
}

peri_rule_reach peri_rule_match(const peri_permission_rule *rule, peri_rule_effect effect,
                                const peri_agent_request *request) {
    if (!is_tool(rule->tool, effect)) return PERI_REACH_NONE;
    if (!rule->content.ptr) return PERI_REACH_TOOL;
    if (names_type(rule->content, effect, request->type)) return PERI_REACH_TYPE;
    if (effect != PERI_RULE_ALLOW && is_parameter(rule->content, request)) {
        return PERI_REACH_PARAMETER;
    }
    return PERI_REACH_NONE;
}
