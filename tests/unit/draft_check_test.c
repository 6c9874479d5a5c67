// The check of what a run emitted (spec PI-5).
#include "runtime/runtime.h"

#include "base/utf8.h"
#include "test.h"

static const char *reason;

static peri_observer guard(uint32_t can) {
    return (peri_observer){
        .name = PERI_STR("guard"),
        .can = can,
        .lane = PERI_LANE_FOLLOW_UP,
        .severity = PERI_WEIGHT_CONCERN,
        .priority = 70,
    };
}

static peri_proposal *accepted(peri_observer observer, peri_draft draft) {
    peri_proposal *p = NULL;
    reason = NULL;
    CHECK_OK(peri_draft_check(&observer, &draft, PERI_STR("id-1"), &p, &reason));
    CHECK(p != NULL);
    return p;
}

static peri_str refused(peri_observer observer, peri_draft draft) {
    peri_proposal *p = NULL;
    reason = NULL;
    CHECK_EQ(peri_draft_check(&observer, &draft, PERI_STR("id-1"), &p, &reason), PERI_EINVAL);
    CHECK(p == NULL);
    CHECK(reason != NULL);
    return peri_str_c(reason);
}

static peri_str advised(const char *text, size_t len) {
    static char kept[16 * 1024];
    peri_proposal *p =
        accepted(guard(PERI_CAN_ADVISE), (peri_draft){.advise = peri_str_of(text, len)});
    size_t kept_len = p->text.len;
    CHECK(kept_len < sizeof kept);
    memcpy(kept, p->text.ptr, kept_len);
    free(p);
    return peri_str_of(kept, kept_len);
}

static char many[64 * 1024];

// `count` times `unit`.
static peri_str repeat(const char *unit, size_t count) {
    size_t len = strlen(unit);
    CHECK(len * count <= sizeof many);
    for (size_t i = 0; i < count; i++) memcpy(many + i * len, unit, len);
    return peri_str_of(many, len * count);
}

IT("PI-5 makes a proposal of a draft, lane and priority from the definition") {
    peri_proposal *p =
        accepted(guard(PERI_CAN_ADVISE), (peri_draft){.advise = PERI_STR("run the tests"),
                                                      .fingerprint = PERI_STR("tests"),
                                                      .severity = PERI_STR("nit"),
                                                      .data = PERI_STR("{\"n\":1}"),
                                                      .evidence = {4, 9},
                                                      .evidence_count = 2});
    CHECK_STR(p->id, "id-1");
    CHECK_STR(p->observer, "guard");
    CHECK_EQ(p->kind, PERI_PROPOSAL_ADVISORY);
    CHECK_STR(p->text, "run the tests");
    CHECK_STR(p->fingerprint, "tests");
    CHECK_STR(p->data, "{\"n\":1}");
    CHECK_EQ(p->severity, PERI_WEIGHT_NIT);
    CHECK_EQ(p->lane, PERI_LANE_FOLLOW_UP);
    CHECK_EQ(p->priority, 70);
    CHECK_EQ(p->evidence_count, 2);
    CHECK_EQ(p->evidence[1], 9);
    free(p);
}

IT("PI-8 puts a veto on hold whatever the definition's lane is") {
    peri_proposal *p =
        accepted(guard(PERI_CAN_VETO), (peri_draft){.veto = PERI_STR("tests never ran")});
    CHECK_EQ(p->kind, PERI_PROPOSAL_VETO);
    CHECK_EQ(p->lane, PERI_LANE_HOLD);
    CHECK_EQ(p->severity, PERI_WEIGHT_CONCERN);
    free(p);
}

IT("PI-5 takes exactly one of advise, veto and report") {
    uint32_t all = PERI_CAN_ADVISE | PERI_CAN_VETO | PERI_CAN_REPORT;
    CHECK_HAS(refused(guard(all), (peri_draft){0}), "none of");
    CHECK_HAS(
        refused(guard(all), (peri_draft){.advise = PERI_STR("a"), .report = PERI_STR("r")}),
        "more than one");
    CHECK_HAS(refused(guard(all), (peri_draft){.advise = PERI_STR("a"), .veto = PERI_STR("")}),
              "more than one");
}

