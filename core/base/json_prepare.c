// Text preparation for cJSON (json_prepare.h). cJSON says neither where nor why a text is bad,
// and takes control characters as blanks, 01 as a number and {..}{..} as one value. So grammar,
// caps and repairs are settled here, with a place and a reason, in one pass without recursion.
// Only json_tree.c calls this.
#include <stdlib.h>

#include "base/json_prepare.h"
#include "base/number.h"

enum { EXPANSION_MAX = 12 }; // "0" becomes a quoted string with a head: 12 bytes for one

// What may stand next.
typedef enum expected {
    A_VALUE,
    A_VALUE_OR_END, // just behind [
    A_NAME,
    A_NAME_OR_END, // just behind {
    A_COLON,
    A_COMMA_OR_END,
    NOTHING,
} expected;

// A member name, for the search for equal ones. Its text is the prepared one, in which equal
// names are equal bytes.
typedef struct member {
    uint32_t object;
    size_t at, len;   // in the prepared text
    size_t source_at; // in the text given
} member;

typedef struct prepare {
    peri__json_prepared *out;
    peri_str text;
    size_t at;
    expected next;
    peri_buf scratch; // head and content of the string at hand
    uint32_t values;
    uint32_t depth, max_depth;
    uint32_t objects; // opened so far
    struct {
        bool object;
        uint32_t number;
    } open[PERI_JSON_MAX_DEPTH];
    bool keep_members;
    peri_buf members; // of struct member
} prepare;

void peri__head_write(char to[PERI__HEAD_BYTES], char kind, size_t len) {
    static const char hex[] = "0123456789abcdef";
    to[0] = kind;
    for (int i = PERI__HEAD_BYTES - 1; i > 0; i--, len >>= 4) to[i] = hex[len & 15];
}

peri_str peri__head_text(const char *block) {
    size_t len = 0;
    for (int i = 1; i < PERI__HEAD_BYTES; i++) {
        len = len << 4 | (size_t)(block[i] <= '9' ? block[i] - '0' : block[i] - 'a' + 10);
    }
    return peri_str_of(block + PERI__HEAD_BYTES, len);
}

static int fail(prepare *p, size_t at, int status, const char *id, const char *problem,
                const char *hint) {
    p->out->error_at = at;
    p->out->id = id;
    p->out->problem = problem;
    p->out->hint = hint;
    return status;
}

static int no_memory(prepare *p) {
    return fail(p, p->at, PERI_ENOMEM, "out-of-memory", "out of memory", NULL);
}

static int syntax(prepare *p, size_t at, const char *problem, const char *hint) {
    return fail(p, at, PERI_EPARSE, "json-syntax", problem, hint);
}

static char byte_at(const prepare *p, size_t at) {
    return at < p->text.len ? p->text.ptr[at] : '\0';
}

// The commonest slips of people, by the byte that does not fit.
static const char *hint_for(const prepare *p) {
    char byte = byte_at(p, p->at);
    if (p->at >= p->text.len) return "close what is open: the text may have been cut off";
    if (byte == '\'') return "put texts and names in double quotes";
    if (byte == '/' || byte == '#') return "JSON has no comments: remove it";
    if (p->next == A_NAME && byte == '}') return "remove the comma before it";
    if (p->next == A_VALUE && (byte == ']' || byte == '}')) return "remove the comma before it";
    if (p->next == NOTHING) return "one text holds one value";
    if (byte == 'N' || byte == 'I') return "JSON has neither NaN nor Infinity: write null";
    if (byte == 'T' || byte == 'F') return "write true or false in lower case";
    return NULL;
}

static int unexpected(prepare *p) {
    static const char *const problems[] = {
        [A_VALUE] = "a value is expected here",
        [A_VALUE_OR_END] = "a value or ] is expected here",
        [A_NAME] = "a name in double quotes is expected here",
        [A_NAME_OR_END] = "a name in double quotes or } is expected here",
        [A_COLON] = "a : is expected here",
        [A_COMMA_OR_END] = "a comma or the end of the list or object is expected here",
        [NOTHING] = "something follows the end of the value",
    };
    return syntax(p, p->at, problems[p->next], hint_for(p));
}

static void begin_text(prepare *p) {
    peri_buf_clear(&p->scratch);
    peri_buf_add_repeat(&p->scratch, ' ', PERI__HEAD_BYTES);
}

// Puts the text in the scratch, behind the room for its head, into the prepared one.
static int end_text(prepare *p, char kind) {
    if (p->scratch.status != PERI_OK) return no_memory(p);
    peri__head_write(p->scratch.ptr, kind, p->scratch.len - PERI__HEAD_BYTES);
    peri_json_add_string(&p->out->text, peri_buf_str(&p->scratch));
    return PERI_OK;
}

