// The owner of all observers and policies of one host: which pack a script belongs to, what is
// loaded already, and when it all ends. Loading is in observer_load.c and policy_load.c,
// running in lua_runtime.c and policy_engine.c. Called by host.c.
#include <stdlib.h>

#include "pairing/registry.h"
#include "script/script_internal.h"

static const char *const observer_functions[] = {"observe", "wake", NULL};

int peri_script_new(const peri_script_options *options, peri_script **out) {
    peri_script *script = calloc(1, sizeof *script);
    if (!script) return PERI_ENOMEM;
    if (options) script->options = *options;
    *out = script;
    return PERI_OK;
}

static void free_observer(peri__scripted *observer) {
    if (!observer) return;
    peri__unit_deinit(&observer->unit);
    free(observer);
}

void peri_script_free(peri_script *script) {
    if (!script) return;
    for (size_t i = 0; i < script->observer_count; i++) free_observer(script->observers[i]);
    for (size_t i = 0; i < script->policy_count; i++) peri__policy_free(script->policies[i]);
    for (size_t i = 0; i < script->pack_count; i++) peri__pack_free(script->packs[i]);
    peri__pack_free(script->policy_pack);
    free(script);
}

// The pack called `name`, made if there is none. PERI_ELIMIT, PERI_ENOMEM.
static int open_pack(peri_script *script, peri_str name, peri__pack **out) {
    for (size_t i = 0; i < script->pack_count; i++) {
        if (!peri_str_eq(peri_str_c(script->packs[i]->name), name)) continue;
        *out = script->packs[i];
        return PERI_OK;
    }
    if (script->pack_count == PERI__MAX_PACKS) return PERI_ELIMIT;
    int status = peri__pack_new(script, name, out);
    if (status >= 0) script->packs[script->pack_count++] = *out;
    return status;
}

// Reports what stops a file before it is read: `status` if something does.
static int refuse(int status, const char *id, const char *message, peri_str file,
                  peri_diag_list *diags) {
    if (status == PERI_ENOMEM) return status;
    peri_diag_addf(diags, PERI_ERROR, id, file, 0, 0, NULL, "%s", message);
    return PERI_EINVAL;
}

static int check_source(peri_str file, peri_str text, bool room, peri_diag_list *diags) {
    if (text.len > PERI__MAX_SOURCE_BYTES) {
        return refuse(PERI_EINVAL, "file-too-large", "the file is over 256 KiB", file, diags);
    }
    if (room) return PERI_OK;
    return refuse(PERI_EINVAL, "too-many", "as many are loaded as may be", file, diags);
}

static int check_duplicate(const peri_script *script, const peri_observer *def,
                           const peri_observer *instead, peri_diag_list *diags) {
    for (size_t i = 0; i < script->observer_count; i++) {
        const peri_observer *other = &script->observers[i]->def;
        if (instead && instead->owner == other->owner) continue;
        if (!peri_str_eq(other->name, def->name) || !peri_str_eq(other->layer, def->layer))
            continue;
        peri_diag_addf(diags, PERI_ERROR, "duplicate-name", def->file, 0, 0, NULL,
                       "\"%.*s\" is loaded already, from %.*s", PERI_FMT(def->name),
                       PERI_FMT(peri_str_sub(other->file, 0, 256)));
        return PERI_EINVAL;
    }
    return PERI_OK;
}

// What is being loaded, and from where. Of a Markdown observer `file` and `text` are those of
// the Lua beside it.
typedef struct source {
    peri_str pack, layer, file, text;
    const peri_markdown *markdown; // NULL: a Lua observer
    const peri_observer *instead;  // of which one it takes the place; NULL: none
} source;

static int load_observer(peri_script *script, peri__scripted *observer, peri__pack *pack,
                         const source *from, peri_diag_list *diags) {
    peri__unit *unit = &observer->unit;
    int status = peri__unit_init(unit, pack, from->file, from->text, observer_functions);
    observer->def.layer = peri_arena_copy(&unit->arena, from->layer);
    if (from->layer.ptr && !observer->def.layer.ptr) status = PERI_ENOMEM;
    if (status < 0) return status;
    status = from->markdown ? peri__markdown_load(observer, from->markdown, diags)
                            : peri__observer_load(observer, diags);
    return status < 0 ? status : check_duplicate(script, &observer->def, from->instead, diags);
}

