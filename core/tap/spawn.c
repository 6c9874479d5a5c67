// Which call started which agent (join.h). Formats tell it by a task's start record, by a
// call's result, by the record that the child's first one follows, or only by the type that a
// call asked for; an agent may be known by its call's id before its own is told.
#include <stdlib.h>

#include "tap/join.h"

static peri_str text_of(const char id[PERI_JOIN_ID_BYTES]) {
    return peri_str_of(id, strnlen(id, PERI_JOIN_ID_BYTES));
}

static bool is(const char id[PERI_JOIN_ID_BYTES], peri_str text) {
    return text.len && peri_str_eq(text_of(id), text);
}

static void keep(char id[PERI_JOIN_ID_BYTES], peri_str text) {
    if (!text.len || text.len > PERI_JOIN_ID_BYTES) return;
    memset(id, 0, PERI_JOIN_ID_BYTES);
    memcpy(id, text.ptr, text.len);
}

static uint64_t hash_of(peri_str text) {
    return text.len ? peri_str_hash(text, PERI_HASH_SEED) | 1 : 0;
}

typedef enum spawn_key { BY_CALL, BY_AGENT, BY_RECORD, BY_CHILD } spawn_key;

// The newest spawn of the session that fits; by a child's type only one without an agent.
static peri_spawn *find(const peri_joiner *joiner, peri_str session, spawn_key by,
                        peri_str text) {
    uint64_t of = hash_of(session), record = hash_of(text);
    if (!joiner->spawns || !text.len) return NULL;
    size_t count = joiner->spawn_count;
    size_t oldest = count > PERI_JOIN_SPAWNS ? count - PERI_JOIN_SPAWNS : 0;
    for (size_t i = count; i-- > oldest;) {
        peri_spawn *spawn = &joiner->spawns[i % PERI_JOIN_SPAWNS];
        if (spawn->session != of) continue;
        bool fits = by == BY_CALL     ? is(spawn->call_id, text)
                    : by == BY_AGENT  ? is(spawn->agent, text)
                    : by == BY_RECORD ? spawn->record == record
                                      : !spawn->agent[0] && is(spawn->child, text);
        if (fits) return spawn;
    }
    return NULL;
}

static peri_spawn *add(peri_joiner *joiner, peri_str session, peri_str call_id) {
    if (!joiner->spawns) joiner->spawns = calloc(PERI_JOIN_SPAWNS, sizeof *joiner->spawns);
    if (!joiner->spawns) return NULL;
    peri_spawn *spawn = &joiner->spawns[joiner->spawn_count++ % PERI_JOIN_SPAWNS];
    *spawn = (peri_spawn){.session = hash_of(session)};
    keep(spawn->call_id, call_id);
    return spawn;
}

static void learn_call(peri_joiner *joiner, const peri_obs *obs) {
    peri_str call_id = peri_obs_str(obs, PERI_OBS_F_CALL_ID);
    if (!call_id.len || call_id.len > PERI_JOIN_ID_BYTES) return;
    peri_spawn *spawn = find(joiner, obs->session, BY_CALL, call_id);
    if (!spawn) spawn = add(joiner, obs->session, call_id);
    if (!spawn) return; // out of memory: the child stays without a parent
    keep(spawn->child, obs->x.child);
    spawn->record = hash_of(obs->x.record);
}

static void set_text(peri_obs *obs, peri_obs_field field, peri_str text) {
    peri_obs_value *value = peri_obs_add(obs, field);
    if (value) value->text = peri_text_of(text, (peri_text_caps){PERI_JOIN_ID_BYTES, 0});
}

// The start or end of a child: links it to its call, and says which call that is.
static void learn_agent(peri_joiner *joiner, peri_obs *obs) {
    peri_str call_id = peri_obs_str(obs, PERI_OBS_F_CALL_ID);
    peri_str id = peri_obs_str(obs, PERI_OBS_F_ID);
    peri_spawn *spawn = find(joiner, obs->session, BY_AGENT, id);
    if (!spawn) spawn = find(joiner, obs->session, BY_CALL, call_id);
    if (!spawn && call_id.len) spawn = add(joiner, obs->session, call_id);
    peri_str type = obs->x.child.len ? obs->x.child : obs->x.agent_name;
    if (!spawn) spawn = find(joiner, obs->session, BY_CHILD, type);
    if (spawn) {
        keep(spawn->agent, id);
        if (!spawn->child[0]) keep(spawn->child, type);
    } else if (obs->x.unspawned) {
        obs->x.observer = true;
    }
    if (!call_id.len) {
        set_text(obs, PERI_OBS_F_CALL_ID, spawn ? text_of(spawn->call_id) : PERI_STR(""));
    }
    if (!peri_obs_get(obs, PERI_OBS_F_NAME)) set_text(obs, PERI_OBS_F_NAME, PERI_STR("Agent"));
}

// The call that started the agent of `obs`; links them if the record says so.
static peri_spawn *spawn_of(peri_joiner *joiner, const peri_obs *obs) {
    peri_spawn *spawn = find(joiner, obs->session, BY_AGENT, obs->agent);
    if (spawn) return spawn;
    spawn = find(joiner, obs->session, BY_CALL, obs->agent); // known by its call so far
    if (spawn) return spawn;
    spawn = find(joiner, obs->session, BY_CALL, obs->x.parent);
    if (!spawn) spawn = find(joiner, obs->session, BY_RECORD, obs->x.parent_record);
    if (spawn && !spawn->agent[0]) keep(spawn->agent, obs->agent);
    return spawn;
}

void peri_joiner_place(peri_joiner *joiner, peri_obs *obs) {
    if (obs->kind == PERI_OBS_TOOL && obs->x.child.len) learn_call(joiner, obs);
    if (obs->kind == PERI_OBS_SUBAGENT) learn_agent(joiner, obs);
    if (peri_str_eq(obs->agent, PERI_STR("main"))) return;
    const peri_spawn *spawn = spawn_of(joiner, obs);
    if (spawn) {
        if (spawn->agent[0]) obs->agent = text_of(spawn->agent);
        if (!obs->x.parent.len) obs->x.parent = text_of(spawn->call_id);
        if (!obs->x.agent_name.len) obs->x.agent_name = text_of(spawn->child);
    }
    if (!obs->subagent_id.len) obs->subagent_id = obs->agent;
    if (obs->x.parent.len && !peri_obs_get(obs, PERI_OBS_F_PARENT_CALL_ID) &&
        peri_obs_needs(obs->kind, PERI_OBS_F_PARENT_CALL_ID) == PERI_OBS_OPTIONAL) {
        set_text(obs, PERI_OBS_F_PARENT_CALL_ID, obs->x.parent);
    }
}
