/* CIFAR-10 and CIFAR-100 (Krizhevsky 2009): the binary archives that their author publishes, read in place or
 * unpacked. A record is one label byte (CIFAR-100: two, the coarse and the fine label), then 32 x 32 bytes each of
 * red, green and blue, row by row.
 *
 * A set is official when every file has the SHA-256 of the published one. One whose files all differ is somebody's
 * own in the same layout: used, with a warning. One of which only some differ was damaged: refused. */
#include "data/images/images_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SIDE = 32, CHANNELS = 3, IMAGE = CHANNELS * SIDE * SIDE };

static const struct pl_cifar cifar10 = {
    .origin = {"https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz", "cifar-10-binary.tar.gz",
               "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
               "cifar-10-python.tar.gz cifar-10-batches-py cifar-10-matlab.tar.gz cifar-10-batches-mat"},
    .folder = "cifar-10-batches-bin",
    .members =
        {
            {"data_batch_1.bin", 0, 10000, "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5"},
            {"data_batch_2.bin", 0, 10000, "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed"},
            {"data_batch_3.bin", 0, 10000, "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67"},
            {"data_batch_4.bin", 0, 10000, "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48"},
            {"data_batch_5.bin", 0, 10000, "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add"},
            {"test_batch.bin", 1, 10000, "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b"},
        },
    .member_count = 6,
    .names = "batches.meta.txt",
    .label_bytes = 1,
    .classes = 10,
};

static const struct pl_cifar cifar100 = {
    .origin = {"https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz", "cifar-100-binary.tar.gz",
               "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec",
               "cifar-100-python.tar.gz cifar-100-python cifar-100-matlab.tar.gz cifar-100-matlab"},
    .folder = "cifar-100-binary",
    .members =
        {
            {"train.bin", 0, 50000, "f31298fc616915fa142368359df1c4ca2ae984d6915ca468b998a5ec6aeebf29"},
            {"test.bin", 1, 10000, "d8b1e6b7b3bee4020055f0699b111f60b1af1e262aeb93a0b659061746f8224a"},
        },
    .member_count = 2,
    .names = "fine_label_names.txt",
    .label_bytes = 2,
    .classes = 100,
};

static size_t member_bytes(const struct pl_cifar *cifar, const struct pl_cifar_member *member)
{
    return member->records * (size_t)(cifar->label_bytes + IMAGE);
}

/* ---- decoding */

struct decoding {
    const struct pl_cifar *cifar;
    struct pl_dataset *set;
    const char *path; /* of the archive or the folder */
    uint8_t *images[2];
    uint16_t *labels[2];
    uint8_t *bytes; /* of the largest member */
    bool seen[6], official[6];
    char found[6][2 * PL_DIGEST_SIZE + 1];
};

static size_t first_record(const struct pl_cifar *cifar, int index)
{
    size_t first = 0;
    for (int i = 0; i < index; i++)
        if (cifar->members[i].which == cifar->members[index].which)
            first += cifar->members[i].records;
    return first;
}

static int check_size(const struct decoding *d, int index, uint64_t size, struct pl_error *err)
{
    const struct pl_cifar_member *member = &d->cifar->members[index];
    if (size == member_bytes(d->cifar, member))
        return 0;
    return pl_fail(err, PL_ECORRUPT, "%s: %s has %llu bytes, but must have %zu (%zu images of %d bytes)", d->path,
                   member->name, (unsigned long long)size, member_bytes(d->cifar, member), member->records,
                   d->cifar->label_bytes + IMAGE);
}

/* The member's bytes are in d->bytes. */
static int take_member(struct decoding *d, int index, struct pl_error *err)
{
    const struct pl_cifar *cifar = d->cifar;
    const struct pl_cifar_member *member = &cifar->members[index];
    size_t first = first_record(cifar, index);
    unsigned char digest[PL_DIGEST_SIZE];
    const uint8_t *record = d->bytes;
    for (size_t i = 0; i < member->records; i++) {
        int label = record[cifar->label_bytes - 1];
        if (label >= cifar->classes)
            return pl_fail(err, PL_ECORRUPT, "%s: image %zu of %s has the label %d, but labels go from 0 to %d",
                           d->path, i, member->name, label, cifar->classes - 1);
        d->labels[member->which][first + i] = (uint16_t)label;
        memcpy(d->images[member->which] + (first + i) * IMAGE, record + cifar->label_bytes, IMAGE);
        record += cifar->label_bytes + IMAGE;
    }
    pl_digest(d->bytes, member_bytes(cifar, member), digest);
    pl_digest_hex(digest, sizeof digest, d->found[index]);
    d->official[index] = !strcmp(d->found[index], member->sha256);
    d->seen[index] = true;
    return 0;
}

