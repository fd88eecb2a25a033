/* Folders of images that are refused, or of which something is said. */
#include "data_folder_parts.h"

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

int main(void)
{
#define TEST_IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(strange_layouts_are_said),         TEST_IN_FOLDER(names_of_classes_must_be_text),
        TEST_IN_FOLDER(classes_that_look_alike_are_said), TEST_IN_FOLDER(what_cannot_be_written_is_not_kept),
        TEST_IN_FOLDER(unreadable_files_are_named),       TEST_IN_FOLDER(names_and_folders_are_checked),
    };
    return cmocka_run_group_tests_name("data folder", tests, NULL, NULL);
}
