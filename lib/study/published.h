/* published: tables of printed means and deviations, each cell with the settings of the runs behind it
 * (docs/reports.md, "Comparing"). lib/spec reads them from a file (pl_published_load). */
#ifndef PL_STUDY_PUBLISHED_H
#define PL_STUDY_PUBLISHED_H

#include "study/condition.h"

/* A printed cell, and the settings of the runs behind it. */
struct pl_published_cell {
    double mean, deviation;            /* NaN: not printed */
    int mean_digits, deviation_digits; /* decimals that are printed */
    char *note;                        /* or NULL */
    struct pl_condition *where;        /* one value each */
    size_t where_count;
};

struct pl_published_table {
    char *name, *title;     /* title may be NULL */
    double unit;            /* a printed 1 is that much of the metric: 0.01 for percent */
    int64_t runs;           /* behind each cell */
    char **rows, **columns; /* their names */
    char **row_notes;       /* each may be NULL */
    char **notes;
    size_t row_count, column_count, note_count;
    struct pl_published_cell *cells; /* row by row */
};

struct pl_published {
    const char *name;
    struct pl_published_table *tables; /* each name once */
    size_t count;
    struct pl_pool pool; /* holds all of it */
};

void pl_published_free(struct pl_published *published);
/* The table of that name, or NULL. */
const struct pl_published_table *pl_published_find(const struct pl_published *published, const char *name);

#endif
