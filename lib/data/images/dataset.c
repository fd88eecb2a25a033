/* The table of data sets, opening one, and how its images are split. */
#include "data/images/images_priv.h"

#include <openssl/evp.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const void *const types[] = {&pl_dataset_cifar10, &pl_dataset_cifar100, &pl_dataset_folder, &pl_dataset_glyphs};
const struct pl_registry pl_data_registry = PL_REGISTRY("dataset", types, struct pl_dataset_type, info.name);

static const struct pl_setting common_settings[] = {
    {.key = "valid",
     .type = PL_INTEGER,
     .initial = "0",
     .range = "[0,100000000]",
     .help = "training images held out for validation, the same ones for every seed"},
    {.key = "subset",
     .type = PL_INTEGER,
     .initial = "0",
     .range = "[0,100000000]",
     .help = "training images to use, a fixed choice of them; 0: all"},
    {.key = "test_subset",
     .type = PL_INTEGER,
     .initial = "0",
     .range = "[0,100000000]",
     .help = "test images to use, a fixed choice of them; 0: all"},
    {.key = "augment",
     .type = PL_BOOLEAN,
     .role = PL_ASIDE,
     .initial = "true",
     .help = "move (and, where the set allows it, mirror) training images at random"},
};

size_t pl_data_count(void)
{
    return pl_data_registry.count;
}

const struct pl_dataset_info *pl_data_at(size_t index)
{
    const struct pl_dataset_type *type = types[index];
    return &type->info;
}

const struct pl_dataset_type *pl_dataset_type_find(const char *name)
{
    return pl_registry_find(&pl_data_registry, name);
}

const struct pl_dataset_info *pl_data_find(const char *name)
{
    const struct pl_dataset_type *type = pl_dataset_type_find(name);
    return type ? &type->info : NULL;
}

const struct pl_setting *pl_data_common_settings(size_t *count)
{
    *count = sizeof common_settings / sizeof *common_settings;
    return common_settings;
}

/* ---- splits */

/* How many images each split has of those that are stored. */
static int count_splits(const struct pl_settings *settings, const size_t counts[2], size_t sizes[PL_SPLIT_COUNT],
                        struct pl_error *err)
{
    size_t valid = (size_t)pl_settings_need_integer(settings, "valid");
    size_t subset = (size_t)pl_settings_need_integer(settings, "subset");
    size_t test = (size_t)pl_settings_need_integer(settings, "test_subset");
    if (valid >= counts[0])
        return pl_fail(err, PL_EINPUT, "valid is %zu, but there are only %zu training images to hold some out of",
                       valid, counts[0]);
    if (subset > counts[0] - valid)
        return pl_fail(err, PL_EINPUT, "subset is %zu, but there are only %zu training images%s", subset,
                       counts[0] - valid, valid ? " besides those held out for validation" : "");
    if (test > counts[1])
        return pl_fail(err, PL_EINPUT, "test_subset is %zu, but there are only %zu test images", test, counts[1]);
    sizes[PL_SPLIT_VALID] = valid;
    sizes[PL_SPLIT_TRAIN] = subset ? subset : counts[0] - valid;
    sizes[PL_SPLIT_TEST] = test ? test : counts[1];
    return 0;
}

