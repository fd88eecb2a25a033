#include "print/print.h"
#include "results_db.h"

/* The rules of cells: three seeds a configuration. */
static const struct known_run cells[] = {
    RUN("optimizer=adam lambda=0.1", 1, PL_FINISHED, 90, 92.25),
    RUN("optimizer=adam lambda=0.1", 2, PL_FINISHED, 92.50, 91),
    RUN("optimizer=adam lambda=0.1", 3, PL_FINISHED, 50, 92.75),
    RUN("optimizer=adam lambda=0.01", 1, PL_FINISHED, 80),
    RUN("optimizer=adam lambda=0.01", 2, PL_DIVERGED, 99),
    RUN("optimizer=adam lambda=0.01", 3, PL_FINISHED, 82),
    RUN("optimizer=sgd lambda=0.1", 1, PL_DIVERGED, 10),
    RUN("optimizer=sgd lambda=0.1", 2, PL_DIVERGED, 10),
    RUN("optimizer=sgd lambda=0.1", 3, PL_DIVERGED, 10),
    RUN("optimizer=sgd lambda=0.01", 1, PL_FINISHED, 70, NAN),
    RUN("optimizer=sgd lambda=0.01", 2, PL_FAILED, 71),
    RUN("optimizer=sgd lambda=0.01", 3, -1, 0),
};
enum { CELLS = sizeof cells / sizeof *cells };

static char *render(struct pl_results *results, struct pl_table_spec spec, const struct pl_format *format)
{
    struct pl_table *table;
    struct pl_text text = {0};
    ok(pl_table_build(&table, results, &spec, &err));
    pl_table_write(&table, 1, format, &text);
    pl_table_free(table);
    return pl_text_take(&text);
}

static struct pl_names names(const char **list, size_t count)
{
    return (struct pl_names){(char **)list, count};
}

static const char *optimizer[] = {"optimizer"}, *lambda[] = {"lambda"};

static struct pl_table_spec by_lambda(void)
{
    return (struct pl_table_spec){.rows = names(optimizer, 1), .columns = names(lambda, 1), .digits = -1};
}

static void expect(char *got, const char *want)
{
    assert_string_equal(got, want);
    free(got);
}

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

