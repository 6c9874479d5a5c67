// Items made by hand and the document written of them, for the tests of core/digest.
#ifndef PERI_TEST_ITEMS_H
#define PERI_TEST_ITEMS_H

#include "digest/digest.h"
#include "test.h"

#define N "Ab3_-xY9" // the nonce

enum { MAX_ITEMS = 1200 };

static struct {
    peri_item pool[MAX_ITEMS];
    const peri_item *list[MAX_ITEMS];
    size_t count;
    uint32_t step;
} fixture;

static inline void start(void) {
    memset(&fixture, 0, sizeof fixture);
    fixture.step = 1;
}

static inline peri_item *put(peri_item_kind kind, const char *id, const char *name,
                             peri_str text) {
    peri_item *item = &fixture.pool[fixture.count];
    *item = (peri_item){.kind = kind, .step = fixture.step, .turn = 1};
    item->exit_code = PERI_OBS_NO_EXIT;
    item->call_id = peri_str_c(id);
    item->name = peri_str_c(name);
    item->text = peri_text_of(text, (peri_text_caps){INT32_MAX, 0});
    item->seq = fixture.count + 1;
    fixture.list[fixture.count++] = item;
    return item;
}

static inline peri_item *user(const char *text) {
    return put(PERI_ITEM_USER_MESSAGE, NULL, NULL, peri_str_c(text));
}
static inline peri_item *say(const char *text) {
    return put(PERI_ITEM_ASSISTANT_TEXT, NULL, NULL, peri_str_c(text));
}
static inline peri_item *call(const char *id, const char *name, const char *input) {
    return put(PERI_ITEM_TOOL_CALL, id, name, peri_str_c(input));
}
static inline peri_item *result(const char *id, const char *text) {
    return put(PERI_ITEM_TOOL_RESULT, id, NULL, peri_str_c(text));
}
static inline peri_item *ended(const char *reason) {
    return put(PERI_ITEM_TURN_ENDED, NULL, reason, (peri_str){0});
}

static inline peri_digest_options options_of(peri_layout layout) {
    return (peri_digest_options){
        .layout = layout, .name = PERI_STR("worker"), .nonce = PERI_STR(N)};
}

static inline peri_turn turn_of(void) {
    return (peri_turn){
        .items = fixture.list,
        .item_count = fixture.count,
        .log = fixture.list,
        .log_count = fixture.count,
        .step = fixture.step,
        .turn = 1,
    };
}

static peri_buf document;
static peri_digest_stats stats;

static inline peri_str write_with(const peri_digest_options *options,
                                  const peri_observer *observer) {
    peri_turn turn = turn_of();
    peri_buf_deinit(&document);
    peri_buf_init(&document, 1 << 20);
    CHECK_OK(peri_digest_write(options, &turn, observer, &document, &stats));
    return peri_buf_str(&document);
}

static inline peri_str write_as(peri_layout layout) {
    peri_digest_options options = options_of(layout);
    return write_with(&options, NULL);
}

// The blocks of a document: from its first "<" to the last closing tag of a block.
static inline peri_str blocks(peri_str whole) {
    peri_str end = PERI_STR("</worker-activity>");
    size_t from = peri_str_find_byte(whole, '<', 0), to = whole.len;
    if (from == PERI_NPOS) return (peri_str){0};
    while (to > from && !peri_str_ends(peri_str_sub(whole, 0, to), end)) to--;
    return peri_str_sub(whole, from, to - from);
}

static inline size_t occurrences(peri_str whole, const char *part) {
    size_t count = 0, len = strlen(part);
    for (size_t at = peri_str_find(whole, peri_str_c(part)); at != PERI_NPOS; count++) {
        whole = peri_str_sub(whole, at + len, whole.len);
        at = peri_str_find(whole, peri_str_c(part));
    }
    return count;
}

static inline char *flood(const char *bit, size_t times) {
    size_t len = strlen(bit);
    char *text = malloc(len * times + 1);
    for (size_t i = 0; i < times; i++) memcpy(text + i * len, bit, len);
    text[len * times] = '\0';
    return text;
}

static inline void two_steps(void) {
    start();
    user("go");
    say("s1");
    call("t1", "Bash", "{\"command\":\"echo one\",\"description\":\"d\"}");
    result("t1", "one");
    fixture.step = 2;
    say("FIN");
    ended("completed");
}

static inline peri_observer seer(const peri_slice *sees, uint32_t count) {
    peri_observer observer = {.sees_count = count};
    memcpy(observer.sees, sees, count * sizeof *sees);
    return observer;
}

#endif
