/* Own images: a folder of classes is imported once, as a cache file that the set `folder` maps from then on. */
#include "data/images/images_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 3 };

static bool is_name(const char *name)
{
    return *name && strlen(name) <= 64 && *name != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == strlen(name);
}

/* ---- importing */

/* Reads every file into its place: images[0] has training and then validation, as the files are in this order. Files
 * that cannot be read are named; *bad of them are left out. */
static int read_files(const struct pl_folder_scan *scan, const struct pl_import *import, uint8_t *images[2],
                      uint16_t *labels[2], size_t counts[PL_SPLIT_COUNT], size_t *bad, struct pl_error *err)
{
    size_t image = CHANNELS * (size_t)import->size * (size_t)import->size, filled[2] = {0, 0};
    for (size_t i = 0; i < scan->count; i++) {
        const struct pl_scan_file *file = &scan->files[i];
        int which = file->split == PL_SPLIT_TEST;
        struct pl_error trouble;
        int status = pl_image_read(file->path, import->size, images[which] + filled[which] * image, &trouble);
        if (status == PL_EMEMORY)
            return pl_fail(err, status, "cannot read %s: %s", file->path, trouble.text);
        if (status) {
            ++*bad;
            if (import->unreadable)
                import->unreadable(import->self, file->path, trouble.text);
        } else {
            labels[which][filled[which]++] = file->label;
            counts[file->split]++;
        }
        if (import->progress)
            import->progress(import->self, i + 1, scan->count);
    }
    return 0;
}

/* Mean and deviation of each channel over the training images, in whole numbers until the end. */
static void measure(struct pl_dataset *set)
{
    struct pl_image_shape shape = set->shape;
    struct pl_colours *colours = &set->colours;
    size_t images = set->stored[0].count - set->held, plane = (size_t)shape.height * (size_t)shape.width;
    for (int c = 0; c < shape.channels; c++) {
        uint64_t sum = 0, squares = 0, count = images * plane;
        for (size_t i = 0; i < images; i++) {
            const uint8_t *bytes = set->stored[0].images + (i * (size_t)shape.channels + (size_t)c) * plane;
            for (size_t k = 0; k < plane; k++) {
                sum += bytes[k];
                squares += (uint64_t)bytes[k] * bytes[k];
            }
        }
        double mean = (double)sum / (double)count, variance = (double)squares / (double)count - mean * mean;
        colours->mean[c] = (float)(mean / 255);
        colours->deviation[c] = (float)fmax(sqrt(fmax(variance, 0)) / 255,
                                            1.0 / 255); /* of one colour: no division by 0 */
    }
}

static int check_labels(const struct pl_dataset *set, struct pl_error *err)
{
    size_t *train = pl_new((size_t)set->classes * sizeof *train);
    int status = 0;
    for (size_t i = 0; i < set->stored[0].count - set->held; i++)
        train[set->stored[0].labels[i]]++;
    for (int i = 0; i < set->classes && !status; i++)
        if (!train[i])
            status = pl_fail(err, PL_EINPUT, "class %s has no readable image to train on", set->class_names[i]);
    free(train);
    return status;
}

static int fill(struct pl_dataset *set, const struct pl_folder_scan *scan, const struct pl_import *import,
                struct pl_error *err)
{
    size_t found[2] = {0, 0}, counts[PL_SPLIT_COUNT] = {0}, bad = 0;
    uint8_t *images[2];
    uint16_t *labels[2];
    for (size_t i = 0; i < scan->count; i++)
        found[scan->files[i].split == PL_SPLIT_TEST]++;
    set->shape = (struct pl_image_shape){CHANNELS, import->size, import->size};
    set->classes = (int)scan->class_count;
    set->class_names = pl_pool_take(&set->pool, scan->class_count * sizeof *set->class_names);
    for (size_t i = 0; i < scan->class_count; i++)
        set->class_names[i] = pl_pool_copy(&set->pool, scan->classes[i]);
    int status = pl_dataset_allocate(set, found, images, labels, err);
    if (!status)
        status = read_files(scan, import, images, labels, counts, &bad, err);
    if (status)
        return status;
    if (bad && !import->skip)
        return pl_fail(err, PL_ECORRUPT, "%zu of %zu files cannot be read, so nothing was imported", bad, scan->count);
    set->held = counts[PL_SPLIT_VALID];
    set->stored[0].count = counts[PL_SPLIT_TRAIN] + set->held;
    set->stored[1].count = counts[PL_SPLIT_TEST];
    status = check_labels(set, err);
    if (!status)
        measure(set);
    pl_dataset_checksum(set, set->checksum);
    return status;
}

