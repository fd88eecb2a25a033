/* Comparisons with published numbers: is the order the same? A replication that is smaller than its original has other
 * values throughout, and may find the same methods ahead all the same. */
#include "report/report_priv.h"
#include "statistics/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct pl_condition *task_condition(const struct pl_published_cell *cell, size_t *from)
{
    for (; *from < cell->where_count; ++*from)
        if (pl_train_roles(cell->where[*from].key) & PL_SAYS_TASK)
            return &cell->where[(*from)++];
    return NULL;
}

/* Do two cells solve the same task, as far as their settings say? */
static bool same_task(const struct pl_published_cell *a, const struct pl_published_cell *b)
{
    const struct pl_condition *x;
    size_t from = 0, there = 0, here = 0;
    while ((x = task_condition(a, &from))) {
        bool met = false;
        for (size_t i = 0; i < b->where_count && !met; i++)
            met = !strcmp(b->where[i].key, x->key) && pl_condition_admits(&b->where[i], x->values);
        if (!met)
            return false;
        here++;
    }
    for (from = 0; task_condition(b, &from);)
        there++;
    return here == there;
}

/* Where the rows alone tell tasks apart, what is compared stands in a row. */
static bool goes_by_row(const struct pl_published_table *table)
{
    bool rows_part = false, columns_part = false;
    for (size_t r = 0; r < table->row_count; r++)
        for (size_t k = 0; k < table->column_count; k++) {
            const struct pl_published_cell *cell = &table->cells[r * table->column_count + k];
            rows_part = rows_part || !same_task(cell, &table->cells[k]);
            columns_part = columns_part || !same_task(cell, &table->cells[r * table->column_count]);
        }
    return rows_part && !columns_part;
}

size_t pl_agreement_count(const struct pl_comparison *c)
{
    return c->by_row ? c->published->row_count : c->published->column_count;
}

const char *pl_agreement_name(const struct pl_comparison *c, size_t index)
{
    return c->by_row ? c->published->rows[index] : c->published->columns[index];
}

const struct pl_agreement *pl_agreement_of(const struct pl_comparison *c, size_t cell)
{
    size_t columns = c->published->column_count;
    return &c->agreements[c->by_row ? cell / columns : cell % columns];
}

static void agree(const struct pl_comparison *c, struct pl_agreement *agreement, double *ours, double *theirs)
{
    *agreement = (struct pl_agreement){.tau = NAN, .share = NAN};
    for (size_t i = 0; i < pl_compared_count(c); i++)
        if (pl_agreement_of(c, i) == agreement && !isnan(c->cells[i].ours.mean) && !isnan(c->cells[i].theirs.mean)) {
            ours[agreement->count] = c->cells[i].ours.mean;
            theirs[agreement->count++] = c->cells[i].theirs.mean;
        }
    for (size_t i = 0; i < agreement->count; i++)
        for (size_t k = 0; k < i; k++)
            agreement->pairs += ours[i] != ours[k] && theirs[i] != theirs[k];
    if (!agreement->pairs)
        return;
    agreement->tau = pl_kendall(ours, theirs, agreement->count);
    agreement->share = pl_same_order(ours, theirs, agreement->count);
}

void pl_compared_agree(struct pl_comparison *c)
{
    double *ours = pl_new((pl_compared_count(c) + 1) * sizeof *ours);
    double *theirs = pl_new((pl_compared_count(c) + 1) * sizeof *theirs);
    c->by_row = goes_by_row(c->published);
    c->agreements = pl_new((pl_agreement_count(c) + 1) * sizeof *c->agreements);
    for (size_t i = 0; i < pl_agreement_count(c); i++)
        agree(c, &c->agreements[i], ours, theirs);
    free(ours);
    free(theirs);
}
