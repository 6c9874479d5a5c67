// The registry of registry.h. Sessions and agents are lists in order of first sight, so that
// everything printed from them is the same on every run; a map finds them.
#include "pairing/registry.h"

#include <stdio.h>
#include <stdlib.h>

static const peri_str state_words[] = {
#define STATE_WORD(name, text) [PERI_PAIRING_##name] = {text, sizeof(text) - 1},
    PERI_PAIRING_STATE_LIST(STATE_WORD)
#undef STATE_WORD
};

peri_str peri_pairing_state_word(peri_pairing_state state) {
    return state_words[state];
}

peri_str peri_cause_word(peri_cause cause) {
    static const peri_str words[] = {
        [PERI_CAUSE_GATE] = {"gate", 4},
        [PERI_CAUSE_AGENT_END] = {"agent_observer_stop", 19},
        [PERI_CAUSE_USER_STOP] = {"observerStopped", 15},
        [PERI_CAUSE_USER_ENABLE] = {"enabled by the user", 19},
        [PERI_CAUSE_RESUME] = {"resumed", 7},
    };
    return words[cause];
}

int peri_pairing_next(peri_pairing_state from, peri_cause cause) {
    enum { NO = -1, A = PERI_PAIRING_ARMED, D = PERI_PAIRING_DENIED };
    enum { R = PERI_PAIRING_RETIRED, S = PERI_PAIRING_STOPPED };
    static const signed char table[PERI_PAIRING_STATE_COUNT][PERI_CAUSE_COUNT] = {
        //                        gate agent-end user-stop enable resume
        [PERI_PAIRING_ARMED] = {D, R, S, NO, A},
        [PERI_PAIRING_DENIED] = {D, D, S, A, NO},
        [PERI_PAIRING_RETIRED] = {NO, R, S, NO, A},
        [PERI_PAIRING_STOPPED] = {NO, S, S, NO, NO},
    };
    return table[from][cause];
}

int peri_pairing_move(peri_pairing *pairing, peri_cause cause) {
    int next = peri_pairing_next(pairing->state, cause);
    if (next < 0) return PERI_ESTATE;
    if ((peri_pairing_state)next == pairing->state) return 0;
    pairing->state = (peri_pairing_state)next;
    return 1;
}

int peri_own(peri_str *slot, peri_str text) {
    char *copy = NULL;
    if (text.ptr) {
        copy = malloc(text.len ? text.len : 1);
        if (!copy) return PERI_ENOMEM;
        if (text.len) memcpy(copy, text.ptr, text.len);
    }
    free((char *)slot->ptr);
    *slot = (peri_str){copy, copy ? text.len : 0};
    return PERI_OK;
}

void peri_try_own(peri_str *slot, peri_str text) {
    int status = peri_own(slot, text);
    (void)status;
}

static void disown(peri_str *slot) {
    free((char *)slot->ptr);
    *slot = (peri_str){0};
}

void peri_registry_init(peri_registry *registry, uint64_t seed, void (*free_agent)(void *),
                        void (*free_session)(void *)) {
    *registry =
        (peri_registry){.seed = seed, .free_agent = free_agent, .free_session = free_session};
    registry->last = &registry->first;
    peri_map_init(&registry->sessions, PERI_MAX_SESSIONS, seed);
}

static void free_pairing(peri_pairing *pairing) {
    disown(&pairing->saved_state);
    disown(&pairing->transcript);
    disown(&pairing->last_error);
    disown(&pairing->why);
    disown(&pairing->last_drop);
    free(pairing->waiting);
    for (size_t i = 0; i < PERI_LAST_COUNT; i++) {
        disown(&pairing->last[i]);
    }
    free(pairing);
}

static void free_agent(peri_registry *registry, peri_agent *agent) {
    for (size_t i = 0; i < agent->pairing_count; i++) free_pairing(agent->pairings[i]);
    if (agent->attached && registry->free_agent) registry->free_agent(agent->attached);
    free(agent->pairings);
    disown(&agent->key);
    disown(&agent->name);
    disown(&agent->cwd);
    disown(&agent->parent);
    free(agent);
}

static void free_session(peri_registry *registry, peri_session *session) {
    for (peri_agent *agent = session->agents, *next; agent; agent = next) {
        next = agent->next;
        free_agent(registry, agent);
    }
    if (session->attached && registry->free_session) registry->free_session(session->attached);
    disown(&session->id);
    free(session);
}

void peri_registry_deinit(peri_registry *registry) {
    for (peri_session *session = registry->first, *next; session; session = next) {
        next = session->next;
        free_session(registry, session);
    }
    peri_map_deinit(&registry->sessions);
    registry->first = NULL;
    registry->last = &registry->first;
}

static int find_session(peri_registry *registry, peri_str id, peri_session **out) {
    *out = peri_map_get(&registry->sessions, id);
    if (*out) return PERI_OK;
    peri_session *session = calloc(1, sizeof *session);
    if (!session) return PERI_ENOMEM;
    session->last_agent = &session->agents;
    int status = peri_own(&session->id, id);
    if (status == PERI_OK) status = peri_map_set(&registry->sessions, session->id, session);
    if (status < 0) {
        registry->refused_count += status == PERI_ELIMIT;
        free_session(registry, session);
        return status;
    }
    *registry->last = session;
    registry->last = &session->next;
    registry->session_count++;
    *out = session;
    return PERI_OK;
}

