/* ---- importing */
#include "data_folder_parts.h"

static void folders_become_sets(void **state)
{
    (void)state;
    struct report report;
    struct pl_error err = {0};
    make_class("mine/orange", 20, paint_orange);
    make_class("mine/black", 10, paint_black);
    make_class("mine/black/more", 5, paint_black);
    write_file(in_folder("mine/readme.txt"), "x", 1);
    if (import_folder("mine", in_folder("mine"), 0.2, false, &report, &err))
        fail_msg("%s", err.text);
    assert_int_equal(report.files, 35);
    struct pl_dataset *set = open_imported("mine", true);
    assert_int_equal(pl_data_classes(set), 2);
    assert_string_equal(pl_data_class_name(set, 0), "black");
    assert_string_equal(pl_data_class_name(set, 1), "orange");
    assert_int_equal(pl_data_shape(set).width, 16);
    assert_int_equal(pl_data_size(set, PL_SPLIT_TRAIN), 12 + 16);
    assert_int_equal(pl_data_size(set, PL_SPLIT_TEST), 3 + 4);
    assert_int_equal(pl_data_memory(set), 0);
    float image[3 * 16 * 16];
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < 28; i++) {
        int32_t label;
        pl_data_batch(set, PL_SPLIT_TRAIN, &i, 1, NULL, 0, image, &label);
        assert_int_equal(label, i >= 12);
        for (int k = 0; k < 256; k++) {
            sum += image[k];
            squares += image[k] * image[k];
        }
    }
    assert_true(fabs(sum / (28 * 256)) < 1e-5); /* normalised by their own mean and deviation */
    assert_true(fabs(squares / (28 * 256) - 1) < 1e-5);
    pl_data_close(set);
}

/* Is image the mirrored or straight window of stored that is moved by (down, right)? */
static bool is_window(const struct pl_dataset *set, const uint8_t *stored, const float *image, int down, int right,
                      bool mirror)
{
    int side = set->shape.width;
    for (int c = 0; c < 3; c++)
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++) {
                int from_x = (mirror ? side - 1 - x : x) + right, from_y = y + down;
                bool inside = from_x >= 0 && from_x < side && from_y >= 0 && from_y < side;
                int byte = inside ? stored[(c * side + from_y) * side + from_x] : 0;
                if (image[(c * side + y) * side + x] != set->values[c][byte])
                    return false;
            }
    return true;
}

/* Images of 16 x 16 are moved by up to 2 pixels, and half of them mirrored. */
static void photographs_are_mirrored(void **state)
{
    (void)state;
    struct report report;
    struct pl_error err = {0};
    float image[3 * 16 * 16];
    int mirrored[2] = {0, 0}, moved[5] = {0};
    make_class("mine/ramp", 6, paint_ramp);
    make_class("mine/bands", 6, paint_bands);
    assert_int_equal(import_folder("mine", in_folder("mine"), 0, false, &report, &err), 0);
    for (int flip = 0; flip < 2; flip++) {
        struct pl_dataset *set = open_imported("mine", flip);
        struct pl_random r = pl_random_stream(4, PL_STREAM_AUGMENT);
        for (uint64_t epoch = 0; epoch < 40; epoch++) {
            int32_t label;
            uint32_t number = 6 + (uint32_t)(epoch % 6), found = 0;
            pl_data_batch(set, PL_SPLIT_TRAIN, &number, 1, &r, epoch, image, &label);
            for (int change = 0; change < 50 && !found; change++) {
                int down = change % 5 - 2, right = change / 5 % 5 - 2;
                if (!is_window(set, set->stored[0].images + number * 768, image, down, right, change >= 25))
                    continue;
                found++;
                mirrored[flip] += change >= 25;
                moved[right + 2]++;
            }
            assert_int_equal(found, 1);
        }
        pl_data_close(set);
    }
    assert_int_equal(mirrored[0], 0);
    assert_in_range(mirrored[1], 10, 30);
    for (int i = 0; i < 5; i++)
        assert_true(moved[i] > 4);
}

