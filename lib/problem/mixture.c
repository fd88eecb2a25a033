/* Minus the logarithm of a mixture of Gaussians, up to its constant:
 *   u(theta) = -log 1/K sum_k exp(-|theta - m_k|^2 / (2 s^2)).
 * The K centres m_k stand evenly on a circle in the first two coordinates, or evenly between -radius and radius where
 * there is one. At inverse temperature 1 the law with density exp(-u) is the mixture itself. */
#include "problem/problem_priv.h"

#include <math.h>

enum { MODES = 64 };

static const struct pl_setting settings_table[] = {
    PL_PROBLEM_DIMENSION("2", "1"),
    PL_PROBLEM_START("0.01"),
    {.key = "modes", .type = PL_INTEGER, .initial = "3", .range = "[1,64]", .help = "Gaussians in the mixture"},
    {.key = "radius",
     .type = PL_REAL,
     .initial = "2",
     .range = "[0,inf)",
     .help = "distance of the centres from 0 (at most, in one dimension)"},
    {.key = "width",
     .type = PL_REAL,
     .initial = "1",
     .range = "(0,inf)",
     .help = "standard deviation of each Gaussian"},
    PL_PROBLEM_NOISE,
};

struct mixture {
    size_t modes;
    double centre[MODES][2];
    double precision; /* 1 / width^2 */
};

static void prepare(void *self, const struct pl_settings *settings, size_t n)
{
    struct mixture *m = self;
    double radius = pl_settings_need_real(settings, "radius"), width = pl_settings_need_real(settings, "width");
    m->modes = (size_t)pl_settings_need_integer(settings, "modes");
    m->precision = 1 / (width * width);
    for (size_t k = 0; k < m->modes; k++) {
        double place = m->modes > 1 ? 2 * (double)k / (double)(m->modes - 1) - 1 : 1;
        double turn = 2 * M_PI * (double)k / (double)m->modes;
        m->centre[k][0] = radius * (n == 1 ? place : cos(turn));
        m->centre[k][1] = n == 1 ? 0 : radius * sin(turn);
    }
}

/* Squared distances to all centres, less that to the nearest, which is returned. */
static double distances(const struct mixture *m, double first, double second, double excess[MODES])
{
    double least = INFINITY;
    for (size_t k = 0; k < m->modes; k++) {
        double a = first - m->centre[k][0], b = second - m->centre[k][1];
        excess[k] = a * a + b * b;
        least = excess[k] < least ? excess[k] : least;
    }
    for (size_t k = 0; k < m->modes; k++)
        excess[k] -= least;
    return least;
}

/* The mean of the centres, weighted with their shares in the density. */
static void pull(const struct mixture *m, double first, double second, double mean[2])
{
    double excess[MODES], sum = 0;
    distances(m, first, second, excess);
    mean[0] = mean[1] = 0;
    for (size_t k = 0; k < m->modes; k++) {
        double weight = exp(-0.5 * m->precision * excess[k]);
        sum += weight;
        mean[0] += weight * m->centre[k][0];
        mean[1] += weight * m->centre[k][1];
    }
    mean[0] /= sum;
    mean[1] /= sum;
}

static double value(const void *self, const double *theta, size_t n)
{
    const struct mixture *m = self;
    double excess[MODES], sum = 0, rest = 0;
    double least = distances(m, theta[0], n > 1 ? theta[1] : 0, excess);
    for (size_t k = 0; k < m->modes; k++)
        sum += exp(-0.5 * m->precision * excess[k]);
    for (size_t i = 2; i < n; i++)
        rest += theta[i] * theta[i];
    return 0.5 * m->precision * (least + rest) - log(sum / (double)m->modes);
}

/* With points apart as in pl_objective_gradients. */
static void gradients(const void *self, const double *theta, size_t n, size_t points, double *out)
{
    const struct mixture *m = self;
    for (size_t k = 0; k < points; k++) {
        double mean[2];
        pull(m, theta[k], n > 1 ? theta[points + k] : 0, mean);
        for (size_t i = 0; i < n; i++)
            out[i * points + k] = m->precision * (theta[i * points + k] - (i < 2 ? mean[i] : 0));
    }
}

static void gradient(const void *self, const double *theta, const double *x, size_t n, double *out)
{
    (void)x;
    gradients(self, theta, n, 1, out);
}

/* The minimum that is reached from a centre: theta = pull(theta), by iteration (the mean shift of Fukunaga and
 * Hostetler, 1975). Of centres that merge, several lead to the same one. */
static void descend(const struct mixture *m, size_t index, double found[2])
{
    found[0] = m->centre[index][0];
    found[1] = m->centre[index][1];
    for (int i = 0; i < 10000; i++) {
        double next[2];
        pull(m, found[0], found[1], next);
        double moved = fabs(next[0] - found[0]) + fabs(next[1] - found[1]);
        found[0] = next[0];
        found[1] = next[1];
        if (moved <= 1e-16 * (fabs(found[0]) + fabs(found[1])))
            return;
    }
}

/* On a circle all centres are alike. On a line the middle ones have the most neighbours. */
static bool is_lowest(const struct mixture *m, size_t index, size_t n)
{
    return n > 1 || index == m->modes / 2 || index == (m->modes - 1) / 2;
}

static bool minimiser(const void *self, size_t index, double *theta, size_t n)
{
    const struct mixture *m = self;
    size_t k = 0;
    for (size_t seen = 0; k < m->modes; k++)
        if (is_lowest(m, k, n) && seen++ == index)
            break;
    if (k == m->modes)
        return false;
    double found[2];
    descend(m, k, found);
    for (size_t i = 0; i < n; i++)
        theta[i] = i < 2 ? found[i] : 0;
    return true;
}

static double distance(const void *self, const double *theta, size_t n)
{
    const struct mixture *m = self;
    double nearest = INFINITY, rest = 0;
    for (size_t k = 0; k < m->modes; k++) {
        double at[2];
        if (!is_lowest(m, k, n))
            continue;
        descend(m, k, at);
        double a = theta[0] - at[0], b = n > 1 ? theta[1] - at[1] : 0;
        nearest = fmin(nearest, a * a + b * b);
    }
    for (size_t i = 2; i < n; i++)
        rest += theta[i] * theta[i];
    return isnan(theta[0]) || (n > 1 && isnan(theta[1])) ? NAN : sqrt(nearest + rest);
}

const struct pl_problem pl_problem_mixture = {
    .name = "mixture",
    .help = "minus the logarithm of a mixture of Gaussians on a circle",
    PL_PROBLEM_SETTINGS(settings_table),
    .state_size = sizeof(struct mixture),
    .prepare = prepare,
    .value = value,
    .gradient = gradient,
    .distance = distance,
    .minimiser = minimiser,
    .gradients = gradients,
};
