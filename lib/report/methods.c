/* Methods over tasks: their ranks and their times, from a table. Listings and figures show these. */
#include "report/report_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A table turned into a full grid of tasks and methods. */
struct matrix {
    size_t tasks, methods;
    double *scores;  /* task by task; more is better, and -infinity is the worst */
    size_t *cells;   /* one of each method, for its name */
    size_t dropped;  /* tasks in which a method has no result */
    size_t worst;    /* cells that count as the worst: a run diverged, or never reached the target */
    size_t *by_task; /* numbers of the tasks and methods of the table's cells */
    size_t *by_method;
};

static void release(struct matrix *m)
{
    free(m->scores);
    free(m->cells);
    free(m->by_task);
    free(m->by_method);
}

/* NaN: there is no result yet. */
static double score_of(const struct pl_table *table, size_t cell)
{
    const struct pl_table_cell *c = &table->cells[cell];
    double value = pl_table_contender(table, c);
    if (!isnan(value))
        return value;
    return c->present && (c->summary.diverged || c->summary.never) ? -INFINITY : NAN;
}

/* Numbers what is used from 0 on; returns how many there are. */
static size_t renumber(const struct pl_table *table, size_t *groups, size_t count)
{
    size_t cells = table->row_count * table->column_count, used = 0;
    size_t *numbers = pl_new((count + 1) * sizeof *numbers);
    for (size_t i = 0; i < cells; i++)
        if (table->cells[i].present && !numbers[groups[i]])
            numbers[groups[i]] = ++used;
    for (size_t i = 0; i < cells; i++)
        groups[i] = numbers[groups[i]] ? numbers[groups[i]] - 1 : SIZE_MAX;
    free(numbers);
    return used;
}

static void drop_incomplete(struct matrix *m)
{
    size_t kept = 0;
    for (size_t t = 0; t < m->tasks; t++) {
        bool complete = true;
        for (size_t k = 0; k < m->methods; k++)
            complete = complete && !isnan(m->scores[t * m->methods + k]);
        if (complete)
            memmove(&m->scores[kept++ * m->methods], &m->scores[t * m->methods], m->methods * sizeof *m->scores);
    }
    m->dropped = m->tasks - kept;
    m->tasks = kept;
    for (size_t i = 0; i < kept * m->methods; i++)
        m->worst += isinf(m->scores[i]) != 0;
}

static int make_matrix(const struct pl_table *table, size_t least_tasks, struct matrix *m, struct pl_error *err)
{
    size_t cells = table->row_count * table->column_count;
    *m = (struct matrix){.by_task = pl_new((cells + 1) * sizeof(size_t)),
                         .by_method = pl_new((cells + 1) * sizeof(size_t))};
    m->tasks = renumber(table, m->by_task, pl_table_tasks(table, m->by_task));
    m->methods = renumber(table, m->by_method, pl_table_methods(table, m->by_method));
    m->scores = pl_new((m->tasks * m->methods + 1) * sizeof *m->scores);
    m->cells = pl_new((m->methods + 1) * sizeof *m->cells);
    for (size_t i = 0; i < m->tasks * m->methods; i++)
        m->scores[i] = NAN;
    for (size_t i = cells; i-- > 0;) {
        if (!table->cells[i].present)
            continue;
        m->scores[m->by_task[i] * m->methods + m->by_method[i]] = score_of(table, i);
        m->cells[m->by_method[i]] = i;
    }
    drop_incomplete(m);
    if (!pl_direction_is_choice(table->direction))
        return pl_fail(err, PL_EINPUT, "methods cannot be ranked by %s: nothing says which way it is better",
                       table->metric);
    if (m->methods < 2)
        return pl_fail(err, PL_EINPUT, "the table of %s has one method; ranks need at least two", table->metric);
    if (m->tasks < least_tasks)
        return pl_fail(err, PL_EINPUT,
                       "the table of %s has %zu task%s (dataset, model, problem ...) with a result of every method; at "
                       "least %zu are needed",
                       table->metric, m->tasks, m->tasks == 1 ? "" : "s", least_tasks);
    return 0;
}

struct place {
    double value;
    size_t method;
};

static int by_value(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->method > y->method) - (x->method < y->method);
}

/* Methods by rising value. */
static struct place *sorted(const double *values, size_t count)
{
    struct place *places = pl_new((count + 1) * sizeof *places);
    for (size_t i = 0; i < count; i++)
        places[i] = (struct place){values[i], i};
    qsort(places, count, sizeof *places, by_value);
    return places;
}

static char **name_methods(const struct pl_table *table, const struct matrix *m, const struct place *places)
{
    char **names = pl_new((m->methods + 1) * sizeof *names);
    for (size_t i = 0; i < m->methods; i++) {
        struct pl_text name = {0};
        pl_table_name(table, m->cells[places[i].method], false, &name);
        names[i] = pl_text_take(&name);
    }
    return names;
}

static void free_names(char **names, size_t count)
{
    for (size_t i = 0; names && i < count; i++)
        free(names[i]);
    free(names);
}

