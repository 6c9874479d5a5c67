// Reading and merging the answers of hooks (hook_answer.h). The text of a hook is foreign
// bytes: capped by who ran it, parsed with the tree face's limits, and shown cut.
#include "gate/hook_answer.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/exit_code.h"
#include "base/json_tree.h"
#include "base/utf8.h"

enum { SHOWN_BYTES = 120 };

static peri_str word_of(peri_hook_verdict verdict) {
    static const peri_str words[] = {
#define VERDICT_WORD(name, word) {word, sizeof(word) - 1},
        PERI_HOOK_VERDICT_LIST(VERDICT_WORD)
#undef VERDICT_WORD
    };
    return words[verdict];
}

__attribute__((format(printf, 3, 4))) static void say(peri_hook_answer *out,
                                                      peri_hook_verdict verdict,
                                                      const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(out->cause, sizeof out->cause, format, args);
    va_end(args);
    out->verdict = verdict;
}

// One line of foreign text, short.
static peri_str shown(peri_str text) {
    text = peri_str_trim(text);
    text = peri_str_sub(text, 0, peri_str_find_byte(text, '\n', 0));
    return peri_str_sub(text, 0, peri_utf8_cut_bytes(text, SHOWN_BYTES));
}

static peri_hook_verdict find_verdict(peri_str word) {
    if (peri_str_eq(word, PERI_STR("approve"))) return PERI_HOOK_ALLOW;
    if (peri_str_eq(word, PERI_STR("block"))) return PERI_HOOK_DENY;
    for (int i = PERI_HOOK_ALLOW; i < PERI_HOOK_VERDICT_COUNT; i++) {
        if (peri_str_eq(word_of((peri_hook_verdict)i), word)) {
            return (peri_hook_verdict)i;
        }
    }
    return PERI_HOOK_VERDICT_COUNT;
}

// Takes the verdict `node` names; the heavier one stays.
static void take_word(peri_hook_answer *out, const peri_tree *node, peri_str reason) {
    if (!node) return;
    peri_str word = peri_tree_str(node);
    bool text = peri_tree_type(node) == PERI_JSON_STRING;
    peri_hook_verdict found = text ? find_verdict(word) : PERI_HOOK_VERDICT_COUNT;
    if (found == PERI_HOOK_VERDICT_COUNT) {
        say(out, PERI_HOOK_DENY, "bad verdict \"%.*s\"", PERI_FMT(shown(word)));
    } else if (found >= out->verdict) {
        peri_str why = shown(reason);
        peri_str said = word_of(found);
        say(out, found, why.len ? "%.*s: %.*s" : "%.*s%.*s", PERI_FMT(said), PERI_FMT(why));
    }
}

static peri_str text_of(const peri_tree *object, const char *key) {
    const peri_tree *node = peri_tree_get(object, peri_str_c(key));
    return peri_tree_type(node) == PERI_JSON_STRING ? peri_tree_str(node) : (peri_str){0};
}

static void read_object(const peri_tree *root, peri_hook_answer *out) {
    const peri_tree *more = peri_tree_get(root, PERI_STR("hookSpecificOutput"));
    const peri_tree *go_on = peri_tree_get(root, PERI_STR("continue"));
    take_word(out, peri_tree_get(root, PERI_STR("decision")), text_of(root, "reason"));
    take_word(out, peri_tree_get(root, PERI_STR("verdict")), text_of(root, "reason"));
    if (more && !peri_str_eq(text_of(more, "hookEventName"), PERI_STR("PreToolUse"))) {
        say(out, PERI_HOOK_DENY, "it answers another event than PreToolUse");
        return;
    }
    take_word(out, peri_tree_get(more, PERI_STR("permissionDecision")),
              text_of(more, "permissionDecisionReason"));
    if (out->verdict < PERI_HOOK_DENY && peri_tree_get(more, PERI_STR("updatedInput"))) {
        say(out, PERI_HOOK_DENY, "it asks for another request than the observer's");
    }
    if (go_on && !peri_tree_is_true(go_on)) {
        say(out, PERI_HOOK_DENY, "continue is false: %.*s",
            PERI_FMT(shown(text_of(root, "stopReason"))));
    }
}

// Where the JSON begins: at the start, or at the first line that begins with a brace.
static peri_str json_of(peri_str out) {
    peri_str bom = PERI_STR("\xEF\xBB\xBF");
    if (peri_str_starts(out, bom)) out = peri_str_sub(out, bom.len, out.len);
    peri_str rest = peri_str_trim(out);
    while (rest.len && rest.ptr[0] != '{') {
        size_t end = peri_str_find_byte(rest, '\n', 0);
        if (end == PERI_NPOS) return (peri_str){0};
        rest = peri_str_trim(peri_str_sub(rest, end + 1, rest.len));
    }
    return rest;
}

static void say_exit(int code, peri_hook_answer *out) {
    int signal = peri_exit_code_signal(code);
    if (signal) {
        say(out, PERI_HOOK_DENY, "exit %d (signal %d)", code, signal);
    } else if (code) {
        say(out, PERI_HOOK_DENY, "exit %d", code);
    }
}

static void read_exited(const peri_hook_outcome *outcome, peri_hook_answer *out) {
    peri_str json = json_of(outcome->out);
    if (outcome->value == 2) {
        peri_str why = shown(outcome->err);
        say(out, PERI_HOOK_DENY, why.len ? "exit 2: %.*s" : "exit 2%.*s", PERI_FMT(why));
        return;
    }
    if (!json.len) {
        say_exit(outcome->value, out);
        return;
    }
    peri_tree *root;
    peri_tree_limits limits = {.max_bytes = PERI_HOOK_OUT_MAX_BYTES, .refuse_duplicates = true};
    int status = peri_tree_parse(json, limits, PERI_STR("hook"), NULL, NULL, &root);
    if (status < 0) {
        const char *cause = status == PERI_ENOMEM ? "out of memory"
                            : status == PERI_EDUP ? "its JSON has a key twice"
                                                  : "truncated or malformed JSON";
        say(out, PERI_HOOK_DENY, "%s", cause);
        return;
    }
    read_object(root, out);
    peri_tree_free(root);
}

void peri_hook_answer_read(const peri_hook_outcome *outcome, peri_hook_answer *out) {
    *out = (peri_hook_answer){0};
    switch (outcome->end) {
    case PERI_HOOK_EXITED:
        read_exited(outcome, out);
        return;
    case PERI_HOOK_SIGNALED:
        say(out, PERI_HOOK_DENY, "signal %d", outcome->value);
        return;
    case PERI_HOOK_TIMED_OUT:
        say(out, PERI_HOOK_DENY, "timeout after %d ms", outcome->value);
        return;
    case PERI_HOOK_NOT_STARTED:
        say(out, PERI_HOOK_DENY, "it cannot be started: %s",
            outcome->value ? strerror(outcome->value) : "no program to start it with");
        return;
    case PERI_HOOK_FLOODED:
        say(out, PERI_HOOK_DENY, "it wrote more than %d bytes", outcome->value);
        return;
    case PERI_HOOK_KIND:
        say(out, PERI_HOOK_DENY, "a hook of this type cannot be run here");
        return;
    }
}

const peri_hook_answer *peri_hook_answers_merge(const peri_hook_answer *answers, size_t count) {
    const peri_hook_answer *heaviest = count ? answers : NULL;
    for (size_t i = 1; i < count; i++) {
        if (answers[i].verdict > heaviest->verdict) heaviest = &answers[i];
    }
    return heaviest;
}
