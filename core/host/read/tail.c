// A followed file from one opening to the next. A name says little: the file behind it may have
// been cut short, written anew, renamed away or replaced by a copy with the same content. What
// counts is the position, which carries a fingerprint of all that stands before it: where it
// matches, reading goes on, wherever the file went; where it does not, another file is read
// from its start. A position is only ever behind a whole record (case C05), and lies in the
// ledger.
#include "host/read/tail.h"

#include <stdlib.h>

#include "host/read/read.h"
#include "host/told/told.h"
#include "io/unpack.h"

enum {
    POISON_TRIES = 3, // starts that end while reading one record
    PEEK_BYTES = 64 * 1024,
    FOREIGN_BYTES = 64 * 1024, // read without finding a known format: it has none
    WARM_BYTES = 4 * 1024 * 1024,
};

static bool is_same_inode(const peri_file_id *a, const peri_file_id *b) {
    return a->device == b->device && a->inode == b->inode;
}

// True if what was read is still what stands before the position.
static bool holds(const host_position *at, const peri_file *file, const peri_file_id *id) {
    uint64_t print;
    if (at->offset == 0) return at->id.inode == 0 || is_same_inode(&at->id, id);
    return id->size >= at->offset && peri_file_print(file, at->offset, &print) == PERI_OK &&
           print == at->print;
}

static void drop_source(peri_host *host, host_tail *tail) {
    if (tail->source) {
        host_count_source(host, tail->source);
        host_source_free(tail->source);
    }
    tail->source = NULL;
    tail->read_at = tail->at.offset;
}

static void restart(peri_host *host, host_tail *tail, host_position at) {
    tail->at = at;
    tail->saved_offset = UINT64_MAX; // in another file
    tail->tries = 0;
    tail->foreign = tail->renamed = tail->waited = false;
    drop_source(host, tail);
}

// The checkpoint of the name. One from before names with secrets were scrubbed is found once
// more, and taken away.
static int find_checkpoint(peri_host *host, host_tail *tail, peri_checkpoint *from) {
    if (!tail->key) tail->key = host_tails_key(host, tail->path);
    if (!host->ledger || !tail->key) return PERI_ENOENT;
    peri_str key = peri_str_c(tail->key), path = peri_str_c(tail->path);
    int status = peri_ledger_get_checkpoint(host->ledger, key, 0, 0, from);
    if (status != PERI_ENOENT || peri_str_eq(key, path)) return status;
    status = peri_ledger_get_checkpoint(host->ledger, path, 0, 0, from);
    if (status < 0) return status;
    from->path = key; // both in one commit: neither is lost, and neither stays
    if (peri_ledger_put_checkpoint(host->ledger, from, host_wall_ms(host)) == PERI_OK)
        (void)!peri_ledger_drop_checkpoint(host->ledger, path); // counted
    host->ledger_dirty = true;
    return PERI_OK;
}

// Where an earlier run, or this one under another name, has read to.
static void learn_position(peri_host *host, host_tail *tail, const peri_file_id *id) {
    peri_checkpoint from;
    tail->known = true;
    const host_tail *owner = host_tails_owner(host, id);
    int status = find_checkpoint(host, tail, &from);
    if (status == PERI_OK) {
        tail->saved_offset = from.offset;
    } else if (owner && owner != tail) {
        tail->at = owner->at;
        return;
    } else if (host->ledger) {
        status = peri_ledger_get_checkpoint(host->ledger, (peri_str){0}, id->device, id->inode,
                                            &from);
    }
    if (status < 0) return;
    tail->at.id = (peri_file_id){.device = from.device, .inode = from.inode};
    tail->at.offset = from.offset;
    tail->at.print = from.print;
    tail->tries = from.tries;
}

// A file's name in its folder, looked for by its identity.
typedef struct search {
    peri_file_id id;
    char *found; // owned
} search;

