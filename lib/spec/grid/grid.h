/* A study as grids: which settings are fixed, which vary, and which vary together. */
#ifndef PL_SPEC_GRID_H
#define PL_SPEC_GRID_H

#include "spec/grid/part.h"
#include "spec/spec.h"
#include "study/search.h"

struct position {
    size_t part;
    uint64_t point; /* in the study */
    size_t *at;     /* in each dimension */
    size_t variant;
};

struct exclusion;

struct pl_study_grid {
    struct part *parts;
    size_t part_count;
    struct exclusion *exclusions;
    size_t exclusion_count;
    bool seed_exclusions;
    uint64_t points;
    size_t variant_count; /* of all parts */
    unsigned char *skip;  /* one bit for each point that is excluded or repeated; NULL: none is */
    unsigned char *again; /* the same of those that are repeated */
    bool settled;         /* the study has waited, and then was this: */
    unsigned char *waiting_skip;
    uint64_t waiting_configs, waiting_runs;
    const int64_t *seeds, *sorted_seeds;
    size_t seed_count;
    struct pl_search search;
    const struct node *at;     /* where to complain of the study */
    pl_pick_value *pick_value; /* NULL: picks are not known yet */
    void *pick_self;
};

/* Builds the grid of a study from defaults (or NULL), the study and its cases. */
void pl_grid_read(struct reader *reader, const struct content *defaults, const struct content *study,
                  struct pl_study_grid *grid);
void pl_grid_release(struct pl_study_grid *grid);

#endif
