// Telling each fact once. Everything here is bounded: what is forgotten may be told twice, what
// is remembered never is.
#include "tap/join.h"

#include <stdlib.h>

#include "tap/step.h"

static uint64_t hash_on(peri_str text, uint64_t hash) {
    hash = (hash ^ peri_str_hash_wide(text)) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static uint64_t number_on(uint64_t number, uint64_t hash) {
    return hash_on(peri_str_of((const char *)&number, sizeof number), hash);
}

void peri_joiner_init(peri_joiner *joiner) {
    *joiner = (peri_joiner){0};
    peri_seen_init(&joiner->records, PERI_JOIN_RECORDS);
    peri_seen_init(&joiner->voids, PERI_JOIN_RECORDS);
    peri_seen_init(&joiner->calls, PERI_JOIN_CALLS);
    peri_json_doc_init(&joiner->doc);
}

void peri_joiner_deinit(peri_joiner *joiner) {
    peri_seen_deinit(&joiner->records);
    peri_seen_deinit(&joiner->voids);
    peri_seen_deinit(&joiner->calls);
    peri_json_doc_deinit(&joiner->doc);
    free(joiner->spawns);
    *joiner = (peri_joiner){0};
}

void peri_join_init(peri_join *join) {
    *join = (peri_join){0};
    peri_buf_init(&join->pieces, PERI_JOIN_ASSEMBLED_BYTES);
}

void peri_join_deinit(peri_join *join) {
    peri_buf_deinit(&join->pieces);
}

// ---- records

static uint64_t record_hash(peri_str record) {
    return peri_str_hash_wide(record);
}

// What an observation says, as far as two that are the same agree on it.
static uint64_t content_hash(const peri_obs *obs, uint64_t hash) {
    const peri_obs_value *text = peri_obs_get(obs, PERI_OBS_F_TEXT);
    if (obs->kind == PERI_OBS_MESSAGE_USAGE || obs->kind == PERI_OBS_USAGE) {
        hash = number_on((uint64_t)obs->tokens.input, hash);
        hash = number_on((uint64_t)obs->tokens.output, hash);
    }
    return hash_on(peri_obs_str(obs, PERI_OBS_F_CALL_ID),
                   number_on(text ? text->hash : 0, hash));
}

// One record gives several observations: each of them is told once. An id alone is not trusted:
// what says something else is something else.
static bool record_told(peri_joiner *joiner, const peri_obs *obs) {
    if (!obs->x.record.len) return false;
    uint64_t record = record_hash(obs->x.record), value;
    if (peri_seen_get(&joiner->voids, record, &value)) return true;
    uint64_t place = (uint64_t)obs->ordinal << 8 | (uint64_t)obs->kind;
    uint64_t key = content_hash(obs, number_on(place, record));
    if (peri_seen_get(&joiner->records, key, &value)) return true;
    (void)peri_seen_try_set(&joiner->records, key, 1); // out of memory: it may be told again
    return false;
}

// ---- calls

enum { CALLED = 1, RESULTED = 2, PARTIAL = 4, SOURCE_SHIFT = 8 };

static uint64_t call_key(peri_str session, peri_join_source source, peri_str call_id) {
    uint64_t hash = hash_on(call_id, peri_str_hash_wide(session));
    return source.local_ids ? number_on(source.number, hash) : hash;
}

bool peri_join_has_call(const peri_joiner *joiner, peri_str session, peri_join_source source,
                        peri_str call_id) {
    uint64_t known;
    return peri_seen_get(&joiner->calls, call_key(session, source, call_id), &known);
}

// A source that makes a call behind the result it told of the same id means another call: some
// agents count from 0 in every answer.
static peri_join_verdict check_call(peri_joiner *joiner, peri_join_source source,
                                    uint64_t key) {
    uint64_t known = 0;
    (void)peri_seen_get(&joiner->calls, key, &known);
    if (known & CALLED) {
        bool again = (known & RESULTED) && known >> SOURCE_SHIFT == source.number;
        if (!again) return PERI_JOIN_REPEAT;
        known = 0;
    }
    known |= CALLED | (uint64_t)source.number << SOURCE_SHIFT;
    (void)peri_seen_try_set(&joiner->calls, key, known);
    return PERI_JOIN_NEW;
}

// Only what mends an item travels on: the text, how it ended, how long it took.
static void become_mending(peri_obs *obs) {
    static const peri_obs_field gone[] = {PERI_OBS_F_NAME, PERI_OBS_F_IS_ERROR,
                                          PERI_OBS_F_PREVIEW, PERI_OBS_F_CHARACTERS,
                                          PERI_OBS_F_REASON};
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++) peri_obs_del(obs, gone[i]);
    obs->kind = PERI_OBS_TOOL_OUTPUT;
    obs->x.mends = true;
    peri_obs_value *channel = peri_obs_add(obs, PERI_OBS_F_CHANNEL);
    if (channel) channel->text = peri_text_of(PERI_STR("stdout"), (peri_text_caps){8, 0});
    peri_obs_value *text = peri_obs_add(obs, PERI_OBS_F_TEXT);
    if (text) text->text = obs->x.output;
}

