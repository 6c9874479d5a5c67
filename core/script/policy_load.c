// Loads one policy file and checks it: a name and any of the three folds. Called by script.c.
#include <lauxlib.h>

#include "script/script_internal.h"

static const char *const fold_names[] = {"reconcile", "budget", "deliver", NULL};

#define WORD(word)                                                                             \
    { word, sizeof(word) - 1 }
static const peri_str policy_keys[] = {
    WORD("name"), WORD("description"), WORD("reconcile"), WORD("budget"), WORD("deliver"), {0},
};

typedef struct loader {
    peri__policy *policy;
    peri_diag_list *diags;
    bool failed;
} loader;

static void complain(loader *l, const char *key, peri_str problem) {
    l->failed = true;
    peri__definition_report(&l->policy->unit, "bad-value", peri_str_c(key), problem, l->diags);
}

static void check_text(loader *l, peri__reader *reader, const char *key, peri_str *out) {
    reader->problem = (peri_str){0};
    if (!peri__read_text(reader, key, out)) complain(l, key, reader->problem);
}

static void check_fold(loader *l, peri__reader *reader, int fold) {
    reader->problem = (peri_str){0};
    if (!peri__read_value(reader, fold_names[fold])) return;
    l->policy->has[fold] = lua_isfunction(reader->L, -1);
    if (!l->policy->has[fold]) {
        peri__problem(reader, "%s is a %s, not a function", fold_names[fold],
                      luaL_typename(reader->L, -1));
        complain(l, fold_names[fold], reader->problem);
    }
    lua_pop(reader->L, 1);
}

static void check_definition(lua_State *L, peri__pack *pack, void *frame) {
    loader *l = frame;
    peri__unit *unit = &l->policy->unit;
    if (!lua_istable(L, 1)) {
        l->failed = true;
        peri_diag_addf(l->diags, PERI_ERROR, "no-definition", unit->file, 0, 0,
                       "end the file with `return { name = ..., deliver = ... }`",
                       "the file returns a %s, not a table", luaL_typename(L, 1));
        return;
    }
    if (!peri__definition_check_keys(L, unit, policy_keys, l->diags)) l->failed = true;
    peri__reader reader = {.L = L, .pack = pack, .index = 1, .arena = &unit->arena};
    peri_str name = {0}, description = {0};
    check_text(l, &reader, "name", &name);
    check_text(l, &reader, "description", &description);
    if (name.ptr && !peri_str_eq(name, unit->name)) {
        peri_diag_addf(l->diags, PERI_WARNING, "name-differs", unit->file, 0, 0, NULL,
                       "the policy is configured as \"%.*s\" and shown by that name",
                       PERI_FMT(peri__quoted(unit->name)));
    }
    bool any = false;
    for (int fold = 0; fold_names[fold]; fold++) {
        check_fold(l, &reader, fold);
        any |= l->policy->has[fold];
    }
    if (any || l->failed) return;
    peri_diag_addf(l->diags, PERI_WARNING, "empty-policy", unit->file, 0, 0, NULL,
                   "neither reconcile nor budget nor deliver is defined");
}

int peri__policy_load(peri__policy *policy, peri_diag_list *diags) {
    peri__unit *unit = &policy->unit;
    unit->function_names = fold_names;
    loader l = {.policy = policy, .diags = diags};
    int status = peri__definition_load(unit, check_definition, &l, diags);
    if (status < 0) return status;
    return l.failed ? PERI_EINVAL : PERI_OK;
}
