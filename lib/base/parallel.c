/* The team sleeps and wakes on two words of memory (futexes).
 *
 * `gate` holds the number of the loop and how many threads may take part, none once the loop is over. A helper that
 * finds a new gate counts itself into `inside`, looks whether the gate is still the same, and only then reads the loop.
 * The caller shuts the gate when no task is left and waits until `inside` is zero: for those who are in the middle of a
 * piece, and for nobody else. As either side first writes its word and then reads the other's, one of them sees the
 * other. */
#include "base/parallel.h"

#include "base/host.h"
#include "base/number.h"

#include <limits.h>
#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    MOST = 256,    /* threads */
    GATE_BITS = 9, /* of the gate, for the number of threads */
    PIECES = 8,    /* of a thread's range, where the caller did not say how large they are */
    GLANCES = 16,  /* between two looks at the clock */
    STACK = 4 << 20,
};
static const double PATIENCE = 50e-6; /* seconds of looking for work before a thread sleeps; docs/performance.md */

/* What is left of the tasks that a thread begins with. */
struct range {
    _Alignas(64) atomic_size_t next;
    size_t end;
};

static struct {
    pthread_mutex_t lock; /* held by the caller of a loop */
    bool ready;
    int helpers, cores, assumed;
    double patience;  /* seconds, may be infinite */
    uint64_t glances; /* the same in turns of the waiting loop, where the user counted those */
    atomic_uint gate, inside, sleepers, waiting;
    /* of the loop; written while the gate is shut and nobody is inside */
    pl_parallel_body *body;
    void *self;
    size_t grain;
    int threads;
    struct range ranges[MOST];
} team = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local bool within; /* a loop's body runs on this thread */

/* ---- waiting */

