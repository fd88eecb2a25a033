/* Sensitivity and heatmaps: what is shown for each setting. */
#include "plot_parts.h"

static char loss[] = "loss";

static void sensitivity_sets_infinity_apart(void **state)
{
    (void)state;
    struct pl_store *store = make_results("", "loss", runs, RUNS);
    struct pl_results *results = open_results(store);
    struct pl_figure_spec spec = figure_of(PL_FIGURE_SENSITIVITY);
    struct pl_figure figure;
    struct pl_text notes = {0};
    spec.x = x_lambda;
    spec.lines = (struct pl_names){optimizer_key, 1};
    ok(pl_figure_make(&figure, results, &spec, false, &notes, &err));
    const struct pl_panel *panel = &figure.panels[0];
    assert_true(panel->log_x);
    assert_int_equal(panel->x_tick_count, 3);
    assert_string_equal(panel->x_ticks[2].label, "∞");
    assert_true(fabs(panel->x_ticks[2].at - 1) < 1e-9); /* one step of ten beyond 0.1 */
    assert_true(panel->x_breaks[1] > 0.1 && panel->x_breaks[1] < 1);
    struct pl_plot_line *sgd = line_named(&figure, 0, "sgd");
    assert_int_equal(sgd->lost.count, 1); /* at 0.1 every run diverged */
    assert_true(figure.marked[PL_MARK_LOST]);
    pl_figure_release(&figure);
    pl_text_release(&notes);
    pl_results_free(results);
    pl_store_close(store);
}

/* As far as numbers reach: infinity, beside the largest, has a place on the axis, and so has zero. */
static void infinity_has_a_place_beside_any_number(void **state)
{
    (void)state;
    static const struct {
        const char *least, *most;
    } cases[] = {{"0.9999", "1e300"}, {"0", "1e308"}, {"-1.7e308", "1.7e308"}, {"0", "1e-320"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char settings[3][60];
        snprintf(settings[0], sizeof settings[0], "optimizer=a lambda=%s", cases[c].least);
        snprintf(settings[1], sizeof settings[1], "optimizer=a lambda=%s", cases[c].most);
        snprintf(settings[2], sizeof settings[2], "optimizer=a lambda=inf");
        const struct known_run three[] = {RUN(settings[0], 1, PL_FINISHED, 1), RUN(settings[1], 1, PL_FINISHED, 2),
                                          RUN(settings[2], 1, PL_FINISHED, 3)};
        struct pl_store *store = make_results("", "loss", three, 3);
        struct pl_results *results = open_results(store);
        struct pl_figure_spec spec = figure_of(PL_FIGURE_SENSITIVITY);
        struct pl_figure figure;
        struct pl_text notes = {0};
        spec.x = x_lambda;
        ok(pl_figure_make(&figure, results, &spec, false, &notes, &err));
        const struct pl_panel *panel = &figure.panels[0];
        assert_int_equal(panel->x_tick_count, 3);
        for (size_t i = 0; i < 3; i++)
            assert_true(panel->x_ticks[i].at >= panel->x_range[0] && panel->x_ticks[i].at <= panel->x_range[1]);
        assert_true(panel->x_ticks[2].at > panel->x_ticks[1].at);
        pl_figure_release(&figure);
        pl_text_release(&notes);
        pl_results_free(results);
        pl_store_close(store);
    }
}

static void heatmaps_mark_the_best_square(void **state)
{
    (void)state;
    struct pl_store *store = make_results("", "loss", runs, RUNS);
    struct pl_results *results = open_results(store);
    struct pl_figure_spec spec = figure_of(PL_FIGURE_HEATMAP);
    struct pl_figure figure;
    struct pl_text notes = {0};
    spec.x = x_lambda;
    spec.y = y_optimizer;
    spec.z = loss;
    ok(pl_figure_make(&figure, results, &spec, false, &notes, &err));
    const struct pl_panel *panel = &figure.panels[0];
    assert_int_equal(panel->square_count, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct pl_square *square = &panel->squares[i];
        bool wanted = square->column == 1 &&
                      square->row == 1; /* adam at 0.1: (1+3)/2; sgd at inf has a run that diverged */
        assert_int_equal(square->best, wanted);
        if (wanted)
            assert_string_equal(square->text, "2.000\n±1.414");
        if (square->row == 0 && square->column == 1)
            assert_string_equal(square->text, "div");
    }
    bool white;
    assert_int_equal(figure.direction, PL_MINIMIZE);
    pl_colour_at(&figure, 1, &white);
    assert_true(white);
    assert_int_equal(pl_colour_at(&figure, 0, &white), 0xFDE725); /* the least loss is the lightest */
    assert_false(white);
    pl_figure_release(&figure);
    pl_text_release(&notes);
    pl_results_free(results);
    pl_store_close(store);
}

/* F9: one way of writing for all numbers of a figure. */
static void numbers_of_squares_have_one_format(void **state)
{
    (void)state;
    static const struct {
        double values[3];
        const char *texts[3];
    } cases[] = {{{0.5, 1790, 10010}, {"0.5", "1790", "10010"}},
                 {{0.0005, 1790, 10010}, {"5.0e-4", "1.8e3", "1.0e4"}},
                 {{0, 0.0512, 123456}, {"0", "0.0512", "123456"}},
                 {{0.5, 17.9, 1234}, {"0.5", "17.9", "1234.0"}}}; /* as in tables */
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct known_run three[] = {RUN("optimizer=a lambda=1", 1, PL_FINISHED, cases[c].values[0]),
                                          RUN("optimizer=a lambda=2", 1, PL_FINISHED, cases[c].values[1]),
                                          RUN("optimizer=a lambda=3", 1, PL_FINISHED, cases[c].values[2])};
        struct pl_store *store = make_results("", "loss", three, 3);
        struct pl_results *results = open_results(store);
        struct pl_figure_spec spec = figure_of(PL_FIGURE_HEATMAP);
        struct pl_figure figure;
        struct pl_text notes = {0};
        spec.x = x_lambda;
        spec.y = y_optimizer;
        spec.z = loss;
        ok(pl_figure_make(&figure, results, &spec, false, &notes, &err));
        for (size_t i = 0; i < 3; i++)
            assert_string_equal(figure.panels[0].squares[i].text, cases[c].texts[figure.panels[0].squares[i].column]);
        pl_figure_release(&figure);
        pl_text_release(&notes);
        pl_results_free(results);
        pl_store_close(store);
    }
}

