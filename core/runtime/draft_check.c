// The check between what a run emitted and what the policies get to see (spec PI-5). A draft is
// foreign, whether a script, a model or a command wrote it: here it becomes one line of valid
// text under its limit, with a fingerprint, or it is refused with one clause that says why.
// Lane and priority come from the definition, never from the draft. The host calls this once a
// run and then fills in where and when the proposal was made (step, turn, at_wall_ms).
#include "runtime/runtime.h"

#include "base/buf.h"
#include "base/utf8.h"

enum { DATA_MAX_BYTES = 4096 };

peri_str peri_run_state_word(peri_run_state state) {
    switch (state) {
    case PERI_RUN_SILENT:
        return PERI_STR("silent");
    case PERI_RUN_PROPOSED:
        return PERI_STR("proposed");
    case PERI_RUN_SKIPPED:
        return PERI_STR("skipped");
    case PERI_RUN_FAILED:
        return PERI_STR("failed");
    case PERI_RUN_TIMEOUT:
        return PERI_STR("timeout");
    case PERI_RUN_NO_RUNTIME:
        return PERI_STR("no-runtime");
    case PERI_RUN_LOST:
        return PERI_STR("lost");
    case PERI_RUN_ABANDONED:
        return PERI_STR("abandoned");
    }
    return PERI_STR("failed");
}

// The one text of the draft and what it makes it; or why there is no such thing.
static const char *pick_text(const peri_observer *observer, const peri_draft *draft,
                             peri_proposal_kind *kind, peri_str *text) {
    const struct {
        peri_str text;
        peri_proposal_kind kind;
        uint32_t can;
        const char *refusal;
    } ways[] = {
        {draft->advise, PERI_PROPOSAL_ADVISORY, PERI_CAN_ADVISE,
         "this observer may not advise: its `can` does not say so"},
        {draft->veto, PERI_PROPOSAL_VETO, PERI_CAN_VETO,
         "this observer may not veto: its `can` does not say so"},
        {draft->report, PERI_PROPOSAL_REPORT, PERI_CAN_REPORT,
         "this observer may not report: its `can` does not say so"},
    };
    const char *refusal = "none of advise, veto and report was given";
    size_t given = 0;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (!ways[i].text.ptr) continue;
        given++;
        *text = ways[i].text;
        *kind = ways[i].kind;
        refusal = observer->can & ways[i].can ? NULL : ways[i].refusal;
    }
    return given > 1 ? "more than one of advise, veto and report was given" : refusal;
}

static bool breaks_line(uint32_t cp) {
    return cp < 0x20 || (cp >= 0x7F && cp <= 0x9F) || cp == 0x2028 || cp == 0x2029;
}

// Appends `text` (valid UTF-8) as one line: a line break or control character becomes, with the
// blanks around it, one blank; none is left at either end. False if only the first `max_cp`
// code points fit.
static bool fold(peri_str text, size_t max_cp, peri_buf *out) {
    size_t blanks = 0, used_cp = 0;
    bool broken = false;
    for (size_t len; text.len; text = peri_str_sub(text, len, text.len)) {
        uint32_t cp = peri_utf8_decode(text, &len);
        if (cp == ' ' || breaks_line(cp)) {
            blanks++;
            broken = broken || cp != ' ';
            continue;
        }
        if (used_cp == 0) blanks = 0;
        if (blanks && broken) blanks = 1;
        if (used_cp + blanks + 1 > max_cp) return false;
        peri_buf_add_repeat(out, ' ', blanks);
        peri_buf_add(out, peri_str_sub(text, 0, len));
        used_cp += blanks + 1;
        blanks = 0;
        broken = false;
    }
    return true;
}

static size_t text_limit(const peri_observer *observer, peri_proposal_kind kind) {
    if (kind == PERI_PROPOSAL_REPORT) return PERI_PROPOSAL_TEXT_MAX_CP;
    if (observer->max_advisory_cp == 0) return PERI_PROPOSAL_TEXT_CP;
    return observer->max_advisory_cp < PERI_PROPOSAL_TEXT_MAX_CP ? observer->max_advisory_cp
                                                                 : PERI_PROPOSAL_TEXT_MAX_CP;
}

