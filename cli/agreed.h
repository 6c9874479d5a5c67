// The trust store as the verbs use it: opened, changed, written back.
#ifndef PERI_CLI_AGREED_H
#define PERI_CLI_AGREED_H

#include "host/written/trust.h"

typedef struct peri_agreed {
    peri_buf file; // where the store is
    peri_trust trust;
} peri_agreed;

/// Reads the store of `state_dir` (NULL: the user's). An exit code; what is wrong was told on
/// stderr. Close it in any case.
int peri_agreed_open(peri_agreed *agreed, const char *verb, const char *state_dir);
void peri_agreed_close(peri_agreed *agreed);

/// Writes the store back. An exit code; a failure was told.
int peri_agreed_save(peri_agreed *agreed, const char *verb);

/// Agrees to the content `text` that a verb is about to write, or has written, to `relative` of
/// the project `folder`: what people write themselves they need not be asked about. An exit
/// code.
int peri_agreed_note_own(const char *verb, const char *state_dir, const char *folder,
                         const char *relative, peri_str text);

#endif
