// Claims: one holder a place, in one process or several, and none left behind.
#include "io/claims.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch.h"
#include "test.h"

static scratch folder;
static char path[300];

static void fresh(void) {
    scratch_renew(&folder);
    snprintf(path, sizeof path, "%s/ledger.db.lock", folder.root);
}

IT("gives a place to one holder, and to the next when that one has let go") {
    fresh();
    peri_claims one, two;
    CHECK_OK(peri_claims_open(&one, path, false));
    CHECK_OK(peri_claims_open(&two, path, false));
    CHECK_OK(peri_claims_take(&one, 400));
    CHECK_OK(peri_claims_take(&one, 400));
    CHECK_EQ(peri_claims_take(&two, 400), PERI_EDENIED);
    CHECK_OK(peri_claims_take(&two, 404));
    CHECK(peri_claims_is_held(&two, 400));
    CHECK(!peri_claims_is_held(&one, 400)); // by another than itself
    CHECK(peri_claims_is_held(&one, 404));
    peri_claims_close(&one);
    CHECK_OK(peri_claims_take(&two, 400));
    peri_claims_close(&two);
}

IT("takes any number for a place") {
    fresh();
    peri_claims one, two;
    CHECK_OK(peri_claims_open(&one, path, false));
    CHECK_OK(peri_claims_open(&two, path, false));
    static const uint64_t places[] = {0, 8, UINT64_MAX, UINT64_C(1) << 63};
    for (size_t i = 0; i < 4; i++) {
        CHECK_OK(peri_claims_take(&one, places[i]));
        CHECK_EQ(peri_claims_take(&two, places[i]), PERI_EDENIED);
    }
    peri_claims_close(&one);
    peri_claims_close(&two);
}

IT("keeps a claim when another descriptor of the file is closed, and none when its process dies") {
    fresh();
    peri_claims own, asker;
    CHECK_OK(peri_claims_open(&own, path, false));
    CHECK_OK(peri_claims_take(&own, 4));
    CHECK_OK(peri_claims_open(&asker, path, true));
    peri_claims_close(&asker);
    pid_t child = fork();
    if (child == 0) {
        peri_claims other;
        bool held = peri_claims_open(&other, path, false) == PERI_OK &&
                    peri_claims_take(&other, 4) == PERI_EDENIED &&
                    peri_claims_take(&other, 8) == PERI_OK;
        _exit(held ? 0 : 1); // without letting go
    }
    int status = 1;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    CHECK(!peri_claims_is_held(&own, 8));
    CHECK_OK(peri_claims_take(&own, 8));
    peri_claims_close(&own);
}

IT("only asks where there is nothing, follows no link, and makes the file for its owner alone") {
    fresh();
    peri_claims claims;
    unlink(path);
    CHECK_EQ(peri_claims_open(&claims, path, true), PERI_ENOENT);
    CHECK_EQ(peri_claims_take(&claims, 4), PERI_EIO);
    CHECK(!peri_claims_is_held(&claims, 4));
    CHECK_OK(peri_claims_open(&claims, path, false));
    peri_claims_close(&claims);
    struct stat info;
    CHECK_EQ(stat(path, &info), 0);
    CHECK_EQ(info.st_mode & 0777, 0600);
    unlink(path);
    CHECK_EQ(symlink("elsewhere", path), 0);
    CHECK(peri_claims_open(&claims, path, false) < 0);
    unlink(path);
}

TEST_MAIN
