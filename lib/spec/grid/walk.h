/* Walks: one configuration after another, the last dimension fastest (pl_walk_new and pl_walk_next in spec.h). */
#ifndef PL_SPEC_WALK_H
#define PL_SPEC_WALK_H

#include "spec/grid/grid.h"
#include "base/expression.h"

enum { MOST_CHECKED = 100000 }; /* configurations up to which every one is looked at while loading */

struct pl_walk {
    const struct pl_study_grid *grid;
    struct position position;
    bool started, ended;
    bool repeats; /* points with equal settings come, too */
    bool waits;   /* the settings at the position have placeholders */
    struct ready {
        struct pl_settings settings;      /* own entries; texts belong to the spec */
        double *variables;                /* one for each entry, read by expressions */
        struct expression ***expressions; /* by field and position */
    } * *ready;                           /* of all variants, made on first use */
    struct draws **draws;                 /* of all parts, made on first use */
    int64_t *seeds;                       /* for configurations of which some seeds are excluded */
    size_t bad_field;                     /* after pl_walk_settings failed */
    struct pl_error error;
};

struct pl_walk *pl_walk_over(const struct pl_study_grid *grid);
/* Moves to the first or next point of the grid, skipped or not; false at the end. */
bool pl_walk_step(struct pl_walk *walk);
void pl_walk_go(struct pl_walk *walk, size_t part, const size_t *at);
/* The settings at the position; NULL when an expression fails (bad_field and error say which and why). */
const struct pl_settings *pl_walk_settings(struct pl_walk *walk);
/* Hash of the settings at the position, after pl_walk_settings: equal settings, equal hashes. */
void pl_walk_hash(const struct pl_walk *walk, uint64_t hash[2]);

#endif
