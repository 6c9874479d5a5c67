// The pool of a state's small blocks: cells come back to takers of their size, and its region
// is all there is.
#include "script/pool.h"

#include <string.h>

#include "test.h"

IT("hands a cell that was given back to the next taker of its size") {
    peri__pool pool;
    CHECK(peri__pool_init(&pool));
    char *a = peri__pool_take(&pool, 33), *b = peri__pool_take(&pool, 48);
    CHECK(a && b && a != b && peri__pool_has(&pool, a) && peri__pool_has(&pool, b));
    memset(a, 'a', 48);
    memset(b, 'b', 48);
    peri__pool_give(&pool, a, 33);
    peri__pool_give(&pool, b, 48);
    CHECK(peri__pool_take(&pool, 64) != a);
    CHECK(peri__pool_take(&pool, 40) == b);
    CHECK(peri__pool_take(&pool, 48) == a);
    CHECK(peri__pool_same(33, 48) && !peri__pool_same(32, 33));
    peri__pool_deinit(&pool);
}

IT("takes nothing too large for a cell, and nothing beyond the region") {
    peri__pool pool;
    CHECK(peri__pool_init(&pool));
    CHECK(!peri__pool_take(&pool, PERI_POOL_MAX_CELL_BYTES + 1));
    char *large = peri__pool_cut(&pool, 10000);
    CHECK(large && peri__pool_has(&pool, large));
    peri__pool_give(&pool, large, 10000);
    size_t cells = 0;
    while (peri__pool_take(&pool, 1024)) cells++;
    CHECK_EQ(cells, (PERI_POOL_BYTES - 10000) / 1024);
    CHECK(!peri__pool_cut(&pool, 1024));
    char outside;
    CHECK(!peri__pool_has(&pool, &outside));
    peri__pool_deinit(&pool);
}

TEST_MAIN
