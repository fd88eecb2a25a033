#include "plot_parts.h"

static char *lambda_key[] = {x_lambda};

static void text_is_escaped_for_gnuplot(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        /* text, enhanced, plain */
        {"test_accuracy", "test\\_accuracy", "test_accuracy"},
        {"it's", "it's", "it's"},
        {"a^b @c &d ~e {f}", "a\\^b \\@c \\&d \\~e \\{f\\}", "a^b @c &d ~e {f}"},
        {"\\n\"", "\\\\n\"", "\\n\""},
        {"two\nlines", "two␊lines", "two␊lines"},
        {"λ", "λ", "λ"},
        {"\033[1m\177", "␛[1m␡", "␛[1m␡"},
        {"caf\xe9 \xc2\x9b", "caf� ��", "caf� ��"},
        {"\xe2\x80\xae"
         "abc",
         "\\\\u\\{202e\\}abc", "\\u{202e}abc"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int plain = 0; plain < 2; plain++) {
            struct pl_text text = {0};
            pl_label_text(&text, cases[i][0], plain);
            assert_string_equal(pl_text(&text), cases[i][1 + plain]);
            pl_text_release(&text);
        }
    struct pl_text quoted = {0};
    pl_label_quote(&quoted, "'' `date` $x @y \"z\" \\ 5%7λ");
    assert_string_equal(pl_text(&quoted), "\"\\047\\047 \\140date\\140 \\044x \\100y \\042z\\042 \\134 5\\045\\067λ\"");
    pl_text_release(&quoted);
}

static void names_and_numbers_are_set(void **state)
{
    (void)state;
    static const char *const names[][3] = {{"lambda", "λ", "λ"},
                                           {"beta2", "β_{2}", "β2"},
                                           {"test_accuracy", "test accuracy", "test accuracy"},
                                           {"lambda_max", "lambda max", "lambda max"},
                                           {"theta", "θ", "θ"}};
    static const struct {
        double value;
        const char *enhanced, *plain;
    } numbers[] = {{0.1, "0.1", "0.1"},
                   {1e10, "10^{10}", "10000000000"},
                   {1e-8, "10^{−8}", "1e-08"},
                   {2.5e12, "2.5·10^{12}", "2500000000000"},
                   {INFINITY, "∞", "∞"},
                   {10000, "10^{4}", "10000"},
                   {20000, "20000", "20000"},
                   {0, "0", "0"},
                   {0.0005, "5·10^{−4}", "0.0005"}};
    for (int plain = 0; plain < 2; plain++) {
        struct pl_text text = {0};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            pl_text_clear(&text);
            pl_label_name(&text, names[i][0], plain);
            assert_string_equal(pl_text(&text), names[i][1 + plain]);
        }
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            pl_text_clear(&text);
            pl_label_number(&text, numbers[i].value, plain);
            assert_string_equal(pl_text(&text), plain ? numbers[i].plain : numbers[i].enhanced);
        }
        pl_text_release(&text);
    }
}

static void ranges_leave_absurd_values_out(void **state)
{
    (void)state;
    double range[2], values[100];
    for (int i = 0; i < 100; i++)
        values[i] = i;
    values[7] = 1e20;
    values[8] = -INFINITY;
    values[9] = NAN;
    pl_range_robust(values, 100, false, range);
    assert_true(range[0] == 0 && range[1] == 99);
    double few[] = {5, 5, 5, 5};
    pl_range_robust(few, 4, false, range);
    assert_true(range[0] == 5 && range[1] == 5);
    double none[] = {NAN, INFINITY};
    pl_range_robust(none, 2, false, range);
    assert_true(isnan(range[0]));
    double decades[] = {1e-200, 1e-3, 1e-2, 1e-1, 1, 0, -1};
    pl_range_robust(decades, 7, true, range);
    assert_true(fabs(range[0] / 1e-30 - 1) < 1e-9 || fabs(range[0] / 1e-3 - 1) < 1e-9);
    assert_true(fabs(range[1] - 1) < 1e-12);
}

