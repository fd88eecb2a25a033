#include "problem/gibbs.h"

#include <gsl/gsl_multimin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MINIMISERS = 64,
    NODES = 64, /* of the integral across a direction, at first and at most */
    NODES_MOST = 1 << 16,
    EDGE = 200 /* points looked at on an edge of a box */
};

struct pl_gibbs {
    const struct pl_objective *objective;
    struct pl_regulariser regulariser;
    size_t dimension, directions, minimisers;
    double beta, minimum;
    double places[MINIMISERS][PL_GIBBS_DIMENSION];
    struct pl_law *laws[PL_GIBBS_DIRECTIONS];
};

/* A line: the points along + across. */
struct line {
    const struct pl_gibbs *gibbs;
    double along[PL_GIBBS_DIMENSION], across[PL_GIBBS_DIMENSION];
    double reach[2]; /* ends of what is integrated across */
    size_t nodes;    /* enough of them to hit every minimum */
};

double pl_gibbs_energy(const struct pl_gibbs *g, const double *theta)
{
    const struct pl_regulariser *extra = &g->regulariser;
    double u = pl_objective_value(g->objective, theta), square = 0;
    if (extra->eta == 0 && extra->weight_decay == 0)
        return u;
    for (size_t i = 0; i < g->dimension; i++)
        square += theta[i] * theta[i];
    if (extra->eta > 0)
        u += extra->eta * pow(square, extra->r + 1) / (2 * extra->r + 2);
    return u + extra->weight_decay * square / 2;
}

double pl_gibbs_minimum(const struct pl_gibbs *g)
{
    return g->minimum;
}

static double energy_of_vector(const gsl_vector *v, void *self)
{
    const struct pl_gibbs *g = self;
    double theta[PL_GIBBS_DIMENSION];
    for (size_t i = 0; i < g->dimension; i++)
        theta[i] = gsl_vector_get(v, i);
    double u = pl_gibbs_energy(g, theta);
    return isfinite(u) ? u : 1e300;
}

/* Moves a minimiser of the problem to the near one of the regularised objective. */
static void refine(struct pl_gibbs *g, double *place)
{
    gsl_multimin_function f = {energy_of_vector, g->dimension, g};
    gsl_multimin_fminimizer *s = gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, g->dimension);
    gsl_vector *x = gsl_vector_alloc(g->dimension), *step = gsl_vector_alloc(g->dimension);
    for (size_t i = 0; i < g->dimension; i++) {
        gsl_vector_set(x, i, place[i]);
        gsl_vector_set(step, i, 0.1);
    }
    gsl_multimin_fminimizer_set(s, &f, x, step);
    for (int i = 0; i < 1000 && gsl_multimin_fminimizer_size(s) > 1e-10; i++)
        if (gsl_multimin_fminimizer_iterate(s))
            break;
    if (s->fval < pl_gibbs_energy(g, place))
        for (size_t i = 0; i < g->dimension; i++)
            place[i] = gsl_vector_get(s->x, i);
    gsl_vector_free(x);
    gsl_vector_free(step);
    gsl_multimin_fminimizer_free(s);
}

static void find_minimisers(struct pl_gibbs *g)
{
    bool regular = g->regulariser.eta > 0 || g->regulariser.weight_decay > 0;
    g->minimum = INFINITY;
    while (g->minimisers < MINIMISERS && pl_objective_minimiser(g->objective, g->minimisers, g->places[g->minimisers]))
        g->minimisers++;
    for (size_t i = 0; i < g->minimisers; i++) {
        if (regular)
            refine(g, g->places[i]);
        g->minimum = fmin(g->minimum, pl_gibbs_energy(g, g->places[i]));
    }
}

static double log_density_on_line(const void *self, double x)
{
    const struct pl_gibbs *g = self;
    return -g->beta * (pl_gibbs_energy(g, &x) - g->minimum);
}

static double density_across(const struct line *line, double t, double s)
{
    double theta[PL_GIBBS_DIMENSION];
    for (size_t i = 0; i < PL_GIBBS_DIMENSION; i++)
        theta[i] = t * line->along[i] + s * line->across[i];
    return exp(-line->gibbs->beta * (pl_gibbs_energy(line->gibbs, theta) - line->gibbs->minimum));
}

/* The integral across by the trapezoid rule, which is exact to rounding for smooth densities that fall to nothing at
 * both ends once the nodes are dense enough: their number is doubled until nothing changes. */
static double log_density_of_projection(const void *self, double t)
{
    const struct line *line = self;
    double from = line->reach[0], width = line->reach[1] - from, sum = 0, before = -1;
    size_t nodes = line->nodes;
    for (size_t i = 0; i < nodes; i++)
        sum += density_across(line, t, from + width * ((double)i + 0.5) / (double)nodes);
    for (; nodes < NODES_MOST; nodes *= 3) { /* midpoints stay midpoints when the spacing is divided by 3 */
        double mean = sum / (double)nodes;
        if (fabs(mean - before) <= 1e-12 * mean || (nodes > line->nodes && mean < 1e-200))
            break;
        before = mean;
        for (size_t i = 0; i < nodes; i++) {
            sum += density_across(line, t, from + width * ((double)i + 1.0 / 6) / (double)nodes);
            sum += density_across(line, t, from + width * ((double)i + 5.0 / 6) / (double)nodes);
        }
    }
    return log(sum * width / (double)nodes);
}

