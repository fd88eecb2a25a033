/* Where an axis of numbers is labelled, and how: round numbers, as many as have room, never one over another. */
#include "plot/ticks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TICKS = 11, ENOUGH_DIGITS = 4 };

void pl_ticks_release(struct pl_ticks *ticks)
{
    for (size_t i = 0; i < ticks->count; i++)
        free(ticks->list[i].label);
    free(ticks->list);
    *ticks = (struct pl_ticks){0};
}

void pl_ticks_add(struct pl_ticks *ticks, double at, char *label)
{
    void *list = ticks->list;
    pl_grow(&list, &ticks->capacity, ticks->count + 1, sizeof *ticks->list);
    ticks->list = list;
    ticks->list[ticks->count++] = (struct pl_tick){at, label, NULL};
}

static double share_of(const struct pl_tick_axis *axis, double at)
{
    const double *r = axis->range;
    return axis->log ? (log10(at) - log10(r[0])) / (log10(r[1]) - log10(r[0])) : (at - r[0]) / (r[1] - r[0]);
}

size_t pl_ticks_width(const char *label)
{
    size_t width = pl_text_width(label);
    for (const char *c = label; *c; c++) {
        if (*c == '\\' && c[1])
            c++;
        else if (!strchr("{}^_", *c))
            continue;
        width--;
    }
    return width;
}

/* What a label takes of the axis, from 0 to 1, with the room that parts it from the next. */
static double extent(const struct pl_tick_axis *axis, const char *label)
{
    return (axis->letter * (double)pl_ticks_width(label) + axis->gap) / axis->length;
}

static bool run_into_each_other(const struct pl_tick_axis *axis, double a, const char *one, double b, const char *other)
{
    return fabs(b - a) < (extent(axis, one) + extent(axis, other)) / 2 - 1e-9;
}

static bool fits(const struct pl_tick_axis *axis, const struct pl_ticks *ticks)
{
    for (size_t i = 1; i < ticks->count; i++) {
        const struct pl_tick *a = &ticks->list[i - 1], *b = &ticks->list[i];
        if (run_into_each_other(axis, share_of(axis, a->at), a->label, share_of(axis, b->at), b->label))
            return false;
    }
    return true;
}

void pl_ticks_thin(const struct pl_tick_axis *axis, struct pl_tick *ticks, size_t count)
{
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        double at = share_of(axis, ticks[i].at), end = share_of(axis, ticks[count - 1].at);
        bool hits = last != SIZE_MAX &&
                    run_into_each_other(axis, share_of(axis, ticks[last].at), ticks[last].label, at, ticks[i].label);
        /* Where an axis ends is worth more than what lies within. */
        hits |= i && i + 1 < count && run_into_each_other(axis, at, ticks[i].label, end, ticks[count - 1].label);
        if (hits)
            ticks[i].label[0] = '\0';
        else
            last = i;
    }
}

/* value = mantissa * 10^power, with so many decimals of the mantissa. */
static char *scientific(double mantissa, int power, int decimals, bool plain)
{
    struct pl_text text = {0};
    char digits[40];
    if (mantissa == 0)
        return pl_copy("0");
    snprintf(digits, sizeof digits, "%.*f", decimals, fabs(mantissa));
    if (strchr(digits, '.'))
        for (size_t end = strlen(digits); digits[end - 1] == '0' || digits[end - 1] == '.';) {
            bool point = digits[--end] == '.';
            digits[end] = '\0';
            if (point)
                break;
        }
    pl_text_add(&text, mantissa > 0 ? "" : plain ? "-" : "−");
    if (plain)
        pl_text_addf(&text, "%se%d", digits, power);
    else
        pl_text_addf(&text, "%s%s10^{%s%d}", strcmp(digits, "1") ? digits : "", strcmp(digits, "1") ? "·" : "",
                     power < 0 ? "−" : "", abs(power));
    return pl_text_take(&text);
}

static char *fixed(double value, int decimals, bool plain)
{
    struct pl_text text = {0};
    pl_text_addf(&text, "%s%.*f", value >= 0 ? "" : plain ? "-" : "−", decimals, fabs(value));
    return pl_text_take(&text);
}