static void train_and_test_folders_are_kept_apart(void **state)
{
    (void)state;
    struct report report;
    struct pl_error err = {0};
    make_class("own/train/a", 4, paint_black);
    make_class("own/train/b", 3, paint_orange);
    make_class("own/test/b", 2, paint_orange);
    if (import_folder("own", in_folder("own"), 0.5, false, &report, &err))
        fail_msg("%s", err.text);
    struct pl_dataset *set = open_imported("own", true);
    assert_int_equal(pl_data_size(set, PL_SPLIT_TRAIN), 7);
    assert_int_equal(pl_data_size(set, PL_SPLIT_TEST), 2);
    pl_data_close(set);
    make_class("own/test/c", 1, paint_orange);
    assert_int_equal(import_folder("own", in_folder("own"), 0.5, false, &report, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "own/test/c is a class that the training images lack"));
    set = open_imported("own", true); /* a failure leaves the old set, and nothing beside it */
    pl_data_close(set);
    assert_int_equal(count_entries(in_folder("data")), 1);
}

/* D7: splits under the names that people give them, in any case. What is there: files of 2 classes, n a class. */
static void splits_of_any_name_are_understood(void **state)
{
    (void)state;
    static const struct {
        const char *folders[3]; /* of 6, 2 and 4 images a class */
        size_t sizes[PL_SPLIT_COUNT];
    } cases[] = {
        {{"Training", "", "Testing"}, {12, 0, 8}},
        {{"Train", "", "Test"}, {12, 0, 8}},
        {{"train", "val", ""}, {6, 4, 6}},
        {{"TRAIN", "Valid", "TEST"}, {12, 4, 8}},
        {{"train", "validation", "test"}, {12, 4, 8}},
        {{"training_set", "", "test_set"}, {12, 0, 8}},
        {{"TrainingSet", "dev", "TestImages"}, {12, 4, 8}},
        {{"train", "", "eval"}, {12, 0, 8}},
        {{"train", "eval", "test"}, {12, 4, 8}},
        {{"train2017", "val2017", ""}, {6, 4, 6}},
        {{"training", "", ""}, {6, 0, 6}},
    };
    static const int counts[] = {6, 2, 4};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct report report;
        struct pl_error err = {0};
        char root[40], name[80];
        snprintf(root, sizeof root, "case%zu", i);
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 2 && *cases[i].folders[k]; c++) {
                snprintf(name, sizeof name, "%s/%s/%s", root, cases[i].folders[k], c ? "ramp" : "bands");
                make_class(name, counts[k], c ? paint_ramp : paint_bands);
            }
        if (import_folder(root, in_folder("%s", root), 0.5, false, &report, &err))
            fail_msg("%s: %s", cases[i].folders[0], err.text);
        struct pl_dataset *set = open_imported(root, true);
        assert_int_equal(pl_data_classes(set), 2);
        for (enum pl_split split = 0; split < PL_SPLIT_COUNT; split++)
            assert_int_equal(pl_data_size(set, split), cases[i].sizes[split]);
        assert_non_null(strstr(report.notes, "splits of "));
        assert_int_equal(strstr(report.notes, "taken out of the training images") != NULL, !*cases[i].folders[2]);
        pl_data_close(set);
    }
}

