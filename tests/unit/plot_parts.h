/* Runs in a database, for the tests of figures. */
#ifndef PL_TEST_PLOT_PARTS_H
#define PL_TEST_PLOT_PARTS_H

#include "plot/gather/axis.h"
#include "plot/plot_priv.h"
#include "results_db.h"

static const struct known_run runs[] = {
    RUN("optimizer=adam lambda=0.1", 1, PL_FINISHED, 4, 2, 1),
    RUN("optimizer=adam lambda=0.1", 2, PL_FINISHED, 6, 4, 3),
    RUN("optimizer=adam lambda=0.01", 1, PL_FINISHED, 9, 8, 7),
    RUN("optimizer=adam lambda=0.01", 2, -1, 0),
    RUN("optimizer=sgd lambda=0.1", 1, PL_DIVERGED, 5, 1e20),
    RUN("optimizer=sgd lambda=0.1", 2, PL_DIVERGED, 5, NAN),
    RUN("optimizer=sgd lambda=inf", 1, PL_FINISHED, 0.5, 0.5, 0.5),
    RUN("optimizer=sgd lambda=inf", 2, PL_DIVERGED, 3, 3),
};

enum { RUNS = sizeof runs / sizeof *runs };

static char x_lambda[] = "lambda", y_optimizer[] = "optimizer";

static char *optimizer_key[] = {y_optimizer};

static inline struct pl_figure_spec figure_of(enum pl_figure_kind kind)
{
    return (struct pl_figure_spec){.kind = kind, .x_range = {NAN, NAN}, .y_range = {NAN, NAN}};
}

static inline struct pl_plot_line *line_named(struct pl_figure *figure, size_t panel, const char *label)
{
    for (size_t i = 0; i < figure->panels[panel].line_count; i++)
        if (!strcmp(figure->legend[figure->panels[panel].lines[i].style].label, label))
            return &figure->panels[panel].lines[i];
    fail_msg("no line '%s'", label);
    return NULL;
}

#endif
