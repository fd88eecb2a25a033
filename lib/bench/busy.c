/* Other work for the machine while something is measured: processes that only compute. */
#include "bench/bench_priv.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct pl_bench_busy {
    int count;
    pid_t processes[];
};

static void compute(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* which ended before */
        _exit(0);
    raise(SIGSTOP);
    for (volatile unsigned long count = 0;;)
        count++;
}

int pl_bench_busy_new(struct pl_bench_busy **busy, int count, struct pl_error *err)
{
    struct pl_bench_busy *b = pl_new(sizeof *b + (size_t)count * sizeof *b->processes);
    const pid_t parent = getpid();
    *busy = b;
    for (; b->count < count; b->count++) {
        pid_t child = fork();
        if (!child)
            compute(parent);
        if (child < 0)
            return pl_fail(err, PL_EIO, "cannot start process %d of %d", b->count + 1, count);
        b->processes[b->count] = child;
        waitpid(child, NULL, WUNTRACED);
    }
    return 0;
}

void pl_bench_busy_turn(struct pl_bench_busy *busy, bool on)
{
    for (int i = 0; busy && i < busy->count; i++)
        kill(busy->processes[i], on ? SIGCONT : SIGSTOP);
}

double pl_bench_busy_cpu(const struct pl_bench_busy *busy)
{
    double sum = 0;
    for (int i = 0; i < busy->count; i++) {
        clockid_t clock;
        struct timespec now;
        if (clock_getcpuclockid(busy->processes[i], &clock) || clock_gettime(clock, &now))
            return NAN;
        sum += (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    }
    return sum / busy->count;
}

void pl_bench_busy_free(struct pl_bench_busy *busy)
{
    for (int i = 0; busy && i < busy->count; i++) {
        kill(busy->processes[i], SIGKILL);
        waitpid(busy->processes[i], NULL, 0);
    }
    free(busy);
}