static int compare_id(void *user, const char *path) {
    search *s = user;
    peri_file_id id;
    if (!s->found && peri_path_id_of(path, &id) == PERI_OK && is_same_inode(&id, &s->id)) {
        s->found = strdup(path);
    }
    return PERI_OK;
}

// The name that the file of the position has now, if it was renamed within its folder.
static char *renamed_to(peri_host *host, const host_tail *tail) {
    search s = {.id = tail->at.id};
    char *folder = strdup(tail->path);
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash) {
        slash[slash == folder] = '\0';
        int status = peri_folder_list(folder, "", compare_id, &s);
        if (status < 0)
            host_logf(host, "warning", "%s: %s", folder, peri_status_message(status));
    }
    free(folder);
    return s.found;
}

// Offset behind the LF that ends the record at `from`; 0 if it has none yet.
static uint64_t record_end(const peri_file *file, uint64_t from) {
    char *chunk = malloc(PEEK_BYTES);
    uint64_t end = 0;
    for (long got = 1; chunk && got > 0 && !end; from += (uint64_t)got) {
        got = peri_file_peek(file, from, chunk, PEEK_BYTES);
        size_t lf =
            got > 0 ? peri_str_find_byte(peri_str_of(chunk, (size_t)got), '\n', 0) : PERI_NPOS;
        if (lf != PERI_NPOS) end = from + lf + 1;
        if (got <= 0) break;
    }
    free(chunk);
    return end;
}

// Where to begin so that what the agent was doing at the position is known again: a step that
// is half read would otherwise be shown to its observers by half.
static uint64_t warm_start(const host_tail *tail, const peri_file *file) {
    if (tail->at.offset <= WARM_BYTES) return 0;
    uint64_t start = record_end(file, tail->at.offset - WARM_BYTES);
    return start && start < tail->at.offset ? start : tail->at.offset;
}

// 1: `tail->source` is there; 0: not yet, or never.
static int make_source(peri_host *host, host_tail *tail, const peri_file *in,
                       const char *path) {
    host_file file = {.path = (char *)path, .first_at = INT64_MAX};
    uint64_t size = 0;
    int status = host_sniff(host, &file, tail->dialect, &size);
    if (status == PERI_OK) {
        status = host_source_new(host, tail->path, file.dialect, &tail->source);
    } else if (status == PERI_EFORMAT) {
        tail->foreign = size >= FOREIGN_BYTES;
        status = 0;
    }
    if (tail->source) {
        tail->source->followed = true;
        tail->read_at = warm_start(tail, in);
        tail->warming = tail->read_at < tail->at.offset;
        tail->source->reader.framer.line_start = tail->read_at;
        if (tail->read_at) { // its first record may be the only one that names it
            tail->source->last_session = file.session;
            file.session = (peri_str){0};
        }
        host_read_sidecar(host, tail->source, &file);
        host_count_file(host, file.dialect);
        status = 1;
    }
    free((char *)file.session.ptr);
    return status;
}

static void mark_foreign(peri_host *host, host_tail *tail, const peri_file_id *id) {
    tail->foreign = true;
    tail->at = (host_position){.id = *id};
    if (!tail->listed) host_list_other(host, tail->path);
    tail->listed = true;
}

// The file that had this name is followed by the one it has now, and its rest comes first; but
// of names that were swapped none can wait for the other.
static void wait_for(host_tail *tail, host_tail *other) {
    if (tail->waited) return;
    other->given = tail->at;
    tail->waited = true;
    const host_tail *last = other;
    while (last && last != tail) last = last->behind;
    if (!last) tail->behind = other;
}

