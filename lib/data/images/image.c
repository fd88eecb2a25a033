/* PNG (libpng) and JPEG (libjpeg) files to small squares, with the values that Pillow's convert("RGB") gives. Rows are
 * scaled as they are decoded. */
#include "data/images/images_priv.h"

#include <stdio.h>
#include <jerror.h>
#include <jpeglib.h>
#include <png.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CHANNELS = 3 };
static const size_t most_pixels = (size_t)1 << 28;
static const size_t most_whole = (size_t)1 << 26; /* of pictures that are decoded as a whole: interlaced, progressive */

/* A file that is being decoded. Both libraries fail by not returning; what must then be freed lies here. */
struct picture {
    FILE *file;
    size_t bytes; /* of the file */
    int size;
    struct pl_shrink *shrink;
    uint8_t *rows; /* one of them, or all */
    jmp_buf escape;
    char text[200]; /* why it failed */
};

static void fail(struct picture *picture, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));
static void fail(struct picture *picture, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(picture->text, sizeof picture->text, format, args);
    va_end(args);
    longjmp(picture->escape, 1);
}

/* Before any memory is taken: could the file hold so many pixels? per_byte: the most that a byte can stand for. whole:
 * all of them must be in memory at once. */
static void begin(struct picture *picture, size_t width, size_t height, size_t per_byte, bool whole)
{
    if (!width || !height || width > most_pixels / height)
        fail(picture, "it is said to be %zu x %zu pixels large", width, height);
    if (width * height / per_byte > picture->bytes)
        fail(picture, "it is said to be %zu x %zu pixels large, which its %zu bytes cannot be", width, height,
             picture->bytes);
    if (whole && width * height > most_whole)
        fail(picture,
             "it is interlaced or progressive and %zu x %zu pixels large, but such pictures may have %zu million",
             width, height, most_whole / 1000000);
    picture->shrink = pl_shrink_new(width, height, picture->size);
}

static void take_rows(struct picture *picture, size_t count, size_t bytes)
{
    picture->rows = pl_arena(count, bytes);
    if (!picture->rows)
        fail(picture, "there is not enough memory for %zu rows of %zu bytes", count, bytes);
}

/* ---- PNG */

static void png_fails(png_structp png, png_const_charp text)
{
    fail(png_get_error_ptr(png), "%s", text);
}

static void png_warns(png_structp png, png_const_charp text)
{
    (void)png, (void)text;
}

/* Red, green and blue of one byte each: no gamma, no background, transparency dropped, the upper byte of two. */
static void convert_png(png_structp png)
{
    png_set_strip_16(png);
    png_set_palette_to_rgb(png);
    png_set_expand_gray_1_2_4_to_8(png);
    png_set_gray_to_rgb(png);
    png_set_strip_alpha(png);
}

static void decode_png(struct picture *picture, png_structp png, png_infop info)
{
    enum { PER_BYTE = 1032 * 8 }; /* deflate's best, of pixels of one bit */
    png_init_io(png, picture->file);
    png_read_info(png, info);
    size_t width = png_get_image_width(png, info), height = png_get_image_height(png, info);
    bool whole = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
    begin(picture, width, height, PER_BYTE, whole);
    convert_png(png);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) != width * CHANNELS)
        fail(picture, "its colours are of no known kind");
    take_rows(picture, whole ? height : 1, width * CHANNELS);
    for (int pass = 0; pass < passes; pass++)
        for (size_t y = 0; y < height; y++) {
            uint8_t *row = picture->rows + (whole ? y * width * CHANNELS : 0);
            png_read_row(png, row, NULL);
            if (pass == passes - 1)
                pl_shrink_row(picture->shrink, row);
        }
}

static int read_png(struct picture *picture)
{
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, picture, png_fails, png_warns);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    int status = 0;
    if (!info)
        snprintf(picture->text, sizeof picture->text, "there is not enough memory to read it");
    if (!info || setjmp(picture->escape))
        status = PL_ECORRUPT;
    else
        decode_png(picture, png, info);
    png_destroy_read_struct(&png, info ? &info : NULL, NULL);
    return status;
}

/* ---- JPEG */

