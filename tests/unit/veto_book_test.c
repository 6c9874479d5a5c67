// Vetoes spent: keys that cannot collide, and a full book that refunds nothing.
#include "policy/desk_internal.h"

#include "test.h"

static peri_veto_book book;

static peri_veto_counts get(const char *observer, const char *fingerprint) {
    return peri_veto_book_get(&book, peri_str_c(observer), peri_str_c(fingerprint));
}
static void spend(const char *observer, const char *fingerprint) {
    peri__veto_book_spend(&book, peri_str_c(observer), peri_str_c(fingerprint));
}

IT("counts by key, by observer and for the session") {
    peri_veto_book_init(&book, 1);
    spend("goal", "a");
    spend("goal", "a");
    spend("goal", "b");
    spend("other", "a");
    CHECK_EQ(get("goal", "a").key, 2);
    CHECK_EQ(get("goal", "b").key, 1);
    CHECK_EQ(get("goal", "c").key, 0);
    CHECK_EQ(get("goal", "c").observer, 3);
    CHECK_EQ(get("other", "a").session, 4);
    peri_veto_book_deinit(&book);
}

IT("C59 tells (a, |b) from (a|, b), and any other way to glue them") {
    peri_veto_book_init(&book, 1);
    spend("a", "|b");
    CHECK_EQ(get("a|", "b").key, 0);
    CHECK_EQ(get("a|b", "").key, 0);
    CHECK_EQ(get("a", "|b").key, 1);
    spend("1", "+1:1");
    CHECK_EQ(get("1", "").key, 0);
    CHECK_EQ(get("1", "").observer, 1);
    CHECK_EQ(get("1+1", "1").key, 0);
    peri_veto_book_deinit(&book);
}

IT("holds texts that are not printable or not there") {
    peri_veto_book_init(&book, 1);
    peri__veto_book_spend(&book, PERI_STR("a"), PERI_STR("x\0y"));
    CHECK_EQ(get("a", "x").key, 0);
    CHECK_EQ(peri_veto_book_get(&book, PERI_STR("a"), PERI_STR("x\0y")).key, 1);
    peri__veto_book_spend(&book, PERI_STR("a"), (peri_str){0});
    CHECK_EQ(peri_veto_book_get(&book, PERI_STR("a"), PERI_STR("")).key, 1);
    peri_veto_book_deinit(&book);
}

IT("C59 refunds nothing when it is full: what it cannot tell apart counts for the session") {
    peri_veto_book_init(&book, 1);
    char key[16];
    for (int i = 0; i < PERI_BOOK_MAX_KEYS + 50; i++) {
        snprintf(key, sizeof key, "f%d", i);
        spend("goal", key);
    }
    CHECK(get("goal", "f0").session >= PERI_BOOK_MAX_KEYS + 50);
    CHECK_EQ(get("goal", "f0").observer, PERI_BOOK_MAX_KEYS + 50);
    peri_veto_book_deinit(&book);
}

TEST_MAIN
