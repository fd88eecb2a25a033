/* Studies that stop runs early: which of their runs go on, and how far. What is decided is a function of the runs that
 * the study has and of their values at the rungs, so it is the same whatever was decided before, by whom, and when. */
#ifndef PL_SWEEP_HALVING_H
#define PL_SWEEP_HALVING_H

#include "spec/spec.h"
#include "sweep/sweep.h"

/* The runs that compete in one bracket. */
struct pl_bracket {
    size_t runs;
    double epochs, longest; /* of all of them, and of the longest one */
};
/* Where the runs of a study compete, while it is planned. Zero-initialise. */
struct pl_brackets {
    unsigned char *of; /* the bracket of Hyperband of each point of a group */
    size_t count, capacity;
    struct pl_bracket *list; /* of a study that is foreseen, by number */
    size_t number, room;
};
/* Enters a run of the configuration at which a walk stands, with its which-th seed. */
int pl_brackets_put(struct pl_brackets *brackets, const struct pl_sweep_study *entry, struct pl_store *store,
                    const struct pl_walk_place *place, const struct pl_settings *settings, size_t seed, int64_t run,
                    struct pl_error *err);
/* Counts such a run instead, where nothing is written; and says what the study will train if every run finishes. */
void pl_brackets_foresee(struct pl_brackets *brackets, const struct pl_study *study, const struct pl_walk_place *place,
                         const struct pl_settings *settings, size_t seed);
void pl_brackets_sum(const struct pl_brackets *brackets, const struct pl_study *study, struct pl_rungs *rungs);
void pl_brackets_release(struct pl_brackets *brackets);

/* Decides what can be decided in one study, within the caller's transaction. changed: what its runs are wanted for is
 * not what it was. */
int pl_sweep_decide(struct pl_sweep_study *entry, struct pl_store *store, bool *changed, struct pl_error *err);

#endif
