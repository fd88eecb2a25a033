/* Tables over tasks: mean ranks of methods, and the profile of their times to a target. */
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

static void add_method(struct pl_listing *l, const struct pl_table *table, size_t cell)
{
    struct pl_text name = {0};
    pl_table_name(table, cell, false, &name);
    pl_listing_text(l, pl_text(&name));
    pl_text_release(&name);
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

static struct place *sorted(const double *values, size_t count)
{
    struct place *places = pl_new((count + 1) * sizeof *places);
    for (size_t i = 0; i < count; i++)
        places[i] = (struct place){values[i], i};
    qsort(places, count, sizeof *places, by_value);
    return places;
}

static void note_matrix(struct pl_listing *l, const struct matrix *m, const char *worst)
{
    if (m->dropped)
        pl_text_addf(&l->notes, "%zu task%s left out: not every method has a result there.\n", m->dropped,
                     m->dropped == 1 ? " is" : "s are");
    if (m->worst)
        pl_text_addf(&l->notes, "%zu result%s %s: a run diverged, or never reached the target.\n", m->worst,
                     m->worst == 1 ? "" : "s", worst);
}

static void begin_caption(struct pl_listing *l, const struct pl_table *table, const char *what)
{
    pl_text_addf(&l->caption, "%s%s%s%s: %s by ", table->title ? table->title : "", table->title ? " (" : "",
                 table->study, table->title ? ")" : "", what);
    pl_table_value_name(table, &l->caption);
}

static size_t count_best(const struct matrix *m, const double *ranks, size_t method)
{
    size_t count = 0;
    for (size_t t = 0; t < m->tasks; t++) {
        bool first = true;
        for (size_t k = 0; k < m->methods; k++)
            first = first && ranks[t * m->methods + k] >= ranks[t * m->methods + method];
        count += first;
    }
    return count;
}

int pl_table_ranks(struct pl_listing **listing, const struct pl_table *table, double confidence, struct pl_error *err)
{
    static const char *const names[] = {"method",   "verdict",    "mean_rank",          "behind", "first", "tasks",
                                        "friedman", "friedman_p", "critical_difference"};
    struct matrix m;
    int status = make_matrix(table, 2, &m, err);
    if (status) {
        release(&m);
        return status;
    }
    double *ranks = pl_new(m.tasks * m.methods * sizeof *ranks), *mean = pl_new(m.methods * sizeof *mean);
    double friedman, p, critical = pl_nemenyi(m.tasks, m.methods, 1 - confidence);
    pl_ranks(m.scores, m.tasks, m.methods, true, ranks);
    pl_mean_ranks(ranks, m.tasks, m.methods, mean);
    pl_test_friedman(ranks, m.tasks, m.methods, &friedman, &p);
    struct place *places = sorted(mean, m.methods);
    struct pl_listing *l = pl_listing_new("ranks", table->study, names, sizeof names / sizeof *names, 2);
    l->shown = 5;
    for (size_t i = 0; i < m.methods; i++) {
        double behind = places[i].value - places[0].value;
        add_method(l, table, m.cells[places[i].method]);
        pl_listing_text(l, !i ? "first" : behind < critical ? "" : "behind");
        pl_listing_real(l, places[i].value, 2);
        pl_listing_real(l, behind, 2);
        pl_listing_integer(l, (int64_t)count_best(&m, ranks, places[i].method));
        pl_listing_integer(l, (int64_t)m.tasks);
        pl_listing_real(l, friedman, 3);
        pl_listing_real(l, p, -1);
        pl_listing_real(l, critical, 3);
    }
    begin_caption(l, table, "mean ranks");
    pl_text_addf(&l->caption, " over %zu tasks", m.tasks);
    if (!isnan(p))
        pl_text_addf(&l->notes, "Friedman's test: chi-square %.4g, p = %.3g%s.\n", friedman, p,
                     p < 1 - confidence ? "" : ", so the methods cannot be told apart");
    pl_text_addf(
        &l->notes,
        "Nemenyi's critical difference is %.3f (level %.4g): mean ranks that are closer cannot be told apart.\n",
        critical, 1 - confidence);
    note_matrix(l, &m, "ranked last in their task");
    free(places);
    free(ranks);
    free(mean);
    release(&m);
    *listing = l;
    return 0;
}

/* ---- profiles ---- */

int pl_table_profile(struct pl_listing **listing, const struct pl_table *table, double tau_max, struct pl_error *err)
{
    static const char *const names[] = {"method", "score", "fastest", "within_2", "solved", "tasks", "tau_max"};
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
    double *times = m.scores, *scores = pl_new(m.methods * sizeof *scores);
    for (size_t i = 0; i < m.tasks * m.methods; i++)
        times[i] = -times[i]; /* less is better, and infinity is never */
    for (size_t k = 0; k < m.methods; k++)
        scores[k] = -pl_profile_score(times, m.tasks, m.methods, k, tau_max);
    struct place *places = sorted(scores, m.methods);
    struct pl_listing *l = pl_listing_new("profile", table->study, names, sizeof names / sizeof *names, 1);
    l->shown = 5;
    for (size_t i = 0; i < m.methods; i++) {
        size_t k = places[i].method;
        add_method(l, table, m.cells[k]);
        pl_listing_real(l, -places[i].value, 4);
        pl_listing_real(l, pl_profile_share(times, m.tasks, m.methods, k, 1), 3);
        pl_listing_real(l, pl_profile_share(times, m.tasks, m.methods, k, 2), 3);
        pl_listing_real(l, pl_profile_share(times, m.tasks, m.methods, k, 1e300), 3);
        pl_listing_integer(l, (int64_t)m.tasks);
        pl_listing_real(l, tau_max, -1);
    }
    begin_caption(l, table, "performance profile");
    pl_text_addf(&l->caption, " over %zu task%s", m.tasks, m.tasks == 1 ? "" : "s");
    pl_text_addf(
        &l->notes,
        "score: the share of tasks solved within tau times the fastest method, averaged over tau from 1 to %.4g; "
        "fastest, within_2 and solved: that share at tau = 1, at 2, and at last.\n",
        tau_max);
    note_matrix(l, &m, "count as never");
    free(places);
    free(scores);
    release(&m);
    *listing = l;
    return 0;
}
