/* Is a declaration complete, and does the study have what it names? Specs are checked when they are read; a command
 * line is checked here. */
#include "plot/plot_priv.h"

#include <math.h>
#include <string.h>

const char *pl_figure_metric(const struct pl_results *results, const struct pl_figure_spec *spec)
{
    const char *named = pl_figure_traits[spec->kind].z == PL_OF_METRIC ? spec->z : spec->y;
    if (named)
        return named;
    if (spec->kind == PL_FIGURE_PROFILE)
        return PL_EPOCHS_TO_TARGET;
    if (spec->kind == PL_FIGURE_TRAJECTORIES && pl_results_has_metric(results, "theta"))
        return "theta";
    return pl_results_main_metric(results);
}

bool pl_figure_tells_time(const struct pl_figure_spec *spec)
{
    return pl_figure_traits[spec->kind].x == PL_OF_TIME && spec->x && !strcmp(spec->x, PL_METRIC_SECONDS);
}

bool pl_figure_has_configs(enum pl_figure_kind kind)
{
    return kind == PL_FIGURE_SENSITIVITY || kind == PL_FIGURE_SCATTER || kind == PL_FIGURE_PARALLEL ||
           pl_figure_traits[kind].seeds;
}

/* What stands along x is one of these words. */
static int check_words(const struct pl_figure_spec *spec, const char *words, struct pl_error *err)
{
    if (!spec->x || pl_has_word(words, spec->x))
        return 0;
    return pl_fail(err, PL_EINPUT, "the x of a figure of kind %s is '%s', but must be one of: %s",
                   pl_figure_kind_names[spec->kind], spec->x, words);
}

static int check_coordinates(const struct pl_results *results, const struct pl_figure_spec *spec, struct pl_error *err)
{
    const struct pl_figure_traits *has = &pl_figure_traits[spec->kind];
    const char *kind = pl_figure_kind_names[spec->kind];
    int status = has->x == PL_OF_TIME    ? check_words(spec, PL_FIGURE_TIME_WORDS, err)
                 : has->x == PL_OF_SPENT ? check_words(spec, PL_FIGURE_SPENDING_WORDS, err)
                                         : 0;
    if (status)
        return status;
    if (pl_figure_tells_time(spec) && !pl_results_has_metric(results, PL_METRIC_SECONDS))
        return pl_fail(err, PL_EINPUT, "study %s has not recorded the seconds that its epochs took",
                       pl_results_name(results));
    if (has->x == PL_OF_SETTING && !spec->x)
        return pl_fail(err, PL_EINPUT, "a figure of kind %s needs x, a setting", kind);
    if (has->x == PL_OF_NOTHING && spec->x)
        return pl_fail(err, PL_EINPUT, "a figure of kind %s has no x", kind);
    if (has->y == PL_OF_SETTING && !spec->y)
        return pl_fail(err, PL_EINPUT, "a figure of kind %s needs y, a second setting", kind);
    if (has->z == PL_OF_NOTHING && spec->z)
        return pl_fail(err, PL_EINPUT, "a figure of kind %s has no z", kind);
    if (!has->fit && (spec->fit || spec->slope_count))
        return pl_fail(err, PL_EINPUT, "a figure of kind %s has no lines to fit, and no slopes", kind);
    if (!has->panels && spec->panels.count)
        return pl_fail(err, PL_EINPUT,
                       "a figure of kind %s has no panels: what is solved (dataset, model, problem ...) are its tasks",
                       kind);
    if (has->tuned && spec->choose.best)
        return pl_fail(err, PL_EINPUT, "a figure of kind %s shows all points and does not choose among them", kind);
    if (has->tasks && spec->choose.best > 1)
        return pl_fail(err, PL_EINPUT, "a figure of kind %s compares the best of each method, and not the best %d",
                       kind, spec->choose.best);
    if (!has->curves && (spec->smooth.epochs || spec->metrics.count > 1))
        return pl_fail(err, PL_EINPUT, "a figure of kind %s %s", kind,
                       spec->smooth.epochs ? "has no curves to smooth" : "shows one metric");
    if (!has->shared && (spec->share_x || spec->share_y))
        return pl_fail(err, PL_EINPUT, "a figure of kind %s has no axes that panels could share", kind);
    if (!has->axes && (spec->log_x || spec->log_y || !isnan(spec->x_range[0]) || !isnan(spec->x_range[1]) ||
                       !isnan(spec->y_range[0]) || !isnan(spec->y_range[1])))
        return pl_fail(err, PL_EINPUT, "a figure of kind %s chooses its scales itself: it has neither log nor ranges",
                       kind);
    if (spec->axes.count > PL_FIGURE_AXES)
        return pl_fail(err, PL_EINPUT, "a figure of kind %s has at most %d settings along x, and not %zu", kind,
                       PL_FIGURE_AXES, spec->axes.count);
    if (has->seeds && (spec->log_x || isfinite(spec->x_range[0]) || isfinite(spec->x_range[1])))
        return pl_fail(err, PL_EINPUT, "a figure of kind %s has categories along x, which have neither scale nor range",
                       kind);
    if (!has->tasks && spec->cell)
        return pl_fail(err, PL_EINPUT, "a figure of kind %s has no cells", kind);
    if (spec->panels.count + spec->lines.count > PL_FIGURE_KEYS / 2)
        return pl_fail(err, PL_EINPUT, "a figure takes at most %d panels and lines together", PL_FIGURE_KEYS / 2);
    return 0;
}

int pl_figure_check(const struct pl_results *results, const struct pl_figure_spec *spec, struct pl_error *err)
{
    const struct pl_figure_traits *has = &pl_figure_traits[spec->kind];
    const char *metric = pl_figure_metric(results, spec);
    bool over_time = has->x == PL_OF_TIME;
    int status = check_coordinates(results, spec, err);
    if (!status && spec->metrics.count > PL_FIGURE_METRICS)
        return pl_fail(err, PL_EINPUT, "a panel shows at most %d metrics, and not %zu", PL_FIGURE_METRICS,
                       spec->metrics.count);
    if (!status)
        status = pl_results_need_metric(results, metric, err);
    for (size_t m = 1; m < spec->metrics.count && !status; m++)
        status = pl_results_need_metric(results, spec->metrics.names[m], err);
    if (!status && over_time && pl_metric_is_to_target(metric))
        return pl_fail(err, PL_EINPUT, "a figure over time shows what was recorded, and %s is not", metric);
    if (status)
        return status;
    if (!over_time && spec->select == PL_SELECT_BEST && pl_results_direction(results, metric) == PL_UNDECLARED)
        return pl_fail(err, PL_EINPUT,
                       "nothing says whether a higher or a lower %s is better: declare it in the spec, as in "
                       "metrics: {%s: max}, or show its last value",
                       metric, metric);
    return 0;
}
