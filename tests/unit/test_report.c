/* ---- formats ---- */
#include "report_parts.h"

static void expect_part(char *got, const char *part)
{
    if (!strstr(got, part))
        fail_msg("lacks '%s':\n%s", part, got);
    free(got);
}

static void expect_no_part(char *got, const char *part)
{
    if (strstr(got, part))
        fail_msg("has '%s':\n%s", part, got);
    free(got);
}

static void cells_follow_the_rules(void **state)
{
    (void)state;
    struct pl_store *store = make_results("", "test_accuracy", cells, CELLS);
    struct pl_results *results = open_results(store);
    expect(render(results, by_lambda(), &pl_format_text),
           "known: best test_accuracy, mean(std) by optimizer and lambda; higher is better\n\n"
           "optimizer    lambda=0.1              lambda=0.01\n"
           "---------  ------------  -----------------------\n"
           "adam       92.50(0.25)*  81.00(1.41) n=2 div 1/3\n"
           "sgd             div 3/3    70.00(-) n=1 fail 1/3\n\n"
           "1 of 12 runs failed.\n1 of 12 runs have not finished yet.\n");
    pl_results_free(results);
    pl_store_close(store);
}

static void select_picks_the_value(void **state)
{
    (void)state;
    struct pl_store *store = make_results("", "test_accuracy", cells, CELLS);
    struct pl_results *results = open_results(store);
    struct pl_table_spec spec = by_lambda();
    spec.select = PL_SELECT_LAST;
    /* 92.25, 91, 92.75; the run that ended in NaN has no last value. */
    char *got = render(results, spec, &pl_format_text);
    assert_non_null(strstr(got, "92.00(0.90)*"));
    assert_non_null(strstr(got, "fail 1/3 miss 1/3 none 1/3"));
    free(got);
    pl_results_free(results);
    pl_store_close(store);
}

static void nan_is_never_best_or_averaged(void **state)
{
    (void)state;
    static const struct known_run runs[] = {
        RUN("optimizer=a", 1, PL_FINISHED, NAN),    RUN("optimizer=a", 2, PL_FINISHED, INFINITY, -INFINITY),
        RUN("optimizer=b", 1, PL_FINISHED, NAN, 2), RUN("optimizer=b", 2, PL_FINISHED, 4, INFINITY),
        RUN("optimizer=c", 1, PL_FINISHED, 5, NAN), RUN("optimizer=c", 2, PL_FINISHED, 5),
    };
    struct pl_store *store = make_results("", "loss", runs, 6);
    struct pl_results *results = open_results(store);
    struct pl_table_spec spec = {.rows = names(optimizer, 1), .digits = -1};
    expect_part(render(results, spec, &pl_format_text), "a               none 2/2\n"
                                                        "b          3.000(1.414)*\n"
                                                        "c          5.000(0.000)\n");
    pl_results_free(results);
    pl_store_close(store);
}

static void configurations_are_never_pooled(void **state)
{
    (void)state;
    static const struct known_run runs[] = {
        RUN("optimizer=sgd lambda=1 momentum=0", 1, PL_FINISHED, 1),
        RUN("optimizer=sgd lambda=1 momentum=0.9", 1, PL_FINISHED, 3),
        RUN("optimizer=adam lambda=1", 1, PL_FINISHED, 2),
    };
    struct pl_store *store = make_results("", "loss", runs, 3);
    struct pl_results *results = open_results(store);
    expect(render(results, by_lambda(), &pl_format_text),
           "known: best loss, mean(std) by optimizer, momentum and lambda; lower is better\n\n"
           "optimizer  momentum   lambda=1\n"
           "---------  --------  ---------\n"
           "sgd        0         1.000(-)*\n"
           "sgd        0.9       3.000(-)\n"
           "adam       -         2.000(-)\n\n"
           "Rows are split by momentum, which varies but was not asked for.\n");
    pl_results_free(results);
    pl_store_close(store);
}

