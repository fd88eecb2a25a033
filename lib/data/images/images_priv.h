/* Inside images: what a set is, how its files are read and where it is kept. */
#ifndef PL_IMAGES_PRIV_H
#define PL_IMAGES_PRIV_H

#include "data/data_priv.h"
#include "data/images/images.h"

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

/* Where a set is published. */
struct pl_image_origin {
    const char *url, *file, *sha256;
    const char *others; /* files and folders of the same set that cannot be read, space separated */
};

struct pl_dataset_type {
    struct pl_dataset_info info;
    /* Shape, classes and the stored images of training and test, from the settings alone; NULL: only files tell. */
    void (*expect)(const struct pl_settings *settings, struct pl_image_shape *shape, int *classes, size_t counts[2]);
    /* Fills shape, classes, class_names, stored, block, colours, flip, official and, where it is known, checksum. */
    int (*open)(struct pl_dataset *set, const struct pl_settings *settings, const char *folder, struct pl_error *err);
    /* Of a set that is read from published files (pl_source_open), else NULL. */
    const struct pl_image_origin *origin;
    const struct pl_cifar *layout;
    int (*find_source)(const struct pl_dataset_type *type, const char *folder, struct pl_source *source);
    int (*decode)(struct pl_dataset *set, const struct pl_source *source, struct pl_error *err);
};

const struct pl_dataset_type *pl_dataset_type_find(const char *name); /* or NULL */

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
    size_t held;                /* the last images of training: a validation split of its own */
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
    bool mapped;          /* block is a file, else this process's own memory */
    pthread_mutex_t lock; /* of checksum, which is found when it is first asked for */
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
/* Gives back all that opening filled in, as if it had not begun. */
void pl_dataset_forget(struct pl_dataset *set);
/* SHA-256 over shape, labels and images of training and test (and how many of training are held for validation, if any
 * are), as hex: equal data has equal checksums, whatever file it came from. */
void pl_dataset_checksum(const struct pl_dataset *set, char hex[2 * PL_DIGEST_SIZE + 1]);

/* ---- cache.c: sets of images in such files

 * The body is the labels and, at the next multiple of 4,096 bytes, the images; training, validation (if any), test. */

/* Maps the file and fills set. header receives kind, source, stamp (of the files it was made from) and all that a set
 * is besides its bytes. Fails with PL_EMISSING, PL_ECORRUPT (cut, foreign, altered header or labels) or PL_EVERSION. */
int pl_cache_open(struct pl_dataset *set, const char *path, struct pl_settings *header, struct pl_error *err);
/* The same, and compares the bytes with the checksum in the header, once in a process for each file (0.13 s for the 184
 * MB of CIFAR-10): PL_ECORRUPT when one was altered. What results are recorded with is then true. */
int pl_cache_open_checked(struct pl_dataset *set, const char *path, struct pl_settings *header, struct pl_error *err);
/* Writes the set under a temporary name, syncs and renames it; header brings kind, source and stamp. */
int pl_cache_write(const struct pl_dataset *set, const char *path, struct pl_settings *header, struct pl_error *err);

/* ---- published.c: sets that are read from published files and then kept in a cache file */

int pl_source_open(struct pl_dataset *set, const struct pl_settings *settings, const char *folder,
                   struct pl_error *err);
/* Opens the cache file at path if it is whole, of the set's type and made from the files as they are now (or those are
 * gone). check: compare its bytes with its checksum, see pl_cache_open_checked. */
bool pl_source_open_cache(struct pl_dataset *set, const char *path, const struct pl_source *source, bool check);
/* Reads the files and leaves a cache file at path, which set then maps. Where none can be written, set is this
 * process's own memory and has a warning. */
int pl_source_decode(struct pl_dataset *set, const char *path, const struct pl_source *source, struct pl_error *err);
/* Fails with PL_EMISSING, saying how to get the set. */
int pl_source_missing(const struct pl_dataset_type *type, const char *folder, struct pl_error *err);
/* DIR/NAME.images; replaces path. */
void pl_cache_path(struct pl_text *path, const char *folder, const char *name);

/* ---- cifar.c: sets in the layout of CIFAR's binary archives */

struct pl_cifar {
    struct pl_image_origin origin;
    const char *folder; /* in the archive and unpacked */
    struct pl_cifar_member {
        const char *name;
        int which; /* training or test */
        size_t records;
        const char *sha256;
    } members[6];
    int member_count;
    const char *names; /* file of class names */
    int label_bytes, classes;
};
int pl_cifar_find_source(const struct pl_dataset_type *type, const char *folder, struct pl_source *source);
int pl_cifar_decode(struct pl_dataset *set, const struct pl_source *source, struct pl_error *err);

/* ---- image.c: PNG and JPEG */

/* Reads an image, cuts the largest square out of its middle and scales that to size x size: planes of red, green and
 * blue. Fails with PL_ECORRUPT or PL_EIO; the sentence does not name the file. */
int pl_image_read(const char *path, int size, uint8_t *planes, struct pl_error *err);

/* ---- shrink.c: a picture to a small square, row by row */

struct pl_shrink;
struct pl_shrink *pl_shrink_new(size_t width, size_t height, int size);
void pl_shrink_row(struct pl_shrink *shrink, const uint8_t *rgb); /* the next row of the picture, width x 3 bytes */
void pl_shrink_end(const struct pl_shrink *shrink, uint8_t *planes);
void pl_shrink_free(struct pl_shrink *shrink);

/* ---- layout.c: splits and classes by the names of folders */

enum pl_hint { PL_HINT_CLASS, PL_HINT_TRAIN, PL_HINT_VALID, PL_HINT_TEST, PL_HINT_EVAL, PL_HINT_COUNT };
/* What a folder's name says, in any case and with words like "set" beside it. *sure: nothing else is in it, so that
 * "training_set" is and "seg_train" only seems to be one. */
enum pl_hint pl_hint_of(const char *name, bool *sure);

struct pl_folders {
    bool split; /* else every folder is a class */
    const char
        *names[PL_HINT_COUNT]; /* the folder of each split, or NULL; of EVAL none: it has become one of the others */
};
/* What the folders `names` of `folder` are. Fails with PL_EINPUT where that is not clear. */
int pl_folders_find(struct pl_folders *layout, const char *folder, const char *const *names, size_t count,
                    bool (*has_folders)(void *self, const char *name), void *self, struct pl_error *err);

/* ---- scan.c: the image files of a folder of classes */

struct pl_folder_scan {
    struct pl_scan_file {
        const char *path;
        uint16_t label;
        uint8_t split; /* enum pl_split */
    } * files; /* training and, out of it, test; then validation and test that have folders; by class, then name */
    size_t count, capacity;
    const char **classes; /* names in byte order */
    size_t class_count, class_capacity;
    struct pl_scan_left {
        const char *what, *example; /* "hidden", ".bmp" */
        size_t count;
    } * left; /* files that are not read, by kind */
    size_t left_count, left_capacity;
    const char **notes; /* sentences on what was made of the folder, for people */
    size_t note_count, note_capacity;
    struct pl_pool pool;
};
/* test is the share of each class that becomes the test set, where the folder has none of its own. */
int pl_scan_folder(struct pl_folder_scan *scan, const char *folder, double test, struct pl_error *err);
void pl_scan_note(struct pl_folder_scan *scan, const char *format, ...) __attribute__((format(printf, 2, 3)));
void pl_scan_release(struct pl_folder_scan *scan);

#endif
