#include "sweep/batch/call.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_OUTPUT = 256 << 20, MOST_SAID = 16 << 10, MOST_BLOCKS = 128 }; /* blocks: more than a pipe holds */
static const double slice = 0.05; /* seconds between two looks whether it has ended */

/* ---- starting ---- */

static void close_end(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

static int spawn(const char *const *words, char *const *environment, int out, int said, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    sigemptyset(&none);
    sigfillset(&usual);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, said, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    int problem = posix_spawnp(pid, words[0], &files, &attributes, (char *const *)words, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return problem;
}

/* ---- reading ---- */

/* Reads what is there; at the end the descriptor becomes -1. What passes the limit is not kept. Returns whether it was
 * within the limit. */
static bool drain(int *fd, struct pl_text *text, size_t limit)
{
    char block[1 << 14];
    bool within = true;
    ssize_t n;
    for (int i = 0; *fd >= 0 && i < MOST_BLOCKS; i++) {
        n = read(*fd, block, sizeof block);
        if (n < 0)
            return within;
        if (!n)
            close_end(fd);
        size_t room = limit - text->length, taken = (size_t)n < room ? (size_t)n : room;
        pl_text_add_bytes(text, block, taken);
        within = within && taken == (size_t)n;
        if (!within && limit == MOST_OUTPUT)
            return false;
    }
    return within;
}

/* Has it ended? It stays a zombie, so that its group can be ended without hitting another. */
static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == pid;
}

/* Reads until it has ended. */
static int follow(struct pl_call *call, pid_t pid, int ends[2], const char *program, double seconds,
                  struct pl_error *err)
{
    double begun = pl_clock_steady();
    for (;;) {
        double left = begun + seconds - pl_clock_steady();
        bool ended = has_ended(pid);
        if (!drain(&ends[0], &call->out, MOST_OUTPUT))
            return pl_fail(err, PL_EIO, "%s printed more than %d MiB", program, MOST_OUTPUT >> 20);
        drain(&ends[1], &call->said, MOST_SAID);
        if (ended)
            return 0;
        if (left <= 0)
            return pl_fail(err, PL_ETIMEOUT, "%s did not answer within %g s", program, seconds);
        struct pollfd polls[2] = {{ends[0], POLLIN, 0}, {ends[1], POLLIN, 0}};
        bool open = ends[0] >= 0 || ends[1] >= 0;
        double wait = open ? slice : 0.002; /* whoever has closed both is about to end */
        poll(polls, 2, (int)ceil(1000 * (wait < left ? wait : left)));
    }
}

static void note_end(struct pl_call *call, int status)
{
    call->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    call->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

int pl_call_run(struct pl_call *call, const char *const *words, char *const *environment, double seconds,
                struct pl_error *err)
{
    int out[2] = {-1, -1}, said[2] = {-1, -1}, status = 0, how = 0;
    pid_t pid = 0;
    pl_text_clear(&call->out);
    pl_text_clear(&call->said);
    call->exit_code = -1;
    call->signal = 0;
    if (pipe2(out, O_CLOEXEC) || pipe2(said, O_CLOEXEC)) {
        status = pl_fail(err, PL_EIO, "cannot make the pipes of %s: %s", words[0], strerror(errno));
    } else {
        fcntl(out[0], F_SETFL, O_NONBLOCK);
        fcntl(said[0], F_SETFL, O_NONBLOCK);
        int problem = spawn(words, environment, out[1], said[1], &pid);
        if (problem)
            status = pl_fail(err, problem == ENOENT ? PL_EMISSING : PL_EIO, "cannot start %s: %s", words[0],
                             problem == ENOENT ? "there is no such program in PATH" : strerror(problem));
    }
    close_end(&out[1]);
    close_end(&said[1]);
    if (!status) {
        int ends[2] = {out[0], said[0]};
        status = follow(call, pid, ends, words[0], seconds, err);
        out[0] = ends[0];
        said[0] = ends[1];
        kill(-pid, SIGKILL);
        while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
            ;
        note_end(call, how);
    }
    close_end(&out[0]);
    close_end(&said[0]);
    while (call->said.length && strchr("\n\r ", call->said.text[call->said.length - 1]))
        pl_text_cut(&call->said, call->said.length - 1);
    return status;
}

int pl_call_fail(const struct pl_call *call, const char *program, struct pl_error *err)
{
    if (call->said.length)
        return pl_fail(err, PL_EIO, "%s: %s", program, pl_text(&call->said));
    if (call->signal)
        return pl_fail(err, PL_EIO, "%s was ended by signal %d (%s)", program, call->signal, strsignal(call->signal));
    return pl_fail(err, PL_EIO, "%s ended with exit code %d and said nothing", program, call->exit_code);
}

void pl_call_release(struct pl_call *call)
{
    pl_text_release(&call->out);
    pl_text_release(&call->said);
}
