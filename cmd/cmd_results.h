/* What report and plot have in common: which sweeps to read, and options that name settings. */
#ifndef PL_CMD_RESULTS_H
#define PL_CMD_RESULTS_H

#include "cmd.h"
#include "report/report.h"

/* Opens the database and calls each for every sweep that --study, or else the last launch, names. A sweep without
 * results is noted. Typed conditions are first compared with all of these sweeps: what one of them has, another may
 * lack. each returns an exit code; the worst one is returned. */
int pl_cmd_each_sweep(const struct pl_args *args, struct pl_condition *where, size_t where_count,
                      int (*each)(void *self, struct pl_results *results), void *self);

/* The same for the newest sweep of every study of the database, without those that have recorded nothing yet. No
 * database at the place where one usually is means that there are none. */
int pl_cmd_each_study(const struct pl_args *args, int (*each)(void *self, struct pl_results *results), void *self);

void pl_cmd_read_select(const struct pl_args *args, enum pl_select *select);
/* --best, --over and --by, which act on declared tables as well; best is 0 where nothing is chosen. What they point to
 * is the caller's. */
bool pl_cmd_read_choice(const struct pl_args *args, struct pl_selection *choice);
/* --labels, in the order they are given; prints what is wrong and returns false. pl_labels_release frees them. */
bool pl_cmd_read_labels(const struct pl_args *args, struct pl_labels *labels);
/* Which of them these results have something for, added to met (of labels->count); and, when all results have been
 * seen, a note on those that are for nothing. */
void pl_cmd_meet_labels(const struct pl_labels *labels, const struct pl_results *results, bool *met);
void pl_cmd_note_labels(const struct pl_args *args, const struct pl_labels *labels, const bool *met);
/* --labels, --unit, --caption and --label of tables. What they point to is the caller's. */
bool pl_cmd_read_look(const struct pl_args *args, struct pl_table_spec *table, bool *any_unit);
/* --target METRIC=NUMBER; its metric is the caller's, NULL where it is not given. */
bool pl_cmd_read_target(const struct pl_args *args, struct pl_target *target);
/* Which of some words an option has, which takes no others. */
int pl_cmd_word_of(const char *word, const char *const *names, int count);
/* All uses of --where. Prints what is wrong and returns false. */
bool pl_cmd_read_where(const struct pl_args *args, struct pl_condition **where, size_t *count);
/* Both lists in a new one (free it), which points to the same keys and values; NULL when both are empty. */
struct pl_condition *pl_cmd_join_where(const struct pl_condition *a, size_t a_count, const struct pl_condition *b,
                                       size_t b_count);

#endif
