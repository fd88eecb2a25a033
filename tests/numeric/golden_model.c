/* golden-model DIR...: runs every model file (*.json) of the folders, forward and backward, and compares
 * outputs, gradients and statistics with the file's: in double on `ref`, in float on `cpu` with direct
 * convolutions and with the fast ones. Prints a line for each file that fails and a closing count; exits 1 if any
 * failed or a folder holds none. */
#include "golden_model.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tally {
    size_t passed, failed;
};

static int wanted(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && !strcmp(entry->d_name + length - 5, ".json");
}

static void check_one(const char *folder, const char *name, struct tally *tally)
{
    struct pl_text path = {0};
    struct pl_error err = {0};
    pl_text_addf(&path, "%s/%s", folder, name);
    int status = golden_model_file(pl_text(&path), &err);
    if (status)
        printf("%s: %s\n", pl_text(&path), err.text);
    fflush(stdout);
    pl_text_release(&path);
    tally->passed += status == 0;
    tally->failed += status < 0;
}

/* A folder that cannot be read, or holds none, is a failure too. */
static void check_folder(const char *folder, struct tally *tally)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, wanted, alphasort);
    if (count < 0) {
        printf("%s: %s\n", folder, strerror(errno));
        tally->failed++;
        return;
    }
    for (int i = 0; i < count; i++) {
        check_one(folder, entries[i]->d_name, tally);
        free(entries[i]);
    }
    free(entries);
    if (!count) {
        printf("%s: holds no model file\n", folder);
        tally->failed++;
    }
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: golden-model DIR...\n");
        return 2;
    }
    struct tally tally = {0};
    for (int i = 1; i < argc; i++)
        check_folder(argv[i], &tally);
    printf("%zu passed, %zu failed\n", tally.passed, tally.failed);
    return tally.failed ? 1 : 0;
}
