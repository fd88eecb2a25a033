/* The course of a scheduled quantity: factors as functions of time. Each formula is that of docs/schedules.md. */
#include "train/schedule.h"

#include <math.h>

static double cosine(double from, double to, double done)
{
    return to + (from - to) / 2 * (1 + cos(M_PI * done));
}

/* Smith and Topin, "Super-convergence" (2019), as torch's OneCycleLR has it: up within the warm-up, whose last tick has
 * the peak, and down to the floor in the run's last one. */
static double onecycle(const struct pl_course *s, double total, struct pl_moment m)
{
    const double peak = s->warmup - m.tick, start = s->mirrored ? 1 : s->warmup_from;
    const double middle = s->mirrored ? s->floor : 1, end = s->mirrored ? 1 : s->floor;
    if (m.at <= peak)
        return peak > 0 ? cosine(start, middle, m.at / peak) : middle;
    const double left = total - m.tick - peak, done = m.at - peak;
    return cosine(middle, end, done < left ? done / left : 1);
}

/* How much of the decline is done, in [0, 1): of the whole of it, or of the cycle that the moment is in. */
static double done_at(const struct pl_course *s, double total, double start, double at)
{
    double done = at - start, length = total - start;
    if (s->cycle > 0) {
        length = s->cycle;
        if (s->growth == 1)
            done = fmod(done, length);
        for (; done >= length; length *= (double)s->growth)
            done -= length;
    }
    return done / length;
}

double pl_course_done(const struct pl_course *s, double total, struct pl_moment m)
{
    return m.at < s->warmup ? 0 : done_at(s, total, s->warmup, m.at);
}

static double decline(const struct pl_course *s, double total, struct pl_moment m)
{
    const double start = s->warmup + s->stable * (total - s->warmup);
    if (m.at < start)
        return 1;
    const double since = m.at - s->warmup;
    switch (s->anneal) {
    case PL_ANNEAL_COSINE:
        return s->floor + (1 - s->floor) * ((1 + cos(M_PI * done_at(s, total, start, m.at))) / 2);
    case PL_ANNEAL_LINEAR:
        return s->floor + (1 - s->floor) * (1 - done_at(s, total, start, m.at));
    case PL_ANNEAL_EXPONENTIAL:
        return pow(s->floor, done_at(s, total, start, m.at));
    case PL_ANNEAL_POLYNOMIAL:
        return s->floor + (1 - s->floor) * pow(1 + since / s->offset, -s->exponent);
    case PL_ANNEAL_SQRT:
        return s->floor + (1 - s->floor) * sqrt((s->warmup > m.tick ? s->warmup : m.tick) / (m.at + m.tick));
    case PL_ANNEAL_NONE:
    case PL_ANNEAL_ONECYCLE:
        break;
    }
    return 1;
}

double pl_course_factor(const struct pl_course *s, double total, uint64_t decays, struct pl_moment m)
{
    if (s->every)
        decays = (uint64_t)(m.at / (double)s->every);
    for (size_t i = 0; i < s->milestone_count && (double)s->milestones[i] <= m.at; i++)
        decays++;
    double factor = decays ? pow(s->decay, (double)decays) : 1;
    if (s->anneal == PL_ANNEAL_ONECYCLE)
        return factor * onecycle(s, total, m);
    if (m.at < s->warmup) {
        const double risen = m.at + m.tick < s->warmup ? m.at + m.tick : s->warmup;
        return s->warmup_from == 0 ? factor * risen / s->warmup
                                   : factor * (s->warmup_from + (1 - s->warmup_from) * risen / s->warmup);
    }
    return s->anneal == PL_ANNEAL_NONE ? factor : factor * decline(s, total, m);
}

int64_t pl_course_next(const struct pl_course *s, double total, int64_t at)
{
    int64_t next = INT64_MAX;
    if ((double)at < s->warmup || s->anneal >= PL_ANNEAL_POLYNOMIAL)
        return at + 1;
    if (s->anneal != PL_ANNEAL_NONE) {
        const double start = s->warmup + s->stable * (total - s->warmup);
        next = (double)at + 1 < start ? (int64_t)ceil(start) : at + 1;
    }
    if (s->every && (at / s->every + 1) * s->every < next)
        next = (at / s->every + 1) * s->every;
    for (size_t i = 0; i < s->milestone_count; i++)
        if (s->milestones[i] > at && s->milestones[i] < next)
            next = s->milestones[i];
    return next;
}
