// Does a text tell how a call ended that nobody made (case C21)? A weak model goes on with the
// digest it was shown, with calls, exit codes and test results of its own invention. This
// looks, clause by clause, for an outcome beside a word that is a call's id or has the form of
// one. It is made to miss an invention rather than to find one in honest advice: a word that
// the agent's log holds anywhere is none. Called by the host for every proposal.
#include <string.h>

#include "runtime/runtime.h"

enum { ID_MAX_BYTES = 64, DIGIT_WITHIN = 3 }; // words behind `exit` that its number may come in

typedef struct words {
    peri_str text;
    size_t at;
    peri_str word, before; // as written; `before` is the one in front of it
} words;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool in_word(char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '-';
}

static bool next_word(words *w) {
    peri_str text = w->text;
    while (w->at < text.len && !in_word(text.ptr[w->at])) w->at++;
    size_t from = w->at;
    while (w->at < text.len && in_word(text.ptr[w->at])) w->at++;
    w->before = w->word;
    w->word = peri_str_sub(text, from, w->at - from);
    return w->word.len > 0;
}

static bool is_one_of(peri_str word, const char *const *list) {
    for (; *list; list++) {
        if (peri_str_eq_nocase(word, peri_str_c(*list))) return true;
    }
    return false;
}

static bool has(peri_str word, bool (*is)(char)) {
    for (size_t i = 0; i < word.len; i++) {
        if (is(word.ptr[i])) return true;
    }
    return false;
}

static bool begins_exit(peri_str word) {
    return word.len >= 4 && peri_str_eq_nocase(peri_str_sub(word, 0, 4), PERI_STR("exit"));
}

// `exit code 1`, `exited with 0`, `exit_code: 0`; not `its exit code is unknown`.
static bool tells_exit(peri_str clause) {
    words w = {.text = clause};
    size_t left = 0;
    while (next_word(&w)) {
        if (left && is_digit(w.word.ptr[w.word.len - 1]) && !has(w.word, is_letter))
            return true;
        left = begins_exit(w.word) ? DIGIT_WITHIN : left - (left > 0);
    }
    return false;
}

static bool tells_result(peri_str clause) {
    static const char *const results[] = {"passed",    "passes",   "failed",     "fails",
                                          "succeeded", "succeeds", "successful", NULL};
    words w = {.text = clause};
    while (next_word(&w)) {
        if (is_one_of(w.word, results)) return true;
    }
    return false;
}

// Behind the name of an id, or between `call` and its exit: what one is told to call may be a
// function
// (`call sha256`), and a bare number counts calls.
static bool is_named(const words *w) {
    static const char *const ids[] = {"call_id", "callid", "tool_call_id", "tool_use_id", NULL};
    if (!has(w->word, is_digit)) return false;
    if (is_one_of(w->before, ids)) return true;
    words next = *w;
    return peri_str_eq_nocase(w->before, PERI_STR("call")) && has(w->word, is_letter) &&
           next_word(&next) && begins_exit(next.word);
}

static size_t prefix_of(peri_str id) {
    size_t len = 0;
    while (len < id.len && !is_digit(id.ptr[len])) len++;
    return len;
}

// `k21` where the agent's calls are k1, k2, k3; `toolu_01f` among others of that kind.
static bool is_alike(peri_str word, peri_str id) {
    size_t len = prefix_of(id);
    if (len == 0 || len == id.len || prefix_of(word) != len || len == word.len) return false;
    bool letters = has(peri_str_sub(id, len, id.len), is_letter);
    return memcmp(word.ptr, id.ptr, len) == 0 &&
           letters == has(peri_str_sub(word, len, word.len), is_letter);
}

// What the log says of a word.
typedef struct standing {
    bool called, resulted; // it is the id of a call, which has ended
    bool said;             // it stands somewhere
    bool alike;            // it has the form of the ids
} standing;

static bool holds(const peri_item *item, peri_str word) {
    return peri_str_find(item->text.head, word) != PERI_NPOS ||
           peri_str_find(item->text.tail, word) != PERI_NPOS ||
           peri_str_find(item->bounded, word) != PERI_NPOS;
}

static standing look_up(peri_str word, const peri_item *const *log, size_t count) {
    standing s = {0};
    for (size_t i = 0; i < count; i++) {
        const peri_item *item = log[i];
        bool is_call = item->kind == PERI_ITEM_TOOL_CALL;
        if (!item->call_id.len) continue;
        if (!peri_str_eq(item->call_id, word)) {
            s.alike = s.alike || is_alike(word, item->call_id);
        } else {
            s.called = s.called || is_call;
            s.resulted = s.resulted || !is_call;
        }
    }
    for (size_t i = 0; i < count && !s.called && !s.resulted && !s.said; i++) {
        s.said = holds(log[i], word);
    }
    return s;
}

// Before an outcome or a colon, as in a log: `p: exit code 0`, `p exited with 0`.
static bool begins_outcome(words w) {
    bool colon = w.at < w.text.len && w.text.ptr[w.at] == ':';
    return next_word(&w) && (colon || begins_exit(w.word));
}

static peri_str invented_in(peri_str clause, const peri_item *const *log, size_t count,
                            peri_call_known known, void *user) {
    bool exit = tells_exit(clause);
    if (!exit && !tells_result(clause)) return (peri_str){0};
    words w = {.text = clause};
    while (next_word(&w)) {
        bool could = has(w.word, is_digit) || begins_outcome(w);
        if (!could || w.word.len > ID_MAX_BYTES) continue;
        standing s = look_up(w.word, log, count);
        if (s.called) { // still running: nobody knows how it ends
            bool meant = is_named(&w) || begins_outcome(w);
            if (exit && meant && !s.resulted) return w.word;
        } else if (!s.resulted && !s.said && (s.alike || is_named(&w))) {
            if (!known(user, w.word)) return w.word;
        }
    }
    return (peri_str){0};
}

// How far the first clause of `text` goes.
static size_t clause_of(peri_str text) {
    for (size_t i = 0; i + 1 < text.len; i++) {
        if (strchr(".;!?", text.ptr[i]) && text.ptr[i] && text.ptr[i + 1] == ' ') return i + 1;
    }
    return text.len;
}

peri_str peri_invented_call(peri_str text, const peri_item *const *log, size_t count,
                            peri_call_known known, void *user) {
    peri_str invented = {0};
    while (text.len && !invented.ptr) {
        size_t len = clause_of(text);
        invented = invented_in(peri_str_sub(text, 0, len), log, count, known, user);
        text = peri_str_sub(text, len, text.len);
    }
    return invented;
}
