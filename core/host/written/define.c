// One definition taken into the layers, and out of them. Keyed on `name`, not on the file; the
// later layer's counts whole. A file that cannot be used is left out alone, never widened to
// defaults, and what stays in use instead is said. Pairings point into host->defs, so a
// definition that changes or goes is exchanged in its place: who is paired with it goes on with
// the new one, or rests. Called by host/written/layers.c.
#include <stdio.h>

#include "host/told/told.h"
#include "host/written/written.h"
#include "script/outline.h"

// ---- The list of entries

static peri_entry *add_entry(peri_host *host, const host_found *from) {
    host_layers *layers = &host->layers;
    if (layers->count == HOST_MAX_ENTRIES) {
        peri_diag_addf(&host->diags, PERI_ERROR, "too-many", from->file, 0, 0, NULL,
                       "left out: %d definitions are as many as may be", HOST_MAX_ENTRIES);
        return NULL;
    }
    peri_entry *entry = &layers->entries[layers->count];
    *entry = (peri_entry){.layer = peri_arena_copy(&layers->arena, from->layer),
                          .file = peri_arena_copy(&layers->arena, from->file)};
    layers->count++;
    return entry;
}

static bool in_use(const peri_entry *entry) {
    return entry->observer && entry->state <= PERI_ENTRY_OFF;
}

static peri_entry *entry_in_use(host_layers *layers, peri_str name) {
    for (size_t i = layers->count; i-- > 0;) {
        peri_entry *entry = &layers->entries[i];
        if (in_use(entry) && peri_str_eq(entry->name, name)) return entry;
    }
    return NULL;
}

static peri_str stem_of(peri_str file) {
    size_t ending = host_is_markdown(file) ? 3 : 4;
    return peri_str_sub(file, 0, file.len > ending ? file.len - ending : 0);
}

static peri_entry *entry_of_file(const peri_host *host, peri_str layer, peri_str file) {
    for (size_t i = 0; i < host->layers.count; i++) {
        peri_entry *entry = &host->layers.entries[i];
        if (peri_str_eq(entry->layer, layer) &&
            peri_str_eq(stem_of(entry->file), stem_of(file))) {
            return entry;
        }
    }
    return NULL;
}

const peri_observer *host_defined_by(const peri_host *host, peri_str layer, peri_str file) {
    const peri_entry *entry = entry_of_file(host, layer, file);
    return entry && in_use(entry) ? entry->observer : NULL;
}

static void __attribute__((format(printf, 3, 4)))
set_reason(peri_host *host, peri_entry *entry, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    entry->reason = peri_arena_copy(&host->layers.arena, peri_str_c(text));
}

// ---- Taking a definition

// ---- Definitions that change while agents are observed

// An observer that rested goes on with what comes now, and one that failed gets another chance,
// since it is another one now.
static void wake_pairing(peri_host *host, peri_pairing *pairing, bool rested) {
    const host_agent *of = pairing->agent->attached;
    if (rested && of) pairing->cursor = of->tap.last_number + 1;
    if (!pairing->disabled) return;
    pairing->disabled = false;
    pairing->failures = 0;
    host_pairing_tell(host, pairing, peri_pairing_state_word(pairing->state),
                      PERI_STR("its definition has changed"), NULL);
}

static void wake(peri_host *host, peri_str name, bool rested) {
    for (peri_session *session = host->registry.first; session; session = session->next) {
        for (peri_agent *agent = session->agents; agent; agent = agent->next) {
            agent->armed = false; // it may apply to more of them now
            for (size_t i = 0; i < agent->pairing_count && !agent->ended; i++) {
                peri_pairing *pairing = agent->pairings[i];
                bool same = peri_str_eq(pairing->observer->name, name);
                if (same) wake_pairing(host, pairing, rested);
            }
        }
    }
}

// ---- Places

static int rank_of(peri_str layer) {
    static const char *const order[] = {"builtin", "user", "project", "given"};
    int rank = 0;
    while (rank < 3 && !peri_str_eq(layer, peri_str_c(order[rank]))) rank++;
    return rank;
}

// Puts `observer` into the place `def`. What stood there is nobody's any more.
static void exchange(peri_host *host, peri_observer *def, const peri_observer *observer,
                     peri_entry *entry) {
    bool was_there = def->name.ptr != NULL, rested = was_there && !def->enabled;
    const peri_observer before = *def;
    if (was_there) host_rest(host, def); // its children are not asked for the new one's runs
    const char *off = host_off_by(host, observer);
    *def = *observer;
    def->enabled = !off;
    def->shadow |=
        peri_str_is_one_of(def->name, host->config.shadowed, host->config.shadowed_count);
    def->unscrubbed =
        peri_str_is_one_of(def->name, host->config.unscrubbed, host->config.unscrubbed_count) &&
        !peri_str_eq(def->layer, PERI_STR("project"));
    if (host->layout >= 0) def->layout = (peri_layout)host->layout;
    entry->observer = def;
    entry->state = off ? PERI_ENTRY_OFF : PERI_ENTRY_ACTIVE;
    entry->reason = (peri_str){0};
    if (off) set_reason(host, entry, "%s", off);
    if (!off && def->unscrubbed) {
        set_reason(host, entry, "it is shown secrets: scrub is false in the config");
    }
    host_agents_renew(host, def->name);
    if (was_there) peri_script_drop_observer(host->script, &before);
    wake(host, def->name, rested);
}

