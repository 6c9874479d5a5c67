// Words of proposals and decisions, both ways, and the copy that lets a proposal outlive the
// run it came from. Words are what configs, policies, records and the ledger say, so each list
// stands once, in proposal.h; here they only become tables.
#include "model/proposal.h"

#include <stdlib.h>

#define WORD(name, word) {word, sizeof(word) - 1},
static const peri_str kind_words[] = {PERI_PROPOSAL_KIND_LIST(WORD)};
static const peri_str weight_words[] = {PERI_SEVERITY_LIST(WORD)};
static const peri_str lane_words[] = {PERI_LANE_LIST(WORD)};
static const peri_str verdict_words[] = {PERI_VERDICT_LIST(WORD)};
#undef WORD

static peri_str word_at(const peri_str *words, size_t count, size_t at) {
    return at < count ? words[at] : (peri_str){0};
}

static size_t find(const peri_str *words, size_t count, peri_str word) {
    size_t at = 0;
    while (at < count && !peri_str_eq(words[at], word)) at++;
    return at;
}

peri_str peri_proposal_kind_word(peri_proposal_kind kind) {
    return word_at(kind_words, PERI_PROPOSAL_KIND_COUNT, kind);
}

peri_str peri_weight_word(peri_weight weight) {
    return word_at(weight_words, PERI_WEIGHT_COUNT, weight);
}

peri_str peri_lane_word(peri_lane lane) {
    return word_at(lane_words, PERI_LANE_COUNT, lane);
}

peri_str peri_verdict_word(peri_verdict verdict) {
    return word_at(verdict_words, PERI_VERDICT_COUNT, verdict);
}

peri_proposal_kind peri_proposal_kind_find(peri_str word) {
    return (peri_proposal_kind)find(kind_words, PERI_PROPOSAL_KIND_COUNT, word);
}

peri_weight peri_weight_find(peri_str word) {
    return (peri_weight)find(weight_words, PERI_WEIGHT_COUNT, word);
}

peri_lane peri_lane_find(peri_str word) {
    if (peri_str_eq(word, PERI_STR("next_prompt"))) return PERI_LANE_STEER;
    if (peri_str_eq(word, PERI_STR("next_turn"))) return PERI_LANE_STEER;
    if (peri_str_eq(word, PERI_STR("settle"))) return PERI_LANE_FOLLOW_UP;
    return (peri_lane)find(lane_words, PERI_LANE_COUNT, word);
}

peri_verdict peri_verdict_find(peri_str word) {
    return (peri_verdict)find(verdict_words, PERI_VERDICT_COUNT, word);
}

// Copies `text` to `*at` and moves `*at` behind it; an absent text stays absent.
static void place(char **at, peri_str *text) {
    if (!text->ptr) return;
    if (text->len) memcpy(*at, text->ptr, text->len);
    text->ptr = *at;
    *at += text->len;
}

peri_proposal *peri_proposal_copy(const peri_proposal *proposal) {
    const peri_proposal *p = proposal;
    size_t text_bytes = p->id.len + p->observer.len + p->text.len + p->fingerprint.len +
                        p->data.len + p->invents.len;
    peri_proposal *copy = malloc(sizeof *copy + text_bytes);
    if (!copy) return NULL;
    *copy = *p;
    char *at = (char *)(copy + 1);
    place(&at, &copy->id);
    place(&at, &copy->observer);
    place(&at, &copy->text);
    place(&at, &copy->fingerprint);
    place(&at, &copy->data);
    place(&at, &copy->invents);
    return copy;
}
