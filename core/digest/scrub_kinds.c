// Secrets that are known by their form: tokens with a prefix, keys between BEGIN and END, JSON
// web tokens, passwords in URLs. Each matcher is asked only where its pivot stands, looks a
// bounded way back and ahead, and says which bytes are the secret. Called by scrub.c.
#include "digest/scrub_kinds.h"

enum {
    TOKEN_MAX_BYTES = 4096,
    JWT_PART_MAX_BYTES = 8192,
    PEM_NAME_MAX_BYTES = 64,
    USERINFO_MAX_BYTES = 256,
    CLOSE_TO_BYTES = 16, // how far behind "password" a loose value may begin
};

// A token's prefix ends in its pivot; behind it stand at least `min` bytes of `set`.
typedef struct prefix {
    const char *kind, *text;
    uint8_t len, min, set;
    bool mixed; // must hold a digit and a letter: the prefix alone says little
} prefix;

#define ROW(kind, text, min, set, mixed)                                                       \
    { (kind), (text), sizeof(text) - 1, (min), PERI_CHAR_##set, (mixed) }
static const prefix prefixes[] = {
    ROW("github-token", "ghp_", 30, ALNUM, false),
    ROW("github-token", "gho_", 30, ALNUM, false),
    ROW("github-token", "ghu_", 30, ALNUM, false),
    ROW("github-token", "ghs_", 30, ALNUM, false),
    ROW("github-token", "ghr_", 30, ALNUM, false),
    ROW("github-token", "github_pat_", 22, WORD, false),
    ROW("gitlab-token", "glpat-", 20, DASH, false),
    ROW("gitlab-token", "gldt-", 20, DASH, false),
    ROW("gitlab-token", "glrt-", 20, DASH, false),
    ROW("slack-token", "xoxb-", 16, DASH, true),
    ROW("slack-token", "xoxp-", 16, DASH, true),
    ROW("slack-token", "xoxa-", 16, DASH, true),
    ROW("slack-token", "xoxr-", 16, DASH, true),
    ROW("slack-token", "xoxs-", 16, DASH, true),
    ROW("slack-token", "xapp-", 16, DASH, true),
    ROW("anthropic-key", "sk-ant-", 20, DASH, false),
    ROW("openrouter-key", "sk-or-", 20, DASH, true),
    ROW("openai-key", "sk-", 20, DASH, true),
    ROW("stripe-key", "sk_live_", 16, ALNUM, false),
    ROW("stripe-key", "rk_live_", 16, ALNUM, false),
    ROW("stripe-key", "sk_test_", 16, ALNUM, false),
    ROW("stripe-key", "rk_test_", 16, ALNUM, false),
    ROW("stripe-key", "whsec_", 24, ALNUM, false),
    ROW("npm-token", "npm_", 30, ALNUM, false),
    ROW("pypi-token", "pypi-", 40, DASH, false),
    ROW("sendgrid-key", "SG.", 40, DOT, true),
    ROW("huggingface-token", "hf_", 30, ALNUM, false),
    ROW("digitalocean-token", "dop_v1_", 60, HEX, false),
    ROW("digitalocean-token", "doo_v1_", 60, HEX, false),
    ROW("digitalocean-token", "dor_v1_", 60, HEX, false),
    ROW("shopify-token", "shpat_", 32, HEX, false),
    ROW("shopify-token", "shpca_", 32, HEX, false),
    ROW("shopify-token", "shppa_", 32, HEX, false),
    ROW("shopify-token", "shpss_", 32, HEX, false),
    ROW("groq-key", "gsk_", 40, ALNUM, false),
    ROW("docker-token", "dckr_pat_", 20, DASH, false),
    ROW("vault-token", "hvs.", 24, DASH, true),
    ROW("mailgun-key", "key-", 32, HEX, false),
    ROW("linear-key", "lin_api_", 32, ALNUM, false),
    ROW("grafana-token", "glsa_", 32, WORD, false),
    ROW("perplexity-key", "pplx-", 40, ALNUM, false),
    ROW("xai-key", "xai-", 60, ALNUM, false),
    ROW("age-key", "AGE-SECRET-KEY-", 50, ALNUM, false),
};
#undef ROW

enum { PREFIX_COUNT = sizeof prefixes / sizeof prefixes[0] };

_Static_assert(PREFIX_COUNT <= sizeof((peri_prefix_index *)0)->next, "more rows than links");

// True if what begins at `at` will be found by its own form.
static bool has_form(peri_str text, size_t at) {
    static const char *const others[] = {"AKIA", "ASIA",        "AIza",
                                         "eyJ",  "-----BEGIN ", "https://"};
    peri_str rest = peri_str_sub(text, at, 32);
    for (size_t i = 0; i < PREFIX_COUNT; i++) {
        if (!peri_str_starts(rest, peri_str_of(prefixes[i].text, prefixes[i].len))) continue;
        const prefix *p = &prefixes[i];
        if (peri__run(text, at + p->len, p->set, p->min) == p->min) return true;
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (peri_str_starts(rest, peri_str_c(others[i]))) return true;
    }
    return false;
}

static bool found(peri_secret *out, const char *kind, size_t from, size_t to) {
    *out = (peri_secret){kind, from, to};
    return true;
}

static bool try_prefix(const prefix *p, peri_str text, size_t at, peri_secret *out) {
    if (at + 1 < p->len) return false;
    size_t from = at + 1 - p->len;
    if (text.ptr[from] != p->text[0] || memcmp(text.ptr + from, p->text, p->len) != 0 ||
        !peri__at_word(text, from))
        return false;
    size_t run = peri__run(text, at + 1, p->set, PERI_JUDGED_BYTES);
    if (run < p->min) return false;
    if (p->mixed && !peri__mixed(peri_str_sub(text, at + 1, run))) return false;
    run += peri__run(text, at + 1 + run, p->set, TOKEN_MAX_BYTES);
    return found(out, p->kind, from, at + 1 + run);
}

static bool try_prefixes(const peri_prefix_index *index, peri_str text, size_t at,
                         peri_secret *out) {
    unsigned char before = at ? (unsigned char)text.ptr[at - 1] : 0x80;
    if (before >= 0x80) return false;
    for (size_t row = index->first[before]; row; row = index->next[row - 1]) {
        if (!try_prefix(&prefixes[row - 1], text, at, out)) continue;
        bool more = strcmp(prefixes[row - 1].text, "sk-") == 0 && // a longer prefix says more
                    (peri__word_at(text, at + 1, PERI_STR("ant-")) ||
                     peri__word_at(text, at + 1, PERI_STR("or-")));
        return !more;
    }
    return false;
}

// AKIA/ASIA and 16 more upper-case letters and digits; AIza and 33 to 37 more.
static bool try_cloud_key(peri_str text, size_t at, peri_secret *out) {
    if (at == 0 || at + 1 >= text.len) return false;
    char before = text.ptr[at - 1], behind = text.ptr[at + 1];
    if (before == 'A' && behind == 'z' && peri__at_word(text, at - 1)) {
        size_t run = peri__run(text, at + 1, PERI_CHAR_DASH, 64);
        return run >= 35 && run <= 40 && found(out, "google-api-key", at - 1, at + 1 + run);
    }
    if (behind != 'A' || at < 2 || text.ptr[at - 2] != 'A') return false;
    if ((before != 'K' && before != 'S') || !peri__at_word(text, at - 2)) return false;
    size_t run = peri__run(text, at + 2, PERI_CHAR_WORD, 64);
    for (size_t i = 0; i < run; i++) {
        char c = text.ptr[at + 2 + i];
        if (!(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9')) return false;
    }
    return run == 16 && found(out, "aws-access-key", at - 2, at + 2 + run);
}

// A dense value close behind the word itself: "the password is 9f86d081884c...".
static bool try_loose(peri_str text, size_t at, peri_str word, size_t pivot, peri_secret *out) {
    if (at < pivot || !peri__word_at(text, at - pivot, word)) return false;
    size_t from = at - pivot + word.len, last = from + CLOSE_TO_BYTES;
    if (peri__run(text, from, PERI_CHAR_WORD, 1)) return false; // "tokens", "password_hash"
    while (from < text.len && from <= last && !strchr(",;{}\n", text.ptr[from])) {
        size_t run = peri__run(text, from, PERI_CHAR_ALNUM, PERI_JUDGED_BYTES);
        size_t hex = peri__run(text, from, PERI_CHAR_HEX, PERI_JUDGED_BYTES);
        if (run >= (hex == run ? 32 : 24) && peri__mixed(peri_str_sub(text, from, run))) {
            if (has_form(text, from)) return false; // its own kind says more
            run = peri__run(text, from, PERI_CHAR_B64, TOKEN_MAX_BYTES);
            return found(out, "password", from, from + run);
        }
        size_t step = peri__run(text, from, PERI_CHAR_B64, CLOSE_TO_BYTES + 1);
        from += step ? step : 1;
    }
    return false;
}

static bool try_twilio(peri_str text, size_t at, peri_secret *out) {
    if (at == 0 || text.ptr[at - 1] != 'S' || !peri__at_word(text, at - 1)) return false;
    size_t run = peri__run(text, at + 1, PERI_CHAR_WORD, 64);
    if (run != 32 || peri__run(text, at + 1, PERI_CHAR_HEX, 64) != 32) return false;
    return found(out, "twilio-key", at - 1, at + 1 + run);
}

static bool try_bearer(peri_str text, size_t at, peri_secret *out) {
    if (!peri__word_at(text, at, PERI_STR("bearer ")) || !peri__at_word(text, at)) return false;
    size_t from = at + 7, end = from;
    while (end < text.len && end - from < TOKEN_MAX_BYTES &&
           (peri__char_is((unsigned char)text.ptr[end], PERI_CHAR_B64) ||
            text.ptr[end] == '.' || text.ptr[end] == '~')) {
        end++;
    }
    peri_str value = peri_str_sub(text, from, end - from);
    if (value.len < 16 || !peri__mixed(value) || has_form(text, from)) return false;
    return found(out, "bearer-token", from, end);
}

// Two or three parts joined by dots, the first two JSON objects: both begin with eyJ.
static bool try_jwt(peri_str text, size_t at, peri_secret *out) {
    if (!peri_str_starts(peri_str_sub(text, at + 1, 3), PERI_STR("eyJ"))) return false;
    size_t from = at;
    while (from > 0 && at - from < JWT_PART_MAX_BYTES &&
           peri__char_is((unsigned char)text.ptr[from - 1], PERI_CHAR_DASH)) {
        from--;
    }
    if (at - from < 10 || !peri_str_starts(peri_str_sub(text, from, 3), PERI_STR("eyJ"))) {
        return false;
    }
    size_t end = at + 1 + peri__run(text, at + 1, PERI_CHAR_DASH, JWT_PART_MAX_BYTES);
    if (end < text.len && text.ptr[end] == '.') {
        end += 1 + peri__run(text, end + 1, PERI_CHAR_DASH, JWT_PART_MAX_BYTES);
    }
    return found(out, "jwt", from, end);
}

static bool try_slack_hook(peri_str text, size_t at, peri_secret *out) {
    peri_str host = PERI_STR("hooks"), path = PERI_STR(".slack.com/services/");
    if (at < host.len || memcmp(text.ptr + at - host.len, host.ptr, host.len) != 0)
        return false;
    if (!peri_str_starts(peri_str_sub(text, at, path.len), path)) return false;
    size_t from = at + path.len, run = peri__run(text, from, PERI_CHAR_B64, 128);
    return run >= 20 && found(out, "slack-webhook", from, from + run);
}

// True if what stands behind a key's first line looks like one although its end is missing.
static bool key_follows(peri_str text, size_t at) {
    size_t from = at;
    while (from < text.len && from - at < 4 && strchr("\\rn\r\n", text.ptr[from])) from++;
    return peri__run(text, from, PERI_CHAR_B64, 64) >= 16 ||
           peri_str_starts(peri_str_sub(text, from, 10), PERI_STR("Proc-Type:"));
}

// -----BEGIN ... PRIVATE KEY ... up to its END line, or to the end of what we have.
static bool try_pem(peri_str text, size_t at, peri_secret *out) {
    peri_str begin = PERI_STR("-----BEGIN "), dashes = PERI_STR("-----");
    if (at < 4) return false;
    size_t from = at - 4;
    if (!peri_str_starts(peri_str_sub(text, from, begin.len), begin)) return false;
    peri_str name = peri_str_sub(text, from + begin.len, PEM_NAME_MAX_BYTES);
    name = peri_str_sub(name, 0, peri_str_find(name, dashes));
    if (peri_str_find(name, PERI_STR("PRIVATE KEY")) == PERI_NPOS) return false;
    const char *kind = "private-key";
    if (peri_str_starts(name, PERI_STR("OPENSSH"))) kind = "ssh-private-key";
    if (peri_str_starts(name, PERI_STR("PGP"))) kind = "pgp-private-key";
    size_t body = from + begin.len + name.len + dashes.len;
    peri_str rest = peri_str_sub(text, body, text.len);
    size_t end = peri_str_find(rest, dashes);
    bool ended = end != PERI_NPOS &&
                 peri_str_starts(peri_str_sub(rest, end, rest.len), PERI_STR("-----END "));
    if (!ended) return key_follows(text, body) && found(out, kind, from, text.len);
    size_t tail = end + 9;
    size_t close = peri_str_find(peri_str_sub(rest, tail, PEM_NAME_MAX_BYTES), dashes);
    tail = close == PERI_NPOS ? tail : tail + close + dashes.len;
    return found(out, kind, from, body + tail);
}

// The password of scheme://user:password@host.
static bool try_url(peri_str text, size_t at, peri_secret *out) {
    if (!peri_str_starts(peri_str_sub(text, at, 3), PERI_STR("://"))) return false;
    size_t colon = 0, end = at + 3, limit = end + USERINFO_MAX_BYTES;
    for (; end < text.len && end < limit && text.ptr[end] != '@'; end++) {
        char c = text.ptr[end];
        if ((unsigned char)c <= ' ' || strchr("/?#\"'<>`\\|", c)) return false;
        if (c == ':' && !colon) colon = end;
    }
    if (end >= text.len || text.ptr[end] != '@' || !colon || colon + 1 >= end) return false;
    if (strchr("${[*%", text.ptr[colon + 1])) return false; // a variable, or masked already
    return found(out, "url-password", colon + 1, end);
}

// DIGITS:AA and 33 more.
static bool try_telegram(peri_str text, size_t at, peri_secret *out) {
    if (!peri_str_starts(peri_str_sub(text, at + 1, 2), PERI_STR("AA"))) return false;
    size_t from = at;
    while (from > 0 && at - from < 11 && text.ptr[from - 1] >= '0' &&
           text.ptr[from - 1] <= '9') {
        from--;
    }
    size_t run = peri__run(text, at + 1, PERI_CHAR_DASH, 64);
    if (at - from < 8 || run != 35 || !peri__at_word(text, from)) return false;
    return found(out, "telegram-token", from, at + 1 + run);
}

// Before a ":" or "=" that gives a name a value: the end of the name, a quote or a blank.
static bool ends_name(char c) {
    switch (c | 0x20) { // what is no letter is checked again later
    case 'd':
    case 'e':
    case 'l':
    case 'n':
    case 's':
    case 't':
    case 'y':
        return true;
    default:
        return c == '"' || c == '\'' || c == '`' || c == ' ' || c == '\t' || c == ']' ||
               c == '\\';
    }
}

// NAME=value, unless the value's own kind says more.
static bool try_assigned(peri_str text, size_t at, peri_secret *out) {
    return peri__secret_assigned(text, at, out) && !has_form(text, out->from);
}

// Only where peri__secret_possible() is true.
static bool match(const peri_prefix_index *index, peri_str text, size_t at, peri_secret *out) {
    char next = at + 1 < text.len ? text.ptr[at + 1] : '\0';
    char before = at > 0 ? text.ptr[at - 1] : '\0';
    switch (text.ptr[at]) {
    case '_':
        return try_prefixes(index, text, at, out);
    case '-':
        return try_prefixes(index, text, at, out) || (next == 'B' && try_pem(text, at, out));
    case '.':
        return try_prefixes(index, text, at, out) || (next == 'e' && try_jwt(text, at, out)) ||
               (next == 's' && try_slack_hook(text, at, out));
    case ':':
        if (next == '/') return try_url(text, at, out);
        if (next == 'A' && try_telegram(text, at, out)) return true;
        return ends_name(before) && try_assigned(text, at, out);
    case '=':
        return ends_name(before) && try_assigned(text, at, out);
    case 'I':
        return try_cloud_key(text, at, out);
    case 'K':
        return try_twilio(text, at, out) || try_loose(text, at, PERI_STR("token"), 2, out);
    case 'k':
        return try_loose(text, at, PERI_STR("token"), 2, out);
    case 'W':
    case 'w':
        return (next | 0x20) == 'o' ? try_loose(text, at, PERI_STR("password"), 4, out)
                                    : try_loose(text, at, PERI_STR("passwd"), 4, out);
    default:
        return try_bearer(text, at, out);
    }
}

// The sorts of kinds, by what must stand beside their pivot: for a mark before it or behind it,
// for a letter on both sides.
enum {
    BY_UNDERSCORE = 1, // "_" "-" ".": the end of a token's prefix
    BY_DASH = 2,
    BY_DOT = 4,
    BY_NAME = 8,   // ":" "=": a name that is given a value
    BY_BEGIN = 16, // "-": -----BEGIN
    BY_CLAIM = 32, // ".": claims of a JWT, a Slack webhook
    BY_COLON = 64, // ":": a URL, a Telegram token
};
enum {
    BY_CLOUD = 1,  // I
    BY_TOKEN = 2,  // K k
    BY_TWILIO = 4, // K
    BY_WORD = 8,   // W w
    BY_BEARER = 16 // B b
};

static void allow(uint8_t sorts[128], const char *bytes, uint8_t sort) {
    for (const char *at = bytes; *at; at++) sorts[(unsigned char)*at] |= sort;
}

static void add_marks(peri_pivots *to) {
    allow(to->mark, "_", BY_UNDERSCORE);
    allow(to->mark, "-", BY_DASH | BY_BEGIN);
    allow(to->mark, ".", BY_DOT | BY_CLAIM);
    allow(to->mark, ":", BY_NAME | BY_COLON);
    allow(to->mark, "=", BY_NAME);
    allow(to->mark_behind, "B", BY_BEGIN);
    allow(to->mark_behind, "es", BY_CLAIM);
    allow(to->mark_behind, "/A", BY_COLON);
}

static void add_letters(peri_pivots *to) {
    allow(to->letter, "I", BY_CLOUD);
    allow(to->letter_before, "AKS", BY_CLOUD);
    allow(to->letter_behind, "Az", BY_CLOUD);
    allow(to->letter, "Kk", BY_TOKEN);
    allow(to->letter_before, "Oo", BY_TOKEN);
    allow(to->letter_behind, "Ee", BY_TOKEN);
    allow(to->letter, "K", BY_TWILIO);
    allow(to->letter_before, "S", BY_TWILIO);
    allow(to->letter_behind, "0123456789abcdef", BY_TWILIO);
    allow(to->letter, "Ww", BY_WORD);
    allow(to->letter_before, "Ss", BY_WORD);
    allow(to->letter_behind, "OoDd", BY_WORD);
    allow(to->letter, "Bb", BY_BEARER);
    allow(to->letter_behind, "Ee", BY_BEARER);
}

void peri__prefix_index_init(peri_prefix_index *index) {
    *index = (peri_prefix_index){0};
    peri_pivots *pivots = &index->pivots;
    add_marks(pivots);
    add_letters(pivots);
    for (size_t i = PREFIX_COUNT; i-- > 0;) { // so that each chain keeps the order above
        const prefix *p = &prefixes[i];
        unsigned char before = (unsigned char)p->text[p->len - 2],
                      at = (unsigned char)p->text[p->len - 1];
        index->next[i] = index->first[before];
        index->first[before] = (uint8_t)(i + 1);
        pivots->mark_before[before] |= pivots->mark[at] & (BY_UNDERSCORE | BY_DASH | BY_DOT);
    }
    for (unsigned char c = 0; c < 128; c++) {
        if (ends_name((char)c)) pivots->mark_before[c] |= BY_NAME;
        if (!peri__char_is(c, PERI_CHAR_WORD)) pivots->letter_before[c] |= BY_BEARER;
    }
}

bool peri__secret_find(const peri_prefix_index *index, peri_str text, size_t at, size_t floor,
                       peri_secret *out) {
    peri_secret secret;
    if (!match(index, text, at, &secret) || secret.from < floor) return false;
    *out = secret;
    return true;
}
