// Observers in processes of their own: which ones, with what command, in which folder. A
// definition with `command` is its own program; Lua that asks for it, or that a project brings
// along, runs in `perilune worker`, a child that speaks the same protocol and sees the same
// scrubbed texts. Of a Markdown observer that is the Lua beside it. Called while the layers are
// loaded (host/written/layers.c).
#include <stdlib.h>

#include "host/told/told.h"
#include "host/written/written.h"
#include "io/proc.h"

enum {
    WORDS_BYTES = 1024 * 1024,
    PATH_BYTES = 4096,
#ifdef __SANITIZE_ADDRESS__
    CHILD_MEMORY_BYTES = 0, // what the sanitizer reserves would count: a worker could not start
#else
    CHILD_MEMORY_BYTES = 1 << 30,
#endif
};

static peri_str scrub_out(void *user, peri_str text, peri_buf *room) {
    return host_scrubbed(user, text, room);
}

int host_commands_open(peri_host *host, const char *exec_path) {
    peri_buf path;
    peri_buf_init(&path, PATH_BYTES);
    peri_arena_init(&host->command_arena, WORDS_BYTES);
    int status = peri_proc_find_exec(exec_path, &path);
    peri_commands_options options = {
        .loop = host->loop,
        .exec_path = status == PERI_OK ? peri_buf_c(&path) : NULL,
        .clean = {.fn = scrub_out, .user = host, .key = host->seed},
        .memory_bytes = CHILD_MEMORY_BYTES,
    };
    host->exec_folder = peri_arena_copy(&host->command_arena, peri_buf_str(&path));
    while (host->exec_folder.len && host->exec_folder.ptr[host->exec_folder.len - 1] != '/') {
        host->exec_folder.len--;
    }
    status = peri_commands_new(&options, &host->commands);
    peri_buf_deinit(&path);
    if (status < 0) return status;
    host->runtimes[PERI_RUN_COMMAND] = peri_commands_runtime(host->commands);
    return PERI_OK;
}

void host_commands_close(peri_host *host) {
    peri_commands_free(host->commands);
    host->commands = NULL;
    peri_arena_deinit(&host->command_arena);
}

// The folder of the file `path`, from the root; absent if there is none, as of a shipped one.
static peri_str folder_of(peri_host *host, peri_str path) {
    char *name = strndup(path.ptr ? path.ptr : "", path.len);
    char *full = name ? peri_path_resolve(name) : NULL;
    peri_str folder = peri_str_c(full);
    while (folder.len && folder.ptr[folder.len - 1] != '/') folder.len--;
    if (folder.len > 1) folder.len--; // without the slash at its end
    folder = peri_arena_copy(&host->command_arena, folder);
    free(name);
    free(full);
    return folder;
}

int host_content_hash(peri_str text, peri_str lua_text, char hash[PERI_TRUST_HASH_CHARS + 1]) {
    peri_buf both;
    peri_buf_init(&both, 2 * (size_t)HOST_SCRIPT_MAX_BYTES);
    peri_buf_add(&both, text);
    peri_buf_add(&both, lua_text);
    int status = both.status;
    peri_trust_hash(peri_buf_str(&both), hash);
    peri_buf_deinit(&both);
    return status;
}

// "perilune worker FOLDER", with the hash of the text that was read here: a file that changed
// since is not run in its place. With `alone` it is "perilune worker FILE --content HASH":
// nothing beside it, and no other content of it, is so much as evaluated.
static void make_worker(peri_host *host, peri_observer *def, peri_str pack,
                        const host_found *from, bool alone) {
    peri_arena *arena = &host->command_arena;
    char hash[PERI_TRUST_HASH_CHARS + 1];
    peri_buf program;
    peri_buf_init(&program, PATH_BYTES);
    peri_buf_add(&program, host->exec_folder);
    peri_buf_add_c(&program, "perilune");
    int status = host_content_hash(from->text, from->lua_text, hash);
    def->source_hash = peri_arena_copy(arena, peri_str_of(hash, PERI_TRUST_HASH_CHARS));
    peri_str *words = peri_arena_zero(arena, 5 * sizeof *words);
    if (words) {
        words[0] = peri_arena_copy(arena, peri_buf_str(&program));
        words[1] = PERI_STR("worker");
        words[2] = pack;
        words[3] = PERI_STR("--content");
        words[4] = def->source_hash;
    }
    bool whole = status == PERI_OK && words && words[0].ptr && def->source_hash.ptr;
    def->command = words;
    def->command_count = alone ? 5 : 3;
    if (def->runtime == PERI_RUN_LUA) {
        def->runtime = PERI_RUN_COMMAND;
        def->has_wake = false; // it is the worker's to ask
    }
    if (!whole) def->enabled = false;
    peri_buf_deinit(&program);
}

void host_commands_route(peri_host *host, peri_str name, const host_found *from) {
    peri_observer *def = NULL;
    for (size_t i = 0; i < host->observer_count && !def; i++) {
        if (peri_str_eq(host->defs[i].name, name)) def = &host->defs[i];
    }
    if (!def) return;
    bool is_project = peri_str_eq(def->layer, PERI_STR("project"));
    bool markdown = def->runtime == PERI_RUN_MODEL;
    bool lua = def->runtime == PERI_RUN_LUA || def->has_wake || def->has_lua_form;
    bool wants_worker =
        def->runtime != PERI_RUN_COMMAND && lua && (def->isolated || is_project);
    if (def->runtime != PERI_RUN_COMMAND && !wants_worker) return;
    peri_str folder = folder_of(host, def->file);
    if (wants_worker && folder.len) {
        bool alone = is_project || markdown;
        make_worker(host, def, alone ? def->file : folder, from, alone);
    } else {
        def->folder = folder;
    }
}

const peri_runtime *host_lua_of(const peri_host *host, const peri_observer *observer) {
    bool worker = observer->runtime == PERI_RUN_MODEL && observer->source_hash.len;
    return &host->runtimes[worker ? PERI_RUN_COMMAND : PERI_RUN_LUA];
}

void host_rest(peri_host *host, const peri_observer *observer) {
    const peri_runtime *const both[] = {&host->runtimes[observer->runtime],
                                        host_lua_of(host, observer)};
    for (size_t i = 0; i < sizeof both / sizeof *both; i++) {
        if (both[i]->rest) both[i]->rest(both[i]->user, observer);
    }
}
