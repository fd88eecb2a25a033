/* Listings: what statistics say, a line each. */
#include "report/report_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pl_listing *pl_listing_new(const char *what, const char *study, const char *const *names, size_t columns,
                                  size_t left)
{
    struct pl_listing *l = pl_new(sizeof *l);
    l->what = pl_pool_copy(&l->pool, what);
    l->study = pl_pool_copy(&l->pool, study);
    l->names = pl_new((columns + 1) * sizeof *l->names);
    for (size_t i = 0; i < columns; i++)
        l->names[i] = pl_pool_copy(&l->pool, names[i]);
    l->columns = columns;
    l->left = left;
    l->shown = columns;
    return l;
}

void pl_listing_free(struct pl_listing *l)
{
    if (!l)
        return;
    free(l->names);
    free(l->cells);
    pl_text_release(&l->caption);
    pl_text_release(&l->notes);
    pl_pool_release(&l->pool);
    free(l);
}

static void add(struct pl_listing *l, struct pl_listed cell)
{
    void *cells = l->cells;
    pl_grow(&cells, &l->capacity, l->count + 1, sizeof *l->cells);
    l->cells = cells;
    l->cells[l->count++] = cell;
}

void pl_listing_text(struct pl_listing *l, const char *text)
{
    const char *copy = pl_pool_copy(&l->pool, text);
    add(l, (struct pl_listed){{.kind = PL_CELL_TEXT, .text = copy, .length = strlen(copy)}, copy});
}

void pl_listing_integer(struct pl_listing *l, int64_t value)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%lld", (long long)value);
    const char *copy = pl_pool_copy(&l->pool, digits);
    add(l, (struct pl_listed){{.kind = PL_CELL_INTEGER, .integer = value, .text = copy, .length = strlen(copy)}, copy});
}

void pl_listing_value(struct pl_listing *l, double value, enum pl_value_unit unit, int decimals)
{
    struct pl_text exact = {0}, shown = {0};
    if (isnan(value)) {
        add(l, (struct pl_listed){{.kind = PL_CELL_NULL, .text = ""}, ""});
        return;
    }
    pl_text_add_number(&exact, value);
    if (isinf(value))
        pl_text_add(&shown, value > 0 ? "never" : "-inf");
    else
        pl_report_number(pl_unit_shown(unit, value), decimals, &shown);
    add(l, (struct pl_listed){{.kind = PL_CELL_REAL,
                               .real = value,
                               .text = pl_pool_copy(&l->pool, pl_text(&exact)),
                               .length = exact.length},
                              pl_pool_copy(&l->pool, pl_text(&shown))});
    pl_text_release(&exact);
    pl_text_release(&shown);
}

void pl_listing_real(struct pl_listing *l, double value, int decimals)
{
    pl_listing_value(l, value, PL_UNIT_PLAIN, decimals);
}

size_t pl_listing_rows(const struct pl_listing *l)
{
    return l->count / l->columns;
}
