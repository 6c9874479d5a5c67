// Secrets that are known by the name they are given: `DB_PASSWORD=...`, `"apiKey": "..."`,
// `Authorization: Basic ...`. How much a value must look like a secret depends on the name and
// on how it is written, because `token: string` and `max_tokens=100` are not ours to hide.
// Called by scrub_kinds.c for each ":" and "=".
#include "digest/scrub_kinds.h"

enum {
    NAME_MAX_BYTES = 64,
    VALUE_MAX_BYTES = 4096,
    GLUE_MAX_BYTES = 4, // blanks and quotes between a name, its mark and the value
};

typedef enum rule {
    HEADER,   // Authorization: scheme and credential
    PASSWORD, // whatever is quoted or set in an environment
    SECRET,   // what looks made up by a machine
} rule;

typedef struct name_kind {
    const char *ending; // lower case; names are compared without "_" and "-"
    const char *kind;
    rule rule;
} name_kind;

static const name_kind names[] = {
    {"password", "password", PASSWORD},
    {"passwd", "password", PASSWORD},
    {"passphrase", "password", PASSWORD},
    {"pwd", "password", PASSWORD},
    {"authorization", "authorization", HEADER},
    {"secretaccesskey", "aws-secret-key", SECRET},
    {"awssecretkey", "aws-secret-key", SECRET},
    {"accountkey", "azure-key", SECRET},
    {"sharedaccesskey", "azure-key", SECRET},
    {"apikey", "secret", SECRET},
    {"secretkey", "secret", SECRET},
    {"accesskey", "secret", SECRET},
    {"privatekey", "secret", SECRET},
    {"signingkey", "secret", SECRET},
    {"encryptionkey", "secret", SECRET},
    {"authkey", "secret", SECRET},
    {"secret", "secret", SECRET},
    {"token", "secret", SECRET},
    {"credential", "secret", SECRET},
    {"credentials", "secret", SECRET},
};

// A value as it stands in the text.
typedef struct value {
    size_t from, to;
    bool quoted, tight; // tight: no blank between mark and value
    bool upper;         // the name is written like an environment variable
    char behind;        // the byte after an unquoted value; '\0' at the end
} value;

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static bool is_quote(char c) {
    return c == '"' || c == '\'' || c == '`';
}

// The name that ends before `at`, without the quotes and blanks in between.
static peri_str name_before(peri_str text, size_t at) {
    size_t end = at;
    for (int glue = 0; end > 0 && glue < GLUE_MAX_BYTES; glue++) {
        char c = text.ptr[end - 1];
        if (!is_blank(c) && !is_quote(c) && c != '\\' && c != ']') break;
        end--;
    }
    size_t from = end;
    while (from > 0 && end - from < NAME_MAX_BYTES &&
           peri__char_is((unsigned char)text.ptr[from - 1], PERI_CHAR_DASH)) {
        from--;
    }
    return peri_str_sub(text, from, end - from);
}

// `name` in lower case without "_" and "-".
static peri_str plain_name(peri_str name, char to[NAME_MAX_BYTES]) {
    size_t len = 0;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c == '_' || c == '-') continue;
        to[len++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    return peri_str_of(to, len);
}

// A cheap look at the last two letters; nearly every name ends here.
static bool may_be_known(peri_str name) {
    if (name.len < 3) return false;
    char last = (char)(name.ptr[name.len - 1] | 0x20),
         before = (char)(name.ptr[name.len - 2] | 0x20);
    switch (last) {
    case 'd':
        return before == 'r' || before == 'w';
    case 'n':
        return before == 'e' || before == 'o';
    case 'y':
    case 't':
        return before == 'e';
    case 'e':
        return before == 's';
    case 'l':
        return before == 'a';
    default:
        return last == 's' && before == 'l';
    }
}

static const name_kind *find_name(peri_str name) {
    if (!may_be_known(name)) return NULL;
    char bytes[NAME_MAX_BYTES];
    peri_str plain = plain_name(name, bytes);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (peri_str_ends(plain, peri_str_c(names[i].ending))) return &names[i];
    }
    return NULL;
}

static bool is_upper(peri_str name) {
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] >= 'a' && name.ptr[i] <= 'z') return false;
    }
    return name.len > 0;
}