static void best_is_marked_within_a_task(void **state)
{
    (void)state;
    static const struct known_run runs[] = {
        RUN("model=vgg optimizer=a", 1, PL_FINISHED, 90),
        RUN("model=vgg optimizer=b", 1, PL_FINISHED, 91),
        RUN("model=res optimizer=a", 1, PL_FINISHED, 95),
        RUN("model=res optimizer=b", 1, PL_FINISHED, 95),
    };
    static const char *model[] = {"model"};
    struct pl_store *store = make_results("", "accuracy", runs, 4);
    struct pl_results *results = open_results(store);
    struct pl_table_spec spec = {.rows = names(model, 1), .columns = names(optimizer, 1), .digits = -1};
    expect_part(render(results, spec, &pl_format_text), "vgg      90.00(-)     91.00(-)*\n"
                                                        "res      95.00(-)*    95.00(-)*\n");
    spec = (struct pl_table_spec){.rows = names(optimizer, 1), .columns = names(model, 1), .digits = -1};
    expect_part(render(results, spec, &pl_format_text), "a          90.00(-)   95.00(-)*\n"
                                                        "b          91.00(-)*  95.00(-)*\n");
    pl_results_free(results);
    pl_store_close(store);
}

static void best_needs_rivals_and_runs_that_last(void **state)
{
    (void)state;
    static const struct known_run runs[] = {
        RUN("model=vgg optimizer=a", 1, PL_FINISHED, 90), RUN("model=vgg optimizer=a", 2, PL_FINISHED, 91),
        RUN("model=vgg optimizer=b", 1, PL_FINISHED, 99), RUN("model=vgg optimizer=b", 2, PL_DIVERGED, 99),
        RUN("model=res optimizer=a", 1, PL_FINISHED, 95), RUN("model=res optimizer=a", 2, PL_FINISHED, 95),
    };
    static const char *model[] = {"model"};
    struct pl_store *store = make_results("", "accuracy", runs, 6);
    struct pl_results *results = open_results(store);
    struct pl_table_spec spec = {.rows = names(model, 1), .columns = names(optimizer, 1), .digits = 0};
    /* b has the higher mean, but a run of it diverged; res has only one cell. */
    expect_part(render(results, spec, &pl_format_markdown), "| vgg   |   **90(1)** | 99(-) n=1 div 1/2 |\n"
                                                            "| res   |       95(0) |                   |\n");
    pl_results_free(results);
    pl_store_close(store);
}

static void texts_that_look_like_numbers_are_found(void **state)
{
    (void)state;
    static const struct known_run runs[] = {
        RUN("code=$1 lambda=-inf", 1, PL_FINISHED, 5),
        RUN("code=$2 lambda=-inf", 1, PL_FINISHED, 7),
    };
    struct pl_store *store = make_results("", "loss", runs, 2);
    struct pl_results *results = open_results(store);
    struct pl_table_spec spec = {.columns = names(lambda, 1), .digits = 0};
    assert_true(pl_where_read("code=1", &spec.where, &spec.where_count));
    expect_part(render(results, spec, &pl_format_latex), "{$\\lambda=-\\infty$}");
    expect_part(render(results, spec, &pl_format_text), "5(-)\n");
    pl_where_free(spec.where, spec.where_count);
    pl_results_free(results);
    pl_store_close(store);
}

