/* Tables and rows in every format. */
#include "report_parts.h"

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
    assert_non_null(strstr(err.text, PL_CELL_WORDS));
    pl_results_free(results);
    pl_store_close(store);
}

/* Three values of deviation 2: the standard error is 2/sqrt(3), half the interval 4.3027 times that. */
static void means_stand_beside_what_they_are_known_to(void **state)
{
    (void)state;
    static const struct known_run runs[] = {
        RUN("optimizer=adam lambda=0.1", 1, PL_FINISHED, 0.90), RUN("optimizer=adam lambda=0.1", 2, PL_FINISHED, 0.92),
        RUN("optimizer=adam lambda=0.1", 3, PL_FINISHED, 0.94), RUN("optimizer=sgd lambda=0.1", 1, PL_FINISHED, 0.5),
        RUN("optimizer=lion lambda=0.1", 1, PL_FINISHED, -0.1),
    };
    static const char *const kinds[] = {"mean +- std", "mean\u00b1sem", "mean+-ci95"};
    static const char *const wanted[][2] = {{"92.00 \u00b1 2.00", "$92.00 \\pm 2.00$"},
                                            {"92.00 \u00b1 1.15", "$92.00 \\pm 1.15$"},
                                            {"92.00 \u00b1 4.97", "$92.00 \\pm 4.97$"}};
    static const char *list[] = {"adam", "lambda", "1e-1", "test_accuracy"},
                      *texts[] = {"Adam_W", "step", "small", "acc"};
    struct pl_store *store = make_results("", "test_accuracy", runs, 4);
    struct pl_results *results = open_results(store);
    struct pl_table_spec spec = by_lambda();
    spec.unit = PL_UNIT_PERCENT;
    spec.label = (char *)"tab:x";
    spec.labels = (struct pl_labels){(char **)list, (char **)texts, 4};
    for (size_t i = 0; i < 3; i++) {
        spec.cell = (char *)kinds[i];
        char *text = render(results, spec, &pl_format_text), *latex = render(results, spec, &pl_format_latex);
        assert_non_null(strstr(text, wanted[i][0]));
        assert_non_null(strstr(text, "best acc (%), mean \u00b1 "));
        assert_non_null(strstr(text, "step=small"));
        assert_non_null(strstr(text, "50.00 \u00b1 -"));
        assert_non_null(strstr(latex, wanted[i][1]));
        assert_non_null(strstr(latex, "Adam\\_W & "));
        assert_non_null(strstr(latex, "{step=small}"));
        assert_non_null(strstr(latex, "$50.00 \\pm \\text{--}$"));
        assert_non_null(strstr(latex, "}\n\\label{tab:x}\n\\begin{tabular}"));
        free(text);
        free(latex);
    }
    char *csv = render(results, spec, &pl_format_csv);
    assert_non_null(strstr(csv, ",best,ci95\n"));
    assert_non_null(strstr(csv, ",adam,0.1,0.92,"));
    free(csv);
    pl_results_free(results);
    pl_store_close(store);

    struct pl_table *table;
    store = make_results("", "test_accuracy", runs, 5);
    results = open_results(store);
    assert_int_equal(pl_table_build(&table, results, &spec, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "has the value -0.1"));
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

static void html_is_escaped_and_marked(void **state)
{
    (void)state;
    static const struct known_run runs[] = {
        RUN("optimizer=<b>&\" lambda=0.1", 1, PL_FINISHED, 90),
        RUN("optimizer=<b>&\" lambda=0.1", 2, PL_DIVERGED, 90),
        RUN("optimizer=adam lambda=0.1", 1, PL_FINISHED, 91),
    };
    struct pl_store *store = make_results("", "test_accuracy", runs, 3);
    struct pl_results *results = open_results(store);
    expect(
        render(results, by_lambda(), &pl_format_html),
        "<table>\n<caption>known: best test_accuracy, mean(std) by optimizer and lambda; higher is better</caption>\n"
        "<thead>\n<tr><th scope=\"col\">optimizer</th><th scope=\"col\" class=\"n\">lambda=0.1</th></tr>\n</thead>\n"
        "<tbody>\n<tr><th scope=\"row\">&#60;b&#62;&#38;&#34;</th><td class=\"n\" data-value=\"90\">90.00(-) n=1 div "
        "1/2</td></tr>\n<tr><th scope=\"row\">adam</th><td class=\"n best\" data-value=\"91\"><b title=\"the best of "
        "its task\">91.00(-)</b></td></tr>\n</tbody>\n</table>\n");
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
        {"html", "<table>\n<thead>\n<tr><th scope=\"col\">a|b</th><th scope=\"col\" class=\"n\">x_y</th>"
                 "<th scope=\"col\" class=\"n\">n</th></tr>\n</thead>\n<tbody>\n<tr><td>\xe4\xb8\xad\\n</td>"
                 "<td class=\"n\">0.5</td><td class=\"n\">-3</td></tr>\n<tr><td></td><td class=\"n\">-inf</td>"
                 "<td class=\"n\"><i>NULL</i></td></tr>\n</tbody>\n</table>\n"},
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
    assert_null(pl_format_find("no such"));
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
        cmocka_unit_test(cells_can_show_other_statistics),
        cmocka_unit_test(means_stand_beside_what_they_are_known_to),
        cmocka_unit_test(markdown_and_latex_are_escaped),
        cmocka_unit_test(html_is_escaped_and_marked),
        cmocka_unit_test(records_keep_full_precision),
        cmocka_unit_test(rows_are_written_in_every_format),
        cmocka_unit_test(rows_come_as_many_as_they_are),
    };
    return cmocka_run_group_tests(tests, make_db_name, remove_db);
}
