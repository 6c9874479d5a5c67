// One proposal's way from what an observer saw to what became of it, told in plain sentences.
#ifndef PERI_CLI_STORY_H
#define PERI_CLI_STORY_H

#include "base/arena.h"
#include "base/buf.h"
#include "perilune/record.h"

enum { PERI_STORY_MAX_ROWS = 512, PERI_STORY_MAX_BYTES = 16 * 1024 * 1024 };

/// Copies of the rows that a ledger hands out, in order.
typedef struct peri_story {
    peri_arena arena; // owns rows and texts
    peri_record *rows;
    size_t count;
    size_t dropped_count; // rows that found no room
} peri_story;

void peri_story_init(peri_story *story);
void peri_story_deinit(peri_story *story);

/// Adds a copy of one row: a peri_ledger_row_fn whose `user` is the story.
void peri_story_add(void *story, const peri_record *row);

/// Appends the story for people. There should be a proposal among the rows; what is missing is
/// left out.
void peri_story_tell(const peri_story *story, peri_buf *out);

/// The same for the rows of a run with its digest, or of a pairing: why nothing came of it.
void peri_story_tell_other(const peri_story *story, peri_buf *out);

#endif
