#include "optim/optim_priv.h"

/* Fewer blocks than this take less time than waking a thread. */
enum { SHORT = 16 };
static const size_t few_multiplications = 1 << 16; /* likewise */

void pl_optim_parallel(int threads, size_t blocks, pl_parallel_body *body, void *self)
{
    pl_parallel(blocks < SHORT ? 1 : threads, blocks, 0, body, self);
}

void pl_product_parallel(int threads, const struct pl_product *p, pl_parallel_body *body, void *self)
{
    bool few = p->rows * p->inner * p->columns < few_multiplications;
    pl_parallel(few ? 1 : threads, (p->rows + PL_PRODUCT_ROWS - 1) / PL_PRODUCT_ROWS, 0, body, self);
}
