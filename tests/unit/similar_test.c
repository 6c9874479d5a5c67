// Likeness of notes: counters, case and punctuation are no difference, other words are.
#include "policy/similar.h"

#include "test.h"

static double alike(const char *a, const char *b) {
    peri_shingles x, y;
    peri_shingles_of(peri_str_c(a), &x);
    peri_shingles_of(peri_str_c(b), &y);
    double there = peri_shingles_alike(&x, &y), back = peri_shingles_alike(&y, &x);
    CHECK(there == back);
    CHECK(there >= 0 && there <= 1);
    return there;
}

IT("C54 takes a note with another number, case or punctuation for the same") {
    CHECK(alike("FINAL warning number 8: stop investigating and report",
                "Final warning, number 20: stop investigating and report!") == 1);
    CHECK(alike("step 3", "step three") < 1);
}

IT("tells other words apart, and ranks a small change above another note") {
    double small = alike("the tests were never run after the change",
                         "the tests were not run after the last change");
    double other = alike("the tests were never run after the change", "a secret was committed");
    CHECK(small > 0.5);
    CHECK(other < 0.2);
    CHECK(alike("abc", "xyz") == 0);
}

IT("takes two texts without letters for the same, and one without for unlike") {
    CHECK(alike("1234", "!!") == 1);
    CHECK(alike("", "words here") == 0);
}

IT("reads letters of any script") {
    CHECK(alike("\xD0\xBF\xD1\x80\xD0\xB8\xD0\xB2\xD0\xB5\xD1\x82",
                "\xD0\xBF\xD1\x80\xD0\xB8\xD0\xB2\xD0\xB5\xD1\x82 7") == 1);
}

IT("keeps to its maximum for a text of any length") {
    char *text = malloc(100000);
    for (size_t i = 0; i < 100000; i++) text[i] = (char)('a' + (i * 7919 + i / 26) % 26);
    peri_shingles out;
    peri_shingles_of(peri_str_of(text, 100000), &out);
    CHECK(out.count <= PERI_SHINGLES_MAX);
    for (size_t i = 1; i < out.count; i++) CHECK(out.hashes[i - 1] < out.hashes[i]);
    free(text);
}

TEST_MAIN