static const char *check_text(const peri_observer *observer, peri_proposal *p, peri_str text,
                              peri_buf *line) {
    if (!peri_utf8_valid(text)) return "the text is not valid UTF-8";
    bool whole = fold(text, text_limit(observer, p->kind), line);
    if (!whole && p->kind != PERI_PROPOSAL_REPORT) {
        return "the text is longer than the observer's max_advisory_chars";
    }
    p->text = peri_buf_str(line);
    return peri_utf8_blank(p->text) ? "the text is blank" : NULL;
}

// What two wordings of one finding share: letters without case. Numbers, punctuation and blanks
// only part words, so that "3 tests fail" and "5 tests fail!" are the same finding.
static uint64_t gist(peri_str text) {
    uint64_t hash = PERI_HASH_SEED;
    bool parted = false, any = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
        if (!((c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80)) {
            parted = true;
            continue;
        }
        if (parted && any) hash = peri_str_hash(PERI_STR(" "), hash);
        hash = peri_str_hash(peri_str_of(&c, 1), hash);
        parted = false;
        any = true;
    }
    return any ? hash : peri_str_hash(text, hash);
}

// A given fingerprint is kept byte for byte: counts are kept under it.
static const char *check_fingerprint(peri_proposal *p, peri_str given, peri_buf *made) {
    if (!given.ptr) {
        peri_buf_addf(made, "text-%016llx", (unsigned long long)gist(p->text));
        p->fingerprint = peri_buf_str(made);
        return NULL;
    }
    if (!peri_utf8_valid(given)) return "the fingerprint is not valid UTF-8";
    if (peri_utf8_blank(given)) return "the fingerprint is blank";
    if (peri_utf8_cut_cp(given, PERI_PROPOSAL_FINGERPRINT_CP).bytes < given.len) {
        return "the fingerprint is longer than 512 characters";
    }
    p->fingerprint = given;
    return NULL;
}

static const char *check_rest(const peri_observer *observer, const peri_draft *draft,
                              peri_proposal *p) {
    p->severity = observer->severity;
    if (draft->severity.ptr) p->severity = peri_weight_find(draft->severity);
    if (p->severity >= PERI_WEIGHT_COUNT) {
        return "the severity is unknown: nit, concern and blocker are known";
    }
    if (draft->data.len > DATA_MAX_BYTES) return "data is longer than 4096 bytes";
    if (!peri_utf8_valid(draft->data)) return "data is not valid UTF-8";
    p->data = draft->data;
    p->evidence_count = draft->evidence_count;
    if (p->evidence_count > PERI_PROPOSAL_MAX_EVIDENCE) {
        p->evidence_count = PERI_PROPOSAL_MAX_EVIDENCE;
    }
    memcpy(p->evidence, draft->evidence, sizeof p->evidence);
    p->lane = p->kind == PERI_PROPOSAL_VETO ? PERI_LANE_HOLD : observer->lane;
    p->priority = observer->priority;
    return NULL;
}

int peri_draft_check(const peri_observer *observer, const peri_draft *draft, peri_str id,
                     peri_proposal **out, const char **reason) {
    peri_proposal p = {.id = id, .observer = observer->name};
    peri_buf line, made;
    peri_buf_init(&line, PERI_PROPOSAL_TEXT_MAX_CP * 4);
    peri_buf_init(&made, 64);
    peri_str text = {0};
    const char *refusal = pick_text(observer, draft, &p.kind, &text);
    if (!refusal) refusal = check_text(observer, &p, text, &line);
    if (!refusal) refusal = check_fingerprint(&p, draft->fingerprint, &made);
    if (!refusal) refusal = check_rest(observer, draft, &p);

    int status = PERI_OK;
    if (line.status != PERI_OK || made.status != PERI_OK) {
        status = PERI_ENOMEM;
    } else if (refusal) {
        *reason = refusal;
        status = PERI_EINVAL;
    } else {
        peri_proposal *proposal = peri_proposal_copy(&p);
        if (proposal) *out = proposal;
        status = proposal ? PERI_OK : PERI_ENOMEM;
    }
    peri_buf_deinit(&line);
    peri_buf_deinit(&made);
    return status;
}
