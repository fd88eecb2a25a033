#include "answer.h"
#include "base/share.h"
#include "cmd_results.h"
#include "collect.h"
#include "page/page.h"
#include "report/report.h"
#include "spec/spec.h"
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

struct report {
    const struct pl_args *args;
    const struct pl_format *format;
    struct pl_table_spec own; /* what the command line says */
    bool ad_hoc;              /* one table of the command line's making */
    bool any_select, any_digits, any_unit, tried;
    size_t labelled;  /* tables that took the --label */
    bool *labels_met; /* of --labels: whether there is anything that they are for */
    struct pl_table **tables;
    size_t count;
    struct pl_published *published; /* --compare */
    double level;
    struct pl_comparison **comparisons;
    size_t comparison_count;
    struct pl_listing **listings; /* --pairs */
    size_t listing_count;
    enum { TABLES, PAIRS, RANKS, PROFILE, TUNING, CLAIMS } kind; /* what is printed of each table */
    double tau_max;
    enum pl_band_kind band;
    struct pl_page *page;    /* html of whole studies, or NULL */
    struct pl_target target; /* --target; its metric is NULL where it is not given */
    int code;
};

/* --compare, --claims and --level. A name without a slash that is no file here stands for a file that is installed. */
static bool read_published(struct report *r)
{
    bool claims = pl_args_has(r->args, "claims");
    const char *given = pl_args_get(r->args, "compare", claims ? "published" : NULL);
    struct pl_text path = {0}, problems = {0};
    struct pl_error err = {0};
    if (!pl_args_real(r->args, "level", 0.01, 0.9999, 0.95, &r->level))
        return false;
    if (!given)
        return true;
    int status = 0;
    if (!strcmp(given, "published"))
        status = pl_share_find("experiments/paper/published.yaml", &path, &err);
    else
        pl_text_add(&path, given);
    if (!status)
        status = pl_published_load(&r->published, pl_text(&path), &problems, &err);
    if (problems.length)
        pl_cmd_lines(stderr, pl_text(&problems));
    else if (status)
        pl_cmd_fail(r->args, &err);
    if (!status && claims && !r->published->claim_count) {
        pl_cmd_note("poula report: %s has no claims", pl_text(&path));
        status = PL_EINPUT;
    }
    pl_text_release(&path);
    pl_text_release(&problems);
    return !status;
}

/* Options that a listing has no use for are refused, and not ignored. */
static bool read_kind(struct report *r)
{
    static const char *const kinds[] = {"pairs", "ranks", "profile", "tuning", "claims"};
    static const struct {
        const char *option, *listings;
    } useless[] = {
        {"caption", "pairs ranks profile tuning claims"},
        {"label", "pairs ranks profile tuning claims"},
        {"digits", "ranks profile claims"},
        {"cell", "tuning claims"},
        {"best", "tuning claims"},
        {"over", "tuning claims"},
        {"by", "tuning claims"},
        {"unit", "claims"},
        {"labels", "claims"},
    };
    size_t asked = 0;
    for (int i = 0; i < 5; i++)
        if (pl_args_has(r->args, kinds[i])) {
            r->kind = PAIRS + i;
            asked++;
        }
    if (asked > 1) {
        pl_cmd_usage_error(r->args, "--pairs, --ranks, --profile, --tuning and --claims exclude each other");
        return false;
    }
    for (size_t i = 0; asked && i < sizeof useless / sizeof *useless; i++)
        if (pl_args_has(r->args, useless[i].option) && strstr(useless[i].listings, kinds[r->kind - PAIRS])) {
            pl_cmd_usage_error(r->args, "--%s has no effect on --%s", useless[i].option, kinds[r->kind - PAIRS]);
            return false;
        }
    return true;
}

