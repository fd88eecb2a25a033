#include "data/images/images.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { SIDE = 32, PLANE = SIDE * SIDE, IMAGE = 3 * PLANE };

static void choose_glyphs(struct pl_settings *s, int train, int test)
{
    *s = (struct pl_settings){0};
    pl_settings_set_string(s, "dataset", "glyphs");
    pl_settings_set_integer(s, "train_images", train);
    pl_settings_set_integer(s, "test_images", test);
}

static struct pl_dataset *open_set(struct pl_settings *s)
{
    struct pl_dataset *set;
    struct pl_error err = {0};
    if (pl_data_open(&set, s, "no-such-folder", &err))
        fail_msg("%s", err.text);
    pl_settings_release(s);
    return set;
}

/* Values of one image as they are, and its label. */
static int take(const struct pl_dataset *set, enum pl_split split, uint32_t index, float image[IMAGE])
{
    int32_t label;
    pl_data_batch(set, split, &index, 1, NULL, 0, image, &label);
    return label;
}

/* ---- the table of sets */

static void sets_are_in_order_and_defaults_are_legal(void **state)
{
    (void)state;
    size_t count;
    const struct pl_setting *common = pl_data_common_settings(&count);
    for (size_t i = 0; i < pl_data_count(); i++) {
        const struct pl_dataset_info *info = pl_data_at(i);
        assert_ptr_equal(pl_data_find(info->name), info);
        if (i)
            assert_true(strcmp(pl_data_at(i - 1)->name, info->name) < 0);
        for (size_t k = 0; k < info->setting_count + count; k++) {
            const struct pl_setting *setting = k < info->setting_count ? &info->settings[k]
                                                                       : &common[k - info->setting_count];
            struct pl_value value;
            struct pl_error err = {0};
            if (setting->initial && pl_setting_read(setting, setting->initial, &value, &err))
                fail_msg("%s: %s", info->name, err.text);
            if (k < info->setting_count)
                assert_null(pl_setting_find(common, count, setting->key));
        }
    }
    assert_null(pl_data_find("cifar11"));
}

static void unknown_sets_and_sizes_are_refused(void **state)
{
    (void)state;
    struct pl_settings s = {0};
    struct pl_dataset *set;
    struct pl_error err;
    struct pl_image_shape shape;
    size_t sizes[PL_SPLIT_COUNT];
    int classes;
    pl_settings_set_string(&s, "dataset", "glyph");
    assert_int_equal(pl_data_open(&set, &s, "", &err), PL_EINPUT);
    assert_null(set);
    assert_false(pl_data_expect(&s, &shape, &classes, sizes));
    pl_settings_release(&s);
    static const struct {
        const char *key;
        int value;
        const char *text;
    } bad[] = {
        {"valid", 100, "valid is 100"}, {"subset", 101, "subset is 101"}, {"test_subset", 21, "test_subset is 21"}};
    for (size_t i = 0; i < 3; i++) {
        choose_glyphs(&s, 100, 20);
        assert_true(pl_data_expect(&s, &shape, &classes, sizes));
        pl_settings_set_integer(&s, bad[i].key, bad[i].value);
        assert_false(pl_data_expect(&s, &shape, &classes, sizes));
        assert_int_equal(pl_data_open(&set, &s, "", &err), PL_EINPUT);
        assert_non_null(strstr(err.text, bad[i].text));
        pl_settings_set_integer(&s, bad[i].key, bad[i].value - 1);
        assert_true(pl_data_expect(&s, &shape, &classes, sizes));
        pl_settings_release(&s);
    }
    choose_glyphs(&s, 100, 20);
    pl_settings_set_integer(&s, "valid", 30);
    pl_settings_set_integer(&s, "subset", 71);
    assert_int_equal(pl_data_open(&set, &s, "", &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "only 70 training images besides those held out"));
    pl_settings_release(&s);
}

