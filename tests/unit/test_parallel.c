/* Loops over threads: every task once, whoever comes; and threads that wait do not use a processor (S2). */
#include "base/base.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

enum { MOST_TASKS = 5000, MOST_THREADS = 8 };

struct tally {
    _Atomic int done[MOST_TASKS];
    _Atomic int at_work[MOST_THREADS]; /* bodies that run under this number now */
    _Atomic int mistakes, largest, bodies;
    int threads;
    size_t count, grain;
};

static void tally_part(void *self, size_t from, size_t to, int thread)
{
    struct tally *t = self;
    if (thread < 0 || thread >= t->threads || from >= to || to > t->count || t->at_work[thread]++)
        t->mistakes++;
    t->bodies++;
    if ((int)(to - from) > t->largest)
        t->largest = (int)(to - from);
    for (size_t i = from; i < to && i < MOST_TASKS; i++)
        t->done[i]++;
    t->at_work[thread]--;
}

static void check(struct tally *t)
{
    for (size_t i = 0; i < MOST_TASKS; i++)
        if (t->done[i] != (i < t->count))
            fail_msg("task %zu of %zu was done %d times by %d threads", i, t->count, t->done[i], t->threads);
    assert_int_equal(t->mistakes, 0);
}

static void every_task_is_done_once(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 3, 7, 64, 1000, MOST_TASKS};
    static const size_t grains[] = {0, 1, 3, 100};
    static struct tally t;
    for (int round = 0; round < 20; round++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (size_t g = 0; g < sizeof grains / sizeof *grains; g++)
                for (int threads = 0; threads <= MOST_THREADS; threads++) {
                    memset(&t, 0, sizeof t);
                    t.threads = threads ? threads : 1;
                    t.count = counts[c];
                    t.grain = grains[g];
                    pl_parallel(threads, t.count, t.grain, tally_part, &t);
                    check(&t);
                    if (threads > 1 && t.grain && t.count > t.grain)
                        assert_true(t.largest <= (int)t.grain);
                }
}

/* Thousands of loops so short that helpers come late, and find the next one. */
static void short_loops_do_not_mix(void **state)
{
    (void)state;
    static struct tally t;
    for (int round = 0; round < 20000; round++) {
        memset(&t, 0, sizeof t);
        t.threads = 2 + round % 3;
        t.count = 2 + (size_t)(round % 17);
        pl_parallel(t.threads, t.count, 1, tally_part, &t);
        assert_int_equal(t.bodies, t.count);
        check(&t);
    }
}

struct together {
    _Atomic int begun;
    int threads;
};

/* Returns when as many have begun as there are threads, or after a long time. */
static void wait_for_all(void *self, size_t from, size_t to, int thread)
{
    struct together *t = self;
    const double until = pl_clock_steady() + 60;
    (void)from, (void)to, (void)thread;
    t->begun++;
    while (t->begun < t->threads && pl_clock_steady() < until)
        usleep(100);
}

static void threads_work_at_the_same_time(void **state)
{
    (void)state;
    for (int threads = 2; threads <= 4; threads++)
        for (int pause = 0; pause < 2; pause++) { /* helpers that still look for work, and such as sleep */
            struct together t = {.threads = threads};
            usleep(pause ? 20000 : 0);
            const double begun = pl_clock_steady();
            pl_parallel(threads, (size_t)threads, 1, wait_for_all, &t);
            assert_int_equal(t.begun, threads);
            assert_true(pl_clock_steady() - begun < 60);
        }
}

static void count_thread(void *self, size_t from, size_t to, int thread)
{
    _Atomic int *threads = self;
    (void)from, (void)to;
    atomic_fetch_or(threads, 1 << thread);
    usleep(2000);
}

/* S2: on one core, threads beyond it would only take turns. */
static void no_more_threads_than_cores(void **state)
{
    (void)state;
    _Atomic int seen = 0;
    pl_parallel_assume_cores(1);
    pl_parallel(4, 40, 1, count_thread, &seen);
    assert_int_equal(seen, 1);
    pl_parallel_assume_cores(2);
    seen = 0;
    pl_parallel(4, 40, 1, count_thread, &seen);
    assert_int_equal(seen & ~3, 0);
    pl_parallel_assume_cores(MOST_THREADS);
}

