/* Every figure read back (rows F1 to F4, F7, F10 and F12 of the cases): the script that draws it writes tables instead
 * (gnuplot's `set table`), and these are compared with the database, over generated data. What a figure should show is
 * worked out here from the recorded values. */
#include "figures_search.h"
#include "figures_seeds.h"

struct value {
    double x, y;
    long double sum; /* of huge and of tiny ones */
    int n;
};

struct expected {
    char panel[8], line[8];
    struct value values[4 * EPOCHS];
    size_t count;
    double lambda;
    double best[SEEDS]; /* of the finished runs with a finite value */
    int finite, runs, diverged;
};

static struct expected expected[2 * LINES];

static int collect_point(void *self, double x, double y)
{
    struct expected *e = self;
    size_t at = 0;
    while (at < e->count && e->values[at].x < x)
        at++;
    if (at == e->count || e->values[at].x != x) {
        memmove(e->values + at + 1, e->values + at, (e->count++ - at) * sizeof *e->values);
        e->values[at] = (struct value){.x = x, .y = NAN};
    }
    struct value *v = &e->values[at];
    if (isfinite(y)) {
        v->sum += y;
        v->y = (double)(v->sum / ++v->n);
    }
    return 0;
}

struct reading {
    struct pl_store *store;
};

static int collect_run(void *self, const struct pl_result *result)
{
    struct pl_store *store = ((struct reading *)self)->store;
    struct pl_settings settings = {0};
    ok(pl_store_config(store, result->config, &settings, &err));
    const char *panel = pl_settings_string(&settings, "where", ""), *line = pl_settings_string(&settings, "name", "");
    struct expected *e = &expected[(panel[1] - '0') * LINES + line[1] - '0'];
    snprintf(e->panel, sizeof e->panel, "%s", panel);
    snprintf(e->line, sizeof e->line, "%s", line);
    e->lambda = pl_settings_real(&settings, "lambda", 0);
    if (result->status == PL_RUN_FINISHED || result->status == PL_RUN_DIVERGED) {
        e->runs++;
        e->diverged += result->status == PL_RUN_DIVERGED;
        ok(pl_store_each_point(store, result->run, "loss", collect_point, e, &err));
        if (result->status == PL_RUN_FINISHED && result->has_value && isfinite(result->value))
            e->best[e->finite++] = result->value;
    }
    pl_settings_release(&settings);
    return 0;
}

static void read_database(struct pl_store *store, struct pl_results *results)
{
    struct reading reading = {store};
    memset(expected, 0, sizeof expected);
    ok(pl_store_each_result(store, pl_results_sweep(results), "loss", PL_SELECT_BEST, collect_run, &reading, &err));
}

static void compare_data(const struct expected *e, const char *data, int panel)
{
    const char *row = block_of(data, panel, e->line, "mean over the runs");
    if (!e->count && !row)
        return;
    assert_non_null(row);
    assert_int_equal(rows_of(row), e->count);
    for (size_t i = 0; i < e->count; i++, row += strcspn(row, "\n") + 1) {
        double x, y, low, high;
        int n;
        assert_int_equal(sscanf(row, "%lf %lf %lf %lf %d", &x, &y, &low, &high, &n), 5);
        const struct value *v = &e->values[i];
        if (x != v->x || n != v->n || !alike(n ? y : NAN, v->y, 1e-12) || (n && (low > y || high < y)) ||
            (!n && isfinite(y)))
            fail_msg("line %s of panel %s: the data say '%.*s', the database %.17g %.17g of %d runs", e->line, e->panel,
                     (int)strcspn(row, "\n"), row, v->x, v->y, v->n);
    }
}

/* Everything that has no place within the panel is marked at an end of the axis, or named in a note. */
static void compare_marks(const struct expected *e, const struct pl_panel *panel, const char *data, int number,
                          const char *notes)
{
    size_t above = 0, below = 0, gaps = 0, changes = 0, finite = 0;
    int before = 0;
    for (size_t i = 0; i < e->count; i++) {
        const struct value *v = &e->values[i];
        bool seen = v->x >= panel->x_range[0] && v->x <= panel->x_range[1];
        above += seen && v->n && v->y > panel->y_range[1];
        below += seen && v->n && v->y < panel->y_range[0];
        gaps += !v->n;
        finite += v->n > 0;
        changes += before && v->n && v->n != before;
        before = v->n ? v->n : before;
    }
    assert_true(rows_of(block_of(data, number, e->line, "above the axis")) >= above);
    assert_true(rows_of(block_of(data, number, e->line, "below the axis")) >= below);
    assert_int_equal(rows_of(block_of(data, number, e->line, "another number of runs")) > 0, changes > 0);
    if (gaps)
        assert_non_null(
            strstr(notes, finite ? "Values that are not finite are gaps" : "No finite value, so nothing to draw"));
}

