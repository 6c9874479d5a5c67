// A reader of Lua definitions that knows words, strings, comments and nesting, and evaluates
// nothing. It finds the table that ends the file and takes the values that are written out in
// it. Called for files that are not trusted yet, and to check that a trusted one is what it
// showed.
#include "script/outline.h"

typedef enum token_kind { END, WORD, STRING, ESCAPED, MARK } token_kind;

typedef struct token {
    token_kind kind; // ESCAPED: a string that only Lua could tell
    peri_str text;   // a string's without its quotes
} token;

typedef struct scanner {
    peri_str text;
    size_t at;
} scanner;

static bool is_word_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_';
}

static char byte_at(const scanner *s, size_t at) {
    return at < s->text.len ? s->text.ptr[at] : '\0';
}

// The level of the long bracket `[==[` at `at`, or -1.
static int long_level(const scanner *s, size_t at) {
    int level = 0;
    if (byte_at(s, at) != '[') return -1;
    while (byte_at(s, at + 1 + (size_t)level) == '=') level++;
    return byte_at(s, at + 1 + (size_t)level) == '[' ? level : -1;
}

// Moves behind a long bracket of `level` and returns what it holds.
static peri_str take_long(scanner *s, int level) {
    size_t from = s->at + 2 + (size_t)level;
    for (size_t at = from; at < s->text.len; at++) {
        if (s->text.ptr[at] != ']') continue;
        size_t end = at + 1;
        while (byte_at(s, end) == '=') end++;
        if (end - at - 1 != (size_t)level || byte_at(s, end) != ']') continue;
        s->at = end + 1;
        return peri_str_sub(s->text, from, at - from);
    }
    s->at = s->text.len;
    return (peri_str){0};
}

static void skip_blank(scanner *s) {
    while (s->at < s->text.len) {
        char c = s->text.ptr[s->at];
        if (c == ' ' || (c >= '\t' && c <= '\r')) {
            s->at++;
        } else if (c == '-' && byte_at(s, s->at + 1) == '-') {
            s->at += 2;
            int level = long_level(s, s->at);
            size_t end = peri_str_find_byte(s->text, '\n', s->at);
            if (level >= 0) {
                (void)take_long(s, level);
            } else {
                s->at = end == PERI_NPOS ? s->text.len : end;
            }
        } else {
            return;
        }
    }
}

static token take_quoted(scanner *s, char quote) {
    token t = {.kind = STRING};
    size_t from = ++s->at;
    while (s->at < s->text.len && s->text.ptr[s->at] != quote) {
        bool escape = s->text.ptr[s->at] == '\\';
        if (escape) t.kind = ESCAPED;
        s->at += escape ? 2 : 1;
    }
    t.text = peri_str_sub(s->text, from, s->at - from);
    if (s->at < s->text.len) s->at++;
    return t;
}

static token next(scanner *s) {
    skip_blank(s);
    if (s->at >= s->text.len) return (token){.kind = END};
    char c = s->text.ptr[s->at];
    int level = long_level(s, s->at);
    if (c == '"' || c == '\'') return take_quoted(s, c);
    if (level >= 0) return (token){ESCAPED, take_long(s, level)};
    size_t from = s->at;
    if (!is_word_byte(c)) {
        s->at++;
        return (token){MARK, peri_str_sub(s->text, from, 1)};
    }
    while (is_word_byte(byte_at(s, s->at))) s->at++;
    return (token){WORD, peri_str_sub(s->text, from, s->at - from)};
}

static token peek(const scanner *s) {
    scanner ahead = *s;
    return next(&ahead);
}

static bool is_mark(token t, char c) {
    return t.kind == MARK && t.text.ptr[0] == c;
}

static bool is_word(token t, const char *word) {
    return t.kind == WORD && peri_str_eq(t.text, peri_str_c(word));
}

// How a token changes the depth of brackets and blocks: `for` and `while` count by their `do`.
static int nesting(token t) {
    static const char *const opening[] = {"function", "if", "do", "repeat"};
    for (size_t i = 0; i < sizeof opening / sizeof opening[0]; i++) {
        if (is_word(t, opening[i])) return 1;
    }
    if (is_word(t, "end") || is_word(t, "until")) return -1;
    if (t.kind != MARK) return 0;
    char c = t.text.ptr[0];
    return c == '{' || c == '(' || c == '[' ? 1 : c == '}' || c == ')' || c == ']' ? -1 : 0;
}

