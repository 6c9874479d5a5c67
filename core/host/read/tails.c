// The followed files of a host: which names are followed, by name, and whose position is in
// which file. What is read of them, and when, is host/read/follow.c; one of them,
// host/read/tail.c.
#include <sodium.h>
#include <stdlib.h>

#include "host/read/tail.h"
#include "host/told/told.h"
#include "host/written/written.h"

const host_root *host_tails_root(const host_follow *f, const char *path) {
    for (size_t i = 0; i < f->root_count; i++) {
        const host_root *r = &f->roots[i];
        size_t len = strlen(r->path);
        if (strncmp(path, r->path, len) != 0) continue;
        if (path[len] == '\0' || (r->folder && (path[len] == '/' || len == 1))) return r;
    }
    return NULL;
}

bool host_tails_want(const peri_host *host, const char *path) {
    return host_tails_root(host->follow, path) && !host_is_sidecar(host, path);
}

host_tail *host_tails_find(const peri_host *host, const char *path) {
    return peri_map_get(&host->follow->tails, peri_str_c(path));
}

host_tail *host_tails_add(peri_host *host, const char *path) {
    host_follow *f = host->follow;
    host_tail *tail = host_tails_find(host, path);
    if (tail) return tail;
    tail = calloc(1, sizeof *tail);
    if (tail) tail->path = strdup(path);
    if (!tail || !tail->path || peri_map_set(&f->tails, peri_str_c(tail->path), tail) < 0) {
        host->counts.unread_files++;
        if (tail) free(tail->path);
        free(tail);
        return NULL;
    }
    tail->dialect = host_tails_root(f, path)->dialect;
    return tail;
}

// A key for the hash would lie in the same folder as what it is to protect: whoever guesses at
// a secret that short had better not be given the ledger.
char *host_tails_key(peri_host *host, const char *path) {
    peri_buf room;
    peri_buf_init(&room, 2 * 4096);
    peri_str all = peri_str_c(path), clean = host_scrubbed(host, all, &room);
    char *key = NULL;
    if (clean.ptr == all.ptr) {
        key = strdup(path);
    } else {
        unsigned char hash[crypto_generichash_BYTES_MIN];
        char hex[2 * sizeof hash + 1];
        crypto_generichash(hash, sizeof hash, (const unsigned char *)path, all.len, NULL, 0);
        sodium_bin2hex(hex, sizeof hex, hash, sizeof hash);
        if (asprintf(&key, "%.*s #%s", PERI_FMT(clean), hex) < 0) key = NULL;
    }
    peri_buf_deinit(&room);
    return key;
}

// The bytes that stand for a file in the map of owners; they live in its tail.
static peri_str key_of(const peri_file_id *id) {
    return peri_str_of((const char *)id, offsetof(peri_file_id, size));
}

host_tail *host_tails_owner(const peri_host *host, const peri_file_id *id) {
    return peri_map_get(&host->follow->owners, key_of(id));
}

void host_tails_own(peri_host *host, host_tail *tail, peri_file_id id) {
    peri_map *owners = &host->follow->owners;
    if (peri_map_get(owners, key_of(&tail->owned)) == tail) {
        (void)peri_map_del(owners, key_of(&tail->owned));
    }
    (void)peri_map_del(owners, key_of(&id)); // that key lies in another tail
    tail->owned = tail->at.id = id;
    if (peri_map_set(owners, key_of(&tail->owned), tail) < 0) host->counts.lost++;
}
