/* The local executor: workers are processes of this machine, each with pipes for its three standard outlets and a
 * process group of its own, so that it can be ended together with the commands that it started. */
#include "sweep/executor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PIPE_BYTES = 1 << 20 }; /* what a worker may be ahead of a supervisor that is busy writing */

/* The environment with other values for some names. The strings of environ are shared. */
struct environment {
    char **list;
    size_t count;
    struct pl_pool pool;
};

static void set_variable(struct environment *env, const char *name, const char *value)
{
    struct pl_text entry = {0};
    pl_text_addf(&entry, "%s=%s", name, value);
    char *text = pl_pool_take(&env->pool, entry.length + 1);
    memcpy(text, pl_text(&entry), entry.length + 1);
    pl_text_release(&entry);
    size_t length = strlen(name) + 1;
    for (size_t i = 0; i < env->count; i++)
        if (!strncmp(env->list[i], text, length)) {
            env->list[i] = text;
            return;
        }
    env->list = pl_resize(env->list, env->count + 2, sizeof *env->list);
    env->list[env->count++] = text;
    env->list[env->count] = NULL;
}

static void make_environment(struct environment *env, int threads, bool insist)
{
    const char *name;
    while (environ[env->count])
        env->count++;
    env->list = pl_new((env->count + 1) * sizeof *env->list);
    memcpy(env->list, environ, env->count * sizeof *env->list);
    char number[24];
    snprintf(number, sizeof number, "%d", threads);
    for (size_t i = 0; (name = pl_threads_variable(i, insist)); i++)
        set_variable(env, name, number);
}

static void close_pair(int pair[2])
{
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            close(pair[i]);
}

static int spawn(const char *const *argv, char **environment, int in, int out, int log, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGTERM);
    sigaddset(&usual, SIGINT);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, log, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    int problem = posix_spawn(pid, argv[0], &files, &attributes, (char *const *)argv, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return problem;
}

struct local {
    struct pl_channel channel;
    pid_t pid;
    int in, outlets[PL_OUTLET_COUNT]; /* to its stdin, from its stdout and stderr; -1: closed */
};

static void close_pipe(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* The worker and the commands that it started. */
static void local_kill(struct pl_channel *channel)
{
    kill(-((struct local *)channel)->pid, SIGKILL);
}

static void local_free(struct pl_channel *channel)
{
    struct local *local = (struct local *)channel;
    close_pipe(&local->in);
    for (int i = 0; i < PL_OUTLET_COUNT; i++)
        close_pipe(&local->outlets[i]);
    free(local);
}

static struct pl_channel *new_channel(pid_t pid, int in, int out, int log)
{
    struct local *local = pl_new(sizeof *local);
    *local = (struct local){.channel = {&pl_executor_local, pid},
                            .pid = pid,
                            .in = in,
                            .outlets = {[PL_OUTLET_EVENTS] = out, [PL_OUTLET_LOG] = log}};
    fcntl(in, F_SETFL, O_NONBLOCK);
    fcntl(out, F_SETFL, O_NONBLOCK);
    fcntl(log, F_SETFL, O_NONBLOCK);
    return &local->channel;
}

static int local_start(const struct pl_sweep_options *options, struct pl_channel **channel, struct pl_error *err)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, log[2] = {-1, -1};
    pid_t pid = 0;
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(log, O_CLOEXEC)) {
        pl_fail(err, PL_EIO, "cannot make the pipes of a worker: %s", strerror(errno));
        close_pair(in);
        close_pair(out);
        close_pair(log);
        return PL_EIO;
    }
    fcntl(in[1], F_SETPIPE_SZ, PIPE_BYTES); /* as large as the system allows; the usual size works too */
    fcntl(out[0], F_SETPIPE_SZ, PIPE_BYTES);
    struct environment env = {0};
    make_environment(&env, options->threads, options->insist);
    int problem = spawn(options->worker, env.list, in[0], out[1], log[1], &pid);
    free(env.list);
    pl_pool_release(&env.pool);
    close(in[0]);
    close(out[1]);
    close(log[1]);
    if (problem) {
        close(in[1]);
        close(out[0]);
        close(log[0]);
        return pl_fail(err, PL_EIO, "cannot start the worker %s: %s", options->worker[0], strerror(problem));
    }
    *channel = new_channel(pid, in[1], out[0], log[0]);
    return 0;
}

static void local_polls(const struct pl_channel *channel, struct pollfd polls[PL_POLL_COUNT])
{
    const struct local *local = (const struct local *)channel;
    polls[PL_POLL_ORDERS] = (struct pollfd){.fd = local->in, .events = POLLOUT};
    polls[PL_POLL_EVENTS] = (struct pollfd){.fd = local->outlets[PL_OUTLET_EVENTS], .events = POLLIN};
    polls[PL_POLL_LOG] = (struct pollfd){.fd = local->outlets[PL_OUTLET_LOG], .events = POLLIN};
}

static ssize_t local_send(struct pl_channel *channel, const char *bytes, size_t count)
{
    const struct local *local = (const struct local *)channel;
    ssize_t n;
    do
        n = write(local->in, bytes, count);
    while (n < 0 && errno == EINTR);
    return n >= 0 ? n : errno == EAGAIN ? 0 : -1;
}

static ssize_t local_receive(struct pl_channel *channel, enum pl_outlet outlet, char *block, size_t size)
{
    const struct local *local = (const struct local *)channel;
    ssize_t n = read(local->outlets[outlet], block, size);
    return n > 0 ? n : n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

static void local_close(struct pl_channel *channel)
{
    close_pipe(&((struct local *)channel)->in);
}

static bool local_ended(struct pl_channel *channel, bool wait, struct pl_departure *departure)
{
    pid_t pid;
    int status = 0;
    do
        pid = waitpid(((struct local *)channel)->pid, &status, wait ? 0 : WNOHANG);
    while (pid < 0 && errno == EINTR);
    if (!pid)
        return false;
    if (pid < 0)
        status = 0; /* somebody else buried it */
    *departure = (struct pl_departure){.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                                       .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0};
    if (departure->signal)
        snprintf(departure->how, sizeof departure->how, "signal %d (%s)", departure->signal,
                 strsignal(departure->signal));
    else
        snprintf(departure->how, sizeof departure->how, "exit code %d", WEXITSTATUS(status));
    return true;
}

static void local_capacity(struct pl_capacity *capacity)
{
    int cores = pl_host_cores();
    *capacity = (struct pl_capacity){.slots = cores,
                                     .threads = cores,
                                     .memory = pl_host_memory_free(),
                                     .accelerators = (int)pl_host_accelerators(NULL, 0)};
}

const struct pl_executor pl_executor_local = {
    .name = "local",
    .capacity = local_capacity,
    .start = local_start,
    .polls = local_polls,
    .send = local_send,
    .receive = local_receive,
    .close = local_close,
    .kill = local_kill,
    .ended = local_ended,
    .free = local_free,
};
