// Token counts of one agent, each token once (spec OB-5): running totals become increments, and
// what a stream says twice of one message counts once.
#ifndef PERI_INGEST_USAGE_H
#define PERI_INGEST_USAGE_H

#include "model/observation.h"

enum { PERI_METER_MESSAGES = 16 }; // messages whose usage may still be told again

typedef struct peri_meter {
    peri_usage by_message;   // sum of what message-usage told
    peri_usage by_increment; // sum of what usage told
    peri_usage running;      // the last running total
    peri_usage last;         // of the latest message, as told; else the latest increment
    struct {
        uint64_t id; // hash of the message id; 0: none
        peri_usage counted;
    } messages[PERI_METER_MESSAGES]; // a ring
    size_t next;
} peri_meter;

/// Counts a usage or message-usage; others are left alone. A running total (`cumulative`) is
/// replaced in `obs` by its increment, the mark is taken off; a total that fell began anew.
void peri_meter_take(peri_meter *meter, peri_obs *obs);

/// All tokens so far. A stream may tell both by message and by increment: the larger counts.
peri_usage peri_meter_total(const peri_meter *meter);

#endif