// Four hexadecimal digits, or -1.
static int32_t hex4(const prepare *p, size_t at) {
    int32_t value = 0;
    for (size_t i = 0; i < 4; i++) {
        char c = byte_at(p, at + i), low = (char)(c | 0x20);
        if (c >= '0' && c <= '9') {
            value = value << 4 | (c - '0');
        } else if (low >= 'a' && low <= 'f') {
            value = value << 4 | (low - 'a' + 10);
        } else {
            return -1;
        }
    }
    return value;
}

// The code point of the \u escape at `p->at`, which is stepped over; -1 if it is none.
static int32_t take_unicode(prepare *p) {
    int32_t unit = hex4(p, p->at + 2);
    if (unit < 0) return -1;
    p->at += 6;
    if (unit < 0xD800 || unit > 0xDFFF) return unit;
    bool follows = byte_at(p, p->at) == '\\' && byte_at(p, p->at + 1) == 'u';
    int32_t low = follows ? hex4(p, p->at + 2) : -1;
    if (unit < 0xDC00 && low >= 0xDC00 && low <= 0xDFFF) {
        p->at += 6;
        return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    }
    p->out->repaired++;
    return 0xFFFD;
}

static int take_escape(prepare *p) {
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    size_t start = p->at;
    char letter = byte_at(p, start + 1);
    const char *known = memchr(letters, letter, sizeof letters - 1);
    if (known) {
        p->at += 2;
        peri_buf_add_byte(&p->scratch, meanings[known - letters]);
        return PERI_OK;
    }
    int32_t cp = letter == 'u' ? take_unicode(p) : -1;
    if (cp < 0) return syntax(p, start, "this escape does not exist", "write \\\\ for a \\");
    char bytes[4];
    peri_buf_add(&p->scratch, peri_str_of(bytes, peri_utf8_encode(bytes, (uint32_t)cp)));
    return PERI_OK;
}

static int take_string(prepare *p) {
    size_t start = p->at++;
    begin_text(p);
    for (size_t from = p->at;; from = p->at) {
        while (p->at < p->text.len && p->text.ptr[p->at] != '"' && p->text.ptr[p->at] != '\\') {
            p->out->repaired += (unsigned char)p->text.ptr[p->at++] < 0x20;
        }
        peri_buf_add(&p->scratch, peri_str_sub(p->text, from, p->at - from));
        if (p->at >= p->text.len) {
            return syntax(p, start, "this text has no closing quote", "add a \" at its end");
        }
        if (p->text.ptr[p->at] == '"') break;
        int status = take_escape(p);
        if (status < 0) return status;
    }
    p->at++;
    return end_text(p, PERI__HEAD_STRING);
}

static int take_number(prepare *p) {
    peri_str rest = peri_str_sub(p->text, p->at, p->text.len);
    size_t len = peri_number_span(rest);
    char behind = byte_at(p, p->at + len);
    bool whole = len && !(behind >= '0' && behind <= '9') && behind != '.' &&
                 (behind | 0x20) != 'e' && (behind | 0x20) != 'x';
    if (!whole) {
        return syntax(p, p->at, "this is no JSON number",
                      "digits as in 12, -0.5 or 1e3, without a 0 in front");
    }
    begin_text(p);
    peri_buf_add(&p->scratch, peri_str_sub(rest, 0, len));
    p->at += len;
    return end_text(p, PERI__HEAD_NUMBER);
}

static int take_word(prepare *p) {
    static const peri_str words[] = {PERI_STR("true"), PERI_STR("false"), PERI_STR("null")};
    peri_str rest = peri_str_sub(p->text, p->at, p->text.len);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!peri_str_starts(rest, words[i])) continue;
        peri_buf_add(&p->out->text, words[i]);
        p->at += words[i].len;
        return PERI_OK;
    }
    return unexpected(p);
}

static int open_container(prepare *p, bool object) {
    if (p->depth >= p->max_depth) {
        return fail(p, p->at, PERI_EDEPTH, "json-depth", "nested deeper than the limit", NULL);
    }
    p->open[p->depth].object = object;
    p->open[p->depth++].number = p->objects++;
    peri_buf_add_byte(&p->out->text, p->text.ptr[p->at++]);
    p->next = object ? A_NAME_OR_END : A_VALUE_OR_END;
    return PERI_OK;
}

static bool in_object(const prepare *p) {
    return p->depth && p->open[p->depth - 1].object;
}

static void end_value(prepare *p) {
    p->next = p->depth ? A_COMMA_OR_END : NOTHING;
}

static int close_container(prepare *p) {
    peri_buf_add_byte(&p->out->text, p->text.ptr[p->at++]);
    p->depth--;
    end_value(p);
    return PERI_OK;
}

static int take_name(prepare *p) {
    member name = {.source_at = p->at, .at = p->out->text.len};
    int status = take_string(p);
    if (status < 0) return status;
    name.object = p->open[p->depth - 1].number;
    name.len = p->out->text.len - name.at;
    if (p->keep_members) {
        peri_buf_add(&p->members, peri_str_of((const char *)&name, sizeof name));
    }
    p->next = A_COLON;
    return PERI_OK;
}

