/* What stands below a table of the runs that it is made from. */
#include "report/report_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void count_unfinished(struct pl_table *table)
{
    int64_t planned = 0, failed = 0, missing = 0, working = 0, stopped = 0;
    for (size_t i = 0; i < table->row_count * table->column_count; i++) {
        planned += table->cells[i].summary.planned;
        failed += table->cells[i].summary.failed;
        stopped += table->cells[i].summary.stopped;
        missing += table->cells[i].summary.missing;
        working += table->cells[i].summary.working;
    }
    if (failed)
        pl_text_addf(&table->notes, "%lld of %lld runs failed.\n", (long long)failed, (long long)planned);
    table->stops = stopped > 0;
    if (stopped)
        pl_text_addf(&table->notes, "%lld of %lld runs were stopped early and are in no mean.\n", (long long)stopped,
                     (long long)planned);
    if (missing)
        pl_text_addf(&table->notes, "%lld of %lld runs have not finished yet", (long long)missing, (long long)planned);
    table->works = working > 0;
    if (working)
        pl_text_addf(&table->notes, " (%lld at work)", (long long)working);
    if (missing)
        pl_text_add(&table->notes, ".\n");
}

/* "adam, lambda=0.1, seed 3" */
static void add_run(const struct pl_table *table, size_t cell, int64_t seed, struct pl_text *out)
{
    struct pl_text task = {0}, method = {0};
    pl_table_name(table, cell, true, &task);
    pl_table_name(table, cell, false, &method);
    pl_text_addf(out, "%s%s%s%sseed %lld", pl_text(&task), task.length ? ", " : "", pl_text(&method),
                 method.length ? ", " : "", (long long)seed);
    pl_text_release(&task);
    pl_text_release(&method);
}

/* What runs at work have come to is said apart from the cells. The metric of the table is loaded. */
static int note_working(const struct pl_table_plan *plan, struct pl_table *table, struct pl_error *err)
{
    enum { NAMED = 10 };
    size_t count, said = 0, cells = table->row_count * table->column_count;
    const struct pl_working *working = pl_results_working(plan->results, &count);
    if (!count)
        return 0;
    size_t *cell_of = pl_new((pl_results_count(plan->results) + 1) * sizeof *cell_of); /* 1 more than its index */
    int status = 0;
    for (size_t i = 0; i < cells; i++)
        if (table->cells[i].present)
            cell_of[table->cells[i].config] = i + 1;
    for (size_t i = 0; i < count && status >= 0; i++) {
        double value, epoch;
        size_t cell = cell_of[working[i].config];
        if (!cell-- || (status = pl_results_so_far(plan->results, working[i].run, &value, &epoch, err)))
            continue;
        if (said++ >= NAMED)
            continue;
        pl_text_add(&table->notes, said == 1 ? "So far, in no cell: " : "; ");
        add_run(table, cell, working[i].seed, &table->notes);
        pl_text_addf(&table->notes, " %s ", pl_table_shown(table, table->metric));
        pl_report_number(pl_table_shown_value(table, value), table->decimals, &table->notes);
        pl_text_addf(&table->notes, " by epoch %.10g", epoch);
    }
    if (said > NAMED)
        pl_text_addf(&table->notes, "; and %zu others", said - NAMED);
    pl_text_add(&table->notes, said ? ".\n" : "");
    free(cell_of);
    return status < 0 ? status : 0;
}

/* A value of averaged weights says something else than one of iterates: the table tells which runs averaged. */
static int note_averages(const struct pl_table_plan *plan, struct pl_table *table, struct pl_error *err)
{
    double first = INFINITY, last = -INFINITY;
    int64_t averaged = 0, finished = 0;
    if (!pl_results_has_metric(plan->results, PL_METRIC_AVERAGED) || !strcmp(table->metric, PL_METRIC_AVERAGED))
        return 0;
    int status = pl_results_load(plan->results, PL_METRIC_AVERAGED, PL_SELECT_LAST, err);
    for (size_t i = 0; i < plan->config_count && !status; i++) {
        struct pl_summary summary;
        pl_results_summary(plan->results, plan->configs[i], &summary);
        finished += summary.finished;
        averaged += summary.n;
        first = summary.n ? fmin(first, summary.least) : first;
        last = summary.n ? fmax(last, summary.most) : last;
    }
    if (averaged)
        pl_text_addf(&table->notes, "%lld of %lld finished runs averaged their weights, from epoch %.0f",
                     (long long)averaged, (long long)finished, first);
    if (averaged && last > first)
        pl_text_addf(&table->notes, " to %.0f", last);
    if (averaged)
        pl_text_add(&table->notes, " on (last " PL_METRIC_AVERAGED ").\n");
    return status;
}

/* Results that were not made alike are told so. */
static int note_origins(const struct pl_results *results, struct pl_table *table, struct pl_error *err)
{
    struct pl_origins origins;
    size_t count = pl_results_part_count(results);
    int64_t *sweeps = pl_new(count * sizeof *sweeps);
    for (size_t i = 0; i < count; i++)
        sweeps[i] = pl_results_sweep(pl_results_part_at(results, i));
    int status = pl_store_origins(pl_results_store(results), sweeps, count, &origins, err);
    free(sweeps);
    if (status)
        return status;
    if (origins.hosts)
        pl_text_addf(&table->notes, "The runs come from several hosts: %s.\n", origins.hosts);
    if (origins.versions)
        pl_text_addf(&table->notes, "The runs come from several versions of poula: %s.\n", origins.versions);
    if (origins.programs)
        pl_text_addf(&table->notes, "The runs come from several versions of a program: %s.\n", origins.programs);
    pl_origins_release(&origins);
    return 0;
}

/* A caption of the user's own may not say what is shown. */
static void note_shown(struct pl_table *table)
{
    if (!table->caption)
        return;
    pl_text_add(&table->notes, "Cells show ");
    pl_table_value_name(table, &table->notes);
    pl_text_addf(&table->notes, ", %s.\n", pl_cell_title(table->cell));
}

/* What stands behind ± is said where it is not the deviation. */
static void note_spread(struct pl_table *table)
{
    bool beside;
    enum pl_spread spread = pl_cell_spread(table->cell, &beside);
    if (spread == PL_SPREAD_SEM)
        pl_text_add(&table->notes, "\u00b1 is the standard error of the mean, std / sqrt(n).\n");
    else if (spread == PL_SPREAD_CI95)
        pl_text_add(&table->notes, "\u00b1 is half of the 95% confidence interval of the mean (Student's t).\n");
}

int pl_table_remark(const struct pl_table_plan *plan, struct pl_table *table, struct pl_error *err)
{
    note_shown(table);
    note_spread(table);
    count_unfinished(table);
    int status = note_working(plan, table, err);
    if (!status)
        status = note_averages(plan, table, err);
    return status ? status : note_origins(plan->results, table, err);
}
