/* glyphs: digits drawn at a random place, size, slant and colour over clutter and noise. 32x32x3; up to 10 classes
 * show one digit, up to 100 a number of two.
 *
 * Every image is a function of (data_seed, split, number): its draws are counted by the Philox block, so any image can
 * be made alone. The arithmetic is single precision with + - * / and sqrt only, which IEEE 754 defines to the bit, and
 * the file is compiled without contraction to fused multiply-add: the same bits on every machine.
 *
 * Light digits on dark ground and dark ones on light are equally frequent, so that a linear function of the pixels
 * learns next to nothing; a small convolutional network finds strokes of either sign at once. */
#include "data/images/images_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 32, PIXELS = SIDE * SIDE, CHANNELS = 3, POINTS_MOST = 13 };

/* ---- draws */

/* The random numbers of one image, in the order in which they are asked for. */
struct dice {
    struct pl_random key;
    uint64_t image, block;
    uint32_t words[4];
    int left;
};

static uint32_t roll(struct dice *dice)
{
    if (!dice->left) {
        pl_random_bits(&dice->key, dice->image, dice->block++, dice->words);
        dice->left = 4;
    }
    return dice->words[--dice->left];
}

static float between(struct dice *dice, float low, float high)
{
    return low + (high - low) * ((float)(roll(dice) >> 8) * 0x1p-24f);
}

/* ---- shapes */

/* A digit as one line through points, in hundredths of half its height; y grows downwards. */
struct digit {
    int count;
    int8_t points[POINTS_MOST][2];
};

static const struct digit digits[10] = {
    {9, {{-25, -100}, {25, -100}, {60, -55}, {60, 55}, {25, 100}, {-25, 100}, {-60, 55}, {-60, -55}, {-25, -100}}},
    {3, {{-40, -55}, {10, -100}, {10, 100}}},
    {7, {{-60, -55}, {-25, -100}, {25, -100}, {60, -60}, {55, -15}, {-60, 100}, {60, 100}}},
    {9, {{-55, -75}, {-20, -100}, {25, -100}, {55, -60}, {5, -5}, {60, 50}, {25, 100}, {-20, 100}, {-60, 70}}},
    {4, {{30, 100}, {30, -100}, {-60, 35}, {65, 35}}},
    {9, {{55, -100}, {-50, -100}, {-55, -10}, {20, -20}, {60, 25}, {60, 60}, {20, 100}, {-25, 100}, {-60, 70}}},
    {11,
     {{45, -95},
      {0, -75},
      {-45, -20},
      {-60, 40},
      {-45, 85},
      {0, 100},
      {45, 85},
      {58, 45},
      {35, 5},
      {-10, 0},
      {-55, 35}}},
    {3, {{-60, -100}, {60, -100}, {-15, 100}}},
    {13,
     {{-20, -100},
      {20, -100},
      {50, -70},
      {45, -35},
      {-50, 35},
      {-58, 70},
      {-20, 100},
      {20, 100},
      {58, 70},
      {50, 35},
      {-45, -35},
      {-50, -70},
      {-20, -100}}},
    {11,
     {{-45, 95},
      {0, 75},
      {45, 20},
      {60, -40},
      {45, -85},
      {0, -100},
      {-45, -85},
      {-58, -45},
      {-35, -5},
      {10, 0},
      {55, -35}}},
};

struct point {
    float x, y;
};

struct canvas {
    float values[CHANNELS][PIXELS]; /* 0 to 255 */
    float cover[PIXELS];            /* share of each pixel that the pen has touched since the last paint */
    int left, right, top, bottom;   /* where that is, bounds included */
};

