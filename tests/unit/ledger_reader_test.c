// Who reads a ledger: what it sees of a writer at work, and that it changes nothing, in a
// folder that may not be written either.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ledger_scene.h"

static void fresh_path(void) {
    fresh_path_at("state/perilune/ledger.db");
}

IT("D8 shows others what was committed, and nothing before") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){0});
    peri_ledger *reader = opened((peri_ledger_options){.read_only = true});
    put(ledger, PERI_RECORD_DELIVERY, "p1", "queued");
    CHECK_STR(all_of(reader), "");
    CHECK_OK(peri_ledger_commit(ledger, 0));
    CHECK_STR(all_of(reader), "delivery:p1:queued ");
    put(ledger, PERI_RECORD_DELIVERY, "p1", "handed");
    peri_ledger_close(ledger);
    CHECK_STR(all_of(reader), "delivery:p1:queued delivery:p1:handed ");
    peri_ledger_close(reader);
}

IT("writes no file for a reader, and names a missing one") {
    fresh_path();
    const char *error;
    CHECK_EQ(open_status((peri_ledger_options){.read_only = true}, &error), PERI_ENOENT);
    CHECK_HAS(peri_str_c(error), "no such file");
    CHECK(access(path, F_OK) != 0);
    peri_ledger_close(opened((peri_ledger_options){0}));
    peri_ledger *reader = opened((peri_ledger_options){.read_only = true});
    peri_record record = record_of(PERI_RECORD_USAGE, NULL, NULL);
    CHECK_EQ(peri_ledger_put(reader, &record), PERI_EACCES);
    CHECK_OK(peri_ledger_commit(reader, 0));
    peri_ledger_close(reader);
}

// How a user who may only read opens the ledger: as root, whom no mode stops, somebody else.
// The status of opening, and what the ledger holds in `got`; NO_WAY if that user cannot even
// get there.
enum { NO_WAY = 99 };

static int read_as_guest(char *got, size_t size) {
    int ends[2], ended = 0;
    CHECK_EQ(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(NO_WAY);
        if (access(path, R_OK) != 0) _exit(NO_WAY);
        const char *error = "";
        peri_ledger *ledger = NULL;
        int status =
            peri_ledger_open(path, &(peri_ledger_options){.read_only = true}, &ledger, &error);
        peri_str said = status < 0 ? peri_str_c(error) : all_of(ledger);
        bool sent = write(ends[1], said.ptr, said.len) == (ssize_t)said.len;
        _exit(sent ? -status : 2);
    }
    close(ends[1]);
    ssize_t len = read(ends[0], got, size - 1);
    got[len > 0 ? len : 0] = '\0';
    close(ends[0]);
    CHECK_EQ(waitpid(child, &ended, 0), child);
    CHECK(WIFEXITED(ended));
    return WEXITSTATUS(ended) == NO_WAY ? NO_WAY : -WEXITSTATUS(ended);
}

// Opens the way to the ledger for everybody, and its folder for nobody's changes.
static void shut_folder(mode_t folder_mode) {
    char above[sizeof path];
    CHECK_EQ(chmod(path, 0644), 0);
    snprintf(above, sizeof above, "%s/state/perilune", place.root);
    CHECK_EQ(chmod(above, folder_mode), 0);
    *strrchr(above, '/') = '\0';
    CHECK_EQ(chmod(above, 0755), 0);
    CHECK_EQ(chmod(place.root, 0755), 0);
}

IT("D8 reads a ledger in a folder that may not be written") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){0});
    put(ledger, PERI_RECORD_PROPOSAL, "p1", "veto");
    peri_ledger_close(ledger);
    shut_folder(0555);
    char got[256];
    int status = read_as_guest(got, sizeof got);
    shut_folder(0755);
    if (status == NO_WAY) return; // a temporary folder of one's own
    CHECK_OK(status);
    CHECK_STR(peri_str_c(got), "proposal:p1:veto ");
}

IT("D8 says so where the last changes cannot be read there") {
    fresh_path();
    peri_ledger *ledger = opened((peri_ledger_options){0});
    put(ledger, PERI_RECORD_PROPOSAL, "p1", "veto");
    CHECK_OK(peri_ledger_commit(ledger, 0));
    char index[sizeof path + 8], got[256];
    snprintf(index, sizeof index, "%s-shm", path);
    CHECK_EQ(chmod(index, 0), 0);
    shut_folder(0555);
    int status = read_as_guest(got, sizeof got);
    shut_folder(0755);
    peri_ledger_close(ledger);
    if (status == NO_WAY) return;
    CHECK_EQ(status, PERI_EACCES);
    CHECK_HAS(peri_str_c(got), "-wal file beside it");
}

TEST_MAIN