/* D7: validation images that the set has are validation, whatever `subset` is, and no others can be held out. */
static void own_validation_images_are_used_as_such(void **state)
{
    (void)state;
    struct report report;
    struct pl_error err = {0};
    struct pl_settings s = {0};
    struct pl_text verdict = {0};
    struct pl_dataset *set;
    float image[3 * 16 * 16];
    make_class("own/train/a", 5, paint_black);
    make_class("own/train/b", 5, paint_black);
    make_class("own/val/a", 3, paint_orange);
    make_class("own/val/b", 1, paint_orange);
    make_class("own/test/a", 2, paint_bands);
    assert_int_equal(import_folder("own", in_folder("own"), 0.5, false, &report, &err), 0);
    assert_non_null(strstr(report.notes, "own/test has no images of 1 of 2 classes: b"));
    pl_settings_set_string(&s, "dataset", "folder");
    pl_settings_set_string(&s, "images", "own");
    for (int subset = 0; subset <= 10; subset += 5) {
        pl_settings_set_integer(&s, "subset", subset);
        assert_int_equal(pl_data_open(&set, &s, in_folder("data"), &err), 0);
        assert_int_equal(pl_data_size(set, PL_SPLIT_TRAIN), subset ? subset : 10);
        assert_int_equal(pl_data_size(set, PL_SPLIT_VALID), 4);
        assert_int_equal(pl_data_size(set, PL_SPLIT_TEST), 2);
        for (enum pl_split split = 0; split < PL_SPLIT_TEST; split++)
            for (uint32_t i = 0; i < pl_data_size(set, split); i++) {
                int32_t label;
                pl_data_batch(set, split, &i, 1, NULL, 0, image, &label);
                assert_int_equal(image[0] == set->values[0][split ? 250 : 0], 1);
                if (split)
                    assert_int_equal(label, i == 3);
            }
        pl_data_close(set);
    }
    pl_settings_set_integer(&s, "subset", 0);
    pl_settings_set_integer(&s, "valid", 1);
    assert_int_equal(pl_data_open(&set, &s, in_folder("data"), &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "the set has 4 validation images of its own"));
    assert_int_equal(pl_data_verify("own", in_folder("data"), &verdict, &err), 0);
    assert_non_null(strstr(pl_text(&verdict), "own: 10 training, 4 validation and 2 test images of 2 classes"));
    pl_text_release(&verdict);
    pl_settings_release(&s);
}

/* ---- listing and verifying */

struct seen {
    int count;
    enum pl_data_state state; /* of the one named mine */
    size_t train;
    char last[80];
};

static void see(void *self, const struct pl_data_item *item)
{
    struct seen *seen = self;
    seen->count++;
    assert_true(strcmp(seen->last, item->name) < 0);
    snprintf(seen->last, sizeof seen->last, "%s", item->name);
    if (!strcmp(item->name, "mine")) {
        assert_string_equal(item->dataset, "folder");
        seen->state = item->state;
        seen->train = item->train;
    }
}

static void altered_sets_are_found_out(void **state)
{
    (void)state;
    struct report report;
    struct pl_error err = {0};
    struct pl_text text = {0}, whole = {0};
    struct seen seen = {0};
    make_class("mine/a", 4, paint_black);
    make_class("mine/b", 4, paint_orange);
    assert_int_equal(import_folder("mine", in_folder("mine"), 0.5, false, &report, &err), 0);
    pl_data_list(in_folder("data"), &seen, see);
    assert_int_equal(seen.count, (int)pl_data_count()); /* one more, but `folder` is no set of its own */
    assert_int_equal(seen.state, PL_DATA_READY);
    assert_int_equal(seen.train, 4);
    assert_int_equal(pl_data_verify("mine", in_folder("data"), &text, &err), 0);
    assert_non_null(strstr(pl_text(&text), "4 training and 4 test images of 2 classes"));
    read_file(in_folder("data/mine.images"), &whole);
    whole.text[whole.length - 100] ^= 4;
    write_file(in_folder("data/mine.images"), whole.text, whole.length);
    assert_int_equal(pl_data_verify("mine", in_folder("data"), &text, &err), PL_ECORRUPT);
    assert_non_null(strstr(err.text, "mine.images was altered"));
    write_file(in_folder("data/mine.images"), whole.text, whole.length - 1);
    assert_int_equal(pl_data_verify("mine", in_folder("data"), &text, &err), PL_ECORRUPT);
    seen = (struct seen){0};
    pl_data_list(in_folder("data"), &seen, see);
    assert_int_equal(seen.state, PL_DATA_BROKEN);
    assert_int_equal(pl_data_verify("yours", in_folder("data"), &text, &err), PL_EMISSING);
    pl_text_release(&text);
    pl_text_release(&whole);
}

int main(void)
{
#define TEST_IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(folders_become_sets),
        TEST_IN_FOLDER(photographs_are_mirrored),
        TEST_IN_FOLDER(train_and_test_folders_are_kept_apart),
        TEST_IN_FOLDER(splits_of_any_name_are_understood),
        TEST_IN_FOLDER(own_validation_images_are_used_as_such),
        TEST_IN_FOLDER(altered_sets_are_found_out),
    };
    return cmocka_run_group_tests_name("data folder", tests, NULL, NULL);
}
