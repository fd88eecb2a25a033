#include "image_fixture.h"

/* ---- importing */

struct report {
    int files, unreadable;
    char path[400], notes[4000];
};

static void count_files(void *self, size_t done, size_t total)
{
    struct report *report = self;
    assert_true(done <= total);
    report->files++;
}

static void note_unreadable(void *self, const char *path, const char *why)
{
    struct report *report = self;
    assert_true(*why != 0);
    report->unreadable++;
    snprintf(report->path, sizeof report->path, "%s", path);
}

static void note(void *self, const char *text)
{
    struct report *report = self;
    size_t length = strlen(report->notes);
    snprintf(report->notes + length, sizeof report->notes - length, "%s\n", text);
}

static void make_class(const char *name, int count, painter paint)
{
    struct pl_error err = {0};
    assert_int_equal(pl_folder_make(in_folder("%s", name), &err), 0);
    for (int i = 0; i < count; i++)
        if (i % 3)
            write_png(in_folder("%s/%d.PNG", name, i), 20 + i, 24, paint);
        else
            write_jpeg(in_folder("%s/%d.jpeg", name, i), 24, 20 + i, paint);
}

static int import_folder(const char *name, const char *from, double test, bool skip, struct report *report,
                         struct pl_error *err)
{
    *report = (struct report){0};
    struct pl_import import = {.size = 16,
                               .test = test,
                               .skip = skip,
                               .self = report,
                               .progress = count_files,
                               .unreadable = note_unreadable,
                               .note = note};
    return pl_data_import(name, from, in_folder("data"), &import, err);
}

static struct pl_dataset *open_imported(const char *name, bool flip)
{
    struct pl_settings s = {0};
    struct pl_dataset *set;
    struct pl_error err = {0};
    pl_settings_set_string(&s, "dataset", "folder");
    pl_settings_set_string(&s, "images", name);
    pl_settings_set_boolean(&s, "flip", flip);
    if (pl_data_open(&set, &s, in_folder("data"), &err))
        fail_msg("%s", err.text);
    pl_settings_release(&s);
    return set;
}

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