// The rest of a file that was renamed while it was read. True if there is one to read here; a
// name that is followed itself is told where reading stands and reads it.
static bool open_renamed(peri_host *host, host_tail *tail) {
    char *path = renamed_to(host, tail);
    if (!path) return false;
    bool opened = false;
    if (host_tails_want(host, path)) {
        host_tail *other = host_tails_add(host, path);
        if (other) wait_for(tail, other);
    } else {
        peri_file file;
        peri_file_id id;
        if (peri_file_open_raw(&file, path) == PERI_OK) {
            opened = peri_file_id_of(&file, &id) == PERI_OK && holds(&tail->at, &file, &id) &&
                     (tail->source || make_source(host, tail, &file, path) > 0) &&
                     peri_file_seek(&file, tail->read_at) == PERI_OK;
            if (opened) {
                tail->source->file = file;
                tail->opened_at = tail->read_at;
                tail->renamed = true;
            } else {
                peri_file_close(&file);
            }
        }
    }
    free(path);
    return opened;
}

// A record that the program does not survive must not be met again for ever: a start is counted
// before the first record is read, a position that moved on takes the count back, and after
// POISON_TRIES the record is set aside.
static void count_try(peri_host *host, host_tail *tail, const peri_file *file) {
    uint64_t end = tail->tried || !host->ledger ? 0 : record_end(file, tail->at.offset);
    if (!end) return; // nothing to read
    tail->tried = true;
    tail->careful = tail->tries > 0;
    if (tail->tries >= POISON_TRIES) {
        peri_buf what;
        peri_buf_init(&what, 8192);
        peri_buf_addf(
            &what, "%s: byte %llu: set aside unread: %llu starts ended while reading it",
            tail->path, (unsigned long long)tail->at.offset, (unsigned long long)tail->tries);
        host_logf(host, "warning", "%s", peri_buf_c(&what));
        host_warn(host, "poison-record", peri_str_c(tail->path), peri_buf_str(&what),
                  (peri_str){0});
        host_quarantine(host, peri_buf_c(&what));
        peri_buf_deinit(&what);
        drop_source(host, tail);
        if (peri_file_print(file, end, &tail->at.print) == PERI_OK) tail->at.offset = end;
        tail->tries = 0;
    }
    tail->tries++;
    tail->saved_offset = UINT64_MAX;
    host_tail_save(host, tail);
    int status = peri_ledger_commit(host->ledger, host_wall_ms(host));
    if (status < 0) host_logf(host, "warning", "ledger: %s", peri_status_message(status));
}

// Goes to where reading stands in the opened file.
static int go_on(peri_host *host, host_tail *tail, peri_file *file, const peri_file_id *id) {
    char start[PERI_PACKING_BYTES];
    long got = peri_file_peek(file, 0, start, sizeof start);
    if (got >= 0 && peri_packing_of(start, (size_t)got) != PERI_PACKING_NONE) {
        mark_foreign(host, tail, id); // a recording at rest: it is not live any more
        return 0;
    }
    if (id->size < tail->read_at)
        drop_source(host, tail); // an unfinished record was taken back
    count_try(host, tail, file);
    if (!tail->source) {
        int made = make_source(host, tail, file, tail->path);
        if (tail->foreign) mark_foreign(host, tail, id);
        if (made <= 0) return made;
    }
    int status = peri_file_seek(file, tail->read_at);
    if (status < 0) return status;
    tail->source->file = *file;
    tail->opened_at = tail->read_at;
    return 1;
}

// Where reading stands in a file that took this name: files are rotated in a row, and any of
// them may be looked at first.
static host_position taken_over(const peri_host *host, const host_tail *tail,
                                const peri_file_id *id) {
    if (is_same_inode(&tail->given.id, id)) return tail->given;
    const host_tail *owner = host_tails_owner(host, id);
    if (owner && owner != tail && is_same_inode(&owner->at.id, id)) return owner->at;
    peri_checkpoint from;
    if (!host->ledger || peri_ledger_get_checkpoint(host->ledger, (peri_str){0}, id->device,
                                                    id->inode, &from) < 0)
        return (host_position){0};
    return (host_position){*id, from.offset, from.print};
}