/* How all labels of one axis are spelled: most is the largest of them, least the last digit that tells them apart. */
struct spelling {
    bool scientific;
    int decimals; /* of the number, or of its mantissa */
    int least;    /* 10^least is a step of the last digit */
};

static struct spelling spell(const struct pl_tick_axis *axis, double most, int least)
{
    int top = most > 0 ? (int)floor(log10(most) + 1e-12) : 0;
    bool odd = most >= 1e5 || most < 1e-3 || axis->power;
    bool long_mantissa = top - least > ENOUGH_DIGITS;
    struct spelling s = {.least = least};
    s.scientific = axis->power || (odd && !long_mantissa) || most >= 1e16 || least < -12;
    s.decimals = least < 0 ? -least : 0;
    return s;
}

static char *write_label(const struct pl_tick_axis *axis, const struct spelling *s, double value)
{
    if (!s->scientific)
        return fixed(value, s->decimals, axis->plain);
    if (value == 0)
        return pl_copy("0");
    int power = (int)floor(log10(fabs(value)) + 1e-12), decimals = power - s->least;
    decimals = decimals < 0 ? 0 : decimals > 16 ? 16 : decimals;
    return scientific(value / pow(10, power), power + axis->power, decimals, axis->plain);
}

/* Multiples of digit * 10^power within the range; false where there are more than anybody reads. */
static bool add_multiples(const struct pl_tick_axis *axis, int digit, int power, struct pl_ticks *ticks)
{
    double step = digit * pow(10, power), slack = 1e-9 * (axis->range[1] - axis->range[0]);
    double first = ceil((axis->range[0] - slack) / step), last = floor((axis->range[1] + slack) / step);
    struct spelling s = spell(axis, step * fmax(fabs(first), fabs(last)), power);
    if (!(last - first < MOST_TICKS))
        return false;
    for (int i = 0; i <= (int)(last - first); i++) {
        /* 0.3 and not 3 * 0.1: the division rounds once. */
        double count = first + i, at = power < 0 ? count * digit / pow(10, -power) : count * step;
        pl_ticks_add(ticks, at, write_label(axis, &s, at));
    }
    return true;
}

/* The finest of the steps 1, 2, 5 times a power of ten whose labels have room. */
static void make_linear(const struct pl_tick_axis *axis, struct pl_ticks *ticks)
{
    static const int digits[] = {1, 2, 5};
    double span = axis->range[1] - axis->range[0];
    int power = (int)floor(log10(span)) - 2;
    for (power = axis->whole && power < 0 ? 0 : power;; power++)
        for (int d = 0; d < 3; d++) {
            struct pl_ticks found = {0};
            bool few = add_multiples(axis, digits[d], power, &found);
            if (few && found.count && (fits(axis, &found) || found.count == 1)) {
                pl_ticks_release(ticks);
                *ticks = found;
                return;
            }
            if (few && !found.count) /* too coarse: the last that had any stays, thinned */
                return;
            if (few) {
                pl_ticks_release(ticks);
                *ticks = found;
                pl_ticks_thin(axis, ticks->list, ticks->count);
            } else {
                pl_ticks_release(&found);
            }
        }
}

/* Powers of ten, every so many. The axis has room for two of them. */
static void make_decades(const struct pl_tick_axis *axis, struct pl_ticks *ticks)
{
    static const int every[] = {1, 2, 3, 5, 10, 20, 50, 100, 200};
    int low = (int)ceil(log10(axis->range[0]) - 1e-9), high = (int)floor(log10(axis->range[1]) + 1e-9);
    if (axis->whole && low < -axis->power && high >= -axis->power)
        low = -axis->power;
    for (size_t e = 0; e < sizeof every / sizeof *every; e++) {
        pl_ticks_release(ticks);
        for (int k = low; k <= high; k++)
            if ((k + axis->power) % every[e] == 0)
                pl_ticks_add(ticks, pow(10, k), scientific(1, k + axis->power, 0, axis->plain));
        if (ticks->count >= 2 && ticks->count <= MOST_TICKS && fits(axis, ticks))
            return;
    }
    pl_ticks_release(ticks);
    for (int k = low; k <= high; k += high > low ? high - low : 1) /* the outermost at least */
        pl_ticks_add(ticks, pow(10, k), scientific(1, k + axis->power, 0, axis->plain));
    pl_ticks_thin(axis, ticks->list, ticks->count);
}

