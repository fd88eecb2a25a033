/* All pairs of cells of a task. */
#include "report/report_priv.h"

#include <gsl/gsl_cdf.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    size_t a, b, n;
    struct pl_test test;
    double adjusted;
};

static bool takes_part(const struct pl_table *table, size_t cell)
{
    return !isnan(pl_table_cell_value(table, &table->cells[cell])) && !table->cells[cell].summary.diverged;
}

/* The pairs of one task, with their adjusted p; returns how many there are. pairs has room for them. */
static size_t find_pairs(const struct pl_table *table, const struct pl_test_spec *spec, const size_t *tasks,
                         size_t task, struct pair *pairs)
{
    size_t cells = table->row_count * table->column_count, count = 0;
    for (size_t a = 0; a < cells; a++)
        for (size_t b = a + 1; b < cells; b++) {
            if (tasks[a] != task || tasks[b] != task || !takes_part(table, a) || !takes_part(table, b))
                continue;
            pairs[count] = (struct pair){.a = a, .b = b};
            pl_cells_test(&table->cells[a], &table->cells[b], spec->test, &pairs[count].test, &pairs[count].n);
            count++;
        }
    double *p = pl_new((count + 1) * sizeof *p);
    for (size_t i = 0; i < count; i++)
        p[i] = pairs[i].test.p;
    pl_tests_correct(p, count, spec->correct);
    for (size_t i = 0; i < count; i++)
        pairs[i].adjusted = p[i];
    free(p);
    return count;
}

static void add_name(struct pl_listing *l, const struct pl_table *table, size_t cell, bool of_task)
{
    struct pl_text name = {0};
    pl_table_name(table, cell, of_task, &name);
    pl_listing_text(l, pl_text(&name));
    pl_text_release(&name);
}

static void add_pair(struct pl_listing *l, const struct pl_table *table, const struct pl_test_spec *spec, bool named,
                     const struct pair *pair)
{
    const struct pl_test *t = &pair->test;
    double reach = t->error > 0 && t->freedom > 0
                       ? gsl_cdf_tdist_Pinv(0.5 + spec->confidence / 2, t->freedom) * t->error
                       : NAN;
    const char *verdict = isnan(pair->adjusted) ? "no test" : pair->adjusted < 1 - spec->confidence ? "differs" : "";
    if (named)
        add_name(l, table, pair->a, true);
    add_name(l, table, pair->a, false);
    add_name(l, table, pair->b, false);
    pl_listing_text(l, verdict);
    pl_listing_value(l, table->cells[pair->a].summary.mean, table->unit, table->decimals);
    pl_listing_value(l, table->cells[pair->b].summary.mean, table->unit, table->decimals);
    pl_listing_integer(l, (int64_t)pair->n);
    pl_listing_value(l, t->difference, table->unit, table->decimals);
    pl_listing_value(l, t->difference - reach, table->unit, table->decimals);
    pl_listing_value(l, t->difference + reach, table->unit, table->decimals);
    pl_listing_real(l, t->p, -1);
    pl_listing_real(l, pair->adjusted, -1);
}

static void describe(struct pl_listing *l, const struct pl_table *table, const struct pl_test_spec *spec, size_t most,
                     size_t least_n)
{
    size_t left_out = 0;
    pl_text_addf(&l->caption, "%s%s%s%s: differences of ", table->title ? table->title : "", table->title ? " (" : "",
                 table->study, table->title ? ")" : "");
    pl_table_value_name(table, &l->caption);
    pl_text_addf(&l->caption, " between all pairs, %s", pl_test_title(spec->test));
    if (spec->correct == PL_CORRECT_HOLM && most > 1)
        pl_text_addf(&l->notes, "adjusted_p: Holm's correction for the pairs of a task, which are up to %zu.\n", most);
    if (spec->test != PL_TEST_WILCOXON)
        pl_text_addf(&l->notes, "low and high are the ends of the %.4g%% interval of one difference alone.\n",
                     100 * spec->confidence);
    pl_tests_note_power(spec, least_n, most, &l->notes);
    for (size_t i = 0; i < table->row_count * table->column_count; i++)
        left_out += table->cells[i].present && !takes_part(table, i);
    if (left_out)
        pl_text_addf(&l->notes, "%zu cell%s left out: without a value, or with a run that diverged.\n", left_out,
                     left_out == 1 ? " is" : "s are");
}

int pl_table_pairs(struct pl_listing **listing, const struct pl_table *table, const struct pl_test_spec *spec,
                   struct pl_error *err)
{
    static const char *const names[] = {"task", "a",          "b",   "verdict", "mean_a", "mean_b",
                                        "n",    "difference", "low", "high",    "p",      "adjusted_p"};
    enum { COLUMNS = sizeof names / sizeof *names };
    size_t cells = table->row_count * table->column_count, least_n = SIZE_MAX, most = 0;
    spec = table->compare.wanted ? &table->compare : spec;
    if (!pl_cell_is_mean(table->cell))
        return pl_fail(err, PL_EINPUT,
                       "tests compare means, so the cells must show a mean, as in mean(std), and not %s", table->cell);
    if (cells > 2000)
        return pl_fail(err, PL_EINPUT, "a table of %zu cells has too many pairs; --where and --over leave fewer",
                       cells);
    size_t *tasks = pl_new((cells + 1) * sizeof *tasks), count = pl_table_tasks(table, tasks);
    struct pair *pairs = pl_new((cells * cells / 2 + 1) * sizeof *pairs);
    struct pl_text name = {0};
    pl_table_name(table, 0, true, &name);
    bool named = name.length > 0;
    struct pl_listing *l = pl_listing_new("pairs", table->study, names + !named, COLUMNS - !named, named ? 4 : 3);
    for (size_t t = 0; t < count; t++) {
        size_t found = find_pairs(table, spec, tasks, t, pairs);
        for (size_t i = 0; i < found; i++) {
            add_pair(l, table, spec, named, &pairs[i]);
            least_n = pairs[i].n < least_n ? pairs[i].n : least_n;
        }
        most = found > most ? found : most;
    }
    pl_text_release(&name);
    free(tasks);
    free(pairs);
    if (!most) {
        pl_listing_free(l);
        return pl_fail(err, PL_EINPUT, "no task of the table of %s has two cells with values to compare",
                       table->metric);
    }
    describe(l, table, spec, most, least_n);
    *listing = l;
    return 0;
}
