// perilune-exec: runs one command for the host and sees to it that nothing of it is left. The
// host itself can do neither well: in an embedder's process no signal handler may be installed,
// and where that process ignores SIGCHLD a child's status is lost. So the command is a child of
// this program, which has the default SIGCHLD, adopts whatever the command leaves behind
// (subreaper), tells the truth over a socket (core/io/exec_record.h), and kills everything when
// the host asks for it, ends or dies. libc only, so that it starts in a millisecond.
//
// Usage: perilune-exec MEMORY_BYTES FOLDER COMMAND [ARGUMENT...],
// with the socket as descriptor 3.
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/exec_record.h"

enum {
    MAX_FILES = 256,
    END_TRIES = 1000, // of a millisecond each, until what cannot be killed is given up
    STRAYS_COUNTED = 64,
    EXIT_NOT_STARTED = 127,
};

static void tell(peri_exec_kind kind, int value) {
    peri_exec_record record = {(int32_t)kind, value};
    (void)!send(PERI_EXEC_CONTROL, &record, sizeof record, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// ---- The command's side of the fork

static void limit(int resource, rlim_t most) {
    struct rlimit now;
    if (getrlimit(resource, &now) != 0) return;
    if (now.rlim_max == RLIM_INFINITY || now.rlim_max > most) now.rlim_max = most;
    if (now.rlim_cur == RLIM_INFINITY || now.rlim_cur > most) now.rlim_cur = most;
    setrlimit(resource, &now);
}

static void become(char **argv) {
    unsigned long long memory = strtoull(argv[1], NULL, 10);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    tell(PERI_EXEC_STARTED, getpid());
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, MAX_FILES);
    if (memory) limit(RLIMIT_DATA, (rlim_t)memory);
    if (!argv[2][0] || chdir(argv[2]) == 0) execvp(argv[3], argv + 3);
    tell(PERI_EXEC_NOT_STARTED, errno);
    _exit(EXIT_NOT_STARTED);
}

// ---- Waiting for its end

// Every signal to its default, those we wait for as a descriptor.
static int open_signals(void) {
    sigset_t set;
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_SETMASK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

// True once the command has ended, which is told; it stays unreaped, so that its group's number
// cannot be another's yet. Orphans of it that ended are reaped.
static bool has_ended(pid_t command) {
    for (;;) {
        siginfo_t info = {0};
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) {
            return false;
        }
        if (info.si_pid == command) {
            bool exited = info.si_code == CLD_EXITED;
            tell(exited ? PERI_EXEC_EXITED : PERI_EXEC_SIGNALED, info.si_status);
            return true;
        }
        waitpid(info.si_pid, NULL, 0);
    }
}

// Until the command ends, the host shuts its end or is gone, or somebody asks us to stop.
static void wait_for_end(pid_t command, int signals) {
    struct pollfd ready[] = {{PERI_EXEC_CONTROL, POLLIN, 0}, {signals, POLLIN, 0}};
    for (;;) {
        if (poll(ready, 2, -1) < 0) continue; // every signal that could interrupt is blocked
        if (ready[0].revents) return;
        struct signalfd_siginfo info;
        if (read(signals, &info, sizeof info) != (ssize_t)sizeof info) continue;
        if (info.ssi_signo != SIGCHLD || has_ended(command)) return;
    }
}

// ---- Leaving nothing behind

// The parent of process `name` of /proc, or 0.
static long parent_of(const char *name) {
    char path[64], stat[512];
    if (strlen(name) > 20) return 0;
    snprintf(path, sizeof path, "/proc/%s/stat", name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t got = read(fd, stat, sizeof stat - 1);
    close(fd);
    stat[got > 0 ? got : 0] = '\0';
    const char *behind = strrchr(stat, ')'); // the program's name may hold anything
    return behind && strlen(behind) > 4 ? strtol(behind + 4, NULL, 10) : 0;
}

// Kills whoever is our child by now: a process whose parent died becomes one. Adds those that
// had left the command's group to `strays`, each once.
static int kill_children(pid_t command, pid_t *strays, int count) {
    DIR *all = opendir("/proc");
    if (!all) return count;
    for (const struct dirent *entry; (entry = readdir(all));) {
        if (!isdigit((unsigned char)entry->d_name[0])) continue;
        if (parent_of(entry->d_name) != getpid()) continue;
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        bool is_stray = getpgid(pid) != command, is_known = false;
        kill(pid, SIGKILL);
        for (int i = 0; i < count; i++) is_known = is_known || strays[i] == pid;
        if (is_stray && !is_known && count < STRAYS_COUNTED) strays[count++] = pid;
    }
    closedir(all);
    return count;
}

static void end_all(pid_t command) {
    pid_t strays[STRAYS_COUNTED];
    int count = 0;
    kill(-command, SIGKILL);
    for (int i = 0; i < END_TRIES; i++) {
        pid_t reaped;
        while ((reaped = waitpid(-1, NULL, WNOHANG)) > 0) {}
        if (reaped < 0) break; // no child is left
        count = kill_children(command, strays, count);
        poll(NULL, 0, 1);
    }
    tell(PERI_EXEC_CLEARED, count);
}

int main(int argc, char **argv) {
    if (argc < 4 || fcntl(PERI_EXEC_CONTROL, F_SETFD, FD_CLOEXEC) != 0) {
        fputs("perilune-exec is started by perilune, not by hand\n", stderr);
        return 2;
    }
    close_range(PERI_EXEC_CONTROL + 1, ~0U, 0);
    int signals = open_signals();
    setsid();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    pid_t command = signals < 0 ? -1 : fork();
    if (command == 0) become(argv);
    if (command < 0) {
        tell(PERI_EXEC_NOT_STARTED, errno);
        return 1;
    }
    for (int fd = 0; fd < PERI_EXEC_CONTROL; fd++) close(fd); // the command's alone
    wait_for_end(command, signals);
    end_all(command);
    return 0;
}
