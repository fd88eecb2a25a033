/* Tables, figures and metrics that specs declare. */
#include "spec_check.h"

static const char declared[] =
    "study: sens\n"
    "description: how λ matters\n" TASK "optimizer: {name: [theopoula, adam], lambda: [0.5, 0.1], epsilon: 0.1}\n"
    "metrics: {loss: min, theta: none, hits: max}\n"
    "timeout: 1e2\n"
    "tables:\n"
    "  - {rows: [optimizer, problem], columns: lr, value: best-valid loss, cell: median, digits: 2, title: A,\n"
    "     where: {λ: [0.5, 1e-1], optimizer: adam}}\n"
    "  - {value: last theta}\n"
    "figures:\n"
    "  - {kind: curves, x: epoch, y: loss, panels: optimizer, lines: λ, log: [x, y], y_range: [1e-3, 5]}\n"
    "  - {kind: sensitivity, x: λ, y: last loss, log: x, lines: [optimizer], name: lambda.1, title: B,\n"
    "     fit: [0.1, 0.5], slopes: [0.5, 2]}\n"
    "  - {kind: heatmap, x: λ, y: ε, z: best loss, x_range: [-1, 1]}\n"
    "  - {kind: curves, y: theta, where: {beta1: 0.9}}\n"
    "  - {kind: trajectories, y: theta, fit: true, slopes: 1}\n";

static void check_declared(const struct pl_study *s)
{
    assert_string_equal(s->description, "how λ matters");
    assert_true(s->timeout == 100);
    assert_int_equal(s->metric_count, 3);
    assert_string_equal(s->metrics[0].name, "loss");
    assert_int_equal(s->metrics[0].direction, PL_MINIMIZE);
    assert_int_equal(s->metrics[1].direction, PL_NEUTRAL);
    assert_int_equal(s->metrics[2].direction, PL_MAXIMIZE);
    assert_int_equal(s->axis_count, 2);
    assert_string_equal(s->axes[0], "optimizer");
    assert_string_equal(s->axes[1], "lambda");

    assert_int_equal(s->table_count, 2);
    const struct pl_table_spec *t = &s->tables[0];
    assert_int_equal(t->rows.count, 2);
    assert_string_equal(t->rows.names[1], "problem");
    assert_int_equal(t->columns.count, 1);
    assert_string_equal(t->columns.names[0], "lambda");
    assert_string_equal(t->metric, "loss");
    assert_int_equal(t->select, PL_SELECT_BEST_VALID);
    assert_string_equal(t->cell, "median");
    assert_int_equal(t->digits, 2);
    assert_string_equal(t->title, "A");
    assert_int_equal(t->where_count, 2);
    assert_string_equal(t->where[0].key, "lambda");
    assert_int_equal(t->where[0].count, 2);
    assert_true(t->where[0].values[1].real == 0.1);
    assert_string_equal(t->where[1].values[0].string, "adam");
    t = &s->tables[1];
    assert_null(t->title);
    assert_int_equal(t->rows.count + t->columns.count + t->where_count, 0);
    assert_string_equal(t->metric, "theta");
    assert_int_equal(t->select, PL_SELECT_LAST);
    assert_string_equal(t->cell, "mean(std)");
    assert_int_equal(t->digits, -1);

    assert_int_equal(s->figure_count, 5);
    const struct pl_figure_spec *f = &s->figures[0];
    assert_int_equal(f->kind, PL_FIGURE_CURVES);
    assert_string_equal(f->name, "sens-curves");
    assert_string_equal(f->x, "epoch");
    assert_string_equal(f->y, "loss");
    assert_string_equal(f->panels.names[0], "optimizer");
    assert_string_equal(f->lines.names[0], "lambda");
    assert_true(f->log_x && f->log_y && isnan(f->x_range[0]) && isnan(f->x_range[1]));
    assert_true(f->y_range[0] == 1e-3 && f->y_range[1] == 5);
    f = &s->figures[1];
    assert_int_equal(f->kind, PL_FIGURE_SENSITIVITY);
    assert_string_equal(f->name, "lambda.1");
    assert_string_equal(f->x, "lambda");
    assert_string_equal(f->y, "loss");
    assert_int_equal(f->select, PL_SELECT_LAST);
    assert_true(f->log_x && !f->log_y);
    assert_true(f->fit && f->fit_range[0] == 0.1 && f->fit_range[1] == 0.5);
    assert_true(f->slope_count == 2 && f->slopes[0] == 0.5 && f->slopes[1] == 2);
    f = &s->figures[2];
    assert_true(!f->fit && !f->slope_count);
    assert_int_equal(f->kind, PL_FIGURE_HEATMAP);
    assert_string_equal(f->y, "epsilon");
    assert_string_equal(f->z, "loss");
    assert_int_equal(f->select, PL_SELECT_BEST);
    assert_true(f->x_range[0] == -1 && f->x_range[1] == 1);
    assert_string_equal(s->figures[3].name, "sens-curves-2");
    assert_string_equal(s->figures[3].where[0].key, "beta1");
    assert_string_equal(s->figures[4].name, "sens-trajectories");
    assert_null(s->figures[4].z);
    assert_true(s->figures[4].fit && !(s->figures[4].fit_range[0] < s->figures[4].fit_range[1]));
    assert_true(s->figures[4].slope_count == 1 && s->figures[4].slopes[0] == 1);
}

