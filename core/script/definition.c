// What loading an observer and loading a policy share: the api line, unknown keys, and
// diagnostics that name the line on which a key stands, found in the text without running it.
// Called by observer_load.c and policy_load.c.
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "script/script_internal.h"

enum {
    MAX_UNKNOWN_KEYS = 16, // reported one by one; the rest is not told of
    ERRORS_MAX_BYTES = 64 * 1024,
    TAIL_BYTES = 32,
};

#define API_PREFIX "-- perilune-api:"

static peri_str first_line(peri_str text) {
    if (peri_str_starts(text, PERI_STR("\xEF\xBB\xBF"))) text = peri_str_sub(text, 3, text.len);
    size_t end = peri_str_find_byte(text, '\n', 0);
    return peri_str_sub(text, 0, end == PERI_NPOS ? text.len : end);
}

static bool check_api(const peri__unit *unit, peri_diag_list *diags) {
    peri_str text = unit->text, file = unit->file;
    peri_str first = peri_str_trim(first_line(text));
    peri_str prefix = PERI_STR(API_PREFIX);
    if (!peri_str_starts(first, prefix)) {
        peri_diag_addf(diags, PERI_WARNING, "missing-api", file, 1, 0,
                       "make \"-- perilune-api: 1\" the first line", "no api line, 1 assumed");
        return true;
    }
    peri_str number = peri_str_trim(peri_str_sub(first, prefix.len, first.len));
    if (peri_str_eq(number, PERI_STR("1"))) return true;
    number = peri__quoted(number);
    peri_diag_addf(diags, PERI_ERROR, "unknown-api", file, 1, 0, NULL,
                   "api \"%.*s\" is not known, this build knows 1", PERI_FMT(number));
    return false;
}

static bool is_name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '.';
}

// True if `rest` begins with an assignment and no comparison.
static bool is_assigned(peri_str rest) {
    rest = peri_str_trim(rest);
    return rest.len && rest.ptr[0] == '=' && !(rest.len > 1 && rest.ptr[1] == '=');
}

// The line on which `key` is first assigned; 0 if none is seen.
static uint32_t line_of(peri_str text, peri_str key) {
    uint32_t line = 1;
    for (size_t from = 0; key.len && from < text.len;) {
        size_t hit = peri_str_find(peri_str_sub(text, from, text.len), key);
        if (hit == PERI_NPOS) return 0;
        size_t at = from + hit;
        for (size_t i = from; i < at; i++) line += text.ptr[i] == '\n';
        bool starts = at == 0 || !is_name_byte(text.ptr[at - 1]);
        if (starts && is_assigned(peri_str_sub(text, at + key.len, 64))) return line;
        line += key.ptr[0] == '\n';
        from = at + 1;
    }
    return 0;
}

void peri__definition_report(const peri__unit *unit, const char *id, peri_str key,
                             peri_str problem, peri_diag_list *diags) {
    peri_diag_addf(diags, PERI_ERROR, id, unit->file, line_of(unit->text, key), 0, NULL, "%.*s",
                   PERI_FMT(problem));
}

static void report_unknown(const peri__unit *unit, peri_str key, const peri_str *words,
                           peri_diag_list *diags) {
    char hint[64] = "";
    peri_str near = peri_diag_nearest(key, words), quoted = peri__quoted(key);
    if (near.len) snprintf(hint, sizeof hint, "did you mean \"%.*s\"?", PERI_FMT(near));
    peri_diag_addf(diags, PERI_ERROR, "unknown-key", unit->file, line_of(unit->text, quoted), 0,
                   near.len ? hint : NULL, "unknown key \"%.*s\"", PERI_FMT(quoted));
}

// Keeps the first MAX_UNKNOWN_KEYS in the order of texts.
static void keep_least(peri_str *least, size_t *count, peri_str key) {
    size_t at = *count;
    if (at == MAX_UNKNOWN_KEYS) {
        if (peri_str_compare(key, least[--at]) >= 0) return;
    } else {
        ++*count;
    }
    for (; at > 0 && peri_str_compare(key, least[at - 1]) < 0; at--) least[at] = least[at - 1];
    least[at] = key;
}

// LuaJIT's order of keys differs from run to run; what is told of does not.
bool peri__definition_check_keys(lua_State *L, const peri__unit *unit, const peri_str *words,
                                 peri_diag_list *diags) {
    peri_str unknown[MAX_UNKNOWN_KEYS];
    size_t count = 0;
    const char *other = NULL;                             // the type of a key that is no name
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) { // key value
        if (lua_type(L, -2) != LUA_TSTRING) {
            const char *type = luaL_typename(L, -2);
            if (!other || strcmp(type, other) < 0) other = type;
            continue;
        }
        peri_str key = {0};
        key.ptr = lua_tolstring(L, -2, &key.len);
        if (!peri__is_word(key, words)) keep_least(unknown, &count, key);
    }
    for (size_t i = 0; i < count; i++) report_unknown(unit, unknown[i], words, diags);
    if (other) {
        peri_diag_addf(diags, PERI_ERROR, "unknown-key", unit->file, 0, 0, NULL,
                       "a key is a %s, not a name", other);
    }
    return count == 0 && !other;
}

// The line that an error names behind the file's name, 0 if it names none; `*error` is cut to
// what stands behind "FILE:LINE: ". Lua shows only the end of a long name.
static uint32_t split_place(peri_str *error, peri_str file) {
    peri_str tail = peri_str_sub(
        file, file.len - (file.len < TAIL_BYTES ? file.len : TAIL_BYTES), TAIL_BYTES);
    size_t at = peri_str_find(*error, tail);
    if (at == PERI_NPOS) return 0;
    peri_str rest = peri_str_sub(*error, at + tail.len, error->len);
    size_t digits = 1;
    while (digits < rest.len && rest.ptr[digits] >= '0' && rest.ptr[digits] <= '9') digits++;
    int64_t line;
    if (!rest.len || rest.ptr[0] != ':' ||
        peri_str_int(peri_str_sub(rest, 1, digits - 1), &line) < 0 || line > INT32_MAX)
        return 0;
    if (digits < rest.len && rest.ptr[digits] == ':') {
        *error = peri_str_trim(peri_str_sub(rest, digits + 1, rest.len));
    }
    return (uint32_t)line;
}

static void report_failure(int status, peri_str error, const peri__unit *unit,
                           peri_diag_list *diags) {
    const char *id = status == PERI_EPARSE     ? "syntax"
                     : status == PERI_ETIMEOUT ? "load-timeout"
                     : status == PERI_ELIMIT   ? "load-memory"
                                               : "load-error";
    error.len = first_line(error).len;
    uint32_t line = split_place(&error, unit->file);
    if (!error.len) error = peri_str_c(peri_status_message(status));
    peri_diag_addf(diags, PERI_ERROR, id, unit->file, line, 0, NULL, "%.*s", PERI_FMT(error));
}

int peri__definition_load(peri__unit *unit, peri__body check, void *frame,
                          peri_diag_list *diags) {
    if (!check_api(unit, diags)) return PERI_EINVAL;
    peri_arena errors;
    peri_arena_init(&errors, ERRORS_MAX_BYTES);
    peri_str error = {0};
    int status = peri__unit_load(unit, check, frame, &errors, &error);
    if (status < 0 && status != PERI_ENOMEM) {
        report_failure(status, error, unit, diags);
        status = PERI_EINVAL;
    }
    peri_arena_deinit(&errors);
    return status;
}