static int take_value(prepare *p) {
    if (p->values++ >= PERI_JSON_MAX_NODES) {
        return fail(p, p->at, PERI_ELIMIT, "json-too-many-values", "too many values", NULL);
    }
    char byte = p->text.ptr[p->at];
    if (byte == '{' || byte == '[') return open_container(p, byte == '{');
    int status;
    if (byte == '"') {
        status = take_string(p);
    } else if (byte == '-' || (byte >= '0' && byte <= '9')) {
        status = take_number(p);
    } else {
        status = take_word(p);
    }
    if (status == PERI_OK) end_value(p);
    return status;
}

// One token, which is not the end of the text.
static int step(prepare *p) {
    char byte = p->text.ptr[p->at];
    char end = in_object(p) ? '}' : ']';
    switch (p->next) {
    case A_VALUE_OR_END:
    case A_NAME_OR_END:
        if (byte == end) return close_container(p);
        if (p->next == A_VALUE_OR_END) return take_value(p);
        return byte == '"' ? take_name(p) : unexpected(p);
    case A_VALUE:
        return take_value(p);
    case A_NAME:
        return byte == '"' ? take_name(p) : unexpected(p);
    case A_COLON:
        if (byte != ':') return unexpected(p);
        p->next = A_VALUE;
        break;
    case A_COMMA_OR_END:
        if (byte == end) return close_container(p);
        if (byte != ',') return unexpected(p);
        p->next = in_object(p) ? A_NAME : A_VALUE;
        break;
    case NOTHING:
        return unexpected(p);
    }
    peri_buf_add_byte(&p->out->text, byte);
    p->at++;
    return PERI_OK;
}

static void skip_blank(prepare *p) {
    for (; p->at < p->text.len; p->at++) {
        char byte = p->text.ptr[p->at];
        if (byte != ' ' && byte != '\t' && byte != '\r' && byte != '\n') return;
    }
}

static int read_all(prepare *p) {
    for (skip_blank(p); p->at < p->text.len; skip_blank(p)) {
        int status = step(p);
        if (status < 0) return status;
    }
    if (p->next != NOTHING) return unexpected(p);
    bool complete = p->out->text.status == PERI_OK && p->members.status == PERI_OK;
    return complete ? PERI_OK : no_memory(p);
}

typedef struct named {
    uint32_t object;
    peri_str text;
    size_t source_at;
} named;

static bool same_name(const named *a, const named *b) {
    return a->object == b->object && peri_str_eq(a->text, b->text);
}

static int compare_names(const void *left, const void *right) {
    const named *a = left, *b = right;
    if (a->object != b->object) return a->object < b->object ? -1 : 1;
    int order = peri_str_compare(a->text, b->text);
    return order ? order : (a->source_at > b->source_at) - (a->source_at < b->source_at);
}

// Sorted, because a hostile object of 100,000 members must not cost the square of that.
static int check_names(prepare *p) {
    size_t count = p->members.len / sizeof(member);
    if (count < 2) return PERI_OK;
    named *names = malloc(count * sizeof *names);
    if (!names) return no_memory(p);
    for (size_t i = 0; i < count; i++) {
        member name;
        memcpy(&name, p->members.ptr + i * sizeof name, sizeof name);
        peri_str text = peri_str_sub(peri_buf_str(&p->out->text), name.at, name.len);
        names[i] = (named){name.object, text, name.source_at};
    }
    qsort(names, count, sizeof *names, compare_names);
    size_t first = PERI_NPOS; // of all second occurrences
    for (size_t i = 1; i < count; i++) {
        if (names[i].source_at < first && same_name(&names[i - 1], &names[i])) {
            first = names[i].source_at;
        }
    }
    free(names);
    if (first == PERI_NPOS) return PERI_OK;
    return fail(p, first, PERI_EDUP, "duplicate-key", "this name stands twice in its object",
                "keep one of them");
}

int peri__json_prepare(peri_str text, uint32_t max_depth, bool refuse_duplicates,
                       peri__json_prepared *out) {
    *out = (peri__json_prepared){0};
    prepare p = {.out = out, .text = text, .keep_members = refuse_duplicates};
    p.max_depth = max_depth < PERI_JSON_MAX_DEPTH ? max_depth : PERI_JSON_MAX_DEPTH;
    peri_buf_init(&out->text, text.len * EXPANSION_MAX + EXPANSION_MAX);
    peri_buf_init(&p.scratch, text.len + PERI__HEAD_BYTES);
    peri_buf_init(&p.members, text.len * sizeof(member));
    int status = read_all(&p);
    if (status == PERI_OK && refuse_duplicates) status = check_names(&p);
    peri_buf_deinit(&p.scratch);
    peri_buf_deinit(&p.members);
    return status;
}
