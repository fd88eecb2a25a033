/* How a figure of `poula plot` looks: the options for it. */
#ifndef PL_CMD_PLOT_LOOK_H
#define PL_CMD_PLOT_LOOK_H

#include "cmd.h"
#include "study/study.h"

/* --out, plots where it is not given. What is called as a figure is (a.svg) and is no folder is refused: prints so and
 * returns false. */
bool pl_plot_read_folder(const struct pl_args *args, const char **folder);
/* Reads --width, --height, --font, --labels, --band, --smooth and --shared. Prints what is wrong and returns false. */
bool pl_plot_read_look(const struct pl_args *args, struct pl_figure_spec *own);
/* Puts what the command line says of it into a declared figure. */
/* A figure with labels of both has new ones, which the caller releases. */
void pl_plot_amend_look(const struct pl_args *args, const struct pl_figure_spec *own, struct pl_figure_spec *spec);

/* What the two above made. */
void pl_plot_release_look(struct pl_figure_spec *own);

#endif