static void cells_can_show_other_statistics(void **state)
{
    (void)state;
    static const char *const wanted[][2] = {
        {"mean", "92.50"}, {"median", "92.50"}, {"min", "92.25"}, {"max", "92.75"}, {"n", "3"}};
    struct pl_store *store = make_results("", "test_accuracy", cells, CELLS);
    struct pl_results *results = open_results(store);
    for (size_t i = 0; i < 5; i++) {
        struct pl_table_spec spec = by_lambda();
        char cell[50], part[50];
        snprintf(cell, sizeof cell, "%s", wanted[i][0]);
        snprintf(part, sizeof part, "| adam      | %*s", 2, "");
        spec.cell = cell;
        char *got = render(results, spec, &pl_format_markdown);
        const char *row = strstr(got, "| adam");
        assert_non_null(row);
        if (!strstr(row, wanted[i][1]))
            fail_msg("%s: %s", cell, got);
        free(got);
    }
    struct pl_table_spec wrong = by_lambda();
    char cell[] = "mode";
    struct pl_table *table;
    wrong.cell = cell;
    assert_int_equal(pl_table_build(&table, results, &wrong, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "mean(std) mean median min max n"));
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

static void markdown_and_latex_are_escaped(void **state)
{
    (void)state;
    static const struct known_run runs[] = {
        RUN("optimizer=a_b|c lambda=0.0001", 1, PL_FINISHED, 90),
        RUN("optimizer=100%&$#{}~^\\ lambda=0.0001", 1, PL_FINISHED, 91),
        RUN("optimizer=a_b|c lambda=inf", 1, PL_FINISHED, 80),
    };
    struct pl_store *store = make_results("", "test_accuracy", runs, 3);
    struct pl_results *results = open_results(store);
    expect(render(results, by_lambda(), &pl_format_markdown),
           "**known: best test\\_accuracy, mean(std) by optimizer and lambda; higher is better**\n\n"
           "| optimizer        | lambda=0.0001 | lambda=inf |\n"
           "| ---------------- | ------------: | ---------: |\n"
           "| a\\_b\\|c          |      90.00(-) |   80.00(-) |\n"
           "| 100%&\\$\\#{}\\~^\\\\ |  **91.00(-)** |            |\n");
    expect(
        render(results, by_lambda(), &pl_format_latex),
        "% Needs \\usepackage{amsmath,booktabs}.\n\\begin{table}[htbp]\n\\centering\n"
        "\\caption{known: best test\\_accuracy, mean(std) by optimizer and lambda; higher is better}\n"
        "\\begin{tabular}{lrr}\n\\toprule\n"
        "optimizer & \\multicolumn{1}{c}{$\\lambda=0.0001$} & \\multicolumn{1}{c}{$\\lambda=\\infty$} \\\\\n\\midrule\n"
        "a\\_b\\textbar{}c & $90.00(\\text{--})$ & $80.00(\\text{--})$ \\\\\n"
        "100\\%\\&\\$\\#\\{\\}\\textasciitilde{}\\textasciicircum{}\\textbackslash{} & "
        "\\textbf{\\boldmath $91.00(\\text{--})$} &  \\\\\n"
        "\\bottomrule\n\\end{tabular}\n\\end{table}\n");
    pl_results_free(results);
    pl_store_close(store);
}

static void records_keep_full_precision(void **state)
{
    (void)state;
    static const struct known_run runs[] = {
        RUN("optimizer=a,\"b\" lambda=0.1", 1, PL_FINISHED, 1.0 / 3),
        RUN("optimizer=a,\"b\" lambda=0.1", 2, PL_FINISHED, 2.0 / 3),
        RUN("optimizer=a,\"b\" lambda=inf", 1, PL_DIVERGED, 1),
    };
    struct pl_store *store = make_results("", "loss", runs, 3);
    struct pl_results *results = open_results(store);
    expect(render(results, by_lambda(), &pl_format_csv),
           "study,metric,select,optimizer,lambda,mean,std,median,min,max,n,planned,diverged,failed,missing,best\n"
           "known,loss,best,\"a,\"\"b\"\"\",0.1,0.5,0.23570226039551584,0.5,0.3333333333333333,0.6666666666666666,2,2,"
           "0,0,0,1\n"
           "known,loss,best,\"a,\"\"b\"\"\",inf,,,,,,0,1,1,0,0,0\n");
    expect(
        render(results, by_lambda(), &pl_format_json),
        "[\n {\"study\": \"known\",\n  \"title\": null,\n  \"metric\": \"loss\",\n  \"select\": \"best\",\n"
        "  \"direction\": \"minimize\",\n  \"rows\": [\"optimizer\"],\n  \"columns\": [\"lambda\"],\n  \"notes\": [],\n"
        "  \"cells\": [\n"
        "    {\"settings\": {\"optimizer\": \"a,\\\"b\\\"\", \"lambda\": 0.1}, \"mean\": 0.5, \"std\": "
        "0.23570226039551584, "
        "\"median\": 0.5, \"min\": 0.3333333333333333, \"max\": 0.6666666666666666, \"n\": 2, \"planned\": 2, "
        "\"diverged\": 0, "
        "\"failed\": 0, \"missing\": 0, \"best\": true, \"values\": [0.3333333333333333, 0.6666666666666666]},\n"
        "    {\"settings\": {\"optimizer\": \"a,\\\"b\\\"\", \"lambda\": \"inf\"}, \"mean\": null, \"std\": null, "
        "\"median\": null, \"min\": null, \"max\": null, \"n\": 0, \"planned\": 1, \"diverged\": 1, "
        "\"failed\": 0, \"missing\": 0, \"best\": false, \"values\": []}\n  ]}\n]\n");
    pl_results_free(results);
    pl_store_close(store);
}

/* ---- formats ---- */

static char *rows_in(const struct pl_format *format, size_t count)
{
    static const char *const names[] = {"a|b", "x_y", "n"};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    struct pl_rows *rows = pl_rows_new(out, format->rows);
    pl_rows_head(rows, names, 3);
    for (size_t i = 0; i < count; i++) {
        struct pl_cell row[] = {pl_cell_text(i ? "" : "\xe4\xb8\xad\n"),
                                {.kind = PL_CELL_REAL, .real = i ? -INFINITY : 0.5},
                                {.kind = i ? PL_CELL_NULL : PL_CELL_INTEGER, .integer = -3, .text = ""}};
        row[2].tex = i ? NULL : "-3";
        pl_rows_row(rows, row, 3);
    }
    pl_rows_end(rows);
    fclose(out);
    return text;
}

static void rows_are_written_in_every_format(void **state)
{
    (void)state;
    static const char *const wanted[][2] = {
        {"text", "a|b    x_y     n\n----  ----  ----\n\xe4\xb8\xad\\n   0.5    -3\n      -inf  NULL\n"},
        {"markdown", "| a\\|b   | x\\_y |    n |\n| ------ | ---: | ---: |\n| \xe4\xb8\xad<br> |  0.5 |   -3 |\n"
                     "|        | -inf | NULL |\n"},
        {"latex", "% Needs \\usepackage{amsfonts,booktabs}.\n" PL_LATEX_CHARACTERS "\\begin{tabular}{lrr}\n\\toprule\n"
                  "a\\textbar{}b & x\\_y & n \\\\\n\\midrule\n\\poulachar{\xe4\xb8\xad}{U+4E2D}\\textbackslash{}n & "
                  "$0.5$ & $-3$ \\\\\n"
                  " & $-\\infty$ & -- \\\\\n\\bottomrule\n\\end{tabular}\n"},
        {"csv", "a|b,x_y,n\n\"\xe4\xb8\xad\n\",0.5,-3\n\"\",-inf,\n"},
        {"json", "[\n  {\"a|b\": \"\xe4\xb8\xad\\n\", \"x_y\": 0.5, \"n\": -3},\n"
                 "  {\"a|b\": \"\", \"x_y\": \"-inf\", \"n\": null}\n]\n"},
    };
    struct pl_text words = {0};
    for (size_t i = 0; i < pl_format_registry.count; i++) {
        const struct pl_format *format = pl_format_at(i);
        size_t known = 0;
        pl_text_addf(&words, "%s%s", i ? " " : "", format->name);
        assert_ptr_equal(pl_format_find(format->name), format);
        while (known < sizeof wanted / sizeof *wanted && strcmp(wanted[known][0], format->name))
            known++;
        if (known == sizeof wanted / sizeof *wanted)
            fail_msg("nothing says what rows look like in %s", format->name);
        expect(rows_in(format, 2), wanted[known][1]);
    }
    assert_string_equal(PL_FORMAT_WORDS, pl_text(&words));
    assert_string_equal(PL_FORMAT_RECORD_WORDS, "csv json");
    assert_null(pl_format_find("html"));
    pl_text_release(&words);
}

/* What comes behind the rows that are measured is written all the same, and an answer without rows is one. */
static void rows_come_as_many_as_they_are(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, PL_ROWS_MEASURED - 1, PL_ROWS_MEASURED, PL_ROWS_MEASURED + 1};
    for (size_t f = 0; f < pl_format_registry.count; f++) {
        size_t last = 0;
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            char *text = rows_in(pl_format_at(f), counts[i]);
            size_t lines = 0;
            for (const char *c = text; *c; c++)
                lines += *c == '\n';
            if (i > 1)
                assert_int_equal(lines - last, counts[i] - counts[i - 1]);
            assert_true(lines > 0);
            last = lines;
            free(text);
        }
    }
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