static void sleep_on(atomic_uint *word, unsigned value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void wake(atomic_uint *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Looks at a word until it is (or is no longer) this value; false when patience was at its end. */
static bool watch(atomic_uint *word, unsigned value, bool same)
{
    double until = 0;
    for (uint64_t turns = 0;; turns++) {
        if ((atomic_load(word) == value) == same)
            return true;
        if (turns >= team.glances)
            return false;
        if (turns % GLANCES == 0 && isfinite(team.patience)) {
            double now = pl_clock_steady();
            if (!until)
                until = now + team.patience;
            if (now >= until)
                return false;
        }
        relax();
    }
}

/* ---- working */

static void work_on(int range, int thread)
{
    struct range *r = &team.ranges[range];
    const size_t grain = team.grain;
    for (;;) {
        /* looked at first, so that it never runs far beyond the end */
        if (atomic_load_explicit(&r->next, memory_order_relaxed) >= r->end)
            return;
        size_t from = atomic_fetch_add_explicit(&r->next, grain, memory_order_relaxed);
        if (from >= r->end)
            return;
        team.body(team.self, from, r->end - from < grain ? r->end : from + grain, thread);
    }
}

static void work(int thread)
{
    within = true;
    for (int i = 0; i < team.threads; i++)
        work_on((thread + i) % team.threads, thread);
    within = false;
}

static void leave(void)
{
    if (atomic_fetch_sub(&team.inside, 1) == 1 && atomic_load(&team.waiting))
        wake(&team.inside);
}

/* The gate when it is another one than `seen`. */
static unsigned next_gate(unsigned seen)
{
    if (!watch(&team.gate, seen, false)) {
        atomic_fetch_add(&team.sleepers, 1);
        while (atomic_load(&team.gate) == seen)
            sleep_on(&team.gate, seen);
        atomic_fetch_sub(&team.sleepers, 1);
    }
    return atomic_load(&team.gate);
}

static void *help(void *number)
{
    const int thread = (int)(intptr_t)number;
    for (unsigned seen = 0;;) {
        seen = next_gate(seen);
        if (thread >= (int)(seen & ((1U << GATE_BITS) - 1)))
            continue;
        atomic_fetch_add(&team.inside, 1);
        if (atomic_load(&team.gate) == seen)
            work(thread);
        leave();
    }
    return NULL;
}

/* ---- the team */

/* A forked child has no helpers, and its copy of the lock may be held by nobody. */
static void forget(void)
{
    pthread_mutex_init(&team.lock, NULL);
    team.helpers = 0;
    atomic_store(&team.inside, 0);
    atomic_store(&team.sleepers, 0);
    atomic_store(&team.waiting, 0);
    within = false;
}

/* How long to look for work, as OpenMP's libraries are told. */
static void read_patience(void)
{
    const char *count = getenv("GOMP_SPINCOUNT"), *block = getenv("KMP_BLOCKTIME"), *policy = getenv("OMP_WAIT_POLICY");
    int64_t number;
    team.patience = PATIENCE;
    team.glances = UINT64_MAX;
    if (count && (!strncasecmp(count, "infin", 5) || pl_count_read(count, &number))) {
        team.patience = INFINITY;
        if (strncasecmp(count, "infin", 5))
            team.glances = (uint64_t)number;
    } else if (block && !strncasecmp(block, "infin", 5)) {
        team.patience = INFINITY;
    } else if (block && pl_count_read(block, &number)) {
        team.patience = 1e-3 * (double)number;
    } else if (policy && !strcasecmp(policy, "active")) {
        team.patience = INFINITY;
    } else if (policy && !strcasecmp(policy, "passive")) {
        team.patience = 0;
    }
}

static void prepare(void)
{
    if (team.ready)
        return;
    pthread_atfork(NULL, NULL, forget);
    read_patience();
    team.cores = pl_host_cores();
    team.ready = true;
}

/* Starts what is missing of the helpers. Signals are for the program's own threads. */
static void hire(int helpers)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    if (team.helpers >= helpers)
        return;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    while (team.helpers < helpers && !pthread_create(&thread, &attributes, help, (void *)(intptr_t)(team.helpers + 1)))
        team.helpers++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

void pl_parallel_assume_cores(int cores)
{
    pthread_mutex_lock(&team.lock);
    team.assumed = cores;
    pthread_mutex_unlock(&team.lock);
}

/* How many threads there are for so many tasks. */
static int gather(int threads, size_t count)
{
    prepare();
    const int cores = team.assumed ? team.assumed : team.cores;
    threads = threads < cores ? threads : cores;
    threads = threads < MOST ? threads : MOST;
    threads = (size_t)threads < count ? threads : (int)count;
    hire(threads - 1);
    return threads <= team.helpers + 1 ? threads : team.helpers + 1;
}

static void share_out(int threads, size_t count, size_t grain)
{
    team.threads = threads;
    team.grain = grain ? grain : (count + (size_t)threads * PIECES - 1) / ((size_t)threads * PIECES);
    for (int i = 0; i < threads; i++) { /* without count * i, which might overflow */
        size_t share = count / (size_t)threads, rest = count % (size_t)threads,
               before = (size_t)i < rest ? (size_t)i : rest;
        atomic_store_explicit(&team.ranges[i].next, share * (size_t)i + before, memory_order_relaxed);
        team.ranges[i].end = share * (size_t)i + before + share + ((size_t)i < rest);
    }
}

void pl_parallel(int threads, size_t count, size_t grain, pl_parallel_body *body, void *self)
{
    if (!count)
        return;
    bool alone = threads <= 1 || count <= (grain ? grain : 1) || within || pthread_mutex_trylock(&team.lock);
    if (!alone && (threads = gather(threads, count)) == 1) {
        pthread_mutex_unlock(&team.lock);
        alone = true;
    }
    if (alone) {
        body(self, 0, count, 0);
        return;
    }
    team.body = body;
    team.self = self;
    share_out(threads, count, grain);
    const unsigned number = (atomic_load(&team.gate) >> GATE_BITS) + 1;
    atomic_store(&team.gate, number << GATE_BITS | (unsigned)threads);
    if (atomic_load(&team.sleepers))
        wake(&team.gate);
    work(0);
    atomic_store(&team.gate, number << GATE_BITS);
    if (!watch(&team.inside, 0, true)) {
        atomic_store(&team.waiting, 1);
        for (unsigned inside; (inside = atomic_load(&team.inside));)
            sleep_on(&team.inside, inside);
        atomic_store(&team.waiting, 0);
    }
    pthread_mutex_unlock(&team.lock);
}
