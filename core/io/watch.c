// libuv's file events behind watch.h. libuv hands a handle's memory back only inside its loop,
// so a folder that is dropped lives on until then.
#include "io/watch.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/map.h"
#include "io/loop_uv.h"

enum { POLL_MS = 2000 };

typedef struct folder {
    uv_fs_event_t event; // its data is this folder
    peri_watch *watch;
    char *path; // owned
    bool polled;
} folder;

struct peri_watch {
    uv_loop_t *uv;
    uv_timer_t poll; // runs while a folder is polled
    peri_watch_fn fn;
    void *user;
    peri_map folders; // path -> folder
    size_t polled, closing;
};

static void tell(const peri_watch *watch, const char *path) {
    watch->fn(watch->user, path);
}

static void on_event(uv_fs_event_t *event, const char *name, int events, int error) {
    const folder *f = event->data;
    (void)events;
    if (error || !name || !name[0]) {
        tell(f->watch, f->path);
        return;
    }
    peri_buf path;
    peri_buf_init(&path, 8192);
    peri_buf_add_c(&path, f->path);
    peri_buf_add_byte(&path, '/');
    peri_buf_add_c(&path, name);
    tell(f->watch, path.status < 0 ? f->path : peri_buf_c(&path));
    peri_buf_deinit(&path);
}

static void on_poll(uv_timer_t *timer) {
    const peri_watch *watch = timer->data;
    size_t at = 0, count = 0;
    // Telling may add folders: the paths are taken first.
    char **paths = calloc(watch->polled + 1, sizeof *paths);
    for (peri_map_slot *slot; paths && (slot = peri_map_next(&watch->folders, &at));) {
        const folder *f = slot->value;
        if (f->polled && count < watch->polled) paths[count++] = strdup(f->path);
    }
    for (size_t i = 0; i < count; i++) {
        if (paths[i]) tell(watch, paths[i]);
        free(paths[i]);
    }
    free(paths);
}

int peri_watch_new(peri_loop *loop, size_t max_folders, peri_watch_fn fn, void *user,
                   peri_watch **out) {
    peri_watch *watch = calloc(1, sizeof *watch);
    if (!watch) return PERI_ENOMEM;
    watch->uv = peri__loop_uv(loop);
    watch->fn = fn;
    watch->user = user;
    peri_map_init(&watch->folders, max_folders, PERI_HASH_SEED);
    uv_timer_init(watch->uv, &watch->poll);
    watch->poll.data = watch;
    *out = watch;
    return PERI_OK;
}

static void on_folder_closed(uv_handle_t *handle) {
    folder *f = handle->data;
    f->watch->closing--;
    free(f->path);
    free(f);
}

static void drop(folder *f) {
    if (f->polled && --f->watch->polled == 0) uv_timer_stop(&f->watch->poll);
    f->watch->closing++;
    uv_close((uv_handle_t *)&f->event, on_folder_closed);
}

void peri_watch_del(peri_watch *watch, const char *path) {
    folder *f = peri_map_del(&watch->folders, peri_str_c(path));
    if (f) drop(f);
}

static void on_poll_closed(uv_handle_t *handle) {
    peri_watch *watch = handle->data;
    watch->closing--;
}

void peri_watch_free(peri_watch *watch) {
    if (!watch) return;
    size_t at = 0;
    for (peri_map_slot *slot; (slot = peri_map_next(&watch->folders, &at));) drop(slot->value);
    watch->closing++;
    uv_close((uv_handle_t *)&watch->poll, on_poll_closed);
    while (watch->closing) uv_run(watch->uv, UV_RUN_NOWAIT);
    peri_map_deinit(&watch->folders);
    free(watch);
}

static int new_folder(peri_watch *watch, const char *path, folder **out) {
    folder *f = calloc(1, sizeof *f);
    char *copy = strdup(path);
    if (!f || !copy) {
        free(f);
        free(copy);
        return PERI_ENOMEM;
    }
    f->watch = watch;
    f->path = copy;
    int status = peri_map_set(&watch->folders, peri_str_c(copy), f);
    if (status < 0) {
        free(copy);
        free(f);
        return status;
    }
    uv_fs_event_init(watch->uv, &f->event);
    f->event.data = f;
    *out = f;
    return PERI_OK;
}

int peri_watch_add(peri_watch *watch, const char *path) {
    folder *f;
    struct stat info;
    if (peri_map_get(&watch->folders, peri_str_c(path))) return PERI_OK;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) return PERI_ENOENT;
    int status = new_folder(watch, path, &f);
    if (status < 0) return status;
    if (uv_fs_event_start(&f->event, on_event, path, 0) == 0) return PERI_OK;
    f->polled = true;
    if (watch->polled++ == 0) uv_timer_start(&watch->poll, on_poll, POLL_MS, POLL_MS);
    return PERI_OK;
}

peri_watch_counts peri_watch_counts_of(const peri_watch *watch) {
    return (peri_watch_counts){watch->folders.len - watch->polled, watch->polled};
}
