/* golden-optim [--all] DIR...: steps every optimizer file (*.json) of the folders and compares each value with the
 * file's, in double and in float. Nothing about a file is known here: names, settings, shapes and numbers are all read
 * from it. With --all, each of poula's optimizers must have stepped through one (D15), as one whose sign is wrong has
 * none that it agrees with, and for each of its settings through one with another value than the default. Prints a line
 * for each failure and a closing count; exits 1 if anything failed or a folder holds none. */
#include "golden_optim.h"

#include "optim/optim.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct names {
    char **names;
    size_t count;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_folder(const char *folder, struct names *list)
{
    DIR *open = opendir(folder);
    if (!open) {
        printf("%s: %s\n", folder, strerror(errno));
        return -1;
    }
    struct dirent *entry;
    while ((entry = readdir(open))) {
        size_t length = strlen(entry->d_name);
        if (length <= 5 || strcmp(entry->d_name + length - 5, ".json"))
            continue;
        list->names = pl_resize(list->names, list->count + 1, sizeof *list->names);
        struct pl_text path = {0};
        pl_text_addf(&path, "%s/%s", folder, entry->d_name);
        list->names[list->count++] = pl_text_take(&path);
    }
    closedir(open);
    if (list->count)
        qsort(list->names, list->count, sizeof *list->names, by_name);
    return 0;
}

enum { MOST_OPTIMIZERS = 1000, MOST_SETTINGS = 64 };
/* By their places in the list: with some file it agrees; and that has a value other than the default of a setting. */
static bool agreed[MOST_OPTIMIZERS], tried[MOST_OPTIMIZERS][MOST_SETTINGS];

static bool is_default(const struct pl_setting *setting, const struct pl_value *value)
{
    struct pl_value initial;
    struct pl_error err;
    if (!setting->initial || pl_setting_read(setting, setting->initial, &initial, &err) || initial.type != value->type)
        return false;
    switch (value->type) {
    case PL_REAL:
        return value->real == initial.real;
    case PL_INTEGER:
        return value->integer == initial.integer;
    case PL_BOOLEAN:
        return value->boolean == initial.boolean;
    case PL_STRING:
        return !strcmp(value->string, initial.string);
    }
    return false;
}

static void note_agreement(const struct pl_settings *settings)
{
    const char *optimizer = pl_settings_string(settings, "optimizer", "");
    for (size_t i = 0; i < pl_optim_count() && i < MOST_OPTIMIZERS; i++) {
        const struct pl_optimizer_info *info = pl_optim_info(i);
        if (strcmp(info->name, optimizer))
            continue;
        agreed[i] = true;
        for (size_t k = 0; k < info->setting_count && k < MOST_SETTINGS; k++) {
            const struct pl_value *value = pl_settings_find(settings, info->settings[k].key);
            tried[i][k] = tried[i][k] || (value && !is_default(&info->settings[k], value));
        }
    }
}

static bool has_no_effect(const struct pl_setting *setting)
{
    return setting->idle_when && !strcmp(setting->idle_when, "always");
}

static size_t count_missing(void)
{
    static const char hint[] = "(tests/golden/optim/make writes one from the formula)";
    size_t missing = 0;
    for (size_t i = 0; i < pl_optim_count(); i++) {
        const struct pl_optimizer_info *info = pl_optim_info(i);
        if (i >= MOST_OPTIMIZERS || !agreed[i]) {
            printf("%s: no file that it agrees with %s\n", info->name, hint);
            missing++;
            continue;
        }
        for (size_t k = 0; k < info->setting_count; k++)
            if ((k >= MOST_SETTINGS || !tried[i][k]) && !has_no_effect(&info->settings[k])) {
                printf("%s: no file that it agrees with has a value of %s other than the default %s\n", info->name,
                       info->settings[k].key, hint);
                missing++;
            }
    }
    return missing;
}

/* Returns the number of failures of one folder: an unreadable or empty one is a failure. */
static size_t check_folder(const char *folder, size_t *checked)
{
    struct names list = {0};
    if (list_folder(folder, &list))
        return 1;
    size_t failed = 0;
    if (!list.count) {
        printf("%s: holds no *.json\n", folder);
        failed = 1;
    }
    for (size_t i = 0; i < list.count; i++) {
        struct pl_error err = {0};
        struct pl_settings settings = {0};
        if (golden_check_file(list.names[i], &settings, &err)) {
            printf("%s: %s\n", list.names[i], err.text);
            failed++;
        }
        note_agreement(&settings);
        pl_settings_release(&settings);
        free(list.names[i]);
    }
    *checked += list.count;
    free(list.names);
    return failed;
}

int main(int argc, char **argv)
{
    const bool all = argc > 1 && !strcmp(argv[1], "--all");
    if (argc < 2 + all) {
        fprintf(stderr, "usage: golden-optim [--all] DIR...\n");
        return 2;
    }
    size_t failed = 0, checked = 0;
    for (int i = 1 + all; i < argc; i++)
        failed += check_folder(argv[i], &checked);
    if (all)
        failed += count_missing();
    printf("%zu files checked, %zu failures\n", checked, failed);
    return failed ? 1 : 0;
}