static int fail_names(const struct decoding *d, struct pl_error *err)
{
    return pl_fail(err, PL_ECORRUPT, "%s: %s does not hold %d names of classes, one a line", d->path, d->cifar->names,
                   d->cifar->classes);
}

static int take_names(struct decoding *d, const char *text, struct pl_error *err)
{
    struct pl_dataset *set = d->set;
    int count = 0;
    while (*text) {
        size_t length = strcspn(text, "\r\n");
        if (length && (count == set->classes || length > 100))
            return fail_names(d, err);
        if (length) {
            char *name = pl_copy_bytes(text, length);
            set->class_names[count++] = pl_pool_copy(&set->pool, name);
            free(name);
        }
        text += length + strspn(text + length, "\r\n");
    }
    return count == set->classes ? 0 : fail_names(d, err);
}

/* The files as they stand in the folder of that name, or -1. */
static int find_member(const struct pl_cifar *cifar, const char *name)
{
    for (int i = 0; i < cifar->member_count; i++)
        if (!strcmp(cifar->members[i].name, name))
            return i;
    return -1;
}

enum { NAMES_MOST = 1 << 16 };

static int read_entry(struct decoding *d, struct pl_archive *archive, const char *name, uint64_t size,
                      struct pl_error *err)
{
    size_t length = strlen(d->cifar->folder);
    if (strncmp(name, d->cifar->folder, length) || name[length] != '/')
        return 0;
    name += length + 1;
    int index = find_member(d->cifar, name), status = 0;
    if (index >= 0) {
        status = check_size(d, index, size, err);
        if (!status)
            status = pl_archive_read(archive, d->bytes, (size_t)size, err);
        return status ? status : take_member(d, index, err);
    }
    if (strcmp(name, d->cifar->names))
        return 0;
    if (size > NAMES_MOST)
        return fail_names(d, err);
    char *text = pl_new((size_t)size + 1);
    status = pl_archive_read(archive, text, (size_t)size, err);
    if (!status)
        status = take_names(d, text, err);
    free(text);
    return status;
}

static int read_archive(struct decoding *d, struct pl_error *err)
{
    struct pl_archive *archive;
    const char *name;
    uint64_t size;
    int status = pl_archive_open(&archive, d->path, err);
    while (!status && !(status = pl_archive_next(archive, &name, &size, err)))
        status = read_entry(d, archive, name, size, err);
    pl_archive_close(archive);
    return status > 0 ? 0 : status;
}

static int read_member(struct decoding *d, int index, const char *path, struct pl_error *err)
{
    size_t size = member_bytes(d->cifar, &d->cifar->members[index]);
    struct stat info;
    FILE *file = pl_file_stream(path, err);
    if (!file)
        return pl_file_exists(path) ? PL_EIO : PL_ECORRUPT;
    if (fstat(fileno(file), &info))
        info.st_size = 0;
    int status = check_size(d, index, (uint64_t)info.st_size, err);
    if (!status && fread(d->bytes, 1, size, file) != size)
        status = pl_fail(err, PL_EIO, "cannot read %s: %s", path, ferror(file) ? strerror(errno) : "it became shorter");
    fclose(file);
    return status ? status : take_member(d, index, err);
}

static int read_folder(struct decoding *d, struct pl_error *err)
{
    struct pl_text path = {0}, names = {0};
    int status = 0;
    for (int i = 0; i < d->cifar->member_count && !status; i++) {
        pl_text_clear(&path);
        pl_text_addf(&path, "%s/%s", d->path, d->cifar->members[i].name);
        status = read_member(d, i, pl_text(&path), err);
    }
    pl_text_clear(&path);
    pl_text_addf(&path, "%s/%s", d->path, d->cifar->names);
    if (!status && pl_file_exists(pl_text(&path))) {
        status = pl_file_read(pl_text(&path), NAMES_MOST, &names, err);
        if (!status)
            status = take_names(d, pl_text(&names), err);
    }
    pl_text_release(&path);
    pl_text_release(&names);
    return status;
}

/* ---- the verdict */

static int judge(struct decoding *d, struct pl_error *err)
{
    const struct pl_cifar *cifar = d->cifar;
    int official = 0, odd = -1;
    for (int i = 0; i < cifar->member_count; i++) {
        if (!d->seen[i])
            return pl_fail(err, PL_ECORRUPT, "%s does not hold %s/%s", d->path, cifar->folder, cifar->members[i].name);
        official += d->official[i];
        odd = d->official[i] ? odd : i;
    }
    d->set->official = odd < 0;
    if (odd < 0)
        return 0;
    if (official)
        return pl_fail(err, PL_ECORRUPT, "%s is the official set with an altered %s: its SHA-256 is %s, but must be %s",
                       d->path, cifar->members[odd].name, d->found[odd], cifar->members[odd].sha256);
    snprintf(d->set->warning, sizeof d->set->warning,
             "%.200s is not the official set of that name: none of its files has the published SHA-256, so results are "
             "recorded as unofficial",
             d->path);
    return 0;
}