IT("PI-5 refuses what the definition's `can` does not name") {
    peri_draft veto = {.veto = PERI_STR("stop")};
    CHECK_HAS(refused(guard(PERI_CAN_ADVISE | PERI_CAN_REPORT), veto), "may not veto");
    peri_draft report = {.report = PERI_STR("seen")};
    CHECK_HAS(refused(guard(PERI_CAN_ADVISE | PERI_CAN_VETO), report), "may not report");
    peri_draft advise = {.advise = PERI_STR("do")};
    CHECK_HAS(refused(guard(PERI_CAN_VETO), advise), "may not advise");
}

IT("PI-5 refuses blank text, also of invisible code points only") {
    static const char *const blanks[] = {"", " \t\n", "\xE2\x80\x8B\xEF\xBB\xBF",
                                         "\xE2\x80\xAE \xC2\xAD", "\xEF\xB8\x8F"};
    for (size_t i = 0; i < sizeof blanks / sizeof blanks[0]; i++) {
        peri_draft draft = {.advise = peri_str_c(blanks[i])};
        CHECK_STR(refused(guard(PERI_CAN_ADVISE), draft), "the text is blank");
        draft = (peri_draft){.report = peri_str_c(blanks[i])};
        CHECK_STR(refused(guard(PERI_CAN_REPORT), draft), "the text is blank");
    }
}

IT("PI-5 refuses a blank, over-long or invalid fingerprint") {
    peri_draft draft = {.advise = PERI_STR("a"), .fingerprint = PERI_STR("\xE2\x80\x8B")};
    CHECK_STR(refused(guard(PERI_CAN_ADVISE), draft), "the fingerprint is blank");
    draft.fingerprint = PERI_STR("");
    CHECK_STR(refused(guard(PERI_CAN_ADVISE), draft), "the fingerprint is blank");
    draft.fingerprint = PERI_STR("\xFF");
    CHECK_HAS(refused(guard(PERI_CAN_ADVISE), draft), "fingerprint is not valid UTF-8");
    draft.fingerprint = repeat("é", 513);
    CHECK_HAS(refused(guard(PERI_CAN_ADVISE), draft), "longer than 512");
    draft.fingerprint = repeat("é", 512);
    peri_proposal *p = accepted(guard(PERI_CAN_ADVISE), draft);
    CHECK_EQ(p->fingerprint.len, 1024);
    free(p);
}

IT("PI-5 refuses an over-long advisory or veto, counted in code points") {
    peri_observer observer = guard(PERI_CAN_ADVISE | PERI_CAN_VETO);
    peri_draft draft = {.advise = repeat("é", 300)};
    free(accepted(observer, draft));
    draft.advise = repeat("é", 301);
    CHECK_HAS(refused(observer, draft), "max_advisory_chars");
    observer.max_advisory_cp = 301;
    free(accepted(observer, draft));
    observer.max_advisory_cp = 1000000;
    draft = (peri_draft){.veto = repeat("é", 2001)};
    CHECK_HAS(refused(observer, draft), "max_advisory_chars");
}

IT("PI-5 cuts a report at 2,000 code points instead, never inside one") {
    peri_proposal *p = accepted(guard(PERI_CAN_REPORT),
                                (peri_draft){.report = repeat("\xF0\x9F\x8C\x99", 2005)});
    CHECK_EQ(p->text.len, 8000);
    CHECK(peri_utf8_valid(p->text));
    free(p);
}

IT("PI-9 folds line breaks and controls to one blank, since delivery is one line") {
    CHECK_STR(advised("a\nb", 3), "a b");
    CHECK_STR(advised("a \r\n\r\n  b", 9), "a b");
    CHECK_STR(advised("\n a  b \n", 8), "a  b");
    CHECK_STR(advised("a\0b", 3), "a b");
    CHECK_STR(advised("a\x1B[31mb", 7), "a [31mb");
    CHECK_STR(advised("a\xE2\x80\xA8"
                      "b\xE2\x80\xA9"
                      "c\xC2\x85"
                      "d",
                      12),
              "a b c d");
}