static void compare_curves(const struct pl_figure *figure, const char *data, const char *notes, const char *what)
{
    for (int l = 0; l < 2 * LINES; l++) {
        const struct expected *e = &expected[l];
        int panel = e->panel[1] - '0';
        const struct pl_panel *p = &figure->panels[panel];
        const struct curve *curve = curve_of(panel, e->line);
        compare_data(e, data, panel);
        compare_marks(e, p, data, panel, notes);
        if (!curve && !e->count)
            continue;
        if (!curve)
            fail_msg("%s: line %s of panel %s is not drawn", what, e->line, e->panel);
        assert_int_equal(curve->count, e->count);
        for (size_t i = 0; i < e->count; i++) {
            const struct value *v = &e->values[i];
            bool placed = !(p->log_x && v->x <= 0);
            if (placed && curve->rows[i].drawn && curve->rows[i].x != v->x)
                fail_msg("%s: line %s of panel %s stands at %.17g, not %.17g", what, e->line, e->panel,
                         curve->rows[i].x, v->x);
            if (placed && !is_right(p, v->n ? v->y : NAN, curve->rows[i].y, curve->rows[i].drawn))
                fail_msg("%s: line %s of panel %s shows %.17g at %g, the database has %.17g", what, e->line, e->panel,
                         curve->rows[i].y, v->x, v->y);
        }
    }
}

static double mean_of_best(const struct expected *e)
{
    long double sum = 0;
    for (int i = 0; i < e->finite; i++)
        sum += e->best[i];
    return e->finite ? (double)(sum / e->finite) : NAN;
}

/* One line a panel, with a point at every lambda; and the other way round, so that lines stand side by side. */
static void compare_sensitivity(const struct pl_figure *figure, bool fit, const char *what)
{
    for (int l = 0; l < 2 * LINES; l++) {
        const struct expected *e = &expected[l];
        const struct pl_panel *p = &figure->panels[0];
        const struct curve *curve = curve_of(0, e->panel);
        double place = isinf(e->lambda) ? p->x_range[1] : e->lambda, slack = fit ? 1e-12 : 0.5, nearest = INFINITY;
        if (!curve) {
            assert_int_equal(e->finite, 0);
            continue;
        }
        size_t at = 0;
        for (size_t i = 0; i < curve->count; i++)
            if (fabs(log(curve->rows[i].x / place)) < nearest) {
                nearest = fabs(log(curve->rows[i].x / place));
                at = i;
            }
        if (!isinf(e->lambda))
            assert_true(nearest < slack);
        if (!is_right(p, mean_of_best(e), curve->rows[at].y, curve->rows[at].drawn))
            fail_msg("%s: line %s shows %.17g at %g, the database has %.17g", what, e->panel, curve->rows[at].y,
                     e->lambda, mean_of_best(e));
    }
}

static void compare_squares(const struct pl_figure *figure, const char *what)
{
    const struct pl_panel *p = &figure->panels[0];
    double unit = pow(10, pl_scale_power(p->z_range, p->log_z));
    for (int l = 0; l < 2 * LINES && curve_count; l++) {
        const struct expected *e = &expected[l];
        double mean = mean_of_best(e), column = isinf(e->lambda) ? LINES : LINES - (e->line[1] - '0') - 1;
        double wanted = fmin(fmax(mean, p->z_range[0]), p->z_range[1]) / unit;
        size_t found = 0;
        for (size_t i = 0; i < curves[0].count; i++) {
            if (curves[0].rows[i].x != column || curves[0].rows[i].y != (e->panel[1] == '0' ? 2 : 1))
                continue;
            found++;
            if (!alike(curves[0].rows[i].colour, wanted, 1e-5))
                fail_msg("%s: the square of %s and %s is %.17g, the database has %.17g", what, e->line, e->panel,
                         curves[0].rows[i].colour, mean);
        }
        assert_int_equal(found, !isnan(mean));
    }
}

/* ---- the figures ---- */

