// `perilune capture PATH`: a slice of a real session as a scene for specs. Reads the recording
// with the eyes of an observer of every step, so that the scene holds what one would have been
// shown.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "host/author.h"
#include "scene.h"
#include "session.h"

static const char help[] =
    "usage: perilune capture [options] PATH\n"
    "\n"
    "Prints a slice of a recorded session as a scene: a Lua table that testing.replay\n"
    "and testing.steps read. It begins with the turn that the first step is of, since\n"
    "observers see a turn's earlier calls. Secrets are replaced as the configuration\n"
    "says.\n"
    "\n"
    "  --session ID      of this session (needed where PATH holds several)\n"
    "  --agent AGENT     of this agent: main, or a task id (main)\n"
    "  --steps A-B       these steps of the agent, or one, as replay numbers them\n"
    "                    (all)\n"
    "  --dialect NAME    the recording's format (found out otherwise)\n"
    "  --config FILE     one more config.yaml over yours\n"
    "\n"
    "Exit status: 0 printed; 2 usage, a session, agent or step that the recording has\n"
    "not, or one that cannot be read or is too much for a scene; 3 internal failure.\n";

enum { FILE_MAX_BYTES = 24 * 1024 * 1024 };

typedef struct capturing {
    session_options session;
    const char *id, *agent, *steps;
    unsigned long first, last;
    scene scene;
    char *found;               // owned: the session that is captured
    bool several;              // and there is another one
    bool reached;              // the first step that was asked for
    bool of_session, of_agent; // any step was
    uint32_t last_step;        // of those
} capturing;

static void take_step(void *user, const peri_turn *turn, const peri_observer *observer,
                      peri_str text) {
    capturing *c = user;
    (void)observer;
    (void)text;
    if (c->id && !peri_str_eq(turn->session, peri_str_c(c->id))) return;
    c->of_session = true;
    if (!peri_str_eq(turn->agent, peri_str_c(c->agent))) return;
    c->of_agent = true;
    c->last_step = turn->step;
    if (turn->step > c->last) return;
    if (c->found && !peri_str_eq(turn->session, peri_str_c(c->found))) {
        c->several = true;
        return;
    }
    if (!c->found) c->found = strndup(turn->session.ptr, turn->session.len);
    if (turn->step <= c->first && turn->turn != c->scene.turn) scene_clear(&c->scene);
    scene_add(&c->scene, turn);
    c->reached |= turn->step >= c->first;
}

static int read_steps(capturing *c) {
    c->first = 1;
    c->last = UINT32_MAX;
    if (!c->steps) return PERI_EXIT_OK;
    char *end;
    c->first = c->last = strtoul(c->steps, &end, 10);
    if (end != c->steps && *end == '-') {
        const char *from = end + 1;
        c->last = strtoul(from, &end, 10);
        if (end == from) c->last = 0;
    }
    if (*end == 0 && c->first >= 1 && c->last >= c->first) return PERI_EXIT_OK;
    fprintf(stderr, "perilune capture: --steps takes a step or a range such as 3-9, not '%s'\n",
            c->steps);
    return PERI_EXIT_USAGE;
}

// What was asked for and is not there.
static int tell_missing(const capturing *c, const char *path) {
    static const char *const lists = "`perilune replay PATH` shows what there is";
    if (!c->of_session && c->id) {
        return peri_name_deny("capture", "session", peri_str_c(c->id), NULL, lists);
    }
    if (!c->of_session) {
        fprintf(stderr, "perilune capture: %s holds no step of any agent\n", path);
        return PERI_EXIT_USAGE;
    }
    if (!c->of_agent) {
        return peri_name_deny("capture", "agent", peri_str_c(c->agent), NULL, lists);
    }
    fprintf(stderr, "perilune capture: there is no step %lu; the last one of %s is %u\n",
            c->first, c->agent, c->last_step);
    return PERI_EXIT_USAGE;
}

static int print_scene(const capturing *c, const char *path) {
    if (c->several) {
        fprintf(stderr, "perilune capture: %s holds several sessions; name one: --session %s\n",
                path, c->found);
        return PERI_EXIT_USAGE;
    }
    if (!c->scene.steps || !c->reached) return tell_missing(c, path);
    peri_buf about, out;
    peri_buf_init(&about, 4096);
    peri_buf_init(&out, FILE_MAX_BYTES);
    peri_buf_addf(&about, "%zu step%s of a recorded session", c->scene.steps,
                  c->scene.steps == 1 ? "" : "s");
    scene_write(&c->scene, peri_buf_str(&about), &out);
    int code = PERI_EXIT_OK;
    if (c->scene.text.status < 0 || c->scene.tail.status < 0 || out.status < 0) {
        fputs("perilune capture: too much for a scene; narrow it with --steps\n", stderr);
        code = PERI_EXIT_USAGE;
    } else if (fwrite(out.ptr, 1, out.len, stdout) != out.len || fflush(stdout) != 0) {
        perror("perilune capture");
        code = PERI_EXIT_INTERNAL;
    }
    peri_buf_deinit(&about);
    peri_buf_deinit(&out);
    return code;
}

static int capture(capturing *c, const char *path) {
    peri_host_options how = PERI_HOST_OPTIONS_INIT;
    int code = session_host_options(&c->session, &how);
    if (code != PERI_EXIT_OK) return code;
    how.mode = PERI_MODE_REPLAY;
    how.no_observers = true;
    how.quiet_observations = true;
    peri_host *host;
    int status = peri_host_new(&how, &host);
    if (status < 0) return session_exit_code(status);
    const peri_observer every_step = {.name = PERI_STR("capture"),
                                      .enabled = true,
                                      .triggers = 1u << PERI_TRIGGER_TURN_END,
                                      .sees = {PERI_SLICE_ACTIVITY},
                                      .sees_count = 1,
                                      .can = PERI_CAN_ADVISE,
                                      .priority = 50};
    scene_init(&c->scene, host);
    status = peri_host_watch_digests(host, &every_step, false, take_step, c);
    if (status == PERI_OK) status = peri_host_open_path(host, path, c->session.dialect);
    if (status == PERI_OK) status = peri_host_finish(host);
    while (status >= 0 && (status = peri_host_step(host, 0)) > 0) {}
    code = session_exit_code(status == PERI_EIO ? PERI_ENOENT : status);
    if (code == PERI_EXIT_OK) code = print_scene(c, path);
    scene_deinit(&c->scene);
    peri_host_free(host);
    free(c->found);
    return code;
}

int cmd_capture(int argc, char **argv) {
    capturing c = {.agent = "main"};
    const peri_option list[] = {
        {"--session", &c.id, NULL},
        {"--agent", &c.agent, NULL},
        {"--steps", &c.steps, NULL},
        {"--dialect", &c.session.dialect, NULL},
        {"--config", &c.session.config, NULL},
        {NULL, NULL, NULL},
    };
    const char **paths = calloc((size_t)argc, sizeof *paths);
    if (!paths) return PERI_EXIT_INTERNAL;
    size_t count;
    int code = peri_options_read(argc, argv, list, help, paths, &count);
    if (code == PERI_EXIT_OK && count != 1) {
        fputs("perilune capture: name one recording; see perilune capture --help\n", stderr);
        code = PERI_EXIT_USAGE;
    }
    if (code == PERI_EXIT_OK) code = read_steps(&c);
    if (code == PERI_EXIT_OK) code = capture(&c, paths[0]);
    free(paths);
    return code < 0 ? PERI_EXIT_OK : code;
}