/* Members of a style that a format leaves out are nothing. */
static void a_style_of_nothing(void **state)
{
    (void)state;
    static const struct pl_style plain = {.escape = pl_text_add};
    static const char *const texts[] = {"a", "b"};
    static const size_t widths[] = {1, 1};
    static const bool right[] = {false, true};
    struct pl_text out = {0}, notes = {0};
    pl_text_add(&notes, "one\ntwo");
    pl_print_caption(&plain, "caption", &out);
    pl_print_line(&plain, texts, widths, right, 2, &out);
    pl_print_notes(&plain, &notes, &out);
    assert_string_equal(pl_text(&out), "caption\n\nab\none\ntwo\n");
    pl_text_release(&out);
    pl_text_release(&notes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_style_of_nothing),
        cmocka_unit_test(welch_intervals),
        cmocka_unit_test(cells_follow_the_rules),
        cmocka_unit_test(cells_can_show_other_statistics),
        cmocka_unit_test(select_picks_the_value),
        cmocka_unit_test(nan_is_never_best_or_averaged),
        cmocka_unit_test(configurations_are_never_pooled),
        cmocka_unit_test(best_is_marked_within_a_task),
        cmocka_unit_test(best_needs_rivals_and_runs_that_last),
        cmocka_unit_test(texts_that_look_like_numbers_are_found),
        cmocka_unit_test(tables_say_when_averaging_began),
        cmocka_unit_test(neutral_metrics_have_no_best),
        cmocka_unit_test(markdown_and_latex_are_escaped),
        cmocka_unit_test(records_keep_full_precision),
        cmocka_unit_test(rows_are_written_in_every_format),
        cmocka_unit_test(rows_come_as_many_as_they_are),
        cmocka_unit_test(conditions_pick_configurations),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(default_table_needs_no_declaration),
        cmocka_unit_test(numbers_are_rounded_for_readers),
    };
    return cmocka_run_group_tests(tests, make_db_name, remove_db);
}
