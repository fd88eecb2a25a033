#include "cmd.h"
#include "cmd_results.h"
#include "collect.h"
#include "plot/plot.h"
#include "plot_look.h"
#include "store/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const struct pl_option options[] = {
    {.name = "study", .argument = "NAME,...", .help = "the newest sweep of this study, or of several together"},
    {.name = "figure", .argument = "NAME", .help = "only this figure of those that the spec declares", .repeats = true},
    {.name = "format", .argument = "FORMAT", .help = "kind of file (default png)", .words = PL_PLOT_FILE_WORDS},
    {.name = "out", .argument = "DIR", .help = "folder to write to (default plots)"},
    {.name = "keep", .help = "write the gnuplot script and its data beside the figure"},
    {.name = "terminal", .argument = "KIND", .help = "draw into the terminal with characters", .words = "dumb"},
    {.name = "kind",
     .argument = "KIND",
     .help = "one figure of your own instead of the declared ones",
     .words = PL_FIGURE_KIND_WORDS},
    {.name = "x",
     .argument = "KEY",
     .help = "the setting along x (parallel: settings); curves: epoch or seconds; tuning: points or epochs"},
    {.name = "y", .argument = "METRIC|KEY", .help = "the metric, of curves also several; heatmap: the setting along y"},
    {.name = "z", .argument = "METRIC|KEY", .help = "heatmap: the metric; scatter: the setting that colours"},
    {.name = "lines", .argument = "KEY,...", .help = "settings that part the lines; profile, ranks: the methods"},
    {.name = "panels", .argument = "KEY,...", .help = "settings that part the panels"},
    {.name = "log", .argument = "AXES", .help = "logarithmic axes: x, y or x,y"},
    {.name = "x-range", .argument = "LOW:HIGH", .help = "ends of the x axis; either may be left out"},
    {.name = "y-range", .argument = "LOW:HIGH", .help = "ends of the y axis"},
    {.name = "fit", .help = "a straight line through the means of every line, with its slope"},
    {.name = "slopes", .argument = "NUMBER,...", .help = "lines of these slopes beside the data"},
    {.name = "best", .argument = "N", .help = "only the N best over the settings of --over"},
    {.name = "over", .argument = "KEY,...", .help = "of these settings only the best are drawn"},
    {.name = "by", .argument = "METRIC", .help = "what to choose by (default: the best validation)"},
    {.name = "cell",
     .argument = "KIND",
     .help = "profile, ranks: what counts of the seeds",
     .words = PL_CELL_WORDS,
     .word_of = pl_cell_kind},
    {.name = "target", .argument = "METRIC=NUMBER", .help = "what epochs_to_target and seconds_to_target count to"},
    {.name = "statistic", .argument = "KIND", .help = "tuning: of the best of k points", .words = PL_STATISTIC_WORDS},
    {.name = "band",
     .argument = "KIND",
     .help = "around curves and in sensitivity (default std); of tuning (default ld)",
     .words = PL_AROUND_WORDS " dkw ks ld"},
    {.name = "smooth", .argument = "N", .help = "curves: each run's running mean over N epochs, or \"median N\""},
    {.name = "shared", .argument = "AXES", .help = "axes that all panels share: x, y or x,y"},
    {.name = "labels",
     .argument = "NAME=TEXT,...",
     .help = "what is shown for names of settings, values and metrics",
     .repeats = true},
    {.name = "level", .argument = "P", .help = "confidence of a band or critical difference (default 0.95)"},
    {.name = "tau-max", .argument = "X", .help = "the end of a profile (default 4)"},
    {.name = "width", .argument = "LENGTH", .help = "of the whole figure, as 3.25in, 8cm or 240pt"},
    {.name = "height", .argument = "LENGTH", .help = "of the whole figure"},
    {.name = "font", .argument = "FAMILY,SIZE", .help = "of its texts, or either: Times,9"},
    {.name = "title", .argument = "TEXT", .help = "heading of the figure"},
    {.name = "name", .argument = "NAME", .help = "file name without ending, of a figure of your own"},
    {.name = "select", .argument = "WHICH", .help = "which value of a curve counts", .words = PL_SELECT_WORDS},
    {.name = "where", .argument = "KEY=VALUE,...", .help = "only configurations with such a setting", .repeats = true},
    PL_NO_COLLECT,
};

