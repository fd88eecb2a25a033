/* Figures of searches and of methods over tasks, for test_figures.c: what they should show is worked out here from the
 * generated runs, by other means than the library's where there are any. */
#ifndef PL_TEST_FIGURES_SEARCH_H
#define PL_TEST_FIGURES_SEARCH_H

#include "figures_read.h"

/* What the runs of one configuration come to. */
struct outcome {
    double mean; /* of the best values of its finished runs; infinite where one diverged */
    double time; /* mean of the epochs until the target */
    double spent;
    int finite, finished, diverged, planned;
};

static inline struct outcome outcome_of(int panel, int line, double target)
{
    struct outcome o = {.planned = SEEDS};
    long double sum = 0; /* of huge ones */
    for (int s = 0; s < SEEDS; s++) {
        const struct known_run *run = &drawn_runs[(panel * LINES + line) * SEEDS + s];
        double best = INFINITY, time = INFINITY;
        if (run->outcome < 0)
            continue;
        o.diverged += run->outcome == PL_DIVERGED;
        o.spent += run->epochs[run->count - 1];
        if (run->outcome == PL_DIVERGED)
            continue;
        for (size_t i = run->count; i-- > 0;) {
            best = isfinite(run->values[i]) ? fmin(best, run->values[i]) : best;
            time = run->values[i] <= target ? run->epochs[i] : time;
        }
        o.finished++;
        o.finite += isfinite(best);
        sum += isfinite(best) ? best : 0;
        o.time += time;
    }
    o.mean = o.diverged ? INFINITY : o.finite ? (double)(sum / o.finite) : NAN;
    o.time = o.diverged ? INFINITY : o.finished ? o.time / o.finished : NAN;
    return o;
}

/* ---- scatter ---- */

static inline void read_back_scatter(struct pl_results *results, unsigned round)
{
    static char epsilon_key[] = "epsilon";
    struct pl_figure figure;
    struct pl_text data = {0}, notes = {0};
    struct pl_figure_spec spec = pl_figure_neutral;
    spec.kind = PL_FIGURE_SCATTER;
    spec.x = lambda_key;
    spec.y = loss;
    spec.z = round % 3 ? epsilon_key : NULL;
    spec.panels = (struct pl_names){panels, 1};
    spec.lines = (struct pl_names){lines, 1};
    spec.log_y = round % 2;
    bool there = read_back(results, &spec, &figure, &data, &notes);
    for (int l = 0; there && l < 2 * LINES; l++) {
        const struct pl_panel *p = &figure.panels[l / LINES];
        struct outcome o = outcome_of(l / LINES, l % LINES, 0);
        char name[8];
        double lambda = l % LINES == LINES - 1 ? p->x_range[1] : pow(10, -(l % LINES));
        snprintf(name, sizeof name, "l%d", l % LINES);
        const struct curve *curve = curve_of(l / LINES, name);
        assert_non_null(curve);
        assert_int_equal(curve->count, 1);
        double mean = o.finite ? o.mean : NAN;
        if (o.diverged && o.finite) /* a diverged run is in no mean */
            mean = curve->rows[0].y;
        if (!is_right(p, mean, curve->rows[0].y, curve->rows[0].drawn) && !(o.diverged && o.finite))
            fail_msg("round %u: point %s of panel %d is drawn at %.17g, its mean is %.17g", round, name, l / LINES,
                     curve->rows[0].y, mean);
        if (!curve->rows[0].drawn)
            continue;
        assert_true(l % LINES == LINES - 1 ? curve->rows[0].x > 1 : alike(curve->rows[0].x, lambda, 1e-12));
        if (spec.z)
            assert_true(alike(curve->rows[0].colour, epsilon_of(l / LINES, l % LINES), 1e-5));
    }
    if (there)
        pl_figure_release(&figure);
    pl_text_release(&data);
    pl_text_release(&notes);
}

/* ---- parallel coordinates ---- */