/* D7: what cannot be understood is refused or said, never taken for something else. */
static void strange_layouts_are_said(void **state)
{
    (void)state;
    static const struct {
        const char *files, *says; /* says: in the error, or in a note where the import succeeds */
        bool succeeds;
        size_t train, test;
    } cases[] = {
        {"train/a/1.png train/a/2.png train/b/1.png train/b/2.png test/1.png test/2.png test/3.png",
         "/test is not used: it holds 3 files but no folders of classes", true, 2, 2},
        {"train/a/1.png train/b/1.png test/a/x.bmp", "/test holds no PNG or JPEG files in its folders", true, 0, 0},
        {"a/1.png a/2.bmp a/3.BMP a/4.txt b/1.png b/.hidden.png b/noending 5.png", "1 beside the folders of classes (",
         true, 0, 0},
        {"a/1.png a/2.bmp a/3.BMP b/1.png", "2 .bmp (as ", true, 0, 0},
        {"a/1.png b/1.png b/.x.png", "1 hidden (", true, 0, 0},
        {"train/a/1.png train/b/1.png labels.csv", "1 .csv (", true, 0, 0},
        {"train/a/1.png train/b/1.png test/a/1.png other/a/1.png", "/other is not used: it is no split", true, 2, 1},
        {"train/1.png car/1.png", "", true, 0, 0}, /* a class of trains */
        {"a/1.png b/1.bmp", "class b has no PNG or JPEG files to train on; not read: 1 .bmp (", false, 0, 0},
        {"train/1.png test/1.png", "/train holds no folders of classes", false, 0, 0},
        {"test/a/1.png val/a/1.png", "has the name of a split, but beside it there is no folder train", false, 0, 0},
        {"a/1.png b/1.png test/1.png", "/test has the name of a split", false, 0, 0},
        {"train/a/1.png Training/a/1.png", "would both be the training images", false, 0, 0},
        {"train/a/1.png train/b/1.png val/a/1.png dev/b/1.png", "would both be the validation images", false, 0, 0},
        {"a/train/1.png a/test/1.png b/train/1.png b/test/1.png", "splits must stand above the classes", false, 0, 0},
        {"all/train/a/1.png all/train/b/1.png all/test/a/1.png",
         "holds nothing but the folder all; if that has the classes, or the splits, import ", false, 0, 0},
        {"seg_train/1.png seg_test/1.png", "look like training and test images", false, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct report report;
        struct pl_error err = {0};
        size_t length;
        char root[20];
        snprintf(root, sizeof root, "odd%zu", i);
        for (const char *w = cases[i].files; (w = pl_next_word(w, &length)); w += length) {
            pl_folder_make_parent(in_folder("%s/%.*s", root, (int)length, w), &err);
            write_png(in_folder("%s/%.*s", root, (int)length, w), 16, 16, paint_ramp);
        }
        int status = import_folder(root, in_folder("%s", root), 0.5, false, &report, &err);
        const char *said = cases[i].succeeds ? report.notes : err.text;
        if (status != (cases[i].succeeds ? 0 : PL_EINPUT) || !strstr(said, cases[i].says))
            fail_msg("%s: %s", cases[i].files, said);
        if (!cases[i].succeeds)
            continue;
        struct pl_dataset *set = open_imported(root, true);
        if (cases[i].train)
            assert_int_equal(pl_data_size(set, PL_SPLIT_TRAIN), cases[i].train);
        if (cases[i].test)
            assert_int_equal(pl_data_size(set, PL_SPLIT_TEST), cases[i].test);
        pl_data_close(set);
    }
}

/* D4: names that are no UTF-8 are named, and the set that was there stays. */
static void names_of_classes_must_be_text(void **state)
{
    (void)state;
    static const char *const bad[] = {"caf\xe9", "\xff", "a\xc3", "new\nline", "\xed\xa0\x80"};
    static const char *const said[] = {"caf\\xe9 in", "\\xff in", "a\\xc3 in", "new\\x0aline in", "\\xed\\xa0\\x80 in"};
    struct report report;
    struct pl_error err = {0};
    struct pl_text before = {0}, after = {0};
    make_class("good/x", 2, paint_black);
    make_class("good/y", 2, paint_orange);
    assert_int_equal(import_folder("set", in_folder("good"), 0.5, false, &report, &err), 0);
    read_file(in_folder("data/set.images"), &before);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char name[60];
        snprintf(name, sizeof name, "bad%zu/x", i);
        make_class(name, 2, paint_black);
        snprintf(name, sizeof name, "bad%zu/%s", i, bad[i]);
        make_class(name, 2, paint_orange);
        snprintf(name, sizeof name, "bad%zu", i);
        assert_int_equal(import_folder("set", in_folder("%s", name), 0.5, false, &report, &err), PL_EINPUT);
        if (!strstr(err.text, said[i]) || !pl_utf8_valid(err.text, strlen(err.text), NULL))
            fail_msg("%s", err.text);
        read_file(in_folder("data/set.images"), &after);
        assert_int_equal(after.length, before.length);
        assert_memory_equal(after.text, before.text, before.length);
        assert_int_equal(count_entries(in_folder("data")), 1);
    }
    pl_text_release(&before);
    pl_text_release(&after);
}

/* D4: two names that only capitals tell apart are said. */
static void classes_that_look_alike_are_said(void **state)
{
    (void)state;
    struct report report;
    struct pl_error err = {0};
    make_class("case/Cat", 2, paint_black);
    make_class("case/cat", 2, paint_orange);
    assert_int_equal(import_folder("case", in_folder("case"), 0.5, false, &report, &err), 0);
    assert_non_null(strstr(report.notes, "classes Cat and cat differ only in capitals"));
}

