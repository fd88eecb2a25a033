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

static void turn(struct pl_bench_busy *busy, bool on)
{
    for (int i = 0; i < busy->count; i++)
        kill(busy->processes[i], on ? SIGCONT : SIGSTOP);
}

/* Seconds that one of them computed so far, on average. */
static double computed(const struct pl_bench_busy *busy)
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

double pl_bench_cpu(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) ? NAN : (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct pl_bench_beside pl_bench_beside(struct pl_bench_busy *busy, int64_t count, void (*step)(void *self), void *self)
{
    static const double least = 0.2, patience = 2; /* seconds */
    double others = computed(busy), begun = pl_clock_steady(), cpu;
    int64_t done = 0;
    turn(busy, true);
    do
        step(self);
    while (!(computed(busy) > others) && pl_clock_steady() - begun < patience);
    others = computed(busy);
    cpu = pl_bench_cpu();
    begun = pl_clock_steady();
    for (; done < count || pl_clock_steady() - begun < least; done++)
        step(self);
    struct pl_bench_beside beside = {(pl_clock_steady() - begun) / (double)done, (pl_bench_cpu() - cpu) / (double)done,
                                     (computed(busy) - others) / (double)done};
    turn(busy, false);
    return beside;
}

void pl_bench_busy_free(struct pl_bench_busy *busy)
{
    for (int i = 0; busy && i < busy->count; i++) {
        kill(busy->processes[i], SIGKILL);
        waitpid(busy->processes[i], NULL, 0);
    }
    free(busy);
}
