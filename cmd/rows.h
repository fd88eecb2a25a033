/* Answers of the database as text, Markdown, CSV or JSON.
 *
 * text and markdown show an absent value as NULL and numbers in their shortest exact spelling. csv leaves it empty
 * (an empty text is ""); json gives one array of objects per answer, null for an absent value, and the texts "inf"
 * and "-inf" for infinities, which JSON has no numbers for. Several answers are parted by an empty line. */
#ifndef PL_CMD_ROWS_H
#define PL_CMD_ROWS_H

#include "cmd.h"
#include "store/store.h"

#include <stdio.h>

enum pl_rows_format { PL_ROWS_TEXT, PL_ROWS_MARKDOWN, PL_ROWS_CSV, PL_ROWS_JSON };

struct pl_rows;

struct pl_rows *pl_rows_new(FILE *out, enum pl_rows_format format);
/* Writes what is left of the last answer. */
void pl_rows_end(struct pl_rows *rows);
/* The same format from an option --format. */
enum pl_rows_format pl_rows_format(const struct pl_args *args, const char *fallback);

/* For pl_store_query; rows is a struct pl_rows. They stop the query when out cannot be written. */
int pl_rows_head(void *rows, const char *const *names, size_t count);
int pl_rows_row(void *rows, const struct pl_cell *cells, size_t count);

/* Opens the command's database for reading, and says what is wrong. Returns the exit code. */
int pl_cmd_open(const struct pl_args *args, struct pl_store **store);
/* Runs SQL and prints the answers. Returns the exit code. */
int pl_cmd_answer(const struct pl_args *args, struct pl_store *store, const char *sql, FILE *out,
                 enum pl_rows_format format);
/* Finds the folder that a run of the command's database keeps its files in. */
int pl_cmd_run_folder(const struct pl_args *args, struct pl_store *store, const struct pl_run_info *info,
                      struct pl_text *folder, struct pl_error *err);
/* A text as SQL spells it, quotes included. */
void pl_cmd_add_sql_text(struct pl_text *sql, const char *text);

#endif