static void outer_part(void *self, size_t from, size_t to, int thread)
{
    _Atomic int *sum = self;
    (void)thread;
    for (size_t i = from; i < to; i++) {
        struct tally *t = calloc(1, sizeof *t);
        t->threads = 4;
        t->count = 100;
        pl_parallel(4, t->count, 0, tally_part, t);
        for (size_t k = 0; k < t->count; k++)
            *sum += t->done[k];
        free(t);
    }
}

static void *run_outer(void *sum)
{
    pl_parallel(3, 50, 1, outer_part, sum);
    return NULL;
}

static void loops_within_loops_and_beside_them(void **state)
{
    (void)state;
    _Atomic int sums[4] = {0};
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_outer, &sums[i]), 0);
    for (size_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(sums[i], 5000);
}

static double processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void nap_if_last(void *self, size_t from, size_t to, int thread)
{
    (void)self, (void)to, (void)thread;
    if (from == 1)
        usleep(200000);
}

/* S2: libgomp's threads looked for work for milliseconds after every loop, and while they waited for one another.
 * Between loops, and in a loop whose last task takes long, waiting must cost next to nothing. */
static void waiting_threads_sleep(void **state)
{
    (void)state;
    _Atomic int sum = 0;
    double begun, used;
    pl_parallel(4, 100, 1, count_thread, &sum); /* all have come */
    begun = processor_time();
    for (int i = 0; i < 20; i++) {
        pl_parallel(4, 4, 1, count_thread, &sum);
        usleep(10000);
    }
    used = processor_time() - begun;
    if (used > 0.05) /* spinning would take 3 x 0.2 s */
        fail_msg("threads between loops used %.3f s in 0.24 s", used);
    begun = processor_time();
    pl_parallel(4, 2, 1, nap_if_last, NULL);
    used = processor_time() - begun;
    if (used > 0.02)
        fail_msg("threads that waited 0.2 s for another used %.3f s", used);
}

static _Atomic int handled_by_helper;
static pthread_t main_thread;

static void note_thread(int signal)
{
    (void)signal;
    if (!pthread_equal(pthread_self(), main_thread))
        handled_by_helper = 1;
}

/* A signal to the process is for the threads that the program knows of, even while the caller has it blocked. */
static void helpers_take_no_signals(void **state)
{
    (void)state;
    _Atomic int sum = 0;
    sigset_t usr1;
    main_thread = pthread_self();
    signal(SIGUSR1, note_thread);
    pl_parallel(4, 100, 1, count_thread, &sum);
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usr1, NULL);
    kill(getpid(), SIGUSR1);
    pl_parallel(4, 100, 1, count_thread, &sum);
    pthread_sigmask(SIG_UNBLOCK, &usr1, NULL);
    assert_int_equal(handled_by_helper, 0);
}

static void a_forked_child_works(void **state)
{
    (void)state;
    static struct tally t;
    pid_t child = fork();
    if (!child) {
        t.threads = 3;
        t.count = 1000;
        alarm(60);
        pl_parallel(3, t.count, 1, tally_part, &t);
        for (size_t i = 0; i < t.count; i++)
            if (t.done[i] != 1)
                _exit(1);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void raise_part(void *self, size_t from, size_t to, int thread)
{
    _Atomic double *x = self;
    (void)thread;
    for (size_t i = from; i < to; i++)
        x[i] = x[i] + (double)i;
}

/* Sizes that are near the end of what a count can hold are cut without overflow. */
static void huge_counts(void **state)
{
    (void)state;
    static _Atomic double x[4];
    pl_parallel(3, 4, SIZE_MAX / 2, raise_part, x);
    for (size_t i = 0; i < 4; i++)
        assert_true(x[i] == (double)i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_is_done_once),
        cmocka_unit_test(short_loops_do_not_mix),
        cmocka_unit_test(threads_work_at_the_same_time),
        cmocka_unit_test(no_more_threads_than_cores),
        cmocka_unit_test(loops_within_loops_and_beside_them),
        cmocka_unit_test(waiting_threads_sleep),
        cmocka_unit_test(helpers_take_no_signals),
        cmocka_unit_test(a_forked_child_works),
        cmocka_unit_test(huge_counts),
    };
    pl_parallel_assume_cores(MOST_THREADS);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
