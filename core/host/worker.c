// The worker's half of the command protocol: a host without input that holds one pack's
// observers in the sandbox they would have had in the other process. Called by
// cli/cmd_worker.c.
#include "host/worker.h"

#include <stdlib.h>

#include "host/written/written.h"
#include "io/proc.h"

enum { MAX_OBSERVERS = 256, ARENA_BYTES = 64 * 1024 * 1024 };

// An observer and the content it was loaded from.
typedef struct member {
    const peri_observer *observer;
    char hash[PERI_TRUST_HASH_CHARS + 1];
} member;

struct peri_worker {
    peri_host *host;
    member members[MAX_OBSERVERS];
    size_t count;
    peri_diag_list *diags; // while it is made
    const char *content;   // while it is made; NULL: any
    peri_json_doc doc;
    peri_arena arena; // of one request and its answer
};

static int define(peri_worker *worker, const peri_markdown *from,
                  const peri_observer **observer) {
    peri_str pack = PERI_STR("pack");
    peri_script *script = worker->host->script;
    return host_is_markdown(from->file)
               ? peri_script_add_markdown(script, pack, pack, from, NULL, worker->diags,
                                          observer)
               : peri_script_add_observer(script, pack, pack, from->file, from->text, NULL,
                                          worker->diags, observer);
}

static void add(peri_worker *worker, const char *path, const peri_markdown *from) {
    const peri_observer *observer;
    char hash[PERI_TRUST_HASH_CHARS + 1];
    if (host_content_hash(from->text, from->lua_text, hash) < 0) return;
    if (worker->content && strcmp(worker->content, hash) != 0) {
        peri_diag_addf(worker->diags, PERI_ERROR, "changed", peri_str_c(path), 0, 0, NULL,
                       "its content is not the one that was asked for");
        return;
    }
    if (worker->count == MAX_OBSERVERS || define(worker, from, &observer) < 0) return;
    bool lua =
        observer->runtime == PERI_RUN_LUA || observer->has_wake || observer->has_lua_form;
    if (observer->runtime == PERI_RUN_COMMAND || !lua) return; // the host's to start
    member *m = &worker->members[worker->count++];
    m->observer = observer;
    memcpy(m->hash, hash, sizeof hash);
}

// Of a Markdown observer with the Lua beside it; where that is none's, neither is looked at.
static int load_pair(peri_worker *worker, const char *path, const char *lua_path) {
    peri_buf text, lua;
    peri_buf_init(&text, HOST_SCRIPT_MAX_BYTES);
    peri_buf_init(&lua, HOST_SCRIPT_MAX_BYTES);
    int status = peri_file_read(path, &text);
    if (status == PERI_OK && lua_path) status = peri_file_read(lua_path, &lua);
    peri_markdown from = {.file = peri_str_c(path),
                          .text = peri_buf_str(&text),
                          .lua_file = peri_str_c(lua_path),
                          .lua_text = peri_buf_str(&lua)};
    if (status == PERI_OK) {
        add(worker, path, &from);
    } else {
        peri_diag_addf(worker->diags, PERI_ERROR, "unreadable", peri_str_c(path), 0, 0, NULL,
                       "cannot be read: %s", peri_status_message(status));
    }
    peri_buf_deinit(&text);
    peri_buf_deinit(&lua);
    return status == PERI_ENOMEM ? status : PERI_OK;
}

static int load_file(void *user, const char *path) {
    peri_worker *worker = user;
    peri_str name = peri_str_c(path);
    if (peri_host_is_of_spec(name)) return PERI_OK;
    char *other = host_sibling(name);
    if (!other) return PERI_ENOMEM;
    int status = PERI_OK;
    if (host_is_markdown(name)) {
        status = load_pair(worker, path, other);
    } else if (peri_path_type_of(other) != PERI_PATH_FILE) { // else it is the other one's
        status = load_pair(worker, path, NULL);
    }
    free(other);
    return status;
}

static int load(peri_worker *worker, const char *pack) {
    switch (peri_path_type_of(pack)) {
    case PERI_PATH_FILE:
        return load_file(worker, pack);
    case PERI_PATH_FOLDER:
        return peri_folder_list(pack, ".lua", load_file, worker);
    default:
        return PERI_ENOENT;
    }
}

int peri_worker_new(const char *pack, const char *content, peri_log_fn on_log, void *user,
                    peri_diag_list *diags, peri_worker **out) {
    peri_worker *worker = calloc(1, sizeof *worker);
    if (!worker) return PERI_ENOMEM;
    peri_json_doc_init(&worker->doc);
    peri_arena_init(&worker->arena, ARENA_BYTES);
    worker->diags = diags;
    worker->content = content;
    peri_host_options options = PERI_HOST_OPTIONS_INIT;
    options.no_observers = true; // but those loaded here
    options.on_log = on_log;
    options.log_user = user;
    int status = peri_host_new(&options, &worker->host);
    if (status == PERI_OK) status = load(worker, pack);
    if (status < 0) {
        peri_worker_free(worker);
        return status;
    }
    *out = worker;
    return PERI_OK;
}

void peri_worker_free(peri_worker *worker) {
    if (!worker) return;
    peri_host_free(worker->host);
    peri_json_doc_deinit(&worker->doc);
    peri_arena_deinit(&worker->arena);
    free(worker);
}

size_t peri_worker_count(const peri_worker *worker) {
    return worker->count;
}

static const member *find(const peri_worker *worker, peri_str name) {
    for (size_t i = 0; i < worker->count; i++) {
        if (peri_str_eq(worker->members[i].observer->name, name)) return &worker->members[i];
    }
    return NULL;
}

static void run(peri_worker *worker, peri_wire_request *asked, peri_run_result *result) {
    const member *m = find(worker, asked->observer.name);
    *result = (peri_run_result){.state = PERI_RUN_FAILED};
    if (!m) {
        result->error =
            PERI_STR("the worker's pack has no observer of this name that it can run");
    } else if (asked->observer.source_hash.len &&
               !peri_str_eq(asked->observer.source_hash, peri_str_c(m->hash))) {
        result->error = PERI_STR("its file has changed since the host read it");
    } else {
        asked->request.observer = m->observer;
        peri_script_run(&asked->request, &worker->arena, result);
    }
}

int peri_worker_answer(peri_worker *worker, peri_str line, peri_buf *out) {
    peri_wire_request asked;
    peri_run_result result = {.state = PERI_RUN_FAILED};
    size_t before = out->len;
    asked.run = 0;
    int status = peri_utf8_valid(line) ? PERI_OK : PERI_EPARSE;
    if (status == PERI_OK) {
        status = peri_wire_read_request(line, &worker->doc, &worker->arena, &asked);
    }
    if (status == PERI_OK) {
        run(worker, &asked, &result);
    } else {
        result.error = peri_str_c(peri_status_message(status));
    }
    peri_wire_put_answer(out, asked.run, &result);
    if (out->status == PERI_ELIMIT) { // longer than the host would take
        peri_buf_clear(out);
        peri_buf_truncate(out, before);
        result = (peri_run_result){.state = PERI_RUN_FAILED,
                                   .error = PERI_STR("the answer is over 64 KiB")};
        peri_wire_put_answer(out, asked.run, &result);
    }
    peri_arena_reset(&worker->arena);
    return out->status;
}
