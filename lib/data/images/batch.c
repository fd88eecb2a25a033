/* Batches: stored bytes to normalised values, training images moved and mirrored. */
#include "data/images/images_priv.h"

#include <string.h>

/* How one image is changed. */
struct change {
    int down, right; /* pixels by which the window leaves the image's own place */
    bool mirror;
};

/* One Philox block an image, counted by (epoch, number of the image among those stored): so it matters neither which
 * batch an image falls into nor which others are used. */
static struct change draw_change(const struct pl_dataset *set, const struct pl_random *augment, uint64_t epoch,
                                 uint32_t number)
{
    uint32_t bits[4];
    uint64_t places = 2 * (uint64_t)set->pad + 1;
    pl_random_bits(augment, epoch, number, bits);
    return (struct change){.down = (int)(bits[0] * places >> 32) - set->pad,
                           .right = (int)(bits[1] * places >> 32) - set->pad,
                           .mirror = set->flip && bits[2] >> 31};
}

static void fill(float *out, int count, float value)
{
    for (int i = 0; i < count; i++)
        out[i] = value;
}

/* out[x] = values[row[x + right]], and black where that is outside. */
static void move_row(const uint8_t *row, int width, int right, const float *values, float *out)
{
    int from = right < 0 ? -right : 0, to = right > 0 ? width - right : width;
    fill(out, from, values[0]);
    for (int x = from; x < to; x++)
        out[x] = values[row[x + right]];
    fill(out + to, width - to, values[0]);
}

/* The same, read from right to left. */
static void mirror_row(const uint8_t *row, int width, int right, const float *values, float *out)
{
    int from = right > 0 ? right : 0, to = right < 0 ? width + right : width;
    const uint8_t *last = row + width - 1 + right;
    fill(out, from, values[0]);
    for (int x = from; x < to; x++)
        out[x] = values[last[-x]];
    fill(out + to, width - to, values[0]);
}

static void change_plane(const uint8_t *plane, int height, int width, struct change change, const float *values,
                         float *out)
{
    for (int y = 0; y < height; y++, out += width) {
        int from = y + change.down;
        if (from < 0 || from >= height)
            fill(out, width, values[0]);
        else if (change.mirror)
            mirror_row(plane + (size_t)from * (size_t)width, width, change.right, values, out);
        else
            move_row(plane + (size_t)from * (size_t)width, width, change.right, values, out);
    }
}

static void copy_plane(const uint8_t *plane, size_t count, const float *values, float *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = values[plane[i]];
}

void pl_data_batch(const struct pl_dataset *set, enum pl_split split, const uint32_t *indices, size_t count,
                   const struct pl_random *augment, uint64_t epoch, float *images, int32_t *labels)
{
    const struct pl_part *part = &set->parts[split];
    int height = set->shape.height, width = set->shape.width;
    size_t plane = (size_t)height * (size_t)width, bytes = pl_image_bytes(set->shape);
    for (size_t i = 0; i < count; i++) {
        uint32_t number = part->numbers ? part->numbers[indices[i]] : indices[i];
        const uint8_t *stored = part->of->images + number * bytes;
        float *out = images + i * bytes;
        labels[i] = part->of->labels[number];
        struct change change = {0};
        if (augment)
            change = draw_change(set, augment, epoch, number);
        for (int channel = 0; channel < set->shape.channels; channel++, stored += plane, out += plane) {
            if (augment)
                change_plane(stored, height, width, change, set->values[channel], out);
            else
                copy_plane(stored, plane, set->values[channel], out);
        }
    }
}
