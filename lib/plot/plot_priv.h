/* What the files of lib/plot share: the model of a figure between the results and the gnuplot script. */
#ifndef PL_PLOT_PRIV_H
#define PL_PLOT_PRIV_H

#include "plot/plot.h"

/* What was measured, and nothing of how it is drawn. */
struct pl_point {
    double x;
    double y, low, high; /* y not finite: a gap in the line; low and high one deviation away */
    double least;        /* the lowest run */
    int64_t n;           /* runs behind y */
    double place;        /* where x stands on its axis: infinity, zero on a logarithmic axis and words have one too */
    bool parted;         /* no line is drawn to it from the point before */
    int64_t planned;     /* sensitivity: runs that there are to be; 0: not known */
    double ends[2];      /* box: of its whiskers; NaN: there is no box */
    double z, hue;       /* scatter: the setting that colours, and where it stands on the scale of colours; NaN: none */
                         /* parallel: the value on its axis, and the metric */
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
struct pl_plot_line {
    size_t style; /* number of its heading, the same in every panel */
    size_t config;
    struct pl_points means;
    struct pl_points beside;   /* tuning: the mean beside the median */
    struct pl_points measured; /* curves that are smoothed: the means before */
    struct pl_points strands;  /* the seeds one by one, each parted from the one before; box, strip: points */
    struct pl_points outside;  /* box: those of them that are drawn beside it, or in its place; parallel: the ends of
                                  those strands of which a run never reached its target */
    struct pl_points lost;     /* sensitivity: where every run diverged */
    struct pl_points turn;     /* curves: where its runs began to average, one of the means or none */
    struct pl_points changed;  /* those of the means from which on another number of runs is behind the line; where it
                                  changes often, those where it never was before */
    size_t changes;            /* of that number, all of them */
    int64_t fewest, most;      /* it, where it changes */
    struct pl_points open,
        ended; /* curves: those of the means where runs that have not finished, or were stopped, end */
    int64_t runs, diverged, working; /* working: still being trained */
    int64_t waiting;                 /* curves: interrupted, and to go on */
    int64_t stopped;                 /* curves: early; then all its runs were, and it ends where they did */
    int64_t blank;                   /* sensitivity: finished without a value */
    struct pl_fit fit;
};

struct pl_tick {
    double at;
    char *label;
    char *whole; /* the label, where what stands there is its beginning; else NULL */
};

struct pl_square {
    size_t column, row;
    double value, deviation; /* NaN: none */
    char *text;              /* what the cell shows */
    int64_t n, diverged;
    bool best;
};

/* parallel: an axis that all lines go through, upwards. */
struct pl_parallel_axis {
    char *label;
    double range[2];
    bool log;
    struct pl_tick *ticks; /* none: round numbers */
    size_t tick_count;
};

struct pl_panel {
    char *title;
    struct pl_parallel_axis *axes;
    size_t axis_count;
    struct pl_plot_line *lines;
    size_t line_count, line_capacity;
    struct pl_square *squares;
    size_t square_count, square_capacity;
    struct pl_tick *x_ticks, *y_ticks;
    size_t x_tick_count, y_tick_count;
    bool words; /* along x, and not numbers */
    bool whole; /* nothing stands between two whole numbers of x */
    double x_range[2], y_range[2];
    bool log_x, log_y;
    double x_breaks[2]; /* where zero and infinity are set apart from the axis; NaN: nowhere */
    double z_range[2];  /* where low < high there is a scale of colours */
    bool log_z;
    struct pl_tick *z_ticks; /* none: round numbers */
    size_t z_tick_count;
    double anchor[2]; /* where lines of given slopes begin (logarithms, on logarithmic scales); infinite: nowhere */
};

/* Marks that say what a line cannot. */
enum pl_mark {
    PL_MARK_LOST,    /* every run diverged */
    PL_MARK_TURN,    /* averaging begins */
    PL_MARK_OPEN,    /* a run that has not finished has come so far */
    PL_MARK_ENDED,   /* a run was stopped early */
    PL_MARK_CHANGED, /* the number of runs changes; sensitivity: some of them diverged */
    PL_MARK_ABOVE,
    PL_MARK_BELOW, /* the value is beyond that end of the axis */
    PL_MARK_COUNT
};

struct pl_legend_entry {
    char *label;
    char *brief; /* ranks: its beginning, where it is too long to stand beside the axis; else NULL */
    bool shown;  /* some panel has such a line */
};

/* Methods of a ranks figure that cannot be told apart: from one to another of those that stand by their rank. */
struct pl_alike {
    size_t first, last;
    size_t level; /* of its line below the axis, from 1 on */
};

struct pl_figure {
    enum pl_figure_kind kind;
    bool latex;           /* texts are LaTeX's */
    bool plain;           /* labels for a terminal: no markup */
    double width, height; /* in inches, as asked for; 0: as large as it likes */
    struct pl_font type;  /* as asked for */
    double font;          /* size of its ordinary letters, in the units of the output */
    char *name, *title, *x_label, *y_label, *z_label;
    enum pl_direction direction;
    struct pl_panel *panels;
    size_t panel_count;
    struct pl_legend_entry *legend; /* by style */
    size_t legend_count;
    const double *slopes; /* of the lines that are drawn beside the data */
    size_t slope_count;
    bool marked[PL_MARK_COUNT]; /* some line has such a mark */
    bool beside;                /* some line has a second one */
    size_t metric_count;        /* styles of one heading follow each other, one for each metric; 0 and 1: one */
    enum pl_around around;      /* what bands and bars show */
    bool share_x, share_y;
    char *said;  /* what the figure says of itself in small letters: smoothing, bands that are not usual; "": nothing */
    bool fitted; /* so that nothing is moved aside */
    bool numbers;    /* of no runs */
    double slot;     /* box, strip: the part of a category that a line has */
    double critical; /* ranks: Nemenyi's critical difference */
    struct pl_alike *alike;
    size_t alike_count;
};

/* Does time run along x, and not epochs? */
bool pl_figure_tells_time(const struct pl_figure_spec *spec);
/* Is a point of it a configuration, with a setting along x? */
bool pl_figure_has_configs(enum pl_figure_kind kind);
/* The points of a line whose values it shows: the single runs where they are drawn, else their means. */
const struct pl_points *pl_figure_values(const struct pl_figure *figure, const struct pl_plot_line *line);
/* The metric that it shows. */
const char *pl_figure_metric(const struct pl_results *results, const struct pl_figure_spec *spec);
/* Fails with PL_EINPUT where the declaration is not complete, or names what the study does not have. */
int pl_figure_check(const struct pl_results *results, const struct pl_figure_spec *spec, struct pl_error *err);
enum { PL_FIGURE_KEYS = 64 }; /* settings that can part its panels and lines */
enum { PL_FIGURE_AXES = 12 };

void pl_points_add(struct pl_points *points, struct pl_point point);
/* Those of at most about so many points that a picture needs: outermost ones and gaps are among them. */
void pl_points_thin(const struct pl_points *points, size_t most, struct pl_points *kept);

/* ---- from results to the model ---- */

/* What a gatherer needs to know. */
struct pl_gather {
    struct pl_results *results;
    const struct pl_figure_spec *spec;
    const char *metric;
    const char *metrics[PL_FIGURE_METRICS]; /* of a panel, metric being the first; lines are those of each heading */
    size_t metric_count;
    size_t *configs;
    size_t config_count;
    struct pl_headings panels, lines;
    struct pl_names methods;          /* profile, ranks: of the lines, which have no headings */
    size_t axis_keys[PL_FIGURE_AXES]; /* parallel: the settings that have an axis */
    size_t axis_count;
    bool coloured;            /* scatter: z is a number, and has a scale of colours */
    bool averages;            /* some run says from when on it averaged */
    enum pl_series_axis axis; /* curves: what x counts */
    struct pl_text *notes;
};

/* Works a figure out. */
int pl_figure_make(struct pl_figure *figure, struct pl_results *results, const struct pl_figure_spec *spec, bool plain,
                   struct pl_text *notes, struct pl_error *err);
int pl_figure_of_numbers(struct pl_figure *figure, const struct pl_plot_numbers *numbers, bool plain,
                         struct pl_text *notes, struct pl_error *err);
void pl_figure_release(struct pl_figure *figure);
/* Writes letters that no font of this machine has as their numbers, and notes them: for formats that gnuplot draws
 * here. */
void pl_figure_spell(struct pl_figure *figure, struct pl_text *notes);
/* Cuts labels of ticks, and names beside an axis of ranks, that are too long, keeps those apart that begin alike, and
 * notes them whole. */
void pl_figure_cut(struct pl_figure *figure, struct pl_text *notes);

/* Of the configurations those that the figure's select names; places are added to the results, which the caller drops.
 */
int pl_gather_choose(struct pl_gather *gather, struct pl_error *err);
/* Finds the panels and lines of the configurations, and notes what parts them unasked. */
int pl_figure_choose_headings(struct pl_gather *gather, struct pl_error *err);
/* Of many lines keeps the best, and their configurations, and notes it. */
void pl_figure_keep_best_lines(struct pl_gather *gather);
/* Says which lines diverged or are at work, in the legend or above the panel, and finds out whether there is anything
 * to see. */
bool pl_figure_finish_legend(struct pl_figure *figure);
/* The line of a style in a panel, which it joins now where it is not there. */
struct pl_plot_line *pl_panel_line(struct pl_panel *panel, size_t style);
/* Adds a configuration, as loaded, to a line of one: its mean, and marks where runs of it diverged. x, place, z and hue
 * of point stand. */
void pl_line_add_config(struct pl_plot_line *line, const struct pl_gather *gather, size_t config,
                        struct pl_point point);

/* Fill the lines (squares) of the panels, which exist by then. */
int pl_gather_curves(struct pl_figure *figure, struct pl_gather *gather, struct pl_error *err);
int pl_gather_sensitivity(struct pl_figure *figure, struct pl_gather *gather, struct pl_error *err);
int pl_gather_heatmap(struct pl_figure *figure, struct pl_gather *gather, struct pl_error *err);
int pl_gather_scatter(struct pl_figure *figure, struct pl_gather *gather, struct pl_error *err);
/* The lines are those of each heading, a configuration parted from the next, the best last: of the points of one y is
 * the place on its axis, from 0 to 1, z the value, hue the metric. Those without a value are strands, lost
 * where they end. */
int pl_gather_parallel(struct pl_figure *figure, struct pl_gather *gather, struct pl_error *err);
/* Pairs of points on both sides of axes that a configuration has no value on. */
void pl_parallel_bridges(const struct pl_points *points, struct pl_points *bridges);
/* The settings that are to have an axis, where the declaration names none. Returns how many; keys gets the first. */
size_t pl_parallel_keys(const struct pl_gather *gather, size_t *keys, size_t capacity);
int pl_gather_seeds(struct pl_figure *figure, struct pl_gather *gather, struct pl_error *err);
int pl_gather_tuning(struct pl_figure *figure, struct pl_gather *gather, struct pl_error *err);
/* Makes the one panel of a figure of methods over tasks (profile, ranks) and fills it, with its labels. */
int pl_gather_methods(struct pl_figure *figure, struct pl_gather *gather, struct pl_error *err);

/* Sets the ranges (and, where not declared, the scale) of a panel with lines. */
void pl_range_panel(struct pl_panel *panel, const struct pl_figure_spec *spec, bool log_x);
/* The same of all panels of a figure, which share what the declaration says. */
void pl_range_panels(struct pl_figure *figure, const struct pl_figure_spec *spec, bool log_x);

/* Where the middle of n finite values is and how far they reach, as a declaration's band asks; low and high are the
 * middle where there is no such reach (one value). mean and deviation (NaN: none) are theirs. */
void pl_spread_set(enum pl_around around, const double *values, size_t n, double mean, double deviation,
                   struct pl_point *point);
/* The same, with the number of runs, where some more never reached their target and are infinite: so is a mean then,
 * and a quartile that lies among them. */
void pl_spread_never(enum pl_around around, const double *values, size_t n, size_t never, struct pl_point *point);
/* "mean" or "median" */
const char *pl_spread_middle(enum pl_around around);
/* Appends what bands show, where it is not the standard deviation, and how curves are smoothed, as sentences. */
void pl_spread_say(const struct pl_figure *figure, const struct pl_gather *gather, struct pl_text *out);
/* The range of values without the absurd ones: see docs/figures.md. values is sorted on return. */
void pl_range_robust(double *values, size_t count, bool log, double range[2]);

/* The points of a line that stand beyond an end of the y axis: above (infinity too), or below (on a logarithmic axis
 * with all that is not above zero). Of neighbours the first and then every so manieth; 1: all. */
void pl_range_beyond(const struct pl_panel *panel, const struct pl_points *points, enum pl_mark side, size_t every,
                     struct pl_points *beyond);

/* Says what the figure leaves out or cannot show, a sentence a line, once ranges and scales are known. */
void pl_note_left_out(struct pl_figure *figure, const struct pl_gather *gather);

/* "where = p0; adam, train loss": a line as notes call it. */
void pl_note_name_line(const struct pl_gather *gather, size_t panel, const struct pl_plot_line *line,
                       struct pl_text *out);

/* Fits what the declaration asks for, once ranges and scales are known, and notes every slope. */
void pl_fit_panels(struct pl_figure *figure, const struct pl_gather *gather);
/* The ends of a line of given slope from the panel's anchor on, as far as it is within the ranges: beyond them no
 * format draws it with its slope. Returns false where it never is. */
bool pl_fit_reference(const struct pl_panel *panel, double slope, double x[2], double y[2]);

/* ---- labels ---- */

/* Appends text so that gnuplot's enhanced mode shows it as it stands; control characters as their pictures, and what is
 * not UTF-8 as U+FFFD. plain: without markup. */
void pl_label_text(struct pl_text *out, const char *text, bool plain);
/* Appends a label without its markup; plain: it has none. */
void pl_label_unmarked(struct pl_text *out, const char *label, bool plain);
/* Appends a label with gnuplot's markup as text of LaTeX. */
void pl_label_latex(struct pl_text *out, const char *label);
/* Appends a label (or a file name) as a string of a gnuplot script, in which nothing has a meaning of its own. */
void pl_label_quote(struct pl_text *script, const char *text);
/* Appends a label of at most so many characters; where it is cut, its markup goes with it. */
void pl_label_cut(struct pl_text *out, const char *label, size_t most);
/* A setting's or metric's name: Greek letters, subscripts; underscores become spaces. */
void pl_label_name(struct pl_text *out, const char *name, bool plain);
/* The same, but what the figure's labels say where they know the name. */
void pl_label_known(struct pl_text *out, const struct pl_labels *labels, const char *name, bool plain);
/* A number such as 0.1, 10^8, infinity. */
void pl_label_number(struct pl_text *out, double value, bool plain);
void pl_label_value(struct pl_text *out, const struct pl_labels *labels, const struct pl_value *value, bool plain);
/* "λ = 0.1, ε = 1"; words stand without their key. */
void pl_label_heading(struct pl_text *out, const struct pl_results *results, const struct pl_labels *labels,
                      const struct pl_headings *headings, size_t index, bool plain);

/* ---- from the model to a picture ---- */

/* The number of a style's colour, and of its dashes and marks: of several metrics the lines of one heading have one
 * colour. */
void pl_style_of(const struct pl_figure *figure, size_t style, size_t *colour, size_t *dash);

struct pl_layout_size {
    double width, height; /* inches */
    double scale;         /* of letters, beside ordinary ones */
    double letter, line;  /* inches that a character takes along a line, and a line */
    size_t columns, rows;
    double panel_width, panel_height, title, legend; /* inches; heights of the two strips */
    double said;                                     /* of what the figure says of itself, below the legend */
    double left, right, bottom;                      /* margins within a panel, for its axes */
    double inner;                                    /* in place of left, where y needs no name */
    double pitch;                                    /* from a row of panels to the next: less than a panel is high
                                                        where rows but the last need no room for labels of x */
    size_t legend_columns;
    size_t x_lines, y_lines, z_lines; /* that there is room for of the names of axes */
    int slant;                        /* degrees by which labels along x are turned */
    double heading;                   /* inches above a panel, for its title */
};
void pl_layout_measure(const struct pl_figure *figure, const struct pl_plot_options *options,
                       struct pl_layout_size *size);
/* What a figure says of itself has letters of that size, beside ordinary ones. */
#define PL_LAYOUT_SAID 0.8
/* PL_EINPUT where the size that is asked for leaves no room for the panels; notes names in the legend that are cut. */
int pl_layout_check(const struct pl_figure *figure, const struct pl_plot_options *options, struct pl_text *notes,
                    struct pl_error *err);
/* The size of ordinary letters in points where a size of the figure or of them was asked for; else 0. */
double pl_layout_points(const struct pl_figure *figure);
/* Characters of a legend's entry that have room. */
size_t pl_layout_entry(const struct pl_figure *figure, const struct pl_layout_size *size);

/* How large the letters of a heat map's numbers are, beside ordinary ones, so that they stay within their squares, and
 * whether there is room for a second line. 0: there is no room for numbers that can be read. */
double pl_layout_numbers(const struct pl_figure *figure, const struct pl_layout_size *size, bool *two);

/* Breaks a text between words so that its lines are no wider than so many inches where it can be done; returns how many
 * lines there are. size: of its letters, beside ordinary ones. */
size_t pl_layout_wrap(const char *text, double inches, double size, struct pl_text *out);

/* Lines that the name of an axis ('x', 'y', 'z': the scale of colours) takes where it has so many inches: at most
 * three.
 */
size_t pl_layout_name_lines(const struct pl_figure *figure, const struct pl_layout_size *size, char which,
                            double inches);
/* The name as it has room, in lines. Returns the size of its letters, beside ordinary ones; cut: it is not whole. */
double pl_layout_name(const struct pl_figure *figure, const struct pl_layout_size *size, char which,
                      struct pl_text *out, bool *cut);

/* Values are drawn in units of 10^power, so that gnuplot's arithmetic holds the ends of the axis. */
int pl_scale_power(const double range[2], bool log);

/* A script and its data while they are written. */
struct pl_script {
    const struct pl_figure *figure;
    const struct pl_plot_options *options;
    struct pl_layout_size size;
    const char *base; /* the name of the files, without ending */
    size_t blocks;    /* of the data, so far; they are called [1], [2], ... */
    struct pl_text *text, *data;
};

/* How the names of files end, by format. */
extern const char *const pl_plot_endings[];
/* Writes the script and the data file it reads. base is the file name without ending. */
void pl_script_write(const struct pl_figure *figure, const char *base, const struct pl_plot_options *options,
                     struct pl_text *text, struct pl_text *data);
/* One panel's plot command and data. */
void pl_script_lines(struct pl_script *script, const struct pl_panel *panel);
void pl_script_squares(struct pl_script *script, const struct pl_panel *panel);
void pl_script_parallel(struct pl_script *script, const struct pl_panel *panel);
void pl_script_ranks(struct pl_script *script, const struct pl_panel *panel);
/* Scales and ticks of both axes (without labels where label_x, label_y are false), and the functions x_at, y_at,
 * band_at and edge_at, which bring values to their place.
 */
void pl_script_axes(struct pl_script *script, const struct pl_panel *panel, bool label_x, bool label_y);
/* A label as a string of the script, in the language of its texts. */
/* The label as the figure's format writes it: for LaTeX, or as gnuplot's enhanced text, in which no "]]>" is left: its
 * SVG would be no XML. */
void pl_script_text(const struct pl_figure *figure, struct pl_text *out, const char *label);
void pl_script_quote(const struct pl_figure *figure, struct pl_text *script, const char *label);
/* The same as the label of a tick, whose percent signs gnuplot would take for those of a format. */
void pl_script_tick(const struct pl_figure *figure, struct pl_text *script, const char *label);
/* "set WHAT NAME HOW": the name of an axis in the lines and letters that it has room for. */
void pl_script_name(const struct pl_figure *figure, const struct pl_layout_size *size, struct pl_text *script,
                    const char *what, char which, const char *how);
/* "set ztics ..." or "set cbtics ..." with the ticks of a colour scale. */
void pl_script_colour_scale(struct pl_script *script, const struct pl_panel *panel);
/* Begins a block of data and returns its number. It has at least one row, and two empty rows stand nowhere else. */
size_t pl_script_block(struct pl_script *script, const char *label, const char *what);
void pl_script_end_block(struct pl_script *script);
void pl_script_number(struct pl_text *out, double value); /* in full; NaN, inf, -inf */
/* "'./NAME.dat' index '[3]' " */
void pl_script_source(struct pl_script *script, size_t block);
/* How the index-th line of a given slope is drawn, and a mark: the style, and the words of the legend. */
const char *pl_script_reference(size_t index);
/* How a tuning curve of means is drawn beside that of medians, and what the legend calls it. */
extern const char pl_script_beside[], pl_script_beside_title[];
void pl_script_mark(struct pl_text *script, const struct pl_figure *figure, enum pl_mark mark);
const char *pl_script_mark_title(enum pl_mark mark, enum pl_figure_kind kind);

/* Where a value lies between the ends of the panel's scale of colours, from 0 to 1; and the colour there, as 0xRRGGBB,
 * and whether text on it should be white. */
double pl_colour_place(const struct pl_panel *panel, double value);
unsigned pl_colour_at(const struct pl_figure *figure, double place, bool *white);
/* "set palette ..." with these colours. */
void pl_colour_palette(const struct pl_figure *figure, struct pl_text *script);

/* Runs gnuplot on the script in a scratch folder and hands back what it drew: the file that ends in picture, and where
 * second is not NULL the one that ends so. */
int pl_gnuplot_run(const char *base, const struct pl_text *script, const struct pl_text *data, const char *picture,
                   const char *second, struct pl_text *drawn, struct pl_text *more, struct pl_error *err);

#endif
