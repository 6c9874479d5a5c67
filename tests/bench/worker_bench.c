// What a process of its own costs: a whole run of a Lua observer in `perilune worker`, with a
// turn of 20 items, against one byte there and back through pipes to a child, in the same
// minute. Floor: 20 times.
#include <sys/wait.h>

#include "bench.h"
#include "command_rig.h"

enum { ITEMS = 20, ROUNDS = 15, RUNS = 300, PINGS = 3000, FLOOR_TIMES = 20 };

static const char source[] = "-- perilune-api: 1\n"
                             "return { name = 'bench', description = 'Counts failed calls.',\n"
                             "  on = 'turn_end', observe = function(turn, ctx)\n"
                             "    local failed = 0\n"
                             "    for _, item in ipairs(turn.items) do\n"
                             "      if item.is_error then failed = failed + 1 end\n"
                             "    end\n"
                             "    if failed > 100 then return { advise = 'many' } end\n"
                             "  end }\n";

// A child that sends back each byte; its two ends in `to` and `from`.
static pid_t start_echo(int *to, int *from) {
    int there[2], back[2];
    char byte;
    if (pipe(there) != 0 || pipe(back) != 0) exit(EXIT_FAILURE);
    pid_t pid = fork();
    if (pid == 0) {
        close(there[1]);
        while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1) {}
        _exit(0);
    }
    *to = there[1];
    *from = back[0];
    return pid;
}

static double ping_ns(int to, int from) {
    char byte = 'x';
    double start = bench_now_ns();
    for (int i = 0; i < PINGS; i++) {
        if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1) exit(EXIT_FAILURE);
    }
    return (bench_now_ns() - start) / PINGS;
}

static double run_ns(rig *r) {
    double start = bench_now_ns();
    for (int i = 0; i < RUNS; i++) {
        r->done = 0;
        rig_start(r);
        while (!r->done) peri_loop_run(r->loop, 1000);
        if (r->result.state != PERI_RUN_SILENT) {
            printf("%.*s\n", PERI_FMT(r->result.error));
            exit(EXIT_FAILURE);
        }
    }
    return (bench_now_ns() - start) / RUNS;
}

static void write_pack(char *path, size_t size) {
    snprintf(path, size, "/tmp/worker_bench_%d.lua", getpid());
    FILE *out = fopen(path, "w");
    if (!out || fputs(source, out) < 0 || fclose(out) != 0) exit(EXIT_FAILURE);
}

int main(void) {
    char path[64];
    peri_item items[ITEMS];
    const peri_item *refs[ITEMS];
    double run[ROUNDS], ping[ROUNDS];
    int to, from;
    pid_t echo = start_echo(&to, &from);
    rig *r = rig_new(1);
    write_pack(path, sizeof path);
    for (size_t i = 0; i < ITEMS; i++) {
        items[i] = r->items[i % RIG_ITEMS];
        items[i].seq = i + 1;
        refs[i] = &items[i];
    }
    r->turn.items = r->turn.log = refs;
    r->turn.item_count = r->turn.log_count = ITEMS;
    r->observer.name = PERI_STR("bench");
    r->words[0] = peri_str_c(PERI_PROGRAM);
    r->words[1] = PERI_STR("worker");
    r->words[2] = peri_str_c(path);
    r->observer.command_count = 3;
    run_ns(r); // the worker starts, both are warm
    ping_ns(to, from);
    for (size_t round = 0; round < ROUNDS; round++) {
        run[round] = run_ns(r);
        ping[round] = ping_ns(to, from);
    }
    double best_run = bench_best(run, ROUNDS), best_ping = bench_best(ping, ROUNDS);
    double ratio = best_run / best_ping;
    printf(
        "worker round trip, %d items: %.1f us; pipe ping-pong: %.1f us; ratio %.1f (floor %d)\n",
        ITEMS, best_run / 1000, best_ping / 1000, ratio, FLOOR_TIMES);
    unlink(path);
    rig_free(r);
    close(to);
    waitpid(echo, NULL, 0);
    return ratio <= FLOOR_TIMES ? EXIT_SUCCESS : EXIT_FAILURE;
}