/* How far across one can go from a minimiser before the energy has risen by rise / beta; infinite where it never does.
 */
static double step_across(const struct line *line, const double *place, double sign, double rise)
{
    const struct pl_gibbs *g = line->gibbs;
    double theta[PL_GIBBS_DIMENSION];
    for (double step = 1e-9; step < 1e100; step *= 1.2) {
        for (size_t k = 0; k < PL_GIBBS_DIMENSION; k++)
            theta[k] = place[k] + sign * step * line->across[k];
        if (g->beta * (pl_gibbs_energy(g, theta) - g->minimum) > rise)
            return step;
    }
    return INFINITY;
}

/* Does the density reach an edge of the box (along, then across; low and high of each)? */
static bool reaches_edge(const struct line *line, double box[2][2], int axis, int side)
{
    for (int i = 0; i <= EDGE; i++) {
        double at[2];
        at[axis] = box[axis][side];
        at[1 - axis] = box[1 - axis][0] + (box[1 - axis][1] - box[1 - axis][0]) * i / EDGE;
        if (density_across(line, at[0], at[1]) > 1e-22)
            return true;
    }
    return false;
}

/* The ends of what is worth integrating across: a box around the minimisers grows until the density, wherever it is
 * connected with them, does not reach its edges. */
static int find_reach(struct line *line, struct pl_error *err)
{
    const struct pl_gibbs *g = line->gibbs;
    double box[2][2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}}, narrowest = INFINITY;
    for (size_t i = 0; i < g->minimisers; i++) {
        const double *place = g->places[i], *axes[2] = {line->along, line->across};
        double step = fmin(step_across(line, place, 1, 1), step_across(line, place, -1, 1));
        narrowest = fmin(narrowest, step);
        for (int axis = 0; axis < 2; axis++) {
            double at = place[0] * axes[axis][0] + place[1] * axes[axis][1];
            box[axis][0] = fmin(box[axis][0], at - step);
            box[axis][1] = fmax(box[axis][1], at + step);
        }
    }
    for (bool grown = isfinite(narrowest); grown;) {
        grown = false;
        for (int edge = 0; edge < 4; edge++)
            if (reaches_edge(line, box, edge / 2, edge % 2)) {
                double *ends = box[edge / 2], width = ends[1] - ends[0];
                ends[edge % 2] += edge % 2 ? 0.2 * width : -0.2 * width;
                grown = width < 1e100;
            }
    }
    memcpy(line->reach, box[1], sizeof line->reach);
    double width = line->reach[1] - line->reach[0], nodes = ceil(2 * width / narrowest);
    if (!(width < 1e100))
        return pl_fail(err, PL_EINPUT, "the density exp(-beta u) cannot be integrated");
    if (nodes > NODES_MOST / 9)
        return pl_fail(err, PL_EINPUT, "beta is %g: in two dimensions the minima are then too narrow for quadrature",
                       g->beta);
    line->nodes = nodes > NODES ? (size_t)nodes : NODES;
    return 0;
}

void pl_gibbs_direction(const struct pl_gibbs *g, size_t k, double direction[PL_GIBBS_DIMENSION])
{
    double turn = M_PI * (double)k / (double)g->directions;
    direction[0] = cos(turn);
    direction[1] = sin(turn);
}

const struct pl_law *pl_gibbs_law(const struct pl_gibbs *g, size_t k)
{
    return g->laws[k];
}

static int make_law(struct pl_gibbs *g, size_t k, struct pl_error *err)
{
    double marks[MINIMISERS];
    struct line line = {.gibbs = g};
    pl_gibbs_direction(g, k, line.along);
    line.across[0] = -line.along[1];
    line.across[1] = line.along[0];
    for (size_t i = 0; i < g->minimisers; i++)
        marks[i] = g->places[i][0] * line.along[0] + (g->dimension > 1 ? g->places[i][1] * line.along[1] : 0);
    if (g->dimension == 1)
        return pl_law_new(&g->laws[k], log_density_on_line, g, marks, g->minimisers, 1e-13, err);
    int status = find_reach(&line, err);
    return status ? status
                  : pl_law_new(&g->laws[k], log_density_of_projection, &line, marks, g->minimisers, 1e-10, err);
}

int pl_gibbs_new(struct pl_gibbs **gibbs, const struct pl_objective *objective, struct pl_regulariser regulariser,
                 double beta, size_t directions, struct pl_error *err)
{
    struct pl_gibbs *g = pl_new(sizeof *g);
    *g = (struct pl_gibbs){.objective = objective,
                           .regulariser = regulariser,
                           .dimension = objective->n,
                           .directions = directions,
                           .beta = beta};
    int status = 0;
    find_minimisers(g);
    for (size_t k = 0; k < directions && !status; k++)
        status = make_law(g, k, err);
    if (status) {
        pl_gibbs_free(g);
        return status;
    }
    *gibbs = g;
    return 0;
}

void pl_gibbs_free(struct pl_gibbs *g)
{
    if (!g)
        return;
    for (size_t k = 0; k < PL_GIBBS_DIRECTIONS; k++)
        pl_law_free(g->laws[k]);
    free(g);
}