static inline void compare_parallel(const struct pl_panel *p, const char *block, const struct curve *curve,
                                    double lambda, double epsilon, double mean)
{
    const double values[] = {lambda, epsilon, mean};
    assert_int_equal(curve->count, 3);
    assert_int_equal(rows_of(block), 3);
    for (int i = 0; i < 3; i++, block = strchr(block, '\n') + 1) {
        double row[4];
        char *end = (char *)block;
        for (int k = 0; k < 4; k++)
            row[k] = strtod(end, &end);
        double range[2] = {p->z_range[0], p->z_range[1]};
        bool log_scale = i == 2 ? p->log_z : p->axes[i].log;
        if (i < 2)
            memcpy(range, p->axes[i].range, sizeof range);
        double value = isnan(values[i]) ? row[2]
                                        : values[i]; /* of several runs of which one diverged: not known here */
        double place = log_scale ? log(value / range[0]) / log(range[1] / range[0])
                                 : (value / 2 - range[0] / 2) / (range[1] / 2 - range[0] / 2);
        place = i < 2 ? place : fmin(fmax(place, 0), 1);
        if (!alike(row[2], value, 1e-12) || curve->rows[i].x != i || !alike(curve->rows[i].y, row[1], 1e-12) ||
            (isfinite(value) && fabs(row[1] - place) > 1e-9) || !(row[1] >= 0 && row[1] <= 1))
            fail_msg("axis %d: %.17g is at %.17g, drawn at %.17g, and not %.17g at %.17g", i, row[2], row[1],
                     curve->rows[i].y, value, place);
    }
}

/* A line for each configuration, which here has a heading of its own. */
static inline void read_back_parallel(struct pl_results *results, unsigned round)
{
    static char epsilon_key[] = "epsilon";
    static char *along[] = {lambda_key, epsilon_key};
    struct pl_figure figure;
    struct pl_text data = {0}, notes = {0};
    struct pl_figure_spec spec = pl_figure_neutral;
    spec.kind = PL_FIGURE_PARALLEL;
    spec.axes = (struct pl_names){along, 2};
    spec.y = loss;
    spec.panels = (struct pl_names){panels, 1};
    spec.lines = (struct pl_names){lines, 1};
    bool there = read_back(results, &spec, &figure, &data, &notes);
    for (int l = 0; there && l < 2 * LINES; l++) {
        struct outcome o = outcome_of(l / LINES, l % LINES, 0);
        char name[8];
        snprintf(name, sizeof name, "l%d", l % LINES);
        const char *block = block_of(pl_text(&data), l / LINES, name, "a line for each configuration");
        const char *lost = block_of(pl_text(&data), l / LINES, name, "every run diverged: axis");
        if (!block != !o.finite || !lost != !(o.diverged && !o.finite))
            fail_msg("round %u: %s of panel %d is %sdrawn, and %sas diverged", round, name, l / LINES,
                     block ? "" : "not ", lost ? "" : "not ");
        if (block)
            compare_parallel(&figure.panels[l / LINES], block, curve_of(l / LINES, name),
                             l % LINES == LINES - 1 ? INFINITY : pow(10, -(l % LINES)),
                             epsilon_of(l / LINES, l % LINES), o.diverged ? NAN : o.mean);
    }
    if (there)
        pl_figure_release(&figure);
    pl_text_release(&data);
    pl_text_release(&notes);
}

/* ---- tuning ---- */

static inline int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The mean of the best (least) of k of n scores, over all ways to take k of them. */
static inline double mean_of_best_of(const double *scores, int n, int k)
{
    long double sum = 0;
    int ways = 0;
    for (int set = 0; set < 1 << n; set++) {
        double best = INFINITY;
        if (__builtin_popcount((unsigned)set) != k)
            continue;
        for (int i = 0; i < n; i++)
            best = set >> i & 1 ? fmin(best, scores[i]) : best;
        sum += best;
        ways++;
    }
    return (double)(sum / ways);
}

