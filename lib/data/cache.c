/* Sets in files that every process maps: the format is described in data_priv.h. */
#include "data/data_priv.h"

#include <jansson.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[16] = "poula-images 1\n";
enum { MAGIC_WORDS = 13 }; /* characters of it that every version has */

struct preamble {
    char magic[16];
    uint64_t header, file; /* lengths */
    unsigned char digest[PL_DIGEST_SIZE];
};
_Static_assert(sizeof(struct preamble) == 64, "the preamble is written as it is");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "cache files are mapped as they are");

struct places {
    size_t labels, images, end;
};

static struct places find_places(struct pl_image_shape shape, size_t count, size_t header)
{
    struct places places;
    places.labels = (sizeof(struct preamble) + header + 63) / 64 * 64;
    places.images = (places.labels + count * sizeof(uint16_t) + 4095) / 4096 * 4096;
    places.end = places.images + count * pl_image_bytes(shape);
    return places;
}

/* ---- writing */

static void describe(const struct pl_dataset *set, struct pl_settings *header)
{
    char key[24];
    json_t *names = json_array();
    pl_settings_set_integer(header, "channels", set->shape.channels);
    pl_settings_set_integer(header, "height", set->shape.height);
    pl_settings_set_integer(header, "width", set->shape.width);
    pl_settings_set_integer(header, "train", (int64_t)set->stored[0].count);
    pl_settings_set_integer(header, "test", (int64_t)set->stored[1].count);
    pl_settings_set_boolean(header, "official", set->official);
    pl_settings_set_string(header, "warning", set->warning);
    pl_settings_set_string(header, "checksum", set->checksum);
    for (int i = 0; i < set->shape.channels; i++) {
        snprintf(key, sizeof key, "mean_%d", i);
        pl_settings_set_real(header, key, set->colours.mean[i]);
        snprintf(key, sizeof key, "deviation_%d", i);
        pl_settings_set_real(header, key, set->colours.deviation[i]);
    }
    for (int i = 0; i < set->classes; i++)
        json_array_append_new(names, json_string(set->class_names[i]));
    char *text = json_dumps(names, JSON_COMPACT);
    pl_settings_set_string(header, "class_names", text ? text : "[]");
    free(text);
    json_decref(names);
}

int pl_cache_write(const struct pl_dataset *set, const char *path, struct pl_settings *header, struct pl_error *err)
{
    static const char zeros[4096];
    struct pl_text text = {0};
    struct preamble preamble = {.header = 0};
    size_t count = set->stored[0].count + set->stored[1].count, image = pl_image_bytes(set->shape);
    describe(set, header);
    pl_settings_write(header, &text);
    struct places places = find_places(set->shape, count, text.length);
    memcpy(preamble.magic, magic, sizeof magic);
    preamble.header = text.length;
    preamble.file = places.end;
    pl_digest(pl_text(&text), text.length, preamble.digest);
    const struct pl_piece pieces[] = {
        {&preamble, sizeof preamble},
        {pl_text(&text), text.length},
        {zeros, places.labels - sizeof preamble - text.length},
        {set->stored[0].labels, set->stored[0].count * sizeof(uint16_t)},
        {set->stored[1].labels, set->stored[1].count * sizeof(uint16_t)},
        {zeros, places.images - places.labels - count * sizeof(uint16_t)},
        {set->stored[0].images, set->stored[0].count * image},
        {set->stored[1].images, set->stored[1].count * image},
    };
    int status = pl_file_write_pieces(path, pieces, sizeof pieces / sizeof *pieces, err);
    pl_text_release(&text);
    return status;
}

/* ---- reading */

static int fail_cache(struct pl_error *err, const char *path, const char *what)
{
    return pl_fail(err, PL_ECORRUPT, "%s is no whole set of images: %s", path, what);
}

static int map_file(const char *path, void **block, size_t *size, struct pl_error *err)
{
    int file = open(path, O_RDONLY | O_CLOEXEC), status = 0;
    struct stat info;
    if (file < 0)
        return pl_fail(err, errno == ENOENT ? PL_EMISSING : PL_EIO, "cannot open %s: %s", path, strerror(errno));
    if (fstat(file, &info)) {
        status = pl_fail(err, PL_EIO, "cannot read %s: %s", path, strerror(errno));
    } else if (!S_ISREG(info.st_mode) || info.st_size < (off_t)sizeof(struct preamble)) {
        status = fail_cache(err, path, "it is too short");
    } else {
        *size = (size_t)info.st_size;
        *block = mmap(NULL, *size, PROT_READ, MAP_SHARED, file, 0);
        if (*block == MAP_FAILED) {
            *block = NULL;
            status = pl_fail(err, PL_EIO, "cannot map %s: %s", path, strerror(errno));
        }
    }
    close(file);
    return status;
}