static void jpeg_fails(j_common_ptr info)
{
    char text[JMSG_LENGTH_MAX];
    info->err->format_message(info, text);
    fail(info->client_data, "%s", text);
}

/* A warning (level -1) mostly means bytes that had to be made up: an image that is cut or damaged. These do not. */
static void jpeg_warns(j_common_ptr info, int level)
{
    static const int harmless[] = {JWRN_JFIF_MAJOR, JWRN_EXTRANEOUS_DATA, JWRN_ADOBE_XFORM, JWRN_NOT_SEQUENTIAL,
                                   JWRN_BOGUS_ICC};
    if (level >= 0)
        return;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (info->err->msg_code == harmless[i])
            return;
    jpeg_fails(info);
}

/* Inks to light as Pillow has it: as Adobe's programs write them, 255 is no ink, with its marker and without. */
static void mix_inks(uint8_t *row, size_t width)
{
    for (size_t x = 0; x < width; x++) {
        unsigned black = row[4 * x + 3];
        uint8_t rgb[CHANNELS];
        for (int c = 0; c < CHANNELS; c++) {
            unsigned product = (255u - row[4 * x + (size_t)c]) * black + 128;
            int value = (int)black - (int)((product + (product >> 8)) >> 8);
            rgb[c] = (uint8_t)(value > 0 ? value : 0);
        }
        memcpy(row + CHANNELS * x, rgb, sizeof rgb);
    }
}

static void decode_jpeg(struct picture *picture, struct jpeg_decompress_struct *info)
{
    enum { PER_BYTE = 8 * 32 * 32 }; /* of blocks of one bit, over the widest spread of samples */
    jpeg_create_decompress(info);
    info->client_data = picture;
    jpeg_stdio_src(info, picture->file);
    jpeg_read_header(info, TRUE);
    begin(picture, info->image_width, info->image_height, PER_BYTE, jpeg_has_multiple_scans(info));
    bool inks = info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_YCCK;
    info->out_color_space = inks ? JCS_CMYK : JCS_RGB;
    jpeg_start_decompress(info);
    take_rows(picture, 1, info->output_width * (size_t)info->output_components);
    while (info->output_scanline < info->output_height) {
        jpeg_read_scanlines(info, &picture->rows, 1);
        if (inks)
            mix_inks(picture->rows, info->output_width);
        pl_shrink_row(picture->shrink, picture->rows);
    }
    jpeg_finish_decompress(info);
}

static int read_jpeg(struct picture *picture)
{
    struct jpeg_error_mgr manager;
    struct jpeg_decompress_struct info = {.err = jpeg_std_error(&manager), .client_data = picture};
    manager.error_exit = jpeg_fails;
    manager.emit_message = jpeg_warns;
    int status = 0;
    if (setjmp(picture->escape))
        status = PL_ECORRUPT;
    else
        decode_jpeg(picture, &info);
    jpeg_destroy_decompress(&info);
    return status;
}

int pl_image_read(const char *path, int size, uint8_t *planes, struct pl_error *err)
{
    static const unsigned char png[] = {0x89, 'P', 'N', 'G'}, jpeg[] = {0xff, 0xd8, 0xff};
    struct picture picture = {.size = size, .text = "it is neither PNG nor JPEG"};
    unsigned char head[4] = {0};
    struct stat info;
    int status = PL_ECORRUPT;
    picture.file = pl_file_stream(path, err);
    if (!picture.file)
        return PL_EIO;
    picture.bytes = !fstat(fileno(picture.file), &info) && info.st_size > 0 ? (size_t)info.st_size : 0;
    size_t got = fread(head, 1, sizeof head, picture.file);
    rewind(picture.file);
    if (got == sizeof head && !memcmp(head, png, sizeof png))
        status = read_png(&picture);
    else if (got == sizeof head && !memcmp(head, jpeg, sizeof jpeg))
        status = read_jpeg(&picture);
    fclose(picture.file);
    if (status)
        pl_fail(err, status, "%s", picture.text);
    else
        pl_shrink_end(picture.shrink, planes);
    pl_shrink_free(picture.shrink);
    free(picture.rows);
    return status;
}
