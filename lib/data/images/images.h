/* images: sets of labelled images, checked once and then memory-mapped, and batches drawn from them.
 *
 * A data set is one const descriptor (cifar10, cifar100, glyphs, folder). Opening one gives uint8 images in
 * NCHW order and labels that all workers of a machine share through the page cache. A batch is made of
 * normalised values; crops and flips are drawn per (epoch, image) from the run's augment stream, so they do
 * not depend on threads, workers, the order of images or an interruption. Published checksums are verified
 * once and the verdict is kept beside the data; a cut, altered or foreign file is named with what was expected.
 *
 * Threading: an open set is read-only and may be used by many threads. */
#ifndef PL_IMAGES_H
#define PL_IMAGES_H

#include "data/data.h"

struct pl_dataset;

/* What is known of a data set without opening it. */
struct pl_dataset_info {
    const char *name, *help;
    const struct pl_setting *settings; /* glyphs: classes, ...; besides the common ones of pl_data_common_settings */
    size_t setting_count;
};
extern const struct pl_registry pl_data_registry; /* for names; what stands behind them is data's own */
size_t pl_data_count(void);
const struct pl_dataset_info *pl_data_at(size_t index); /* in alphabetical order */
const struct pl_dataset_info *pl_data_find(const char *name);
/* `valid` (images held out of training for honest selection), `augment`, `subset` and the like. */
const struct pl_setting *pl_data_common_settings(size_t *count);

struct pl_image_shape {
    int channels, height, width;
};

/* What the set that the settings name will hold, without opening it or looking at a file: for checks of a spec and
 * estimates of memory. Returns false where only the files tell (folder) or the settings make no sense. */
bool pl_data_expect(const struct pl_settings *settings, struct pl_image_shape *shape, int *classes,
                    size_t sizes[PL_SPLIT_COUNT]);

/* Opens the set that the setting "dataset" names, from folder (see --data). Fails with PL_EMISSING (with the
 * command that fetches it), PL_ECORRUPT (the file, what was found, what was expected) or PL_EINPUT. */
int pl_data_open(struct pl_dataset **set, const struct pl_settings *settings, const char *folder, struct pl_error *err);
void pl_data_close(struct pl_dataset *set);

struct pl_image_shape pl_data_shape(const struct pl_dataset *set);
int pl_data_classes(const struct pl_dataset *set);
const char *pl_data_class_name(const struct pl_dataset *set, int label);
size_t pl_data_size(const struct pl_dataset *set, enum pl_split split);
uint64_t pl_data_memory(const struct pl_dataset *set); /* bytes that are this process's own, not shared */
/* SHA-256 of the data as used, hex, and whether it is the official one (true for embedded sets); the warning is
 * NULL or one sentence to show and to record. */
const char *pl_data_checksum(const struct pl_dataset *set);
bool pl_data_official(const struct pl_dataset *set);
const char *pl_data_warning(const struct pl_dataset *set);

/* The order in which epoch visits the training images: a permutation of 0..size-1, a function of (stream, epoch). */
void pl_data_order(const struct pl_dataset *set, struct pl_random shuffle, uint64_t epoch, uint32_t *order);

/* Fills images (count x channels x height x width, NCHW) and labels with the images numbered by indices. With augment
 * (training): zero-pad 4 in black before normalisation, random crop, horizontal flip, drawn from (augment, epoch,
 * image). Otherwise plain normalised images; augment may be NULL. */
void pl_data_batch(const struct pl_dataset *set, enum pl_split split, const uint32_t *indices, size_t count,
                   const struct pl_random *augment, uint64_t epoch, float *images, int32_t *labels);

/* ---- for the command `data` */

struct pl_data_item {
    const char *name;    /* cifar10; of an imported set its own name */
    const char *dataset; /* what a spec says: cifar10, folder */
    enum pl_data_state state;
    struct pl_image_shape shape; /* these are 0 where they are not known */
    int classes;
    size_t train, valid, test;          /* valid: the set's own validation images */
    uint64_t bytes;                     /* of the file in path */
    const char *path, *checksum, *note; /* "": none */
    bool official;
};
/* Calls item for every set that this program knows and every imported one in folder, in alphabetical order. */
void pl_data_list(const char *folder, void *self, void (*item)(void *self, const struct pl_data_item *item));

/* Reads everything again, sources included, whatever a cache says, and replaces a cache that differs. verdict receives
 * one sentence. Fails with PL_EMISSING or PL_ECORRUPT like pl_data_open. */
int pl_data_verify(const char *name, const char *folder, struct pl_text *verdict, struct pl_error *err);

struct pl_fetch {
    const char *url;    /* NULL: the publisher's */
    const char *sha256; /* that the file must have; NULL: the published one */
    void *self;
    void (*progress)(void *self, uint64_t done, uint64_t total); /* bytes; total 0: not known yet. NULL: nobody looks */
};
/* Downloads a set's archive into folder: to FILE.part, which a later call goes on with, and under its own name once its
 * checksum is right. Returns 1 when the right file was there already. Fails with PL_EINPUT, PL_EIO (network, disk) or
 * PL_ECORRUPT (another checksum). */
int pl_data_fetch(const char *name, const char *folder, const struct pl_fetch *fetch, struct pl_error *err);

struct pl_import {
    int size;    /* images become size x size */
    double test; /* share of each class for the test set, where the folder has no test split */
    bool skip;   /* leave out files that cannot be read instead of failing */
    void *self;
    void (*progress)(void *self, size_t done, size_t total); /* may be NULL, as may be: */
    void (*unreadable)(void *self, const char *path, const char *why);
    void (*note)(void *self, const char *text); /* what was made of the folder, and what of it was left out */
};
/* Imports a folder of classes (CLASS/FILE, or train/CLASS/FILE and valid/ and test/ likewise, under the usual names in
 * any case) as the set that specs name {dataset: folder, images: NAME}: one file in folder, replaced whole or not at
 * all. Fails with PL_EINPUT, PL_EIO or PL_ECORRUPT (unreadable files). */
int pl_data_import(const char *name, const char *from, const char *folder, const struct pl_import *import,
                   struct pl_error *err);

#endif
