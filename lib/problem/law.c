/* A law as cells with Chebyshev series. */
#include "problem/law_priv.h"

#include <gsl/gsl_chebyshev.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ORDER = 16,
    GRADES = 14, /* sizes of cells beside a mark: each a quarter of the one before */
    HALVINGS = 50,
    CELLS = 100000 /* more are not needed by any density that can be told from noise */
};

struct pl_law_cell {
    double from, to;
    double mass, moment; /* before this cell */
    gsl_cheb_series *density, *masses, *moments;
};

struct building {
    struct pl_law *law;
    double (*log_density)(const void *self, double x);
    const void *self;
    double highest, accuracy, tolerance;
};

/* Density over its highest value at the marks. */
static double density_at(double x, void *self)
{
    const struct building *b = self;
    return exp(b->log_density(b->self, x) - b->highest);
}

static gsl_cheb_series *series_of(struct building *b, double from, double to)
{
    gsl_function f = {density_at, b};
    gsl_cheb_series *series = gsl_cheb_alloc(ORDER);
    gsl_cheb_init(series, &f, from, to);
    return series;
}

/* x times a series: x = middle + half t, and t T_k = (T_{k-1} + T_{k+1}) / 2. GSL halves the first coefficient. */
static gsl_cheb_series *times_x(const gsl_cheb_series *series)
{
    gsl_cheb_series *product = gsl_cheb_alloc(ORDER);
    double middle = (series->a + series->b) / 2, half = (series->b - series->a) / 2;
    product->a = series->a;
    product->b = series->b;
    for (size_t k = 0; k <= ORDER; k++) {
        double below = series->c[k ? k - 1 : 1], above = k < ORDER ? series->c[k + 1] : 0;
        product->c[k] = middle * series->c[k] + half * (below + above) / 2;
    }
    return product;
}

static gsl_cheb_series *integral_of(const gsl_cheb_series *series)
{
    gsl_cheb_series *integral = gsl_cheb_alloc(ORDER);
    gsl_cheb_calc_integ(integral, series);
    return integral;
}

static void add_cell(struct pl_law *law, gsl_cheb_series *density)
{
    void *cells = law->cells;
    pl_grow(&cells, &law->capacity, law->count + 1, sizeof *law->cells);
    law->cells = cells;
    gsl_cheb_series *product = times_x(density), *squares = times_x(product), *second = integral_of(squares);
    struct pl_law_cell cell = {.from = density->a,
                               .to = density->b,
                               .mass = law->mass,
                               .moment = law->moment,
                               .density = density,
                               .masses = integral_of(density),
                               .moments = integral_of(product)};
    law->mass += gsl_cheb_eval(cell.masses, cell.to);
    law->moment += gsl_cheb_eval(cell.moments, cell.to);
    law->square += gsl_cheb_eval(second, cell.to);
    law->cells[law->count++] = cell;
    gsl_cheb_free(product);
    gsl_cheb_free(squares);
    gsl_cheb_free(second);
}

static bool is_exact(const struct building *b, const gsl_cheb_series *series)
{
    double tail = fabs(series->c[ORDER]) + fabs(series->c[ORDER - 1]) + fabs(series->c[ORDER - 2]);
    return tail * (series->b - series->a) <= b->tolerance;
}

/* Takes the series over. */
static void cover(struct building *b, gsl_cheb_series *series, int halvings)
{
    double from = series->a, to = series->b, middle = (from + to) / 2;
    if (is_exact(b, series) || halvings == 0 || middle <= from || middle >= to || b->law->count > CELLS) {
        add_cell(b->law, series);
        return;
    }
    gsl_cheb_free(series);
    cover(b, series_of(b, from, middle), halvings - 1);
    cover(b, series_of(b, middle, to), halvings - 1);
}

