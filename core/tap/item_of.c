// From observation to activity: which of the 36 kinds an observer is shown, and as what.
#include "tap/step.h"

enum { RAW_MAX_CP = 2000 };

static const peri_text *text_of(const peri_obs *obs, peri_obs_field field) {
    static const peri_text none;
    const peri_obs_value *value = peri_obs_get(obs, field);
    return value ? &value->text : &none;
}

static uint64_t hash_of(const peri_obs *obs, peri_obs_field field) {
    const peri_obs_value *value = peri_obs_get(obs, field);
    return value ? value->hash : 0;
}

uint64_t peri_item_output_hash(const peri_text *output) {
    return peri_str_hash_wide(output->head) ^ peri_str_hash_wide(output->tail) ^ output->cp;
}

// A result's whole text where we have it, else its preview with the length it tells.
static void fill_result(const peri_obs *obs, peri_item *item) {
    if (!peri_text_absent(&obs->x.output)) {
        item->text = obs->x.output;
        item->hash = peri_item_output_hash(&item->text);
        return;
    }
    item->text = *text_of(obs, PERI_OBS_F_PREVIEW);
    item->hash = hash_of(obs, PERI_OBS_F_PREVIEW);
    const peri_obs_value *count = peri_obs_get(obs, PERI_OBS_F_CHARACTERS);
    if (count && count->number > item->text.u16 && count->number < UINT32_MAX) {
        uint32_t beyond = (uint32_t)count->number - item->text.u16;
        item->text.u16 += beyond;
        item->text.cp += beyond;
        item->text.cut = true;
    }
}

// A record of no kind we know: its beginning, or all of it where that is short (case C09).
static void fill_raw(const peri_obs *obs, peri_item *item) {
    const peri_text *value = text_of(obs, PERI_OBS_F_VALUE);
    peri_str head = value->head;
    item->kind = PERI_ITEM_RAW;
    item->hash = hash_of(obs, PERI_OBS_F_VALUE);
    item->text = *value;
    item->text.head.len = peri_utf8_cut_cp(head, RAW_MAX_CP).bytes;
    item->text.tail = (peri_str){0};
    item->text.cut = value->cut || item->text.head.len < head.len;
}

static bool fill_prompt(const peri_obs *obs, peri_item *item) {
    peri_str origin = obs->x.origin;
    bool human = !origin.len || peri_str_eq(origin, PERI_STR("human"));
    item->kind = human ? PERI_ITEM_USER_MESSAGE : PERI_ITEM_NON_USER_MESSAGE;
    item->name = human ? (peri_str){0} : origin;
    item->text = *text_of(obs, PERI_OBS_F_TEXT);
    item->hash = hash_of(obs, PERI_OBS_F_TEXT);
    return !peri_utf8_blank(item->text.head);
}

bool peri_item_of(const peri_obs *obs, peri_item *out) {
    *out = (peri_item){
        .seq = obs->seq,
        .at_wall_ms = obs->has_at ? obs->at_wall_ms : 0,
        .exit_code = obs->x.exit_code,
        .duration_ms = obs->x.duration_ms,
        .record = obs->x.record.len ? peri_str_hash_wide(obs->x.record) : 0,
        .call_id = peri_obs_str(obs, PERI_OBS_F_CALL_ID),
        .name = peri_obs_str(obs, PERI_OBS_F_NAME),
    };
    switch (obs->kind) {
    case PERI_OBS_RESULT: // where it says what no text said before
    case PERI_OBS_TEXT:
        out->kind = PERI_ITEM_ASSISTANT_TEXT;
        out->name = (peri_str){0};
        out->text = *text_of(obs, PERI_OBS_F_TEXT);
        return !peri_utf8_blank(out->text.head);
    case PERI_OBS_TOOL: {
        const peri_obs_value *input = peri_obs_get(obs, PERI_OBS_F_INPUT);
        out->kind = PERI_ITEM_TOOL_CALL;
        out->text =
            input ? input->text : peri_text_of(PERI_STR("null"), (peri_text_caps){4, 0});
        out->bounded = input ? input->bounded : (peri_str){0};
        out->hash = peri_str_hash(out->name, input ? input->hash : PERI_HASH_SEED);
        return true;
    }
    case PERI_OBS_TOOL_RESULT:
        out->kind = PERI_ITEM_TOOL_RESULT;
        out->is_error = peri_obs_flag(obs, PERI_OBS_F_IS_ERROR);
        fill_result(obs, out);
        return true;
    case PERI_OBS_TOOL_DENIED:
        out->kind = PERI_ITEM_TOOL_DENIED;
        out->is_error = true;
        out->text = *text_of(obs, PERI_OBS_F_REASON);
        return true;
    case PERI_OBS_PROMPT:
    case PERI_OBS_STEER:
        return fill_prompt(obs, out);
    case PERI_OBS_INSTRUCTIONS_LOADED:
        out->kind = PERI_ITEM_GUIDANCE_LOADED;
        out->name = obs->x.source;
        out->text = obs->x.output;
        return out->name.len > 0;
    case PERI_OBS_SKILLS_LOADED:
        out->kind = PERI_ITEM_SKILLS_DISCOVERED;
        out->name = obs->x.source;
        out->text = *text_of(obs, PERI_OBS_F_NAMES);
        return out->name.len > 0;
    case PERI_OBS_RAW:
        fill_raw(obs, out);
        return true;
    default:
        return false;
    }
}

bool peri_origin_is_echo(peri_str origin) {
    return peri_str_starts(origin, PERI_STR("observer:"));
}
