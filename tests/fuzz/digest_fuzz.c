// Any bytes as a turn: they choose items, texts, layout, caps and slices. The document must
// keep its ceiling, stay valid, and hold exactly one tag of a name for each that it wrote
// itself.
#include <stdlib.h>

#include "digest/clean.h"
#include "digest/digest.h"

enum { MAX_ITEMS = 64, TEXT_BYTES = 1 << 16 };

typedef struct input {
    const uint8_t *at, *end;
    peri_buf texts; // repaired, as ingest hands them over
    peri_item items[MAX_ITEMS];
    const peri_item *list[MAX_ITEMS];
    size_t count;
} input;

static uint8_t take(input *in) {
    return in->at < in->end ? *in->at++ : 0;
}

// A text of up to 255 bytes, up to 64 times over.
static peri_str take_text(input *in) {
    size_t len = take(in), times = take(in) % 64 + 1u, from = in->texts.len;
    if (len > (size_t)(in->end - in->at)) len = (size_t)(in->end - in->at);
    peri_str bit = peri_str_of((const char *)in->at, len);
    in->at += len;
    for (size_t i = 0; i < times; i++) {
        if (in->texts.len + 3 * len > TEXT_BYTES) break;
        (void)peri_utf8_repair(&in->texts, bit);
    }
    return peri_str_sub(peri_buf_str(&in->texts), from, in->texts.len);
}

static void take_item(input *in) {
    peri_item *item = &in->items[in->count];
    *item = (peri_item){.kind = (peri_item_kind)(take(in) % PERI_ITEM_KIND_COUNT)};
    item->step = in->count ? in->items[in->count - 1].step + take(in) % 2 : 1;
    item->turn = 1;
    item->exit_code = take(in) % 2 ? PERI_OBS_NO_EXIT : 3;
    item->name = take_text(in);
    item->call_id = peri_str_sub(take_text(in), 0, 3);
    if (!peri_utf8_valid(item->call_id)) item->call_id = (peri_str){0};
    item->text = peri_text_of(take_text(in), (peri_text_caps){take(in) * 40u, take(in)});
    in->list[in->count++] = item;
}

// Tags of the family that are not neutralised.
static size_t tags_in(peri_str text) {
    size_t count = 0;
    for (size_t at = peri_str_find_byte(text, '<', 0); at != PERI_NPOS;
         at = peri_str_find_byte(text, '<', at + 1)) {
        count += peri_clean_tag_at(text, at);
    }
    return count;
}

// A document of the same items with harmless texts has as many tags.
static size_t tags_of_blank_twin(input *in, const peri_digest_options *options,
                                 peri_turn *turn) {
    peri_text plain = peri_text_of(PERI_STR("x"), (peri_text_caps){8, 0});
    for (size_t i = 0; i < in->count; i++) {
        if (!peri_utf8_blank(in->items[i].text.head) || in->items[i].text.cut) {
            in->items[i].text = plain;
        }
    }
    peri_buf out;
    peri_buf_init(&out, 1 << 20);
    if (peri_digest_write(options, turn, NULL, &out, NULL) < 0) abort();
    size_t tags = tags_in(peri_buf_str(&out));
    peri_buf_deinit(&out);
    return tags;
}

static void check(input *in) {
    peri_digest_options options = {.layout = (peri_layout)(take(in) % PERI_LAYOUT_COUNT)};
    options.nonce = PERI_STR("fuzz_-09");
    options.name = take_text(in);
    options.max_bytes = (size_t)take(in) * 1024;
    options.field_cp = take(in) * 16u;
    options.no_results = take(in) % 2;
    peri_observer observer = {.sees_count = take(in) % PERI_OBSERVER_MAX_SEES};
    for (uint32_t i = 0; i < observer.sees_count; i++) {
        observer.sees[i] = (peri_slice)(take(in) % PERI_SLICE_COUNT);
    }
    while (in->at < in->end && in->count < MAX_ITEMS) take_item(in);
    peri_turn turn = {.items = in->list, .item_count = in->count, .turn = 1};
    turn.log = in->list;
    turn.log_count = in->count;
    peri_buf out;
    peri_buf_init(&out, 1 << 20);
    size_t most = options.max_bytes ? options.max_bytes : PERI_DIGEST_CAP_BYTES;
    int status = peri_digest_write(&options, &turn, &observer, &out, NULL);
    if (status < 0 && (status != PERI_ELIMIT || out.len)) abort();
    if (out.len > most || !peri_utf8_valid(peri_buf_str(&out))) abort();
    peri_buf_clear(&out);
    peri_digest_stats stats = {0};
    status = peri_digest_write(&options, &turn, NULL, &out, &stats);
    if (status == PERI_OK && stats.dropped_items == 0 &&
        tags_in(peri_buf_str(&out)) != tags_of_blank_twin(in, &options, &turn)) {
        abort();
    }
    peri_buf_deinit(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static input in; // large; every run sets it anew
    in = (input){.at = data, .end = data + size};
    peri_buf_init(&in.texts, 2 * TEXT_BYTES);
    if (!peri_buf_reserve(&in.texts, 2 * TEXT_BYTES)) abort(); // texts keep their place
    check(&in);
    peri_buf_deinit(&in.texts);
    return 0;
}