static void equally_good_squares_are_all_marked(void **state)
{
    (void)state;
    static const struct known_run tied[] = {
        RUN("optimizer=adam lambda=0.1", 1, PL_FINISHED, 0.1),  RUN("optimizer=adam lambda=0.1", 2, PL_FINISHED, 0.2),
        RUN("optimizer=adam lambda=0.1", 3, PL_FINISHED, 0.3),  RUN("optimizer=sgd lambda=0.1", 1, PL_FINISHED, 0.3),
        RUN("optimizer=sgd lambda=0.1", 2, PL_FINISHED, 0.2),   RUN("optimizer=sgd lambda=0.1", 3, PL_FINISHED, 0.1),
        RUN("optimizer=adam lambda=0.01", 1, PL_FINISHED, 0.9), RUN("optimizer=sgd lambda=0.01", 1, PL_DIVERGED, 0.2),
    };
    struct pl_store *store = make_results("", "loss", tied, 8);
    struct pl_results *results = open_results(store);
    struct pl_figure_spec spec = figure_of(PL_FIGURE_HEATMAP);
    struct pl_figure figure;
    struct pl_text notes = {0};
    spec.x = x_lambda;
    spec.y = y_optimizer;
    spec.z = loss;
    ok(pl_figure_make(&figure, results, &spec, false, &notes, &err));
    size_t marked = 0;
    for (size_t i = 0; i < figure.panels[0].square_count; i++) {
        const struct pl_square *square = &figure.panels[0].squares[i];
        marked += square->best;
        assert_true(!square->best || fabs(square->value - 0.2) < 1e-9);
    }
    assert_int_equal(marked, 2);
    pl_figure_release(&figure);
    pl_text_release(&notes);
    pl_results_free(results);
    pl_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sensitivity_sets_infinity_apart),    cmocka_unit_test(infinity_has_a_place_beside_any_number),
        cmocka_unit_test(heatmaps_mark_the_best_square),      cmocka_unit_test(equally_good_squares_are_all_marked),
        cmocka_unit_test(numbers_of_squares_have_one_format),
    };
    return cmocka_run_group_tests(tests, make_db_name, remove_db);
}
