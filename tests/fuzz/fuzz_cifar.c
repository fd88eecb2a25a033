/* CIFAR's layout with members of two images, from an archive (first byte even) or from unpacked files. */
#include "fuzz.h"
#include "data/images/images_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"

static const struct pl_cifar layouts[] = {
    {.origin = {.url = "", .file = "a.tar.gz", .sha256 = ZEROS},
     .folder = "c",
     .members = {{"a.bin", 0, 1, ZEROS}, {"b.bin", 1, 1, ZEROS}},
     .member_count = 2,
     .names = "names.txt",
     .label_bytes = 1,
     .classes = 3},
    {.origin = {.url = "", .file = "a.tar.gz", .sha256 = ZEROS},
     .folder = "c",
     .members = {{"a.bin", 0, 2, ZEROS}, {"b.bin", 1, 1, ZEROS}},
     .member_count = 2,
     .names = "names.txt",
     .label_bytes = 2,
     .classes = 3},
};

/* Members one after the other, what is left is names of classes: as a folder has them. */
static void unpack(struct fuzz_bytes *bytes, const struct pl_cifar *layout)
{
    enum { RECORD = 3072 };
    static uint8_t member[2 * (RECORD + 2) + 1];
    MUST(!mkdir(fuzz_path("c"), 0700));
    for (int i = 0; i < layout->member_count; i++) {
        size_t records = layout->members[i].records, size = records * (size_t)(RECORD + layout->label_bytes);
        char name[40];
        memset(member, 0, sizeof member);
        for (size_t k = 0; k < records; k++) { /* a record is its label and black, so that inputs stay small */
            uint8_t *record = member + k * (size_t)(RECORD + layout->label_bytes);
            memset(record, (int)fuzz_take(bytes, 1), (size_t)layout->label_bytes);
        }
        size += fuzz_take(bytes, 1) == 1;
        snprintf(name, sizeof name, "c/%s", layout->members[i].name);
        fuzz_file(name, member, size);
    }
    fuzz_file("c/names.txt", bytes->at, bytes->left);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, size};
    uint64_t kind = fuzz_take(&bytes, 1);
    const struct pl_cifar *layout = &layouts[kind >> 1 & 1];
    struct pl_dataset_type type = pl_dataset_cifar10;
    type.layout = layout;
    struct pl_dataset set = {.type = &type};
    struct pl_source source = {0};
    struct pl_error err = {0};
    fuzz_remove(fuzz_path("c"));
    fuzz_remove(fuzz_path("a.tar.gz"));
    if (kind & 1)
        unpack(&bytes, layout);
    else
        fuzz_file("a.tar.gz", bytes.at, bytes.left);
    int status = pl_cifar_find_source(&type, fuzz_folder(), &source);
    MUST(!status && source.archive == !(kind & 1));
    status = pl_cifar_decode(&set, &source, &err);
    fuzz_must_say(status, &err);
    if (!status) {
        MUST(set.classes == layout->classes && set.stored[0].count == layout->members[0].records);
        for (int which = 0; which < 2; which++)
            for (size_t i = 0; i < set.stored[which].count; i++)
                MUST(set.stored[which].labels[i] < set.classes);
        for (int i = 0; i < set.classes; i++)
            MUST(set.class_names[i] && *set.class_names[i]);
        pl_dataset_checksum(&set, set.checksum);
    }
    pl_dataset_forget(&set);
    pl_source_release(&source);
    return 0;
}
