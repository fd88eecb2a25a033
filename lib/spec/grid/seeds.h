/* Seeds of a study. */
#ifndef PL_SPEC_SEEDS_H
#define PL_SPEC_SEEDS_H

#include "spec/read/content.h"
#include "study/study.h"

void pl_seeds_read(struct reader *reader, const struct content *defaults, const struct content *content,
                   struct pl_study *study);
/* Is it one of the seeds, which are in rising order? */
bool pl_seed_among(int64_t seed, const int64_t *sorted, size_t count);
void pl_seeds_sort(int64_t *seeds, size_t count);

#endif
