// Words of proposals and decisions, and the copy that owns its bytes.
#include "model/proposal.h"

#include "perilune/record.h"
#include "test.h"

IT("finds every word of a proposal again, and no other") {
    for (int i = 0; i < PERI_PROPOSAL_KIND_COUNT; i++) {
        CHECK_EQ(peri_proposal_kind_find(peri_proposal_kind_word((peri_proposal_kind)i)), i);
    }
    for (int i = 0; i < PERI_WEIGHT_COUNT; i++) {
        CHECK_EQ(peri_weight_find(peri_weight_word((peri_weight)i)), i);
    }
    for (int i = 0; i < PERI_LANE_COUNT; i++) {
        CHECK_EQ(peri_lane_find(peri_lane_word((peri_lane)i)), i);
    }
    for (int i = 0; i < PERI_VERDICT_COUNT; i++) {
        CHECK_EQ(peri_verdict_find(peri_verdict_word((peri_verdict)i)), i);
    }
    CHECK_EQ(peri_lane_find(PERI_STR("Steer")), PERI_LANE_COUNT);
    CHECK_EQ(peri_verdict_find(PERI_STR("")), PERI_VERDICT_COUNT);
    CHECK_EQ(peri_weight_find((peri_str){0}), PERI_WEIGHT_COUNT);
    CHECK_STR(peri_lane_word(PERI_LANE_FOLLOW_UP), "follow_up");
    CHECK_STR(peri_weight_word(PERI_WEIGHT_BLOCKER), "blocker");
    CHECK(peri_lane_word(PERI_LANE_COUNT).ptr == NULL);
}

IT("PI-8 reads pi's words for a lane: next_prompt and next_turn steer, settle follows up") {
    CHECK_EQ(peri_lane_find(PERI_STR("next_prompt")), PERI_LANE_STEER);
    CHECK_EQ(peri_lane_find(PERI_STR("next_turn")), PERI_LANE_STEER);
    CHECK_EQ(peri_lane_find(PERI_STR("settle")), PERI_LANE_FOLLOW_UP);
}

IT("copies a proposal with all its texts, so that it outlives them") {
    char id[] = "p-1", observer[] = "loop", text[] = "again\0?", fingerprint[] = "f";
    peri_proposal p = {
        .id = peri_str_c(id),
        .observer = peri_str_c(observer),
        .kind = PERI_PROPOSAL_VETO,
        .lane = PERI_LANE_HOLD,
        .priority = 7,
        .text = peri_str_of(text, 7),
        .fingerprint = peri_str_c(fingerprint),
        .evidence = {3, 5},
        .evidence_count = 2,
    };
    peri_proposal *copy = peri_proposal_copy(&p);
    CHECK(copy != NULL);
    memset(id, 'x', 3);
    memset(observer, 'x', 4);
    memset(text, 'x', 7);
    memset(fingerprint, 'x', 1);
    CHECK_STR(copy->id, "p-1");
    CHECK_STR(copy->observer, "loop");
    CHECK(peri_str_eq(copy->text, PERI_STR("again\0?")));
    CHECK_STR(copy->fingerprint, "f");
    CHECK(copy->data.ptr == NULL);
    CHECK_EQ(copy->evidence[1], 5);
    CHECK_EQ(copy->priority, 7);
    free(copy);
}

IT("names every kind of record, and calls a newer one unknown") {
    CHECK_STR(peri_str_c(peri_record_kind_name(PERI_RECORD_OBSERVATION)), "observation");
    CHECK_STR(peri_str_c(peri_record_kind_name(PERI_RECORD_SUMMARY)), "summary");
    CHECK_STR(peri_str_c(peri_record_kind_name(PERI_RECORD_KIND_COUNT)), "unknown");
}

TEST_MAIN
