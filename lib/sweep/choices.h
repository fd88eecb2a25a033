/* Studies that wait for the tables of others (choices.c). */
#ifndef PL_SWEEP_CHOICES_H
#define PL_SWEEP_CHOICES_H

#include "sweep/sweep.h"

struct pl_choices *pl_choices_new(const struct pl_sweep_source *sources, size_t count);
void pl_choices_free(struct pl_choices *choices);
/* Does entry take settings from source? */
bool pl_sweep_plan_feeds(const struct pl_sweep_study *source, const struct pl_sweep_study *entry);
/* The first study that an entry still has to wait for, or NULL: it waits itself, or has runs that are missing or
 * failed. */
const struct pl_sweep_study *pl_sweep_plan_blocking(const struct pl_sweep_plan *plan,
                                                    const struct pl_sweep_study *entry);
/* Reads the tables that an entry takes settings from and gives them to its spec. */
int pl_sweep_plan_choose(struct pl_sweep_plan *plan, const struct pl_sweep_study *entry, struct pl_store *store,
                         struct pl_text *problems, struct pl_error *err);

#endif
