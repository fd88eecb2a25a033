#include "optim/optim_priv.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* Fewer blocks than this take less time than waking a thread. */
enum { SHORT = 16 };

void pl_optim_parallel(int threads, size_t count, void (*body)(void *self, size_t from, size_t to), void *self)
{
#ifdef _OPENMP
    if (threads > 1 && count >= SHORT) {
#pragma omp parallel num_threads(threads)
        {
            size_t n = (size_t)omp_get_num_threads(), i = (size_t)omp_get_thread_num();
            body(self, count * i / n, count * (i + 1) / n);
        }
        return;
    }
#endif
    (void)threads;
    body(self, 0, count);
}
