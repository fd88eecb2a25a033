/* Parts of the data sets that the rest of the program does not see. */
#ifndef PL_DATA_PRIV_H
#define PL_DATA_PRIV_H

#include "data/data.h"

#include <pthread.h>

enum {
    PL_CHANNELS_MOST = 3,
    PL_CLASSES_MOST = 65535, /* a stored label is 16 bits wide */
};

/* Images as they are stored: count x channels x height x width bytes, planes of rows. */
struct pl_stored {
    const uint8_t *images;
    const uint16_t *labels;
    size_t count;
};

struct pl_dataset_type {
    struct pl_dataset_info info;
    /* Shape, classes and the stored images of training and test, from the settings alone; NULL: only files tell. */
    void (*expect)(const struct pl_settings *settings, struct pl_image_shape *shape, int *classes, size_t counts[2]);
    /* Fills shape, classes, class_names, stored, block, colours, flip, official and, where it is known, checksum. */
    int (*open)(struct pl_dataset *set, const struct pl_settings *settings, const char *folder, struct pl_error *err);
};

extern const struct pl_dataset_type pl_dataset_cifar10, pl_dataset_cifar100, pl_dataset_folder, pl_dataset_glyphs;

/* Per channel, of values between 0 and 1. */
struct pl_colours {
    float mean[PL_CHANNELS_MOST], deviation[PL_CHANNELS_MOST];
};

struct pl_dataset {
    const struct pl_dataset_type *type;
    struct pl_image_shape shape;
    int classes;
    const char **class_names; /* in pool */
    struct pl_pool pool;
    struct pl_stored stored[2]; /* training, test */
    struct pl_part {
        const struct pl_stored *of;
        uint32_t *numbers; /* of its images in `of`, ascending; NULL: all of them */
        size_t count;
    } parts[PL_SPLIT_COUNT];
    struct pl_colours colours;
    float values[PL_CHANNELS_MOST][256]; /* a stored byte as the network sees it */
    int pad;                             /* pixels that an augmented image may be moved by */
    bool flip;                           /* is a mirrored image one of the same class? */
    void *block;                         /* memory of the stored images */
    size_t block_size;
    bool mapped;                         /* block is a file, else this process's own memory */
    pthread_mutex_t lock;                /* of checksum, which is found when it is first asked for */
    char checksum[2 * PL_DIGEST_SIZE + 1];
    bool official;
    char warning[500];
};

static inline size_t pl_image_bytes(struct pl_image_shape shape)
{
    return (size_t)shape.channels * (size_t)shape.height * (size_t)shape.width;
}

/* Memory of this process for both kinds of images, which the set then owns; fails with PL_EMEMORY. */
int pl_dataset_allocate(struct pl_dataset *set, const size_t counts[2], uint8_t *images[2], uint16_t *labels[2],
                        struct pl_error *err);
/* SHA-256 over shape, labels and images of training and test, as hex: equal data has equal checksums, whatever file
 * it came from. */
void pl_stored_checksum(struct pl_image_shape shape, const struct pl_stored stored[2],
                        char hex[2 * PL_DIGEST_SIZE + 1]);

#endif