/* A random order of 0..count-1: Fisher-Yates, two 64-bit draws of each Philox block. */
static void permute(struct pl_random r, uint64_t step, uint32_t *order, size_t count)
{
    __extension__ typedef unsigned __int128 wide;
    uint32_t bits[4] = {0};
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (size_t i = 1; i < count; i++) {
        if (i % 2)
            pl_random_bits(&r, step, i / 2, bits);
        const uint32_t *half = i % 2 ? bits : bits + 2;
        size_t j = (size_t)((wide)((uint64_t)half[1] << 32 | half[0]) * (i + 1) >> 64);
        uint32_t other = order[j];
        order[j] = order[i];
        order[i] = other;
    }
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void choose(struct pl_part *part, const struct pl_stored *of, const uint32_t *chosen, size_t count)
{
    *part = (struct pl_part){.of = of, .count = count};
    if (count == of->count)
        return;
    part->numbers = pl_new((count + 1) * sizeof *part->numbers);
    memcpy(part->numbers, chosen, count * sizeof *chosen);
    qsort(part->numbers, count, sizeof *part->numbers, compare_numbers);
}

/* Both choices come from one fixed order of the images: validation takes its end and a subset its beginning, so that
 * a smaller subset is part of every larger one and none depends on the seed of a run. Images that the set itself holds
 * for validation stand behind those of training, in this order too. */
static int split(struct pl_dataset *set, const struct pl_settings *settings, struct pl_error *err)
{
    size_t counts[2] = {set->stored[0].count - set->held, set->stored[1].count}, sizes[PL_SPLIT_COUNT];
    int status = count_splits(settings, counts, sizes, err);
    if (!status && set->held && sizes[PL_SPLIT_VALID])
        status = pl_fail(err, PL_EINPUT,
                         "valid is %zu, but the set has %zu validation images of its own, which are used",
                         sizes[PL_SPLIT_VALID], set->held);
    if (status)
        return status;
    if (set->held)
        sizes[PL_SPLIT_VALID] = set->held;
    struct pl_random fixed = pl_random_stream(0, PL_STREAM_DATA);
    uint32_t *order = pl_arena((set->stored[0].count > counts[1] ? set->stored[0].count : counts[1]) + 1,
                               sizeof *order);
    if (!order)
        return pl_fail(err, PL_EMEMORY, "there is not enough memory to split %zu images", counts[0]);
    permute(fixed, 0, order, counts[0]);
    for (size_t i = counts[0]; i < set->stored[0].count; i++)
        order[i] = (uint32_t)i;
    choose(&set->parts[PL_SPLIT_TRAIN], &set->stored[0], order, sizes[PL_SPLIT_TRAIN]);
    choose(&set->parts[PL_SPLIT_VALID], &set->stored[0], order + set->stored[0].count - sizes[PL_SPLIT_VALID],
           sizes[PL_SPLIT_VALID]);
    permute(fixed, 1, order, counts[1]);
    choose(&set->parts[PL_SPLIT_TEST], &set->stored[1], order, sizes[PL_SPLIT_TEST]);
    free(order);
    return 0;
}

/* ---- opening */

/* A set's settings, absent ones at their defaults. */
static void fill(struct pl_settings *filled, const struct pl_dataset_type *type, const struct pl_settings *given)
{
    pl_settings_copy(filled, given);
    pl_settings_fill(filled, type->info.settings, type->info.setting_count);
    pl_settings_fill(filled, common_settings, sizeof common_settings / sizeof *common_settings);
}

bool pl_data_expect(const struct pl_settings *settings, struct pl_image_shape *shape, int *classes,
                    size_t sizes[PL_SPLIT_COUNT])
{
    const struct pl_dataset_type *type = pl_dataset_type_find(pl_settings_string(settings, "dataset", ""));
    size_t counts[2];
    if (!type || !type->expect)
        return false;
    struct pl_settings filled = {0};
    fill(&filled, type, settings);
    type->expect(&filled, shape, classes, counts);
    int status = count_splits(&filled, counts, sizes, NULL);
    pl_settings_release(&filled);
    return !status;
}

/* Single precision and in this order: the bits that torchvision's ToTensor and Normalize give. */
static void tabulate(struct pl_dataset *set)
{
    for (int channel = 0; channel < set->shape.channels; channel++)
        for (int byte = 0; byte < 256; byte++) {
            float value = (float)byte / 255;
            value -= set->colours.mean[channel];
            set->values[channel][byte] = value / set->colours.deviation[channel];
        }
}

int pl_data_open(struct pl_dataset **out, const struct pl_settings *settings, const char *folder, struct pl_error *err)
{
    const char *name = pl_settings_string(settings, "dataset", "");
    const struct pl_dataset_type *type = pl_dataset_type_find(name);
    *out = NULL;
    if (!type)
        return pl_fail(err, PL_EINPUT, "there is no dataset \"%.100s\"", name);
    struct pl_dataset *set = pl_new(sizeof *set);
    set->type = type;
    pthread_mutex_init(&set->lock, NULL);
    struct pl_settings filled = {0};
    fill(&filled, type, settings);
    int status = type->open(set, &filled, folder, err);
    if (!status)
        status = split(set, &filled, err);
    pl_settings_release(&filled);
    if (status) {
        pl_data_close(set);
        return status;
    }
    set->pad = (set->shape.width + 7) / 8;
    tabulate(set);
    *out = set;
    return 0;
}

void pl_dataset_forget(struct pl_dataset *set)
{
    if (set->mapped)
        munmap(set->block, set->block_size);
    else
        free(set->block);
    pl_pool_release(&set->pool);
    set->block = NULL;
    set->mapped = set->official = false;
    set->shape = (struct pl_image_shape){0};
    set->classes = 0;
    set->held = 0;
    set->stored[0] = set->stored[1] = (struct pl_stored){0};
    set->checksum[0] = set->warning[0] = '\0';
}

void pl_data_close(struct pl_dataset *set)
{
    if (!set)
        return;
    for (enum pl_split s = 0; s < PL_SPLIT_COUNT; s++)
        free(set->parts[s].numbers);
    pl_dataset_forget(set);
    pthread_mutex_destroy(&set->lock);
    free(set);
}

int pl_dataset_allocate(struct pl_dataset *set, const size_t counts[2], uint8_t *images[2], uint16_t *labels[2],
                        struct pl_error *err)
{
    size_t image = pl_image_bytes(set->shape), total = counts[0] + counts[1];
    set->block_size = total * (image + sizeof(uint16_t));
    set->block = pl_arena(total, image + sizeof(uint16_t));
    if (!set->block)
        return pl_fail(err, PL_EMEMORY, "there is not enough memory for %zu images of %zu bytes", total, image);
    labels[0] = set->block;
    labels[1] = labels[0] + counts[0];
    images[0] = (uint8_t *)(labels[0] + total);
    images[1] = images[0] + counts[0] * image;
    for (int i = 0; i < 2; i++)
        set->stored[i] = (struct pl_stored){images[i], labels[i], counts[i]};
    return 0;
}

/* ---- what a set is */

struct pl_image_shape pl_data_shape(const struct pl_dataset *set)
{
    return set->shape;
}

int pl_data_classes(const struct pl_dataset *set)
{
    return set->classes;
}

const char *pl_data_class_name(const struct pl_dataset *set, int label)
{
    return label >= 0 && label < set->classes ? set->class_names[label] : "";
}

size_t pl_data_size(const struct pl_dataset *set, enum pl_split split)
{
    return set->parts[split].count;
}

uint64_t pl_data_memory(const struct pl_dataset *set)
{
    return set->mapped ? 0 : set->block_size;
}

bool pl_data_official(const struct pl_dataset *set)
{
    return set->official;
}

const char *pl_data_warning(const struct pl_dataset *set)
{
    return *set->warning ? set->warning : NULL;
}

static void digest_number(EVP_MD_CTX *context, uint64_t number)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
    EVP_DigestUpdate(context, bytes, sizeof bytes);
}

