#include "answer.h"
#include "cmd_results.h"
#include "collect.h"
#include "report_parts.h"
#include "store/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pl_option options[] = {
    {.name = "table", .help = "print the tables alone (the default but in html, which is a page of all results)"},
    {.name = "study", .argument = "NAME,...", .help = "the newest sweep of this study, or of several together"},
    {.name = "format", .argument = "FORMAT", .help = "how to write them", .words = PL_FORMAT_WORDS},
    {.name = "select", .argument = "WHICH", .help = "which value of a curve counts", .words = PL_SELECT_WORDS},
    {.name = "rows", .argument = "KEY,...", .help = "settings in the rows, instead of the declared tables"},
    {.name = "columns", .argument = "KEY,...", .help = "settings in the columns"},
    {.name = "value", .argument = "METRIC", .help = "what the cells hold: \"test_accuracy\", \"last loss\""},
    {.name = "cell",
     .argument = "KIND",
     .help = "what is shown of it",
     .words = PL_CELL_WORDS,
     .word_of = pl_cell_kind},
    {.name = "unit",
     .argument = "UNIT",
     .help = "percent: values in [0,1] are shown times 100",
     .words = PL_UNIT_WORDS},
    {.name = "labels",
     .argument = "NAME=TEXT,...",
     .help = "what is shown for names of settings, values and metrics",
     .repeats = true},
    {.name = "caption", .argument = "TEXT", .help = "of the table, instead of the one that says what it shows"},
    {.name = "label", .argument = "LABEL", .help = "latex: \\label{LABEL}, and LABEL-2 of a second table"},
    {.name = "best", .argument = "N", .help = "only the N best over the settings of --over, with their ranks"},
    {.name = "over", .argument = "KEY,...", .help = "settings to choose, as in the select of a table"},
    {.name = "by", .argument = "METRIC", .help = "what to choose by (default: the best validation)"},
    {.name = "digits", .argument = "N", .help = "decimals (default: chosen from the data)"},
    {.name = "where",
     .argument = "KEY=VALUE,...",
     .help = "only configurations with such a setting; A..B is a range; also <, >, !=",
     .repeats = true},
    {.name = "compare",
     .argument = "PUBLISHED",
     .help = "beside published numbers: 'published' (the paper's) or a file"},
    {.name = "claims", .help = "what the paper (or the file of --compare) claims, judged on its numbers and on ours"},
    {.name = "target", .argument = "METRIC=NUMBER", .help = "what epochs_to_target and seconds_to_target count to"},
    {.name = "test", .argument = "TEST", .help = "mark what it cannot tell from the best", .words = PL_TEST_WORDS},
    {.name = "correct", .argument = "HOW", .help = "for many tests (default holm)", .words = PL_CORRECTION_WORDS},
    {.name = "ranks", .help = "mean ranks of the methods over the tasks, instead of the tables"},
    {.name = "profile", .help = "performance profiles of tables of times to a target"},
    {.name = "tau-max", .argument = "X", .help = "the end of a profile's score (default 4)"},
    {.name = "tuning", .help = "the best of k points of a search, for each row and column of the tables"},
    {.name = "band", .argument = "KIND", .help = "of --tuning (default ld)", .words = "dkw ks ld"},
    {.name = "pairs", .help = "all pairs of cells of a task instead of the tables, by --test (default welch)"},
    {.name = "level", .argument = "P", .help = "confidence of tests, intervals and bands (default 0.95)"},
    {.name = "out", .argument = "FILE", .help = "write to FILE instead of standard output"},
    PL_NO_COLLECT,
};

/* A declared table with what the command line changes about it. The conditions of both must hold; the list made here
 * is the caller's, what it points to is not. */