static int read_header(const char *path, const char *block, size_t size, struct pl_settings *header,
                       struct pl_error *err)
{
    struct preamble preamble;
    unsigned char digest[PL_DIGEST_SIZE];
    memcpy(&preamble, block, sizeof preamble);
    if (memcmp(preamble.magic, magic, MAGIC_WORDS))
        return fail_cache(err, path, "it does not begin like one");
    if (memcmp(preamble.magic, magic, sizeof magic))
        return pl_fail(err, PL_EVERSION, "%s was written by another version of poula", path);
    if (preamble.file != size)
        return pl_fail(err, PL_ECORRUPT, "%s is no whole set of images: it has %zu bytes of %llu", path, size,
                       (unsigned long long)preamble.file);
    if (preamble.header > size - sizeof preamble)
        return fail_cache(err, path, "its header is longer than the file");
    pl_digest(block + sizeof preamble, preamble.header, digest);
    if (memcmp(digest, preamble.digest, sizeof digest))
        return fail_cache(err, path, "its header was altered");
    char *text = pl_copy_bytes(block + sizeof preamble, preamble.header);
    int status = pl_settings_read(header, text, NULL) ? fail_cache(err, path, "its header is not JSON") : 0;
    free(text);
    return status;
}

static int read_class_names(struct pl_dataset *set, const struct pl_settings *header)
{
    json_t *names = json_loads(pl_settings_string(header, "class_names", ""), 0, NULL), *name;
    size_t i, count = json_array_size(names);
    if (!count || count > PL_CLASSES_MOST) {
        json_decref(names);
        return PL_ECORRUPT;
    }
    set->classes = (int)count;
    set->class_names = pl_pool_take(&set->pool, count * sizeof *set->class_names);
    json_array_foreach(names, i, name)
        set->class_names[i] = pl_pool_copy(&set->pool, json_is_string(name) ? json_string_value(name) : "");
    json_decref(names);
    return 0;
}

/* A size from the header; 0 when it is absent or no such number. */
static size_t number(const struct pl_settings *header, const char *key, int64_t most)
{
    int64_t value = pl_settings_integer(header, key, 0);
    return value > 0 && value <= most ? (size_t)value : 0;
}

static int take_header(struct pl_dataset *set, const struct pl_settings *header)
{
    char key[24];
    set->shape = (struct pl_image_shape){(int)number(header, "channels", PL_CHANNELS_MOST),
                                         (int)number(header, "height", 4096), (int)number(header, "width", 4096)};
    set->stored[0].count = number(header, "train", UINT32_MAX);
    set->stored[1].count = number(header, "test", UINT32_MAX);
    if (!pl_image_bytes(set->shape) || !set->stored[0].count)
        return PL_ECORRUPT;
    set->official = pl_settings_boolean(header, "official", false);
    snprintf(set->warning, sizeof set->warning, "%s", pl_settings_string(header, "warning", ""));
    snprintf(set->checksum, sizeof set->checksum, "%s", pl_settings_string(header, "checksum", ""));
    for (int i = 0; i < set->shape.channels; i++) {
        snprintf(key, sizeof key, "mean_%d", i);
        set->colours.mean[i] = (float)pl_settings_real(header, key, 0);
        snprintf(key, sizeof key, "deviation_%d", i);
        set->colours.deviation[i] = (float)pl_settings_real(header, key, 1);
    }
    return read_class_names(set, header);
}

static int take_block(struct pl_dataset *set, const char *path, size_t header, struct pl_error *err)
{
    const char *block = set->block;
    size_t count = set->stored[0].count + set->stored[1].count;
    struct places places = find_places(set->shape, count, header);
    if (places.end != set->block_size)
        return fail_cache(err, path, "its length does not fit its images");
    set->stored[0].labels = (const uint16_t *)(const void *)(block + places.labels);
    set->stored[0].images = (const uint8_t *)block + places.images;
    set->stored[1].labels = set->stored[0].labels + set->stored[0].count;
    set->stored[1].images = set->stored[0].images + set->stored[0].count * pl_image_bytes(set->shape);
    for (size_t i = 0; i < count; i++)
        if (set->stored[0].labels[i] >= set->classes)
            return fail_cache(err, path, "a label is out of range");
    return 0;
}

int pl_cache_open(struct pl_dataset *set, const char *path, struct pl_settings *header, struct pl_error *err)
{
    struct preamble preamble;
    int status = map_file(path, &set->block, &set->block_size, err);
    if (status)
        return status;
    status = read_header(path, set->block, set->block_size, header, err);
    if (!status && take_header(set, header))
        status = fail_cache(err, path, "its header lacks something");
    memcpy(&preamble, set->block, sizeof preamble);
    if (!status)
        status = take_block(set, path, preamble.header, err);
    if (status) {
        munmap(set->block, set->block_size);
        set->block = NULL;
        return status;
    }
    set->mapped = true;
    return 0;
}