void pl_dataset_checksum(const struct pl_dataset *set, char hex[2 * PL_DIGEST_SIZE + 1])
{
    struct pl_image_shape shape = set->shape;
    const struct pl_stored *stored = set->stored;
    unsigned char digest[PL_DIGEST_SIZE] = {0};
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context && EVP_DigestInit_ex(context, EVP_sha256(), NULL)) {
        digest_number(context, (uint64_t)shape.channels);
        digest_number(context, (uint64_t)shape.height);
        digest_number(context, (uint64_t)shape.width);
        for (int i = 0; i < 2; i++) {
            digest_number(context, stored[i].count);
            EVP_DigestUpdate(context, stored[i].labels, stored[i].count * sizeof *stored[i].labels);
            EVP_DigestUpdate(context, stored[i].images, stored[i].count * pl_image_bytes(shape));
        }
        if (set->held)
            digest_number(context, set->held);
        EVP_DigestFinal_ex(context, digest, NULL);
    }
    EVP_MD_CTX_free(context);
    pl_digest_hex(digest, sizeof digest, hex);
}

const char *pl_data_checksum(const struct pl_dataset *set)
{
    struct pl_dataset *known = (struct pl_dataset *)set; /* the one thing that changes in an open set, once */
    pthread_mutex_lock(&known->lock);
    if (!*known->checksum)
        pl_dataset_checksum(known, known->checksum);
    pthread_mutex_unlock(&known->lock);
    return known->checksum;
}

void pl_data_order(const struct pl_dataset *set, struct pl_random shuffle, uint64_t epoch, uint32_t *order)
{
    permute(shuffle, epoch, order, set->parts[PL_SPLIT_TRAIN].count);
}
