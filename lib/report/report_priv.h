/* What the files of lib/report share. */
#ifndef PL_REPORT_PRIV_H
#define PL_REPORT_PRIV_H

#include "report/report.h"
#include "statistics/statistics.h"

/* A table as the writers take it: a full grid of rows and columns, cells row by row. It owns all it points to. */
struct pl_label {
    bool present; /* false: the configurations have no such setting */
    struct pl_value value;
    const char *brief; /* what people are shown in its place, or NULL */
    bool named;        /* brief is a text that the table has for it */
};

struct pl_table_cell {
    bool present;  /* the grid has such a configuration */
    size_t config; /* its position in the results while the table is built */
    bool best;
    struct pl_summary summary;
    double criterion;   /* of a table with select: what the configuration was chosen by; NaN: no value */
    double p, adjusted; /* of its difference from the best cell of its task, where the table compares; NaN: no test */
    bool alike;         /* it cannot be told from the best */
};

/* What a table with select has chosen. */
struct pl_table_selection {
    int best;     /* 0: the table has no select */
    char *metric; /* the criterion */
    enum pl_select select;
    bool validation; /* it is the metric that validates the runs */
    const char **over;
    size_t over_count;
    struct pl_label *chosen; /* for each cell the values of over; present as far as the configuration has them */
};

struct pl_table {
    char *study, *title, *metric;
    const char *cell;
    enum pl_value_unit unit;
    char *caption, *label; /* or NULL */
    struct pl_labels labels;
    enum pl_select select;
    enum pl_direction direction;
    bool stops;               /* some of its runs were stopped early */
    bool works;               /* some are at work */
    bool timed, target_is_up; /* the metric is a time to the target: reached from below */
    struct pl_target target;  /* where it is timed; the metric belongs to the pool */
    int decimals;             /* -1: four significant digits in every cell */
    const char **row_keys, **column_keys;
    size_t row_key_count, column_key_count;
    struct pl_label *rows, *columns; /* row_key_count (column_key_count) labels for each */
    size_t row_count, column_count;
    struct pl_table_cell *cells;
    double *values; /* what the summaries point into */
    int64_t *seeds;
    struct pl_test_spec compare; /* as its cells were compared; unless it is wanted they were not */
    struct pl_table_selection selection;
    struct pl_text notes; /* a sentence a line */
    struct pl_pool pool;
};

/* What a table is built from. */
enum { PL_TABLE_KEYS = 64 };
struct pl_table_plan {
    struct pl_results *results;
    size_t *configs;
    size_t config_count;
    size_t keys[PL_TABLE_KEYS]; /* row keys, then column keys */
    size_t row_keys, column_keys;
    /* Of a table with select, else NULL: */
    struct pl_choice *choice;
    const struct pl_rival **rivals; /* for each configuration */
    size_t over[PL_TABLE_KEYS];
    size_t over_count;
};

/* Ranks the configurations by the table's select, keeps the best, and makes their places a setting of the results
 * (PL_RANK_KEY) until pl_selection_end. The table's own metric is loaded afterwards. */
int pl_selection_begin(struct pl_table_plan *plan, const struct pl_table_spec *spec, const struct pl_table *table,
                       struct pl_error *err);
void pl_selection_end(struct pl_table_plan *plan);
/* Writes down in the table what was chosen and by what; notes say it. */
void pl_selection_note(const struct pl_table_plan *plan, const struct pl_table_spec *spec, struct pl_table *table);
/* "test" or "validation" where the criterion was measured there, else NULL. */
const char *pl_selection_set(const struct pl_table *table);

/* Notes below the table what is behind its cells: how they were made, what has not finished, where the runs come from.
 * Loads other metrics. */
int pl_table_remark(const struct pl_table_plan *plan, struct pl_table *table, struct pl_error *err);

