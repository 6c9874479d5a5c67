// Followed files: which file each name stands for, and how far it was read.
#ifndef PERI_HOST_TAIL_H
#define PERI_HOST_TAIL_H

#include "host/types.h"
#include "io/watch.h"
#include "ledger/checkpoint.h"

enum { HOST_MAX_ROOTS = 64 };

/// Where reading stands in a file. Everything before `offset`
/// was whole records, all of them read.
typedef struct host_position {
    peri_file_id id;
    uint64_t offset, print; // fingerprint of what stands before it
} host_position;

typedef struct host_tail {
    struct host_tail *behind;       // NULL, or what is read to its end first
    struct host_tail *next;         // in the queue of files to be read
    struct host_tail *next_touched; // in the list of positions to be saved
    char *path;                     // owned
    char *key;                      // owned; its name in the ledger, NULL until it is known
    const peri_dialect *dialect;    // NULL: found out
    peri_source *source;            // NULL until its dialect is known
    host_position at, given;        // `given`: in a file that another name had before
    peri_file_id owned;             // the file whose owner this is (host_tails_own)
    uint64_t opened_at;             // where `source->file` was opened
    uint64_t
        read_at; // next byte: what stands between the position and it is held by the reader
    uint64_t saved_offset; // of the position that the ledger has
    uint64_t tries;        // starts of the program that ended while reading on from here
    uint32_t lines;        // of this turn
    int refusal;           // why it could not be opened; PERI_OK
    bool queued, touched;
    bool known;   // the ledger was asked
    bool foreign; // in no known format, or compressed: not read
    bool listed;  // and said so
    bool tried;   // this start is counted in `tries`
    bool careful; // a position after each record
    bool warming; // what stands before the position is read once more, to know it
    bool waited;  // for the rest of the file that had this name before
    bool renamed; // `source->file` is the file that had this name before
} host_tail;

/// What the caller asked to be followed.
typedef struct host_root {
    char *path; // owned; from the root of the file system, without links
    bool folder;
    const peri_dialect *dialect; // NULL: found out file by file
} host_root;

/// The followed files of a host.
typedef struct host_follow {
    peri_watch *watch;
    peri_map tails;          // path -> host_tail
    peri_map owners;         // device and inode -> the host_tail whose position is there
    host_tail *first, *last; // files to be read
    host_tail *touched;      // files with a position to be saved
    host_root roots[HOST_MAX_ROOTS];
    size_t root_count;
} host_follow;

// host/read/tails.c
/// What was asked to be followed that holds `path`; NULL: nothing does.
const host_root *host_tails_root(const host_follow *follow, const char *path);
/// True if a file of that name is to be followed.
bool host_tails_want(const peri_host *host, const char *path);
/// The followed file of that name; NULL if there is none yet.
host_tail *host_tails_find(const peri_host *host, const char *path);
/// Follows it from now on, if it does not yet. NULL beyond the maximum or memory.
host_tail *host_tails_add(peri_host *host, const char *path);
/// The followed file whose position is in that file; NULL if there is none.
host_tail *host_tails_owner(const peri_host *host, const peri_file_id *id);
/// What a file of that name is called in the ledger, owned by the caller: its path, or where
/// that holds a secret, the scrubbed path with a hash that tells it from others. NULL: no
/// memory.
char *host_tails_key(peri_host *host, const char *path);
/// The position of `tail` is in that file from now on.
void host_tails_own(peri_host *host, host_tail *tail, peri_file_id id);

// host/read/tail.c
/// Opens the file and goes to where reading stands. 1: there may be something to read; 0:
/// nothing now, or not before what is then `tail->behind`; a negative status if it cannot be
/// read.
PERI_MUST_USE int host_tail_open(peri_host *host, host_tail *tail);
/// Reads one line. 1 if something was read.
PERI_MUST_USE int host_tail_read(peri_host *host, host_tail *tail);
/// At the end of what is there: notes the position and lets go of the file and of spare memory.
/// True if the name now stands for another file, which is to be opened.
bool host_tail_rest(peri_host *host, host_tail *tail);
/// Writes the position into the ledger's transaction if it moved.
void host_tail_save(peri_host *host, host_tail *tail);
void host_tail_free(peri_host *host, host_tail *tail);

#endif