static void curves_show_mean_and_spread(void **state)
{
    (void)state;
    struct pl_store *store = make_results("", "loss", runs, RUNS);
    struct pl_results *results = open_results(store);
    struct pl_figure_spec spec = figure_of(PL_FIGURE_CURVES);
    struct pl_figure figure;
    struct pl_text notes = {0};
    spec.lines = (struct pl_names){optimizer_key, 1};
    ok(pl_figure_make(&figure, results, &spec, false, &notes, &err));
    assert_int_equal(figure.panel_count, 1);
    assert_string_equal(pl_text(&notes),
                        "Lines are split by lambda, which varies but was not asked for.\n"
                        "1 run is not drawn because it has not finished.\n"
                        "Beyond the y axis, with marks at its end: sgd, λ = 0.1 (1 point).\n"
                        "The number of runs behind a mean changes: sgd, λ = 0.1 (2 runs, 1 from epoch 2 "
                        "on), sgd, λ = ∞ (2 runs, 1 from epoch 3 on).\n");
    struct pl_plot_line *line = line_named(&figure, 0, "adam, λ = 0.1");
    assert_int_equal(line->means.count, 3);
    assert_true(line->means.list[1].y == 3 && line->means.list[1].n == 2);
    assert_true(fabs(line->means.list[1].high - 3 - sqrt(2)) < 1e-12);
    assert_true(line->means.list[1].least == 2);
    /* The single run has no spread; what diverged is drawn until it did and does not stretch the axis. */
    line = line_named(&figure, 0, "adam, λ = 0.01");
    assert_true(line->means.list[0].low == 9 && line->means.list[0].high == 9);
    line = line_named(&figure, 0, "sgd, λ = 0.1 (diverged)");
    assert_int_equal(line->means.count, 2);
    line_named(&figure, 0, "sgd, λ = ∞ (1/2 diverged)");
    assert_true(figure.panels[0].y_range[1] < 20);
    pl_figure_release(&figure);
    pl_text_release(&notes);
    pl_results_free(results);
    pl_store_close(store);
}

static const struct known_run averaging[] = {
    RUN_AVERAGED("optimizer=b", 1, 2, 8, 7, 6, 5, 4, 3), RUN_AVERAGED("optimizer=b", 2, 4, 8, 7, 7, 7, 6, 5),
    RUN_AVERAGED("optimizer=c", 1, 1, 5, 4, 3, 3, 3, 3), RUN("optimizer=a", 1, PL_FINISHED, 9, 8, 7, 6, 5, 4),
    RUN_AVERAGED("optimizer=d", 1, 6, 5, 5, 4, 4, 3, 1),
};

static void curves_mark_where_averaging_begins(void **state)
{
    (void)state;
    struct pl_store *store = make_results("", "loss", averaging, sizeof averaging / sizeof *averaging);
    struct pl_results *results = open_results(store);
    struct pl_figure_spec spec = figure_of(PL_FIGURE_CURVES);
    struct pl_plot_options options = {.format = PL_PLOT_PNG};
    struct pl_figure figure;
    struct pl_text notes = {0}, script = {0}, data = {0};
    for (int plain = 0; plain < 2; plain++) {
        options.format = plain ? PL_PLOT_DUMB : PL_PLOT_PNG;
        ok(pl_figure_make(&figure, results, &spec, plain, &notes, &err));
        const struct pl_points *turn = &line_named(&figure, 0, "b")->turn;
        assert_int_equal(turn->count, 1);
        assert_true(turn->list[0].x == 3 && turn->list[0].y == 6.5); /* between 2 and 4, on the mean */
        turn = &line_named(&figure, 0, "d")->turn;
        assert_int_equal(turn->count, 1);
        assert_true(turn->list[0].x == 6 && turn->list[0].y == 1);
        assert_int_equal(line_named(&figure, 0, "a")->turn.count, 0);
        assert_int_equal(line_named(&figure, 0, "c")->turn.count, 0); /* averaged from its first point on */
        assert_true(figure.marked[PL_MARK_TURN]);
        pl_text_clear(&script);
        pl_text_clear(&data);
        pl_script_write(&figure, "fig", &options, &script, &data);
        const char *told = strstr(script.text, "title 'averaging begins'");
        assert_non_null(told);
        assert_null(strstr(told + 1, "title 'averaging begins'"));
        assert_non_null(strstr(data.text, "averaging begins: x y low high runs least\n3 6.5 "));
        pl_figure_release(&figure);
    }
    spec.kind = PL_FIGURE_TRAJECTORIES;
    ok(pl_figure_make(&figure, results, &spec, false, &notes, &err));
    assert_int_equal(line_named(&figure, 0, "b")->turn.count, 1);
    pl_figure_release(&figure);
    pl_text_release(&notes);
    pl_text_release(&script);
    pl_text_release(&data);
    pl_results_free(results);
    pl_store_close(store);
    store = make_results("", "loss", runs, RUNS);
    results = open_results(store);
    ok(pl_figure_make(&figure, results, &spec, false, &notes, &err));
    assert_false(figure.marked[PL_MARK_TURN]);
    pl_figure_release(&figure);
    pl_text_release(&notes);
    pl_results_free(results);
    pl_store_close(store);
}

