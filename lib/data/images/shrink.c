/* The largest square in the middle of a picture, scaled, while its rows come: memory is that of the result, however
 * large the picture is or says it is. */
#include "data/images/images_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 3 };

/* Triangle filter: which of length points each of size places takes, and how much of each. It is wider than one point
 * when the picture becomes smaller, so that every point counts; between neighbours when it becomes larger. */
struct filter {
    size_t most; /* points of a place */
    struct filter_place {
        size_t start, count;
    } * places;
    float *shares; /* size x most; of each place the sum is 1 */
};

static void make_filter(struct filter *filter, size_t length, int size)
{
    double ratio = (double)length / size, reach = ratio > 1 ? ratio : 1;
    filter->most = (size_t)(2 * reach) + 2;
    filter->places = pl_new((size_t)size * sizeof *filter->places);
    filter->shares = pl_new((size_t)size * filter->most * sizeof *filter->shares);
    for (int i = 0; i < size; i++) {
        double centre = (i + 0.5) * ratio - 0.5, sum = 0;
        size_t from = (size_t)fmax(0, ceil(centre - reach)),
               last = (size_t)fmin((double)length - 1, floor(centre + reach));
        float *shares = filter->shares + (size_t)i * filter->most;
        filter->places[i] = (struct filter_place){from, last - from + 1};
        for (size_t k = 0; k <= last - from; k++)
            sum += shares[k] = (float)fmax(0, 1 - fabs((double)(from + k) - centre) / reach);
        for (size_t k = 0; k <= last - from; k++)
            shares[k] = (float)(shares[k] / sum);
    }
}

static void release_filter(struct filter *filter)
{
    free(filter->places);
    free(filter->shares);
}

struct pl_shrink {
    struct filter filter;
    size_t left, top, side; /* of the square */
    size_t next;            /* row of the picture */
    int size;
    float *row;  /* a row of the square, scaled: size x CHANNELS */
    float *sums; /* size rows of that, as far as they have come */
};

struct pl_shrink *pl_shrink_new(size_t width, size_t height, int size)
{
    struct pl_shrink *shrink = pl_new(sizeof *shrink);
    size_t values = (size_t)size * CHANNELS;
    shrink->side = width < height ? width : height;
    shrink->left = (width - shrink->side) / 2;
    shrink->top = (height - shrink->side) / 2;
    shrink->size = size;
    shrink->row = pl_new(values * sizeof *shrink->row);
    shrink->sums = pl_new((size_t)size * values * sizeof *shrink->sums);
    for (size_t i = 0; i < (size_t)size * values; i++)
        shrink->sums[i] = 0.5f; /* for rounding */
    make_filter(&shrink->filter, shrink->side, size);
    return shrink;
}

static void scale_row(const struct pl_shrink *shrink, const uint8_t *row)
{
    float *out = shrink->row;
    for (int x = 0; x < shrink->size; x++, out += CHANNELS) {
        const struct filter_place *place = &shrink->filter.places[x];
        const float *shares = shrink->filter.shares + (size_t)x * shrink->filter.most;
        const uint8_t *point = row + place->start * CHANNELS;
        float sums[CHANNELS] = {0};
        for (size_t k = 0; k < place->count; k++, point += CHANNELS)
            for (int c = 0; c < CHANNELS; c++)
                sums[c] += shares[k] * (float)point[c];
        memcpy(out, sums, sizeof sums);
    }
}

void pl_shrink_row(struct pl_shrink *shrink, const uint8_t *rgb)
{
    size_t y = shrink->next++ - shrink->top, values = (size_t)shrink->size * CHANNELS;
    if (y >= shrink->side) /* above or below the square */
        return;
    scale_row(shrink, rgb + shrink->left * CHANNELS);
    for (int i = 0; i < shrink->size; i++) {
        const struct filter_place *place = &shrink->filter.places[i];
        if (y < place->start || y >= place->start + place->count)
            continue;
        float share = shrink->filter.shares[(size_t)i * shrink->filter.most + y - place->start];
        float *sums = shrink->sums + (size_t)i * values;
        for (size_t k = 0; k < values; k++)
            sums[k] += share * shrink->row[k];
    }
}

void pl_shrink_end(const struct pl_shrink *shrink, uint8_t *planes)
{
    int size = shrink->size;
    for (int y = 0; y < size; y++)
        for (int i = 0; i < size * CHANNELS; i++) {
            float sum = shrink->sums[y * size * CHANNELS + i];
            planes[(i % CHANNELS * size + y) * size + i / CHANNELS] = (uint8_t)(sum < 255 ? sum : 255);
        }
}

void pl_shrink_free(struct pl_shrink *shrink)
{
    if (!shrink)
        return;
    release_filter(&shrink->filter);
    free(shrink->row);
    free(shrink->sums);
    free(shrink);
}
