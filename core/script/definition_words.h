// The words a definition may use, whether it is written in Lua or in Markdown; each list ends
// with an absent text.
#ifndef PERI_SCRIPT_DEFINITION_WORDS_H
#define PERI_SCRIPT_DEFINITION_WORDS_H

#include "model/observer.h"

#define PERI__WORD(name, word) {word, sizeof(word) - 1},
static const peri_str trigger_words[] = {PERI_TRIGGER_LIST(PERI__WORD){0}};
static const peri_str slice_words[] = {PERI_SLICE_LIST(PERI__WORD){0}};
static const peri_str severity_words[] = {PERI_SEVERITY_LIST(PERI__WORD){0}};
static const peri_str lane_words[] = {PERI_LANE_LIST(PERI__WORD) PERI__WORD(, "next_prompt")
                                          PERI__WORD(, "next_turn") PERI__WORD(, "settle"){0}};
static const peri_str isolation_words[] = {PERI__WORD(, "none") PERI__WORD(, "worker"){0}};
static const peri_str can_words[] = {PERI__WORD(, "advise") PERI__WORD(, "veto")
                                         PERI__WORD(, "report"){0}};
#undef PERI__WORD

#endif
