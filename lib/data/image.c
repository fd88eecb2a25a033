/* PNG (libpng) and JPEG (libjpeg) files to small squares. */
#include "data/data_priv.h"

#include <stdio.h>
#include <jpeglib.h>
#include <png.h>

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 3 };
static const size_t most_pixels = (size_t)1 << 28;

/* Width x height pixels of red, green, blue. */
struct picture {
    uint8_t *bytes;
    size_t width, height;
};

static int check_size(struct picture *picture, size_t width, size_t height, struct pl_error *err)
{
    if (!width || !height || width > most_pixels / height)
        return pl_fail(err, PL_ECORRUPT, "it is said to be %zu x %zu pixels large", width, height);
    picture->bytes = pl_arena(width * height, CHANNELS);
    if (!picture->bytes)
        return pl_fail(err, PL_EMEMORY, "there is not enough memory for %zu x %zu pixels", width, height);
    picture->width = width;
    picture->height = height;
    return 0;
}

static int read_png(FILE *file, struct picture *picture, struct pl_error *err)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    png_color black = {0, 0, 0}; /* behind what is transparent */
    if (!png_image_begin_read_from_stdio(&image, file))
        return pl_fail(err, PL_ECORRUPT, "%s", image.message);
    image.format = PNG_FORMAT_RGB;
    image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB; /* two bytes a value mean the same curve as one */
    int status = check_size(picture, image.width, image.height, err);
    if (!status && !png_image_finish_read(&image, &black, picture->bytes, 0, NULL))
        status = pl_fail(err, PL_ECORRUPT, "%s", image.message);
    png_image_free(&image);
    return status;
}

/* libjpeg's way of failing is not to return. */
struct jpeg {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr manager;
    jmp_buf escape;
    char text[JMSG_LENGTH_MAX];
};

static void jpeg_fails(j_common_ptr info)
{
    struct jpeg *jpeg = info->client_data;
    info->err->format_message(info, jpeg->text);
    longjmp(jpeg->escape, 1);
}

/* A warning (level -1) means bytes that had to be made up: an image that is cut or damaged. */
static void jpeg_warns(j_common_ptr info, int level)
{
    if (level < 0)
        jpeg_fails(info);
}

static int read_jpeg(FILE *file, struct picture *picture, struct pl_error *err)
{
    struct jpeg jpeg = {.info.client_data = &jpeg};
    int status = 0;
    jpeg.info.err = jpeg_std_error(&jpeg.manager);
    jpeg.manager.error_exit = jpeg_fails;
    jpeg.manager.emit_message = jpeg_warns;
    if (setjmp(jpeg.escape)) {
        jpeg_destroy_decompress(&jpeg.info);
        return pl_fail(err, PL_ECORRUPT, "%s", jpeg.text);
    }
    jpeg_create_decompress(&jpeg.info);
    jpeg.info.client_data = &jpeg;
    jpeg_stdio_src(&jpeg.info, file);
    jpeg_read_header(&jpeg.info, TRUE);
    jpeg.info.out_color_space = JCS_RGB;
    jpeg_start_decompress(&jpeg.info);
    status = check_size(picture, jpeg.info.output_width, jpeg.info.output_height, err);
    while (!status && jpeg.info.output_scanline < jpeg.info.output_height) {
        JSAMPROW row = picture->bytes + jpeg.info.output_scanline * picture->width * CHANNELS;
        jpeg_read_scanlines(&jpeg.info, &row, 1);
    }
    if (!status)
        jpeg_finish_decompress(&jpeg.info);
    jpeg_destroy_decompress(&jpeg.info);
    return status;
}

/* ---- scaling */

/* Triangle filter: which of length points each of size places takes, and how much of each. It is wider than one point
 * when the picture becomes smaller, so that every point counts; between neighbours when it becomes larger. */
struct filter {
    size_t most;   /* points of a place */
    struct filter_place {
        size_t start, count;
    } *places;
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
        size_t from = (size_t)fmax(0, ceil(centre - reach)), last = (size_t)fmin((double)length - 1, floor(centre + reach));
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

/* The square from (left, top) on, every row of it scaled: side x size x CHANNELS values. */
static void scale_rows(const struct picture *picture, const struct filter *filter, size_t left, size_t top, size_t side,
                       int size, float *out)
{
    for (size_t y = 0; y < side; y++) {
        const uint8_t *row = picture->bytes + ((top + y) * picture->width + left) * CHANNELS;
        for (int x = 0; x < size; x++, out += CHANNELS) {
            const float *shares = filter->shares + (size_t)x * filter->most;
            const uint8_t *point = row + filter->places[x].start * CHANNELS;
            float sums[CHANNELS] = {0};
            for (size_t k = 0; k < filter->places[x].count; k++, point += CHANNELS)
                for (int c = 0; c < CHANNELS; c++)
                    sums[c] += shares[k] * (float)point[c];
            memcpy(out, sums, sizeof sums);
        }
    }
}

static void scale_columns(const float *rows, const struct filter *filter, int size, uint8_t *planes)
{
    size_t width = (size_t)size * CHANNELS;
    for (int y = 0; y < size; y++) {
        const float *shares = filter->shares + (size_t)y * filter->most;
        for (int i = 0; i < size * CHANNELS; i++) {
            const float *point = rows + filter->places[y].start * width + i;
            float sum = 0.5f;
            for (size_t k = 0; k < filter->places[y].count; k++, point += width)
                sum += shares[k] * *point;
            planes[(i % CHANNELS * size + y) * size + i / CHANNELS] = (uint8_t)(sum < 255 ? sum : 255);
        }
    }
}

static int scale(const struct picture *picture, int size, uint8_t *planes, struct pl_error *err)
{
    size_t side = picture->width < picture->height ? picture->width : picture->height;
    size_t left = (picture->width - side) / 2, top = (picture->height - side) / 2;
    float *rows = pl_arena(side * (size_t)size, CHANNELS * sizeof *rows);
    if (!rows)
        return pl_fail(err, PL_EMEMORY, "there is not enough memory to scale %zu x %zu pixels", side, side);
    struct filter filter;
    make_filter(&filter, side, size);
    scale_rows(picture, &filter, left, top, side, size, rows);
    scale_columns(rows, &filter, size, planes);
    release_filter(&filter);
    free(rows);
    return 0;
}

int pl_image_read(const char *path, int size, uint8_t *planes, struct pl_error *err)
{
    static const unsigned char png[] = {0x89, 'P', 'N', 'G'}, jpeg[] = {0xff, 0xd8, 0xff};
    struct picture picture = {0};
    unsigned char head[4] = {0};
    int status;
    FILE *file = pl_file_stream(path, err);
    if (!file)
        return PL_EIO;
    size_t got = fread(head, 1, sizeof head, file);
    rewind(file);
    if (got == sizeof head && !memcmp(head, png, sizeof png))
        status = read_png(file, &picture, err);
    else if (got == sizeof head && !memcmp(head, jpeg, sizeof jpeg))
        status = read_jpeg(file, &picture, err);
    else
        status = pl_fail(err, PL_ECORRUPT, "it is neither PNG nor JPEG");
    fclose(file);
    if (!status)
        status = scale(&picture, size, planes, err);
    free(picture.bytes);
    return status;
}
