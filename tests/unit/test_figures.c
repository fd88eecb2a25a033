/* Every figure read back (rows F1 to F4, F7, F10 and F12 of the cases): the script that draws it writes tables instead
 * (gnuplot's `set table`), and these are compared with the database, over generated data. What a figure should show is
 * worked out here from the recorded values. */
#include "figures_data.h"

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

/* ---- what gnuplot draws ---- */

struct curve {
    int panel;
    char title[80];
    struct {
        double x, y, colour;
        bool drawn;
    } rows[4 * EPOCHS];
    size_t count;
};

static struct curve curves[MOST_CURVES];
static size_t curve_count;

static char *file_in(const char *name)
{
    struct pl_text path = {0};
    pl_text_addf(&path, "%s/%s", folder, name);
    return pl_text_take(&path);
}

/* The script without the lines that make it a picture. */
static void make_table(const char *script, const char *data)
{
    static const char *const left_out[] = {"set terminal", "set output", "unset output", "set multiplot",
                                           "unset multiplot"};
    struct pl_text text = {0};
    pl_text_add(&text, "set terminal unknown\nset format xy '%.17g'\nset table 'fig.tbl'\n");
    for (const char *line = script; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        int length = (int)strcspn(line, "\n") + 1;
        bool picture = false;
        for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
            picture |= !strncmp(line, left_out[i], strlen(left_out[i]));
        if (!picture)
            pl_text_addf(&text, "%.*s", length, line);
    }
    char *script_path = file_in("fig.gp"), *data_path = file_in("fig.dat"), command[200];
    ok(pl_file_write(script_path, pl_text(&text), text.length, &err));
    ok(pl_file_write(data_path, data, strlen(data), &err));
    snprintf(command, sizeof command, "cd %s && rm -f fig.tbl && gnuplot -d fig.gp 2>messages", folder);
    int status = system(command);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fail_msg("gnuplot failed on %s", script_path);
    free(script_path);
    free(data_path);
    pl_text_release(&text);
}

/* Rows are "x y ... type" with i (drawn), o (outside the range) or u (undefined). */
static void read_row(struct curve *curve, const char *line)
{
    double numbers[8];
    int count = 0;
    char *end;
    for (; count < 8; count++, line = end) {
        numbers[count] = strtod(line, &end);
        if (end == line)
            break;
    }
    if (count < 2 || curve->count == sizeof curve->rows / sizeof *curve->rows)
        return;
    line += strspn(line, " ");
    curve->rows[curve->count].x = numbers[0];
    curve->rows[curve->count].y = numbers[1];
    curve->rows[curve->count].colour = numbers[count - 1];
    curve->rows[curve->count++].drawn = *line != 'u';
}

static void read_table(void)
{
    struct pl_text table = {0};
    char *path = file_in("fig.tbl");
    int panel = -1;
    ok(pl_file_read(path, 64 << 20, &table, &err));
    curve_count = 0;
    for (const char *line = pl_text(&table); *line; line += strcspn(line, "\n"), line += *line == '\n') {
        int number;
        if (sscanf(line, "# Curve %d of", &number) == 1) {
            panel += !number;
            assert_true(curve_count < MOST_CURVES);
            curves[curve_count++] = (struct curve){.panel = panel};
        } else if (!strncmp(line, "# Curve title: \"", 16)) {
            snprintf(curves[curve_count - 1].title, sizeof curves->title, "%.*s", (int)strcspn(line + 16, "\"\n"),
                     line + 16);
        } else if (*line != '#' && *line != '\n' && curve_count) {
            read_row(&curves[curve_count - 1], line);
        }
    }
    free(path);
    pl_text_release(&table);
}

/* The curve of a line in a panel: its title is the line's name, to which brackets may add what became of it. */
static const struct curve *curve_of(int panel, const char *line)
{
    for (size_t i = 0; i < curve_count; i++)
        if (curves[i].panel == panel && !strncmp(curves[i].title, line, strlen(line)) &&
            strchr(" ", curves[i].title[strlen(line)]))
            return &curves[i];
    return NULL;
}

/* ---- what the data file says ---- */

/* The block of a line in a panel, after its first line; NULL: none. */
static const char *block_of(const char *data, int panel, const char *line, const char *what)
{
    char heading[40], name[40];
    snprintf(heading, sizeof heading, "# panel %d:", panel + 1);
    snprintf(name, sizeof name, "] %s", line);
    const char *from = strstr(data, heading), *to;
    assert_non_null(from);
    to = strstr(from + 1, "# panel ");
    for (const char *at = from; (at = strstr(at, "# [")) && (!to || at < to); at++) {
        const char *end = at + strcspn(at, "\n"), *found = strstr(at, name), *said = strstr(at, what);
        if (found && found < end && said && said < end && strchr(": ", found[strlen(name)]))
            return end + 1;
    }
    return NULL;
}

static size_t rows_of(const char *block)
{
    size_t rows = 0;
    for (; block && *block && *block != '\n'; block += strcspn(block, "\n") + 1)
        rows++;
    return rows;
}

/* ---- comparisons ---- */

static bool alike(double a, double b, double tolerance)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    return a == b || fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b)) + DBL_MIN;
}

/* Is what was drawn of y right, in the units of the axis? Far beyond the axis it may be anywhere on that side. */
static bool is_right(const struct pl_panel *panel, double y, double shown, bool drawn)
{
    double unit = pow(10, pl_scale_power(panel->y_range, panel->log_y)), low = panel->y_range[0],
           high = panel->y_range[1];
    bool has_place = isfinite(y) && !(panel->log_y && y <= 0);
    if (!has_place || !drawn || isnan(shown))
        return !has_place && (!drawn || isnan(shown));
    if (y >= low && y <= high)
        return fabs(y / unit - shown) <=
               1e-9 * fmax(fabs(y / unit), (high / unit - low / unit) * (panel->log_y ? 0 : 1));
    return y < low ? shown < low / unit : shown > high / unit;
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

static char where_key[] = "where", name_key[] = "name", lambda_key[] = "lambda", loss[] = "loss";
static char *panels[] = {where_key}, *lines[] = {name_key};

/* Makes a figure and reads it back. False: there is nothing to draw. */
static bool read_back(struct pl_results *results, const struct pl_figure_spec *spec, struct pl_figure *figure,
                      struct pl_text *data, struct pl_text *notes)
{
    struct pl_plot_options options = {.format = PL_PLOT_PNG};
    struct pl_text script = {0};
    pl_text_clear(data);
    pl_text_clear(notes);
    int status = pl_figure_make(figure, results, spec, false, notes, &err);
    if (status == PL_EMISSING)
        return false;
    check_ok(status, "pl_figure_make");
    pl_script_write(figure, "fig", &options, &script, data);
    make_table(pl_text(&script), pl_text(data));
    read_table();
    pl_text_release(&script);
    return true;
}

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
        pl_results_free(results);
        pl_store_close(store);
    }
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
    };
    if (system("command -v gnuplot >/dev/null"))
        return 77; /* skipped */
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
