/* The values of a setting as positions on an axis. */
#include "plot/gather/axis.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_number(const struct pl_value *value, double *number)
{
    if (!value || (value->type != PL_REAL && value->type != PL_INTEGER))
        return false;
    *number = value->type == PL_REAL ? value->real : (double)value->integer;
    return !isnan(*number);
}

static int by_number(const void *a, const void *b)
{
    const struct pl_axis_value *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static void collect(struct pl_axis *axis, const struct pl_results *results, const size_t *configs, size_t count)
{
    uint32_t most = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t rank = pl_results_rank(results, configs[i], axis->key);
        most = rank > most ? rank : most;
    }
    bool *seen = pl_new((size_t)most + 1);
    for (size_t i = 0; i < count; i++)
        seen[pl_results_rank(results, configs[i], axis->key)] = true;
    axis->values = pl_new(((size_t)most + 1) * sizeof *axis->values);
    axis->numeric = true;
    for (uint32_t rank = 0; rank <= most; rank++) {
        struct pl_axis_value value = {.rank = rank};
        if (!seen[rank])
            continue;
        axis->numeric &= is_number(pl_results_value(results, axis->key, rank), &value.number);
        axis->values[axis->count++] = value;
    }
    free(seen);
}

/* The usual distance between neighbours: as a factor on a logarithmic axis. */
static double usual_step(const struct pl_axis *axis)
{
    double least = INFINITY;
    for (size_t i = 1; i < axis->count; i++) {
        double a = axis->values[i - 1].number, b = axis->values[i].number;
        if (!isfinite(a) || !isfinite(b) || (axis->log && a <= 0))
            continue;
        double step = axis->log ? b / a : b - a;
        least = fmin(least, step);
    }
    if (axis->log)
        return isfinite(least) ? fmin(fmax(least, 2), 1e50) : 10;
    return isfinite(least) ? least : 1;
}

enum pl_axis_scale pl_axis_scale_of(const struct pl_prior *prior)
{
    static const enum pl_axis_scale scales[PL_PRIOR_KIND_COUNT] = {[PL_PRIOR_UNIFORM] = PL_AXIS_LINEAR,
                                                                   [PL_PRIOR_LOG] = PL_AXIS_LOG,
                                                                   [PL_PRIOR_ONE_MINUS_LOG] = PL_AXIS_MIRRORED,
                                                                   [PL_PRIOR_INTEGER] = PL_AXIS_LINEAR};
    return prior ? scales[prior->kind] : PL_AXIS_AUTO;
}

/* Puts 1 / (1 - value) in the place of each, so that the axis is one of logarithms. */
static void mirror(struct pl_axis *axis)
{
    axis->mirrored = true;
    for (size_t i = 0; i < axis->count; i++)
        axis->mirrored &= axis->values[i].number < 1 && isfinite(axis->values[i].number);
    for (size_t i = 0; i < axis->count && axis->mirrored; i++)
        axis->values[i].at = axis->values[i].number = 1 / (1 - axis->values[i].number);
}

static void choose_scale(struct pl_axis *axis, bool log, bool linear)
{
    double least = INFINITY, most = -INFINITY;
    bool negative = false;
    for (size_t i = 0; i < axis->count; i++) {
        double number = axis->values[i].number;
        negative |= number < 0;
        if (isfinite(number) && number > 0) {
            least = fmin(least, number);
            most = fmax(most, number);
        }
    }
    axis->log = !linear && least <= most && (log || (!negative && most >= 10 * least));
}

/* So many steps away. */
static double beside(const struct pl_axis *axis, double number, double step, double steps)
{
    if (!isfinite(number)) /* there is no finite value at all */
        return axis->log ? 1 : 0;
    double place = axis->log ? number * pow(step, steps) : number + steps * step;
    return fmin(fmax(place, axis->log ? DBL_TRUE_MIN : -DBL_MAX), DBL_MAX);
}

/* A step that can be seen beside all of the axis: values may stand much closer than it is long. */
static double visible_step(const struct pl_axis *axis, double least, double most)
{
    const double share = 0.08;
    double step = usual_step(axis);
    if (!(least <= most))
        return step;
    if (axis->log)
        return fmax(step, pow(10, share * (log10(most) - log10(least))));
    step = fmax(step, 2 * share * (most / 2 - least / 2));
    return fmax(step, 1e-9 * fmax(fabs(least), fabs(most)));
}

/* Infinities (and on a logarithmic axis zero and what is below it) stand beyond the outermost value that has a place,
 * in steps; many share what some have. */
