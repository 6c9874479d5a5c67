// Build tool: reads the shipped dialects once, so that no program has to at its start, and
// writes their rules as constants of one C file, for core/script/embedded.h. Usage: precompile
// OUTPUT.
#include <stdio.h>
#include <stdlib.h>

#include "script/dialect_vm.h"
#include "script/embedded.h"

#define DIALECTS "lua/perilune/dialects/"

const peri_embedded peri_embedded_rules[] = {{0}}; // there are none yet

static peri_str find_module(void *user, peri_str name) {
    char path[256];
    int len = snprintf(path, sizeof path, "lua/%.*s", PERI_FMT(name));
    for (char *at = path; *at; at++) *at = *at == '.' ? '/' : *at;
    size_t room = sizeof path - (size_t)len;
    snprintf(path + len, room, ".lua");
    peri_str text = peri_embedded_find(peri_str_c(path));
    if (text.ptr) return text;
    snprintf(path + len, room, "/init.lua");
    return peri_embedded_find(peri_str_c(path));
}

static int precompile(FILE *out, const peri_embedded *file, int number) {
    peri_vm_options options = {.find_module = find_module, .limits.wall_ms = 60000};
    peri_dialect_vm vm;
    peri_buf rules;
    peri_arena arena;
    peri_str error = {0};
    peri_arena_init(&arena, 1 << 20);
    peri_buf_init(&rules, PERI_DIALECT_MAX_BYTES);
    peri_dialect_vm_init(&vm, peri_str_c(file->path), file->text, &options);
    int status = peri_dialect_vm_read(&vm, &rules, &arena, &error);
    if (status < 0) fprintf(stderr, "%s: %.*s\n", file->path, PERI_FMT(error));
    fprintf(out, "static const unsigned char rules_%d[] = {", number);
    for (size_t i = 0; i < rules.len; i++) {
        fprintf(out, i % 20 ? "%d," : "\n%d,", (unsigned char)rules.ptr[i]);
    }
    fprintf(out, "0};\nenum { LEN_%d = %zu };\n", number, rules.len);
    peri_dialect_vm_deinit(&vm);
    peri_buf_deinit(&rules);
    peri_arena_deinit(&arena);
    return status;
}

static bool is_dialect(const peri_embedded *file) {
    peri_str path = peri_str_c(file->path);
    return peri_str_starts(path, PERI_STR(DIALECTS)) &&
           !peri_str_ends(path, PERI_STR("/init.lua"));
}

int main(int argc, char **argv) {
    FILE *out = argc == 2 ? fopen(argv[1], "wb") : NULL;
    if (!out) {
        fputs("usage: precompile OUTPUT\n", stderr);
        return EXIT_FAILURE;
    }
    fputs("// Made by tools/precompile.c.\n#include \"script/embedded.h\"\n\n", out);
    for (int i = 0; peri_embedded_files[i].path; i++) {
        const peri_embedded *file = &peri_embedded_files[i];
        if (is_dialect(file) && precompile(out, file, i) < 0) return EXIT_FAILURE;
    }
    fputs("const peri_embedded peri_embedded_rules[] = {\n", out);
    for (int i = 0; peri_embedded_files[i].path; i++) {
        if (!is_dialect(&peri_embedded_files[i])) continue;
        fprintf(out, "    {\"%s\", {(const char *)rules_%d, LEN_%d}},\n",
                peri_embedded_files[i].path, i, i);
    }
    fputs("    {0}};\n", out);
    return fclose(out) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