static struct pl_table_spec amend(const struct pl_report *r, const struct pl_table_spec *declared)
{
    struct pl_table_spec spec = *declared;
    if (r->any_select)
        spec.select = r->own.select;
    if (r->any_digits)
        spec.digits = r->own.digits;
    if (r->own.cell)
        spec.cell = r->own.cell;
    if (r->any_unit && !(declared->metric && pl_metric_is_to_target(declared->metric))) /* a time is no share */
        spec.unit = r->own.unit;
    if (r->own.caption)
        spec.caption = r->own.caption;
    if (r->own.choose.best)
        spec.choose = r->own.choose;
    if (r->own.compare.wanted)
        spec.compare = r->own.compare;
    spec.where = pl_cmd_join_where(declared->where, declared->where_count, r->own.where, r->own.where_count);
    spec.where_count = declared->where_count + r->own.where_count;
    return spec;
}

static void keep_listing(struct pl_report *r, struct pl_listing *listing, const struct pl_error *err)
{
    if (!listing) {
        r->code = pl_cmd_fail(r->args, err);
        return;
    }
    r->listings = pl_resize(r->listings, r->listing_count + 1, sizeof *r->listings);
    r->listings[r->listing_count++] = listing;
}

/* What statistics say of a table takes its place. */
static void add_listing(struct pl_report *r, const struct pl_table *table)
{
    struct pl_listing *listing;
    struct pl_error err;
    int status = r->kind == PL_REPORT_PAIRS   ? pl_table_pairs(&listing, table, &r->own.compare, &err)
                 : r->kind == PL_REPORT_RANKS ? pl_table_ranks(&listing, table, r->level, &err)
                                              : pl_table_profile(&listing, table, r->tau_max, &err);
    keep_listing(r, status ? NULL : listing, &err);
}

/* Rows and columns of the table part the searches. */
static void add_tuning(struct pl_report *r, struct pl_results *results, const struct pl_table_spec *table)
{
    size_t rows = table->rows.count, columns = table->columns.count;
    char **names = pl_new((rows + columns + 1) * sizeof *names);
    struct pl_tuning_spec spec = {.metric = table->metric,
                                  .select = table->select,
                                  .where = table->where,
                                  .where_count = table->where_count,
                                  .band = r->band,
                                  .confidence = r->level};
    for (size_t i = 0; i < rows + columns; i++) {
        char *name = i < rows ? table->rows.names[i] : table->columns.names[i - rows];
        if (strcmp(name, PL_RANK_KEY))
            names[spec.groups.count++] = name;
    }
    spec.groups.names = names;
    struct pl_listing *listing;
    struct pl_error err;
    int status = pl_tuning_list(&listing, results, &spec, table, &err);
    keep_listing(r, status ? NULL : listing, &err);
    free(names);
}

/* The same table with --label and --labels, which are the caller's. No two tables have one \label, though studies of a
 * file may have said the same. */
static struct pl_table_spec label_table(struct pl_report *r, const struct pl_table_spec *declared)
{
    struct pl_table_spec spec = *declared;
    struct pl_text label = {0};
    spec.labels = pl_labels_join(&r->own.labels, &declared->labels);
    const char *wanted = r->own.label ? r->own.label : declared->label;
    spec.label = NULL;
    if (!wanted)
        return spec;
    pl_text_add(&label, wanted);
    for (int i = 2; pl_names_have(&r->labels, pl_text(&label)); i++) {
        pl_text_clear(&label);
        pl_text_addf(&label, "%s-%d", wanted, i);
    }
    pl_names_add(&r->labels, pl_text(&label));
    spec.label = pl_text_take(&label);
    return spec;
}

static void build_table(struct pl_report *r, struct pl_results *results, const struct pl_table_spec *spec)
{
    struct pl_table *table;
    struct pl_error err;
    int status = pl_table_build(&table, results, spec, &err);
    if (status) {
        /* A table that cannot be made keeps no other back; one that --where leaves empty was not asked for. */
        int code = pl_cmd_fail(r->args, &err);
        if (status != PL_EMISSING || !r->own.where_count)
            r->code = code;
        return;
    }
    if (r->kind != PL_REPORT_TABLES)
        add_listing(r, table);
    r->tables = pl_resize(r->tables, r->count + 1, sizeof *r->tables);
    r->tables[r->count++] = table;
}

