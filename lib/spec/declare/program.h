/* Keys of a study that say how its command is run as a program: how its output is read, how long it may take and say
 * nothing, how many epochs it trains. They belong to no run's key. */
#ifndef PL_SPEC_PROGRAM_H
#define PL_SPEC_PROGRAM_H

#include "spec/read/content.h"
#include "study/study.h"

/* How the output of a command is read; after the grid. */
void pl_reading_read(struct reader *reader, const struct content *defaults, const struct content *content,
                     struct pl_study *study);
/* A time in seconds: 90, 10m, 2h. Returns false after a complaint. */
bool pl_timeout_read(struct reader *reader, const struct node *node, const char *what, double *seconds);

/* epochs: a number or a setting that says how many. */
void pl_epochs_read(struct reader *reader, struct pl_study *study, const struct node *node);
/* After the grid. Declared epochs are those of programs; other tasks have a setting that says how many they train. own:
 * where the study itself declares them, or NULL. */
void pl_epochs_check(struct reader *reader, const struct pl_study *study, const struct node *own);

#endif