/* Raises cover, for every pixel near the line from a to b, to the share of it that a pen this wide covers. */
static void cover_line(struct canvas *canvas, struct point a, struct point b, float width)
{
    float reach = width / 2 + 0.5f, dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    float scale = square > 0 ? 1 / square : 0;
    int left = (int)((a.x < b.x ? a.x : b.x) - reach), right = (int)((a.x > b.x ? a.x : b.x) + reach) + 1;
    int top = (int)((a.y < b.y ? a.y : b.y) - reach), bottom = (int)((a.y > b.y ? a.y : b.y) + reach) + 1;
    left = left < 0 ? 0 : left;
    top = top < 0 ? 0 : top;
    right = right < SIDE ? right : SIDE - 1;
    bottom = bottom < SIDE ? bottom : SIDE - 1;
    for (int y = top; y <= bottom; y++) {
        float *row = canvas->cover + y * SIDE, py = (float)y - a.y;
        for (int x = left; x <= right; x++) {
            float px = (float)x - a.x, along = (px * dx + py * dy) * scale;
            along = along > 0 ? along : 0;
            along = along < 1 ? along : 1;
            float ex = px - along * dx, ey = py - along * dy, share = reach - sqrtf(ex * ex + ey * ey);
            share = share < 1 ? share : 1;
            row[x] = row[x] > share ? row[x] : share;
        }
    }
    canvas->left = left < canvas->left ? left : canvas->left;
    canvas->right = right > canvas->right ? right : canvas->right;
    canvas->top = top < canvas->top ? top : canvas->top;
    canvas->bottom = bottom > canvas->bottom ? bottom : canvas->bottom;
}

static void lift_pen(struct canvas *canvas)
{
    canvas->left = canvas->top = SIDE;
    canvas->right = canvas->bottom = -1;
}

/* Colours what the pen has touched, and lifts it. */
static void paint(struct canvas *canvas, const float colour[CHANNELS])
{
    for (int y = canvas->top; y <= canvas->bottom; y++) {
        float *cover = canvas->cover + y * SIDE;
        for (int channel = 0; channel < CHANNELS; channel++) {
            float *values = canvas->values[channel] + y * SIDE;
            for (int x = canvas->left; x <= canvas->right; x++)
                values[x] += cover[x] * (colour[channel] - values[x]);
        }
        memset(cover, 0, SIDE * sizeof *cover);
    }
    lift_pen(canvas);
}

/* Where a digit stands. The rotation is exact without sine and cosine: by the tangent of half its angle. */
struct pose {
    struct point centre;
    float height, width, cosine, sine, slant;
};

static struct pose draw_pose(struct dice *dice, struct point centre, float low, float high)
{
    float half = between(dice, -0.17f, 0.17f), square = half * half; /* up to 19 degrees either way */
    struct pose pose = {.centre = centre, .cosine = (1 - square) / (1 + square), .sine = 2 * half / (1 + square)};
    pose.height = between(dice, low, high);
    pose.width = pose.height * between(dice, 0.75f, 1.1f);
    pose.slant = between(dice, -0.25f, 0.25f);
    return pose;
}

static void cover_digit(struct canvas *canvas, struct dice *dice, int value, struct pose pose, float pen)
{
    const struct digit *digit = &digits[value];
    struct point last = {0, 0};
    for (int i = 0; i < digit->count; i++) {
        float x = (float)digit->points[i][0] / 100 + between(dice, -0.08f, 0.08f);
        float y = (float)digit->points[i][1] / 100 + between(dice, -0.08f, 0.08f);
        x = (x + pose.slant * y) * pose.width;
        y *= pose.height;
        struct point here = {pose.centre.x + x * pose.cosine - y * pose.sine,
                             pose.centre.y + x * pose.sine + y * pose.cosine};
        if (i)
            cover_line(canvas, last, here, pen);
        last = here;
    }
}

/* ---- images */

/* Dark or light, and changing evenly over the image in some direction. */
static void draw_ground(struct canvas *canvas, struct dice *dice, float colour[CHANNELS])
{
    bool dark = roll(dice) >> 31;
    for (int channel = 0; channel < CHANNELS; channel++) {
        colour[channel] = dark ? between(dice, 20, 110) : between(dice, 145, 235);
        float right = between(dice, -1.5f, 1.5f), down = between(dice, -1.5f, 1.5f);
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++)
                canvas->values[channel][y * SIDE + x] = colour[channel] + ((float)x - 15.5f) * right +
                                                        ((float)y - 15.5f) * down;
    }
}

