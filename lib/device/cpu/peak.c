/* What the machine can give: the limits that measurements are compared with. */
#include "device/cpu/kernels.h"

enum { CHAINS = 12, ROUNDS = 100000 }; /* more independent sums than a multiply-add takes cycles, twice over */

/* 2 * LANES * CHAINS operations a round; the result keeps the compiler from leaving them out. */
static __attribute__((noinline)) float multiply_adds(float start)
{
    vec sum[CHAINS], x = splat(start), y = splat(0.5f);
    UNROLL for (int i = 0; i < CHAINS; i++)
        sum[i] = splat((float)i);
    for (int round = 0; round < ROUNDS; round++) {
        UNROLL for (int i = 0; i < CHAINS; i++)
            sum[i] = sum[i] * y + x;
    }
    vec total = sum[0];
    UNROLL for (int i = 1; i < CHAINS; i++)
        total += sum[i];
    return total[0];
}

double PL_CPU_NAME(peak)(double seconds, int threads)
{
    double rate = 0;
#pragma omp parallel num_threads(threads) reduction(+ : rate)
    {
        const double begin = pl_clock_steady();
        double now = begin, best = 0;
        float value = 0;
#pragma omp barrier
        while (now - begin < seconds) {
            value += multiply_adds(value);
            const double after = pl_clock_steady();
            const double gflops = 2e-9 * LANES * CHAINS * ROUNDS / (after - now);
            best = gflops > best && value != 1 ? gflops : best;
            now = after;
        }
        rate += best;
    }
    return rate;
}

double PL_CPU_NAME(bandwidth)(float *buffer, size_t count, int threads)
{
    const size_t half = count / 2 / 16 * 16;
    double best = 0;
    for (int round = 0; round < 5; round++) {
        const double begin = pl_clock_steady();
#pragma omp parallel for schedule(static) num_threads(threads)
        for (size_t i = 0; i < half; i += LANES)
            store(buffer + half + i, load(buffer + i) * 0.5f);
        const double rate = 2e-9 * (double)(half * sizeof *buffer) / (pl_clock_steady() - begin);
        best = rate > best ? rate : best;
    }
    return best;
}
