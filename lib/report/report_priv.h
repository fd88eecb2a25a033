/* What the files of lib/report share. */
#ifndef PL_REPORT_PRIV_H
#define PL_REPORT_PRIV_H

#include "report/report.h"

/* A table as the writers take it: a full grid of rows and columns, cells row by row. It owns all it points to. */
struct pl_label {
    bool present; /* false: the configurations have no such setting */
    struct pl_value value;
};

struct pl_table_cell {
    bool present; /* the grid has such a configuration */
    bool best;
    struct pl_summary summary;
    double criterion; /* of a table with select: what the configuration was chosen by; NaN: no value */
};

/* What a table with select has chosen. */
struct pl_table_selection {
    int best;             /* 0: the table has no select */
    char *metric;         /* the criterion */
    enum pl_select select;
    bool validation;      /* it is the metric that validates the runs */
    const char **over;
    size_t over_count;
    struct pl_label *chosen; /* for each cell the values of over; present as far as the configuration has them */
};

struct pl_table {
    char *study, *title, *metric, *cell;
    enum pl_select select;
    enum pl_direction direction;
    int decimals; /* -1: four significant digits in every cell */
    const char **row_keys, **column_keys;
    size_t row_key_count, column_key_count;
    struct pl_label *rows, *columns; /* row_key_count (column_key_count) labels for each */
    size_t row_count, column_count;
    struct pl_table_cell *cells;
    double *values; /* what the summaries point into */
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

/* The text of a label: the value, or "-" where the setting is absent. */
void pl_label_write(const struct pl_label *label, struct pl_text *out);
/* One line that says what the table shows. */
void pl_table_caption(const struct pl_table *table, struct pl_text *out);
/* A cell's number part ("92.31(0.12)", empty when n is 0) and its notes ("n=2 div 1/3"). */
void pl_cell_number(const struct pl_table *table, const struct pl_table_cell *cell, struct pl_text *out);
void pl_cell_notes(const struct pl_table_cell *cell, struct pl_text *out);
/* The value that a cell is judged by: mean, median, ...; NaN when it has none. */
double pl_cell_value(const struct pl_table *table, const struct pl_table_cell *cell);

/* ---- comparisons ---- */

struct pl_compared_cell {
    struct pl_sample ours, theirs; /* in the unit of the printed table */
    struct pl_summary summary;     /* of our configuration, without its values; planned is 0 where there is none */
    struct pl_interval interval;
    enum pl_verdict verdict;
};

struct pl_comparison {
    char *study, *metric, *source;
    enum pl_select select;
    const struct pl_published_table *published;
    double level;
    int mean_digits, deviation_digits;
    struct pl_compared_cell *cells; /* as the published table has them */
};

size_t pl_comparison_count(const struct pl_comparison *comparison, enum pl_verdict verdict);
/* What stands behind a cell; nothing for PL_ALIKE. */
const char *pl_verdict_name(enum pl_verdict verdict);

/* ---- writing ---- */

/* Text for people, within a line of a terminal or of Markdown. */
void pl_person_add(struct pl_text *out, const char *text, bool markdown);

/* A block of texts, row by row, each owned and written as it is; NULL is empty. */
struct pl_sheet {
    bool markdown;               /* which has one heading row */
    char **texts;
    size_t rows, columns, heads; /* heads: how many of the rows are headings */
    size_t left;                 /* columns that are aligned left: the row labels */
};
void pl_sheet_init(struct pl_sheet *sheet, bool markdown, size_t heads, size_t rows, size_t columns, size_t left);
char **pl_sheet_at(const struct pl_sheet *sheet, size_t row, size_t column);
/* Sets a text, escaped: whatever is not made by this program. */
void pl_sheet_put(const struct pl_sheet *sheet, size_t row, size_t column, const char *text);
void pl_sheet_release(struct pl_sheet *sheet);
/* Columns stand under each other by their width on the screen. */
void pl_sheet_write(const struct pl_sheet *sheet, struct pl_text *out);
/* Notes, a sentence a line, escaped; in Markdown a list. */
void pl_notes_add(const struct pl_text *notes, bool markdown, struct pl_text *out);
/* A cell's number in math mode. */
void pl_latex_add_number(struct pl_text *out, const char *text);
/* A floating table: caption and notes, the columns as tabular takes them, and the lines between the outer rules. */
void pl_latex_write_float(const char *caption, const struct pl_text *notes, const char *columns, const char *lines,
                          struct pl_text *out);
/* A number in full precision, or what stands for none. */
void pl_finite_add(struct pl_text *out, double value, const char *otherwise);

void pl_table_write_text(const struct pl_table *table, struct pl_text *out);
void pl_table_write_markdown(const struct pl_table *table, struct pl_text *out);
void pl_table_write_latex(const struct pl_table *table, struct pl_text *out);
void pl_table_write_csv(const struct pl_table *table, struct pl_text *out);
void pl_table_write_json(const struct pl_table *table, struct pl_text *out);

#endif