// A later layer replaces an earlier one of the same name, whole.
static void add_observer(peri_host *host, const peri_observer *observer, peri_entry *entry) {
    size_t at = 0;
    while (at < host->observer_count && !peri_str_eq(host->defs[at].name, observer->name)) at++;
    if (at == HOST_MAX_OBSERVERS) {
        entry->state = PERI_ENTRY_INVALID;
        set_reason(host, entry, "%d observers are as many as may be", HOST_MAX_OBSERVERS);
        return;
    }
    peri_entry *other = entry_in_use(&host->layers, observer->name);
    if (other && rank_of(other->layer) > rank_of(entry->layer)) { // it came late
        entry->state = PERI_ENTRY_REPLACED;
        set_reason(host, entry, "replaced by %.*s", PERI_FMT(other->file));
        peri_script_drop_observer(host->script, observer);
        return;
    }
    if (other) {
        other->state = PERI_ENTRY_REPLACED;
        other->observer = NULL; // its place is the new one's
        set_reason(host, other, "replaced by %.*s", PERI_FMT(observer->file));
    }
    if (at == host->observer_count) host->observer_count++;
    host->observers[at] = &host->defs[at];
    exchange(host, &host->defs[at], observer, entry);
}

const peri_entry *host_latest_replaced(const peri_host *host, peri_str name) {
    const peri_entry *latest = NULL;
    for (size_t i = 0; i < host->layers.count; i++) {
        const peri_entry *entry = &host->layers.entries[i];
        bool hidden = entry->state == PERI_ENTRY_REPLACED && peri_str_eq(entry->name, name);
        if (!hidden || peri_str_eq(entry->layer, PERI_STR("project"))) continue;
        if (!latest || rank_of(entry->layer) >= rank_of(latest->layer)) latest = entry;
    }
    return latest;
}

// Takes what `entry` gave out of its place, where the one that it had replaced may come back.
static void vacate(peri_host *host, peri_entry *entry) {
    peri_observer *def = &host->defs[entry->observer - host->defs];
    const peri_observer before = *def;
    entry->observer = NULL;
    entry->state = PERI_ENTRY_INVALID; // so that nothing below takes it for one in use
    host_rest(host, def);
    *def = (peri_observer){.name = entry->name, .file = entry->file, .layer = entry->layer};
    host_agents_renew(host, def->name);
    peri_script_drop_observer(host->script, &before);
    host->layers.vacated = entry->name;
}

void host_undefine(peri_host *host, peri_str layer, peri_str file) {
    host_layers *layers = &host->layers;
    peri_entry *entry = entry_of_file(host, layer, file);
    if (!entry) return;
    if (in_use(entry)) vacate(host, entry);
    layers->count--;
    size_t behind = (size_t)(layers->entries + layers->count - entry);
    memmove(entry, entry + 1, behind * sizeof *entry);
}

void host_narrow_observers(peri_host *host) {
    for (size_t i = 0; i < host->layers.count; i++) {
        peri_entry *entry = &host->layers.entries[i];
        if (!in_use(entry)) continue;
        peri_observer *def = &host->defs[entry->observer - host->defs];
        const char *off = host_off_by(host, def);
        def->shadow |=
            peri_str_is_one_of(def->name, host->config.shadowed, host->config.shadowed_count);
        if (off && def->enabled) {
            def->enabled = false;
            entry->state = PERI_ENTRY_OFF;
            set_reason(host, entry, "%s", off);
        }
        host_agents_renew(host, def->name);
    }
}

// Says why a file was left out, and what stays in use under the name it seems to have.
static void leave_out(peri_host *host, const host_found *from, peri_entry *entry,
                      size_t first_diag) {
    entry->state = PERI_ENTRY_INVALID;
    for (size_t i = first_diag; i < host->diags.count && !entry->reason.ptr; i++) {
        const peri_diag *diag = &host->diags.items[i];
        if (diag->severity != PERI_ERROR) continue;
        if (peri_str_eq(diag->id, PERI_STR("duplicate-name"))) {
            entry->state = PERI_ENTRY_DUPLICATE;
        }
        if (diag->line) {
            set_reason(host, entry, "line %u: %.*s", diag->line, PERI_FMT(diag->message));
        } else {
            set_reason(host, entry, "%.*s", PERI_FMT(diag->message));
        }
    }
    if (!entry->reason.ptr) set_reason(host, entry, "out of memory");
    peri_entry *stays = entry_in_use(&host->layers, entry->name);
    if (!stays || entry->state == PERI_ENTRY_DUPLICATE) return;
    peri_diag_addf(&host->diags, PERI_WARNING, "not-replaced", from->file, 0, 0, NULL,
                   "the observer '%.*s' of layer %.*s stays in use", PERI_FMT(entry->name),
                   PERI_FMT(stays->layer));
}

