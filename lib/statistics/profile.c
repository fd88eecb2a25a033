#include "statistics/statistics.h"

#include <math.h>

/* A time beside the best of its task; infinite where the method, or nobody, has reached the target. */
static double ratio(const double *times, size_t methods, size_t task, size_t method)
{
    double best = INFINITY, time = times[task * methods + method];
    for (size_t i = 0; i < methods; i++)
        best = fmin(best, times[task * methods + i]);
    if (!isfinite(time))
        return INFINITY;
    return best > 0 ? time / best : time > best ? INFINITY : 1;
}

double pl_profile_share(const double *times, size_t tasks, size_t methods, size_t method, double tau)
{
    size_t within = 0;
    for (size_t task = 0; task < tasks; task++)
        within += ratio(times, methods, task, method) <= tau;
    return tasks ? (double)within / (double)tasks : NAN;
}

double pl_profile_score(const double *times, size_t tasks, size_t methods, size_t method, double tau_max)
{
    double sum = 0;
    for (size_t task = 0; task < tasks; task++) {
        double r = ratio(times, methods, task, method);
        sum += r < tau_max ? tau_max - r : 0;
    }
    return tasks ? sum / (double)tasks / (tau_max - 1) : NAN;
}
