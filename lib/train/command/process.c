/* A program as a child process in a process group of its own, together with a guard (guard.c), so that neither the
 * program nor what it started outlives the worker, even one that is killed by SIGKILL. The program waits to be let go
 * until the guard is there, so that there is no moment at which it could start something unguarded. */
#include "train/command/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LINE_MOST = 1024 * 1024,  /* of longer lines nothing is read */
    DRAIN_MOST = 1024 * 1024, /* read at most after the program has ended */
    POLL_MILLISECONDS = 50,
    GRACE_SECONDS = 5, /* from SIGTERM to SIGKILL */
};

struct stream {
    int fd;
    enum pl_line_origin origin;
    struct pl_text line;
    bool returned; /* a carriage return: the next byte begins the line anew, unless it is a newline */
    bool cut;      /* the line was too long */
};

struct process {
    pid_t pid;
    int handle; /* pidfd, or -1 */
    struct pl_guard guard;
    struct stream output, error;
};

/* What a child that could not start tells its parent. */
struct start_failure {
    int in_directory;
    int code;
};

/* Marks every descriptor from first on to be closed by exec. Descriptors that poula was started with may
 * lack that mark, and a program that holds the worker's event pipe would keep it open. */
static void close_on_exec_from(int first)
{
    if (!close_range((unsigned)first, ~0U, CLOSE_RANGE_CLOEXEC))
        return;
    for (int fd = first; fd < 1024; fd++)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static void default_signals(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGCHLD, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The pipes between fork and exec, each {read, write}. */
struct pipes {
    int output[2], error[2];
    int failure[2]; /* the child tells why it could not start; its end says that it has */
    int go[2];      /* the parent lets it go; its end says that the parent is gone */
};

/* The child between fork and exec: only calls that are safe there. */
_Noreturn static void become_program(const struct pl_launch *launch, char *const *environment,
                                     const struct pipes *pipes)
{
    struct start_failure failure = {0};
    char byte;
    setpgid(0, 0);
    default_signals();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(pipes->go[1]);
    if (read(pipes->go[0], &byte, 1) != 1)
        _exit(127);
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(pipes->output[1], STDOUT_FILENO);
    dup2(pipes->error[1], STDERR_FILENO);
    close_on_exec_from(STDERR_FILENO + 1);
    if (chdir(launch->directory))
        failure = (struct start_failure){1, errno};
    else {
        execvpe(launch->words[0], launch->words, environment);
        failure = (struct start_failure){0, errno};
    }
    ssize_t written = write(pipes->failure[1], &failure, sizeof failure);
    (void)written;
    _exit(127);
}

static bool open_pipes(struct pipes *pipes)
{
    *pipes = (struct pipes){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    return !pipe2(pipes->output, O_CLOEXEC) && !pipe2(pipes->error, O_CLOEXEC) && !pipe2(pipes->failure, O_CLOEXEC) &&
           !pipe2(pipes->go, O_CLOEXEC);
}

static void close_end(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

static void close_pipes(struct pipes *pipes)
{
    for (int i = 0; i < 2; i++) {
        close_end(&pipes->output[i]);
        close_end(&pipes->error[i]);
        close_end(&pipes->failure[i]);
        close_end(&pipes->go[i]);
    }
}

/* Lets the waiting child become the program. Returns whether it has; says in result why not. */
static bool let_go(const struct process *process, struct pipes *pipes, char *const *words, const char *directory,
                   struct pl_run_result *result)
{
    struct start_failure failure;
    ssize_t got;
    setpgid(process->pid, process->pid); /* as the child does: whoever comes first */
    close_end(&pipes->failure[1]);
    close_end(&pipes->go[0]);
    if (write(pipes->go[1], "", 1) != 1) {
        pl_result_set(result, PL_FAILED, "cannot start %.200s: its process ended before it began", words[0]);
        return false;
    }
    while ((got = read(pipes->failure[0], &failure, sizeof failure)) < 0 && errno == EINTR)
        ;
    if (got > 0)
        pl_result_set(result, PL_FAILED, "cannot %s %.200s: %s", failure.in_directory ? "enter folder" : "start",
                      failure.in_directory ? directory : words[0], strerror(failure.code));
    return got <= 0;
}

/* Starts the program and its guard. On failure says why in result and leaves nothing behind. */
static bool start(struct process *process, const struct pl_launch *launch, struct pl_run_result *result)
{
    struct pipes pipes;
    bool started = false;
    if (!open_pipes(&pipes)) {
        pl_result_set(result, PL_FAILED, "cannot make a pipe: %s", strerror(errno));
        goto done;
    }
    pl_guard_init(&process->guard);
    char **environment = pl_guard_environment(&process->guard, launch->metrics);
    process->pid = fork();
    if (!process->pid)
        become_program(launch, environment, &pipes);
    free(environment);
    int problem = process->pid < 0 ? errno : pl_guard_start(&process->guard, process->pid);
    if (problem)
        pl_result_set(result, PL_FAILED, "cannot start a process: %s", strerror(problem));
    else
        started = let_go(process, &pipes, launch->words, launch->directory, result);
    if (!started && process->pid > 0) {
        kill(process->pid, SIGKILL);
        waitpid(process->pid, NULL, 0);
        pl_guard_end(&process->guard, false);
    }
    if (!started)
        goto done;
    process->handle = (int)syscall(SYS_pidfd_open, process->pid, 0);
    process->output.fd = pipes.output[0];
    process->error.fd = pipes.error[0];
    pipes.output[0] = pipes.error[0] = -1;
done:
    close_pipes(&pipes);
    return started;
}

static void take_line(struct stream *stream, struct pl_reading *reading, bool whole)
{
    if (stream->cut)
        reading->sink->log(reading->sink->self, "poula: a line was longer than 1 MiB; nothing is read from it");
    if (stream->line.length)
        pl_reading_line(reading, stream->origin, pl_text(&stream->line), stream->line.length, whole && !stream->cut);
    pl_text_clear(&stream->line);
    stream->returned = stream->cut = false;
}

/* A bar is redrawn by a carriage return, as often as its program likes: only its last state is kept. */
static void take_bytes(struct stream *stream, const char *bytes, size_t count, struct pl_reading *reading)
{
    while (count) {
        size_t plain = 0;
        while (plain < count && bytes[plain] != '\n' && bytes[plain] != '\r')
            plain++;
        if (plain && stream->returned) {
            pl_text_clear(&stream->line);
            stream->returned = stream->cut = false;
        }
        size_t room = LINE_MOST - stream->line.length, kept = plain < room ? plain : room;
        pl_text_add_bytes(&stream->line, bytes, kept);
        stream->cut = stream->cut || kept < plain;
        if (plain < count && bytes[plain] == '\n')
            take_line(stream, reading, true);
        else if (plain < count)
            stream->returned = true;
        plain += plain < count;
        bytes += plain;
        count -= plain;
    }
}

/* Reads what is there now, one buffer at most. Returns the number of bytes; 0: nothing (more). */
static size_t read_some(struct stream *stream, struct pl_reading *reading)
{
    char bytes[16384];
    if (stream->fd < 0)
        return 0;
    ssize_t count = read(stream->fd, bytes, sizeof bytes);
    if (count > 0) {
        take_bytes(stream, bytes, (size_t)count, reading);
        return (size_t)count;
    }
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
        close(stream->fd);
        stream->fd = -1;
    }
    return 0;
}

/* whole: the program ended by itself, so a last line without a newline is what it wanted to say. */
static void finish_stream(struct stream *stream, struct pl_reading *reading, bool whole)
{
    for (size_t count, sum = 0; sum < DRAIN_MOST && (count = read_some(stream, reading)); sum += count)
        ;
    take_line(stream, reading, whole);
    if (stream->fd >= 0)
        close(stream->fd);
    pl_text_release(&stream->line);
}

/* Why a program was told to end. */
enum stop { NOT_STOPPED, STOPPED, STALLED, OVERDUE };

static bool look_at_files(const struct pl_launch *launch, struct pl_reading *reading, bool last, bool whole)
{
    bool news = false;
    for (size_t i = 0; i < launch->follow_count; i++)
        news = pl_follow_look(&launch->follow[i], reading, last, whole) || news;
    return news;
}

/* Feeds lines to reading until the program has ended (it is not reaped yet). Returns why it was told to, if it was; of
 * a run that took too long limit is the time that it had. */
static enum stop attend(struct process *process, const struct pl_launch *launch, const struct pl_sink *sink,
                        struct pl_reading *reading, siginfo_t *ending, double *limit)
{
    enum stop stopping = NOT_STOPPED;
    double kill_at = 0, next_look = 0, heard = pl_clock_steady();
    for (;;) {
        struct pollfd waiting[3] = {
            {process->output.fd, POLLIN, 0}, {process->error.fd, POLLIN, 0}, {process->handle, POLLIN, 0}};
        poll(waiting, 3, POLL_MILLISECONDS);
        size_t bytes = waiting[0].revents ? read_some(&process->output, reading) : 0;
        bytes += waiting[1].revents ? read_some(&process->error, reading) : 0;
        ending->si_pid = 0;
        if (waitid(P_PID, (id_t)process->pid, ending, WEXITED | WNOHANG | WNOWAIT) || ending->si_pid)
            return stopping;
        double now = pl_clock_steady();
        if (look_at_files(launch, reading, false, false) || bytes)
            heard = now;
        if (!stopping && sink->late && (*limit = sink->late(sink->self)) > 0) {
            stopping = OVERDUE;
            kill_at = now;
        }
        if (!stopping && now >= next_look) {
            next_look = now + 0.1;
            stopping = sink->stop(sink->self)                         ? STOPPED
                       : launch->stall && now - heard > launch->stall ? STALLED
                                                                      : NOT_STOPPED;
            if (stopping) {
                kill_at = now + (launch->grace > 0 ? launch->grace : GRACE_SECONDS);
                kill(-process->pid, SIGTERM);
            }
        }
        if (stopping && now >= kill_at)
            kill(-process->pid, SIGKILL);
    }
}

static void describe(const siginfo_t *ending, enum stop stopped, double stall, double limit,
                     const struct pl_reading *reading, struct pl_run_result *result)
{
    char seconds[PL_NUMBER_SIZE];
    pl_number_write(limit, seconds);
    if (ending->si_code == CLD_EXITED)
        result->exit_code = ending->si_status;
    else
        result->signal = ending->si_status;
    const char *colon = *reading->last_error ? ": " : "";
    if (stopped == STALLED)
        pl_result_set(result, PL_FAILED, "said nothing for %g seconds, its stall time-out", stall);
    else if (stopped == OVERDUE)
        pl_result_set(result, PL_FAILED, "timed out after %s s", seconds);
    else if (stopped)
        pl_result_set(result, PL_INTERRUPTED, "the command was stopped");
    else if (result->signal)
        pl_result_set(result, PL_FAILED, "was killed by signal %d (%s)", result->signal, strsignal(result->signal));
    else if (result->exit_code)
        pl_result_set(result, PL_FAILED, "exited with code %d%s%s", result->exit_code, colon, reading->last_error);
    else
        pl_result_set(result, PL_FINISHED, "%s", "");
}

/* Of a program with children the kernel may have ended one, and the program says what it likes. */
static void note_memory(struct pl_run_result *result)
{
    char before[sizeof result->reason];
    snprintf(before, sizeof before, "%s", result->reason);
    pl_result_set(result, PL_FAILED, "%.300s; memory was over, and the kernel ended a process (OUT_OF_MEMORY)", before);
}

void pl_process_run(const struct pl_launch *launch, const struct pl_sink *sink, struct pl_reading *reading,
                    struct pl_run_result *result)
{
    struct process process = {
        .handle = -1, .output = {.fd = -1, .origin = PL_FROM_OUTPUT}, .error = {.fd = -1, .origin = PL_FROM_ERROR}};
    uint64_t kills = pl_host_memory_kills();
    if (!start(&process, launch, result))
        return;
    fcntl(process.output.fd, F_SETFL, O_NONBLOCK);
    fcntl(process.error.fd, F_SETFL, O_NONBLOCK);
    siginfo_t ending = {0};
    double limit = 0;
    enum stop stopped = attend(&process, launch, sink, reading, &ending, &limit);
    /* The leader is a zombie until waitpid, so its number still names the group and nothing else. */
    kill(-process.pid, SIGKILL);
    bool whole = stopped == NOT_STOPPED && ending.si_code == CLD_EXITED;
    finish_stream(&process.output, reading, whole);
    finish_stream(&process.error, reading, whole);
    look_at_files(launch, reading, true, whole);
    /* A program that ended by itself may have left a service behind on purpose, in a session of its own; one that was
     * stopped may not. */
    pl_guard_end(&process.guard, stopped != NOT_STOPPED);
    waitpid(process.pid, NULL, 0);
    if (process.handle >= 0)
        close(process.handle);
    describe(&ending, stopped, launch->stall, limit, reading, result);
    if (result->outcome == PL_FAILED && pl_host_memory_kills() > kills)
        note_memory(result);
}
