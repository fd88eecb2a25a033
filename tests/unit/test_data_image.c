#include "image_fixture.h"
#include "pictures.h"

#include <sys/resource.h>
#include <zlib.h>

static void read_image(const char *path, int size, uint8_t *planes)
{
    struct pl_error err = {0};
    if (pl_image_read(path, size, planes, &err))
        fail_msg("%s: %s", path, err.text);
}

static void images_of_the_right_size_are_copied(void **state)
{
    (void)state;
    uint8_t planes[3 * 32 * 32];
    write_png(in_folder("ramp.png"), 32, 32, paint_ramp);
    read_image(in_folder("ramp.png"), 32, planes);
    for (int y = 0; y < 32; y++)
        for (int x = 0; x < 32; x++) {
            assert_int_equal(planes[y * 32 + x], 2 * x);
            assert_int_equal(planes[(32 + y) * 32 + x], 3 * y);
            assert_int_equal(planes[(64 + y) * 32 + x], 77);
        }
}

/* One colour stays that colour at every size, and a linear ramp stays one. */
static void scaling_keeps_colours_and_slopes(void **state)
{
    (void)state;
    static const int sides[][2] = {{1, 1}, {3, 5}, {31, 32}, {33, 64}, {100, 40}, {40, 100}, {257, 300}};
    static uint8_t planes[3 * 80 * 80];
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        for (int size = 8; size <= 80; size += 24) {
            write_png(in_folder("orange.png"), sides[i][0], sides[i][1], paint_orange);
            read_image(in_folder("orange.png"), size, planes);
            for (int k = 0; k < size * size; k++) {
                assert_int_equal(planes[k], 250);
                assert_int_equal(planes[size * size + k], 120);
                assert_int_equal(planes[2 * size * size + k], 10);
            }
        }
    write_png(in_folder("ramp.png"), 80, 80, paint_ramp);
    for (int size = 20; size <= 60; size += 20) {
        double ratio = 80.0 / size;
        read_image(in_folder("ramp.png"), size, planes);
        for (int x = 2; x < size - 2; x++) {
            assert_true(fabs(planes[5 * size + x] - 2 * ((x + 0.5) * ratio - 0.5)) < 1);
            assert_true(fabs(planes[size * size + x * size + 5] - 3 * ((x + 0.5) * ratio - 0.5)) < 1);
        }
    }
}

static void the_middle_is_cut_out(void **state)
{
    (void)state;
    uint8_t planes[3 * 40 * 40];
    write_png(in_folder("bands.png"), 80, 40, paint_bands);
    read_image(in_folder("bands.png"), 40, planes);
    for (int k = 0; k < 40 * 40; k++) {
        assert_int_equal(planes[k], k % 40 < 20 ? 200 : 0);
        assert_int_equal(planes[1600 + k], k % 40 < 20 ? 0 : 200);
        assert_int_equal(planes[3200 + k], 0);
    }
}

static void jpegs_are_read_too(void **state)
{
    (void)state;
    uint8_t planes[3 * 32 * 32];
    write_jpeg(in_folder("orange.png"), 50, 70, paint_orange); /* the name does not matter */
    read_image(in_folder("orange.png"), 32, planes);
    for (int k = 0; k < 32 * 32; k++) {
        assert_in_range(planes[k], 246, 254);
        assert_in_range(planes[1024 + k], 116, 124);
        assert_in_range(planes[2048 + k], 6, 14);
    }
}

static void cut_images_are_refused(void **state)
{
    (void)state;
    uint8_t planes[3 * 32 * 32];
    struct pl_text whole = {0};
    write_png(in_folder("a.png"), 40, 40, paint_ramp);
    write_jpeg(in_folder("a.jpg"), 40, 40, paint_ramp);
    for (int i = 0; i < 2; i++) {
        const char *path = i ? in_folder("a.jpg") : in_folder("a.png");
        read_file(path, &whole);
        for (size_t length = 0; length < whole.length - 13; length += 1 + whole.length / 50) {
            struct pl_error err = {0};
            write_file(in_folder("cut"), whole.text, length);
            assert_true(pl_image_read(in_folder("cut"), 32, planes, &err) < 0);
            assert_true(*err.text != 0);
        }
    }
    pl_text_release(&whole);
}

/* D8: what every other reader takes is taken, with the values that Pillow gives; JPEGs to within what another inverse
 * transform may differ by. */
