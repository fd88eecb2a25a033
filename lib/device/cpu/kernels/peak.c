/* What the machine can give: the limits that measurements are compared with. */
#include "device/cpu/kernels/table.h"

enum { CHAINS = 12, ROUNDS = 100000 }; /* more independent sums than a multiply-add takes cycles, twice over */

/* 2 * LANES * CHAINS operations a round; the result keeps the compiler from leaving them out. */
static __attribute__((noinline)) float multiply_adds(float start)
{
    vec sum[CHAINS], x = splat(start), y = splat(0.5f);
    UNROLL_FOR (int i = 0; i < CHAINS; i++)
        sum[i] = splat((float)i);
    for (int round = 0; round < ROUNDS; round++) {
        UNROLL_FOR (int i = 0; i < CHAINS; i++)
            sum[i] = sum[i] * y + x;
    }
    vec total = sum[0];
    UNROLL_FOR (int i = 1; i < CHAINS; i++)
        total += sum[i];
    return total[0];
}

struct peak {
    double seconds;
    _Atomic int begun; /* threads */
    _Atomic double rate;
};

/* A thread's own rate, the best of its rounds. All compute at the same time: each waits until the others have come, but
 * no longer than it then measures. */
static void peak_part(void *self, size_t from, size_t to, int thread)
{
    struct peak *p = self;
    (void)thread;
    for (size_t part = from; part < to; part++) {
        float value = 0;
        double best = 0, begin = pl_clock_steady(), now = begin;
        for (p->begun--; p->begun > 0 && now - begin < p->seconds;)
            now = pl_clock_steady();
        for (begin = now; now - begin < p->seconds;) {
            value += multiply_adds(value);
            const double after = pl_clock_steady();
            const double gflops = 2e-9 * LANES * CHAINS * ROUNDS / (after - now);
            best = gflops > best && value != 1 ? gflops : best;
            now = after;
        }
        p->rate += best;
    }
}

double PL_CPU_NAME(peak)(double seconds, int threads)
{
    const int parts = pl_cpu_min(threads, pl_host_cores());
    struct peak p = {.seconds = seconds, .begun = parts};
    pl_parallel(parts, (size_t)parts, 1, peak_part, &p);
    return p.rate;
}

struct stream {
    float *from, *to;
};

static void stream_part(void *self, size_t from, size_t to, int thread)
{
    const struct stream *s = self;
    (void)thread;
    for (size_t i = from * LANES; i < to * LANES; i += LANES)
        store(s->to + i, load(s->from + i) * 0.5f);
}

double PL_CPU_NAME(bandwidth)(float *buffer, size_t count, int threads)
{
    const size_t half = count / 2 / 16 * 16;
    double best = 0;
    struct stream s = {buffer, buffer + half};
    for (int round = 0; round < 5; round++) {
        const double begin = pl_clock_steady();
        pl_parallel(threads, half / LANES, 0, stream_part, &s);
        const double rate = 2e-9 * (double)(half * sizeof *buffer) / (pl_clock_steady() - begin);
        best = rate > best ? rate : best;
    }
    return best;
}
