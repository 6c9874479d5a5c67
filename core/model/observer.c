// Words of an observer's definition, both ways, and what its name may look like. Loaders turn
// an author's file into a peri_observer with these; messages and records turn it back.
#include "model/observer.h"

#define WORD(name, word) {word, sizeof(word) - 1},
static const peri_str trigger_words[] = {PERI_TRIGGER_LIST(WORD)};
static const peri_str slice_words[] = {PERI_SLICE_LIST(WORD)};
static const peri_str layout_words[] = {PERI_LAYOUT_LIST(WORD)};
#undef WORD

static peri_str word_at(const peri_str *words, size_t count, size_t at) {
    return at < count ? words[at] : (peri_str){0};
}

static size_t find(const peri_str *words, size_t count, peri_str word) {
    size_t at = 0;
    while (at < count && !peri_str_eq(words[at], word)) at++;
    return at;
}

peri_str peri_trigger_word(peri_trigger trigger) {
    return word_at(trigger_words, PERI_TRIGGER_COUNT, trigger);
}

peri_trigger peri_trigger_find(peri_str word) {
    return (peri_trigger)find(trigger_words, PERI_TRIGGER_COUNT, word);
}

peri_str peri_slice_word(peri_slice slice) {
    return word_at(slice_words, PERI_SLICE_COUNT, slice);
}

peri_str peri_layout_word(peri_layout layout) {
    return word_at(layout_words, PERI_LAYOUT_COUNT, layout);
}

peri_layout peri_layout_find(peri_str word) {
    return (peri_layout)find(layout_words, PERI_LAYOUT_COUNT, word);
}

static bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool peri_observer_name_ok(peri_str name) {
    if (name.len == 0 || name.len > PERI_OBSERVER_NAME_MAX) return false;
    if (!is_name_start(name.ptr[0])) return false;
    for (size_t i = 1; i < name.len; i++) {
        if (!is_name_start(name.ptr[i]) && name.ptr[i] != '_' && name.ptr[i] != '-')
            return false;
    }
    return true;
}