static peri_join_verdict check_result(peri_joiner *joiner, peri_obs *obs, uint64_t key) {
    uint64_t known = 0;
    (void)peri_seen_get(&joiner->calls, key, &known);
    bool told = known & RESULTED, better = (known & PARTIAL) && !obs->x.partial;
    known |= RESULTED | (!told && obs->x.partial ? PARTIAL : 0);
    if (better) known &= ~(uint64_t)PARTIAL;
    (void)peri_seen_try_set(&joiner->calls, key, known);
    if (!told) return PERI_JOIN_NEW;
    if (!better) return PERI_JOIN_REPEAT;
    become_mending(obs);
    return PERI_JOIN_MORE;
}

// ---- usage

// A message's usage is one source's: that may tell it again as it grows, another may not.
static peri_join_verdict check_usage(peri_joiner *joiner, peri_join_source source,
                                     const peri_obs *obs) {
    peri_str id = peri_obs_str(obs, PERI_OBS_F_MESSAGE_ID);
    if (!id.len) return PERI_JOIN_NEW;
    uint64_t key = ~hash_on(id, peri_str_hash_wide(obs->session)), known = 0;
    uint64_t counts = number_on((uint64_t)obs->tokens.input,
                                number_on((uint64_t)obs->tokens.output, PERI_HASH_SEED));
    uint64_t now = (uint64_t)source.number << 32 | (counts & UINT32_MAX);
    if (peri_seen_get(&joiner->calls, key, &known) &&
        (known == now || known >> 32 != source.number)) {
        return PERI_JOIN_REPEAT;
    }
    (void)peri_seen_try_set(&joiner->calls, key, now);
    return PERI_JOIN_NEW;
}

// ---- texts

static uint64_t text_hash(const peri_obs *obs) {
    const peri_obs_value *value = peri_obs_get(obs, PERI_OBS_F_TEXT);
    peri_str text = value ? peri_str_trim(value->text.head) : (peri_str){0};
    return text.len ? peri_str_hash_wide(text) | 1 : 0;
}

// The twin of this text that another source told, where at least one of both has no record id.
static bool twin_told(peri_join *join, peri_join_source source, const peri_obs *obs,
                      uint64_t hash) {
    bool has_record = obs->x.record.len > 0;
    for (size_t i = 0; i < PERI_JOIN_TEXTS; i++) {
        peri_told *told = &join->told[i];
        if (told->text != hash || !told->source || told->source == source.number) continue;
        if (told->has_record && has_record) continue;
        told->source = 0;
        return true;
    }
    join->told[join->told_count++ % PERI_JOIN_TEXTS] =
        (peri_told){.text = hash, .source = source.number, .has_record = has_record};
    return false;
}

// Results may come late, when the next turn has spoken already.
static bool was_said(const peri_join *join, uint64_t hash) {
    for (size_t i = 0; i < PERI_JOIN_TEXTS; i++) {
        if (join->told[i].text == hash) return true;
    }
    return hash == join->last_text;
}

static peri_join_verdict check_text(peri_join *join, peri_join_source source,
                                    const peri_obs *obs) {
    uint64_t hash = text_hash(obs);
    if (!hash) return PERI_JOIN_NEW;
    bool said = obs->kind != PERI_OBS_PROMPT;
    if (obs->kind == PERI_OBS_RESULT && was_said(join, hash)) return PERI_JOIN_QUIET;
    if (obs->x.repeats && hash == join->last_text) return PERI_JOIN_REPEAT;
    if (twin_told(join, source, obs, said ? hash : ~hash)) return PERI_JOIN_REPEAT;
    if (said) join->last_text = hash;
    return PERI_JOIN_NEW;
}

static peri_join_verdict check_by_kind(peri_joiner *joiner, peri_join *join,
                                       peri_join_source source, peri_obs *obs) {
    peri_str call_id = peri_obs_str(obs, PERI_OBS_F_CALL_ID);
    uint64_t key = call_id.len ? call_key(obs->session, source, call_id) : 0;
    switch (obs->kind) {
    case PERI_OBS_TOOL:
        return key ? check_call(joiner, source, key) : PERI_JOIN_NEW;
    case PERI_OBS_TOOL_RESULT:
    case PERI_OBS_TOOL_DENIED:
        return key ? check_result(joiner, obs, key) : PERI_JOIN_NEW;
    case PERI_OBS_TOOL_OUTPUT:
        return obs->x.mends ? PERI_JOIN_MORE : PERI_JOIN_NEW;
    case PERI_OBS_MESSAGE_USAGE:
        return check_usage(joiner, source, obs);
    case PERI_OBS_TEXT:
    case PERI_OBS_RESULT:
    case PERI_OBS_PROMPT:
        return check_text(join, source, obs);
    default:
        return PERI_JOIN_NEW;
    }
}