/* --test, --correct and --level, which act on declared tables as well. */
static bool read_tests(struct report *r)
{
    struct pl_test_spec *compare = &r->own.compare;
    const char *test = pl_args_get(r->args, "test", NULL), *correct = pl_args_get(r->args, "correct", NULL);
    *compare = (struct pl_test_spec){.wanted = test, .confidence = r->level};
    if (test)
        compare->test = (enum pl_test_kind)pl_cmd_word_of(test, pl_test_names, PL_TEST_COUNT);
    if (correct)
        compare->correct = (enum pl_correction)pl_cmd_word_of(correct, pl_correction_names, PL_CORRECTION_COUNT);
    bool has_level = pl_args_has(r->args, "level"), asked = r->kind != TABLES;
    const char *wrong = r->published && (test || (asked && r->kind != CLAIMS))
                            ? "--compare goes with no test and no other listing"
                        : correct && !test && r->kind != PAIRS ? "--correct is for --test and --pairs"
                        : has_level && !test && !r->published && (!asked || r->kind == PROFILE)
                            ? "--level is for --compare, --test, --pairs, --ranks and --tuning"
                        : pl_args_has(r->args, "tau-max") && r->kind != PROFILE ? "--tau-max is for --profile"
                        : pl_args_has(r->args, "band") && r->kind != TUNING     ? "--band is for --tuning"
                                                                                : NULL;
    if (!pl_args_real(r->args, "tau-max", 1.000001, 1e9, 4, &r->tau_max))
        return false;
    r->band = (enum pl_band_kind)pl_cmd_word_of(pl_args_get(r->args, "band", "ld"), pl_band_names, PL_BAND_COUNT);
    if (wrong)
        pl_cmd_usage_error(r->args, "%s", wrong);
    return !wrong;
}

static bool read_options(struct report *r)
{
    const char *value = pl_args_get(r->args, "value", NULL);
    const char *metric = NULL;
    int64_t digits;
    if (value && !pl_select_read(value, &r->own.select, &metric)) {
        pl_cmd_usage_error(r->args, "--value is '%s', but must be a metric, as in \"loss\" or \"last loss\"", value);
        return false;
    }
    r->any_select = metric && metric != value;
    if (pl_args_has(r->args, "select")) {
        pl_cmd_read_select(r->args, &r->own.select);
        r->any_select = true;
    }
    if (!pl_args_integer(r->args, "digits", 0, 15, -1, &digits))
        return false;
    r->any_digits = digits >= 0;
    r->own.digits = (int)digits;
    r->own.metric = pl_copy(metric);
    r->own.cell = pl_copy(pl_args_get(r->args, "cell", NULL));
    if (!pl_cmd_read_look(r->args, &r->own, &r->any_unit))
        return false;
    pl_names_read(pl_args_get(r->args, "rows", NULL), &r->own.rows);
    pl_names_read(pl_args_get(r->args, "columns", NULL), &r->own.columns);
    if (!pl_cmd_read_choice(r->args, &r->own.choose))
        return false;
    r->ad_hoc = r->own.rows.count || r->own.columns.count || metric;
    if (r->ad_hoc && (pl_args_has(r->args, "compare") || pl_args_has(r->args, "claims"))) {
        pl_cmd_usage_error(
            r->args, "--compare and --claims take tables that the spec declares: no --rows, --columns or --value");
        return false;
    }
    return read_kind(r) && read_published(r) && read_tests(r) && pl_cmd_read_target(r->args, &r->target) &&
           pl_cmd_read_where(r->args, &r->own.where, &r->own.where_count);
}

/* A declared table with what the command line changes about it. The conditions of both must hold; the list made here
 * is the caller's, what it points to is not. */
static struct pl_table_spec amend(const struct report *r, const struct pl_table_spec *declared)
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

static void keep_listing(struct report *r, struct pl_listing *listing, const struct pl_error *err)
{
    if (!listing) {
        r->code = pl_cmd_fail(r->args, err);
        return;
    }
    r->listings = pl_resize(r->listings, r->listing_count + 1, sizeof *r->listings);
    r->listings[r->listing_count++] = listing;
}

/* What statistics say of a table takes its place. */
static void add_listing(struct report *r, const struct pl_table *table)
{
    struct pl_listing *listing;
    struct pl_error err;
    int status = r->kind == PAIRS   ? pl_table_pairs(&listing, table, &r->own.compare, &err)
                 : r->kind == RANKS ? pl_table_ranks(&listing, table, r->level, &err)
                                    : pl_table_profile(&listing, table, r->tau_max, &err);
    keep_listing(r, status ? NULL : listing, &err);
}