static void diverged_lines_do_not_stretch_the_axis(void **state)
{
    (void)state;
    static const struct known_run two[] = {RUN("optimizer=a", 1, PL_FINISHED, 1, 2, 3),
                                           RUN("optimizer=b", 1, PL_DIVERGED, 1, 30)};
    struct pl_store *store = make_results("", "loss", two, 2);
    struct pl_results *results = open_results(store);
    struct pl_figure_spec spec = figure_of(PL_FIGURE_CURVES);
    struct pl_figure figure;
    struct pl_text notes = {0};
    ok(pl_figure_make(&figure, results, &spec, false, &notes, &err));
    assert_true(figure.panels[0].y_range[1] > 3 && figure.panels[0].y_range[1] < 4);
    pl_figure_release(&figure);
    pl_text_release(&notes);
    pl_results_free(results);
    pl_store_close(store);
}

/* adam: y = 3 lambda^0.5 in all four points. sgd: y = 1, 100, 1 at 0.001, 0.01, 0.1: slope 0, residuals -2/3, 4/3 and
 * -2/3 of log 10 about the mean, so a standard error of sqrt(8/3) / sqrt(2). Its infinite lambda does not count. */
static void fits_are_least_squares(void **state)
{
    (void)state;
    static const struct known_run laws[] = {
        RUN("optimizer=adam lambda=0.0001", 1, PL_FINISHED, 0.03),
        RUN("optimizer=adam lambda=0.01", 1, PL_FINISHED, 0.3),
        RUN("optimizer=adam lambda=0.0025", 1, PL_FINISHED, 0.15),
        RUN("optimizer=adam lambda=1", 1, PL_FINISHED, 3),
        RUN("optimizer=sgd lambda=0.001", 1, PL_FINISHED, 1),
        RUN("optimizer=sgd lambda=0.01", 1, PL_FINISHED, 100),
        RUN("optimizer=sgd lambda=0.1", 1, PL_FINISHED, 1),
        RUN("optimizer=sgd lambda=inf", 1, PL_FINISHED, 50),
    };
    double slopes[] = {0.5, 2}, x[2], y[2];
    struct pl_store *store = make_results("", "loss", laws, sizeof laws / sizeof *laws);
    struct pl_results *results = open_results(store);
    struct pl_figure_spec spec = figure_of(PL_FIGURE_SENSITIVITY);
    struct pl_figure figure;
    struct pl_text notes = {0};
    spec.x = x_lambda;
    spec.lines = (struct pl_names){optimizer_key, 1};
    spec.log_x = spec.log_y = spec.fit = true;
    spec.slopes = slopes;
    spec.slope_count = 2;
    ok(pl_figure_make(&figure, results, &spec, false, &notes, &err));
    const struct pl_fit *adam = &line_named(&figure, 0, "adam")->fit, *sgd = &line_named(&figure, 0, "sgd")->fit;
    assert_int_equal(adam->n, 4);
    assert_true(fabs(adam->slope - 0.5) < 1e-12 && adam->error < 1e-10);
    assert_true(fabs(adam->x[0] / 1e-4 - 1) < 1e-12 && fabs(adam->y[0] / 0.03 - 1) < 1e-12);
    assert_true(fabs(adam->x[1] - 1) < 1e-12 && fabs(adam->y[1] - 3) < 1e-12);
    assert_int_equal(sgd->n, 3);
    assert_true(fabs(sgd->slope) < 1e-12);
    assert_true(fabs(sgd->error / (12.7062047 * sqrt(4 / 3.0)) - 1) < 1e-6); /* Student's t, one degree of freedom */
    assert_non_null(
        strstr(pl_text(&notes), "best loss against lambda, adam: slope 0.500, 95% interval [0.500, 0.500], 4 points."));
    struct pl_panel *panel = &figure.panels[0];
    assert_true(pl_fit_reference(panel, 2, x, y)); /* from (0.0001, 0.03) */
    assert_true(fabs(x[0] / 1e-4 - 1) < 1e-12 && fabs(y[0] / 0.03 - 1) < 1e-12);
    assert_true(fabs(y[1] / y[0] / pow(x[1] / x[0], 2) - 1) < 1e-9);
    assert_true(fabs(y[1] / panel->y_range[1] - 1) < 1e-9); /* it leaves there */
    assert_true(pl_fit_reference(panel, -1e300, x, y));
    assert_true(fabs(y[1] / panel->y_range[0] - 1) < 1e-9 && fabs(x[1] / x[0] - 1) < 1e-9);
    assert_true(pl_fit_reference(panel, 0, x, y));
    assert_true(x[1] == panel->x_range[1] && fabs(y[1] / 0.03 - 1) < 1e-12);
    memcpy(panel->y_range, (double[]){1, 10}, sizeof panel->y_range); /* the anchor is below it */
    assert_true(pl_fit_reference(panel, 2, x, y));
    assert_true(fabs(y[0] - 1) < 1e-9 && fabs(y[1] - 10) < 1e-9);
    assert_false(pl_fit_reference(panel, -2, x, y) || pl_fit_reference(panel, 0, x, y));
    pl_figure_release(&figure);

    pl_text_clear(&notes);
    spec.fit_range[0] = 0.0025;
    spec.fit_range[1] = 0.01;
    ok(pl_figure_make(&figure, results, &spec, false, &notes, &err));
    assert_int_equal(line_named(&figure, 0, "adam")->fit.n, 0);
    assert_non_null(strstr(pl_text(&notes), "adam: fewer than 3 points, no slope."));
    pl_figure_release(&figure);
    pl_text_release(&notes);
    pl_results_free(results);
    pl_store_close(store);
}