IT("PI-5 does not count white space at the ends against the limit") {
    peri_observer observer = guard(PERI_CAN_ADVISE);
    observer.max_advisory_cp = 3;
    peri_proposal *p = accepted(observer, (peri_draft){.advise = PERI_STR("\n\n abc  \n\n")});
    CHECK_STR(p->text, "abc");
    free(p);
    CHECK_HAS(refused(observer, (peri_draft){.advise = PERI_STR("abc d")}), "longer");
}

IT("PI-5 refuses text that is not valid UTF-8") {
    peri_draft draft = {.advise = PERI_STR("a\xC3")};
    CHECK_STR(refused(guard(PERI_CAN_ADVISE), draft), "the text is not valid UTF-8");
}

static uint64_t made_fingerprint(uint32_t can, peri_draft draft) {
    peri_proposal *p = accepted(guard(can), draft);
    CHECK(peri_str_starts(p->fingerprint, PERI_STR("text-")));
    CHECK_EQ(p->fingerprint.len, 5 + 16);
    uint64_t hash = peri_str_hash(p->fingerprint, PERI_HASH_SEED);
    free(p);
    return hash;
}

IT("PE-3 makes a missing fingerprint of the text, whatever its numbers, case and marks") {
    peri_draft draft = {.advise = PERI_STR("3 tests fail in a.c")};
    uint64_t first = made_fingerprint(PERI_CAN_ADVISE, draft);
    draft.advise = PERI_STR("17 Tests fail,\nin A.C!");
    CHECK(made_fingerprint(PERI_CAN_ADVISE, draft) == first);
    CHECK(made_fingerprint(PERI_CAN_VETO, (peri_draft){.veto = draft.advise}) == first);
    CHECK(made_fingerprint(PERI_CAN_REPORT, (peri_draft){.report = draft.advise}) == first);
    draft.advise = PERI_STR("3 tests fail in b.c");
    CHECK(made_fingerprint(PERI_CAN_ADVISE, draft) != first);
    draft.advise = PERI_STR("42");
    uint64_t number = made_fingerprint(PERI_CAN_ADVISE, draft);
    draft.advise = PERI_STR("43");
    CHECK(made_fingerprint(PERI_CAN_ADVISE, draft) != number);
}

IT("PI-5 refuses an unknown severity and names the known ones") {
    peri_draft draft = {.advise = PERI_STR("a"), .severity = PERI_STR("critical")};
    peri_str why = refused(guard(PERI_CAN_ADVISE), draft);
    CHECK_HAS(why, "nit");
    CHECK_HAS(why, "concern");
    CHECK_HAS(why, "blocker");
}

IT("bounds evidence and data") {
    peri_draft draft = {.advise = PERI_STR("a"), .evidence_count = 4000000};
    peri_proposal *p = accepted(guard(PERI_CAN_ADVISE), draft);
    CHECK_EQ(p->evidence_count, PERI_PROPOSAL_MAX_EVIDENCE);
    free(p);
    draft.data = repeat("1", 4097);
    CHECK_HAS(refused(guard(PERI_CAN_ADVISE), draft), "data is longer");
}

IT("names every way a run can end") {
    CHECK_STR(peri_run_state_word(PERI_RUN_SILENT), "silent");
    CHECK_STR(peri_run_state_word(PERI_RUN_PROPOSED), "proposed");
    CHECK_STR(peri_run_state_word(PERI_RUN_SKIPPED), "skipped");
    CHECK_STR(peri_run_state_word(PERI_RUN_FAILED), "failed");
    CHECK_STR(peri_run_state_word(PERI_RUN_TIMEOUT), "timeout");
    CHECK_STR(peri_run_state_word(PERI_RUN_NO_RUNTIME), "no-runtime");
    CHECK_STR(peri_run_state_word(PERI_RUN_LOST), "lost");
    CHECK_STR(peri_run_state_word(PERI_RUN_ABANDONED), "abandoned");
}

TEST_MAIN
