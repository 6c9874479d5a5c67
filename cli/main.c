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

typedef struct verb {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
    const char *group; // of it and those that follow; NULL: that of the one before
} verb;

static const verb verbs[] = {
    {"replay", cmd_replay, "run observers over recorded sessions; nothing is delivered",
     "watching agents"},
    {"run", cmd_run, "read an agent's events live and say what observers propose", NULL},
    {"status", cmd_status, "tell how each observer fares, why, and what to do", NULL},
    {"explain", cmd_explain, "tell why one proposal ended as it did", NULL},
    {"log", cmd_log, "list what the ledger holds", NULL},
    {"digest", cmd_digest, "print what an observer would be shown of a recording", NULL},
    {"observers", cmd_observers, "list the observers of all layers, and why one is not used",
     "choosing observers"},
    {"enable", cmd_enable, "switch observers on", NULL},
    {"disable", cmd_disable, "switch observers off", NULL},
    {"stop", cmd_stop, "stop observers for the sessions they watch now", NULL},
    {"precision", cmd_precision, "tell what agents did about each observer's notes", NULL},
    {"promote", cmd_promote, "take an observer out of shadow, if its notes bear it out", NULL},
    {"goal", cmd_goal, "declare what the agent is to reach", "telling observers"},
    {"remember", cmd_remember, "keep a note that observers may recall", NULL},
    {"trust", cmd_trust, "see what a project brings along, and agree to it or not", NULL},
    {"new", cmd_new, "begin an observer or a policy, with its spec", "writing your own"},
    {"check", cmd_check, "validate configs, observers, policies and dialects", NULL},
    {"test", cmd_test, "run the specs of observers and policies", NULL},
    {"capture", cmd_capture, "make a scene for specs of a slice of a recorded session", NULL},
    {"policy", cmd_policy, "put proposals to the policies; the table of lanes", NULL},
    {"gate", cmd_gate, "tell whether an observer may be started for an agent, and why", NULL},
    {"worker", cmd_worker, "run the Lua observers of a pack in a process of their own", NULL},
};
enum { VERB_COUNT = sizeof verbs / sizeof verbs[0] };

static void print_help(FILE *out) {
    fputs("perilune: background observers for coding agents\n\nusage: perilune VERB [...]\n",
          out);
    for (size_t i = 0; i < VERB_COUNT; i++) {
        if (verbs[i].group) fprintf(out, "\n%s\n", verbs[i].group);
        fprintf(out, "  %-9s %s\n", verbs[i].name, verbs[i].what);
    }
    fputs("\nBegin with your own sessions, without a model or a key:\n"
          "    perilune replay ~/.claude/projects\n"
          "More of one verb: perilune help VERB. The version: perilune --version.\n",
          out);
}

static const verb *find(const char *name) {
    for (size_t i = 0; i < VERB_COUNT; i++) {
        if (strcmp(name, verbs[i].name) == 0) return &verbs[i];
    }
    return NULL;
}

static int unknown(const char *name) {
    peri_str words[VERB_COUNT + 1] = {{0}};
    for (size_t i = 0; i < VERB_COUNT; i++) words[i] = peri_str_c(verbs[i].name);
    peri_str near = peri_diag_nearest(peri_str_c(name), words);
    fprintf(stderr, "perilune: unknown verb '%s'", name);
    if (near.len) fprintf(stderr, "; did you mean '%.*s'?", PERI_FMT(near));
    fputs(near.len ? "\n" : "; see perilune --help\n", stderr);
    return PERI_EXIT_USAGE;
}

// Whoever starts us may have closed a standard stream: the next file opened would get its
// number, and what is meant for people would be written into it.
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
    bool help = strcmp(argv[1], "help") == 0;
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || (help && argc == 2)) {
        print_help(stdout);
        return PERI_EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("perilune %s\n", peri_version());
        return PERI_EXIT_OK;
    }
    const char *name = help ? argv[2] : argv[1];
    const verb *known = find(name);
    if (!known) return unknown(name);
    char *explaining[] = {help ? argv[2] : argv[1], (char[]){"--help"}, NULL};
    return help ? known->run(2, explaining) : known->run(argc - 1, argv + 1);
}

int main(int argc, char **argv) {
    return have_streams() && have_files() ? ended(dispatch(argc, argv)) : PERI_EXIT_INTERNAL;
}