/* The text of a label: the value, or "-" where the setting is absent. */
void pl_label_write(const struct pl_label *label, struct pl_text *out);
/* "best test_accuracy", "best test_accuracy (%)", "epochs_to_target (test_accuracy >= 0.9)". */
void pl_table_value_name(const struct pl_table *table, struct pl_text *out);
/* The same at the head of a column, without the target. */
void pl_table_value_heading(const struct pl_table *table, struct pl_text *out);
/* One line that says what the table shows. */
void pl_table_caption(const struct pl_table *table, struct pl_text *out);
/* A cell's number part ("92.31(0.12)", empty when n is 0) and its notes ("n=2 div 1/3"). */
void pl_table_cell_number(const struct pl_table *table, const struct pl_table_cell *cell, struct pl_text *out);
void pl_table_cell_notes(const struct pl_table_cell *cell, struct pl_text *out);
/* What people are shown in place of the name of a setting or metric. */
const char *pl_table_shown(const struct pl_table *table, const char *name);
/* A value in the unit of the table. */
double pl_table_shown_value(const struct pl_table *table, double value);
double pl_unit_shown(enum pl_value_unit unit, double value);
/* Whether what heads values must say that they are percent: it does not say so itself. */
bool pl_unit_is_to_be_said(enum pl_value_unit unit, const char *heading);
/* Percent are shown of shares alone: PL_EINPUT for times, and where one of the values (NaN: none) is outside of [0, 1].
 */
int pl_unit_check(enum pl_value_unit unit, const char *metric, const char *study, const double *values, size_t count,
                  struct pl_error *err);
/* What stands beside the mean of a cell, in the unit of the values: its deviation, standard error or half its interval;
 * NaN where fewer than two values say. */
double pl_table_cell_spread(const struct pl_table *table, const struct pl_table_cell *cell);
/* ",sem" or ",ci95" where records have a column for it beside that of the deviation; else "". */
const char *pl_table_spread_column(const struct pl_table *table);
/* The value that a cell is judged by: mean, median, ...; NaN when it has none. */
double pl_table_cell_value(const struct pl_table *table, const struct pl_table_cell *cell);

/* The value it competes with, so that more is better: none (NaN) where a run diverged, whatever the others reached. */
double pl_table_contender(const struct pl_table *table, const struct pl_table_cell *cell);

/* ---- tasks and methods ---- */

/* Does a setting of that name say what is solved (dataset, model, problem ...)? All others say how: the method. */
bool pl_table_says_task(const char *key);
/* Number the cells of a table by their task (by their method), and return how many numbers there are, used or not. Two
 * cells that agree in both are one. */
size_t pl_table_tasks(const struct pl_table *table, size_t *tasks);
size_t pl_table_methods(const struct pl_table *table, size_t *methods);
/* Appends what a cell's task (or method) is called: "cifar10, vgg11", "adam, lambda=0.1"; nothing where nothing says.
 */
void pl_table_name(const struct pl_table *table, size_t cell, bool of_task, struct pl_text *out);

/* Do two columns agree in the first of their settings, up to that one? Then they share its heading. */
bool pl_table_same_above(const struct pl_table *table, size_t a, size_t b, size_t key);

/* ---- tests ---- */

/* One test of two cells; pairs are made of equal seeds. n receives how many values (pairs) each side has at least. */
void pl_cells_test(const struct pl_table_cell *a, const struct pl_table_cell *b, enum pl_test_kind kind,
                   struct pl_test *test, size_t *n);
/* Adjusts count p values as wanted. */
void pl_tests_correct(double *p, size_t count, enum pl_correction correct);
/* Compares the cells of each task with the best one, marks those that cannot be told from it, and notes how. */
void pl_table_compare(struct pl_table *table, const struct pl_test_spec *spec);
/* Appends what such tests can see with n values: of tests, so many that are corrected together. Nothing from ten on. */
void pl_tests_note_power(const struct pl_test_spec *spec, size_t n, size_t tests, struct pl_text *notes);
/* "Welch's t test", ... */
const char *pl_test_title(enum pl_test_kind kind);

/* ---- listings ---- */

