/* The values of a setting as positions on an axis: numbers where they belong, words side by side. */
#ifndef PL_PLOT_AXIS_H
#define PL_PLOT_AXIS_H

#include "plot/plot_priv.h"

struct pl_axis_value {
    uint32_t rank;
    double number; /* where the axis is numeric */
    double at;     /* its position */
    bool apart;    /* infinite, or not above zero on a logarithmic axis: beyond the end of the scale */
};

struct pl_axis {
    size_t key;
    struct pl_axis_value *values; /* rising (numeric), else as the grid has them */
    size_t count;
    bool numeric, log;
    double range[2];
    bool mirrored; /* places are 1 / (1 - value) */
};

/* AUTO: logarithmic where positive values span a decade. STEPS: one step a value, as in a heat map. GRID: the same in
 * the order of the grid. MIRRORED: logarithmic in 1 - value; where a value is 1 or more, as AUTO. */
enum pl_axis_scale { PL_AXIS_AUTO, PL_AXIS_LINEAR, PL_AXIS_LOG, PL_AXIS_MIRRORED, PL_AXIS_STEPS, PL_AXIS_GRID };

void pl_axis_make(struct pl_axis *axis, const struct pl_results *results, size_t key, const size_t *configs,
                  size_t count, enum pl_axis_scale scale);
/* The same of those of the configurations that have the setting, of which there is one. */
void pl_axis_make_present(struct pl_axis *axis, const struct pl_results *results, size_t key, const size_t *configs,
                          size_t count, enum pl_axis_scale scale);
void pl_axis_release(struct pl_axis *axis);
/* The scale that a prior asks for (NULL: none). */
enum pl_axis_scale pl_axis_scale_of(const struct pl_prior *prior);
/* Ticks at round values of a mirrored axis: 0.5, 0.9, 0.99; where it is too short for two of them, at its ends. */
void pl_axis_mirrored_ticks(const struct pl_axis *axis, bool plain, struct pl_tick **ticks, size_t *count);
/* The axis of a setting that may have been drawn, on the scale of its prior (log: in any case on that of logarithms).
 */
void pl_axis_make_drawn(struct pl_axis *axis, const struct pl_gather *gather, size_t key, bool log);
/* Its ticks: none where a range was drawn from, which has round ones; else one for each value. */
void pl_axis_drawn_ticks(const struct pl_axis *axis, const struct pl_gather *gather, bool plain, struct pl_tick **ticks,
                         size_t *count);
/* The configuration's value; NULL where it has no such setting. */
const struct pl_axis_value *pl_axis_value_of(const struct pl_gather *gather, const struct pl_axis *axis, size_t config);
/* The number it stands for; of words their place. */
double pl_axis_number(const struct pl_axis *axis, const struct pl_axis_value *value);
/* Turns an axis of words round, so that the first stands at the top. */
void pl_axis_flip(struct pl_axis *axis);
size_t pl_axis_index(const struct pl_axis *axis, uint32_t rank);
/* Where values stand apart from the scale, before it and behind it: between them and it. NaN: nowhere. */
void pl_axis_breaks(const struct pl_axis *axis, double breaks[2]);
/* Says how many values are negative where the axis is logarithmic. */
void pl_axis_note_negative(const struct pl_axis *axis, const struct pl_gather *gather);
/* A tick for every value, with its label. */
void pl_axis_ticks(const struct pl_axis *axis, const struct pl_gather *gather, bool plain, struct pl_tick **ticks,
                   size_t *count);

#endif
