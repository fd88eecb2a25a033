/* published: tables of printed means and deviations, each cell with the settings of the runs behind it, and what their
 * text claims of them (docs/reports.md, "Beside published numbers", "Claims"). lib/spec reads them from a file
 * (pl_published_load). */
#ifndef PL_STUDY_PUBLISHED_H
#define PL_STUDY_PUBLISHED_H

#include "study/condition.h"

/* A printed cell, and the settings of the runs behind it. */
struct pl_published_cell {
    double mean, deviation;            /* NaN: not printed */
    int mean_digits, deviation_digits; /* decimals that are printed */
    char *note;                        /* or NULL */
    struct pl_condition *where;        /* one value each: of its row, of its column, then its own */
    size_t where_count, shared_count;  /* so many are those of its row and column */
};

struct pl_published_table {
    char *name, *title;     /* title may be NULL */
    double unit;            /* a printed 1 is that much of the metric: 0.01 for percent */
    int64_t runs;           /* behind each cell */
    char **rows, **columns; /* their names */
    char **row_notes;       /* each may be NULL */
    int64_t *ranks;         /* of each row: it is the so-many best of a search; 1: the best */
    char **notes;
    size_t row_count, column_count, note_count;
    struct pl_published_cell *cells; /* row by row */
};

/* A row or a column of a table. */
struct pl_published_line {
    const struct pl_published_table *table;
    bool is_column;
    size_t index;
};

/* A sentence, and what would have to be so in tables: that each line ahead has better values than each line behind, or
 * that all of them are alike, in some of the columns (of rows; of columns, in some of the rows). */
struct pl_published_claim {
    char *name, *sentence, *place, *note;     /* place, note: NULL where there is none */
    bool alike, lower;                        /* lower: what is lower is better */
    struct pl_published_line *ahead, *behind; /* alike: all are ahead */
    size_t ahead_count, behind_count;
    char **among; /* the names of the columns (rows) that are meant */
    size_t among_count;
};

struct pl_published {
    const char *name;
    struct pl_published_table *tables; /* each name once */
    size_t count;
    struct pl_published_claim *claims; /* each name once */
    size_t claim_count;
    struct pl_pool pool; /* holds all of it */
};

void pl_published_free(struct pl_published *published);
/* The table of that name, or NULL. */
const struct pl_published_table *pl_published_find(const struct pl_published *published, const char *name);

/* The cell of a line in the column (row) of that name, or NULL where its table has none. */
const struct pl_published_cell *pl_published_cell_of(const struct pl_published_line *line, const char *name);
const char *pl_published_line_name(const struct pl_published_line *line);

#endif
