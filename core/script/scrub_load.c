// Kinds of secrets that somebody wrote down in Lua: a file returns `{ scrub = { ... } }`, each
// entry a name, a PCRE2 pattern and examples of what it hides and what it keeps, which are
// tried here. A kind with a mistake does not take the others with it. The file is data: it is
// evaluated once, in a VM of its own that is gone again afterwards, so no script stands where
// secrets are looked for.
#include <lauxlib.h>
#include <stdio.h>

#include "script/script_internal.h"

enum { MAX_KINDS = 64, MAX_EXAMPLES = 32 };

#define WORD(word)                                                                             \
    { word, sizeof(word) - 1 }
static const peri_str file_keys[] = {WORD("scrub"), {0}};
static const peri_str kind_keys[] = {
    WORD("name"), WORD("pattern"), WORD("hides"), WORD("keeps"), {0}};

static const char *const no_functions[] = {NULL};

typedef struct loader {
    peri__unit *unit;
    peri_scrub *to;
    peri_diag_list *diags;
    peri_str kind; // the one that is read
    bool failed;
} loader;

static uint32_t line_of(peri_str text, peri_str part) {
    size_t end = part.len ? peri_str_find(text, part) : PERI_NPOS;
    uint32_t line = end == PERI_NPOS ? 0 : 1;
    for (size_t i = 0; line && i < end; i++) line += text.ptr[i] == '\n';
    return line;
}

static void complain(loader *l, const char *id, const char *what, peri_str more) {
    l->failed = true;
    more = peri__quoted(more);
    peri_diag_addf(l->diags, PERI_ERROR, id, l->unit->file, line_of(l->unit->text, l->kind), 0,
                   NULL, "%.*s: %s%.*s", PERI_FMT(peri__quoted(l->kind)), what, PERI_FMT(more));
}

// The examples under `key` of the kind at the top of the stack: a list of texts, each of which
// the kind must find, or must not.
static void try_examples(loader *l, peri__reader *reader, const char *key, bool found) {
    lua_State *L = reader->L;
    if (!peri__read_value(reader, key)) return;
    if (!lua_istable(L, -1)) {
        complain(l, "bad-value", "examples are lists of texts, not: ", peri_str_c(key));
        lua_pop(L, 1);
        return;
    }
    for (int i = 1; i <= MAX_EXAMPLES; i++) {
        lua_rawgeti(L, -1, i);
        if (lua_isnil(L, -1)) {
            lua_pop(L, 1);
            break;
        }
        peri_str text = {0};
        if (lua_type(L, -1) == LUA_TSTRING) text.ptr = lua_tolstring(L, -1, &text.len);
        if (!text.ptr) {
            complain(l, "bad-value", "an example that is no text, in ", peri_str_c(key));
        } else if (peri_scrub_last_finds(l->to, text) != found) {
            complain(l, "bad-example", found ? "its pattern does not find " : "it also hides ",
                     text);
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

// Reads the kind at the top of the stack and adds it.
static void read_kind(lua_State *L, loader *l, peri__reader *reader) {
    peri_str pattern = {0};
    reader->index = lua_gettop(L);
    reader->problem = (peri_str){0};
    l->kind = PERI_STR("a kind without a name");
    if (!peri__read_text(reader, "name", &l->kind) || !peri__read_keys(reader, kind_keys) ||
        !peri__read_text(reader, "pattern", &pattern)) {
        complain(l, "bad-value", "", reader->problem);
        return;
    }
    const char *error = "unusable";
    size_t at = 0;
    int status = peri_scrub_add(l->to, l->kind, pattern, &error, &at);
    if (status < 0) {
        char place[64] = "";
        if (at) snprintf(place, sizeof place, "its pattern, at %zu: ", at);
        complain(l, "bad-pattern", place, peri_str_c(error));
        return;
    }
    try_examples(l, reader, "hides", true);
    try_examples(l, reader, "keeps", false);
}

static void read_file(lua_State *L, peri__pack *pack, void *frame) {
    loader *l = frame;
    if (lua_istable(L, 1)) {
        lua_pushliteral(L, "scrub");
        lua_rawget(L, 1);
    }
    if (!lua_istable(L, 1) || !lua_istable(L, 2)) {
        l->failed = true;
        peri_diag_addf(
            l->diags, PERI_ERROR, "no-definition", l->unit->file, 0, 0,
            "end the file with `return { scrub = { { name = ..., pattern = ... } } }`",
            "the file returns no table with a list `scrub`");
        return;
    }
    if (!peri__definition_check_keys(L, l->unit, file_keys, l->diags)) l->failed = true;
    peri__reader reader = {.L = L, .pack = pack, .arena = &l->unit->arena};
    for (int i = 1; i <= MAX_KINDS + 1; i++) {
        lua_rawgeti(L, 2, i);
        if (lua_isnil(L, -1)) return;
        if (lua_istable(L, -1)) {
            read_kind(L, l, &reader);
        } else {
            l->kind = PERI_STR("scrub");
            complain(l, "bad-value", "an entry is no table but a ",
                     peri_str_c(luaL_typename(L, -1)));
        }
        lua_settop(L, 2);
    }
}

int peri_script_add_scrub(peri_script *script, peri_str file, peri_str text, peri_scrub *to,
                          peri_diag_list *diags) {
    peri__pack *pack;
    peri__unit unit;
    int status = peri__pack_new(script, PERI_STR("scrub"), &pack);
    if (status < 0) return status;
    status = peri__unit_init(&unit, pack, file, text, no_functions);
    if (status == PERI_OK) {
        loader l = {.unit = &unit, .to = to, .diags = diags};
        status = peri__definition_load(&unit, read_file, &l, diags);
        if (status == PERI_OK && l.failed) status = PERI_EINVAL;
    }
    peri__unit_deinit(&unit);
    peri__pack_free(pack);
    return status;
}
