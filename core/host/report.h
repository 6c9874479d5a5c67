// ObserverReport (spec CC-9): the one way a report enters, whatever runtime the observer has.
#ifndef PERI_HOST_REPORT_H
#define PERI_HOST_REPORT_H

#include "perilune/host.h"

enum { PERI_REPORT_ANSWER_BYTES = 256 };

/// What the tool answers.
typedef struct peri_report_answer {
    bool is_error;
    char text[PERI_REPORT_ANSWER_BYTES];
} peri_report_answer;

/// A call of ObserverReport by the task `caller` of `session`; absent or "main": by the main session.
/// `out` says that the report is queued, and for whom, or why not: no observed pairing, not armed, observed
/// agent not running, or what is wrong with the report. PERI_ENOMEM.
PERI_MUST_USE int peri_host_report(peri_host *host, peri_str session, peri_str caller,
                                   peri_str report, peri_report_answer *out);

#endif