// Up to the quote that closes the one before `from`, on the same line; 0 if there is none.
static size_t quoted_end(peri_str text, size_t from, char quote) {
    peri_str line = peri_str_sub(text, from, VALUE_MAX_BYTES);
    size_t end = peri_str_find_byte(line, quote, 0);
    if (end == PERI_NPOS || end == 0) return 0;
    if (peri_str_find_byte(peri_str_sub(line, 0, end), '\n', 0) != PERI_NPOS) return 0;
    return from + end - (line.ptr[end - 1] == '\\');
}

static size_t bare_end(peri_str text, size_t from, size_t max) {
    size_t end = from;
    while (end < text.len && end - from < max && (unsigned char)text.ptr[end] > ' ' &&
           !strchr("\"'`,;&|)(<>{}[]\\", text.ptr[end])) {
        end++;
    }
    return end;
}

// Reads the value behind the mark at `at`; false if none begins there.
static bool read_value(peri_str text, size_t at, value *v) {
    size_t from = at + 1;
    if (from < text.len && (text.ptr[from] == '=' || text.ptr[from] == '>')) {
        if (text.ptr[at] == text.ptr[from]) return false; // a comparison
        from++;                                           // := and =>
    }
    size_t start = from;
    while (from < text.len && from - start < GLUE_MAX_BYTES && is_blank(text.ptr[from])) from++;
    v->tight = from == start;
    size_t slash = from;
    while (slash < text.len && slash - from < 3 && text.ptr[slash] == '\\') slash++;
    v->quoted = slash < text.len && is_quote(text.ptr[slash]);
    v->from = v->quoted ? slash + 1 : from;
    v->to = v->quoted ? quoted_end(text, v->from, text.ptr[slash])
                      : bare_end(text, from, PERI_JUDGED_BYTES);
    v->behind = !v->quoted && v->to < text.len ? text.ptr[v->to] : '\0';
    return v->to > v->from;
}

static bool one_byte_repeated(peri_str s) {
    for (size_t i = 1; i < s.len; i++) {
        if (s.ptr[i] != s.ptr[0]) return false;
    }
    return true;
}

// What stands where a secret will be put, or is a piece of code.
static bool is_placeholder(peri_str s, const value *v) {
    static const peri_str words[] = {
        {"process.", 8}, {"os.", 3}, {"env.", 4}, {"self.", 5}, {"this.", 5}, {"config.", 7},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!v->quoted && peri_str_starts(s, words[i])) return true;
    }
    return strchr("$<{%*[(", s.ptr[0]) || v->behind == '(' || v->behind == '[' ||
           one_byte_repeated(s);
}

static bool looks_secret(peri_str s, const value *v, rule by) {
    s = peri_str_sub(s, 0, PERI_JUDGED_BYTES);
    if (memchr(s.ptr, ' ', s.len)) return false;
    bool environment = v->upper && v->tight; // NAME=value, as in a .env file
    if (by == PASSWORD) {
        if (s.ptr[0] == '/') return false; // PWD=/home/...
        if (v->quoted || environment) return s.len >= 4;
        return s.len >= 6 && peri__mixed(s);
    }
    return s.len >= 8 && (environment || peri__mixed(s));
}

// The credential behind its scheme: "Basic dXNlcjpwYXNz".
static bool find_credential(peri_str text, value *v) {
    peri_str whole = peri_str_sub(text, v->from, v->to - v->from);
    size_t scheme = peri__run(text, v->from, PERI_CHAR_ALNUM, 16);
    size_t at = v->from + scheme;
    if (scheme && at < text.len && text.ptr[at] == ' ') {
        v->from = at + 1;
        if (!v->quoted) v->to = bare_end(text, v->from, PERI_JUDGED_BYTES);
        if (v->to <= v->from) return false;
        whole = peri_str_sub(text, v->from, v->to - v->from);
    }
    return whole.len >= 8 && !is_placeholder(whole, v);
}

bool peri__secret_assigned(peri_str text, size_t at, peri_secret *out) {
    peri_str name = name_before(text, at);
    const name_kind *kind = find_name(name);
    value v;
    if (!kind || !read_value(text, at, &v)) return false;
    v.upper = is_upper(name);
    peri_str s = peri_str_sub(text, v.from, v.to - v.from);
    if (kind->rule == HEADER) {
        if (!find_credential(text, &v)) return false;
    } else if (is_placeholder(s, &v) || !looks_secret(s, &v, kind->rule)) {
        return false;
    }
    if (!v.quoted) v.to = bare_end(text, v.from, VALUE_MAX_BYTES);
    *out = (peri_secret){kind->kind, v.from, v.to};
    return true;
}