struct plot {
    const struct pl_args *args;
    struct pl_plot_options draw;
    struct pl_figure_spec own; /* what the command line says */
    double slopes[5];
    struct pl_target target; /* --target */
    bool ad_hoc;
    bool *labels_met;      /* of --labels: whether there is anything that they are for */
    struct pl_names files; /* of the figures drawn so far, without their endings */
    size_t drawn, empty;   /* figures tried, and those that no configuration is left for */
};

/* The terminal's size, or what is usual where there is none. */
static void measure_terminal(struct pl_plot_options *draw)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    int64_t width = 0;
    draw->width = 79;
    draw->height = 24;
    if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col && size.ws_row) {
        draw->width = size.ws_col - 1;
        draw->height = size.ws_row - 1;
    } else if (columns && pl_integer_read(columns, &width)) {
        draw->width = (int)(width < 1000 ? width : 1000) - 1;
    }
    draw->width = draw->width < 40 ? 40 : draw->width;
    draw->height = draw->height < 16 ? 16 : draw->height > 40 ? 40 : draw->height;
}

static bool read_range(const struct pl_args *args, const char *option, double range[2])
{
    const char *given = pl_args_get(args, option, NULL), *colon = given ? strchr(given, ':') : NULL;
    range[0] = range[1] = NAN;
    if (!given)
        return true;
    bool good = colon;
    if (good) {
        char *low = pl_copy_bytes(given, (size_t)(colon - given));
        good = (!*low || pl_number_read(low, &range[0])) && (!colon[1] || pl_number_read(colon + 1, &range[1])) &&
               !(range[0] >= range[1]);
        free(low);
    }
    if (!good)
        pl_cmd_usage_error(args, "--%s is '%s', but must be like 0:1, 0: or :100", option, given);
    return good;
}

static bool read_log(struct plot *p)
{
    const char *given = pl_args_get(p->args, "log", "");
    if (given[strspn(given, "xy,")]) {
        pl_cmd_usage_error(p->args, "--log is '%s', but must be x, y or x,y", given);
        return false;
    }
    p->own.log_x = strchr(given, 'x');
    p->own.log_y = strchr(given, 'y');
    return true;
}

static bool read_slopes(struct plot *p)
{
    struct pl_names names = {0};
    bool good = true;
    p->own.fit = pl_args_has(p->args, "fit");
    p->own.slopes = p->slopes;
    pl_names_read(pl_args_get(p->args, "slopes", NULL), &names);
    good = names.count <= sizeof p->slopes / sizeof *p->slopes;
    for (size_t i = 0; i < names.count && good; i++, p->own.slope_count++)
        good = pl_number_read(names.names[i], &p->slopes[i]) && isfinite(p->slopes[i]);
    if (!good)
        pl_cmd_usage_error(p->args, "--slopes is '%s', but must be up to 5 finite numbers, like 0.5,0.25",
                           pl_args_get(p->args, "slopes", ""));
    pl_names_release(&names);
    return good;
}

static bool read_name(struct plot *p)
{
    const char *name = pl_args_get(p->args, "name", NULL);
    if (name && !pl_name_is_legal(name)) {
        pl_cmd_usage_error(p->args,
                           "--name is '%.100s', but becomes a file name: it must be at most 100 letters, digits, _, - "
                           "and ., and begin with neither . nor -",
                           name);
        return false;
    }
    p->own.name = pl_copy(name);
    p->own.title = pl_copy(pl_args_get(p->args, "title", NULL));
    return true;
}

