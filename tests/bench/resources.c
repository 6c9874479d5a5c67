// Runs a command and prints what it took. `resources whole COMMAND...`: peak resident KiB and
// CPU ms from its start to its end. `resources while MS_BEFORE MS COMMAND...`: CPU ms within MS
// milliseconds that begin MS_BEFORE after its start; then it is ended.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t start(char **command) {
    pid_t pid = fork();
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stdout)) _exit(127);
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
    return pid;
}

static void sleep_ms(long ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

// CPU time of a running process, in ticks of the kernel.
static long cpu_ms(pid_t pid) {
    char path[64];
    unsigned long user = 0, kernel = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *in = fopen(path, "r");
    const char *format = "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu";
    if (!in || fscanf(in, format, &user, &kernel) != 2) {
        fprintf(stderr, "resources: the command ended too early\n");
        exit(EXIT_FAILURE);
    }
    fclose(in);
    return (long)(user + kernel) * 1000 / sysconf(_SC_CLK_TCK);
}

static long ms_of(struct timeval t) {
    return t.tv_sec * 1000 + t.tv_usec / 1000;
}

int main(int argc, char **argv) {
    if (argc > 2 && strcmp(argv[1], "whole") == 0) {
        struct rusage used;
        int status;
        pid_t pid = start(argv + 2);
        if (pid < 0 || wait4(pid, &status, 0, &used) < 0 || status != 0) return EXIT_FAILURE;
        printf("%ld %ld\n", used.ru_maxrss, ms_of(used.ru_utime) + ms_of(used.ru_stime));
        return EXIT_SUCCESS;
    }
    if (argc > 4 && strcmp(argv[1], "while") == 0) {
        pid_t pid = start(argv + 4);
        if (pid < 0) return EXIT_FAILURE;
        sleep_ms(atol(argv[2]));
        long before = cpu_ms(pid);
        sleep_ms(atol(argv[3]));
        printf("%ld %ld\n", cpu_ms(pid) - before, before);
        kill(pid, SIGTERM);
        waitpid(pid, NULL, 0);
        return EXIT_SUCCESS;
    }
    fputs("usage: resources whole COMMAND... | while MS_BEFORE MS COMMAND...\n", stderr);
    return EXIT_FAILURE;
}
