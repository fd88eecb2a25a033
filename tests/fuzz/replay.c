/* Gives every file of the named folders to a fuzz target, without libFuzzer: replay FOLDER... Each input must be taken
 * without a crash, a broken promise (abort) or a sanitizer's complaint. */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int take(const char *path)
{
    struct pl_text text = {0};
    struct pl_error err = {0};
    printf("%s\n", path);
    fflush(stdout); /* it stands last if this one aborts */
    if (pl_file_read(path, (size_t)64 << 20, &text, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    uint8_t *exact = malloc(text.length ? text.length : 1); /* so that a byte beyond it is noticed */
    memcpy(exact, pl_text(&text), text.length);
    LLVMFuzzerTestOneInput(exact, text.length);
    free(exact);
    pl_text_release(&text);
    return 0;
}

static int compare(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int main(int count, char **arguments)
{
    int taken = 0, failed = 0;
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < count; i++) {
        struct dirent **names;
        int found = scandir(arguments[i], &names, is_shown, compare);
        if (found < 0) {
            fprintf(stderr, "cannot open %s: %s\n", arguments[i], strerror(errno));
            return 2;
        }
        for (int k = 0; k < found; k++) {
            char path[5000];
            snprintf(path, sizeof path, "%s/%s", arguments[i], names[k]->d_name);
            failed += take(path);
            taken++;
            free(names[k]);
        }
        free(names);
    }
    printf("%d inputs\n", taken);
    return failed || !taken ? 1 : 0;
}