/* "test_accuracy" or, as in a table, "last loss"; the second setting of a heat map is just a name. */
static bool read_metric(struct plot *p, const char *option, bool metric, char **name)
{
    const char *given = pl_args_get(p->args, option, NULL), *found = given;
    if (given && strchr(given, ',') && pl_figure_traits[p->own.kind].curves && pl_args_has(p->args, "kind")) {
        pl_names_read(given, &p->own.metrics);
        *name = p->own.metrics.count ? pl_copy(p->own.metrics.names[0]) : NULL;
        return true;
    }
    if (given && metric && !pl_select_read(given, &p->own.select, &found)) {
        pl_cmd_usage_error(p->args, "--%s is '%s', but must be a metric, as in \"loss\" or \"last loss\"", option,
                           given);
        return false;
    }
    *name = pl_copy(found);
    return true;
}

/* What statistics take, which acts on declared figures as well. */
static bool read_statistics(struct plot *p)
{
    const struct pl_args *args = p->args;
    const char *statistic = pl_args_get(args, "statistic", pl_statistic_names[0]);
    p->own.statistic = (enum pl_statistic)pl_cmd_word_of(statistic, pl_statistic_names, PL_STATISTIC_COUNT);
    p->own.cell = pl_copy(pl_args_get(args, "cell", NULL));
    return pl_args_real(args, "level", 0.01, 0.9999, p->own.confidence, &p->own.confidence) &&
           pl_args_real(args, "tau-max", 1.000001, 1e9, p->own.tau_max, &p->own.tau_max) &&
           pl_cmd_read_choice(args, &p->own.choose) && pl_cmd_read_target(args, &p->target);
}

static bool read_options(struct plot *p)
{
    const struct pl_args *args = p->args;
    const char *format = pl_args_get(args, "format", "png"), *kind = pl_args_get(args, "kind", NULL);
    p->draw.format = (enum pl_plot_format)pl_cmd_word_of(format, pl_plot_file_names, PL_PLOT_FILE_COUNT);
    if (pl_args_has(args, "terminal"))
        p->draw.format = PL_PLOT_DUMB;
    p->draw.keep = pl_args_has(args, "keep");
    measure_terminal(&p->draw);
    p->ad_hoc = kind;
    if (kind)
        pl_figure_kind_read(kind, &p->own.kind);
    if (!pl_plot_read_folder(args, &p->draw.folder))
        return false;
    static const char *const needing[] = {"x", "y", "z", "lines", "panels", "name"};
    for (size_t i = 0; i < sizeof needing / sizeof *needing && !kind; i++)
        if (pl_args_has(args, needing[i])) {
            pl_cmd_usage_error(args, "--%s describes a figure of your own, which needs --kind", needing[i]);
            return false;
        }
    if (kind && pl_args_has(args, "figure")) {
        pl_cmd_usage_error(args, "--figure picks a declared figure and --kind makes one; give one of them");
        return false;
    }
    const struct pl_figure_traits *has = &pl_figure_traits[p->own.kind];
    if (has->x == PL_OF_SETTINGS)
        pl_names_read(pl_args_get(args, "x", NULL), &p->own.axes);
    else
        p->own.x = pl_copy(pl_args_get(args, "x", NULL));
    if (!read_metric(p, "y", has->y == PL_OF_METRIC, &p->own.y) ||
        !read_metric(p, "z", has->z == PL_OF_METRIC, &p->own.z) || !read_name(p))
        return false;
    if (pl_args_has(args, "select"))
        pl_cmd_read_select(args, &p->own.select);
    pl_names_read(pl_args_get(args, "lines", NULL), &p->own.lines);
    pl_names_read(pl_args_get(args, "panels", NULL), &p->own.panels);
    return read_statistics(p) && pl_plot_read_look(args, &p->own) && read_log(p) && read_slopes(p) &&
           read_range(args, "x-range", p->own.x_range) && read_range(args, "y-range", p->own.y_range) &&
           pl_cmd_read_where(args, &p->own.where, &p->own.where_count);
}

