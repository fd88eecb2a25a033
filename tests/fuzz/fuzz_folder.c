/* Folders of classes. Each line of the input is a path in the folder: one that ends in / is a folder, one with -> in it
 * a link, any other a file whose content the number of its line decides. */
#include "fuzz.h"
#include "data/images/images_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t png[] = {0x89, 'P',  'N',  'G',  '\r', '\n', 0x1a, '\n', 0,    0,    0,    13,   'I',  'H',
                              'D',  'R',  0,    0,    0,    1,    0,    0,    0,    1,    8,    0,    0,    0,
                              0,    0x3a, 0x7e, 0x9b, 0x55, 0,    0,    0,    10,   'I',  'D',  'A',  'T',  0x78,
                              0x9c, 0x63, 0x68, 0,    0,    0,    0x82, 0,    0x81, 0x77, 0xcd, 0x72, 0xb6, 0,
                              0,    0,    0,    'I',  'E',  'N',  'D',  0xae, 0x42, 0x60, 0x82};

static bool is_safe(const char *line)
{
    return *line && *line != '/' && strlen(line) < 200 && !strstr(line, "..");
}

static void make_parents(char *path, size_t root)
{
    for (char *c = path + root; *c; c++)
        if (*c == '/') {
            *c = '\0';
            mkdir(path, 0700);
            *c = '/';
        }
}

static void make_entry(const char *root, char *line, int number)
{
    char path[5000];
    char *arrow = strstr(line, "->");
    if (!is_safe(line) || (arrow && !is_safe(arrow + 2)))
        return;
    if (arrow)
        *arrow = '\0';
    snprintf(path, sizeof path, "%s/%s", root, line);
    make_parents(path, strlen(root) + 1);
    FILE *file = NULL;
    if (arrow) {
        if (symlink(arrow + 2, path))
            return;
    } else if (!path[0] || path[strlen(path) - 1] != '/') {
        file = fopen(path, "wb");
    }
    if (file && number % 4)
        fwrite(png, 1, number % 4 == 3 ? 20 : sizeof png, file);
    if (file)
        fclose(file);
}

static void make_tree(const char *root, const uint8_t *data, size_t size)
{
    char *text = pl_copy_bytes((const char *)data, size), *next = text;
    fuzz_remove(root);
    MUST(!mkdir(root, 0700));
    for (int number = 1; next && number < 60; number++) {
        char *line = strsep(&next, "\n");
        make_entry(root, line, number);
    }
    free(text);
}

static void ignore(void *self, const char *path, const char *why)
{
    (void)self;
    MUST(*path && *why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, size};
    struct pl_folder_scan scan;
    struct pl_error err = {0};
    char *root = pl_copy(fuzz_path("tree"));
    uint64_t kind = fuzz_take(&bytes, 1);
    double share = (double)(kind % 5) / 4;
    make_tree(root, bytes.at, bytes.left);
    int status = pl_scan_folder(&scan, root, share, &err);
    fuzz_must_say(status, &err);
    for (size_t i = 0; !status && i < scan.count; i++)
        MUST(scan.files[i].label < scan.class_count && scan.files[i].split < PL_SPLIT_COUNT);
    pl_scan_release(&scan);
    struct pl_import import = {.size = 2, .test = share, .skip = kind & 64, .unreadable = ignore};
    struct pl_settings settings = {0};
    struct pl_dataset *set = NULL;
    err = (struct pl_error){0};
    status = pl_data_import("set", root, fuzz_folder(), &import, &err);
    fuzz_must_say(status, &err);
    pl_settings_set_string(&settings, "dataset", "folder");
    pl_settings_set_string(&settings, "images", "set");
    if (!status) /* what was imported can be used */
        MUST(!pl_data_open(&set, &settings, fuzz_folder(), &err) || err.code == PL_EINPUT);
    pl_data_close(set);
    pl_settings_release(&settings);
    free(root);
    return 0;
}
