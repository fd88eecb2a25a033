/* Where an axis of numbers is labelled, and how. */
#ifndef PL_PLOT_TICKS_H
#define PL_PLOT_TICKS_H

#include "plot/plot_priv.h"

struct pl_ticks {
    struct pl_tick *list;
    size_t count, capacity;
};

/* An axis as its labels see it. Lengths are in inches, in a terminal in characters. */
struct pl_tick_axis {
    double range[2]; /* rising; positive where log */
    int power;       /* the numbers that are meant are 10^power times those of the range */
    bool log, whole; /* whole: between two whole numbers there is nothing */
    bool plain;      /* no markup */
    double length;
    double letter, gap; /* a label of n characters takes n * letter + gap along the axis */
};

/* Round numbers within the range whose labels do not run into each other; at least one where the range has a round
 * number at all. */
void pl_ticks_make(const struct pl_tick_axis *axis, struct pl_ticks *ticks);
/* Empties labels of rising ticks until none runs into another. The first and the last stay where they can. */
void pl_ticks_thin(const struct pl_tick_axis *axis, struct pl_tick *ticks, size_t count);
/* Those of the panel's scale of colours: its own where it has such, else round numbers. */
void pl_ticks_of_scale(const struct pl_panel *panel, const struct pl_tick_axis *axis, struct pl_ticks *ticks);
/* Those of an axis of a parallel figure, at their places from 0 to 1. length and gap are as of struct pl_tick_axis. */
void pl_ticks_of_parallel(const struct pl_parallel_axis *parallel, double length, double gap, bool plain,
                          struct pl_ticks *ticks);
/* How far a value is from the lower end of a range to its upper one, from 0 to 1 within it; NaN where it has no place.
 */
double pl_ticks_share(const double range[2], bool log, double value);
void pl_ticks_add(struct pl_ticks *ticks, double at, char *label);
void pl_ticks_release(struct pl_ticks *ticks);

/* An axis of a panel as it is drawn; which is 'x' or 'y'. */
void pl_layout_axis(const struct pl_figure *figure, const struct pl_panel *panel, const struct pl_plot_options *options,
                    const struct pl_layout_size *size, char which, struct pl_tick_axis *axis);
/* A panel's scale of colours, as it is drawn. */
void pl_layout_scale(const struct pl_panel *panel, const struct pl_layout_size *size, struct pl_tick_axis *axis);
/* The width of a heat map's squares, in inches. */
double pl_layout_square(const struct pl_panel *panel);
enum { PL_LONGEST_TICK = 28, PL_LONGEST_NAME = 40 }; /* a longer label is cut */

/* A diagram of ranks counts heights in rows of so many inches: its axis stands at 0, the critical difference and the
 * labels of the axis above it, lines of what cannot be told apart and then the methods below. */
#define PL_RANK_ROW 0.25
enum { PL_RANK_HEAD = 4 };
/* Rows that the methods of a diagram begin below the axis, and of all of it. */
double pl_layout_ranks_top(const struct pl_figure *figure);
double pl_layout_ranks_depth(const struct pl_figure *figure);

/* Characters that a label shows: its markup takes no room. */
size_t pl_ticks_width(const char *label);

#endif
