// The dialects, shipped inside the library or replaced by a folder, and what they say of files
// by their names: which one is a sidecar, a small file beside a recording that tells more of
// its agent.
#include "host/told/told.h"
#include "host/written/written.h"
#include "script/embedded.h"

#define DIALECTS "lua/perilune/dialects/"

static void load_dialect(peri_host *host, peri_str path, peri_str text) {
    if (peri_str_ends(path, PERI_STR("/init.lua")) ||
        host->dialect_count == HOST_MAX_DIALECTS) {
        return;
    }
    peri_vm_options options = {
        .find_module = host_find_module, .user = host, .limits.wall_ms = HOST_UNTIMED_WALL_MS};
    peri_str rules = host->lua_dir ? (peri_str){0} : peri_embedded_rules_of(path);
    peri_dialect_file *file;
    if (peri_dialect_file_load(path, text, rules, &options, &host->diags, &file) < 0) return;
    const peri_dialect *dialect = peri_dialect_file_get(file);
    host->dialect_files[host->dialect_count] = file;
    host->dialects[host->dialect_count++] = dialect;
    if (host->dialect_names.len) peri_buf_add_c(&host->dialect_names, ", ");
    peri_buf_add(&host->dialect_names, dialect->name);
}

void host_dialects_load(peri_host *host) {
    host_each_shipped(host, DIALECTS, ".lua", load_dialect);
}

void host_dialects_unload(peri_host *host) {
    for (size_t i = 0; i < host->dialect_count; i++) {
        peri_dialect_file_free(host->dialect_files[i]);
    }
    peri_buf_deinit(&host->dialect_names);
}

const peri_dialect *host_dialect_find(const peri_host *host, const char *name) {
    for (size_t i = 0; i < host->dialect_count; i++) {
        if (peri_str_eq(host->dialects[i]->name, peri_str_c(name))) return host->dialects[i];
    }
    return NULL;
}

// ---- Sidecars

bool host_is_sidecar(const peri_host *host, const char *path) {
    for (size_t i = 0; i < host->dialect_count; i++) {
        peri_str suffix = host->dialects[i]->sidecar.suffix;
        if (suffix.len && peri_str_ends(peri_str_c(path), suffix)) return true;
    }
    return false;
}

// "dir/agent-1.jsonl" has its sidecar at "dir/agent-1.meta.json".
bool host_sidecar_read(peri_host *host, const peri_dialect *dialect, const char *file,
                       peri_arena *arena, peri_sidecar_facts *out) {
    const peri_sidecar *sidecar = &dialect->sidecar;
    if (!sidecar->suffix.len) return false;
    peri_str path = peri_str_c(file);
    size_t dot = path.len;
    while (dot > 0 && path.ptr[dot - 1] != '.' && path.ptr[dot - 1] != '/') dot--;
    if (dot == 0 || path.ptr[dot - 1] != '.') return false;
    peri_buf name, text;
    peri_buf_init(&name, 8192);
    peri_buf_init(&text, 64 * 1024);
    peri_buf_add(&name, peri_str_sub(path, 0, dot - 1));
    peri_buf_add(&name, sidecar->suffix);
    int status = peri_file_read(peri_buf_c(&name), &text);
    if (status == PERI_OK) {
        status = peri_sidecar_read(sidecar, peri_buf_str(&text), arena, out);
    }
    if (status < 0 && status != PERI_ENOENT) {
        host_logf(host, "warning", "%s: %s", peri_buf_c(&name), peri_status_message(status));
    }
    peri_buf_deinit(&name);
    peri_buf_deinit(&text);
    return status == PERI_OK;
}
