/* Sets in files that every process maps: the format is described in data_priv.h. */
#include "data/images/images_priv.h"

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pl_block_format format = {"poula-images 1\n", "set of images"};

struct places {
    size_t labels, images, end;
};

/* body is where the header ends. */
static struct places find_places(struct pl_image_shape shape, size_t count, size_t body)
{
    struct places places;
    places.labels = body;
    places.images = (places.labels + count * sizeof(uint16_t) + 4095) / 4096 * 4096;
    places.end = places.images + count * pl_image_bytes(shape);
    return places;
}

/* ---- writing */

static int describe(const struct pl_dataset *set, struct pl_settings *header, struct pl_error *err)
{
    char key[24];
    json_t *names = json_array();
    pl_settings_set_integer(header, "channels", set->shape.channels);
    pl_settings_set_integer(header, "height", set->shape.height);
    pl_settings_set_integer(header, "width", set->shape.width);
    pl_settings_set_integer(header, "train", (int64_t)(set->stored[0].count - set->held));
    if (set->held) /* a program that does not know this key finds more bytes than images, and refuses the file */
        pl_settings_set_integer(header, "valid", (int64_t)set->held);
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
    int status = 0;
    for (int i = 0; i < set->classes && !status; i++)
        if (json_array_append_new(names, json_string(set->class_names[i])))
            status = pl_fail(err, PL_EINPUT, "the name of class %d is not UTF-8", i);
    char *text = json_dumps(names, JSON_COMPACT);
    pl_settings_set_string(header, "class_names", text ? text : "[]");
    free(text);
    json_decref(names);
    return status;
}

int pl_cache_write(const struct pl_dataset *set, const char *path, struct pl_settings *header, struct pl_error *err)
{
    static const char zeros[4096];
    struct pl_text text = {0};
    size_t count = set->stored[0].count + set->stored[1].count, image = pl_image_bytes(set->shape);
    int status = describe(set, header, err);
    if (status)
        return status;
    pl_settings_write(header, &text);
    struct places places = find_places(set->shape, count, pl_block_body(text.length));
    const struct pl_piece pieces[] = {
        {set->stored[0].labels, set->stored[0].count * sizeof(uint16_t)},
        {set->stored[1].labels, set->stored[1].count * sizeof(uint16_t)},
        {zeros, places.images - places.labels - count * sizeof(uint16_t)},
        {set->stored[0].images, set->stored[0].count * image},
        {set->stored[1].images, set->stored[1].count * image},
    };
    status = pl_block_write(&format, path, &text, pieces, sizeof pieces / sizeof *pieces, err);
    pl_text_release(&text);
    return status;
}

/* ---- reading */

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
    set->held = number(header, "valid", INT32_MAX);
    set->stored[0].count = number(header, "train", INT32_MAX);
    set->stored[1].count = number(header, "test", INT32_MAX);
    if (!pl_image_bytes(set->shape) || !set->stored[0].count)
        return PL_ECORRUPT;
    set->stored[0].count += set->held;
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

static int take_block(struct pl_dataset *set, const char *path, size_t body, struct pl_error *err)
{
    const char *block = set->block;
    size_t count = set->stored[0].count + set->stored[1].count;
    struct places places = find_places(set->shape, count, body);
    if (places.end != set->block_size)
        return pl_block_fail(&format, path, "its length does not fit its images", err);
    set->stored[0].labels = (const uint16_t *)(const void *)(block + places.labels);
    set->stored[0].images = (const uint8_t *)block + places.images;
    set->stored[1].labels = set->stored[0].labels + set->stored[0].count;
    set->stored[1].images = set->stored[0].images + set->stored[0].count * pl_image_bytes(set->shape);
    for (size_t i = 0; i < count; i++)
        if (set->stored[0].labels[i] >= set->classes)
            return pl_block_fail(&format, path, "a label is out of range", err);
    return 0;
}

int pl_cache_open(struct pl_dataset *set, const char *path, struct pl_settings *header, struct pl_error *err)
{
    struct pl_block block;
    int status = pl_block_open(&format, &block, path, header, err);
    if (status)
        return status;
    set->block = block.bytes;
    set->block_size = block.size;
    if (take_header(set, header))
        status = pl_block_fail(&format, path, "its header lacks something", err);
    else
        status = take_block(set, path, block.body, err);
    if (status) {
        pl_block_close(&block);
        set->block = NULL;
        return status;
    }
    set->mapped = true;
    return 0;
}

int pl_cache_open_checked(struct pl_dataset *set, const char *path, struct pl_settings *header, struct pl_error *err)
{
    char hex[2 * PL_DIGEST_SIZE + 1];
    int status = pl_cache_open(set, path, header, err);
    if (status || pl_file_trusted(path))
        return status;
    pl_dataset_checksum(set, hex);
    if (!strcmp(hex, set->checksum)) {
        pl_file_trust(path);
        return 0;
    }
    status = pl_fail(err, PL_ECORRUPT, "%s was altered: its images have the SHA-256 %s, but must have %s", path, hex,
                     set->checksum);
    pl_dataset_forget(set);
    return status;
}
