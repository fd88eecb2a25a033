/* exclude: which points, or seeds of points, are dropped from a grid. */
#ifndef PL_SPEC_EXCLUSION_H
#define PL_SPEC_EXCLUSION_H

#include "spec/grid/grid.h"

/* One mapping of exclude: a run is dropped when all its conditions hold. */
struct exclusion {
    const struct node *at;
    size_t part;                     /* the only part it acts on, or SIZE_MAX */
    bool shared;                     /* from defaults: need not act on every study */
    bool used;                       /* found to drop some run */
    struct pl_condition *conditions; /* on settings; keys as in the settings */
    size_t count;
    int64_t *seeds; /* in rising order; NULL: all */
    size_t seed_count;
    size_t **entries; /* by variant: of each condition; NULL: never holds there */
};

/* Reads the exclusions of a study. */
void pl_exclusions_read(struct reader *reader, const struct content *defaults, const struct content *study,
                        struct pl_study_grid *grid);
bool pl_exclusion_holds(const struct exclusion *exclusion, const struct pl_study_grid *grid,
                        const struct position *position, const struct pl_settings *settings);
/* The seeds that remain at a position; returns how many. */
size_t pl_exclusions_filter(const struct pl_study_grid *grid, const struct position *position,
                            const struct pl_settings *settings, int64_t *seeds);

#endif