int host_tail_open(peri_host *host, host_tail *tail) {
    peri_file file;
    peri_file_id id;
    int status = peri_file_open_raw(&file, tail->path);
    if (status == PERI_ENOENT || status == PERI_EINVAL) return 0; // gone, or no file any more
    if (status < 0) return status;
    status = peri_file_id_of(&file, &id);
    if (status == PERI_OK && !tail->known) learn_position(host, tail, &id);
    if (status == PERI_OK && tail->foreign && is_same_inode(&tail->at.id, &id)) {
        peri_file_close(&file);
        return 0;
    }
    bool given = is_same_inode(&tail->given.id, &id) && !is_same_inode(&tail->at.id, &id);
    if (status == PERI_OK && (given || !holds(&tail->at, &file, &id))) {
        bool moved = tail->at.offset && !is_same_inode(&tail->at.id, &id);
        bool opened = moved && open_renamed(host, tail);
        if (opened || tail->behind) {
            peri_file_close(&file);
            return opened;
        }
        host_position at = taken_over(host, tail, &id);
        restart(host, tail, holds(&at, &file, &id) ? at : (host_position){0});
    }
    if (status == PERI_OK) {
        host_tails_own(host, tail, id);
        status = go_on(host, tail, &file, &id);
    }
    if (status <= 0) peri_file_close(&file);
    return status;
}

// Notes the position: behind the last whole record.
static void mark(host_tail *tail) {
    uint64_t print;
    const peri_source *source = tail->source;
    if (!source || source->file.fd < 0) return;
    uint64_t offset = peri_framer_checkpoint(&source->reader.framer);
    if (offset <= tail->at.offset) return;
    if (peri_file_print(&source->file, offset, &print) < 0)
        return; // cut short: seen at the next opening
    tail->at.offset = offset;
    tail->at.print = print;
    tail->tries = 0;
}

int host_tail_read(peri_host *host, host_tail *tail) {
    peri_reader *reader = &tail->source->reader;
    if (tail->warming && peri_framer_checkpoint(&reader->framer) >= tail->at.offset) {
        tail->warming = false;
        reader->counts = (peri_ingest_counts){0};
    }
    host->warming = tail->warming;
    int read = host_source_read(tail->source);
    host->warming = false;
    return read;
}

bool host_tail_rest(peri_host *host, host_tail *tail) {
    peri_source *source = tail->source;
    mark(tail);
    tail->read_at = tail->opened_at + source->file.read_bytes;
    peri_file_close(&source->file);
    peri_buf_deinit(&source->pending);
    source->pending_at = 0;
    peri_reader_rest(&source->reader);
    tail->careful = false;
    peri_file_id id;
    if (tail->renamed) {
        restart(host, tail, (host_position){0});
        return true;
    }
    return peri_path_id_of(tail->path, &id) == PERI_OK && !is_same_inode(&id, &tail->at.id);
}

void host_tail_save(peri_host *host, host_tail *tail) {
    mark(tail);
    bool moved = tail->at.offset != tail->saved_offset;
    if (!host->ledger || !tail->key || !moved || tail->foreign) return;
    const host_agent *last = tail->source ? tail->source->last : NULL;
    const host_session *session = last ? last->agent->session->attached : NULL;
    if (session && session->refused && !session->claimed) return; // its host stores it
    peri_checkpoint to = {.path = peri_str_c(tail->key),
                          .device = tail->at.id.device,
                          .inode = tail->at.id.inode,
                          .offset = tail->at.offset,
                          .print = tail->at.print,
                          .tries = tail->tries};
    if (peri_ledger_put_checkpoint(host->ledger, &to, host_wall_ms(host)) < 0) return;
    tail->saved_offset = tail->at.offset;
    host->ledger_dirty = true;
}

void host_tail_free(peri_host *host, host_tail *tail) {
    drop_source(host, tail);
    free(tail->path);
    free(tail->key);
    free(tail);
}
