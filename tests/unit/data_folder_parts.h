/* Folders of images, for the tests of how they become sets. */
#ifndef PL_TEST_DATA_FOLDER_PARTS_H
#define PL_TEST_DATA_FOLDER_PARTS_H

#include "image_fixture.h"

struct report {
    int files, unreadable;
    char path[400], notes[4000];
};

static inline void count_files(void *self, size_t done, size_t total)
{
    struct report *report = self;
    assert_true(done <= total);
    report->files++;
}

static inline void note_unreadable(void *self, const char *path, const char *why)
{
    struct report *report = self;
    assert_true(*why != 0);
    report->unreadable++;
    snprintf(report->path, sizeof report->path, "%s", path);
}

static inline void note(void *self, const char *text)
{
    struct report *report = self;
    size_t length = strlen(report->notes);
    snprintf(report->notes + length, sizeof report->notes - length, "%s\n", text);
}

static inline void make_class(const char *name, int count, painter paint)
{
    struct pl_error err = {0};
    assert_int_equal(pl_folder_make(in_folder("%s", name), &err), 0);
    for (int i = 0; i < count; i++)
        if (i % 3)
            write_png(in_folder("%s/%d.PNG", name, i), 20 + i, 24, paint);
        else
            write_jpeg(in_folder("%s/%d.jpeg", name, i), 24, 20 + i, paint);
}

static inline int import_folder(const char *name, const char *from, double test, bool skip, struct report *report,
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

static inline struct pl_dataset *open_imported(const char *name, bool flip)
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

#endif