/* Rows and columns of the table part the searches. */
static void add_tuning(struct report *r, struct pl_results *results, const struct pl_table_spec *table)
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

/* The same table with --label and --labels; what it has of both is the caller's. */
static struct pl_table_spec label_table(struct report *r, const struct pl_table_spec *declared)
{
    struct pl_table_spec spec = *declared;
    struct pl_text label = {0};
    spec.labels = pl_labels_join(&r->own.labels, &declared->labels);
    if (r->own.label) {
        pl_text_add(&label, r->own.label);
        if (r->labelled++)
            pl_text_addf(&label, "-%zu", r->labelled);
        spec.label = pl_text_take(&label);
    } else {
        spec.label = pl_copy(declared->label);
    }
    return spec;
}

static void build_table(struct report *r, struct pl_results *results, const struct pl_table_spec *spec)
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
    if (r->kind != TABLES)
        add_listing(r, table);
    r->tables = pl_resize(r->tables, r->count + 1, sizeof *r->tables);
    r->tables[r->count++] = table;
}

static void add_table(struct report *r, struct pl_results *results, const struct pl_table_spec *spec)
{
    struct pl_table_spec labelled = label_table(r, spec);
    r->tried = true;
    if (r->kind == TUNING)
        add_tuning(r, results, &labelled);
    else
        build_table(r, results, &labelled);
    pl_labels_release(&labelled.labels);
    free(labelled.label);
}

static void add_comparison(struct report *r, struct pl_results *results, const struct pl_table_spec *spec)
{
    struct pl_comparison *comparison;
    struct pl_error err;
    if (pl_comparison_build(&comparison, results, spec, r->published, r->level, r->kind == CLAIMS, &err)) {
        r->code = pl_cmd_fail(r->args, &err);
        return;
    }
    r->comparisons = pl_resize(r->comparisons, r->comparison_count + 1, sizeof *r->comparisons);
    r->comparisons[r->comparison_count++] = comparison;
}

/* The tables of a study that say which published one they are. */
static int compare_sweep(struct report *r, struct pl_results *results)
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
    if (!compared && r->kind != CLAIMS)
        pl_cmd_note("poula report: no table of study %s says which published one it is (published: NAME)",
                    pl_results_name(results));
    return compared || r->kind == CLAIMS ? 0 : 2;
}

static int tables_of_sweep(struct report *r, struct pl_results *results)
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
    struct report *r = self;
    struct pl_error err;
    size_t before = r->count;
    int code = tables_of_sweep(r, results);
    pl_cmd_meet_labels(&r->own.labels, results, r->labels_met);
    if (r->page && r->count > before &&
        pl_page_add(r->page, results, r->tables + before, r->count - before, r->own.where, r->own.where_count, &err))
        return pl_cmd_fail(r->args, &err);
    return code;
}

static int write_out(struct report *r)
{
    struct pl_text text = {0};
    struct pl_error err;
    const char *path = pl_args_get(r->args, "out", NULL);
    int code = 0;
    if (r->kind == CLAIMS)
        r->listings = pl_claims_list(r->published, r->comparisons, r->comparison_count, r->level, &r->listing_count);
    if (r->page)
        pl_page_write(r->page, &text);
    else if (r->published && r->kind != CLAIMS)
        pl_comparison_write(r->comparisons, r->comparison_count, r->format, &text);
    else if (r->kind != TABLES)
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
    struct report r = {.args = args, .format = pl_cmd_format(args, &pl_format_text), .own = {.digits = -1}};
    int code = 2;
    if (read_options(&r)) {
        const char *study = pl_args_get(args, "study", "");
        if (r.format == &pl_format_html && !strchr(study, ',') && r.kind == TABLES && !r.ad_hoc && !r.published &&
            !pl_args_has(args, "table"))
            r.page = pl_page_new();
        r.labels_met = pl_new((r.own.labels.count + 1) * sizeof *r.labels_met);
        code = r.kind == CLAIMS ? pl_cmd_each_study(args, report_sweep, &r)
                                : pl_cmd_each_sweep(args, r.own.where, r.own.where_count, report_sweep, &r);
        bool any = r.kind == CLAIMS ? !code : r.kind != TABLES ? r.listing_count > 0 : r.count || r.comparison_count;
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
