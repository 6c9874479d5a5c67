// The fixed reasons of decisions in a sentence, for somebody who reads one for the first time.
#ifndef PERI_CLI_REASONS_H
#define PERI_CLI_REASONS_H

#include "base/str.h"

/// What `reason` means; absent for one that a policy of the user's own gave.
peri_str peri_reason_meaning(peri_str reason);

#endif