static void tables_say_when_averaging_began(void **state)
{
    (void)state;
    static const struct known_run runs[] = {RUN_AVERAGED("optimizer=a", 1, 3, 9, 8),
                                            RUN_AVERAGED("optimizer=a", 2, 7, 9, 8),
                                            RUN("optimizer=b", 1, PL_FINISHED, 5), RUN("optimizer=c", 1, -1, 0)};
    struct pl_store *store = make_results("", "loss", runs, 4);
    struct pl_results *results = open_results(store);
    struct pl_table_spec spec = {.rows = names(optimizer, 1), .digits = 0};
    expect_part(render(results, spec, &pl_format_text),
                "2 of 3 finished runs averaged their weights, from epoch 3 to 7 on "
                "(last averaged_from).\n");
    assert_true(pl_where_read("optimizer=b", &spec.where, &spec.where_count));
    expect_no_part(render(results, spec, &pl_format_text), "averaged");
    pl_where_free(spec.where, spec.where_count);
    spec = (struct pl_table_spec){
        .rows = names(optimizer, 1), .digits = 0, .select = PL_SELECT_LAST, .metric = (char[]){PL_METRIC_AVERAGED}};
    expect_part(render(results, spec, &pl_format_text), "5(3)\n");
    expect_no_part(render(results, spec, &pl_format_text), "finished runs averaged");
    pl_results_free(results);
    pl_store_close(store);
}

static void neutral_metrics_have_no_best(void **state)
{
    (void)state;
    static const struct known_run runs[] = {RUN("optimizer=a", 1, PL_FINISHED, 1),
                                            RUN("optimizer=b", 1, PL_FINISHED, 2)};
    struct pl_store *store = make_results("", "theta", runs, 2);
    struct pl_results *results = open_results(store);
    struct pl_table_spec spec = {.rows = names(optimizer, 1), .digits = -1, .select = PL_SELECT_LAST};
    expect_no_part(render(results, spec, &pl_format_text), "*");
    expect_no_part(render(results, spec, &pl_format_text), "better");
    pl_results_free(results);
    pl_store_close(store);
}

static void conditions_pick_configurations(void **state)
{
    (void)state;
    struct pl_store *store = make_results("", "test_accuracy", cells, CELLS);
    struct pl_results *results = open_results(store);
    struct pl_table_spec spec = by_lambda();
    struct pl_table *table;
    assert_true(pl_where_read("lambda=1e-2", &spec.where, &spec.where_count));
    assert_true(pl_where_read("optimizer=adam,adam", &spec.where, &spec.where_count));
    expect_part(render(results, spec, &pl_format_text), "adam       81.00(1.41) n=2 div 1/3\n");
    expect_no_part(render(results, spec, &pl_format_text), "sgd");
    assert_true(pl_where_read("optimizer=lion", &spec.where, &spec.where_count));
    assert_int_equal(pl_table_build(&table, results, &spec, &err), PL_EMISSING);
    assert_true(pl_where_read("lamda=1", &spec.where, &spec.where_count));
    assert_int_equal(pl_table_build(&table, results, &spec, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "did you mean lambda?"));
    assert_false(pl_where_read("lambda", &spec.where, &spec.where_count));
    assert_false(pl_where_read("=1", &spec.where, &spec.where_count));
    assert_false(pl_where_read("lambda=", &spec.where, &spec.where_count));
    pl_where_free(spec.where, spec.where_count);
    pl_results_free(results);
    pl_store_close(store);
}

static void unknown_names_are_refused(void **state)
{
    (void)state;
    static const char *wrong[] = {"optimiser"}, *seed[] = {"seed"}, *twice[] = {"lambda", "lambda"};
    struct pl_store *store = make_results("", "test_accuracy", cells, CELLS);
    struct pl_results *results = open_results(store);
    struct pl_table *table;
    char metric[] = "test_acuracy";
    struct pl_table_spec specs[] = {
        {.rows = names(wrong, 1)}, {.columns = names(seed, 1)}, {.rows = names(twice, 2)}, {.metric = metric}};
    static const char *const complaints[] = {"did you mean optimizer?", "statistics are taken over the seeds",
                                             "stands twice", "did you mean test_accuracy?"};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pl_table_build(&table, results, &specs[i], &err), PL_EINPUT);
        if (!strstr(err.text, complaints[i]))
            fail_msg("got: %s", err.text);
    }
    pl_results_free(results);
    pl_store_close(store);
}

