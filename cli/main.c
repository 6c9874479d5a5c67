// The command line: finds the verb and hands over.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/diag.h"
#include "cli.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
} verbs[] = {
    {"run", cmd_run, "read an agent's events live and say what observers propose"},
    {"replay", cmd_replay, "run observers over recorded sessions; nothing is delivered"},
    {"digest", cmd_digest, "print what an observer would be shown of a recording"},
    {"observers", cmd_observers, "list the observers of all layers, and why one is not used"},
    {"new", cmd_new, "begin an observer or a policy, with its spec"},
    {"check", cmd_check, "validate configs, observers, policies and dialects"},
    {"capture", cmd_capture, "make a scene for specs of a slice of a recorded session"},
    {"test", cmd_test, "run the specs of observers and policies"},
    {"trust", cmd_trust, "see what a project brings along, and agree to it or not"},
    {"enable", cmd_enable, "switch observers on"},
    {"disable", cmd_disable, "switch observers off"},
    {"goal", cmd_goal, "declare what the agent is to reach"},
    {"remember", cmd_remember, "keep a note that observers may recall"},
    {"explain", cmd_explain, "tell why one proposal ended as it did"},
    {"log", cmd_log, "list what the ledger holds"},
    {"precision", cmd_precision, "tell what agents did about each observer's notes"},
    {"promote", cmd_promote, "take an observer out of shadow, if its notes bear it out"},
    {"worker", cmd_worker, "run the Lua observers of a pack in a process of their own"},
    {"status", cmd_status, "tell how each observer fares, why, and what to do"},
    {"stop", cmd_stop, "stop observers for the sessions they watch now"},
    {"gate", cmd_gate, "tell whether an observer may be started for an agent, and why"},
    {"policy", cmd_policy, "put proposals to the policies; the table of lanes"},
};
enum { VERB_COUNT = sizeof verbs / sizeof verbs[0] };

static void print_help(FILE *out) {
    fputs("perilune: background observers for coding agents\n\nusage: perilune VERB [...]\n\n",
          out);
    for (size_t i = 0; i < VERB_COUNT; i++)
        fprintf(out, "  %-9s %s\n", verbs[i].name, verbs[i].what);
    fputs("\n  perilune VERB --help   says more of one verb\n"
          "  perilune --version     prints the version\n",
          out);
}

static int unknown(const char *verb) {
    peri_str words[VERB_COUNT + 1] = {{0}};
    for (size_t i = 0; i < VERB_COUNT; i++) words[i] = peri_str_c(verbs[i].name);
    peri_str near = peri_diag_nearest(peri_str_c(verb), words);
    fprintf(stderr, "perilune: unknown verb '%s'", verb);
    if (near.len) fprintf(stderr, "; did you mean '%.*s'?", PERI_FMT(near));
    fputs(near.len ? "\n" : "; see perilune --help\n", stderr);
    return PERI_EXIT_USAGE;
}

// Whoever starts us may have closed a standard stream: the next file opened would get its number, and
// what is meant for people would be written into it.
static bool have_streams(void) {
    int fd;
    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    return fd < 0 || close(fd) == 0;
}

// With fewer, each part that opens a file would fail in words of its own.
static bool have_files(void) {
    enum { FILES = 24 };
    struct rlimit most;
    if (getrlimit(RLIMIT_NOFILE, &most) < 0 || most.rlim_cur >= FILES) return true;
    fprintf(stderr,
            "perilune: only %llu files may be open at once, %d are needed; `ulimit -n 256` "
            "raises that\n",
            (unsigned long long)most.rlim_cur, FILES);
    return false;
}

// A reader that left (`| head`) has what it wanted; a disk that is full has not.
static bool reader_left(void) {
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP));
}

// No verb has done its work whose answer nobody can read.
static int ended(int code) {
    bool written = fflush(stdout) == 0;
    if ((written && !ferror(stdout)) || code > PERI_EXIT_NEGATIVE || reader_left()) return code;
    fputs("perilune: cannot write the output", stderr);
    if (!written) fprintf(stderr, ": %s", strerror(errno));
    fputc('\n', stderr);
    return PERI_EXIT_INTERNAL;
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return PERI_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return PERI_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("perilune %s\n", peri_version());
        return PERI_EXIT_OK;
    }
    for (size_t i = 0; i < VERB_COUNT; i++) {
        if (strcmp(argv[1], verbs[i].name) == 0) return verbs[i].run(argc - 1, argv + 1);
    }
    return unknown(argv[1]);
}

int main(int argc, char **argv) {
    return have_streams() && have_files() ? ended(dispatch(argc, argv)) : PERI_EXIT_INTERNAL;
}