static peri_agent *agent_of(const peri_session *session, peri_str key) {
    peri_agent *agent = session->agents;
    while (agent && !peri_str_eq(agent->key, key)) agent = agent->next;
    return agent;
}

peri_agent *peri_registry_find(const peri_registry *registry, peri_str session_id,
                               peri_str key) {
    const peri_session *session = peri_map_get(&registry->sessions, session_id);
    return session ? agent_of(session, key) : NULL;
}

int peri_registry_agent(peri_registry *registry, peri_str session_id, peri_str key,
                        peri_agent **out, bool *made) {
    peri_session *session;
    *made = false;
    int status = find_session(registry, session_id, &session);
    if (status < 0) return status;
    peri_agent *agent = agent_of(session, key);
    if (agent) {
        *out = agent;
        return PERI_OK;
    }
    if (session->agent_count >= PERI_MAX_AGENTS) {
        registry->refused_count++;
        return PERI_ELIMIT;
    }
    agent = calloc(1, sizeof *agent);
    if (!agent) return PERI_ENOMEM;
    agent->session = session;
    status = peri_own(&agent->key, key);
    if (status < 0) {
        free(agent);
        return status;
    }
    *session->last_agent = agent;
    session->last_agent = &agent->next;
    session->agent_count++;
    registry->agent_count++;
    *out = agent;
    *made = true;
    return PERI_OK;
}

bool peri_pairing_applies(const peri_observer *observer, const peri_agent *agent) {
    if (!observer->enabled || agent->is_observer || agent->session->is_observer) return false;
    if (peri_str_eq(observer->name, agent->name)) return false;
    for (size_t i = 0; i < observer->agent_count; i++) {
        if (peri_str_eq(observer->agents[i], agent->key) ||
            (agent->name.len && peri_str_eq(observer->agents[i], agent->name))) {
            return true;
        }
    }
    return observer->agents == NULL;
}

static bool is_paired(const peri_agent *agent, const peri_observer *observer) {
    for (size_t i = 0; i < agent->pairing_count; i++) {
        if (peri_str_eq(agent->pairings[i]->observer->name, observer->name)) return true;
    }
    return false;
}

// Stable in replay: made of the agent key and the observer's name.
void peri_pairing_renew(peri_pairing *pairing, uint64_t salt) {
    const peri_agent *agent = pairing->agent;
    uint64_t hash = peri_str_hash(agent->session->id, PERI_HASH_SEED ^ salt);
    hash = peri_str_hash(PERI_STR("\0"), hash);
    hash = peri_str_hash(agent->key, hash);
    hash = peri_str_hash(PERI_STR("\0"), hash);
    hash = peri_str_hash(pairing->observer->name, hash);
    snprintf(pairing->task_id, sizeof pairing->task_id, "%016llx", (unsigned long long)hash);
}

static peri_pairing *add_pairing(peri_agent *agent, const peri_observer *observer) {
    size_t count = agent->pairing_count;
    peri_pairing **pairings = realloc(agent->pairings, (count + 1) * sizeof *pairings);
    if (!pairings) return NULL;
    agent->pairings = pairings;
    peri_pairing *pairing = calloc(1, sizeof *pairing);
    if (!pairing) return NULL;
    pairings[agent->pairing_count++] = pairing;
    *pairing = (peri_pairing){.agent = agent, .observer = observer, .cursor = 1, .mode = -1};
    peri_pairing_renew(pairing, 0);
    return pairing;
}

int peri_registry_arm(peri_registry *registry, peri_agent *agent,
                      const peri_observer *const *observers, size_t count,
                      void (*on_armed)(void *user, peri_pairing *pairing), void *user) {
    if (agent->armed) return PERI_OK;
    agent->armed = true;
    for (size_t i = 0; i < count; i++) {
        if (!peri_pairing_applies(observers[i], agent) || is_paired(agent, observers[i]))
            continue;
        if (agent->pairing_count == PERI_MAX_PAIRINGS) return PERI_ELIMIT;
        peri_pairing *pairing = add_pairing(agent, observers[i]);
        if (!pairing) {
            agent->armed = false;
            return PERI_ENOMEM;
        }
        registry->pairing_count++;
        if (on_armed) on_armed(user, pairing);
    }
    return PERI_OK;
}

int peri_registry_pair(peri_registry *registry, peri_agent *agent,
                       const peri_observer *observer,
                       void (*on_armed)(void *user, peri_pairing *pairing), void *user) {
    if (agent->is_observer || agent->session->is_observer || is_paired(agent, observer))
        return 0;
    if (agent->pairing_count == PERI_MAX_PAIRINGS) return PERI_ELIMIT;
    peri_pairing *pairing = add_pairing(agent, observer);
    if (!pairing) return PERI_ENOMEM;
    pairing->named = true;
    registry->pairing_count++;
    if (on_armed) on_armed(user, pairing);
    return 1;
}