/* A table of columns with names of its own, filled row by row. Records take the cells; people read what is shown. */
struct pl_listed {
    struct pl_cell cell;
    const char *shown; /* NULL: as the cell is */
};
struct pl_listing {
    const char *what; /* "pairs" */
    const char *study;
    struct pl_text caption, notes; /* notes: a sentence a line */
    const char **names;
    size_t columns, left;    /* so many of the columns hold texts */
    size_t shown;            /* columns that people see; the others are for records alone */
    struct pl_listed *cells; /* count of them: whole rows */
    size_t count, capacity;
    struct pl_pool pool;
};
/* An empty one. Texts are copied. */
struct pl_listing *pl_listing_new(const char *what, const char *study, const char *const *names, size_t columns,
                                  size_t left);
/* Append the next cell. Decimals are for people (as pl_report_number's); NaN is an empty cell, infinity is "never" to
 * people where it is one. */
void pl_listing_text(struct pl_listing *listing, const char *text);
void pl_listing_integer(struct pl_listing *listing, int64_t value);
void pl_listing_real(struct pl_listing *listing, double value, int decimals);
/* In texts it is shown in its unit, with decimals of that; in csv and json it is as it is. */
void pl_listing_value(struct pl_listing *listing, double value, enum pl_value_unit unit, int decimals);
size_t pl_listing_rows(const struct pl_listing *listing);

/* ---- comparisons ---- */

struct pl_compared_cell {
    struct pl_sample ours, theirs; /* in the unit of the printed table */
    struct pl_summary summary;     /* of our configuration, without its values; planned is 0 where there is none */
    struct pl_interval interval;
    enum pl_verdict verdict;
    char *amount; /* of network, data and training behind ours, as words: the same where they are; NULL: none of ours */
    bool other;   /* ours is the best with the settings of row and column, as none has those of the cell itself */
};

/* How far ours and the printed means of one column (or row) are in the same order. */
struct pl_agreement {
    size_t count;      /* cells that have both */
    size_t pairs;      /* of them that both order */
    double tau, share; /* Kendall's tau-b, and the share of those pairs in the same order; NaN: nothing to compare */
};

struct pl_comparison {
    char *study, *metric, *source;
    enum pl_select select;
    const struct pl_published_table *published;
    double level;
    bool ranked;
    int mean_digits, deviation_digits;
    struct pl_compared_cell *cells;  /* as the published table has them */
    bool by_row;                     /* orders are compared along the rows of the table, which tell its tasks apart */
    struct pl_agreement *agreements; /* of each column, or of each row */
};
/* Fills agreements from the cells. */
void pl_compared_agree(struct pl_comparison *comparison);
size_t pl_agreement_count(const struct pl_comparison *comparison);
/* The one that a cell belongs to, and what the line that was compared is called. */
const struct pl_agreement *pl_agreement_of(const struct pl_comparison *comparison, size_t cell);
const char *pl_agreement_name(const struct pl_comparison *comparison, size_t index);

size_t pl_comparison_count(const struct pl_comparison *comparison, enum pl_verdict verdict);
/* What stands behind a cell; nothing for PL_ALIKE. */
const char *pl_verdict_name(enum pl_verdict verdict);

/* ---- what is written, whatever as ---- */

/* A number in full precision, or what stands for none. */
void pl_finite_add(struct pl_text *out, double value, const char *otherwise);

/* Of comparisons: a line for each cell of the published table. */
enum { PL_COMPARED_COLUMNS = 7 };
extern const char *const pl_compared_headings[PL_COMPARED_COLUMNS];
const char *pl_compared_row(const struct pl_comparison *c, size_t cell);
const char *pl_compared_column(const struct pl_comparison *c, size_t cell);
size_t pl_compared_count(const struct pl_comparison *c);
/* The texts of a line, each to be freed; NULL where there is nothing. */
void pl_compared_line(const struct pl_comparison *c, size_t index, char **texts);
void pl_compared_caption(const struct pl_comparison *c, struct pl_text *out);
/* What it comes to, and what is known about the printed numbers: a sentence a line. */
void pl_compared_notes(const struct pl_comparison *c, struct pl_text *notes);

#endif
