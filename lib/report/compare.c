/* Results beside published numbers: which of our configurations stands behind each printed cell, and whether the two
 * means differ by more than chance (Welch's t interval). */
#include "report/report_priv.h"

#include <gsl/gsl_cdf.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

void pl_welch(const struct pl_sample *a, const struct pl_sample *b, double level, struct pl_interval *interval)
{
    /* in long doubles, which have room for fourth powers of deviations near 1e-200 or 1e200 */
    long double from_a = (long double)a->deviation * a->deviation / (long double)a->n;
    long double from_b = (long double)b->deviation * b->deviation / (long double)b->n, both = from_a + from_b;
    double difference = a->mean - b->mean, reach = 0;
    /* A mean in percent is a product, so equal ones may differ in the last bit. */
    if (fabs(difference) <= 1e-12 * (fabs(a->mean) + fabs(b->mean)))
        difference = 0;
    *interval = (struct pl_interval){difference, NAN, NAN, NAN};
    if (a->n < 2 || b->n < 2 || !isfinite(both))
        return;
    if (both > 0) {
        interval->freedom = (double)(both * both /
                                     (from_a * from_a / (long double)(a->n - 1) +
                                      from_b * from_b / (long double)(b->n - 1)));
        reach = gsl_cdf_tdist_Pinv(0.5 + level / 2, interval->freedom) * (double)sqrtl(both);
    }
    interval->low = difference - reach;
    interval->high = difference + reach;
}

/* What the runs of a scaled study have instead of a value that was printed. */
static const struct pl_rename *rename_of(const struct pl_study *study, const struct pl_condition *condition)
{
    for (size_t i = 0; study && i < study->rename_count; i++) {
        struct pl_condition old = {.key = study->renames[i].key, .values = &study->renames[i].old, .count = 1};
        if (!strcmp(study->renames[i].key, condition->key) && pl_condition_admits(&old, condition->values))
            return &study->renames[i];
    }
    return NULL;
}

static bool meets(const struct pl_results *results, size_t config, const struct pl_condition *conditions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t key = pl_results_key(results, conditions[i].key);
        if (key == SIZE_MAX)
            return false;
        const struct pl_value *value = pl_results_value(results, key, pl_results_rank(results, config, key));
        if (!pl_condition_admits(&conditions[i], value))
            return false;
    }
    return true;
}

/* Does it have the first count of the settings of a printed cell? */
static bool is_behind(const struct pl_results *results, size_t config, const struct pl_published_cell *cell,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct pl_rename *rename = rename_of(pl_results_study(results), &cell->where[i]);
        bool met = rename ? meets(results, config, rename->now, rename->now_count)
                          : meets(results, config, &cell->where[i], 1);
        if (!met)
            return false;
    }
    return true;
}

/* The rank-th best of the configurations that have the settings of a cell's row and column, by their means; SIZE_MAX
 * where there are fewer. Means that are equal count in the order of the grid. */
static size_t find_ranked(const struct pl_results *results, const size_t *configs, size_t count,
                          const struct pl_published_cell *cell, int64_t rank, bool lower)
{
    struct pl_summary best = {0}, summary;
    size_t chosen = SIZE_MAX, *taken = pl_new((size_t)rank * sizeof *taken);
    for (int64_t r = 0; r < rank; r++) {
        chosen = SIZE_MAX;
        for (size_t i = 0; i < count; i++) {
            bool used = false;
            for (int64_t k = 0; k < r; k++)
                used = used || taken[k] == configs[i];
            if (used || !is_behind(results, configs[i], cell, cell->shared_count))
                continue;
            pl_results_summary(results, configs[i], &summary);
            if (chosen == SIZE_MAX ||
                (summary.n && (!best.n || (lower ? summary.mean < best.mean : summary.mean > best.mean)))) {
                chosen = configs[i];
                best = summary;
            }
        }
        taken[r] = chosen;
        if (chosen == SIZE_MAX)
            break;
    }
    free(taken);
    return chosen;
}

/* How large a network was trained on how much data and for how long: what two numbers must share to be compared. */
static char *amount_of(const struct pl_results *results, size_t config)
{
    static const char *const keys[] = {"width",      "blocks",       "growth",       "nlayers",  "emsize",
                                       "nhid",       "batch",        "epochs",       "subset",   "valid",
                                       "iterations", "train_images", "train_tokens", "precision"};
    struct pl_text text = {0};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t key = pl_results_key(results, keys[i]);
        const struct pl_value *value = key == SIZE_MAX
                                           ? NULL
                                           : pl_results_value(results, key, pl_results_rank(results, config, key));
        pl_text_add_char(&text, '/');
        if (value)
            pl_value_write(value, &text);
    }
    return pl_text_take(&text);
}

static enum pl_verdict judge(const struct pl_published_cell *printed, const struct pl_compared_cell *cell)
{
    if (isnan(printed->mean))
        return PL_NOT_PRINTED;
    if (!cell->ours.n)
        return PL_NO_VALUE;
    if (!isnan(cell->interval.low))
        return cell->interval.low > 0 || cell->interval.high < 0 ? PL_DIFFERS : PL_ALIKE;
    return cell->ours.n < 2 ? PL_ONE_RUN : cell->theirs.n < 2 ? PL_ONE_PRINTED : PL_NO_DEVIATION;
}