static void default_table_needs_no_declaration(void **state)
{
    (void)state;
    struct pl_store *store = make_results("", "test_accuracy", cells, CELLS);
    struct pl_results *results = open_results(store);
    struct pl_table_spec spec = {.digits = 1};
    expect_part(render(results, spec, &pl_format_text), "optimizer  lambda");
    expect_part(render(results, spec, &pl_format_text), "adam       0.1                92.5(0.2)*");
    expect_no_part(render(results, spec, &pl_format_text), "split");
    pl_results_free(results);
    pl_store_close(store);
}

static void numbers_are_rounded_for_readers(void **state)
{
    (void)state;
    static const struct {
        double value;
        int decimals;
        const char *shown;
    } cases[] = {{92.305, 2, "92.31"},     {-0.001, 2, "0.00"},  {0, -1, "0"},
                 {0.5, -1, "0.5000"},      {1234.5, -1, "1234"}, {1e21, 2, "1.00e21"},
                 {1.5e-8, -1, "1.500e-8"}, {INFINITY, 2, "inf"}, {99999.4, -1, "99999"},
                 {-1.25, 1, "-1.2"},       {NAN, 2, "nan"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pl_text text = {0};
        pl_report_number(cases[i].value, cases[i].decimals, &text);
        assert_string_equal(pl_text(&text), cases[i].shown);
        pl_text_release(&text);
    }
}

/* Against numeric integration of Student's density; and what has no interval. */
static void welch_intervals(void **state)
{
    (void)state;
    struct pl_interval i;
    pl_welch(&(struct pl_sample){90, 0.1, 2}, &(struct pl_sample){91.82, 0.081, 3}, 0.95, &i);
    assert_float_equal(i.difference, -1.82, 1e-12);
    assert_float_equal(i.freedom, 1.8857309102761477, 1e-12);
    assert_float_equal(i.low, -2.2067846676, 1e-6);
    assert_float_equal(i.high, -1.4332153324, 1e-6);
    pl_welch(&(struct pl_sample){92, 1, 3}, &(struct pl_sample){91.80, 0.262, 3}, 0.8, &i);
    assert_float_equal(i.low, -0.8681717546, 1e-6);
    assert_float_equal(i.high, 1.2681717546, 1e-6);
    pl_welch(&(struct pl_sample){1, 0, 3}, &(struct pl_sample){2, 0, 3}, 0.95, &i); /* no spread: a point */
    assert_true(i.low == -1 && i.high == -1 && isnan(i.freedom));
    pl_welch(&(struct pl_sample){0.1 + 0.2, 1, 3}, &(struct pl_sample){0.3, 1, 3}, 0.95,
             &i); /* equal but for rounding */
    assert_true(i.difference == 0 && i.low == -i.high);
    pl_welch(&(struct pl_sample){1, NAN, 1}, &(struct pl_sample){2, 1, 3}, 0.95, &i);
    assert_true(i.difference == -1 && isnan(i.low) && isnan(i.high));
    pl_welch(&(struct pl_sample){1, 1, 3}, &(struct pl_sample){2, NAN, 3}, 0.95, &i);
    assert_true(i.difference == -1 && isnan(i.low));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(welch_intervals),
        cmocka_unit_test(cells_follow_the_rules),
        cmocka_unit_test(select_picks_the_value),
        cmocka_unit_test(nan_is_never_best_or_averaged),
        cmocka_unit_test(configurations_are_never_pooled),
        cmocka_unit_test(best_is_marked_within_a_task),
        cmocka_unit_test(best_needs_rivals_and_runs_that_last),
        cmocka_unit_test(texts_that_look_like_numbers_are_found),
        cmocka_unit_test(tables_say_when_averaging_began),
        cmocka_unit_test(neutral_metrics_have_no_best),
        cmocka_unit_test(conditions_pick_configurations),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(default_table_needs_no_declaration),
        cmocka_unit_test(numbers_are_rounded_for_readers),
    };
    return cmocka_run_group_tests(tests, make_db_name, remove_db);
}
