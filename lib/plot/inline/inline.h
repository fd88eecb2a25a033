/* A figure as a piece of HTML: what the files of this folder share. A panel is an SVG of its own, so that panels stand
 * beside each other where there is room and below each other on a phone; colours and dashes come from the page's style
 * sheet by classes (c0 ... c7, d0 ... d6). */
#ifndef PL_PLOT_INLINE_H
#define PL_PLOT_INLINE_H

#include "plot/plot_priv.h"
#include "print/html.h"

enum { PL_INLINE_COLOURS = 8, PL_INLINE_DASHES = 7, PL_INLINE_SHAPES = 5 };

/* A panel while it is drawn. Places are in the units of its viewBox, y downwards. */
struct pl_inline {
    const struct pl_figure *figure;
    const struct pl_panel *panel;
    double width, height;
    double left, right, top, bottom; /* edges of the plot within it */
    size_t most;                     /* points of one line */
    struct pl_text *out;
};

/* Where a value stands, also beyond the plot but not far; NaN: nowhere. */
double pl_inline_x(const struct pl_inline *s, double place);
double pl_inline_y(const struct pl_inline *s, double value);
/* The same for an end of a band, a bar or a box: on a logarithmic axis what is not above zero lies below the plot. */
double pl_inline_end(const struct pl_inline *s, double value);

/* Appends a label of the figure (with gnuplot's markup) as text: raised and lowered digits are characters. */
void pl_inline_label(const char *label, struct pl_text *out);
/* A length with at most one decimal. */
void pl_inline_length(struct pl_text *out, double length);
/* "c3 d3" */
void pl_inline_classes(const struct pl_figure *figure, size_t style, struct pl_text *out);
/* A small shape around a place, as commands of a path. */
void pl_inline_shape(size_t style, double x, double y, struct pl_text *path);

/* Sets the edges of the plot, and draws grid, ticks and the labels of the axes. */
void pl_inline_axes(struct pl_inline *s);
/* The lines of a panel, their bands and marks. */
void pl_inline_lines(const struct pl_inline *s);
/* The boxes of a line, or its runs as points with their medians. runs: those of them that have room. */
void pl_inline_seeds(const struct pl_inline *s, const struct pl_plot_line *line, const struct pl_points *runs);
/* Parallel coordinates, and the scale of colours that is the metric's axis. note: what the page does not draw. */
void pl_inline_parallel(const struct pl_inline *s, struct pl_text *note);
void pl_inline_parallel_describe(const struct pl_inline *s, struct pl_text *text);
/* What was measured, as JSON for the page's script: the places of the lines' points and their values. */
void pl_inline_data(const struct pl_inline *s, struct pl_text *json);
/* What a panel shows, in sentences, for who does not see it. */
void pl_inline_describe(const struct pl_inline *s, struct pl_text *text);
void pl_inline_squares(struct pl_inline *s);
/* The whole panel of a figure of mean ranks. */
void pl_inline_ranks(const struct pl_figure *figure, const char *id, struct pl_text *out);
/* The panel's scale of colours, at the right, and what it takes of the width. */
void pl_inline_scale(const struct pl_inline *s);
double pl_inline_scale_width(const struct pl_inline *s);

/* The whole figure. points: at most so many are drawn of all lines together. */
void pl_inline_write(const struct pl_figure *figure, const char *id, size_t points, const struct pl_text *notes,
                     struct pl_text *out);

#endif