static void tables_for_a_paper(void **state)
{
    (void)state;
    struct pl_spec *spec = load(
        "study: s\ntask: {problem: theta30, iterations: 10}\noptimizer: {name: sgd, lambda: [0.1, 0.2]}\ntables:\n"
        "- {value: last loss, cell: mean ± ci95, unit: percent, caption: \"A: b\", label: tab:main,\n"
        "   labels: {sgd: SGD, 1e-1: a tenth}}\n"
        "- {value: last loss, cell: mean+- sem}\n");
    const struct pl_table_spec *t = pl_spec_study(spec, 0)->tables;
    assert_string_equal(t[0].cell, "mean+-ci95");
    assert_int_equal(t[0].unit, PL_UNIT_PERCENT);
    assert_string_equal(t[0].caption, "A: b");
    assert_string_equal(t[0].label, "tab:main");
    assert_string_equal(pl_labels_find(&t[0].labels, "sgd"), "SGD");
    assert_string_equal(pl_labels_find(&t[0].labels, "0.1"), "a tenth");
    assert_string_equal(t[1].cell, "mean+-sem");
    assert_true(!t[1].unit && !t[1].caption && !t[1].label && !t[1].labels.count);
    pl_spec_free(spec);
}

static void figures_of_statistics(void **state)
{
    (void)state;
    struct pl_spec *spec = load(
        "study: s\ntask: {problem: theta30, iterations: 10}\noptimizer: {name: sgd, lambda: {log: "
        "[0.1, 1]}, momentum: [0, 0.9]}\nsearch: {points: 2}\nfigures:\n"
        "- {kind: scatter, x: lambda, y: last loss, z: momentum}\n"
        "- {kind: tuning, y: last loss, lines: momentum}\n"
        "- {kind: tuning, x: epochs, y: loss, band: ks, confidence: 0.9, statistic: both}\n"
        "- {kind: profile, tau_max: 2.5, cell: median, select: {over: lambda, by: last loss}}\n"
        "- {kind: ranks, y: loss, lines: momentum}\n");
    const struct pl_figure_spec *f = pl_spec_study(spec, 0)->figures;
    assert_string_equal(f[0].x, "lambda");
    assert_string_equal(f[0].z, "momentum");
    assert_int_equal(f[0].select, PL_SELECT_LAST);
    assert_string_equal(f[1].x, "points");
    assert_true(f[1].band == PL_BAND_LD && f[1].confidence == 0.95 && f[1].statistic == PL_STATISTIC_MEDIAN);
    assert_string_equal(f[2].x, "epochs");
    assert_string_equal(f[2].name, "s-tuning-2");
    assert_true(f[2].band == PL_BAND_KS && f[2].confidence == 0.9 && f[2].statistic == PL_STATISTIC_BOTH);
    assert_string_equal(f[3].y, PL_EPOCHS_TO_TARGET);
    assert_true(f[3].tau_max == 2.5 && f[3].choose.best == 1 && f[3].choose.select == PL_SELECT_LAST);
    assert_string_equal(f[3].choose.over.names[0], "lambda");
    assert_string_equal(f[3].cell, "median");
    assert_true(f[4].tau_max == 4 && !f[4].choose.best && !f[4].cell && !f[4].x);
    pl_spec_free(spec);
}

static void figures_of_seeds(void **state)
{
    (void)state;
    struct pl_spec *spec = load(
        "study: s\ntask: {problem: theta30, iterations: 10}\noptimizer: {name: sgd, lambda: [0.1, 1], "
        "momentum: [0, 0.9]}\nseeds: [1, 2]\nfigures:\n"
        "- {kind: box, x: lambda, y: last loss, lines: momentum, log: y, shared: y}\n"
        "- {kind: strip, x: momentum, y: loss, panels: lambda, y_range: [0, 1], width: 3in}\n");
    const struct pl_figure_spec *f = pl_spec_study(spec, 0)->figures;
    assert_true(f[0].kind == PL_FIGURE_BOX && f[0].select == PL_SELECT_LAST && f[0].log_y && f[0].share_y);
    assert_string_equal(f[0].name, "s-box");
    assert_string_equal(f[0].x, "lambda");
    assert_true(f[1].kind == PL_FIGURE_STRIP && f[1].select == PL_SELECT_BEST && f[1].y_range[1] == 1);
    assert_string_equal(f[1].name, "s-strip");
    pl_spec_free(spec);
}

static void tables_and_figures(void **state)
{
    (void)state;
    struct pl_spec *spec = load(declared);
    check_declared(pl_spec_study(spec, 0));
    pl_spec_free(spec);
}