static void add_table(struct pl_report *r, struct pl_results *results, const struct pl_table_spec *spec)
{
    struct pl_table_spec labelled = label_table(r, spec);
    r->tried = true;
    if (r->kind == PL_REPORT_TUNING)
        add_tuning(r, results, &labelled);
    else
        build_table(r, results, &labelled);
    pl_labels_release(&labelled.labels);
    free(labelled.label);
}

static void add_comparison(struct pl_report *r, struct pl_results *results, const struct pl_table_spec *spec)
{
    struct pl_comparison *comparison;
    struct pl_error err;
    if (pl_comparison_build(&comparison, results, spec, r->published, r->level, r->kind == PL_REPORT_CLAIMS, &err)) {
        r->code = pl_cmd_fail(r->args, &err);
        return;
    }
    r->comparisons = pl_resize(r->comparisons, r->comparison_count + 1, sizeof *r->comparisons);
    r->comparisons[r->comparison_count++] = comparison;
}

/* The tables of a study that say which published one they are. */
static int compare_sweep(struct pl_report *r, struct pl_results *results)
{
    const struct pl_study *study = pl_results_study(results);
    size_t compared = 0;
    for (size_t i = 0; study && i < study->table_count; i++) {
        if (!study->tables[i].published)
            continue;
        struct pl_table_spec spec = amend(r, &study->tables[i]);
        add_comparison(r, results, &spec);
        free(spec.where);
        compared++;
    }
    if (!compared && r->kind != PL_REPORT_CLAIMS)
        pl_cmd_note("poula report: no table of study %s says which published one it is (published: NAME)",
                    pl_results_name(results));
    return compared || r->kind == PL_REPORT_CLAIMS ? 0 : 2;
}

static int tables_of_sweep(struct pl_report *r, struct pl_results *results)
{
    const struct pl_study *study = pl_results_study(results);
    struct pl_error err;
    if (r->target.metric && pl_results_set_target(results, r->target.metric, r->target.value, &err))
        return pl_cmd_fail(r->args, &err);
    if (r->published)
        return compare_sweep(r, results);
    if (r->ad_hoc || !study || !study->table_count) {
        struct pl_table_spec spec = r->own;
        if (!spec.metric && !r->any_select)
            spec.select = pl_results_main_select(results);
        add_table(r, results, &spec);
        return r->code;
    }
    for (size_t i = 0; i < study->table_count; i++) {
        struct pl_table_spec spec = amend(r, &study->tables[i]);
        add_table(r, results, &spec);
        free(spec.where);
    }
    return 0;
}

/* The tables of a sweep, and on a page all else that is known of it. */
static int report_sweep(void *self, struct pl_results *results)
{
    struct pl_report *r = self;
    struct pl_error err;
    size_t before = r->count;
    int code = tables_of_sweep(r, results);
    pl_cmd_meet_labels(&r->own.labels, results, r->labels_met);
    if (r->page && r->count > before &&
        pl_page_add(r->page, results, r->tables + before, r->count - before, r->own.where, r->own.where_count, &err))
        return pl_cmd_fail(r->args, &err);
    return code;
}

static int write_out(struct pl_report *r)
{
    struct pl_text text = {0};
    struct pl_error err;
    const char *path = pl_args_get(r->args, "out", NULL);
    int code = 0;
    if (r->kind == PL_REPORT_CLAIMS)
        r->listings = pl_claims_list(r->published, r->comparisons, r->comparison_count, r->level, &r->listing_count);
    if (r->page)
        pl_page_write(r->page, &text);
    else if (r->published && r->kind != PL_REPORT_CLAIMS)
        pl_comparison_write(r->comparisons, r->comparison_count, r->format, &text);
    else if (r->kind != PL_REPORT_TABLES)
        pl_listing_write(r->listings, r->listing_count, r->format, &text);
    else
        pl_table_write(r->tables, r->count, r->format, &text);
    if (!path)
        fwrite(pl_text(&text), 1, text.length, stdout);
    else if (pl_folder_make_parent(path, &err) || pl_file_write(path, pl_text(&text), text.length, &err))
        code = pl_cmd_fail(r->args, &err);
    pl_text_release(&text);
    return code;
}

