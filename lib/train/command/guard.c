/* The guard of a program: a process that does nothing but wait for poula's death (the end of a pipe) and then kills
 * what the program started. It is /bin/sh and not a child that runs on in poula, because it has to outlive a kill -9 of
 * everything that is named poula. It knows the program's process group, and whoever left that by a mark in the
 * environment, which every descendant inherits. */
#include "train/command/command_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define MARK "POULA_GUARD="
#define METRICS "POULA_METRICS="

/* $1 is the group, $2 the mark. Where /proc is that of another space of process numbers its numbers would name
 * strangers. Those that were found may have started more meanwhile. */
static const char
    script[] = "trap '' HUP INT QUIT TERM USR1 USR2 PIPE\n"
               "cd /\n"
               "read -r word\n"
               "kill -9 \"-$1\" 2>/dev/null\n"
               "read -r self rest 2>/dev/null </proc/self/stat && [ \"$self\" = $$ ] || exit 0\n"
               "for again in 1 2 3 4 5 6 7 8 9 10; do\n"
               "    found=$(grep -lzF -- \"$2\" /proc/[0-9]*/environ 2>/dev/null)\n"
               "    [ \"$found\" ] || exit 0\n"
               "    for file in $found; do file=${file#/proc/}; kill -9 \"${file%/environ}\" 2>/dev/null; done\n"
               "    [ $again = 1 ] || sleep 0.05\n"
               "done\n";

void pl_guard_init(struct pl_guard *guard)
{
    unsigned char bytes[16];
    *guard = (struct pl_guard){.pipe = -1};
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
        double now[2] = {pl_clock(), pl_clock_steady() + (double)getpid()};
        memcpy(bytes, now, sizeof bytes);
    }
    memcpy(guard->mark, MARK, sizeof MARK);
    pl_digest_hex(bytes, sizeof bytes, guard->mark + sizeof MARK - 1);
}

/* Is it a variable that is set for every program? */
static bool is_own(const char *variable)
{
    return !strncmp(variable, MARK, sizeof MARK - 1) || !strncmp(variable, METRICS, sizeof METRICS - 1);
}

char **pl_guard_environment(struct pl_guard *guard, const char *metrics)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **list = pl_new((count + 3) * sizeof *list);
    for (size_t i = 0; i < count; i++)
        if (!is_own(environ[i]))
            list[kept++] = environ[i];
    snprintf(guard->metrics, sizeof guard->metrics, METRICS "%s", metrics);
    list[kept++] = guard->mark;
    list[kept] = guard->metrics;
    return list;
}

static int spawn(struct pl_guard *guard, int end, pid_t group)
{
    char number[24];
    snprintf(number, sizeof number, "%ld", (long)group);
    const char *const words[] = {"sh", "-c", script, "sh", number, guard->mark + sizeof MARK - 1, NULL};
    const char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, end, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    int problem = posix_spawn(&guard->pid, "/bin/sh", &files, &attributes, (char *const *)words,
                              (char *const *)environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return problem;
}

int pl_guard_start(struct pl_guard *guard, pid_t group)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return errno;
    int problem = spawn(guard, ends[0], group);
    close(ends[0]);
    if (problem) {
        guard->pid = 0;
        close(ends[1]);
        return problem;
    }
    guard->pipe = ends[1];
    return 0;
}

void pl_guard_end(struct pl_guard *guard, bool everything)
{
    if (guard->pid <= 0)
        return;
    if (!everything)
        kill(guard->pid, SIGKILL);
    close(guard->pipe);
    while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    guard->pid = 0;
}
