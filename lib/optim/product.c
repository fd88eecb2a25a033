/* Products of matrices: four rows and as many columns as a vector of 64 bytes holds at a time, their sums in registers.
 */
#include "optim/kernel.h"

#include <string.h>

enum { ROWS = 4, WIDTH = 64 / sizeof(real) };
typedef real columns __attribute__((vector_size(64)));

static inline __attribute__((always_inline)) void load(columns *x, const real *from, size_t count)
{
    *x = (columns){0};
    memcpy(x, from, count * sizeof *from);
}

/* Rows [0, ROWS) of the product, in width columns. */
static inline __attribute__((always_inline)) void whole_tile(const struct pl_product *p, const real *a, const real *b,
                                                             real *c, size_t width)
{
    columns sums[ROWS] = {{0}};
    for (size_t k = 0; k < p->inner; k++) {
        columns x;
        load(&x, b + k * p->columns, width);
        for (size_t r = 0; r < ROWS; r++)
            sums[r] += a[r * p->inner + k] * x;
    }
    for (size_t r = 0; r < ROWS; r++)
        memcpy(c + r * p->columns, &sums[r], width * sizeof *c);
}

static void single_row(const struct pl_product *p, const real *a, const real *b, real *c, size_t width)
{
    columns sum = {0};
    for (size_t k = 0; k < p->inner; k++) {
        columns x;
        load(&x, b + k * p->columns, width);
        sum += a[k] * x;
    }
    memcpy(c, &sum, width * sizeof *c);
}

/* Groups [from, to) of PL_PRODUCT_ROWS rows. */
void KERNEL(pl_product_part)(const struct pl_product *p, size_t from, size_t to)
{
    const real *a = p->a, *b = p->b;
    real *c = p->c;
    const size_t first = from * PL_PRODUCT_ROWS, end = to * PL_PRODUCT_ROWS < p->rows ? to * PL_PRODUCT_ROWS : p->rows;
    for (size_t column = 0; column < p->columns; column += WIDTH) {
        size_t width = p->columns - column < WIDTH ? p->columns - column : WIDTH, row = first;
        for (; row + ROWS <= end; row += ROWS)
            if (width == WIDTH)
                whole_tile(p, a + row * p->inner, b + column, c + row * p->columns + column, WIDTH);
            else
                whole_tile(p, a + row * p->inner, b + column, c + row * p->columns + column, width);
        for (; row < end; row++)
            single_row(p, a + row * p->inner, b + column, c + row * p->columns + column, width);
    }
}