static void read_back_curves(struct pl_results *results, unsigned round)
{
    struct pl_figure figure;
    struct pl_text data = {0}, notes = {0};
    for (unsigned k = 0; k < 2; k++) {
        char what[60];
        struct pl_figure_spec spec = {.kind = k ? PL_FIGURE_TRAJECTORIES : PL_FIGURE_CURVES,
                                      .y = loss,
                                      .panels = {panels, 1},
                                      .lines = {lines, 1},
                                      .x_range = {NAN, NAN},
                                      .y_range = {NAN, NAN}};
        unsigned how = round + k;
        spec.log_x = how % 4 == 1;
        spec.log_y = how % 2;
        spec.fit = how % 3 == 2;
        spec.around = (enum pl_around)(round % PL_AROUND_QUARTILES); /* whose line is no mean */
        spec.share_x = spec.share_y = how % 4 > 1;
        if (how % 5 == 3) {
            spec.y_range[0] = 0.5;
            spec.y_range[1] = 2;
        }
        snprintf(what, sizeof what, "round %u, %s", round, pl_figure_kind_names[spec.kind]);
        if (read_back(results, &spec, &figure, &data, &notes)) {
            compare_curves(&figure, pl_text(&data), pl_text(&notes), what);
            pl_figure_release(&figure);
        }
    }
    pl_text_release(&data);
    pl_text_release(&notes);
}

static void read_back_settings(struct pl_results *results, unsigned round)
{
    struct pl_figure figure;
    struct pl_text data = {0}, notes = {0};
    char what[60];
    struct pl_figure_spec spec = {.kind = PL_FIGURE_SENSITIVITY,
                                  .x = lambda_key,
                                  .y = loss,
                                  .lines = {panels, 1},
                                  .x_range = {NAN, NAN},
                                  .y_range = {NAN, NAN},
                                  .fit = round % 2,
                                  .around = (enum pl_around)(round % PL_AROUND_QUARTILES),
                                  .log_y = round % 3 == 1};
    snprintf(what, sizeof what, "round %u, sensitivity", round);
    if (read_back(results, &spec, &figure, &data, &notes)) {
        compare_sensitivity(&figure, spec.fit, what);
        pl_figure_release(&figure);
    }
    spec = (struct pl_figure_spec){.kind = PL_FIGURE_HEATMAP, .x = lambda_key, .y = where_key, .z = loss};
    snprintf(what, sizeof what, "round %u, heatmap", round);
    if (read_back(results, &spec, &figure, &data, &notes)) {
        compare_squares(&figure, what);
        pl_figure_release(&figure);
    }
    pl_text_release(&data);
    pl_text_release(&notes);
}

static void figures_read_back_equal_the_database(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        draw_runs(round);
        struct pl_store *store = make_results("", "loss", drawn_runs, run_count);
        struct pl_results *results = open_results(store);
        read_database(store, results);
        read_back_curves(results, round);
        read_back_settings(results, round);
        read_back_scatter(results, round);
        read_back_parallel(results, round);
        pl_results_free(results);
        pl_store_close(store);
    }
}

static void figures_of_searches_read_back_equal_the_database(void **state)
{
    static const char
        search[] = "study: known\ntask: {problem: theta30, iterations: 3}\noptimizer: {name: sgd, lambda: "
                   "{log: [1e-3, 1]}}\nsearch: {points: 3}\n";
    (void)state;
    for (unsigned round = 0; round < 3 * ROUNDS; round++) {
        draw_runs(round);
        struct pl_store *store = make_results(search, "loss", drawn_runs, run_count);
        struct pl_results *results = open_results(store);
        read_back_tuning(results, round);
        read_back_ranks(results, round);
        read_back_profile(results, round);
        pl_results_free(results);
        pl_store_close(store);
    }
    assert_true(ranked > ROUNDS && profiled > ROUNDS / 2 && steps > 2); /* enough of them had something to draw */
}

static void figures_of_seeds_read_back_equal_the_database(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 2 * ROUNDS; round++) {
        draw_seeds(round);
        struct pl_store *store = make_results("", "loss", seed_runs, seed_run_count);
        struct pl_results *results = open_results(store);
        read_back_seeds(results, PL_FIGURE_BOX, round);
        read_back_seeds(results, PL_FIGURE_STRIP, round);
        pl_results_free(results);
        pl_store_close(store);
    }
    assert_true(boxed > 4 * ROUNDS && unboxed > 4 * ROUNDS && beyond_whiskers > ROUNDS);
}

static int make_folder(void **state)
{
    return mkdtemp(folder) ? make_db_name(state) : -1;
}

static int remove_folder(void **state)
{
    static const char *const files[] = {"fig.gp", "fig.dat", "fig.tbl", "messages"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = file_in(files[i]);
        unlink(path);
        free(path);
    }
    rmdir(folder);
    return remove_db(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_read_back_equal_the_database),
        cmocka_unit_test(figures_of_searches_read_back_equal_the_database),
        cmocka_unit_test(figures_of_seeds_read_back_equal_the_database),
    };
    if (system("command -v gnuplot >/dev/null"))
        return 77; /* skipped */
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