/* How far out the density is worth integrating: beyond, it is below e^-50 of its highest. */
static int find_end(const struct building *b, double mark, double direction, double *end)
{
    double step = fmax(fabs(mark), 1) * 1e-9;
    for (; step < 1e100; step *= 1.5) {
        *end = mark + direction * step;
        if (b->log_density(b->self, *end) - b->highest < -50)
            return 0;
    }
    return PL_EINPUT;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The ends of the first cells, sorted: they become smaller towards each mark. */
static size_t first_ends(const double *marks, size_t count, double from, double to, double *ends)
{
    size_t n = 0;
    ends[n++] = from;
    ends[n++] = to;
    for (size_t i = 0; i < count; i++) {
        ends[n++] = marks[i];
        double step = (to - from) / 4;
        for (int grade = 0; grade < GRADES; grade++, step /= 4) {
            ends[n++] = fmax(from, marks[i] - step);
            ends[n++] = fmin(to, marks[i] + step);
        }
    }
    qsort(ends, n, sizeof *ends, ascending);
    return n;
}

static void integrate(struct building *b, const double *ends, size_t count)
{
    gsl_cheb_series **first = pl_new(count * sizeof *first);
    double rough = 0;
    size_t n = 0;
    for (size_t i = 0; i + 1 < count; i++)
        if (ends[i + 1] > ends[i]) {
            first[n] = series_of(b, ends[i], ends[i + 1]);
            rough += fmax(first[n]->c[0], 0) / 2 * (ends[i + 1] - ends[i]);
            n++;
        }
    b->tolerance = b->accuracy * rough;
    for (size_t i = 0; i < n; i++)
        cover(b, first[i], HALVINGS);
    free(first);
}

int pl_law_new(struct pl_law **law, double (*log_density)(const void *self, double x), const void *self,
               const double *marks, size_t count, double accuracy, struct pl_error *err)
{
    struct pl_law *l = pl_new(sizeof *l);
    struct building b = {
        .law = l, .log_density = log_density, .self = self, .highest = -INFINITY, .accuracy = accuracy};
    double least = marks[0], greatest = marks[0], from, to;
    for (size_t i = 0; i < count; i++) {
        b.highest = fmax(b.highest, log_density(self, marks[i]));
        least = fmin(least, marks[i]);
        greatest = fmax(greatest, marks[i]);
    }
    bool good = isfinite(b.highest) && !find_end(&b, least, -1, &from) && !find_end(&b, greatest, 1, &to);
    if (good) {
        double *ends = pl_new((2 + count * (1 + 2 * GRADES)) * sizeof *ends);
        size_t ends_count = first_ends(marks, count, from, to, ends);
        integrate(&b, ends, ends_count);
        free(ends);
        good = l->count <= CELLS && l->mass > 0 && isfinite(l->mass) && isfinite(l->square);
    }
    if (!good) {
        pl_law_free(l);
        return pl_fail(err, PL_EINPUT, "the density exp(-beta u) cannot be integrated");
    }
    *law = l;
    return 0;
}

void pl_law_free(struct pl_law *law)
{
    if (!law)
        return;
    for (size_t i = 0; i < law->count; i++) {
        gsl_cheb_free(law->cells[i].density);
        gsl_cheb_free(law->cells[i].masses);
        gsl_cheb_free(law->cells[i].moments);
    }
    free(law->cells);
    free(law);
}

double pl_law_mean(const struct pl_law *law)
{
    return law->moment / law->mass;
}

double pl_law_variance(const struct pl_law *law)
{
    double mean = pl_law_mean(law);
    return law->square / law->mass - mean * mean;
}

/* The last cell that begins at or below x (or, by mass, with at most this much before it). */
static const struct pl_law_cell *cell_at(const struct pl_law *law, double x, bool by_mass)
{
    size_t low = 0, high = law->count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        const struct pl_law_cell *cell = &law->cells[middle];
        if ((by_mass ? cell->mass : cell->from) <= x)
            low = middle;
        else
            high = middle;
    }
    return &law->cells[low];
}

void pl_law_below(const struct pl_law *law, double x, double *mass, double *moment)
{
    const struct pl_law_cell *cell = cell_at(law, x, false);
    x = fmin(fmax(x, cell->from), cell->to);
    *mass = fmin(fmax((cell->mass + gsl_cheb_eval(cell->masses, x)) / law->mass, 0), 1);
    *moment = (cell->moment + gsl_cheb_eval(cell->moments, x)) / law->mass;
}

double pl_law_cdf(const struct pl_law *law, double x)
{
    double mass, moment;
    if (isnan(x))
        return NAN;
    pl_law_below(law, x, &mass, &moment);
    return mass;
}

/* Newton's method within a bracket. */
static double solve(const struct pl_law_cell *cell, double wanted)
{
    double low = cell->from, high = cell->to, total = gsl_cheb_eval(cell->masses, high);
    double x = total > 0 ? low + (high - low) * fmin(fmax(wanted / total, 0), 1) : low;
    for (int i = 0; i < 100; i++) {
        double excess = gsl_cheb_eval(cell->masses, x) - wanted;
        if (excess > 0)
            high = x;
        else
            low = x;
        double next = x - excess / gsl_cheb_eval(cell->density, x), moved = fabs(next - x);
        bool newton = next > low && next < high;
        x = newton ? next : (low + high) / 2;
        /* Newton's steps square the error: after one of 1e-8 nothing is left of it. */
        if ((newton && moved <= 1e-8 * (cell->to - cell->from)) || high - low <= 1e-15 * (cell->to - cell->from))
            break;
    }
    return x;
}

double pl_law_quantile(const struct pl_law *law, double p)
{
    double wanted = p * law->mass;
    if (p <= 0)
        return law->cells[0].from;
    if (p >= 1)
        return law->cells[law->count - 1].to;
    const struct pl_law_cell *cell = cell_at(law, wanted, true);
    return solve(cell, wanted - cell->mass);
}

/* Sorted uniform draws are partial sums of exponential ones over their total. */
void pl_law_sample(const struct pl_law *law, struct pl_random random, uint64_t step, size_t count, double *out)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        out[i] = sum -= log(pl_random_uniform(&random, step, i));
    sum -= log(pl_random_uniform(&random, step, count));
    for (size_t i = 0; i < count; i++)
        out[i] = pl_law_quantile(law, out[i] / sum);
}