static void place_numbers(struct pl_axis *axis)
{
    const double most_steps = 4;
    double least = INFINITY, most = -INFINITY;
    size_t before = 0;
    for (size_t i = 0; i < axis->count; i++) {
        double number = axis->values[i].number;
        axis->values[i].apart = !isfinite(number) || (axis->log && number <= 0);
        before += axis->values[i].apart && number <= 0;
        if (axis->values[i].apart)
            continue;
        axis->values[i].at = number;
        least = fmin(least, number);
        most = fmax(most, number);
    }
    double step = visible_step(axis, least, most), crowd = fmin(1, most_steps / (double)(before ? before : 1));
    for (size_t i = 0; i < axis->count; i++) {
        struct pl_axis_value *value = &axis->values[i];
        if (value->apart)
            value->at = value->number > 0 ? beside(axis, most, step, 1)
                                          : beside(axis, least, step, -crowd * (double)(before - i));
    }
    double low = axis->values[0].at, high = axis->values[axis->count - 1].at;
    axis->range[0] = fmax(axis->log ? low / sqrt(step) : low - step / 2, axis->log ? DBL_MIN : -DBL_MAX);
    axis->range[1] = fmin(axis->log ? high * sqrt(step) : high + step / 2, DBL_MAX);
}

static void place_words(struct pl_axis *axis)
{
    axis->log = false;
    for (size_t i = 0; i < axis->count; i++)
        axis->values[i].at = (double)i + 1;
    axis->range[0] = 0.5;
    axis->range[1] = (double)axis->count + 0.5;
}

void pl_axis_make(struct pl_axis *axis, const struct pl_results *results, size_t key, const size_t *configs,
                  size_t count, enum pl_axis_scale scale)
{
    *axis = (struct pl_axis){.key = key};
    collect(axis, results, configs, count);
    if (axis->numeric && scale != PL_AXIS_GRID)
        qsort(axis->values, axis->count, sizeof *axis->values, by_number);
    if (axis->numeric && scale != PL_AXIS_STEPS && scale != PL_AXIS_GRID) {
        if (scale == PL_AXIS_MIRRORED)
            mirror(axis);
        choose_scale(axis, scale == PL_AXIS_LOG || axis->mirrored, scale == PL_AXIS_LINEAR);
        place_numbers(axis);
    } else {
        place_words(axis);
    }
}

void pl_axis_make_present(struct pl_axis *axis, const struct pl_results *results, size_t key, const size_t *configs,
                          size_t count, enum pl_axis_scale scale)
{
    size_t *present = pl_new((count + 1) * sizeof *present), kept = 0;
    for (size_t i = 0; i < count; i++)
        if (pl_results_rank(results, configs[i], key))
            present[kept++] = configs[i];
    pl_axis_make(axis, results, key, present, kept, scale);
    free(present);
}

static double between(const struct pl_axis *axis, size_t left)
{
    double a = axis->values[left].at, b = axis->values[left + 1].at;
    return axis->log ? sqrt(a) * sqrt(b) : a / 2 + b / 2;
}

void pl_axis_breaks(const struct pl_axis *axis, double breaks[2])
{
    breaks[0] = breaks[1] = NAN;
    for (size_t i = 0; i + 1 < axis->count; i++)
        if (axis->values[i].apart != axis->values[i + 1].apart)
            breaks[axis->values[i].apart ? 0 : 1] = between(axis, i);
}

void pl_axis_note_negative(const struct pl_axis *axis, const struct pl_gather *g)
{
    size_t negative = 0;
    for (size_t i = 0; i < axis->count && axis->numeric && axis->log; i++)
        negative += axis->values[i].number < 0;
    if (negative)
        pl_text_addf(
            g->notes,
            "%zu value%s of %s below zero %s no place on a logarithmic axis: %s apart, before the dotted line.\n",
            negative, negative == 1 ? "" : "s", pl_results_key_name(g->results, axis->key),
            negative == 1 ? "has" : "have", negative == 1 ? "it stands" : "they stand");
}

void pl_axis_flip(struct pl_axis *axis)
{
    for (size_t i = 0; i < axis->count && !axis->numeric; i++)
        axis->values[i].at = (double)(axis->count - i);
}

void pl_axis_release(struct pl_axis *axis)
{
    free(axis->values);
    *axis = (struct pl_axis){0};
}

size_t pl_axis_index(const struct pl_axis *axis, uint32_t rank)
{
    for (size_t i = 0; i < axis->count; i++)
        if (axis->values[i].rank == rank)
            return i;
    return SIZE_MAX;
}

void pl_axis_ticks(const struct pl_axis *axis, const struct pl_gather *gather, bool plain, struct pl_tick **ticks,
                   size_t *count)
{
    const struct pl_results *results = gather->results;
    const struct pl_labels *labels = &gather->spec->labels;
    *ticks = pl_new((axis->count + 1) * sizeof **ticks);
    *count = axis->count;
    for (size_t i = 0; i < axis->count; i++) {
        struct pl_text label = {0};
        struct pl_text brief = {0};
        const struct pl_value *value = pl_results_value(results, axis->key, axis->values[i].rank);
        if (pl_results_shorten(results, axis->key, axis->values[i].rank, &brief) &&
            !(value && value->type == PL_STRING && pl_labels_find(labels, value->string)))
            pl_label_text(&label, pl_text(&brief), plain);
        else
            pl_label_value(&label, labels, value, plain);
        pl_text_release(&brief);
        (*ticks)[i] = (struct pl_tick){axis->values[i].at, pl_text_take(&label), NULL};
    }
}

