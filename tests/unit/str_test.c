// The promises of str.h.
#include "test.h"

static const peri_str absent = {0};

IT("compares texts with NULs, empty and absent ones") {
    CHECK(peri_str_eq(peri_str_of("a\0b", 3), peri_str_of("a\0b", 3)));
    CHECK(!peri_str_eq(peri_str_of("a\0b", 3), peri_str_of("a\0c", 3)));
    CHECK(peri_str_eq(absent, PERI_STR("")) && !peri_str_eq(absent, PERI_STR("a")));
    CHECK(!peri_str_c(NULL).ptr && peri_str_c("").ptr);
    CHECK(peri_str_starts(PERI_STR("abc"), PERI_STR("ab")) && peri_str_starts(absent, absent));
    CHECK(!peri_str_starts(PERI_STR("a"), PERI_STR("ab")));
    CHECK(peri_str_ends(PERI_STR("abc"), PERI_STR("bc")) &&
          !peri_str_ends(PERI_STR("c"), PERI_STR("bc")));
}

IT("orders by bytes, a prefix first") {
    CHECK(peri_str_compare(PERI_STR("a"), PERI_STR("b")) < 0);
    CHECK(peri_str_compare(PERI_STR("ab"), PERI_STR("a")) > 0);
    CHECK(peri_str_compare(PERI_STR("a"), PERI_STR("ab")) < 0);
    CHECK(peri_str_compare(PERI_STR("\xFF"), PERI_STR("a")) > 0);
    CHECK_EQ(peri_str_compare(absent, PERI_STR("")), 0);
}

IT("clamps a part to its text") {
    peri_str text = PERI_STR("hello");
    CHECK_STR(peri_str_sub(text, 1, 3), "ell");
    CHECK_STR(peri_str_sub(text, 3, SIZE_MAX), "lo");
    CHECK_STR(peri_str_sub(text, 9, 1), "");
    CHECK(!peri_str_sub(absent, 1, 1).ptr);
}

IT("finds bytes and texts, or says that there are none") {
    peri_str text = PERI_STR("abcabcd");
    CHECK_EQ(peri_str_find_byte(text, 'b', 0), 1);
    CHECK_EQ(peri_str_find_byte(text, 'b', 2), 4);
    CHECK(peri_str_find_byte(text, 'x', 0) == PERI_NPOS);
    CHECK(peri_str_find_byte(text, 'a', 99) == PERI_NPOS &&
          peri_str_find_byte(absent, 'a', 0) == PERI_NPOS);
    CHECK_EQ(peri_str_find(text, PERI_STR("abcd")), 3);
    CHECK_EQ(peri_str_find(text, text), 0);
    CHECK_EQ(peri_str_find(text, absent), 0);
    CHECK(peri_str_find(text, PERI_STR("abcdx")) == PERI_NPOS);
    CHECK(peri_str_find(PERI_STR("ab"), PERI_STR("abc")) == PERI_NPOS);
    peri_str twice =
        PERI_STR("a needle\0 of more than sixteen bytes, a needle\0 of more than two");
    CHECK_EQ(peri_str_find(twice, PERI_STR("a needle\0 of more than two")), 38);
    CHECK(peri_str_find(twice, PERI_STR("a needle\0 of more than three")) == PERI_NPOS);
}

IT("ignores ASCII case and no other") {
    CHECK(peri_str_eq_nocase(PERI_STR("TrUe"), PERI_STR("tRuE")));
    CHECK(!peri_str_eq_nocase(PERI_STR("true"), PERI_STR("tru")));
    CHECK(!peri_str_eq_nocase(PERI_STR("@["), PERI_STR("`{")));
    CHECK(!peri_str_eq_nocase(PERI_STR("É"), PERI_STR("é")));
}

IT("trims ASCII white space at both ends") {
    CHECK_STR(peri_str_trim(PERI_STR(" \t\r\n\v\fa b\n ")), "a b");
    CHECK_STR(peri_str_trim(PERI_STR(" \n")), "");
    CHECK_EQ(peri_str_trim(absent).len, 0);
}