static inline void compare_tuning(const struct pl_figure *figure, const struct pl_figure_spec *spec, const char *data,
                                  int panel)
{
    double scores[LINES], spent = 0;
    static const double anything[2] = {-INFINITY, INFINITY};
    int n = 0;
    for (int l = 0; l < LINES; l++) {
        struct outcome o = outcome_of(panel, l, 0);
        bool counts = o.diverged || (o.finite && o.finite == o.planned);
        spent += counts ? o.spent : 0;
        if (counts)
            scores[n++] = o.diverged ? INFINITY : o.mean;
    }
    qsort(scores, (size_t)n, sizeof *scores, by_size);
    char heading[40];
    snprintf(heading, sizeof heading, "# panel %d:", panel + 1);
    const char *row = strstr(strstr(data, heading), "the best of so many points");
    if (!n)
        return;
    struct pl_band band;
    struct pl_tuning tuning;
    pl_tuning_init(&tuning, scores, (size_t)n, true);
    if (n > 1)
        ok(pl_band_make(&band, spec->band, (size_t)n, spec->confidence, &err));
    for (int k = 1; k <= n; k++) {
        double numbers[4], low = NAN, high = NAN;
        row = strchr(row, '\n') + 1;
        char *end = (char *)row;
        for (int i = 0; i < 4; i++)
            numbers[i] = strtod(end, &end);
        /* The least y such that at least a share of 2^(-1/k) of the scores is no better. */
        int rank = n - (int)ceil(n * pow(0.5, 1.0 / k) - 1e-9);
        double want = spec->statistic == PL_STATISTIC_MEAN ? mean_of_best_of(scores, n, k) : scores[rank];
        if (n > 1 && spec->statistic != PL_STATISTIC_MEAN)
            pl_tuning_ends(&tuning, &band, k, anything, &low, &high);
        double x = strcmp(spec->x, "epochs") ? k : k * spent / n;
        if (!alike(numbers[0], x, 1e-12) || !alike(numbers[1], want, 1e-12) || !alike(numbers[2], low, 1e-12) ||
            !alike(numbers[3], high, 1e-12))
            fail_msg("panel %d: the best of %d is '%.*s', not %.17g %.17g %.17g %.17g", panel, k,
                     (int)strcspn(row, "\n"), row, x, want, low, high);
        const struct curve *curve = NULL;
        for (size_t i = 0; i < curve_count && !curve; i++) /* the band is a curve without title, and comes first */
            if (curves[i].panel == panel && curves[i].count == (size_t)n &&
                (i + 1 == curve_count || !curves[i + 1].count || curves[i + 1].panel != panel))
                curve = &curves[i];
        if (curve && isfinite(want) && want >= figure->panels[panel].y_range[0] &&
            want <= figure->panels[panel].y_range[1] && curve->rows[k - 1].drawn && x > 0)
            assert_true(is_right(&figure->panels[panel], want, curve->rows[k - 1].y, true));
    }
    if (n > 1)
        pl_band_release(&band);
    pl_tuning_release(&tuning);
}

static inline void read_back_tuning(struct pl_results *results, unsigned round)
{
    static char points[] = "points", epochs[] = "epochs";
    struct pl_figure figure;
    struct pl_text data = {0}, notes = {0};
    struct pl_figure_spec spec = pl_figure_neutral;
    spec.kind = PL_FIGURE_TUNING;
    spec.x = round % 2 ? epochs : points;
    spec.y = loss;
    spec.panels = (struct pl_names){panels, 1};
    spec.lines = (struct pl_names){panels, 1}; /* so that curves have a title */
    spec.statistic = round % 3 == 2 ? PL_STATISTIC_MEAN : PL_STATISTIC_MEDIAN;
    spec.band = (enum pl_band_kind)(round % PL_BAND_COUNT);
    if (read_back(results, &spec, &figure, &data, &notes)) {
        for (int p = 0; p < 2; p++)
            compare_tuning(&figure, &spec, pl_text(&data), p);
        pl_figure_release(&figure);
    }
    pl_text_release(&data);
    pl_text_release(&notes);
}

/* ---- methods over tasks ---- */

static unsigned ranked, profiled, steps; /* of profiles: points between the ends */