static void compare_cell(struct pl_comparison *c, const struct pl_results *results, const size_t *configs, size_t count,
                         size_t index)
{
    const struct pl_published_cell *printed = &c->published->cells[index];
    struct pl_compared_cell *cell = &c->cells[index];
    size_t found = 0, config = SIZE_MAX;
    *cell = (struct pl_compared_cell){.theirs = {printed->mean, printed->deviation, c->published->runs},
                                      .ours = {NAN, NAN, 0},
                                      .interval = {NAN, NAN, NAN, NAN}};
    for (size_t i = 0; i < count; i++)
        if (is_behind(results, configs[i], printed, printed->where_count) && !found++)
            config = configs[i];
    cell->other = !found && printed->where_count > printed->shared_count;
    if (cell->other || (found != 1 && c->ranked)) {
        bool lower = pl_results_direction(results, c->metric) == PL_MINIMIZE;
        int64_t rank = c->published->ranks[index / c->published->column_count];
        config = find_ranked(results, configs, count, printed, rank, lower);
        found = config != SIZE_MAX;
        cell->other = cell->other && found;
    }
    if (found != 1) {
        cell->verdict = isnan(printed->mean) ? PL_NOT_PRINTED : found ? PL_SEVERAL : PL_NO_RUN;
        return;
    }
    pl_results_summary(results, config, &cell->summary);
    cell->summary.values = NULL; /* they are the results' */
    cell->amount = amount_of(results, config);
    if (cell->summary.n)
        cell->ours = (struct pl_sample){cell->summary.mean / c->published->unit,
                                        cell->summary.deviation / c->published->unit, cell->summary.n};
    if (cell->ours.n && !isnan(printed->mean))
        pl_welch(&cell->ours, &cell->theirs, c->level, &cell->interval);
    cell->verdict = judge(printed, cell);
}

/* As many decimals as the table prints anywhere; two where it prints no number. */
static void choose_digits(struct pl_comparison *c)
{
    bool any = false;
    for (size_t i = 0; i < c->published->row_count * c->published->column_count; i++) {
        const struct pl_published_cell *cell = &c->published->cells[i];
        any = any || !isnan(cell->mean);
        c->mean_digits = cell->mean_digits > c->mean_digits ? cell->mean_digits : c->mean_digits;
        c->deviation_digits = cell->deviation_digits > c->deviation_digits ? cell->deviation_digits
                                                                           : c->deviation_digits;
    }
    if (!any)
        c->mean_digits = 2;
    if (!c->deviation_digits)
        c->deviation_digits = c->mean_digits;
}

int pl_comparison_build(struct pl_comparison **comparison, struct pl_results *results, const struct pl_table_spec *spec,
                        const struct pl_published *published, double level, bool ranked, struct pl_error *err)
{
    const struct pl_published_table *table = pl_published_find(published, spec->published);
    const char *metric = spec->metric ? spec->metric : pl_results_main_metric(results);
    size_t *configs, count;
    if (!table) {
        const char **names = pl_new((published->count + 1) * sizeof *names);
        struct pl_text list = {0};
        for (size_t i = 0; i < published->count; i++) {
            names[i] = published->tables[i].name;
            pl_text_addf(&list, "%s%s", i ? ", " : "", names[i]);
        }
        int status = pl_fail(err, PL_EINPUT, "%s has no table %s; it has: %.800s", published->name, spec->published,
                             pl_text(&list));
        pl_text_release(&list);
        free(names);
        return status;
    }
    int status = pl_results_need_metric(results, metric, err);
    if (!status)
        status = pl_results_load(results, metric, pl_results_select(results, metric, spec->select), err);
    if (!status)
        status = pl_results_where(results, spec->where, spec->where_count, &configs, &count, err);
    if (status)
        return status;
    struct pl_comparison *c = pl_new(sizeof *c);
    *c = (struct pl_comparison){.study = pl_copy(pl_results_name(results)),
                                .metric = pl_copy(metric),
                                .source = pl_copy(published->name),
                                .select = pl_results_select(results, metric, spec->select),
                                .published = table,
                                .level = level,
                                .ranked = ranked};
    c->cells = pl_new(table->row_count * table->column_count * sizeof *c->cells);
    choose_digits(c);
    for (size_t i = 0; i < table->row_count * table->column_count; i++)
        compare_cell(c, results, configs, count, i);
    pl_compared_agree(c);
    free(configs);
    *comparison = c;
    return 0;
}

void pl_comparison_free(struct pl_comparison *c)
{
    if (!c)
        return;
    free(c->study);
    free(c->metric);
    free(c->source);
    for (size_t i = 0; c->cells && i < c->published->row_count * c->published->column_count; i++)
        free(c->cells[i].amount);
    free(c->cells);
    free(c->agreements);
    free(c);
}

size_t pl_comparison_count(const struct pl_comparison *c, enum pl_verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < c->published->row_count * c->published->column_count; i++)
        count += c->cells[i].verdict == verdict;
    return count;
}

const char *pl_verdict_name(enum pl_verdict verdict)
{
    static const char *const names[] = {
        [PL_ALIKE] = "",
        [PL_DIFFERS] = "differs",
        [PL_NOT_PRINTED] = "not printed",
        [PL_NO_RUN] = "no run",
        [PL_SEVERAL] = "several configurations",
        [PL_NO_VALUE] = "no value",
        [PL_ONE_RUN] = "n = 1",
        [PL_ONE_PRINTED] = "n = 1 printed",
        [PL_NO_DEVIATION] = "no deviation printed",
    };
    return names[verdict];
}