/* What is expected of a set is what opening it gives. */
static void expectations_come_true(void **state)
{
    (void)state;
    struct pl_settings s;
    struct pl_image_shape shape;
    size_t sizes[PL_SPLIT_COUNT];
    int classes;
    choose_glyphs(&s, 60, 30);
    pl_settings_set_integer(&s, "classes", 37);
    pl_settings_set_integer(&s, "valid", 11);
    pl_settings_set_integer(&s, "subset", 40);
    pl_settings_set_integer(&s, "test_subset", 7);
    assert_true(pl_data_expect(&s, &shape, &classes, sizes));
    struct pl_dataset *set = open_set(&s);
    assert_memory_equal(&shape, (struct pl_image_shape[]){pl_data_shape(set)}, sizeof shape);
    assert_int_equal(classes, pl_data_classes(set));
    assert_int_equal(classes, 37);
    for (enum pl_split split = 0; split < PL_SPLIT_COUNT; split++)
        assert_int_equal(sizes[split], pl_data_size(set, split));
    assert_string_equal(pl_data_class_name(set, 36), "36");
    assert_string_equal(pl_data_class_name(set, 3), "03");
    assert_string_equal(pl_data_class_name(set, 37), "");
    assert_true(pl_data_memory(set) >= 90 * IMAGE);
    pl_data_close(set);
}

/* ---- glyphs */

static void glyphs_are_functions_of_their_number(void **state)
{
    (void)state;
    struct pl_settings s;
    static float a[IMAGE], b[IMAGE];
    choose_glyphs(&s, 40, 30);
    struct pl_dataset *small = open_set(&s);
    choose_glyphs(&s, 100, 10);
    struct pl_dataset *large = open_set(&s);
    choose_glyphs(&s, 40, 30);
    pl_settings_set_integer(&s, "data_seed", 2);
    struct pl_dataset *other = open_set(&s);
    int counts[10] = {0};
    for (uint32_t i = 0; i < 40; i++) {
        int label = take(small, PL_SPLIT_TRAIN, i, a);
        counts[label]++;
        assert_int_equal(label, take(large, PL_SPLIT_TRAIN, i, b));
        assert_memory_equal(a, b, sizeof a);
        take(other, PL_SPLIT_TRAIN, i, b);
        assert_memory_not_equal(a, b, sizeof a);
        take(small, PL_SPLIT_TEST, i % 30, b);
        assert_memory_not_equal(a, b, sizeof a);
    }
    for (int i = 0; i < 10; i++)
        assert_int_equal(counts[i], 4);
    take(small, PL_SPLIT_TEST, 9, a);
    take(large, PL_SPLIT_TEST, 9, b);
    assert_memory_equal(a, b, sizeof a);
    assert_string_not_equal(pl_data_checksum(small), pl_data_checksum(large));
    assert_string_equal(pl_data_checksum(small), pl_data_checksum(small));
    assert_int_equal(strlen(pl_data_checksum(small)), 64);
    assert_true(pl_data_official(small));
    assert_null(pl_data_warning(small));
    pl_data_close(small);
    pl_data_close(large);
    pl_data_close(other);
}

/* The default set is the same on every machine: pl_data_verify knows its checksum. */
static void glyphs_are_the_same_everywhere(void **state)
{
    (void)state;
    struct pl_text verdict = {0};
    struct pl_error err = {0};
    if (pl_data_verify("glyphs", "no-such-folder", &verdict, &err))
        fail_msg("%s", err.text);
    assert_non_null(strstr(pl_text(&verdict), "10000 training and 2000 test images of 10 classes"));
    pl_text_release(&verdict);
}

/* Without noise and clutter one image has a ground of even colours and ink that stands out from it in every channel. */
static void ink_stands_out(void **state)
{
    (void)state;
    struct pl_settings s;
    static float image[IMAGE];
    choose_glyphs(&s, 50, 0);
    pl_settings_set_integer(&s, "clutter", 0);
    pl_settings_set_real(&s, "pixel_noise", 0);
    struct pl_dataset *set = open_set(&s);
    int dark = 0;
    for (uint32_t i = 0; i < 50; i++) {
        take(set, PL_SPLIT_TRAIN, i, image);
        for (int c = 0; c < 3; c++) {
            float low = INFINITY, high = -INFINITY;
            for (int k = 0; k < PLANE; k++) {
                low = fminf(low, image[c * PLANE + k]);
                high = fmaxf(high, image[c * PLANE + k]);
            }
            assert_true(high - low > 40 / 255.0 / 0.25);
        }
        dark += image[0] < 0;
    }
    assert_in_range(dark, 10, 40);
    pl_data_close(set);
}

/* ---- splits */

/* Numbers of a split's images among those of `all`, which holds every training image in its own order. */
static void identify(const struct pl_dataset *set, enum pl_split split, const float *all, uint32_t count, bool *found)
{
    static float image[IMAGE];
    memset(found, 0, count);
    for (uint32_t i = 0, last = 0; i < pl_data_size(set, split); i++) {
        take(set, split, i, image);
        uint32_t k = last;
        while (k < count && memcmp(all + (size_t)k * IMAGE, image, sizeof image))
            k++;
        assert_true(k < count); /* in ascending order, each once */
        found[k] = true;
        last = k + 1;
    }
}

