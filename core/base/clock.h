// Time and randomness are injected: a replay runs on its recording's clock and a seeded
// generator, so that the same input gives the same bytes.
#ifndef PERI_BASE_CLOCK_H
#define PERI_BASE_CLOCK_H

#include "base/buf.h"

typedef struct peri_clock {
    int64_t (*now_ms)(void *user);  // monotonic
    int64_t (*wall_ms)(void *user); // since 1970 UTC
    void *user;
    int32_t (*zone_min)(int64_t wall_ms); // minutes east of UTC then; NULL: UTC
} peri_clock;

/// The system's clocks.
peri_clock peri_clock_system(void);

/// A clock that stands at the latest time it was told; both hands move together.
typedef struct peri_clock_manual {
    int64_t at_wall_ms;
} peri_clock_manual;
peri_clock peri_clock_of(peri_clock_manual *manual);

/// A small generator for nonces and jitter (xoshiro256**). Seed it from the system for live
/// use.
typedef struct peri_random {
    uint64_t s[4];
} peri_random;
void peri_random_seed(peri_random *random, uint64_t seed);
/// Seeds from the kernel. PERI_EIO if it has no entropy to give.
PERI_MUST_USE int peri_random_seed_system(peri_random *random);
uint64_t peri_random_next(peri_random *random);
/// Fills `out` with `len` characters of the base64url alphabet and no NUL.
void peri_random_token(peri_random *random, char *out, size_t len);

/// Reads an ISO 8601 time with date, "T" or blank, seconds, optional fraction and optional zone
/// ("Z", "+hh:mm"); none means UTC. PERI_EPARSE otherwise.
PERI_MUST_USE int peri_time_parse(peri_str text, int64_t *out_wall_ms);

/// Appends "2026-11-30T10:00:00.000Z".
void peri_time_format(peri_buf *out, int64_t wall_ms);

#endif
