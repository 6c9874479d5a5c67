// `x.whole` of an observation: a value that perilune kept in part stands in the record as it
// was kept, and here stands how large the whole was. Without it a digest made of emitted
// observations would name other numbers than one made of the agent's own stream. The numbers
// are foreign: they can lengthen what is said to be missing, never what is kept.
#include "ingest/whole.h"

#include "ingest/content.h"

static uint32_t count_of(peri_json said, peri_str key) {
    int64_t count;
    if (peri_json_int(peri_json_get(said, key), &count) < 0 || count < 0) return 0;
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

// Between head and tail of a written text stands a mark for people: it is no part of either.
static void restore_text(peri_text *text, peri_json said) {
    uint32_t head_cp = count_of(said, PERI_STR("head"));
    uint32_t tail_cp = count_of(said, PERI_STR("tail"));
    uint32_t cp = count_of(said, PERI_STR("codePoints"));
    uint32_t u16 = count_of(said, PERI_STR("characters"));
    peri_str end = text->cut ? text->tail : text->head;
    peri_text ends = peri_text_of(end, (peri_text_caps){0, tail_cp});
    text->tail = ends.cut ? ends.tail : end;
    if (tail_cp == 0) text->tail = (peri_str){0};
    text->head = peri_str_sub(text->head, 0, peri_utf8_cut_cp(text->head, head_cp).bytes);
    size_t kept = peri_utf8_count(text->head).cp + peri_utf8_count(text->tail).cp;
    text->cp = cp > kept ? cp : (uint32_t)kept;
    text->u16 = u16 > text->cp ? u16 : text->cp;
    text->cut = true;
}

// A JSON value stands as a shortened form that still parses, with its beginning in `text`; or
// as its beginning alone, in a string.
static void restore_json(peri_obs_value *value, peri_json said, peri_json written,
                         peri_arena *arena) {
    peri_json text = peri_json_get(said, PERI_STR("text"));
    if (peri_json_type_of(text) == PERI_JSON_STRING) {
        peri_obs_value form = {0};
        peri_obs_fill(&form, 'J', written, (peri_text_caps){PERI_BOUNDED_MAX_BYTES, 0}, arena);
        value->bounded = form.text.cut ? (peri_str){0} : form.text.head;
    } else {
        text = written;
        value->bounded = (peri_str){0};
    }
    value->text = peri_json_text(text, (peri_text_caps){PERI_INPUT_HEAD_CP, 0}, arena);
}

static void restore_value(peri_obs *obs, peri_obs_field field, peri_json said,
                          peri_json written, peri_arena *arena) {
    const peri_obs_value *read = peri_obs_get(obs, field);
    char type = peri_obs_field_type(field);
    if (!read || (type != 'S' && type != 'J')) return;
    peri_obs_value value = *read;
    if (type == 'J') restore_json(&value, said, written, arena);
    restore_text(&value.text, said);
    int64_t hash;
    peri_str digits = peri_json_raw(peri_json_get(said, PERI_STR("hash")));
    if (peri_str_int(digits, &hash) == PERI_OK) value.hash = (uint64_t)hash;
    peri_obs_value *slot = peri_obs_add(obs, field);
    if (slot) *slot = value;
}

void peri_extract_whole(peri_obs *obs, peri_json whole, peri_json record, peri_arena *arena) {
    for (peri_json_iter it = peri_json_begin(whole); peri_json_more(&it);) {
        peri_obs_field field = peri_obs_field_find(it.key);
        if (peri_str_eq(it.key, PERI_STR("output"))) {
            if (!peri_text_absent(&obs->x.output)) restore_text(&obs->x.output, it.value);
        } else if (field != PERI_OBS_FIELD_COUNT) {
            restore_value(obs, field, it.value, peri_json_get(record, it.key), arena);
        }
    }
}