static void pictures_are_as_pillow_reads_them(void **state)
{
    (void)state;
    enum { SIDE = 8, PLANE = SIDE * SIDE };
    uint8_t planes[3 * PLANE];
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        struct pl_error err = {0};
        int slack = pictures[i].bytes[0] == '\xff' ? 2 : 0;
        write_file(in_folder("picture"), pictures[i].bytes, pictures[i].count);
        if (pl_image_read(in_folder("picture"), SIDE, planes, &err))
            fail_msg("%s: %s", pictures[i].name, err.text);
        for (int k = 0; k < 3 * PLANE; k++) {
            int expected = (unsigned char)pictures[i].rgb[k], got = planes[k % 3 * PLANE + k / 3];
            if (abs(got - expected) > slack)
                fail_msg("%s: pixel %d of colour %d is %d, not %d", pictures[i].name, k / 3, k % 3, got, expected);
        }
    }
}

/* ---- D6: memory follows the data */

/* Reads a file in a process of its own; returns by how many MB its memory grew, at most 254. */
static int memory_to_read(const char *path, int expected)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        struct rusage before, after;
        struct pl_error err = {0};
        uint8_t planes[3 * 8 * 8];
        getrusage(RUSAGE_SELF, &before);
        int got = pl_image_read(path, 8, planes, &err);
        getrusage(RUSAGE_SELF, &after);
        long grown = (after.ru_maxrss - before.ru_maxrss) / 1024;
        _exit(got != expected ? 255 : grown < 254 ? (int)grown : 254);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_not_equal(WEXITSTATUS(status), 255);
    return WEXITSTATUS(status);
}

static void claims_of_size_take_no_memory(void **state)
{
    (void)state;
    struct pl_text whole = {0};
    for (int interlaced = 0; interlaced < 2; interlaced++) {
        write_png(in_folder("a.png"), 8, 8, paint_ramp);
        read_file(in_folder("a.png"), &whole);
        memcpy(whole.text + 16, "\x00\x00\x4e\x20\x00\x00\x32\xc8", 8); /* 20000 x 13000 */
        whole.text[28] = (char)interlaced;
        uint32_t sum = (uint32_t)crc32(0, (const unsigned char *)whole.text + 12, 17);
        for (int i = 0; i < 4; i++)
            whole.text[29 + i] = (char)(sum >> (24 - 8 * i));
        write_file(in_folder("a.png"), whole.text, whole.length);
        assert_in_range(memory_to_read(in_folder("a.png"), PL_ECORRUPT), 0, 30);
    }
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        if (strcmp(pictures[i].name, "plain jpeg") && strcmp(pictures[i].name, "progressive"))
            continue;
        write_file(in_folder("a.jpg"), pictures[i].bytes, pictures[i].count);
        read_file(in_folder("a.jpg"), &whole);
        size_t at = 2; /* the frame's header is a segment that begins with ff c0 or ff c2 */
        while (at + 9 < whole.length && whole.text[at + 1] != '\xc0' && whole.text[at + 1] != '\xc2')
            at += 2 + (size_t)(uint8_t)whole.text[at + 2] * 256 + (uint8_t)whole.text[at + 3];
        assert_true(at + 9 < whole.length);
        memcpy(whole.text + at + 5, "\x32\xc8\x4e\x20", 4);
        write_file(in_folder("a.jpg"), whole.text, whole.length);
        assert_in_range(memory_to_read(in_folder("a.jpg"), PL_ECORRUPT), 0, 30);
    }
    pl_text_release(&whole);
}

/* A picture that is as large as it says, in a file that is not: 8000 x 8000 pixels of one colour. */
static void large_pictures_are_read_row_by_row(void **state)
{
    (void)state;
    enum { SIDE = 8000 };
    static unsigned char row[SIDE / 8];
    FILE *file = fopen(in_folder("bomb.png"), "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    assert_non_null(file);
    png_init_io(png, file);
    png_set_IHDR(png, info, SIDE, SIDE, 1, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int y = 0; y < SIDE; y++)
        png_write_row(png, row);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    assert_int_equal(fclose(file), 0);
    assert_in_range(memory_to_read(in_folder("bomb.png"), 0), 0, 30);
}

int main(void)
{
#define TEST_IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(images_of_the_right_size_are_copied),
        TEST_IN_FOLDER(scaling_keeps_colours_and_slopes),
        TEST_IN_FOLDER(the_middle_is_cut_out),
        TEST_IN_FOLDER(jpegs_are_read_too),
        TEST_IN_FOLDER(cut_images_are_refused),
        TEST_IN_FOLDER(pictures_are_as_pillow_reads_them),
        TEST_IN_FOLDER(claims_of_size_take_no_memory),
        TEST_IN_FOLDER(large_pictures_are_read_row_by_row),
    };
    return cmocka_run_group_tests_name("data image", tests, NULL, NULL);
}