static int add_observer(peri_script *script, const source *from, peri_diag_list *diags,
                        const peri_observer **out) {
    bool room = script->observer_count < PERI__MAX_OBSERVERS;
    peri_str shown = from->markdown ? from->markdown->file : from->file;
    int status = check_source(shown, from->text, room, diags);
    if (status < 0) return status;
    peri__pack *pack;
    status = open_pack(script, from->pack, &pack);
    if (status < 0) return refuse(status, "too-many", "too many packs", shown, diags);
    peri__scripted *observer = calloc(1, sizeof *observer);
    if (!observer) return PERI_ENOMEM;
    status = load_observer(script, observer, pack, from, diags);
    if (status < 0) {
        free_observer(observer);
        return status;
    }
    script->observers[script->observer_count++] = observer;
    *out = &observer->def;
    return PERI_OK;
}

int peri_script_add_observer(peri_script *script, peri_str pack, peri_str layer, peri_str file,
                             peri_str text, const peri_observer *instead, peri_diag_list *diags,
                             const peri_observer **out) {
    return add_observer(script, &(source){pack, layer, file, text, NULL, instead}, diags, out);
}

int peri_script_add_markdown(peri_script *script, peri_str pack, peri_str layer,
                             const peri_markdown *markdown, const peri_observer *instead,
                             peri_diag_list *diags, const peri_observer **out) {
    const source from = {pack,     layer,  markdown->lua_file, markdown->lua_text,
                         markdown, instead};
    int status = check_source(markdown->file, markdown->text, true, diags);
    return status < 0 ? status : add_observer(script, &from, diags, out);
}

void peri_script_drop_observer(peri_script *script, const peri_observer *observer) {
    size_t at = 0;
    while (at < script->observer_count && script->observers[at] != observer->owner) at++;
    if (at == script->observer_count) return;
    peri__unit_release(&script->observers[at]->unit);
    free_observer(script->observers[at]);
    script->observers[at] = script->observers[--script->observer_count];
}

// The policies' own VM, made with the first of them.
static int open_policy_pack(peri_script *script) {
    if (script->policy_pack) return PERI_OK;
    return peri__pack_new(script, PERI_STR("policies"), &script->policy_pack);
}

static int load_policy(peri_script *script, peri__policy *policy, peri_str name, peri_str file,
                       peri_str text, peri_diag_list *diags) {
    peri_map_init(&policy->states, PERI_MAX_SESSIONS, (uintptr_t)policy);
    int status = peri__unit_init(&policy->unit, script->policy_pack, file, text, NULL);
    policy->unit.name = peri_arena_copy(&policy->unit.arena, name);
    if (name.ptr && !policy->unit.name.ptr) status = PERI_ENOMEM;
    return status < 0 ? status : peri__policy_load(policy, diags);
}

int peri_script_add_policy(peri_script *script, peri_str name, peri_str file, peri_str text,
                           peri_diag_list *diags) {
    bool room = script->policy_count < PERI__MAX_POLICIES;
    int status = check_source(file, text, room, diags);
    if (status >= 0) status = open_policy_pack(script);
    if (status < 0) return status;
    for (size_t i = 0; i < script->policy_count; i++) {
        if (!peri_str_eq(script->policies[i]->unit.name, name)) continue;
        return refuse(PERI_EINVAL, "duplicate-name", "the policy is loaded already", file,
                      diags);
    }
    peri__policy *policy = calloc(1, sizeof *policy);
    if (!policy) return PERI_ENOMEM;
    status = load_policy(script, policy, name, file, text, diags);
    if (status < 0) {
        peri__policy_free(policy);
        return status;
    }
    script->policies[script->policy_count++] = policy;
    return PERI_OK;
}

void peri_script_adopt_states(peri_script *script, peri_script *from) {
    for (size_t i = 0; i < script->policy_count; i++) {
        for (size_t k = 0; k < from->policy_count; k++) {
            peri__policy *to = script->policies[i], *old = from->policies[k];
            if (!peri_str_eq(to->unit.name, old->unit.name)) continue;
            peri_map states = to->states;
            to->states = old->states;
            old->states = states;
        }
    }
}

void peri_script_keep_states(peri_script *script, peri_state_keeper keeper) {
    script->keeper = keeper;
}