peri_join_verdict peri_join_check(peri_joiner *joiner, peri_join *join, peri_join_source source,
                                  peri_obs *obs) {
    peri_join_verdict verdict =
        record_told(joiner, obs) ? PERI_JOIN_REPEAT : check_by_kind(joiner, join, source, obs);
    joiner->repeat_count += verdict == PERI_JOIN_REPEAT;
    return verdict;
}

// ---- pieces

static bool is_piece(const peri_obs *obs) {
    return obs->kind == PERI_OBS_TEXT_DELTA && obs->x.assemble;
}

static void begin_text(peri_join *join, const peri_obs *piece) {
    peri_buf_clear(&join->pieces);
    join->left_out = 0;
    join->assembling = true;
    peri_obs_init(&join->assembled, PERI_OBS_TEXT);
    join->assembled.has_at = piece->has_at;
    join->assembled.at_wall_ms = piece->at_wall_ms;
    peri_str answer = piece->x.answer;
    if (answer.len > sizeof join->pieces_answer) answer.len = 0;
    if (answer.len) memcpy(join->pieces_answer, answer.ptr, answer.len);
    join->assembled.x.answer = peri_str_of(join->pieces_answer, answer.len);
}

static void add_piece(peri_join *join, const peri_obs *piece) {
    peri_str text = peri_obs_str(piece, PERI_OBS_F_TEXT);
    peri_buf_add(&join->pieces, text);
    if (join->pieces.status < 0) join->left_out += peri_utf8_count(text).cp;
}

static peri_obs *close_text(peri_join *join) {
    peri_obs_value *value = peri_obs_add(&join->assembled, PERI_OBS_F_TEXT);
    value->text = peri_text_of(peri_buf_str(&join->pieces), (peri_text_caps){64000, 0});
    value->text.cp += (uint32_t)join->left_out;
    value->text.u16 += (uint32_t)join->left_out;
    value->text.cut = value->text.cut || join->left_out;
    value->hash = peri_str_hash_wide(value->text.head);
    join->assembling = false;
    return &join->assembled;
}

peri_obs *peri_join_assembled(peri_join *join, const peri_obs *next) {
    bool piece = next && is_piece(next);
    if (join->assembling && !(piece && peri_str_eq(next->x.answer, join->assembled.x.answer))) {
        return close_text(join);
    }
    if (!piece) return NULL;
    if (!join->assembling) begin_text(join, next);
    add_piece(join, next);
    return NULL;
}

// ---- what is void, what is mended

size_t peri_join_withdraw(peri_joiner *joiner, const peri_obs *obs, uint32_t turn,
                          peri_tap *tap) {
    size_t count = 0;
    if (obs->x.retracts.len && peri_json_parse(&joiner->doc, obs->x.retracts) == PERI_OK) {
        peri_json root = peri_json_root(&joiner->doc);
        for (peri_json_iter it = peri_json_begin(root); peri_json_more(&it);) {
            uint64_t record = record_hash(peri_json_raw(it.value));
            (void)peri_seen_try_set(&joiner->voids, record, 1);
            count += peri_tap_withdraw(tap, record, 0);
        }
    }
    if (obs->x.rollback) {
        uint32_t first = obs->x.rollback < turn ? turn - obs->x.rollback + 1 : 1;
        count += peri_tap_withdraw(tap, 0, first);
    }
    joiner->withdrawn_count += count;
    return count;
}

int peri_join_mend(const peri_obs *obs, peri_join_verdict verdict, peri_tap *tap) {
    peri_str call_id = peri_obs_str(obs, PERI_OBS_F_CALL_ID);
    const peri_item *item = peri_tap_find_call(tap, PERI_ITEM_TOOL_RESULT, call_id);
    if (!item) item = peri_tap_find_call(tap, PERI_ITEM_TOOL_DENIED, call_id);
    if (!item) return PERI_OK; // it was dropped, or nobody listens
    peri_item mended = *item;
    bool empty = verdict == PERI_JOIN_MORE || item->text.cp == 0;
    if (empty && !peri_text_absent(&obs->x.output)) {
        mended.text = obs->x.output;
        mended.hash = peri_item_output_hash(&mended.text);
    }
    if (mended.exit_code == PERI_OBS_NO_EXIT) mended.exit_code = obs->x.exit_code;
    if (mended.duration_ms == 0) mended.duration_ms = obs->x.duration_ms;
    return peri_tap_replace(tap, item, &mended);
}