/* What a report reads back from a database must not depend on what this poula would still run. */
static void declarations_of_an_old_spec(void **state)
{
    (void)state;
    struct pl_spec *spec;
    struct pl_text problems = {0};
    struct pl_error err;
    assert_int_equal(pl_spec_parse_declarations(&spec, declared, strlen(declared), "x", &problems, &err), 0);
    check_declared(pl_spec_study(spec, 0));
    assert_int_equal(pl_spec_study(spec, 0)->configs, 0);
    pl_spec_free(spec);
    const char old[] = "study: s\ntask: {problem: forgotten, cache: [3, 4]}\noptimizer: {name: lost, lr: [1, 2]}\n"
                       "seeds: [5, 6]\nexclude: [{cache: 3}]\nzip: [[cache, gone]]\n"
                       "tables: [{rows: cache, columns: λ, value: best loss, where: {lr: 1, cache: 4}}]\n";
    assert_int_equal(pl_spec_parse_declarations(&spec, old, strlen(old), "x", &problems, &err), 0);
    const struct pl_study *s = pl_spec_study(spec, 0);
    assert_int_equal(s->seed_count, 2);
    assert_string_equal(s->tables[0].rows.names[0], "cache");
    assert_string_equal(s->tables[0].columns.names[0], "lambda");
    assert_string_equal(s->tables[0].where[0].key, "lambda");
    assert_true(s->tables[0].where[0].values[0].real == 1);
    pl_spec_free(spec);
    assert_int_equal(problems.length, 0);
    pl_text_release(&problems);
}

/* The database has the text, and the name of the study says in which scale it was run. */
static void declarations_in_a_scale(void **state)
{
    (void)state;
    static const char text[] =
        "defaults: {scale: {quick: {iterations: 5, problem: {theta30: {problem: quadratic, condition: 10, noise: 0},"
        " rastrigin: {problem: quadratic, condition: 100, noise: 0}}}, odd: {yes: 1, lambda: {yes: 1}}}}\n"
        "studies:\n"
        "- study: s\n"
        "  task: {problem: [theta30, rastrigin], iterations: 50}\n"
        "  optimizer: {name: sgd, lambda: [1, 2]}\n"
        "  scale: {quick: {seeds: [4, 5]}}\n"
        "  tables: [{rows: problem, columns: lambda, value: best loss, title: T, where: {problem: rastrigin}}]\n"
        "  figures: [{kind: curves, y: loss, name: f}, {kind: curves, y: loss}]\n";
    struct pl_spec *spec;
    struct pl_text problems = {0};
    struct pl_error err;
    assert_int_equal(pl_spec_parse_declarations(&spec, text, strlen(text), "x", &problems, &err), 0);
    assert_int_equal(problems.length, 0);
    assert_int_equal(pl_spec_study_count(spec), 3);
    const struct pl_study *s = pl_spec_study(spec, 0);
    assert_string_equal(s->name, "s");
    assert_int_equal(s->rename_count, 0);
    assert_int_equal(s->tables[0].rows.count, 1);
    s = pl_spec_study(spec, 1);
    assert_string_equal(s->name, "s-quick");
    assert_int_equal(s->seed_count, 2);
    assert_string_equal(s->tables[0].title, "T (quick)");
    assert_int_equal(s->tables[0].rows.count, 2); /* noise does not tell anything apart */
    assert_string_equal(s->tables[0].rows.names[1], "condition");
    assert_int_equal(s->tables[0].where_count, 3);
    assert_string_equal(s->tables[0].where[0].values[0].string, "quadratic");
    assert_string_equal(s->tables[0].where[1].key, "condition");
    assert_true(pl_value_equal(s->tables[0].where[1].values, &(struct pl_value){PL_INTEGER, {.integer = 100}}));
    assert_string_equal(s->figures[0].name, "f-quick");
    assert_string_equal(s->figures[1].name, "s-quick-curves-2");
    assert_int_equal(s->rename_count, 2);
    assert_string_equal(s->renames[1].key, "problem");
    assert_string_equal(s->renames[1].old.string, "rastrigin");
    assert_int_equal(s->renames[1].now_count, 3);
    assert_string_equal(pl_spec_study(spec, 2)->name, "s-odd");
    pl_spec_free(spec);
    pl_text_release(&problems);
}

/* Each word for the positions of what was recorded is one, and plots know the same words. */
static void figures_over_time(void **state)
{
    (void)state;
    static const char *const words[] = {"epoch", "iteration", "step", "n", "seconds"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "study: s\ntask: {problem: theta30}\noptimizer: sgd\nfigures: [{kind: curves, x: %s, y: theta}]\n",
                 words[i]);
        struct pl_spec *spec = load(text);
        assert_string_equal(pl_spec_study(spec, 0)->figures[0].x, words[i]);
        pl_spec_free(spec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_over_time),           cmocka_unit_test(tables_and_figures),
        cmocka_unit_test(figures_of_statistics),       cmocka_unit_test(figures_of_seeds),
        cmocka_unit_test(declarations_of_an_old_spec), cmocka_unit_test(declarations_in_a_scale),
        cmocka_unit_test(tables_for_a_paper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
