/* What people see of a sweep that runs: its rate, the best values so far, and notes. */
#ifndef PL_SWEEP_WATCH_H
#define PL_SWEEP_WATCH_H

#include "sweep/claimed.h"

struct pl_watch {
    double begun, shown;    /* when the sweep began; when its state was shown last */
    double rate_time, rate; /* runs per second: since when counted, smoothed */
    int64_t rate_ran;       /* runs that had ended then */
};

void pl_watch_init(struct pl_watch *watch);
/* Is it time to show how things stand? */
bool pl_watch_is_due(const struct pl_watch *watch);
/* Shows it. Of state, plan, ran, workers, busy, elsewhere and stopping are filled in; the rest is what the watch
 * knows. */
void pl_watch_show(struct pl_watch *watch, const struct pl_sweep_view *view, struct pl_sweep_state *state);
/* Keeps the best value of a run that has finished, for its study. */
void pl_watch_finished(const struct pl_claimed *run);

/* Tells people a sentence, where somebody looks. */
void pl_view_note(const struct pl_sweep_view *view, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