static inline void read_back_ranks(struct pl_results *results, unsigned round)
{
    struct pl_figure figure;
    struct pl_text data = {0}, notes = {0};
    struct pl_figure_spec spec = pl_figure_neutral;
    double scores[2][LINES];
    bool complete = true;
    spec.kind = PL_FIGURE_RANKS;
    spec.y = loss;
    spec.lines = (struct pl_names){lines, 1};
    static char lambda[] = "lambda";
    static char *over[] = {lambda};
    spec.choose = (struct pl_selection){.best = 1, .over = {over, 1}, .metric = loss};
    for (int l = 0; l < 2 * LINES; l++) {
        scores[l / LINES][l % LINES] = outcome_of(l / LINES, l % LINES, 0).mean;
        complete &= !isnan(scores[l / LINES][l % LINES]);
    }
    if (!complete)
        return;
    assert_true(read_back(results, &spec, &figure, &data, &notes));
    ranked++;
    for (int l = 0; l < LINES; l++) {
        double sum = 0;
        char name[8];
        for (int p = 0; p < 2; p++)
            for (int k = 0; k < LINES; k++)
                sum += scores[p][k] < scores[p][l] ? 1 : scores[p][k] == scores[p][l] ? 0.5 : 0;
        snprintf(name, sizeof name, "l%d", l);
        const struct curve *curve = curve_of(0, name);
        assert_non_null(curve);
        if (!alike(curve->rows[0].x, sum / 2 + 0.5, 1e-12))
            fail_msg("round %u: the mean rank of %s is drawn at %.17g, not %.17g", round, name, curve->rows[0].x,
                     sum / 2 + 0.5);
    }
    for (size_t i = 0; i < figure.alike_count; i++) {
        const struct pl_panel *p = &figure.panels[0];
        const struct pl_alike *a = &figure.alike[i];
        assert_true(p->lines[a->last].means.list[0].x - p->lines[a->first].means.list[0].x < figure.critical);
        assert_true(a->last + 1 == LINES ||
                    p->lines[a->last + 1].means.list[0].x - p->lines[a->first].means.list[0].x >= figure.critical);
    }
    assert_true(alike(figure.critical, pl_nemenyi(2, LINES, 0.05), 1e-9));
    assert_non_null(
        strstr(pl_text(&data), figure.critical > LINES - 1 ? "critical difference, cut" : "critical difference:"));
    pl_figure_release(&figure);
    pl_text_release(&data);
    pl_text_release(&notes);
}

static inline void read_back_profile(struct pl_results *results, unsigned round)
{
    const double target = 1.5, tau_max = 6;
    struct pl_figure figure;
    struct pl_text data = {0}, notes = {0};
    struct pl_figure_spec spec = pl_figure_neutral;
    double times[2][LINES], best[2] = {INFINITY, INFINITY};
    static char lambda[] = "lambda";
    static char *over[] = {lambda};
    spec.kind = PL_FIGURE_PROFILE;
    spec.lines = (struct pl_names){lines, 1};
    spec.tau_max = tau_max;
    spec.choose = (struct pl_selection){.best = 1, .over = {over, 1}, .metric = loss};
    for (int l = 0; l < 2 * LINES; l++) {
        double time = times[l / LINES][l % LINES] = outcome_of(l / LINES, l % LINES, target).time;
        best[l / LINES] = fmin(best[l / LINES], time);
        if (isnan(time) || time <= 0)
            return;
    }
    ok(pl_results_set_target(results, "loss", target, &err));
    assert_true(read_back(results, &spec, &figure, &data, &notes));
    profiled++;
    for (int l = 0; l < LINES; l++) {
        char name[8];
        snprintf(name, sizeof name, "l%d", l);
        const struct curve *curve = curve_of(0, name);
        assert_non_null(curve);
        steps += curve->count > 2;
        assert_true(curve->rows[0].x == 1 && curve->rows[curve->count - 1].x == tau_max);
        for (size_t i = 0; i < curve->count; i++) {
            double share = 0;
            for (int p = 0; p < 2; p++)
                share += isfinite(times[p][l]) && times[p][l] / best[p] <= curve->rows[i].x ? 0.5 : 0;
            if (!alike(curve->rows[i].y, share, 1e-12))
                fail_msg("round %u: the profile of %s is %.17g at %.17g, not %.17g", round, name, curve->rows[i].y,
                         curve->rows[i].x, share);
        }
        for (int p = 0; p < 2; p++) { /* where the share changes there is a point */
            double ratio = times[p][l] / best[p];
            bool found = !(ratio < tau_max);
            for (size_t i = 0; i < curve->count && !found; i++)
                found = alike(curve->rows[i].x, ratio, 1e-12);
            assert_true(found);
        }
    }
    pl_figure_release(&figure);
    pl_text_release(&data);
    pl_text_release(&notes);
}

#endif