static int run(const struct pl_args *args)
{
    struct pl_report r = {.args = args, .format = pl_cmd_format(args, &pl_format_text), .own = {.digits = -1}};
    int code = 2;
    if (pl_report_read(&r)) {
        const char *study = pl_args_get(args, "study", "");
        if (r.format == &pl_format_html && !strchr(study, ',') && r.kind == PL_REPORT_TABLES && !r.ad_hoc &&
            !r.published && !pl_args_has(args, "table"))
            r.page = pl_page_new();
        r.labels_met = pl_new((r.own.labels.count + 1) * sizeof *r.labels_met);
        code = r.kind == PL_REPORT_CLAIMS ? pl_cmd_each_study(args, report_sweep, &r)
                                          : pl_cmd_each_sweep(args, r.own.where, r.own.where_count, report_sweep, &r);
        bool any = r.kind == PL_REPORT_CLAIMS   ? !code
                   : r.kind != PL_REPORT_TABLES ? r.listing_count > 0
                                                : r.count || r.comparison_count;
        if (any) {
            pl_cmd_note_labels(args, &r.own.labels, r.labels_met);
            int wrote = write_out(&r);
            code = wrote ? wrote : code;
        }
        code = code ? code : any && r.code ? 1 : r.code;
        if (!any && r.tried && r.own.where_count &&
            code < 2) /* nothing meets the conditions, whatever they were meant to say */
            code = 2;
    }
    for (size_t i = 0; i < r.count; i++)
        pl_table_free(r.tables[i]);
    free(r.tables);
    for (size_t i = 0; i < r.comparison_count; i++)
        pl_comparison_free(r.comparisons[i]);
    free(r.comparisons);
    for (size_t i = 0; i < r.listing_count; i++)
        pl_listing_free(r.listings[i]);
    free(r.listings);
    pl_published_free(r.published);
    pl_page_free(r.page);
    free(r.target.metric);
    free(r.own.metric);
    free(r.own.cell);
    free(r.own.caption);
    free(r.own.label);
    free(r.labels_met);
    pl_labels_release(&r.own.labels);
    pl_names_release(&r.labels);
    free(r.own.choose.metric);
    pl_names_release(&r.own.choose.over);
    pl_names_release(&r.own.rows);
    pl_names_release(&r.own.columns);
    pl_where_free(r.own.where, r.own.where_count);
    return code;
}

const struct pl_command pl_cmd_report = {
    .name = "report",
    .summary = "print the tables of a sweep",
    .arguments = "",
    .description =
        "Prints the tables that the spec of the last sweep declares, or, where it declares none, one of its main "
        "metric by the settings that vary. With --rows, --columns or --value it prints one table of your own instead.\n"
        "A cell shows mean(std) over the finished runs of one configuration, with the sample standard deviation: "
        "\"92.31(0.12)\", \"92.31(-)\" for one run, \"n=2\" where runs are missing, \"div 1/3\" where one of three "
        "diverged. The best cell of each task is marked.\n"
        "With --compare every table that names a published one is set beside it: ours, the printed numbers, the "
        "difference with its Welch t interval, and whether they differ beyond chance.\n"
        "--test marks the cells that a test cannot tell from the best of their task, --pairs lists all pairs of them.\n"
        "--claims judges each sentence that the paper says of its tables on the printed numbers and on those of all "
        "studies of "
        "the database that name these tables: supported, contradicted or undecided, pair by pair.\n"
        "--format html is a page of one file for a browser, with the figures, how runs ended and what they were made "
        "with; "
        "with --table it is the tables alone.\n"
        "--ranks, --profile and --tuning print what docs/statistics.md says: mean ranks over tasks, performance "
        "profiles "
        "of times to a target, and the score of the best of k points of a search.",
    .example = "poula report --rows optimizer --columns lambda --value \"best loss\" --format markdown",
    PL_OPTIONS(options),
    .run = run,
};