/* A declared figure with what the command line changes about it; its list of conditions is the caller's. */
static struct pl_figure_spec amend(const struct plot *p, const struct pl_figure_spec *declared)
{
    struct pl_figure_spec spec = *declared;
    bool axes = pl_figure_traits[spec.kind].axes;
    for (int i = 0; i < 2 && axes; i++) {
        spec.x_range[i] = isfinite(p->own.x_range[i]) ? p->own.x_range[i] : spec.x_range[i];
        spec.y_range[i] = isfinite(p->own.y_range[i]) ? p->own.y_range[i] : spec.y_range[i];
    }
    spec.log_x |= axes && p->own.log_x;
    spec.log_y |= axes && p->own.log_y;
    spec.fit |= p->own.fit;
    if (p->own.slope_count) {
        spec.slopes = p->own.slopes;
        spec.slope_count = p->own.slope_count;
    }
    if (pl_args_has(p->args, "statistic"))
        spec.statistic = p->own.statistic;
    if (pl_args_has(p->args, "level"))
        spec.confidence = p->own.confidence;
    if (pl_args_has(p->args, "tau-max"))
        spec.tau_max = p->own.tau_max;
    pl_plot_amend_look(p->args, &p->own, &spec);
    if (p->own.title)
        spec.title = p->own.title;
    if (pl_args_has(p->args, "select"))
        spec.select = p->own.select;
    spec.where = pl_cmd_join_where(declared->where, declared->where_count, p->own.where, p->own.where_count);
    spec.where_count = declared->where_count + p->own.where_count;
    return spec;
}

/* Is there no configuration that meets the conditions, which themselves make sense? */
static bool leaves_nothing(const struct pl_results *results, const struct pl_figure_spec *spec)
{
    struct pl_error err;
    size_t *configs = NULL, count = 0;
    int status = pl_results_where(results, spec->where, spec->where_count, &configs, &count, &err);
    free(configs);
    return status == PL_EMISSING || (!status && !count);
}

/* What a figure's file is called. Studies that are drawn at once may give theirs one name: no figure replaces another.
 */
static char *name_file(struct plot *p, const struct pl_results *results, const struct pl_figure_spec *spec)
{
    struct pl_text name = {0};
    if (spec->name)
        pl_text_add(&name, spec->name);
    else
        pl_text_addf(&name, "%s-%s", pl_results_name(results), pl_figure_kind_names[spec->kind]);
    char *wanted = pl_copy(pl_text(&name));
    for (int i = 1; pl_names_have(&p->files, pl_text(&name)); i++) {
        pl_text_clear(&name);
        pl_text_addf(&name, i > 1 ? "%s-%s-%d" : "%s-%s", pl_results_name(results), wanted, i);
    }
    if (strcmp(pl_text(&name), wanted) && p->draw.format != PL_PLOT_DUMB)
        pl_cmd_note("poula plot: another study has drawn a figure %s: that of %s is %s", wanted,
                    pl_results_name(results), pl_text(&name));
    pl_names_add(&p->files, pl_text(&name));
    free(wanted);
    return pl_text_take(&name);
}

static int draw(struct plot *p, struct pl_results *results, const struct pl_figure_spec *wanted)
{
    struct pl_figure_spec spec = *wanted;
    struct pl_text output = {0}, notes = {0};
    struct pl_error err;
    int code = 0;
    p->drawn++;
    spec.name = name_file(p, results, wanted);
    if (pl_plot_draw(results, &spec, &p->draw, &output, &notes, &err)) {
        bool empty = err.code == PL_EMISSING && p->own.where_count && leaves_nothing(results, &spec);
        code = pl_cmd_fail(p->args, &err);
        p->empty += empty;
        if (empty)
            code = 0; /* a figure that --where leaves empty was not asked for */
    } else {
        pl_cmd_lines(stdout, pl_text(&output));
        fputs(p->draw.format == PL_PLOT_DUMB ? "" : "\n", stdout);
    }
    fflush(stdout);
    pl_cmd_lines(stderr, pl_text(&notes));
    pl_cmd_meet_labels(&p->own.labels, results, p->labels_met);
    pl_text_release(&output);
    pl_text_release(&notes);
    free(spec.name);
    return code;
}

