/* resources: what a task of a study may use of a cluster. They belong to no run's key. */
#ifndef PL_SPEC_RESOURCES_H
#define PL_SPEC_RESOURCES_H

#include "spec/read/content.h"
#include "study/study.h"

/* Key by key, what the study says comes before what the defaults say. */
void pl_resources_read(struct reader *reader, const struct content *defaults, const struct content *content,
                       struct pl_study *study);

#endif
