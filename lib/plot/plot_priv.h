/* What the files of lib/plot share: the model of a figure between the results and the gnuplot script. */
#ifndef PL_PLOT_PRIV_H
#define PL_PLOT_PRIV_H

#include "plot/plot.h"

struct pl_point {
    double x, y, low, high; /* y NaN: a gap in the line; low and high one deviation away */
    double least;           /* the lowest run */
    int64_t n;              /* runs behind y */
    double number;          /* what x stands for; in a sensitivity figure x is a little beside it */
};

struct pl_points {
    struct pl_point *list;
    size_t count, capacity;
};

/* The straight line through a line's means, on the scales of its panel. */
struct pl_fit {
    size_t n;            /* points; 0: there is no fit */
    double slope, error; /* the 95% interval is slope +- error */
    double x[2], y[2];   /* its ends */
};

/* One line of one panel. */
struct pl_line {
    size_t style;             /* number of its heading, the same in every panel */
    size_t config;
    struct pl_points means;
    struct pl_points strands; /* the seeds one by one, parted by gaps */
    struct pl_points lost;    /* sensitivity: where every run diverged (x only) */
    struct pl_points turn;    /* curves: where its runs began to average, one of the means or none */
    int64_t runs, diverged;
    struct pl_fit fit;
};

struct pl_tick {
    double at;
    char *label;
};

struct pl_square {
    size_t column, row;
    double value;   /* NaN: none */
    char *text;     /* what the cell shows */
    bool diverged, best;
};

struct pl_panel {
    char *title;
    struct pl_line *lines;
    size_t line_count, line_capacity;
    struct pl_square *squares;
    size_t square_count, square_capacity;
    struct pl_tick *x_ticks, *y_ticks;
    size_t x_tick_count, y_tick_count;
    bool slanted; /* labels along x */
    double x_range[2], y_range[2];
    bool log_x, log_y;
    double x_breaks[2]; /* where zero and infinity are set apart from the axis; NaN: nowhere */
    double z_range[2];
    bool log_z;
    double anchor[2]; /* where lines of given slopes begin (logarithms, on logarithmic scales); infinite: nowhere */
};

struct pl_legend_entry {
    char *label;
    bool shown; /* some panel has such a line */
};

struct pl_figure {
    enum pl_figure_kind kind;
    bool plain; /* labels for a terminal: no markup */
    double font; /* size of its ordinary letters, in the units of the output */
    char *name, *title, *x_label, *y_label, *z_label;
    enum pl_direction direction;
    struct pl_panel *panels;
    size_t panel_count;
    struct pl_legend_entry *legend; /* by style */
    size_t legend_count;
    const double *slopes; /* of the lines that are drawn beside the data */
    size_t slope_count;
    bool any_lost, any_turn;
};

/* The ring that marks where averaging begins, in gnuplot's numbers. */
#define PL_TURN_MARK 6
#define PL_TURN_SIZE 1.6

/* Does time run along x, and not epochs? */
bool pl_figure_tells_time(const struct pl_figure_spec *spec);

void pl_points_add(struct pl_points *points, struct pl_point point);

/* ---- from results to the model ---- */

/* What a gatherer needs to know. */
struct pl_gather {
    struct pl_results *results;
    const struct pl_figure_spec *spec;
    const char *metric;
    size_t *configs;
    size_t config_count;
    struct pl_headings panels, lines;
    bool averages; /* some run says from when on it averaged */
    struct pl_text *notes;
};

/* Works a figure out. */
int pl_figure_make(struct pl_figure *figure, struct pl_results *results, const struct pl_figure_spec *spec, bool plain,
                   struct pl_text *notes, struct pl_error *err);
void pl_figure_release(struct pl_figure *figure);

/* Fill the lines (squares) of the panels, which exist by then. */
int pl_gather_curves(struct pl_figure *figure, struct pl_gather *gather, struct pl_error *err);
int pl_gather_sensitivity(struct pl_figure *figure, struct pl_gather *gather, struct pl_error *err);
int pl_gather_heatmap(struct pl_figure *figure, struct pl_gather *gather, struct pl_error *err);

/* Sets the ranges (and, where not declared, the scale) of a panel with lines. */
void pl_range_panel(struct pl_panel *panel, const struct pl_figure_spec *spec, bool log_x);
/* The range of values without the absurd ones: see docs/figures.md. values is sorted on return. */
void pl_range_robust(double *values, size_t count, bool log, double range[2]);

/* Fits what the declaration asks for, once ranges and scales are known, and notes every slope. */
void pl_fit_panels(struct pl_figure *figure, const struct pl_gather *gather);
void pl_fit_reference(const struct pl_panel *panel, double slope, double x[2], double y[2]);

/* ---- labels ---- */

/* Appends text so that gnuplot's enhanced mode shows it as it stands, within single quotes. plain: only the quotes. */
void pl_label_text(struct pl_text *out, const char *text, bool plain);
/* A setting's or metric's name: Greek letters, subscripts; underscores become spaces. */
void pl_label_name(struct pl_text *out, const char *name, bool plain);
/* A number such as 0.1, 10^8, infinity. */
void pl_label_number(struct pl_text *out, double value, bool plain);
void pl_label_value(struct pl_text *out, const struct pl_value *value, bool plain);
/* "λ = 0.1, ε = 1"; words stand without their key. */
void pl_label_heading(struct pl_text *out, const struct pl_results *results, const struct pl_headings *headings,
                      size_t index, bool plain);

/* ---- from the model to a picture ---- */

struct pl_layout_size {
    double width, height; /* inches */
    size_t columns, rows;
    double panel_width, panel_height, title, legend; /* inches; heights of the two strips */
    double left, right, bottom; /* margins within a panel, for its axes */
    size_t legend_columns;
};
void pl_layout_measure(const struct pl_figure *figure, struct pl_layout_size *size);

/* Writes the script and the data file it reads. base is the file name without ending. */
void pl_script_write(const struct pl_figure *figure, const char *base, const struct pl_plot_options *options,
                     struct pl_text *script, struct pl_text *data);
/* One panel's plot command; *index counts the blocks of the data file. */
void pl_script_lines(const struct pl_figure *figure, const struct pl_panel *panel, const char *base, size_t *index,
                     struct pl_text *script, struct pl_text *data);
/* How the index-th line of a given slope is drawn. */
const char *pl_script_reference(size_t index);
void pl_script_squares(const struct pl_figure *figure, const struct pl_panel *panel, const char *base, size_t *index,
                       struct pl_text *script, struct pl_text *data);
/* The colour of a value in a heat map, as 0xRRGGBB, and whether text on it should be white. */
unsigned pl_heat_colour(double position, bool *white);
void pl_heat_palette(struct pl_text *script, bool reversed);

/* Runs gnuplot on the script in a scratch folder and hands back what it drew. */
int pl_gnuplot_run(const char *base, const struct pl_text *script, const struct pl_text *data, const char *picture,
                   struct pl_text *drawn, struct pl_error *err);

#endif