static void tell(const struct pl_folder_scan *scan, const struct pl_dataset *set, const struct pl_import *import)
{
    if (!import->note)
        return;
    for (size_t i = 0; i < scan->note_count; i++)
        import->note(import->self, scan->notes[i]);
    if (!set->stored[1].count)
        import->note(import->self, "there are no test images: trainings on this set have no test metrics");
}

int pl_data_import(const char *name, const char *from, const char *folder, const struct pl_import *import,
                   struct pl_error *err)
{
    if (!is_name(name))
        return pl_fail(err, PL_EINPUT, "\"%.100s\" cannot name a set: a name has up to 64 letters, digits, _ and -",
                       name);
    if (pl_data_find(name))
        return pl_fail(err, PL_EINPUT, "%s is a set of its own; give the imported one another name", name);
    struct pl_dataset *set = pl_new(sizeof *set);
    struct pl_settings header = {0};
    struct pl_text path = {0};
    struct pl_folder_scan scan;
    int status = pl_scan_folder(&scan, from, import->test, err);
    set->type = &pl_dataset_folder;
    pl_cache_path(&path, folder, name);
    if (!status)
        status = fill(set, &scan, import, err);
    if (!status)
        status = pl_folder_make(folder, err);
    pl_settings_set_string(&header, "kind", "folder");
    pl_settings_set_string(&header, "source", from);
    if (!status)
        status = pl_cache_write(set, pl_text(&path), &header, err);
    if (!status)
        tell(&scan, set, import);
    pl_dataset_forget(set);
    free(set);
    pl_settings_release(&header);
    pl_text_release(&path);
    pl_scan_release(&scan);
    return status;
}

/* ---- the set */

static int folder_open(struct pl_dataset *set, const struct pl_settings *chosen, const char *folder,
                       struct pl_error *err)
{
    const char *name = pl_settings_string(chosen, "images", "");
    struct pl_settings header = {0};
    struct pl_text path = {0};
    struct pl_error trouble;
    if (!is_name(name))
        return pl_fail(err, PL_EINPUT, "images is \"%.100s\", but must be the name of an imported set", name);
    pl_cache_path(&path, folder, name);
    int status = pl_cache_open_checked(set, pl_text(&path), &header, &trouble);
    if (status == PL_EMISSING)
        pl_fail(err, status,
                "there is no %s; `poula data import %s FOLDER --data %s` makes it from a folder of classes",
                pl_text(&path), name, folder);
    else if (status)
        pl_fail(err, status, "%s; import it again", trouble.text);
    else if (strcmp(pl_settings_string(&header, "kind", ""), "folder"))
        status = pl_fail(err, PL_EINPUT, "%s is not an imported set; write dataset: %s", pl_text(&path), name);
    set->flip = pl_settings_need_boolean(chosen, "flip");
    pl_settings_release(&header);
    pl_text_release(&path);
    return status;
}

static const struct pl_setting settings[] = {
    {.key = "images", .type = PL_STRING, .help = "name under which the images were imported"},
    {.key = "flip",
     .type = PL_BOOLEAN,
     .initial = "true",
     .help = "mirror every other training image when augmenting",
     .idle_when = "augment=false"},
};

const struct pl_dataset_type pl_dataset_folder = {
    .info = {.name = "folder",
             .help = "own images, imported from a folder of classes by poula data import",
             .settings = settings,
             .setting_count = sizeof settings / sizeof *settings},
    .open = folder_open,
};