static void draw_clutter(struct canvas *canvas, struct dice *dice, int lines)
{
    for (int i = 0; i < lines; i++) {
        float colour[CHANNELS];
        struct point a = {between(dice, 0, 31), between(dice, 0, 31)};
        struct point b = {a.x + between(dice, -9, 9), a.y + between(dice, -9, 9)};
        for (int channel = 0; channel < CHANNELS; channel++)
            colour[channel] = between(dice, 0, 255);
        cover_line(canvas, a, b, between(dice, 0.8f, 1.6f));
        paint(canvas, colour);
    }
}

/* Light on dark ground and dark on light, in each channel by another step. */
static void draw_ink(struct dice *dice, const float ground[CHANNELS], float ink[CHANNELS])
{
    for (int channel = 0; channel < CHANNELS; channel++) {
        float step = between(dice, 45, 127);
        ink[channel] = ground[channel] < 127.5f ? ground[channel] + step : ground[channel] - step;
    }
}

static void draw_label(struct canvas *canvas, struct dice *dice, int label, bool two, const float ground[CHANNELS])
{
    float ink[CHANNELS], pen = two ? between(dice, 1.2f, 1.9f) : between(dice, 1.4f, 2.8f);
    struct point centre = {15.5f + between(dice, -4, 4), 15.5f + between(dice, -3, 3)};
    draw_ink(dice, ground, ink);
    if (two) {
        float apart = between(dice, 6.5f, 7.5f);
        centre.x = 15.5f + (centre.x - 15.5f) / 3; /* less room to move in */
        struct point tens = {centre.x - apart, centre.y}, units = {centre.x + apart, centre.y};
        cover_digit(canvas, dice, label / 10, draw_pose(dice, tens, 7, 9), pen);
        cover_digit(canvas, dice, label % 10, draw_pose(dice, units, 7, 9), pen);
    } else {
        cover_digit(canvas, dice, label, draw_pose(dice, centre, 7.5f, 11), pen);
    }
    paint(canvas, ink);
}

/* The difference of two random bytes has a triangular distribution with a standard deviation of 104.5. */
static void round_noisy(const struct canvas *canvas, struct dice *dice, float noise, uint8_t *image)
{
    enum { EACH = 8 /* values of a block of draws */, BLOCKS = 64 };
    const float *values = canvas->values[0]; /* all channels */
    const float scale = noise / 104.5f;
    uint32_t bits[BLOCKS][4] = {{0}};
    _Static_assert(CHANNELS * PIXELS % (EACH * BLOCKS) == 0, "whole blocks");
    for (int i = 0; i < CHANNELS * PIXELS; i += EACH * BLOCKS) {
        if (scale > 0) {
            pl_random_blocks(&dice->key, dice->image, dice->block, BLOCKS, bits);
            dice->block += BLOCKS;
        }
        for (int k = 0; k < EACH * BLOCKS; k++) {
            uint32_t word = bits[k / EACH][k / 2 % 4] >> 16 * (k % 2);
            float value = values[i + k] + scale * (float)((int)(word & 255) - (int)(word >> 8 & 255));
            value = value > 0 ? value : 0;
            image[i + k] = (uint8_t)((value < 255 ? value : 255) + 0.5f);
        }
    }
}

/* ---- the set */

struct glyphs {
    struct pl_random key;
    int classes, clutter;
    float noise;
};

