#include "optim/optim_priv.h"

/* Fewer blocks than this take less time than waking a thread. */
enum { SHORT = 16 };

void pl_optim_parallel(int threads, size_t blocks, pl_parallel_body *body, void *self)
{
    pl_parallel(blocks < SHORT ? 1 : threads, blocks, 0, body, self);
}