int pl_cifar_decode(struct pl_dataset *set, const struct pl_source *source, struct pl_error *err)
{
    const struct pl_cifar *cifar = set->type->layout;
    const char *path = pl_text(&source->path);
    struct decoding d = {.cifar = cifar, .set = set, .path = path};
    size_t counts[2] = {0, 0}, most = 0;
    set->shape = (struct pl_image_shape){CHANNELS, SIDE, SIDE};
    set->classes = cifar->classes;
    set->colours = (struct pl_colours){{0.4914f, 0.4822f, 0.4465f}, {0.2023f, 0.1994f, 0.2010f}};
    set->class_names = pl_pool_take(&set->pool, (size_t)cifar->classes * sizeof *set->class_names);
    for (int i = 0; i < cifar->classes; i++) { /* for a folder without names */
        char name[12];
        snprintf(name, sizeof name, "%d", i);
        set->class_names[i] = pl_pool_copy(&set->pool, name);
    }
    for (int i = 0; i < cifar->member_count; i++) {
        size_t bytes = member_bytes(cifar, &cifar->members[i]);
        counts[cifar->members[i].which] += cifar->members[i].records;
        most = bytes > most ? bytes : most;
    }
    int status = pl_dataset_allocate(set, counts, d.images, d.labels, err);
    if (status)
        return status;
    d.bytes = pl_arena(most, 1);
    if (!d.bytes)
        return pl_fail(err, PL_EMEMORY, "there is not enough memory to read %s", path);
    status = source->archive ? read_archive(&d, err) : read_folder(&d, err);
    if (!status)
        status = judge(&d, err);
    free(d.bytes);
    return status;
}

/* The archive before the unpacked folder: the first that is there, and what it looks like from outside. */
int pl_cifar_find_source(const struct pl_dataset_type *type, const char *folder, struct pl_source *source)
{
    const struct pl_cifar *cifar = type->layout;
    pl_text_addf(&source->path, "%s/%s", folder, cifar->origin.file);
    if (!pl_source_stamp(source, pl_text(&source->path), cifar->origin.file)) {
        source->archive = true;
        return 0;
    }
    pl_text_clear(&source->path);
    pl_text_addf(&source->path, "%s/%s", folder, cifar->folder);
    struct pl_text path = {0};
    int missing = 0;
    for (int i = 0; i < cifar->member_count; i++) {
        pl_text_clear(&path);
        pl_text_addf(&path, "%s/%s", pl_text(&source->path), cifar->members[i].name);
        missing += pl_source_stamp(source, pl_text(&path), cifar->members[i].name) != 0;
    }
    pl_text_release(&path);
    return pl_file_exists(pl_text(&source->path)) && missing < cifar->member_count ? 0 : PL_EMISSING;
}

/* ---- the two sets */

static const struct pl_setting settings[] = {
    {.key = "flip",
     .type = PL_BOOLEAN,
     .initial = "true",
     .help = "mirror every other training image when augmenting",
     .idle_when = "augment=false"},
};

static void cifar_expect(const struct pl_settings *chosen, struct pl_image_shape *shape, int *classes, size_t counts[2])
{
    *shape = (struct pl_image_shape){CHANNELS, SIDE, SIDE};
    *classes = !strcmp(pl_settings_string(chosen, "dataset", ""), "cifar10") ? cifar10.classes : cifar100.classes;
    counts[0] = 50000;
    counts[1] = 10000;
}

const struct pl_dataset_type pl_dataset_cifar10 = {
    .info = {.name = "cifar10",
             .help = "CIFAR-10: 60,000 photographs in 10 classes, 32x32 (Krizhevsky 2009)",
             .settings = settings,
             .setting_count = 1},
    .expect = cifar_expect,
    .open = pl_source_open,
    .origin = &cifar10.origin,
    .layout = &cifar10,
    .find_source = pl_cifar_find_source,
    .decode = pl_cifar_decode,
};

const struct pl_dataset_type pl_dataset_cifar100 = {
    .info = {.name = "cifar100",
             .help = "CIFAR-100: 60,000 photographs in 100 classes, 32x32 (Krizhevsky 2009)",
             .settings = settings,
             .setting_count = 1},
    .expect = cifar_expect,
    .open = pl_source_open,
    .origin = &cifar100.origin,
    .layout = &cifar100,
    .find_source = pl_cifar_find_source,
    .decode = pl_cifar_decode,
};
