/* What the files of this folder share: how words, names and conditions of a declaration are read. Whatever is wrong is
 * complained about; what is returned then is marked as such. */
#ifndef PL_SPEC_DECLARING_H
#define PL_SPEC_DECLARING_H

#include "spec/read/reader.h"
#include "study/study.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* What reading a declaration needs. */
struct declaring {
    struct reader *reader;
    struct pl_study *study;
    bool lenient; /* the spec is read back: names of settings are believed */
    bool ranked;  /* the table or figure at hand has ranks beside settings */
};

/* Is it a mapping? Its keys are compared with the legal ones; what and example are for complaints. */
bool pl_declare_map(struct reader *reader, const struct node *map, const char *what, const char *example,
                    const char *const *legal, size_t count);
/* Index of a word in a list; -1 after a complaint. */
int pl_declare_word(struct reader *reader, const struct node *node, const char *what, const char *const *legal,
                    size_t count);
/* A title; of a scaled study it says so. */
char *pl_declare_title(struct declaring *d, const struct node *node);
/* "test_accuracy", or "best test_accuracy" where a selection makes sense (select is not NULL); NULL after a
 * complaint. */
char *pl_declare_metric_name(struct reader *reader, const struct node *node, const char *what, enum pl_select *select);
/* The canonical key of a setting that some run of the study has; NULL after a complaint. */
char *pl_declare_key(struct declaring *d, const struct node *node, const char *what);
/* What readers are shown in place of names: {theopoula: TheoPouLa, lambda: step size}. */
void pl_declare_labels(struct declaring *d, const struct node *map, struct pl_labels *labels);
/* What a cell of a table shows, as pl_cell_kind knows it; NULL after a complaint. */
char *pl_declare_cell(struct declaring *d, const struct node *node);
/* A list of such keys, with those that a scale brings along where they tell runs apart. */
void pl_declare_names(struct declaring *d, struct node *node, const char *what, struct pl_names *names);
void pl_declare_where(struct declaring *d, struct node *node, struct pl_condition **where, size_t *count);

/* select of a table or figure. What is chosen over cannot part the groups within which it is chosen: the lists of
 * parting, which what names for complaints. */
void pl_declare_selection(struct declaring *d, const struct node *map, struct pl_selection *selection);
void pl_declare_check_selection(struct declaring *d, const struct node *map, const struct pl_selection *selection,
                                const char *what, const struct pl_names *const *parting, size_t count);
/* A number within bounds, such as "[0.5,0.9999]"; what it was before after a complaint. */
void pl_declare_number(struct reader *reader, const struct node *node, const char *what, const char *bounds,
                       double *number);

void pl_declare_metrics(struct declaring *d, const struct node *map);
void pl_declare_target(struct declaring *d, const struct node *map);
/* own: the node stands in the study itself, and not in the defaults. */
void pl_declare_stop(struct declaring *d, struct node *map, bool own);
void pl_declare_table(struct declaring *d, const struct node *map, struct pl_table_spec *table);
void pl_declare_figure(struct declaring *d, const struct node *map, struct pl_figure_spec *figure);
/* Gives figures without name their own, and sees that no two write one file; list has their nodes. */
void pl_declare_figure_names(struct declaring *d, const struct node *list);

#endif