/* D4: whatever comes by, a set whose names cannot be written never takes the place of one that was there. */
static void what_cannot_be_written_is_not_kept(void **state)
{
    (void)state;
    struct report report;
    struct pl_error err = {0};
    struct pl_settings header = {0};
    struct pl_text before = {0}, after = {0};
    make_class("good/x", 2, paint_black);
    make_class("good/y", 2, paint_orange);
    assert_int_equal(import_folder("set", in_folder("good"), 0.5, false, &report, &err), 0);
    read_file(in_folder("data/set.images"), &before);
    struct pl_dataset *set = open_imported("set", true);
    set->class_names[1] = "caf\xe9";
    assert_true(pl_cache_write(set, in_folder("data/set.images"), &header, &err) < 0);
    read_file(in_folder("data/set.images"), &after);
    assert_int_equal(after.length, before.length);
    assert_memory_equal(after.text, before.text, before.length);
    assert_int_equal(count_entries(in_folder("data")), 1);
    pl_data_close(set);
    pl_settings_release(&header);
    pl_text_release(&before);
    pl_text_release(&after);
}

static void unreadable_files_are_named(void **state)
{
    (void)state;
    struct report report;
    struct pl_error err = {0};
    make_class("bad/a", 4, paint_black);
    make_class("bad/b", 4, paint_orange);
    write_file(in_folder("bad/b/broken.png"), "\x89PNG but not for long", 21);
    assert_int_equal(import_folder("bad", in_folder("bad"), 0, false, &report, &err), PL_ECORRUPT);
    assert_non_null(strstr(err.text, "1 of 9 files"));
    assert_int_equal(report.unreadable, 1);
    assert_non_null(strstr(report.path, "bad/b/broken.png"));
    assert_int_not_equal(access(in_folder("data"), F_OK), 0);
    assert_int_equal(import_folder("bad", in_folder("bad"), 0, true, &report, &err), 0);
    struct pl_dataset *set = open_imported("bad", true);
    assert_int_equal(pl_data_size(set, PL_SPLIT_TRAIN), 8);
    assert_int_equal(pl_data_size(set, PL_SPLIT_TEST), 0);
    pl_data_close(set);
    make_class("bad/c", 0, paint_black);
    assert_int_equal(import_folder("bad", in_folder("bad"), 0, true, &report, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "class c has no PNG or JPEG files"));
    write_file(in_folder("bad/c/broken.jpg"), "\xff\xd8\xff", 3);
    assert_int_equal(import_folder("bad", in_folder("bad"), 0, true, &report, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "class c has no readable image"));
}

static void names_and_folders_are_checked(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "../x", "a b", "-x", "cifar10", "glyphs", "folder"};
    struct report report;
    struct pl_error err = {0};
    struct pl_settings s = {0};
    struct pl_dataset *set;
    make_class("two/a", 1, paint_black);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(import_folder(bad[i], in_folder("two"), 0, false, &report, &err), PL_EINPUT);
    assert_int_equal(import_folder("two", in_folder("two"), 0, false, &report, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "holds 1 folders of classes"));
    assert_int_equal(import_folder("two", in_folder("none"), 0, false, &report, &err), PL_EINPUT);
    assert_non_null(strstr(err.text, "there is no folder"));
    pl_settings_set_string(&s, "dataset", "folder");
    pl_settings_set_string(&s, "images", "two");
    assert_int_equal(pl_data_open(&set, &s, folder, &err), PL_EMISSING);
    assert_non_null(strstr(err.text, "poula data import two FOLDER"));
    pl_settings_set_string(&s, "images", "../two");
    assert_int_equal(pl_data_open(&set, &s, folder, &err), PL_EINPUT);
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
        TEST_IN_FOLDER(strange_layouts_are_said),
        TEST_IN_FOLDER(names_of_classes_must_be_text),
        TEST_IN_FOLDER(classes_that_look_alike_are_said),
        TEST_IN_FOLDER(what_cannot_be_written_is_not_kept),
        TEST_IN_FOLDER(unreadable_files_are_named),
        TEST_IN_FOLDER(names_and_folders_are_checked),
        TEST_IN_FOLDER(altered_sets_are_found_out),
    };
    return cmocka_run_group_tests_name("data folder", tests, NULL, NULL);
}
