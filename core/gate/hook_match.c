// Which managed hooks are asked about a request: their matcher over the tool's name, their `if`
// over the request. Where a matcher or condition cannot be read, the hook is asked.
#include "base/regex.h"
#include "gate/gate.h"

enum { MATCH_STEPS = 10000, MATCH_HEAP_KIB = 256 };

// Letters, digits and `_ - space , |` only: names, one of which has to be equal.
static bool is_names(peri_str matcher) {
    for (size_t i = 0; i < matcher.len; i++) {
        unsigned char byte = (unsigned char)matcher.ptr[i];
        bool word =
            (byte >= '0' && byte <= '9') || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z');
        if (!word && !memchr("_- ,|", byte, 5)) return false;
    }
    return true;
}

static bool has_name(peri_str matcher) {
    size_t from = 0;
    for (size_t i = 0; i <= matcher.len; i++) {
        if (i < matcher.len && matcher.ptr[i] != ',' && matcher.ptr[i] != '|') continue;
        if (peri_tool_is_agent(peri_str_trim(peri_str_sub(matcher, from, i - from))))
            return true;
        from = i + 1;
    }
    return false;
}

// An unanchored JavaScript pattern. What is none, or takes too long, asks.
static bool is_found(peri_str matcher) {
    const peri_regex_options options = {
        .javascript = true, .steps = MATCH_STEPS, .heap_kib = MATCH_HEAP_KIB};
    peri_regex *pattern;
    size_t start, end;
    if (peri_regex_new(matcher, &options, &pattern, NULL) < 0) return true;
    bool found = peri_regex_find(pattern, PERI_STR("Agent"), 0, &start, &end) != 0 ||
                 peri_regex_find(pattern, PERI_STR("Task"), 0, &start, &end) != 0;
    peri_regex_free(pattern);
    return found;
}

static bool takes_tool(peri_str matcher) {
    if (!matcher.len || peri_str_eq(matcher, PERI_STR("*"))) return true;
    return is_names(matcher) ? has_name(matcher) : is_found(matcher);
}

bool peri_hook_wants(const peri_hook *hook, const peri_agent_request *request) {
    peri_permission_rule rule;
    if (hook->async || !takes_tool(hook->matcher)) return false;
    if (!hook->only_if.len || peri_rule_parse(hook->only_if, &rule) < 0) return true;
    return peri_rule_match(&rule, PERI_RULE_DENY, request) != PERI_REACH_NONE;
}