static void splits_are_fixed_disjoint_and_nested(void **state)
{
    (void)state;
    enum { COUNT = 120 };
    static float all[COUNT * IMAGE];
    bool train[COUNT], valid[COUNT], before[COUNT] = {false};
    struct pl_settings s;
    choose_glyphs(&s, COUNT, 5);
    struct pl_dataset *whole = open_set(&s);
    for (uint32_t i = 0; i < COUNT; i++)
        take(whole, PL_SPLIT_TRAIN, i, all + i * IMAGE);
    pl_data_close(whole);
    for (int subset = 20; subset <= 80; subset += 20) {
        choose_glyphs(&s, COUNT, 5);
        pl_settings_set_integer(&s, "subset", subset);
        pl_settings_set_integer(&s, "valid", 30);
        struct pl_dataset *set = open_set(&s);
        identify(set, PL_SPLIT_TRAIN, all, COUNT, train);
        identify(set, PL_SPLIT_VALID, all, COUNT, valid);
        assert_int_equal(pl_data_size(set, PL_SPLIT_TRAIN), subset);
        assert_int_equal(pl_data_size(set, PL_SPLIT_VALID), 30);
        for (int i = 0; i < COUNT; i++) {
            assert_false(train[i] && valid[i]);
            assert_true(train[i] || !before[i]);
        }
        memcpy(before, train, sizeof before);
        pl_data_close(set);
    }
    choose_glyphs(&s, COUNT, 5);
    pl_settings_set_integer(&s, "valid", 30);
    struct pl_dataset *set = open_set(&s);
    identify(set, PL_SPLIT_TRAIN, all, COUNT, train);
    int early = 0;
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(train[i], !valid[i]);
        early += valid[i] && i < COUNT / 2;
    }
    assert_in_range(early, 5, 25); /* from all over the set */
    pl_data_close(set);
}

/* ---- orders */

static void orders_are_permutations(void **state)
{
    (void)state;
    enum { COUNT = 37, EPOCHS = 3000 };
    struct pl_settings s;
    choose_glyphs(&s, COUNT, 0);
    struct pl_dataset *set = open_set(&s);
    struct pl_random r = pl_random_stream(5, PL_STREAM_SHUFFLE), other = pl_random_stream(6, PL_STREAM_SHUFFLE);
    static int at[COUNT][COUNT];
    uint32_t order[COUNT], again[COUNT];
    for (uint64_t epoch = 0; epoch < EPOCHS; epoch++) {
        bool seen[COUNT] = {false};
        pl_data_order(set, r, epoch, order);
        for (int i = 0; i < COUNT; i++) {
            assert_true(order[i] < COUNT && !seen[order[i]]);
            seen[order[i]] = true;
            at[i][order[i]]++;
        }
    }
    pl_data_order(set, r, EPOCHS - 1, again);
    assert_memory_equal(order, again, sizeof order);
    pl_data_order(set, r, EPOCHS, again);
    assert_memory_not_equal(order, again, sizeof order);
    pl_data_order(set, other, EPOCHS - 1, again);
    assert_memory_not_equal(order, again, sizeof order);
    double chi = 0, expected = (double)EPOCHS / COUNT;
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < COUNT; k++)
            chi += (at[i][k] - expected) * (at[i][k] - expected) / expected;
    double freedom = (COUNT - 1.0) * (COUNT - 1.0); /* 1296; the deviation of chi is 51 */
    assert_true(fabs(chi - freedom) < 5 * sqrt(2 * freedom));
    pl_data_close(set);
}

/* ---- augmentation */

/* The change (down, right, mirror) that makes image out of original, by trying all; -1: none does. */
static int find_change(const float *original, const float *image, bool mirrors)
{
    for (int change = 0; change < 81 * (mirrors ? 2 : 1); change++) {
        int down = change % 9 - 4, right = change / 9 % 9 - 4;
        bool mirror = change >= 81, same = true;
        for (int c = 0; c < 3 && same; c++)
            for (int y = 0; y < SIDE && same; y++)
                for (int x = 0; x < SIDE && same; x++) {
                    int from_x = (mirror ? SIDE - 1 - x : x) + right, from_y = y + down;
                    bool inside = from_x >= 0 && from_x < SIDE && from_y >= 0 && from_y < SIDE;
                    float want = inside ? original[(c * SIDE + from_y) * SIDE + from_x] : (0 - 0.5f) / 0.25f;
                    same = image[(c * SIDE + y) * SIDE + x] == want;
                }
        if (same)
            return change;
    }
    return -1;
}