static bool is_separator(token t) {
    return is_mark(t, ',') || is_mark(t, ';');
}

// Moves to the separator or closing brace behind the value that begins here.
static void skip_value(scanner *s) {
    for (int depth = 0;;) {
        token t = peek(s);
        if (t.kind == END || (depth == 0 && (is_separator(t) || is_mark(t, '}')))) return;
        depth += nesting(t);
        (void)next(s);
    }
}

// `{ "a", "b" }`; false if anything else stands in it.
static bool take_words(scanner *s, peri_outline_value *value) {
    (void)next(s);
    for (;;) {
        token t = next(s);
        if (is_mark(t, '}')) return true;
        if (t.kind != STRING || value->count == PERI_OUTLINE_WORDS) return false;
        value->words[value->count++] = t.text;
        if (is_separator(peek(s))) {
            (void)next(s);
        } else if (!is_mark(peek(s), '}')) {
            return false;
        }
    }
}

static void take_value(scanner *s, peri_outline_value *value) {
    scanner before = *s;
    *value = (peri_outline_value){.given = true}; // of equal keys the last one counts
    token t = peek(s);
    if (t.kind == STRING) {
        value->words[value->count++] = next(s).text;
        value->written = true;
    } else if (is_mark(t, '{')) {
        value->written = take_words(s, value);
    }
    token behind = peek(s);
    if (value->written && (is_separator(behind) || is_mark(behind, '}'))) return;
    *value = (peri_outline_value){.given = true};
    *s = before;
    skip_value(s);
}

static void take_field(scanner *s, peri_str key, peri_outline *out) {
    const struct {
        const char *key;
        peri_outline_value *value;
    } known[] = {{"name", &out->name},       {"description", &out->description},
                 {"on", &out->on},           {"can", &out->can},
                 {"sees", &out->sees},       {"agents", &out->agents},
                 {"deliver", &out->deliver}, {"command", &out->command}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (!peri_str_eq(key, peri_str_c(known[i].key))) continue;
        take_value(s, known[i].value);
        return;
    }
    out->has_observe |= peri_str_eq(key, PERI_STR("observe"));
    out->has_wake |= peri_str_eq(key, PERI_STR("wake"));
    skip_value(s);
}

// The table whose opening brace was taken. False unless it is NAME = VALUE throughout and ends
// the file.
static bool take_table(scanner *s, peri_outline *out) {
    for (;;) {
        token t = next(s);
        if (is_mark(t, '}')) break;
        if (t.kind != WORD || !is_mark(next(s), '=')) return false;
        take_field(s, t.text, out);
        if (is_separator(peek(s))) (void)next(s);
    }
    if (is_mark(peek(s), ';')) (void)next(s);
    return peek(s).kind == END;
}

// Lua allows one `return` outside of all blocks, as the last statement: only that one is read.
void peri_outline_read(peri_str text, peri_outline *out) {
    scanner s = {.text = text};
    *out = (peri_outline){0};
    int depth = 0;
    for (token t = next(&s); t.kind != END; t = next(&s)) {
        depth += nesting(t);
        if (depth != 0 || !is_word(t, "return")) continue;
        peri_outline found = {.plain = true};
        if (is_mark(next(&s), '{') && take_table(&s, &found)) *out = found;
        return;
    }
}

static peri_str markdown_name(peri_str text) {
    peri_str key = PERI_STR("name:");
    while (text.len) {
        size_t end = peri_str_find_byte(text, '\n', 0);
        peri_str line = peri_str_sub(text, 0, end == PERI_NPOS ? text.len : end);
        text = peri_str_sub(text, end == PERI_NPOS ? text.len : end + 1, text.len);
        if (!peri_str_starts(line, key)) continue;
        line = peri_str_trim(peri_str_sub(line, key.len, line.len));
        bool quoted = line.len >= 2 && (line.ptr[0] == '"' || line.ptr[0] == '\'');
        return quoted ? peri_str_sub(line, 1, line.len - 2) : line;
    }
    return (peri_str){0};
}

peri_str peri_outline_name(peri_str file, peri_str text) {
    if (peri_str_ends(file, PERI_STR(".md"))) return markdown_name(text);
    peri_outline outline;
    peri_outline_read(text, &outline);
    return outline.name.written && outline.name.count == 1 ? outline.name.words[0]
                                                           : (peri_str){0};
}
