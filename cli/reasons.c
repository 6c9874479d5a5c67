// What the fixed reasons mean: those of the policy `default` as docs/guide/policies.md lists
// them, and those of the core. Called by story.c.
#include "reasons.h"

static const struct {
    const char *reason, *meaning;
} known[] = {
    {"says nothing", "The text is too short, or a mere acknowledgement."},
    {"imitates the activity",
     "The text begins as a call, a result or another element of a digest."},
    {"invents a call's outcome",
     "The text tells how a call ended that was never made, or still runs."},
    {"already delivered", "A note with the same fingerprint was delivered before, or waits."},
    {"same as another in the batch",
     "One with the same fingerprint came at the same time and ranks higher."},
    {"nothing new since",
     "It is much like an earlier note, and no work was done since that one."},
    {"one veto at a time", "Another veto came at the same time and ranks higher."},
    {"over the batch cap", "As many better ones came at once as a window may deliver."},
    {"veto budget spent",
     "Its fingerprint, its observer or the session has had all the vetoes it may have."},
    {"vetoed again, nothing done since",
     "It is much like an earlier veto, and no work was done since that one."},
    {"window has its veto", "A window has one veto, and it has had it."},
    {"cannot be held",
     "No way leads to this agent that would hold its stop; the user was told before."},
    {"overtaken", "What it speaks of has changed since."},
    {"stopped", "The user stopped the agent."},
    {"the session has ended", "Nobody is there any more to hear it."},
    {"nothing to hold in plan mode", "A veto holds work, and none is done while planning."},
    {"beside a veto", "A veto goes first; it comes when that has been dealt with."},
    {"over the window's budget",
     "The window has had as many notes as it may have; this one waits for the next window."},
    {"waits for the next prompt", "The agent is idle, or has finished, and it is no blocker."},
    {"a blocker reopens a settled run",
     "The agent has finished, but this is worth another turn."},
    {"planning, so to the user", "While planning a blocker is for the user."},
    {"stopped, so to the user",
     "The user stopped the agent, so that a blocker is for the user."},
    {"waited too long", "It was put off, and the turns it may wait are over."},
    {"the deferral queue is full", "As many wait as may; the oldest of them goes."},
    {"too late", "The agent's stop had been let through before it came."},
    {"the window's budget is spent",
     "The core's own limit: the window has had as many notes as it may have."},
    {"this window has had its veto", "The core's own limit: a window has one veto."},
    {"vetoed again with no work between",
     "The core's own limit: the agent has done nothing since the last veto."},
    {"the user stopped its observer",
     "It was said before the stop; nothing of that observer is delivered after it."},
};

peri_str peri_reason_meaning(peri_str reason) {
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (peri_str_eq(reason, peri_str_c(known[i].reason)))
            return peri_str_c(known[i].meaning);
    }
    return (peri_str){0};
}