static void scripts_keep_within_the_axes(void **state)
{
    (void)state;
    struct pl_store *store = make_results("", "loss", runs, RUNS);
    struct pl_results *results = open_results(store);
    struct pl_figure_spec spec = figure_of(PL_FIGURE_CURVES);
    struct pl_plot_options options = {.format = PL_PLOT_PDF};
    struct pl_figure figure;
    struct pl_text notes = {0}, script = {0}, data = {0};
    char title[] = "it's 100%_sure";
    spec.lines = (struct pl_names){optimizer_key, 1};
    spec.title = title;
    spec.y_range[0] = 0;
    spec.y_range[1] = 10;
    ok(pl_figure_make(&figure, results, &spec, false, &notes, &err));
    pl_script_write(&figure, "fig'1", &options, &script, &data);
    assert_non_null(strstr(script.text, "set terminal pdfcairo"));
    assert_non_null(strstr(script.text, "set output \"./fig\\047\\061.pdf\""));
    assert_non_null(strstr(script.text, "\"it\\047s 100\\045\\134\\137sure\""));
    assert_non_null(strstr(script.text, "set yrange [0:10]"));
    /* The data are what was measured; that a line ends ten heights above the panel is the drawing's. */
    assert_non_null(strstr(data.text, "\n2 1e+20 1e+20 1e+20 1 1e+20\n"));
    assert_non_null(strstr(script.text, "within(v) = v < -100 ? -100 : v > 110 ? 110 : v\n"));
    assert_non_null(strstr(data.text, "\n2 3 1.5857864376269049 4.414213562373095 2 2\n"));
    pl_figure_release(&figure);
    pl_text_release(&notes);
    pl_text_release(&script);
    pl_text_release(&data);
    pl_results_free(results);
    pl_store_close(store);
}

