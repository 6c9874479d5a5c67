// A foreign JSON value as what an observation keeps of it: both ends of a text, a compact form
// with one that still parses, numbers digit for digit. Bounded here, whatever the record's
// size.
#include "ingest/content.h"

// What a content block shows as text; an image is named, not shown.
static peri_json block_text(peri_json block) {
    if (peri_json_type_of(block) == PERI_JSON_STRING) return block;
    peri_json text = peri_json_get(block, PERI_STR("text"));
    return peri_json_type_of(text) == PERI_JSON_STRING ? text : (peri_json){0};
}

// Room for `bytes` in the arena, as a buffer that never grows; its
// status is PERI_ENOMEM if there is none.
static peri_buf room_of(peri_arena *arena, size_t bytes) {
    peri_buf room = {.ptr = peri_arena_alloc(arena, bytes + 1), .max = bytes};
    room.cap = room.ptr ? bytes + 1 : 0;
    room.status = room.ptr ? PERI_OK : PERI_ENOMEM;
    return room;
}

// What was written, the rest of the room given back; absent if it was too small.
static peri_str close_room(const peri_buf *room, peri_arena *arena) {
    if (room->ptr) peri_arena_shrink(arena, room->ptr, room->max + 1, room->len);
    return room->status < 0 ? (peri_str){0} : peri_buf_str(room);
}

// Blocks that do not fit are counted, not kept.
static void add_block(peri_buf *joined, peri_json block, peri_arena *arena, size_t *left_out) {
    if (joined->len) peri_buf_add_byte(joined, '\n');
    peri_json text = block_text(block);
    if (!text.doc) {
        peri_str type = peri_json_raw(peri_json_get(block, PERI_STR("type")));
        peri_buf_addf(joined, "[%.*s]", PERI_FMT(type.len ? type : PERI_STR("block")));
        return;
    }
    peri_text part = peri_json_text(text, (peri_text_caps){PERI_TEXT_HEAD_CP, 0}, arena);
    peri_buf_add(joined, part.head);
    size_t kept = joined->status < 0 ? 0 : peri_utf8_count(part.head).cp;
    *left_out += part.cp - kept;
    if (part.head.len) peri_arena_shrink(arena, part.head.ptr, part.head.len, 0);
}

enum { JOINED_MAX_BYTES = 1024 * 1024, BLOCK_WORD_BYTES = 16 };

// Several blocks: joined in full up to a cap, then treated as one text.
static peri_text joined_text(peri_json array, peri_text_caps caps, peri_arena *arena) {
    size_t bytes = peri_json_raw(array).len + peri_json_count(array) * BLOCK_WORD_BYTES;
    peri_buf joined = room_of(arena, bytes < JOINED_MAX_BYTES ? bytes : JOINED_MAX_BYTES);
    size_t left_out = 0;
    for (peri_json_iter it = peri_json_begin(array); peri_json_more(&it);) {
        add_block(&joined, it.value, arena, &left_out);
    }
    peri_text text = peri_text_of(joined.ptr ? peri_buf_str(&joined) : PERI_STR(""), caps);
    text.cp += (uint32_t)left_out;
    text.u16 += (uint32_t)left_out;
    text.cut = text.cut || left_out || joined.status < 0;
    return text;
}

peri_text peri_content_text(peri_json from, peri_text_caps caps, peri_arena *arena) {
    switch (peri_json_type_of(from)) {
    case PERI_JSON_STRING:
        return peri_json_text(from, caps, arena);
    case PERI_JSON_ARRAY: {
        peri_json_iter it = peri_json_begin(from);
        if (!peri_json_more(&it)) return peri_text_of(PERI_STR(""), caps);
        peri_json only = block_text(it.value);
        if (only.doc && !peri_json_more(&it)) return peri_json_text(only, caps, arena);
        return joined_text(from, caps, arena);
    }
    case PERI_JSON_NUMBER:
    case PERI_JSON_BOOL:
        return peri_text_of(peri_json_raw(from), caps);
    case PERI_JSON_OBJECT: {
        peri_obs_value value = {0};
        peri_obs_fill(&value, 'J', from, caps, arena);
        return value.text;
    }
    default:
        return (peri_text){0};
    }
}

// A compact form's bytes are at most six for each of the source's (a control character as
// \u0001), and at most four for each code point asked for.
static size_t compact_bytes(peri_json from, size_t head_cp) {
    size_t by_source = 6 * peri_json_raw(from).len + 8, by_head = 4 * head_cp;
    return by_source < by_head ? by_source : by_head;
}

static peri_text compact_text(peri_json from, size_t head_cp, peri_arena *arena) {
    peri_buf out = room_of(arena, compact_bytes(from, head_cp));
    peri_utf8_size whole = peri_json_compact(from, &out, head_cp, 0);
    return (peri_text){
        .head = close_room(&out, arena),
        .cp = (uint32_t)whole.cp,
        .u16 = (uint32_t)whole.u16,
        .cut = whole.cp > head_cp,
    };
}

peri_str peri_content_bounded(peri_json from, peri_arena *arena) {
    peri_buf out = room_of(arena, PERI_BOUNDED_MAX_BYTES);
    (void)peri_json_compact(from, &out, SIZE_MAX, PERI_BOUNDED_STRING_CP);
    return close_room(&out, arena);
}

void peri_obs_fill(peri_obs_value *value, char type, peri_json from, peri_text_caps caps,
                   peri_arena *arena) {
    switch (type) {
    case 'B':
        value->flag = peri_json_is_true(from);
        return;
    case 'N':
        if (peri_json_double(from, &value->number) < 0) return;
        value->text = peri_text_of(peri_json_raw(from), caps);
        return;
    case 'S':
        value->text = peri_content_text(from, caps, arena);
        value->hash = peri_str_hash_wide(peri_json_raw(from));
        return;
    default:
        value->text = compact_text(from, caps.head_cp, arena);
        if (value->text.cut) value->bounded = peri_content_bounded(from, arena);
        value->hash = peri_str_hash_wide(peri_json_raw(from));
        return;
    }
}
