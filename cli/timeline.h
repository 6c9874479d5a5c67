// The timeline that `run` and `replay` print for people: who spoke, and what became of it.
#ifndef PERI_CLI_TIMELINE_H
#define PERI_CLI_TIMELINE_H

#include <stdio.h>

#include "perilune/perilune.h"

enum { TIMELINE_KEPT = 256 };

/// A proposal that waits for its decision.
typedef struct timeline_note {
    char id[16];
    char *text; // owned
    uint64_t step;
} timeline_note;

typedef struct timeline {
    FILE *out;
    bool colour, json, quiet;
    bool emit;   // the observed events alone, in the form that is read back
    bool live;   // flush after every record
    bool broken; // writing failed: the reader is gone
    bool saw_summary;
    char *session, *agent;              // owned; of the heading printed last
    timeline_note notes[TIMELINE_KEPT]; // a ring: the oldest is forgotten
    size_t note_count;
    uint64_t proposals;
} timeline;

/// `json` prints each record as one line, `quiet` the summary only.
void timeline_init(timeline *t, FILE *out, bool json, bool quiet, bool live);
void timeline_deinit(timeline *t);

/// A peri_record_fn; `user` is the timeline.
void timeline_record(void *user, const peri_record *record);

#endif
