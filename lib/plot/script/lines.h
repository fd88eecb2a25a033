/* What the files that write a panel's plot command share. */
#ifndef PL_PLOT_SCRIPT_LINES_H
#define PL_PLOT_SCRIPT_LINES_H

#include "plot/plot_priv.h"

/* What a line consists of, with the numbers of its blocks of data; 0: none. */
struct pl_drawn_line {
    const struct pl_plot_line *line;
    size_t means, alone, strands, outside, fit, beside;
    size_t mean_count; /* that are drawn */
    size_t marks[PL_MARK_COUNT];
};

/* A panel while its plot command is written. */
struct pl_panel_script {
    struct pl_script *script;
    const struct pl_panel *panel;
    bool first;
    bool bars;                /* its points are configurations, and have a place on the axis */
    bool scatter;             /* and they stand alone, coloured where there is a scale */
    bool seeds;               /* box, strip: and the seeds are drawn */
    bool told[PL_MARK_COUNT]; /* a terminal's legend names a mark once */
};

/* "plot FILE index BLOCK using PLACE:VALUES " */
void pl_script_item(struct pl_panel_script *s, const struct pl_plot_line *line, size_t block, const char *more,
                    const char *values);
/* " title LABEL" */
void pl_script_title(struct pl_panel_script *s, const struct pl_plot_line *line);
/* The boxes of a line with the runs beyond them, or its runs as points with their medians. */
void pl_script_seeds(struct pl_panel_script *s, const struct pl_drawn_line *drawn);

#endif