/* The classes take turns, so that each has its share of every set. Images of test count from 2^32. */
static uint16_t make_image(const struct glyphs *glyphs, int which, size_t number, struct canvas *canvas, uint8_t *image)
{
    struct dice dice = {.key = glyphs->key, .image = ((uint64_t)which << 32) + number};
    int label = (int)(number % (size_t)glyphs->classes);
    float ground[CHANNELS];
    draw_ground(canvas, &dice, ground);
    draw_clutter(canvas, &dice, glyphs->clutter);
    draw_label(canvas, &dice, label, glyphs->classes > 10, ground);
    round_noisy(canvas, &dice, glyphs->noise, image);
    return (uint16_t)label;
}

static void glyphs_expect(const struct pl_settings *settings, struct pl_image_shape *shape, int *classes,
                          size_t counts[2])
{
    *shape = (struct pl_image_shape){CHANNELS, SIDE, SIDE};
    *classes = (int)pl_settings_need_integer(settings, "classes");
    counts[0] = (size_t)pl_settings_need_integer(settings, "train_images");
    counts[1] = (size_t)pl_settings_need_integer(settings, "test_images");
}

static int glyphs_open(struct pl_dataset *set, const struct pl_settings *settings, const char *folder,
                       struct pl_error *err)
{
    size_t counts[2];
    uint8_t *images[2];
    uint16_t *labels[2];
    (void)folder;
    glyphs_expect(settings, &set->shape, &set->classes, counts);
    int status = pl_dataset_allocate(set, counts, images, labels, err);
    if (status)
        return status;
    struct glyphs glyphs = {
        .key = pl_random_stream((uint64_t)pl_settings_need_integer(settings, "data_seed"), PL_STREAM_DATA),
        .classes = set->classes,
        .clutter = (int)pl_settings_need_integer(settings, "clutter"),
        .noise = (float)pl_settings_need_real(settings, "pixel_noise"),
    };
    struct canvas *canvas = pl_new(sizeof *canvas);
    lift_pen(canvas);
    for (int which = 0; which < 2; which++)
        for (size_t i = 0; i < counts[which]; i++)
            labels[which][i] = make_image(&glyphs, which, i, canvas, images[which] + i * CHANNELS * PIXELS);
    free(canvas);
    set->class_names = pl_pool_take(&set->pool, (size_t)set->classes * sizeof *set->class_names);
    for (int i = 0; i < set->classes; i++) {
        char name[4] = {(char)('0' + i / 10), (char)('0' + i % 10), '\0'};
        set->class_names[i] = pl_pool_copy(&set->pool, set->classes > 10 ? name : name + 1);
    }
    for (int channel = 0; channel < CHANNELS; channel++) {
        set->colours.mean[channel] = 0.5f;
        set->colours.deviation[channel] = 0.25f;
    }
    set->official = true;
    return 0;
}

static const struct pl_setting settings[] = {
    {.key = "classes",
     .type = PL_INTEGER,
     .role = PL_SAYS_TASK,
     .initial = "10",
     .range = "[2,100]",
     .help = "up to 10: one digit; more: numbers of two digits"},
    {.key = "train_images", .type = PL_INTEGER, .initial = "10000", .range = "[1,1000000]", .help = "training images"},
    {.key = "test_images", .type = PL_INTEGER, .initial = "2000", .range = "[0,1000000]", .help = "test images"},
    {.key = "data_seed",
     .type = PL_INTEGER,
     .initial = "1",
     .range = "[0,9007199254740991]",
     .help = "seed of the images themselves; the seed of a run does not change them"},
    {.key = "clutter", .type = PL_INTEGER, .initial = "3", .range = "[0,100]", .help = "stray lines in every image"},
    {.key = "pixel_noise",
     .type = PL_REAL,
     .initial = "12",
     .range = "[0,255]",
     .help = "standard deviation of the noise on each value, of 255"},
};

const struct pl_dataset_type pl_dataset_glyphs = {
    .info = {.name = "glyphs",
             .help = "drawn digits over clutter and noise, made from a seed",
             .settings = settings,
             .setting_count = sizeof settings / sizeof *settings},
    .expect = glyphs_expect,
    .open = glyphs_open,
};