static void changes_are_crops_of_the_padded_image(void **state)
{
    (void)state;
    enum { COUNT = 150, EPOCHS = 8 };
    static float original[IMAGE], images[COUNT * IMAGE];
    int32_t labels[COUNT];
    uint32_t numbers[COUNT];
    int downs[9] = {0}, rights[9] = {0}, differ = 0, last[COUNT];
    struct pl_settings s;
    choose_glyphs(&s, COUNT, 0);
    struct pl_dataset *set = open_set(&s);
    struct pl_random r = pl_random_stream(3, PL_STREAM_AUGMENT);
    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = i;
    for (uint64_t epoch = 0; epoch < EPOCHS; epoch++) {
        pl_data_batch(set, PL_SPLIT_TRAIN, numbers, COUNT, &r, epoch, images, labels);
        for (uint32_t i = 0; i < COUNT; i++) {
            assert_int_equal(labels[i], take(set, PL_SPLIT_TRAIN, i, original));
            int change = find_change(original, images + i * IMAGE, false); /* digits are never mirrored */
            assert_true(change >= 0);
            downs[change % 9]++;
            rights[change / 9]++;
            differ += epoch && change != last[i];
            last[i] = change;
        }
    }
    for (int i = 0; i < 9; i++) { /* 133 expected, deviation 11 */
        assert_in_range(downs[i], 80, 190);
        assert_in_range(rights[i], 80, 190);
    }
    assert_true(differ > COUNT * (EPOCHS - 1) * 9 / 10);
    pl_data_close(set);
}

/* The draws of an image do not depend on the batch it is in, nor on which others are used. */
static void changes_belong_to_the_image(void **state)
{
    (void)state;
    enum { COUNT = 60 };
    static float together[COUNT * IMAGE], alone[IMAGE], plain[IMAGE], all[COUNT * IMAGE];
    int32_t labels[COUNT];
    uint32_t numbers[COUNT];
    struct pl_settings s;
    choose_glyphs(&s, COUNT, 0);
    struct pl_dataset *set = open_set(&s);
    struct pl_random r = pl_random_stream(9, PL_STREAM_AUGMENT);
    for (uint32_t i = 0; i < COUNT; i++)
        numbers[i] = COUNT - 1 - i;
    pl_data_batch(set, PL_SPLIT_TRAIN, numbers, COUNT, &r, 7, together, labels);
    for (uint32_t i = 0; i < COUNT; i++) {
        int32_t label;
        pl_data_batch(set, PL_SPLIT_TRAIN, &i, 1, &r, 7, alone, &label);
        assert_memory_equal(alone, together + (size_t)(COUNT - 1 - i) * IMAGE, sizeof alone);
        take(set, PL_SPLIT_TRAIN, i, all + i * IMAGE);
    }
    choose_glyphs(&s, COUNT, 0);
    pl_settings_set_integer(&s, "valid", 20);
    pl_settings_set_integer(&s, "subset", 25);
    struct pl_dataset *part = open_set(&s);
    for (uint32_t i = 0; i < 25; i++) {
        int32_t label;
        uint32_t number = 0;
        take(part, PL_SPLIT_TRAIN, i, plain);
        while (memcmp(plain, all + number * IMAGE, sizeof plain))
            number++;
        pl_data_batch(part, PL_SPLIT_TRAIN, &i, 1, &r, 7, alone, &label);
        assert_memory_equal(alone, together + (size_t)(COUNT - 1 - number) * IMAGE, sizeof alone);
    }
    pl_data_close(set);
    pl_data_close(part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_are_in_order_and_defaults_are_legal),
        cmocka_unit_test(unknown_sets_and_sizes_are_refused),
        cmocka_unit_test(expectations_come_true),
        cmocka_unit_test(glyphs_are_functions_of_their_number),
        cmocka_unit_test(glyphs_are_the_same_everywhere),
        cmocka_unit_test(ink_stands_out),
        cmocka_unit_test(splits_are_fixed_disjoint_and_nested),
        cmocka_unit_test(orders_are_permutations),
        cmocka_unit_test(changes_are_crops_of_the_padded_image),
        cmocka_unit_test(changes_belong_to_the_image),
    };
    return cmocka_run_group_tests_name("data", tests, NULL, NULL);
}
