/* The local executor: workers are processes of this machine, each with pipes for its three standard streams and a
 * process group of its own, so that it can be ended together with the commands that it started. */
#include "sweep/sweep_priv.h"

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

static int local_start(const char *const *argv, int threads, bool insist, struct pl_process *process,
                       struct pl_error *err)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, log[2] = {-1, -1};
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
    make_environment(&env, threads, insist);
    int problem = spawn(argv, env.list, in[0], out[1], log[1], &process->pid);
    free(env.list);
    pl_pool_release(&env.pool);
    close(in[0]);
    close(out[1]);
    close(log[1]);
    if (problem) {
        close(in[1]);
        close(out[0]);
        close(log[0]);
        process->pid = 0;
        return pl_fail(err, PL_EIO, "cannot start the worker %s: %s", argv[0], strerror(problem));
    }
    process->in = in[1];
    process->out = out[0];
    process->log = log[0];
    fcntl(process->in, F_SETFL, O_NONBLOCK);
    fcntl(process->out, F_SETFL, O_NONBLOCK);
    fcntl(process->log, F_SETFL, O_NONBLOCK);
    return 0;
}

static void local_kill(const struct pl_process *process, int signal)
{
    if (signal == SIGKILL)
        kill(-process->pid, signal);
    else
        kill(process->pid, signal);
}

static int local_reap(const struct pl_process *process, bool wait, int *status)
{
    pid_t pid;
    do
        pid = waitpid(process->pid, status, wait ? 0 : WNOHANG);
    while (pid < 0 && errno == EINTR);
    if (pid < 0)
        *status = 0; /* somebody else buried it */
    return pid != 0;
}

const struct pl_executor pl_executor_local = {
    .name = "local",
    .start = local_start,
    .kill = local_kill,
    .reap = local_reap,
};