/* Some digits times powers of ten; false where that gives too few, or more than have room. */
static bool make_digits(const struct pl_tick_axis *axis, const char *digits, struct pl_ticks *ticks)
{
    int low = (int)floor(log10(axis->range[0])), high = (int)floor(log10(axis->range[1]));
    double slack = 1e-9 * axis->range[0];
    pl_ticks_release(ticks);
    for (int k = axis->whole && low < 0 ? 0 : low; k <= high; k++)
        for (const char *d = digits; *d; d++) {
            double at = k < 0 ? (*d - '0') / pow(10, -k) : (*d - '0') * pow(10, k);
            bool odd = axis->range[1] >= 1e5 || axis->range[0] < 1e-3 || axis->power;
            struct spelling s = {odd, k < 0 ? -k : 0, k};
            if (at >= axis->range[0] - slack && at <= axis->range[1] + slack)
                pl_ticks_add(ticks, at, write_label(axis, &s, at));
        }
    if (ticks->count < 3 || ticks->count > MOST_TICKS || !fits(axis, ticks))
        return false;
    const double most = 0.4; /* of the axis may be bare at either end */
    return share_of(axis, ticks->list[0].at) < most && share_of(axis, ticks->list[ticks->count - 1].at) > 1 - most;
}

void pl_ticks_make(const struct pl_tick_axis *axis, struct pl_ticks *ticks)
{
    *ticks = (struct pl_ticks){0};
    double decades = axis->log ? log10(axis->range[1]) - log10(axis->range[0]) : 0;
    if (axis->log && decades >= 2)
        make_decades(axis, ticks);
    else if (!axis->log || !(make_digits(axis, "125", ticks) || make_digits(axis, "123456789", ticks)))
        make_linear(axis, ticks);
}

void pl_ticks_of_scale(const struct pl_panel *panel, const struct pl_tick_axis *axis, struct pl_ticks *ticks)
{
    if (!panel->z_tick_count) {
        pl_ticks_make(axis, ticks);
        return;
    }
    *ticks = (struct pl_ticks){0};
    for (size_t i = 0; i < panel->z_tick_count; i++)
        pl_ticks_add(ticks, panel->z_ticks[i].at / pow(10, axis->power), pl_copy(panel->z_ticks[i].label));
    pl_ticks_thin(axis, ticks->list, ticks->count);
}

double pl_ticks_share(const double range[2], bool log, double value)
{
    if (log && !(range[1] > range[0] * (1 + 1e-6)))
        log = false;
    if (log)
        return value > 0 ? (log10(value) - log10(range[0])) / (log10(range[1]) - log10(range[0])) : NAN;
    return (value / 2 - range[0] / 2) / (range[1] / 2 - range[0] / 2);
}

void pl_ticks_of_parallel(const struct pl_parallel_axis *parallel, double length, double gap, bool plain,
                          struct pl_ticks *ticks)
{
    struct pl_tick_axis axis = {.log = parallel->log, .plain = plain, .length = length, .gap = gap};
    axis.power = pl_scale_power(parallel->range, axis.log);
    double unit = pow(10, axis.power);
    for (int i = 0; i < 2; i++)
        axis.range[i] = parallel->range[i] / unit;
    *ticks = (struct pl_ticks){0};
    for (size_t i = 0; i < parallel->tick_count; i++)
        pl_ticks_add(ticks, parallel->ticks[i].at / unit, pl_copy(parallel->ticks[i].label));
    if (parallel->tick_count)
        pl_ticks_thin(&axis, ticks->list, ticks->count);
    else
        pl_ticks_make(&axis, ticks);
    for (size_t i = 0; i < ticks->count; i++)
        ticks->list[i].at = pl_ticks_share(axis.range, axis.log, ticks->list[i].at);
}