static void note_matrix(const struct matrix *m, const char *worst, struct pl_text *notes)
{
    if (m->dropped)
        pl_text_addf(notes, "%zu task%s left out: not every method has a result there.\n", m->dropped,
                     m->dropped == 1 ? " is" : "s are");
    if (m->worst)
        pl_text_addf(notes, "%zu result%s %s: a run diverged, or never reached the target.\n", m->worst,
                     m->worst == 1 ? "" : "s", worst);
}

/* Where every method diverged or never arrived, none is first. */
static size_t count_best(const struct matrix *m, const double *ranks, size_t method)
{
    size_t count = 0;
    for (size_t t = 0; t < m->tasks; t++) {
        bool first = !isinf(m->scores[t * m->methods + method]);
        for (size_t k = 0; k < m->methods; k++)
            first = first && ranks[t * m->methods + k] >= ranks[t * m->methods + method];
        count += first;
    }
    return count;
}

int pl_table_rank(const struct pl_table *table, double confidence, struct pl_method_ranks *ranks, struct pl_error *err)
{
    struct matrix m;
    int status = make_matrix(table, 2, &m, err);
    if (status) {
        release(&m);
        return status;
    }
    double *each = pl_new(m.tasks * m.methods * sizeof *each), *mean = pl_new(m.methods * sizeof *mean);
    *ranks = (struct pl_method_ranks){.tasks = m.tasks,
                                      .methods = m.methods,
                                      .mean = pl_new(m.methods * sizeof(double)),
                                      .first = pl_new(m.methods * sizeof(size_t)),
                                      .critical = pl_nemenyi(m.tasks, m.methods, 1 - confidence)};
    pl_ranks(m.scores, m.tasks, m.methods, true, each);
    pl_mean_ranks(each, m.tasks, m.methods, mean);
    pl_test_friedman(each, m.tasks, m.methods, &ranks->friedman, &ranks->p);
    struct place *places = sorted(mean, m.methods);
    ranks->names = name_methods(table, &m, places);
    for (size_t i = 0; i < m.methods; i++) {
        ranks->mean[i] = places[i].value;
        ranks->first[i] = count_best(&m, each, places[i].method);
    }
    if (!isnan(ranks->p))
        pl_text_addf(&ranks->notes, "Friedman's test: chi-square %.4g, p = %.3g%s.\n", ranks->friedman, ranks->p,
                     ranks->p < 1 - confidence ? "" : ", so the methods cannot be told apart");
    pl_text_addf(
        &ranks->notes,
        "Nemenyi's critical difference is %.3f (level %.4g): mean ranks that are closer cannot be told apart.\n",
        ranks->critical, 1 - confidence);
    note_matrix(&m, "ranked last in their task", &ranks->notes);
    free(places);
    free(each);
    free(mean);
    release(&m);
    return 0;
}

void pl_method_ranks_release(struct pl_method_ranks *ranks)
{
    free_names(ranks->names, ranks->methods);
    free(ranks->mean);
    free(ranks->first);
    pl_text_release(&ranks->notes);
    *ranks = (struct pl_method_ranks){0};
}

int pl_table_times(const struct pl_table *table, double tau_max, struct pl_method_times *times, struct pl_error *err)
{
    struct matrix m;
    if (!table->timed)
        return pl_fail(err, PL_EINPUT,
                       "a performance profile is of times to a target, such as value: " PL_EPOCHS_TO_TARGET
                       ", and not of %s",
                       table->metric);
    int status = make_matrix(table, 1, &m, err);
    if (status) {
        release(&m);
        return status;
    }
    double *scores = pl_new(m.methods * sizeof *scores);
    *times = (struct pl_method_times){.tasks = m.tasks,
                                      .methods = m.methods,
                                      .scores = pl_new(m.methods * sizeof(double)),
                                      .times = pl_new(m.tasks * m.methods * sizeof(double)),
                                      .tau_max = tau_max};
    for (size_t i = 0; i < m.tasks * m.methods; i++)
        m.scores[i] = -m.scores[i]; /* less is better, and infinity is never */
    for (size_t k = 0; k < m.methods; k++)
        scores[k] = -pl_profile_score(m.scores, m.tasks, m.methods, k, tau_max);
    struct place *places = sorted(scores, m.methods);
    times->names = name_methods(table, &m, places);
    for (size_t i = 0; i < m.methods; i++) {
        times->scores[i] = -places[i].value;
        for (size_t t = 0; t < m.tasks; t++)
            times->times[t * m.methods + i] = m.scores[t * m.methods + places[i].method];
    }
    note_matrix(&m, "count as never", &times->notes);
    free(places);
    free(scores);
    release(&m);
    return 0;
}

void pl_method_times_release(struct pl_method_times *times)
{
    free_names(times->names, times->methods);
    free(times->scores);
    free(times->times);
    pl_text_release(&times->notes);
    *times = (struct pl_method_times){0};
}