IT("reads all of a text as an int64 or says why not") {
    int64_t value = 7;
    CHECK_EQ(peri_str_int(PERI_STR("9223372036854775808"), &value), PERI_ELIMIT);
    CHECK_EQ(peri_str_int(PERI_STR("-9223372036854775809"), &value), PERI_ELIMIT);
    CHECK_EQ(peri_str_int(PERI_STR("99999999999999999999999"), &value), PERI_ELIMIT);
    static const char *const bad[] = {"", "-", "+1", " 1", "1 ", "1a", "0x1", "--1", "1.0"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_EQ(peri_str_int(peri_str_c(bad[i]), &value), PERI_EPARSE);
    }
    CHECK_EQ(value, 7);
    CHECK_OK(peri_str_int(PERI_STR("9223372036854775807"), &value));
    CHECK(value == INT64_MAX);
    CHECK_OK(peri_str_int(PERI_STR("-9223372036854775808"), &value));
    CHECK(value == INT64_MIN);
    CHECK_OK(peri_str_int(PERI_STR("007"), &value));
    CHECK_EQ(value, 7);
}

IT("hashes like FNV-1a, in parts as in one") {
    CHECK(peri_str_hash(PERI_STR(""), PERI_HASH_SEED) == UINT64_C(0xcbf29ce484222325));
    CHECK(peri_str_hash(PERI_STR("foobar"), PERI_HASH_SEED) == UINT64_C(0x85944171f73967e8));
    uint64_t foo = peri_str_hash(PERI_STR("foo"), PERI_HASH_SEED);
    CHECK(peri_str_hash(PERI_STR("bar"), foo) == UINT64_C(0x85944171f73967e8));
}

IT("tells long contents apart by every byte and by their length") {
    char text[41];
    memset(text, 'x', sizeof text);
    uint64_t whole = peri_str_hash_wide(peri_str_of(text, sizeof text));
    CHECK(whole == peri_str_hash_wide(peri_str_of(text, sizeof text)));
    CHECK(whole != peri_str_hash_wide(peri_str_of(text, sizeof text - 1)));
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = 'y';
        CHECK(whole != peri_str_hash_wide(peri_str_of(text, sizeof text)));
        text[i] = 'x';
    }
    CHECK(peri_str_hash_wide(absent) == peri_str_hash_wide(PERI_STR("")));
}

IT("measures edits, a swap of neighbours as one, up to its limit") {
    CHECK_EQ(peri_str_distance(PERI_STR("model"), PERI_STR("model"), 9), 0);
    CHECK_EQ(peri_str_distance(PERI_STR("modle"), PERI_STR("model"), 9), 1);
    CHECK_EQ(peri_str_distance(PERI_STR("kitten"), PERI_STR("sitting"), 9), 3);
    CHECK_EQ(peri_str_distance(PERI_STR("kitten"), PERI_STR("sitting"), 2), 2);
    CHECK_EQ(peri_str_distance(PERI_STR(""), PERI_STR("abc"), 9), 3);
    CHECK_EQ(peri_str_distance(PERI_STR("ca"), PERI_STR("abc"), 9), 3);
    char text[65];
    memset(text, 'x', sizeof text);
    CHECK_EQ(peri_str_distance(peri_str_of(text, 65), peri_str_of(text, 65), 5), 5);
    CHECK_EQ(peri_str_distance(peri_str_of(text, 64), peri_str_of(text, 64), 5), 0);
}

IT("has a name and a message for every status, and for what is none") {
    CHECK_STR(peri_str_c(peri_status_name(PERI_OK)), "PERI_OK");
    CHECK_STR(peri_str_c(peri_status_name(3)), "PERI_OK");
    CHECK_STR(peri_str_c(peri_status_name(PERI_ELIMIT)), "PERI_ELIMIT");
    CHECK_STR(peri_str_c(peri_status_name(-999)), "PERI_EINTERNAL");
    for (int status = 1; status >= -20; status--) {
        CHECK(peri_status_message(status)[0] != '\0');
    }
    CHECK_STR(peri_str_c(peri_version()), "0.1.0");
}

TEST_MAIN