/* Ticks where 1 - value is one of some digits times a power of ten. */
static void add_mirrored(const struct pl_axis *axis, const char *digits, struct pl_tick *ticks, size_t *count)
{
    for (int power = 0; power >= -12; power--)
        for (const char *d = digits; *d; d++) {
            double rest = (*d - '0') / pow(10, -power), at = 1 / rest;
            char label[40];
            if (rest > 1 || at < axis->range[0] * (1 - 1e-9) || at > axis->range[1] * (1 + 1e-9))
                continue;
            snprintf(label, sizeof label, "%.*f", -power, 1 - rest);
            ticks[(*count)++] = (struct pl_tick){at, pl_copy(label), NULL};
        }
}

void pl_axis_mirrored_ticks(const struct pl_axis *axis, bool plain, struct pl_tick **ticks, size_t *count)
{
    static const char *const digits[] = {"521", "51", "1"}; /* 0.5 0.8 0.9 0.95 0.98 0.99, or fewer */
    enum { ENOUGH = 5, MOST = 40 };
    *ticks = pl_new(MOST * sizeof **ticks);
    *count = 0;
    for (size_t i = 0; i < 3 && (!i || *count > ENOUGH); i++) {
        while (*count)
            free((*ticks)[--*count].label);
        add_mirrored(axis, digits[i], *ticks, count);
    }
    for (size_t end = 0; end < 2 && *count < 2 && axis->count; end++) {
        struct pl_text label = {0};
        double at = axis->values[end ? axis->count - 1 : 0].at;
        pl_label_number(&label, 1 - 1 / at, plain);
        (*ticks)[(*count)++] = (struct pl_tick){at, pl_text_take(&label), NULL};
    }
}

static const struct pl_prior *prior_of(const struct pl_results *results, size_t key)
{
    const struct pl_study *study = pl_results_study(results);
    return study ? pl_search_prior(study->search, pl_results_key_name(results, key)) : NULL;
}

void pl_axis_make_drawn(struct pl_axis *axis, const struct pl_gather *g, size_t key, bool log)
{
    pl_axis_make_present(axis, g->results, key, g->configs, g->config_count,
                         log ? PL_AXIS_LOG : pl_axis_scale_of(prior_of(g->results, key)));
}

static bool has_apart(const struct pl_axis *axis)
{
    for (size_t i = 0; i < axis->count; i++)
        if (axis->values[i].apart)
            return true;
    return false;
}

static void add_number(struct pl_tick *ticks, size_t *count, double at, double number, bool plain)
{
    struct pl_text label = {0};
    char digits[40];
    snprintf(digits, sizeof digits, "%.3g", number);
    pl_label_number(&label, strtod(digits, NULL), plain);
    ticks[(*count)++] = (struct pl_tick){at, pl_text_take(&label), NULL};
}

static int by_position(const void *a, const void *b)
{
    const struct pl_tick *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* Of a range that was drawn from, round numbers, and the values that stand apart: without a label of their own they
 * would pass for values of the scale. */
static void make_parted_ticks(const struct pl_axis *axis, bool plain, struct pl_tick **ticks, size_t *count)
{
    const int lowest = DBL_MIN_10_EXP - 20, highest = DBL_MAX_10_EXP;
    double least = INFINITY, most = -INFINITY;
    *ticks = pl_new((axis->count + 3 * (size_t)(highest - lowest + 1)) * sizeof **ticks);
    for (size_t i = 0; i < axis->count; i++)
        if (axis->values[i].apart) {
            add_number(*ticks, count, axis->values[i].at, axis->values[i].number, plain);
        } else {
            least = fmin(least, axis->values[i].at);
            most = fmax(most, axis->values[i].at);
        }
    for (int power = lowest; power <= highest; power++)
        for (const char *d = most > 1000 * least ? "1" : "125"; *d; d++) {
            double at = power < 0 ? (*d - '0') / pow(10, -power) : (*d - '0') * pow(10, power);
            if (at >= least * (1 - 1e-9) && at <= most * (1 + 1e-9))
                add_number(*ticks, count, at, at, plain);
        }
    qsort(*ticks, *count, sizeof **ticks, by_position);
}

void pl_axis_drawn_ticks(const struct pl_axis *axis, const struct pl_gather *g, bool plain, struct pl_tick **ticks,
                         size_t *count)
{
    const struct pl_prior *prior = prior_of(g->results, axis->key);
    *ticks = NULL;
    *count = 0;
    if (axis->mirrored)
        pl_axis_mirrored_ticks(axis, plain, ticks, count);
    else if (!axis->numeric || !prior || prior->kind == PL_PRIOR_CHOICE || (has_apart(axis) && !axis->log))
        pl_axis_ticks(axis, g, plain, ticks, count);
    else if (has_apart(axis))
        make_parted_ticks(axis, plain, ticks, count);
}

const struct pl_axis_value *pl_axis_value_of(const struct pl_gather *g, const struct pl_axis *axis, size_t config)
{
    uint32_t rank = pl_results_rank(g->results, config, axis->key);
    return rank ? &axis->values[pl_axis_index(axis, rank)] : NULL;
}

double pl_axis_number(const struct pl_axis *axis, const struct pl_axis_value *value)
{
    return !axis->numeric ? value->at : axis->mirrored ? 1 - 1 / value->number : value->number;
}