static bool is_wanted(const struct pl_args *args, const struct pl_figure_spec *figure)
{
    const char *name;
    if (!pl_args_has(args, "figure"))
        return true;
    for (size_t i = 0; (name = pl_args_nth(args, "figure", i)); i++)
        if (figure->name && !strcmp(figure->name, name))
            return true;
    return false;
}

static int plot_sweep(void *self, struct pl_results *results)
{
    struct plot *p = self;
    const struct pl_study *study = pl_results_study(results);
    bool declared = !p->ad_hoc && study && study->figure_count;
    int worst = 0;
    struct pl_error err;
    if (p->target.metric && pl_results_set_target(results, p->target.metric, p->target.value, &err))
        return pl_cmd_fail(p->args, &err);
    if (!declared && !pl_args_has(p->args, "figure"))
        return draw(p, results, &p->own);
    for (size_t i = 0; declared && i < study->figure_count; i++) {
        if (!is_wanted(p->args, &study->figures[i]))
            continue;
        struct pl_figure_spec spec = amend(p, &study->figures[i]);
        int code = draw(p, results, &spec);
        worst = code > worst ? code : worst;
        free(spec.where);
        pl_labels_release(&spec.labels);
    }
    return worst;
}

static int run(const struct pl_args *args)
{
    struct plot p = {.args = args, .own = pl_figure_neutral};
    int code = 2;
    if (read_options(&p)) {
        p.labels_met = pl_new((p.own.labels.count + 1) * sizeof *p.labels_met);
        code = pl_cmd_each_sweep(args, p.own.where, p.own.where_count, plot_sweep, &p);
        if (!code && p.drawn)
            pl_cmd_note_labels(args, &p.own.labels, p.labels_met);
        if (!code && !p.drawn)
            code = pl_cmd_usage_error(args, "no study of this sweep declares a figure '%s'",
                                      pl_args_get(args, "figure", ""));
        if (p.own.where_count && p.drawn && p.empty == p.drawn &&
            code < 2) /* whatever the conditions were meant to say */
            code = 2;
    }
    free(p.labels_met);
    pl_plot_release_look(&p.own);
    free(p.own.x);
    free(p.own.y);
    free(p.own.z);
    free(p.own.name);
    free(p.own.title);
    free(p.own.cell);
    free(p.own.choose.metric);
    free(p.target.metric);
    pl_names_release(&p.own.choose.over);
    pl_names_release(&p.files);
    pl_names_release(&p.own.axes);
    pl_names_release(&p.own.lines);
    pl_names_release(&p.own.panels);
    pl_where_free(p.own.where, p.own.where_count);
    return code;
}

const struct pl_command pl_cmd_plot = {
    .name = "plot",
    .summary = "draw the figures of a sweep",
    .arguments = "",
    .description =
        "Draws the figures that the spec of the last sweep declares, or, where it declares none, the curves of its "
        "main metric, and prints the path of each file. With --kind it draws one figure of your own instead: curves "
        "with a band over the seeds, sensitivity (a metric against a setting), heatmap (over two settings), "
        "trajectories, scatter (the points of a search, coloured by a second setting), parallel (a line for each "
        "configuration through the axes of its settings), tuning (the best of k points), "
        "profile (shares of tasks solved in time), ranks (of methods over tasks), box or strip (all seeds, as boxes or "
        "points, against a setting); docs/figures.md says which when.\n"
        "Figures are drawn by gnuplot. --keep leaves its script and data beside the figure, to be changed by hand; "
        "--terminal dumb draws into the terminal.",
    .example = "poula plot --kind sensitivity --x lambda --y loss --lines epsilon --format pdf",
    PL_OPTIONS(options),
    .run = run,
};
