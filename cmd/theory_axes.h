/* Settings of poula theory with several values: the constants at each combination of them. */
#ifndef PL_CMD_THEORY_AXES_H
#define PL_CMD_THEORY_AXES_H

#include "base/cell.h"
#include "cmd.h"
#include "study/names.h"
#include "theory/theory.h"

enum { PL_THEORY_AXES = 4, PL_THEORY_POINTS = 1000 };

struct pl_theory_axis {
    const struct pl_setting *setting;
    struct pl_names words; /* as they were spelled, which texts among the values point into */
    struct pl_value *values;
    size_t count;
};
struct pl_theory_axes {
    struct pl_theory_axis list[PL_THEORY_AXES];
    size_t count;
};
void pl_theory_axes_release(struct pl_theory_axes *axes);

/* Adds the values of "1e2,1e3". Returns an exit code, after saying what is wrong. */
int pl_theory_axes_add(const struct pl_args *args, struct pl_theory_axes *axes, const struct pl_setting *setting,
                       const char *spellings);

/* The constants at every combination: ln of each, combination by combination, of which the last axis is the fastest. */
struct pl_theory_matrix {
    const struct pl_theory_axes *axes;
    struct pl_theory_value *names; /* those that were chosen */
    size_t name_count, points;
    long double *ln;
};
/* Which value of an axis a combination has. */
const struct pl_value *pl_theory_axes_value(const struct pl_theory_axes *axes, size_t axis, size_t point);
void pl_theory_axes_write(const struct pl_theory_axes *axes, size_t axis, size_t point, struct pl_text *out);
/* --plot: draws log10 of the constants, a panel each, over the first axis; the others part the lines. Returns an exit
 * code. */
int pl_theory_axes_draw(const struct pl_args *args, const struct pl_theory_matrix *matrix);

/* Prints the values that choose (names, count) names, or all, at every combination; settings has the others. For people
 * a row for each constant, for programs a record for each constant and combination; with --plot draws them instead.
 * Returns an exit code. */
int pl_theory_axes_print(const struct pl_args *args, const struct pl_theory_axes *axes,
                         const struct pl_settings *settings, const size_t *chosen, size_t count);

/* The cells "value" and "log10" of a record. A number where a double holds it, else texts, which go into the two. */
void pl_theory_cells(long double ln, struct pl_cell cells[2], struct pl_text *value, struct pl_text *log10);

#endif
