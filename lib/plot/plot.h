/* plot: figures of a sweep, drawn by gnuplot (the only user of it).
 *
 * A figure is worked out completely here (lines, means, bands, axis ranges, legend); gnuplot only draws. It runs
 * without a shell, with its start-up files switched off, in a folder of its own that is removed afterwards; the
 * finished file is then written under a temporary name and renamed, so that a figure is there whole or not at all.
 *
 * Rules that hold in every kind: means and bands are taken over the seeds of one configuration, never over two;
 * lines differ in colour, dash and mark; non-finite values are not drawn. docs/figures.md has the details. */
#ifndef PL_PLOT_H
#define PL_PLOT_H

#include "base/base.h"
#include "report/report.h"
#include "study/study.h"

/* TIKZ is NAME.tex, CAIROLATEX is NAME-latex.tex and the NAME-latex.pdf that it takes: for a LaTeX document, with its
 * fonts. */
enum pl_plot_format { PL_PLOT_PNG, PL_PLOT_SVG, PL_PLOT_PDF, PL_PLOT_TIKZ, PL_PLOT_CAIROLATEX, PL_PLOT_DUMB };
/* What options call those that are files. */
enum { PL_PLOT_FILE_COUNT = PL_PLOT_DUMB };
#define PL_PLOT_FILE_WORDS "png svg pdf tikz cairolatex"
extern const char *const pl_plot_file_names[PL_PLOT_FILE_COUNT];

struct pl_plot_options {
    enum pl_plot_format format;
    const char *folder; /* where files go; made when missing. Not used for DUMB */
    bool keep;          /* write the gnuplot script and its data beside the figure */
    int width, height;  /* DUMB: the terminal's size in characters */
};

/* Draws one figure. output receives the path of the file, or for DUMB the drawing itself; notes a sentence a line on
 * what the figure leaves out. PL_EINPUT: the declaration does not fit the study; PL_EMISSING: there is nothing to
 * draw; PL_EIO: gnuplot is not installed, or it or a file failed. */
int pl_plot_draw(struct pl_results *results, const struct pl_figure_spec *spec, const struct pl_plot_options *options,
                 struct pl_text *output, struct pl_text *notes, struct pl_error *err);

/* ---- of numbers ---- */

/* Numbers that are of no study: panels side by side, a line in each for each of line_count, over the same x. Texts are
 * shown as they stand, but x_name, a setting, which gets its symbol. */
struct pl_plot_numbers {
    const char *name; /* of the file, without ending */
    const char *x_name, *y_label;
    const double *x; /* rising; logarithmic where all are positive and span a decade */
    size_t count;
    const char *const *panels; /* their titles */
    size_t panel_count;        /* at most 12 */
    const char *const *lines;  /* what the legend calls them; "": there is but one */
    size_t line_count;         /* at most 24 */
    const double *y;           /* [panel][line][x]; not finite: a gap */
};

/* Draws them, as pl_plot_draw does. notes says what is left out. PL_EMISSING: no y is finite. */
int pl_plot_draw_numbers(const struct pl_plot_numbers *numbers, const struct pl_plot_options *options,
                         struct pl_text *output, struct pl_text *notes, struct pl_error *err);

/* ---- in a page ---- */

struct pl_inline_options {
    const char *id; /* of the figure's element: letters, digits, hyphens; unique on the page */
    size_t points;  /* at most about so many are drawn, of all lines together; at least some of each line */
};

/* Appends a figure as an element of HTML: an SVG for each panel, drawn here from what gnuplot is given too, with the
 * values in it for the page's script, a title and a description for who does not see it, a legend whose lines can be
 * switched off, and the notes. The page's style sheet gives the colours. Errors are those of pl_plot_draw but PL_EIO.
 */
int pl_plot_inline(struct pl_results *results, const struct pl_figure_spec *spec,
                   const struct pl_inline_options *options, struct pl_text *out, struct pl_error *err);

/* The same for single runs, as far as they have come: a panel for each metric that any of them has recorded, a line for
 * each run. names say what the lines are. */
int pl_plot_inline_runs(struct pl_store *store, const int64_t *runs, const char *const *names, size_t count,
                        const struct pl_inline_options *options, struct pl_text *out, struct pl_error *err);

#endif
