/* The image files of a folder of classes. */
#include "data/data_priv.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* Names in a folder, hidden ones left out, in byte order. */
struct listing {
    const char **names;
    size_t count, capacity;
    struct pl_pool pool;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int list_folder(struct listing *listing, const char *path, struct pl_error *err)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    *listing = (struct listing){0};
    if (!folder)
        return pl_fail(err, errno == ENOENT ? PL_EMISSING : PL_EIO, "cannot open the folder %s: %s", path, strerror(errno));
    while ((entry = readdir(folder))) {
        if (entry->d_name[0] == '.')
            continue;
        pl_grow((void **)&listing->names, &listing->capacity, listing->count + 1, sizeof *listing->names);
        listing->names[listing->count++] = pl_pool_copy(&listing->pool, entry->d_name);
    }
    closedir(folder);
    if (listing->count)
        qsort(listing->names, listing->count, sizeof *listing->names, compare_names);
    return 0;
}

static void release_listing(struct listing *listing)
{
    free(listing->names);
    pl_pool_release(&listing->pool);
}

static const char *join(struct pl_pool *pool, const char *folder, const char *name)
{
    struct pl_text path = {0};
    pl_text_addf(&path, "%s/%s", folder, name);
    const char *kept = pl_pool_copy(pool, pl_text(&path));
    pl_text_release(&path);
    return kept;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return !stat(path, &info) && S_ISDIR(info.st_mode);
}

static bool is_image_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (!strcasecmp(dot, ".png") || !strcasecmp(dot, ".jpg") || !strcasecmp(dot, ".jpeg"));
}

enum { DEPTH_MOST = 8 }; /* of folders in a class; a link to a folder above ends there */

/* Adds the images of a class, those of folders in it too. */
static int add_files(struct pl_scan *scan, const char *folder, uint16_t label, uint8_t which, int depth,
                     struct pl_error *err)
{
    struct listing listing;
    int status = list_folder(&listing, folder, err);
    for (size_t i = 0; i < listing.count && !status; i++) {
        const char *path = join(&scan->pool, folder, listing.names[i]);
        if (is_folder(path)) {
            status = depth < DEPTH_MOST ? add_files(scan, path, label, which, depth + 1, err)
                                        : pl_fail(err, PL_EINPUT, "%s lies too deep for a folder of one class", path);
        } else if (is_image_name(path)) {
            pl_grow((void **)&scan->files, &scan->capacity, scan->count + 1, sizeof *scan->files);
            scan->files[scan->count++] = (struct pl_scan_file){path, label, which};
        } else {
            scan->others++;
        }
    }
    release_listing(&listing);
    return status;
}

/* Classes are in byte order, because their folders were listed so. */
static int find_class(const struct pl_scan *scan, const char *name)
{
    const char **found = scan->class_count ? bsearch(&name, scan->classes, scan->class_count, sizeof name, compare_names)
                                           : NULL;
    return found ? (int)(found - scan->classes) : -1;
}

/* Training makes the classes; a test folder must not bring one that they lack. */
static int add_classes(struct pl_scan *scan, const char *folder, uint8_t which, struct pl_error *err)
{
    struct listing listing;
    int status = list_folder(&listing, folder, err);
    for (size_t i = 0; i < listing.count && !status; i++) {
        const char *name = listing.names[i], *path = join(&scan->pool, folder, name);
        if (!is_folder(path)) {
            scan->others++;
            continue;
        }
        if (!which && scan->class_count == PL_CLASSES_MOST) {
            status = pl_fail(err, PL_EINPUT, "%s holds more than %d classes", folder, PL_CLASSES_MOST);
            break;
        }
        if (!which) {
            pl_grow((void **)&scan->classes, &scan->class_capacity, scan->class_count + 1, sizeof *scan->classes);
            scan->classes[scan->class_count++] = pl_pool_copy(&scan->pool, name);
        }
        int label = find_class(scan, name);
        if (label < 0)
            status = pl_fail(err, PL_EINPUT, "%s is a class that the training images lack", path);
        else
            status = add_files(scan, path, (uint16_t)label, which, 0, err);
    }
    release_listing(&listing);
    return status;
}

/* Moves the same share of each class to test: those with the smallest draws, so that it is the same choice every
 * time, and nothing that the names of the files could decide. */
struct draw {
    uint64_t value;
    size_t file;
};

static int compare_draws(const void *a, const void *b)
{
    const struct draw *x = a, *y = b;
    return x->value != y->value ? (x->value > y->value) - (x->value < y->value) : (x->file > y->file) - (x->file < y->file);
}

static void split_class(struct pl_scan *scan, size_t first, size_t count, double test)
{
    struct pl_random r = pl_random_stream(1, PL_STREAM_DATA);
    struct draw *draws = pl_new(count * sizeof *draws);
    for (size_t i = 0; i < count; i++)
        draws[i] = (struct draw){pl_random_below(&r, scan->files[first].label, i, UINT64_MAX), first + i};
    qsort(draws, count, sizeof *draws, compare_draws);
    for (size_t i = 0; i < (size_t)((double)count * test + 0.5); i++)
        scan->files[draws[i].file].which = 1;
    free(draws);
}

static void split_classes(struct pl_scan *scan, double test)
{
    for (size_t first = 0, end; first < scan->count; first = end) {
        for (end = first; end < scan->count && scan->files[end].label == scan->files[first].label;)
            end++;
        split_class(scan, first, end - first, test);
    }
}

static int check_classes(const struct pl_scan *scan, const char *folder, struct pl_error *err)
{
    size_t *train = pl_new((scan->class_count + 1) * sizeof *train);
    int status = 0;
    for (size_t i = 0; i < scan->count; i++)
        train[scan->files[i].label] += !scan->files[i].which;
    if (scan->class_count < 2)
        status = pl_fail(err, PL_EINPUT, "%s holds %zu folders of classes, but must hold at least 2, each with the PNG or "
                         "JPEG files of one class", folder, scan->class_count);
    for (size_t i = 0; i < scan->class_count && !status; i++)
        if (!train[i])
            status = pl_fail(err, PL_EINPUT, "class %s has no PNG or JPEG files to train on", scan->classes[i]);
    free(train);
    return status;
}

int pl_scan_folder(struct pl_scan *scan, const char *folder, double test, struct pl_error *err)
{
    *scan = (struct pl_scan){0};
    const char *train_folder = join(&scan->pool, folder, "train"), *test_folder = join(&scan->pool, folder, "test");
    bool split = !is_folder(test_folder) || !is_folder(train_folder);
    if (!is_folder(folder))
        return pl_fail(err, PL_EINPUT, "there is no folder %s", folder);
    if (!is_folder(train_folder))
        train_folder = folder;
    int status = add_classes(scan, train_folder, 0, err);
    if (!status && split)
        split_classes(scan, test);
    if (!status && !split)
        status = add_classes(scan, test_folder, 1, err);
    if (!status)
        status = check_classes(scan, train_folder, err);
    return status;
}

void pl_scan_release(struct pl_scan *scan)
{
    free(scan->files);
    free(scan->classes);
    pl_pool_release(&scan->pool);
}
