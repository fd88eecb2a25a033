/* golden-optim [--all] DIR...: steps every optimizer file (*.json) of the folders and compares each value with the
 * file's, in double and in float. Nothing about a file is known here: names, settings, shapes and numbers are all read
 * from it. With --all, each of poula's optimizers must have stepped through one (D15): one whose sign is wrong has none
 * that it agrees with. Prints a line for each failure and a closing count; exits 1 if anything failed or a folder holds
 * none. */
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

enum { MOST_OPTIMIZERS = 1000 };
static bool agreed[MOST_OPTIMIZERS]; /* with some file: by their places in the list */

static void note_agreement(const char *optimizer)
{
    for (size_t i = 0; optimizer && i < pl_optim_count() && i < MOST_OPTIMIZERS; i++)
        if (!strcmp(pl_optim_info(i)->name, optimizer))
            agreed[i] = true;
}

static size_t count_missing(void)
{
    size_t missing = 0;
    for (size_t i = 0; i < pl_optim_count(); i++)
        if (i >= MOST_OPTIMIZERS || !agreed[i]) {
            printf("%s: no file that it agrees with (tests/golden/optim/make writes one from the formula)\n",
                   pl_optim_info(i)->name);
            missing++;
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
        const char *optimizer;
        if (golden_check_file(list.names[i], &optimizer, &err)) {
            printf("%s: %s\n", list.names[i], err.text);
            failed++;
        }
        note_agreement(optimizer);
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
