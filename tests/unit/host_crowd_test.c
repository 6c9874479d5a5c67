// Many sessions in one host: nothing is lost at their common end.
#include "crowd.h"

#include "test.h"

// So many that what is due at the end comes in more than one portion.
enum { SESSIONS = 700, PAIRINGS = SESSIONS * CROWD_OBSERVERS };

IT("OB-6 CC-5 ends every agent of many sessions and loses nothing on the way") {
    crowd c;
    crowd_open(&c);
    for (size_t i = 0; i < SESSIONS; i++) crowd_turn(&c, i);
    CHECK_EQ(c.runs, PAIRINGS * CROWD_STEPS);
    crowd_finish(&c);
    CHECK_EQ(c.last_runs, PAIRINGS);
    CHECK_EQ(c.retired, PAIRINGS);
    CHECK_EQ(c.runs, PAIRINGS * (CROWD_STEPS + 1));
    CHECK_EQ(c.failed, 0);
    CHECK_EQ(c.gaps, 0);
    CHECK_EQ(crowd_count(&c, "lost"), 0);
    CHECK_EQ(crowd_count(&c, "runs"), (long long)c.runs);
    crowd_close(&c);
}

TEST_MAIN