static void what_cannot_be_drawn_is_refused(void **state)
{
    (void)state;
    static const struct known_run failed[] = {RUN("optimizer=a lambda=1", 1, PL_FINISHED, NAN)};
    char wrong[] = "lamda";
    struct pl_figure figure;
    struct pl_text notes = {0};
    struct pl_store *store = make_results("", "loss", runs, RUNS);
    struct pl_results *results = open_results(store);
    struct pl_figure_spec spec = figure_of(PL_FIGURE_SENSITIVITY);
    assert_int_equal(pl_figure_make(&figure, results, &spec, false, &notes, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "needs x"));
    spec.x = wrong;
    assert_int_equal(pl_figure_make(&figure, results, &spec, false, &notes, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "did you mean lambda?"));
    spec = figure_of(PL_FIGURE_CURVES);
    spec.y = wrong;
    assert_int_equal(pl_figure_make(&figure, results, &spec, false, &notes, &err), PL_EINPUT);
    spec = figure_of(PL_FIGURE_CURVES);
    spec.x = x_lambda;
    assert_int_equal(pl_figure_make(&figure, results, &spec, false, &notes, &err), PL_EINPUT);
    pl_results_free(results);
    pl_store_close(store);
    store = make_results("", "loss", failed, 1);
    results = open_results(store);
    for (int kind = 0; kind < 4; kind++) {
        spec = figure_of((enum pl_figure_kind)kind);
        spec.x = kind == PL_FIGURE_SENSITIVITY || kind == PL_FIGURE_HEATMAP ? x_lambda : NULL;
        spec.y = kind == PL_FIGURE_HEATMAP ? y_optimizer : NULL;
        assert_int_equal(pl_figure_make(&figure, results, &spec, false, &notes, &err), PL_EMISSING);
        assert_non_null(strstr(err.text, "nothing to draw"));
    }
    pl_text_release(&notes);
    pl_results_free(results);
    pl_store_close(store);
}

static void hundreds_of_lines_become_the_best(void **state)
{
    (void)state;
    static char settings[40][40];
    struct known_run many[40];
    for (int i = 0; i < 40; i++) {
        snprintf(settings[i], sizeof settings[i], "optimizer=a lambda=%d", i + 1);
        many[i] = (struct known_run)RUN(settings[i], 1, PL_FINISHED, 50 - i);
    }
    struct pl_store *store = make_results("", "loss", many, 40);
    struct pl_results *results = open_results(store);
    struct pl_figure_spec spec = figure_of(PL_FIGURE_CURVES);
    struct pl_figure figure;
    struct pl_text notes = {0};
    spec.lines = (struct pl_names){lambda_key, 1};
    ok(pl_figure_make(&figure, results, &spec, false, &notes, &err));
    assert_int_equal(figure.legend_count, 12);
    assert_string_equal(figure.legend[0].label, "λ = 29");
    assert_string_equal(pl_text(&notes), "Of 40 lines the best 12 are drawn; choose with lines or where.\n");
    pl_figure_release(&figure);
    pl_text_release(&notes);
    spec.panels = spec.lines;
    spec.lines.count = 0;
    assert_int_equal(pl_figure_make(&figure, results, &spec, false, &notes, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "40 panels"));
    pl_text_release(&notes);
    pl_results_free(results);
    pl_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_escaped_for_gnuplot),
        cmocka_unit_test(names_and_numbers_are_set),
        cmocka_unit_test(ranges_leave_absurd_values_out),
        cmocka_unit_test(curves_show_mean_and_spread),
        cmocka_unit_test(curves_mark_where_averaging_begins),
        cmocka_unit_test(diverged_lines_do_not_stretch_the_axis),
        cmocka_unit_test(fits_are_least_squares),
        cmocka_unit_test(scripts_keep_within_the_axes),
        cmocka_unit_test(what_cannot_be_drawn_is_refused),
        cmocka_unit_test(hundreds_of_lines_become_the_best),
    };
    return cmocka_run_group_tests(tests, make_db_name, remove_db);
}
