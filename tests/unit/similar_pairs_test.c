// The threshold of `default` (policies/default.lua, SIMILAR) against pairs that a person
// labelled: tests/golden/policy/similar.jsonl, `same` meaning one note in other words of
// number, case or punctuation.
#include <stdio.h>

#include "base/json_tree.h"
#include "policy/similar.h"
#include "test.h"

static const double threshold = 0.85;

static double alike(const peri_tree *pair) {
    peri_shingles a, b;
    peri_shingles_of(peri_tree_str(peri_tree_get(pair, PERI_STR("a"))), &a);
    peri_shingles_of(peri_tree_str(peri_tree_get(pair, PERI_STR("b"))), &b);
    return peri_shingles_alike(&a, &b);
}

IT("PE-3 C54 tells 65 labelled pairs apart at the threshold of the shipped policy") {
    FILE *from = fopen(PERI_TESTS_DIR "/golden/policy/similar.jsonl", "rb");
    CHECK(from);
    char line[1024];
    size_t same = 0, other = 0, wrong = 0;
    while (fgets(line, sizeof line, from)) {
        peri_tree *pair;
        CHECK_OK(peri_tree_parse(peri_str_c(line), (peri_tree_limits){0}, (peri_str){0}, NULL,
                                 NULL, &pair));
        bool is_same = peri_tree_is_true(peri_tree_get(pair, PERI_STR("same")));
        double score = alike(pair);
        if ((score >= threshold) != is_same) {
            wrong++;
            printf("  %.3f: %s", score, line);
        }
        same += is_same;
        other += !is_same;
        peri_tree_free(pair);
    }
    fclose(from);
    CHECK_EQ(wrong, 0);
    CHECK(same >= 30 && other >= 30 && same + other >= 60);
}

IT("stands beside the policy's own number") {
    FILE *from = fopen(PERI_SOURCE_DIR "/policies/default.lua", "rb");
    CHECK(from);
    char line[256];
    bool found = false;
    while (fgets(line, sizeof line, from)) {
        found |= strncmp(line, "local SIMILAR = 0.85 ", 21) == 0;
    }
    fclose(from);
    CHECK(found);
}

TEST_MAIN
