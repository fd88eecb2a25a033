/* Made-up images, written by libpng and libjpeg. */
#ifndef IMAGE_FIXTURE_H
#define IMAGE_FIXTURE_H

#include "data_fixture.h"

#include <jpeglib.h>
#include <math.h>
#include <png.h>

typedef void (*painter)(int x, int y, unsigned char rgb[3]);

static unsigned char *draw(int width, int height, painter paint)
{
    unsigned char *pixels = malloc((size_t)(width * height * 3));
    assert_non_null(pixels);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            paint(x, y, pixels + (y * width + x) * 3);
    return pixels;
}

static void write_png(const char *path, int width, int height, painter paint)
{
    unsigned char *pixels = draw(width, height, paint);
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = PNG_FORMAT_RGB};
    assert_true(png_image_write_to_file(&image, path, 0, pixels, 0, NULL));
    free(pixels);
}

static void write_jpeg(const char *path, int width, int height, painter paint)
{
    unsigned char *pixels = draw(width, height, paint);
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr manager;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    info.err = jpeg_std_error(&manager);
    jpeg_create_compress(&info);
    jpeg_stdio_dest(&info, file);
    info.image_width = (JDIMENSION)width;
    info.image_height = (JDIMENSION)height;
    info.input_components = 3;
    info.in_color_space = JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, 95, TRUE);
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
        JSAMPROW row = pixels + info.next_scanline * (unsigned)width * 3;
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    fclose(file);
    free(pixels);
}

static void paint_orange(int x, int y, unsigned char rgb[3])
{
    (void)x, (void)y;
    rgb[0] = 250, rgb[1] = 120, rgb[2] = 10;
}

__attribute__((unused)) static void paint_black(int x, int y, unsigned char rgb[3])
{
    (void)x, (void)y;
    rgb[0] = rgb[1] = rgb[2] = 0;
}

static void paint_ramp(int x, int y, unsigned char rgb[3])
{
    rgb[0] = (unsigned char)(2 * x);
    rgb[1] = (unsigned char)(3 * y);
    rgb[2] = 77;
}

/* Red beside green at x = 20, and blue outside the middle 40 columns. */
__attribute__((unused)) static void paint_bands(int x, int y, unsigned char rgb[3])
{
    (void)y;
    rgb[0] = x >= 20 && x < 40 ? 200 : 0;
    rgb[1] = x >= 40 && x < 60 ? 200 : 0;
    rgb[2] = x < 20 || x >= 60 ? 200 : 0;
}

#endif
