/* Cells of a table against the best one of their task: which cannot be told from it. */
#include "report/report_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *pl_test_title(enum pl_test_kind kind)
{
    static const char *const titles[PL_TEST_COUNT] = {"Welch's t test", "the paired t test",
                                                      "Wilcoxon's signed rank test"};
    return titles[kind];
}

/* The values of both at the seeds that both have, which is what they share however many runs are missing. */
static size_t pair_up(const struct pl_summary *a, const struct pl_summary *b, double *x, double *y)
{
    size_t n = 0;
    for (int64_t i = 0; i < a->n; i++)
        for (int64_t k = 0; k < b->n; k++)
            if (a->seeds[i] == b->seeds[k]) {
                x[n] = a->values[i];
                y[n++] = b->values[k];
                break;
            }
    return n;
}

void pl_cells_test(const struct pl_table_cell *a, const struct pl_table_cell *b, enum pl_test_kind kind,
                   struct pl_test *test, size_t *n)
{
    const struct pl_summary *x = &a->summary, *y = &b->summary;
    if (kind == PL_TEST_WELCH) {
        pl_test_welch(x->values, (size_t)x->n, y->values, (size_t)y->n, test);
        *n = (size_t)(x->n < y->n ? x->n : y->n);
        return;
    }
    /* One pair has a signed rank, and p = 1, but says nothing. */
    double *left = pl_new(((size_t)x->n + 1) * sizeof *left), *right = pl_new(((size_t)x->n + 1) * sizeof *right);
    *n = pair_up(x, y, left, right);
    if (kind == PL_TEST_PAIRED)
        pl_test_paired(left, right, *n, test);
    else
        pl_test_wilcoxon(left, right, *n, test);
    if (*n < 2)
        test->p = NAN;
    free(left);
    free(right);
}

void pl_tests_correct(double *p, size_t count, enum pl_correction correct)
{
    if (correct == PL_CORRECT_HOLM)
        pl_adjust_holm(p, count);
}

static void add_wilcoxon_least(const struct pl_test_spec *spec, size_t n, size_t tests, struct pl_text *notes)
{
    double least = pl_test_wilcoxon_least(n), adjusted = least;
    pl_text_addf(notes, "With %zu pairs the smallest p of this test is %.4g", n, least);
    if (spec->correct != PL_CORRECT_NONE && tests > 1) {
        adjusted = fmin(1, least * (double)tests);
        pl_text_addf(notes, ", corrected for %zu tests %.4g", tests, adjusted);
    }
    pl_text_add(notes, adjusted < 1 - spec->confidence ? ".\n" : ": it cannot tell anything apart.\n");
}

void pl_tests_note_power(const struct pl_test_spec *spec, size_t n, size_t tests, struct pl_text *notes)
{
    bool paired = spec->test == PL_TEST_PAIRED;
    double (*detectable)(size_t, double, double) = paired ? pl_test_detectable_paired : pl_test_detectable;
    double level = 1 - spec->confidence;
    if (n < 2 || n >= 10)
        return;
    if (spec->test == PL_TEST_WILCOXON) {
        add_wilcoxon_least(spec, n, tests, notes);
        return;
    }
    pl_text_addf(notes,
                 "With %zu %s such a test finds with 80%% probability a difference of %.3g standard deviations%s", n,
                 paired ? "pairs" : "runs each", detectable(n, level, 0.8), paired ? " of the differences" : "");
    if (spec->correct != PL_CORRECT_NONE && tests > 1)
        pl_text_addf(notes, ", or of %.3g where it must stand the correction for %zu tests",
                     detectable(n, level / (double)tests, 0.8), tests);
    pl_text_add(notes, "; smaller ones mostly go unseen.\n");
}

/* What the tests of a table were. */
struct tally {
    size_t tests, untested; /* untested: too few values, or no variation */
    size_t most;            /* tests of one task, which are corrected together */
    size_t least_n, most_n;
};

static void test_task(struct pl_table *table, const struct pl_test_spec *spec, const size_t *tasks, size_t task,
                      struct tally *tally)
{
    size_t cells = table->row_count * table->column_count, best = cells, count = 0;
    for (size_t i = cells; i-- > 0;)
        if (tasks[i] == task && table->cells[i].best)
            best = i;
    if (best == cells)
        return;
    size_t *tested = pl_new((cells + 1) * sizeof *tested);
    double *p = pl_new((cells + 1) * sizeof *p);
    for (size_t i = 0; i < cells; i++) {
        struct pl_table_cell *cell = &table->cells[i];
        struct pl_test test;
        size_t n;
        if (tasks[i] != task || cell->best || isnan(pl_table_contender(table, cell)))
            continue;
        pl_cells_test(cell, &table->cells[best], spec->test, &test, &n);
        cell->p = test.p;
        if (isnan(test.p)) {
            tally->untested++;
            continue;
        }
        tally->least_n = n < tally->least_n ? n : tally->least_n;
        tally->most_n = n > tally->most_n ? n : tally->most_n;
        tested[count] = i;
        p[count++] = test.p;
    }
    pl_tests_correct(p, count, spec->correct);
    for (size_t i = 0; i < count; i++) {
        table->cells[tested[i]].adjusted = p[i];
        table->cells[tested[i]].alike = p[i] >= 1 - spec->confidence;
    }
    tally->tests += count;
    tally->most = count > tally->most ? count : tally->most;
    free(tested);
    free(p);
}

static void note_tests(struct pl_table *table, const struct tally *tally)
{
    const struct pl_test_spec *spec = &table->compare;
    struct pl_text *notes = &table->notes;
    if (tally->tests) {
        pl_text_addf(notes, "Marked with ~ or underlined is what %s cannot tell from the best of its task (level %.4g",
                     pl_test_title(spec->test), 1 - spec->confidence);
        if (spec->correct == PL_CORRECT_HOLM && tally->most > 1)
            pl_text_addf(notes, ", Holm's correction for up to %zu tests", tally->most);
        pl_text_addf(notes, "; n = %zu", tally->least_n);
        if (tally->most_n > tally->least_n)
            pl_text_addf(notes, " to %zu", tally->most_n);
        pl_text_add(notes, ").\n");
        pl_tests_note_power(spec, tally->least_n, tally->most, notes);
    }
    if (tally->untested)
        pl_text_addf(notes, "%zu cell%s could not be tested: fewer than two %s, or none that differ.\n",
                     tally->untested, tally->untested == 1 ? "" : "s",
                     spec->test == PL_TEST_WELCH ? "values" : "pairs of equal seeds");
}

void pl_table_compare(struct pl_table *table, const struct pl_test_spec *spec)
{
    size_t cells = table->row_count * table->column_count, *tasks = pl_new((cells + 1) * sizeof *tasks);
    struct tally tally = {.least_n = SIZE_MAX};
    size_t count = pl_table_tasks(table, tasks);
    table->compare = *spec;
    for (size_t i = 0; i < cells; i++)
        table->cells[i].p = table->cells[i].adjusted = NAN;
    for (size_t t = 0; t < count; t++)
        test_task(table, spec, tasks, t, &tally);
    if (!pl_direction_is_choice(table->direction))
        pl_text_addf(&table->notes, "Nothing was tested: no value of %s is best.\n", table->metric);
    note_tests(table, &tally);
    free(tasks);
}