// A project's Lua is agreed to as it was shown, and it is shown without being run. So it must
// be one of which everything that matters can be told that way, and then turn out to be just
// that.
static int check_shown(peri_host *host, const host_found *from) {
    bool markdown = host_is_markdown(from->file);
    peri_outline outline;
    peri_outline_read(markdown ? from->lua_text : from->text, &outline);
    const char *problem = NULL;
    if (!outline.plain) {
        problem = "a project's Lua ends in `return { NAME = VALUE, ... }`";
    } else if (markdown) {
        return PERI_OK; // the header says the rest
    } else if (outline.command.given) {
        problem = "a project's observer may not run a program; your own may";
    } else if (!outline.name.written || (outline.can.given && !outline.can.written)) {
        problem = "a project's observer writes out its name and what it can";
    }
    if (!problem) return PERI_OK;
    peri_diag_addf(&host->diags, PERI_ERROR, "not-shown",
                   markdown ? from->lua_file : from->file, 0, 0,
                   "or move it to your own observers", "%s", problem);
    return PERI_EINVAL;
}

static uint32_t can_of(const peri_outline_value *value) {
    uint32_t can = value->given ? 0 : PERI_CAN_ADVISE;
    for (size_t i = 0; i < value->count; i++) {
        if (peri_str_eq(value->words[i], PERI_STR("advise"))) can |= PERI_CAN_ADVISE;
        if (peri_str_eq(value->words[i], PERI_STR("veto"))) can |= PERI_CAN_VETO;
        if (peri_str_eq(value->words[i], PERI_STR("report"))) can |= PERI_CAN_REPORT;
    }
    return can;
}

static int check_same(peri_host *host, const host_found *from, const peri_observer *observer) {
    peri_outline outline;
    peri_outline_read(from->text, &outline);
    bool same = outline.name.count == 1 && peri_str_eq(outline.name.words[0], observer->name) &&
                can_of(&outline.can) == observer->can && observer->runtime == PERI_RUN_LUA;
    if (same) return PERI_OK;
    peri_diag_addf(&host->diags, PERI_ERROR, "not-shown", from->file, 0, 0, NULL,
                   "it turned out to be another observer than its text shows");
    return PERI_EINVAL;
}

// Loads it, beside `instead` (NULL: none).
static int load(peri_host *host, const host_found *from, const peri_observer *instead,
                const peri_observer **observer) {
    if (!host_is_markdown(from->file)) {
        return peri_script_add_observer(host->script, from->layer, from->layer, from->file,
                                        from->text, instead, &host->diags, observer);
    }
    peri_markdown markdown = {.file = from->file,
                              .text = from->text,
                              .lua_file = from->lua_file,
                              .lua_text = from->lua_text,
                              .lenient = from->lenient};
    return peri_script_add_markdown(host->script, from->layer, from->layer, &markdown, instead,
                                    &host->diags, observer);
}

static int define(peri_host *host, const host_found *from, const peri_observer *instead,
                  const peri_observer **observer) {
    bool is_project = peri_str_eq(from->layer, PERI_STR("project"));
    bool markdown = host_is_markdown(from->file);
    bool has_lua = !markdown || from->lua_text.ptr;
    int status = is_project && has_lua ? check_shown(host, from) : PERI_OK;
    if (status == PERI_OK) status = load(host, from, instead, observer);
    if (status == PERI_OK && is_project && !markdown) {
        status = check_same(host, from, *observer);
    }
    return status;
}

void host_define(peri_host *host, const host_found *from) {
    peri_entry *entry = entry_of_file(host, from->layer, from->file);
    const peri_observer *before = entry && in_use(entry) ? entry->observer : NULL, *observer;
    size_t first_diag = host->diags.count;
    if (!entry) entry = add_entry(host, from);
    if (!entry) return;
    int status = define(host, from, before, &observer);
    if (status < 0 && before) return; // it goes on
    bool same = before && peri_str_eq(before->name, observer->name);
    if (before && !same) vacate(host, entry);
    peri_arena *arena = &host->layers.arena;
    peri_str name = status < 0 ? peri_outline_name(from->file, from->text) : observer->name;
    entry->file = peri_arena_copy(arena, from->file);
    entry->name = peri_arena_copy(arena, name);
    entry->reason = (peri_str){0};
    if (status < 0) {
        leave_out(host, from, entry, first_diag);
    } else if (same) {
        exchange(host, &host->defs[before - host->defs], observer, entry);
    } else {
        add_observer(host, observer, entry);
    }
    if (in_use(entry)) host_commands_route(host, entry->name, from);
}

void host_define_untrusted(peri_host *host, const host_found *from) {
    peri_entry *entry = add_entry(host, from);
    if (!entry) return;
    entry->state = PERI_ENTRY_UNTRUSTED;
    entry->name =
        peri_arena_copy(&host->layers.arena, peri_outline_name(from->file, from->text));
    set_reason(host, entry, "look at it with perilune trust");
}
