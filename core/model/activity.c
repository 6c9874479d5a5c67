// Words of the digest vocabulary, and the copy by which an item outlives the line it was read
// from: one block, so that a tap that drops an item frees it with one call.
#include "model/activity.h"

#include <stdlib.h>

peri_str peri_item_kind_word(peri_item_kind kind) {
    static const peri_str words[PERI_ITEM_KIND_COUNT] = {
#define WORD(name, word) {word, sizeof(word) - 1},
        PERI_ITEM_KIND_LIST(WORD)
#undef WORD
    };
    return (size_t)kind < PERI_ITEM_KIND_COUNT ? words[kind] : (peri_str){0};
}

// Copies `text` to `*at` and moves `*at` behind it; an absent text stays absent.
static void place(char **at, peri_str *text) {
    if (!text->ptr) return;
    if (text->len) memcpy(*at, text->ptr, text->len);
    text->ptr = *at;
    *at += text->len;
}

peri_item *peri_item_copy(const peri_item *item) {
    size_t size = sizeof *item + item->call_id.len + item->name.len + item->text.head.len +
                  item->text.tail.len + item->bounded.len;
    peri_item *copy = malloc(size);
    if (!copy) return NULL;
    *copy = *item;
    copy->size_bytes = size;
    char *at = (char *)(copy + 1);
    place(&at, &copy->call_id);
    place(&at, &copy->name);
    place(&at, &copy->text.head);
    place(&at, &copy->text.tail);
    place(&at, &copy->bounded);
    return copy;
}
