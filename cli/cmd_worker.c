// `perilune worker PACK`: the Lua observers of a pack behind the command protocol, one line in,
// one line out, until its input ends. Started by a host through perilune-exec; what it says to
// people goes to stderr.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"
#include "host/worker.h"
#include "runtime/wire.h"

static const char help[] =
    "usage: perilune worker PACK [--content HASH]\n"
    "\n"
    "Runs the Lua observers of PACK, a folder or one file, in a process of their own:\n"
    "reads one request a line from standard input and writes one answer a line\n"
    "(docs/reference/command-protocol.md). A host starts it for observers that ask\n"
    "for `isolation = \"worker\"` and for those of a project.\n"
    "\n"
    "  --content HASH  only what has this SHA-256; a file that changed is not\n"
    "                  evaluated\n"
    "\n"
    "Exit status: 0 its input ended; 2 usage, or nothing in PACK can be used; 3\n"
    "internal failure.\n";

static void say(void *user, const char *severity, peri_str message) {
    (void)user;
    fprintf(stderr, "%s: %.*s\n", severity, (int)message.len, message.ptr);
}

static void print_diags(const peri_diag_list *diags) {
    peri_buf out;
    peri_buf_init(&out, 1024 * 1024);
    for (size_t i = 0; i < diags->count; i++) {
        if (diags->items[i].severity == PERI_ERROR) peri_diag_format(&out, &diags->items[i]);
    }
    fwrite(out.ptr ? out.ptr : "", 1, out.len, stderr);
    peri_buf_deinit(&out);
}

static bool write_all(const char *from, size_t len) {
    while (len) {
        ssize_t put = write(STDOUT_FILENO, from, len);
        if (put < 0) return false;
        from += put;
        len -= (size_t)put;
    }
    return true;
}

// Answers every whole line of `in` and drops it.
static int answer_lines(peri_worker *worker, peri_buf *in, peri_buf *out) {
    size_t from = 0, end;
    while ((end = peri_str_find_byte(peri_buf_str(in), '\n', from)) != PERI_NPOS) {
        peri_buf_clear(out);
        int status = peri_worker_answer(worker, peri_str_of(in->ptr + from, end - from), out);
        if (status < 0) return status;
        if (!write_all(out->ptr, out->len)) return PERI_EIO;
        from = end + 1;
    }
    peri_buf_drop_front(in, from);
    return PERI_OK;
}

static int serve(peri_worker *worker) {
    enum { READ_BYTES = 64 * 1024 };
    peri_buf in, out;
    peri_buf_init(&in, PERI_WIRE_REQUEST_BYTES + READ_BYTES);
    peri_buf_init(&out, PERI_WIRE_ANSWER_BYTES);
    int status = PERI_OK;
    while (status == PERI_OK) {
        char *to = peri_buf_reserve(&in, READ_BYTES);
        if (!to) {
            status = in.status;
            break;
        }
        ssize_t got = read(STDIN_FILENO, to, READ_BYTES);
        if (got <= 0) break;
        in.len += (size_t)got;
        if (memchr(to, '\n', (size_t)got)) status = answer_lines(worker, &in, &out);
    }
    peri_buf_deinit(&in);
    peri_buf_deinit(&out);
    return status;
}

static int run(const char *pack, const char *content) {
    peri_diag_list diags;
    peri_diag_list_init(&diags);
    peri_worker *worker = NULL;
    int status = peri_worker_new(pack, content, say, NULL, &diags, &worker);
    print_diags(&diags);
    peri_diag_list_deinit(&diags);
    int code = PERI_EXIT_OK;
    if (status == PERI_ENOENT || (status == PERI_OK && !peri_worker_count(worker))) {
        fprintf(stderr, "perilune worker: %s: %s\n", pack,
                status < 0 ? "no such file or folder" : "no Lua observer in it can be used");
        code = PERI_EXIT_USAGE;
    } else if (status < 0 || serve(worker) < 0) {
        code = PERI_EXIT_INTERNAL;
    }
    peri_worker_free(worker);
    return code;
}

int cmd_worker(int argc, char **argv) {
    const char *content = NULL;
    const peri_option list[] = {{"--content", &content, NULL}, {NULL, NULL, NULL}};
    const char **paths = calloc((size_t)argc, sizeof *paths);
    if (!paths) return PERI_EXIT_INTERNAL;
    size_t count;
    int code = peri_options_read(argc, argv, list, help, paths, &count);
    if (code == PERI_EXIT_OK && count != 1) {
        fputs("perilune worker: name one folder or file; see perilune worker --help\n", stderr);
        code = PERI_EXIT_USAGE;
    }
    if (code == PERI_EXIT_OK) code = run(paths[0], content);
    free(paths);
    return code < 0 ? PERI_EXIT_OK : code;
}
